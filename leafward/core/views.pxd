cimport cython
from leafward.core.node cimport Node
from leafward.core.runtime cimport Runtime, quietly
from leafward.core.tensor cimport TensorBase

cdef Runtime runtime

cdef class CopySlices(Node):
    cdef public object _inner, _chain, _strides
