cimport cython
from .node cimport Node
from .runtime cimport Runtime, quietly
from .tensor cimport TensorBase

cdef Runtime runtime

@cython.locals(base=TensorBase)
cpdef bint requires_grad(TensorBase tensor)

cdef class CopySlices(Node):
    cdef public object inner, chain
