cimport cython
from leafward.core.op cimport Op
from leafward.core.runtime cimport Runtime, quietly
from leafward.core.tensor cimport TensorBase, array_of

cdef Runtime runtime

cpdef object compute_unary(Op op, object array)
cpdef object compute_binary(Op op, object array, object operand)
cpdef object compute_view(Op op, list values)
@cython.locals(position=Py_ssize_t, rank=Py_ssize_t, tensor=TensorBase)
cdef one_dtype(Op op, list inputs)
@cython.locals(position=Py_ssize_t)
cpdef common_dtype(Op op, list inputs, list values)
@cython.locals(position=Py_ssize_t)
cpdef list arrays_of(Op op, list inputs, list values)
@cython.locals(tensor=TensorBase)
cdef exact_dtype(object value, object dtype)
@cython.locals(tensor=TensorBase)
cpdef as_array(object value, object dtype)
cpdef run_forward(Op op, list values, list inputs, list arrays, object mask)
@cython.locals(position=Py_ssize_t)
cpdef bint holds_two_bytes(list arrays)
@cython.locals(args=list, index=Py_ssize_t, position=Py_ssize_t)
cpdef run_on(Op op, list values, list arrays, object mask)
