cimport cython
from leafward.core cimport modes
from leafward.core.compute cimport run_forward
from leafward.core.from_array cimport new_tensor
from leafward.core.history cimport wants_grad
from leafward.core.native cimport call_site
from leafward.core.op cimport Op
from leafward.core.plan cimport Plan, plan_for
from leafward.core.recording cimport OpNode, record, wanted_mask
from leafward.core.runtime cimport Runtime, quietly
from leafward.core.saved cimport keep
from leafward.core.storage cimport Storage, record_write
from leafward.core.tensor cimport TensorBase, array_of, requires_grad

cdef Runtime runtime
cdef unsigned int ANSWERED, GUARD, LEVELS, NO_GRAD, UNRECORDED
cdef Py_ssize_t DEFAULT, OUTPUT

cpdef bint any_requires_grad(list inputs)
@cython.locals(base=TensorBase, word=cython.uint)
cpdef refuse(TensorBase target, bint recorded, object name, bint uniform=*)
cdef bint is_leaf(TensorBase tensor)
cpdef refuse_inference(TensorBase target)
@cython.locals(tensor=TensorBase)
cpdef refuse_partial_overlap(TensorBase target, object inputs)
cpdef refuse_dense_overlap(Op op, TensorBase target, list inputs)
cpdef list with_dims(list inputs)
cpdef check_shape(TensorBase target, list arrays)
@cython.locals(ahead=Py_ssize_t, position=Py_ssize_t)
cdef bint expands(tuple sizes, tuple shape)
cpdef Py_ssize_t mask_of_write(Op op, TensorBase target, list inputs)
cpdef bint is_free(TensorBase target, unsigned int word)
cpdef compute_into(Op op, list values, list inputs, list arrays, TensorBase target, object mask)
cpdef bint keeps_dtype(Op op, object dtype)
@cython.locals(args=list, position=Py_ssize_t)
cdef write_directly(Op op, list values, list arrays, TensorBase target)
cdef store(TensorBase target, object result)
@cython.locals(target=TensorBase, old=TensorBase, node=OpNode)
cpdef OpNode node_of_write(Op op, list values, list inputs, object mask)
@cython.locals(position=Py_ssize_t)
cpdef attach_node(Op op, OpNode node, TensorBase target, object mask)
@cython.locals(result=TensorBase)
cpdef write_out(TensorBase target, object result, object name, bint silently=*, bint ordered=*)
cpdef resize(TensorBase target, tuple shape)
