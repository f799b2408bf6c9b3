cimport cython
from leafward.core cimport modes
from leafward.core.tensor cimport TensorBase, fast_dtype, is_plain, requires_grad

cdef unsigned int ANSWERED, UNRECORDED
cdef double MOST

@cython.locals(word=cython.uint, source=TensorBase)
cpdef looked_up(object x, object index)
@cython.locals(word=cython.uint, target=TensorBase, operand=TensorBase, number=cython.bint)
cpdef bint written(object x, object index, object value) except -1
cdef bint is_number(object value) except -1
@cython.locals(mask=TensorBase)
cdef bint is_mask(object index) except -1
cdef bint has_mask(tuple index) except -1
@cython.locals(tensors=list, at=list, dim=Py_ssize_t, left=Py_ssize_t)
cdef tuple places_in(object index, tuple shape)
@cython.locals(tensor=TensorBase)
cdef TensorBase as_places(object item, object size)
