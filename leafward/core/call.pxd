cimport cython
from leafward.core.check cimport all_plain, check_inputs, check_options
from leafward.core.compute cimport arrays_of, compute_binary, compute_unary, compute_view, run_forward
from leafward.core.cuts cimport cut_by, cut_of_call, cut_of_pair, merged
from leafward.core.inplace cimport any_requires_grad, attach_node, check_shape, compute_into, is_free, mask_of_write, node_of_write, refuse, refuse_dense_overlap, refuse_partial_overlap, with_dims, write_out
from leafward.core.history cimport connect, connect_pair, wants_grad
from leafward.core cimport modes
from leafward.core.native cimport call_site, fits_int64
from leafward.core.op cimport Op
from leafward.core.recording cimport OpNode, any_differentiable, may_differ, record, record_plain, wanted_mask
from leafward.core.runtime cimport Runtime
from leafward.core.storage cimport count_write
from leafward.core.tensor cimport TensorBase, array_of, fast_dtype, requires_grad
from leafward.core.from_array cimport new_tensor, tensor_from_result, view_of

cdef Runtime runtime
cdef unsigned int ANSWERED, LEVELS, UNRECORDED

@cython.locals(node=OpNode, result=TensorBase)
@cython.locals(node=OpNode, result=TensorBase)
cpdef TensorBase apply_unary(Op op, TensorBase x, unsigned int word)
@cython.locals(node=OpNode, result=TensorBase, mask=Py_ssize_t, other=TensorBase)
cpdef TensorBase apply_binary(Op op, TensorBase x, object y, unsigned int word)
cpdef bint is_cut(TensorBase x, unsigned int word)
cdef note_cut(Op op, TensorBase x, TensorBase y, TensorBase result, unsigned int word)
@cython.locals(source=TensorBase, recording=bint, wanted=bint)
cpdef apply_view(Op op, list values)
@cython.locals(position=Py_ssize_t)
cdef own_lists(list options)
@cython.locals(view=TensorBase)
cpdef TensorBase record_view(Op op, TensorBase source, list options, object array, bint recording)
cpdef call(Op op, object args, object kwargs, object out=*)
@cython.locals(mask=Py_ssize_t, word=cython.uint, recording=bint, output=TensorBase, inputs=list, arrays=list, options=list)
cpdef apply(Op op, list values)
@cython.locals(view=TensorBase, source=TensorBase)
cpdef finish_views(Op op, object mask, list inputs, object options, object result, bint recording)
cpdef list values_at(list values, tuple places)
@cython.locals(word=cython.uint, target=TensorBase)
cpdef write_unary(Op op, object x, object name)
@cython.locals(word=cython.uint, target=TensorBase, other=TensorBase)
cpdef write_binary(Op op, object x, object y, object name)
cpdef note_write(TensorBase target, object name)
@cython.locals(target=TensorBase, inputs=list, arrays=list, mask=Py_ssize_t, node=OpNode)
cpdef apply_inplace(Op op, list values, object name)
@cython.locals(target=TensorBase, arrays=list, mask=Py_ssize_t, node=OpNode, uniform=bint)
cpdef apply_writer(Op op, list values, list inputs)
cpdef note_cuts_of_write(Op op, list inputs, TensorBase target)
cpdef note_cut_of_write(Op op, TensorBase target, TensorBase source, unsigned int word)
cpdef carry(TensorBase target, object record)
cpdef note_cuts(Op op, object mask, list outputs, object record)
