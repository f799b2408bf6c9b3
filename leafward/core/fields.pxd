from leafward.core cimport modes
from leafward.core.history cimport wants_grad
from leafward.core.runtime cimport Runtime
from leafward.core.tensor cimport TensorBase, requires_grad

cdef Runtime runtime
cdef unsigned int FUNCTIONS

cpdef shape_of(TensorBase self)
cpdef dtype_of(TensorBase self)
cpdef ndim_of(TensorBase self)
cpdef needs_grad(TensorBase self)
cpdef is_leaf(TensorBase self)
cpdef grad_fn(TensorBase self)
cpdef grad_of(TensorBase self)
