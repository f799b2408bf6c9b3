cimport cython
from leafward.core.modes cimport grad_enabled
from leafward.core.op cimport Op
from leafward.core.plan cimport Plan, plan_for, save
from leafward.core.node cimport Node, OpNode
from leafward.core.native cimport allocate, call_site
from leafward.core.runtime cimport Runtime, quietly
from leafward.core.tensor cimport TensorBase, array_of, is_plain, requires_grad
from leafward.core.from_array cimport new_tensor, tensor_from_result, view_of

cdef Runtime runtime

cpdef bint wants_grad(TensorBase tensor)
cpdef begin(Node node)
cdef object gradient_target(TensorBase tensor)
@cython.locals(a=TensorBase, b=TensorBase)
cdef connect_pair(Node node, TensorBase x, object y)
@cython.locals(ends=list, numbers=list, position=Py_ssize_t, tensor=TensorBase)
cpdef connect(Node node, object inputs)
@cython.locals(mask=Py_ssize_t, position=Py_ssize_t)
cpdef Py_ssize_t wanted_mask(Op op, list inputs)
@cython.locals(plan=Plan)
cpdef record(Op op, object mask, object inputs, object options, object outputs, object residuals, bint in_place)
@cython.locals(position=Py_ssize_t, mask=Py_ssize_t, found=bint)
cdef Py_ssize_t tensors_among(object inputs)
@cython.locals(t=TensorBase)
cpdef describe_outputs(Op op, Node node, object outputs)
@cython.locals(node=OpNode, result=TensorBase)
cpdef TensorBase apply_unary(Op op, TensorBase x)
@cython.locals(node=OpNode, result=TensorBase, mask=Py_ssize_t, paired=bint)
cpdef TensorBase apply_binary(Op op, TensorBase x, object y)
cpdef call(Op op, object args, object kwargs, object out=*)
@cython.locals(index=Py_ssize_t, position=Py_ssize_t)
cpdef list check_inputs(Op op, list values)
@cython.locals(position=Py_ssize_t, tensor=TensorBase)
cdef one_dtype(Op op, list inputs)
@cython.locals(position=Py_ssize_t)
cpdef common_dtype(Op op, list inputs, list values)
@cython.locals(position=Py_ssize_t)
cpdef list arrays_of(Op op, list inputs, list values)
@cython.locals(tensor=TensorBase)
cdef exact_dtype(object value, object dtype)
@cython.locals(tensor=TensorBase)
cpdef as_array(object value, object dtype)
cpdef run_forward(Op op, list values, list inputs, list arrays, object mask)
@cython.locals(position=Py_ssize_t)
cdef bint holds_two_bytes(list arrays)
@cython.locals(args=list, index=Py_ssize_t, position=Py_ssize_t)
cpdef run_on(Op op, list values, list arrays, object mask)
@cython.locals(position=Py_ssize_t)
cdef bint all_plain(list inputs)
cpdef list values_at(list values, tuple places)
@cython.locals(mask=Py_ssize_t, output=TensorBase, inputs=list, arrays=list, options=list)
cpdef apply(Op op, list values)
cpdef bint may_differ(Op op, Py_ssize_t number, TensorBase output)
cpdef bint any_differentiable(Op op, object outputs)
@cython.locals(view=TensorBase)
cpdef TensorBase record_view(Op op, TensorBase source, list options, object array)
@cython.locals(source=TensorBase)
cdef bint is_recorded(Op op, TensorBase view)
cpdef TensorBase apply_view(Op op, list values)
@cython.locals(view=TensorBase, source=TensorBase)
cpdef finish_views(Op op, object mask, list inputs, object options, object result, bint recording)
