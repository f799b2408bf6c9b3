cimport cython
from leafward.core cimport modes
from leafward.core.op cimport Op
from leafward.core.runtime cimport Runtime
from leafward.core.tensor cimport TensorBase

cdef Runtime runtime
cdef unsigned int FUNCTIONS

@cython.locals(given=Py_ssize_t, position=Py_ssize_t)
cpdef list bind(Op op, object args, object kwargs)
cpdef function_overrides(list inputs)
