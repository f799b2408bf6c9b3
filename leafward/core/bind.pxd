cimport cython
from .op cimport Op
from .runtime cimport Runtime
from .tensor cimport TensorBase

cdef Runtime runtime

@cython.locals(given=Py_ssize_t, position=Py_ssize_t)
cpdef list bind(Op op, object args, object kwargs)
cpdef function_overrides(list inputs)
