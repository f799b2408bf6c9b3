cimport cython
from leafward.core cimport modes
from leafward.core.modes cimport State
from leafward.core.native cimport address, allocate, call_site, forget_notes, note, noted
from leafward.core.node cimport Node
from leafward.core.op cimport Op
from leafward.core.runtime cimport Runtime
from leafward.core.tensor cimport TensorBase, requires_grad

cdef Runtime runtime
cdef Py_ssize_t FIRST_LOOKS, LOOKS_EVERY, LOOKED_INTO

cdef class Cut:
    cdef public object kind, site, block, parts
    cdef public dict behind
    cdef public Py_ssize_t count, spent, last

@cython.locals(cut=Cut)
cpdef Cut cut_at(object kind, object site, TensorBase source)
cdef Cut met_again(Cut cut, TensorBase source)
@cython.locals(tensor=TensorBase, passed=Py_ssize_t)
cpdef look_behind(Cut cut, TensorBase source)
cpdef object merged(object a, object b)
@cython.locals(position=Py_ssize_t)
cpdef object cut_of_call(Op op, list inputs, bint recording)
cpdef object cut_of_pair(Op op, TensorBase x, TensorBase y, bint recording)
cpdef object cut_of(Op op, TensorBase tensor, bint recording)
@cython.locals(state=State, whole=Cut)
cpdef object cut_by(Op op, TensorBase tensor, bint recording)
cdef object cut_noted(object what, object kind, TensorBase tensor)
@cython.locals(cut=Cut)
cdef object cut_inside(Op op, Cut whole, TensorBase tensor)
cpdef cut_result(object kind, TensorBase result, TensorBase source)
cpdef leave(object kind, TensorBase source)
@cython.locals(cut=Cut)
cpdef coming_back()
cpdef take_in(Node node, object record)
cpdef note_at(Node node, object kind, object detail)
@cython.locals(cut=Cut)
cpdef noted_here(object kind, object site, object detail)
cpdef look_at_shapes(Node node, TensorBase x, TensorBase y)
@cython.locals(cut=Cut)
cdef note_all_pairs(Node node, object number, object shape)
cpdef all_pairs(TensorBase x, TensorBase y)
cdef bint rises(TensorBase values)
