cimport cython
from cpython.ref cimport PyObject
from leafward.core.history cimport connect, wants_grad
from leafward.core.node cimport Node
from leafward.core.op cimport Op
from leafward.core.plan cimport Plan, Step, plan_for, save
from leafward.core.native cimport allocate
from leafward.core.runtime cimport Runtime
from leafward.core.saved cimport Saved
from leafward.core.tensor cimport TensorBase

cdef Runtime runtime
# Typed, so that comparing with them is a C comparison; `slot_codes` gives the values.
cdef Py_ssize_t ASK_GRAD, ASK_WANTED, ASK_OUTPUT_GRAD, CHOICES

cdef class OpNode(Node):
    # Of those that the collector does not know yet, see tracing.pyx.
    cdef PyObject* older
    cdef PyObject* younger
    cdef bint waits
    cdef public Plan _plan
    cdef public Py_ssize_t _given
    @cython.locals(saved=Saved, values=list, plan=Plan, step=Step, unpacked=list, results=list, kept=list, xp=object)
    cdef list run_rules(self, list grads, bint recorded, list wanted)
    @cython.locals(ask=Py_ssize_t, args=list)
    cdef list arguments(self, Step step, list kept, list grads)
    @cython.locals(operands=tuple)
    cdef ask_kernel(self, Step step, list values, list grads)
    @cython.locals(ask=Py_ssize_t, args=list)
    cdef play_tape(self, Step step, list values, list grads)
    cdef operand(self, Py_ssize_t ask, list values, list grads)
    cdef release_saved(self, object call)
    cdef bint gives_half(self)
    cdef bint any_wanted(self, Step step, list wanted)

@cython.locals(op_node=OpNode)
cpdef bint is_view(object node)

@cython.locals(count=cython.int)
cpdef bint hands_on(object node)
@cython.locals(mask=Py_ssize_t, position=Py_ssize_t)
cpdef Py_ssize_t wanted_mask(Op op, list inputs)
cpdef bint may_differ(Op op, Py_ssize_t number, TensorBase output)
cpdef bint is_recorded(Op op, TensorBase view)
cpdef bint any_differentiable(Op op, object outputs)
@cython.locals(plan=Plan)
cpdef record(Op op, object mask, object inputs, object options, object outputs, object residuals, bint in_place)
@cython.locals(position=Py_ssize_t, tensor=TensorBase)
cdef chosen_class(Op op, object inputs, object options)
cdef bint is_simple(tuple parts)
@cython.locals(node=OpNode, plan=Plan)
cpdef OpNode record_plain(Op op, bint with_number, object mask, tuple inputs, TensorBase output)
@cython.locals(other=OpNode)
cpdef OpNode renamed(OpNode node, object cls)
@cython.locals(position=Py_ssize_t, mask=Py_ssize_t, found=bint)
cdef Py_ssize_t tensors_among(object inputs)
@cython.locals(t=TensorBase)
cpdef describe_outputs(Op op, Node node, object outputs)
