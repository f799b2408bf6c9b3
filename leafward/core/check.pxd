cimport cython
from leafward.core.op cimport Op
from leafward.core.native cimport fits_int64
from leafward.core.tensor cimport TensorBase, is_plain

@cython.locals(number=Py_ssize_t, position=Py_ssize_t)
cpdef list check_inputs(Op op, list values)
@cython.locals(position=Py_ssize_t)
cpdef bint all_plain(list inputs)
@cython.locals(position=Py_ssize_t)
cpdef check_options(Op op, list values)

cpdef checked_option(object kind, object value)
@cython.locals(given=Py_ssize_t, position=Py_ssize_t)
cpdef tuple check_composite(object declared, tuple args, dict kwargs)
