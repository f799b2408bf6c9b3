cimport cython
from .node cimport Node
from .runtime cimport Runtime, quietly
from .tensor cimport TensorBase

cdef Runtime runtime

cdef class CopySlices(Node):
    cdef public object _inner, _chain, _strides
