cimport cython
from leafward.core cimport modes
from leafward.core.cuts cimport look_at_shapes, take_in
from leafward.core.node cimport Node
from leafward.core.native cimport call_site, untrack
from leafward.core.runtime cimport Runtime
from leafward.core.tensor cimport TensorBase, requires_grad

cdef Runtime runtime
cdef unsigned int ANOMALY

cpdef bint wants_grad(TensorBase tensor)
cpdef begin(Node node)
cdef object gradient_target(TensorBase tensor)
@cython.locals(tensor=TensorBase, shape=tuple)
cpdef connect_pair(Node node, TensorBase x, object y)
@cython.locals(ends=list, numbers=list, position=Py_ssize_t, tensor=TensorBase)
cpdef connect(Node node, object inputs)
