cimport cython
from leafward.core.accumulate cimport accumulate, add_into, fitted, holds_part, is_part, refuse_interior, sum_of
from leafward.core.from_array cimport new_tensor, tensor_from_array
from leafward.core.native cimport untrack
from leafward.core.node cimport Node
from leafward.core.pending cimport Call, Pending
from leafward.core.recording cimport OpNode, hands_on, is_view
from leafward.core.runtime cimport Runtime, quietly
from leafward.core.tensor cimport TensorBase
from leafward.core.views cimport CopySlices

cdef Runtime runtime

cdef class Backward:
    cdef public bint retain, recorded, graph, watched, finite
    cdef public dict captures, needed, tasks
    cdef public list answer, heap, contributions, after
    cdef public object call, next, outside, met, birth
    cdef public Py_ssize_t depth, position
    cdef object __weakref__

    @cython.locals(pending=Pending)
    cpdef run(self, list roots, list numbers, list grads)
    cpdef look_for_nonfinite(self, Node node, list grads, list contributions)
    cpdef meet(self, object record)
    @cython.locals(pending=Pending, node=Node, tasks=dict, stack=list)
    cpdef count_dependencies(self, list roots)
    @cython.locals(grads=list, contributions=list, kept=list, position=Py_ssize_t, targets=tuple, numbers=tuple, wanted=list,
                   owned=bint, handed=bint, waiting=Pending)
    cdef visit(self, Node node, Pending pending)
    @cython.locals(count=Py_ssize_t)
    cdef bint made_for(self, object grad, Node node, list grads, list contributions, list kept) except -1
    cdef skip(self, Node node)
    cdef ready(self, Node node)
    @cython.locals(op_node=OpNode)
    cdef list pull_back(self, Node node, list grads, list wanted)
    @cython.locals(node=Node, leaf=TensorBase, ended=bint)
    cdef deliver(self, object target, Pending pending, Py_ssize_t number, object grad, object source, Py_ssize_t position, bint owned)
    @cython.locals(waiting=Pending)
    cdef deliver_to_former(self, TensorBase leaf, object grad, bint ended)
    cdef match_input(self, object grad, object shape, object dtype, object source, Py_ssize_t position)
    cdef dense(self, object grad)
    cdef add(self, object a, object b)
    @cython.locals(owned=bint)
    cdef accumulate_or_capture(self, TensorBase leaf, Pending pending)
