cimport cython
from leafward.core.native cimport allocate, call_site
from leafward.core.node cimport Node
from leafward.core.op cimport Op
from leafward.core.runtime cimport Runtime
from leafward.core.tensor cimport TensorBase, requires_grad

cdef Runtime runtime

cdef class Cut:
    cdef public object kind, site, block, parts
    cdef public dict behind
    cdef public Py_ssize_t count, spent

@cython.locals(cut=Cut)
cpdef Cut cut_at(object kind, object site, TensorBase source)
@cython.locals(tensor=TensorBase, passed=Py_ssize_t)
cpdef look_behind(Cut cut, TensorBase source)
cpdef object merged(object a, object b)
@cython.locals(tensor=TensorBase, position=Py_ssize_t)
cpdef object cut_of_call(Op op, list inputs, bint recording)
@cython.locals(whole=Cut)
cpdef object cut_by(object name, TensorBase tensor, bint recording)
@cython.locals(cut=Cut)
cdef object cut_inside(object name, Cut whole, TensorBase tensor)
cpdef cut_result(object kind, TensorBase result, TensorBase source)
cpdef leave(object kind, TensorBase source)
@cython.locals(cut=Cut)
cpdef coming_back()
cpdef take_in(Node node, object record)
cpdef note_at(Node node, object kind, object detail)
cpdef look_at_shapes(Node node, TensorBase x, TensorBase y)
