cimport cython
from leafward.core.op cimport Op
from leafward.core.native cimport fits_int64
from leafward.core.tensor cimport TensorBase, is_plain

@cython.locals(index=Py_ssize_t, position=Py_ssize_t)
cpdef list check_inputs(Op op, list values)
@cython.locals(position=Py_ssize_t)
cpdef bint all_plain(list inputs)
@cython.locals(position=Py_ssize_t)
cpdef check_options(Op op, list values)
