cimport cython
from leafward.core.history cimport wants_grad
from leafward.core.runtime cimport Runtime, quietly
from leafward.core.saved cimport Saved
from leafward.core.tensor cimport TensorBase, array_of
from leafward.core.from_array cimport new_tensor, tensor_from_array

cdef Runtime runtime

cpdef add_into(object total, object grad)
cpdef object sum_of(object a, object b)
cpdef object fitted(object grad, object shape, object dtype, object source, Py_ssize_t position)
cpdef refuse_interior(TensorBase tensor)
cpdef accumulate(TensorBase leaf, object grad, bint recorded)
@cython.locals(saved=Saved)
cpdef bint holds_part(list kept, object whole) except -1
cpdef bint is_part(object grad, object whole)
