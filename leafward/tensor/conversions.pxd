from leafward.core.cuts cimport leave
from leafward.core.runtime cimport Runtime
from leafward.core.tensor cimport TensorBase, requires_grad

cdef Runtime runtime

cdef number_in(TensorBase tensor)
cdef bint is_told(TensorBase tensor)
