cimport cython
from leafward.core.check cimport all_plain, check_inputs
from leafward.core.compute cimport arrays_of, compute_binary, compute_unary, run_forward
from leafward.core.history cimport connect, connect_pair, wants_grad
from leafward.core cimport modes
from leafward.core.op cimport Op
from leafward.core.recording cimport OpNode, any_differentiable, may_differ, record, record_plain, wanted_mask
from leafward.core.runtime cimport Runtime
from leafward.core.tensor cimport TensorBase, array_of
from leafward.core.from_array cimport new_tensor, tensor_from_result, view_of

cdef Runtime runtime
cdef unsigned int ANSWERED, LEVELS, UNRECORDED

@cython.locals(node=OpNode, result=TensorBase)
cpdef TensorBase apply_unary(Op op, TensorBase x, unsigned int word)
@cython.locals(node=OpNode, result=TensorBase, mask=Py_ssize_t, paired=bint)
cpdef TensorBase apply_binary(Op op, TensorBase x, object y, unsigned int word)
@cython.locals(source=TensorBase, recording=bint)
cpdef TensorBase apply_view(Op op, list values)
@cython.locals(view=TensorBase)
cpdef TensorBase record_view(Op op, TensorBase source, list options, object array, bint recording)
cpdef call(Op op, object args, object kwargs, object out=*)
@cython.locals(mask=Py_ssize_t, word=cython.uint, recording=bint, output=TensorBase, inputs=list, arrays=list, options=list)
cpdef apply(Op op, list values)
@cython.locals(view=TensorBase, source=TensorBase)
cpdef finish_views(Op op, object mask, list inputs, object options, object result, bint recording)
cpdef list values_at(list values, tuple places)
