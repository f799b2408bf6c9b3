cimport cython
from leafward.core cimport modes
from leafward.core.call cimport note_cuts
from leafward.core.cuts cimport cut_by
from leafward.core.from_array cimport link_alias
from leafward.core.history cimport wants_grad
from leafward.core.native cimport allocate
from leafward.core.op cimport Op
from leafward.core.recording cimport any_differentiable, is_recorded, record
from leafward.core.runtime cimport Runtime
from leafward.core.storage cimport VersionCounter
from leafward.core.tensor cimport TensorBase, allocate_tensor, is_plain, requires_grad

cdef Runtime runtime
cdef unsigned int ANSWERED, UNRECORDED
cdef Py_ssize_t IN_INFERENCE, IN_NO_GRAD, MULTI_OUTPUT

cdef class Met:
    cdef public Op op
    cdef public list options, links, pieces
    cdef public object dtype

@cython.locals(word=cython.uint, source=TensorBase, found=tuple, met=Met, op=Op, recording=bint, wanted=bint)
cpdef known_views(object owner, tuple args, dict kwargs, object by)
@cython.locals(op=Op, wanted=bint)
cdef TensorBase one(Met met, TensorBase source, object array, bint recording)
@cython.locals(view=TensorBase, op=Op, number=Py_ssize_t)
cdef several(Met met, TensorBase source, list arrays, bint recording, bint wanted)
@cython.locals(view=TensorBase, link=tuple, kind=Py_ssize_t)
cdef TensorBase shown(Met met, TensorBase source, object array, Py_ssize_t number, bint recording)
@cython.locals(position=Py_ssize_t, tensor=TensorBase)
cdef tuple with_shapes(tuple args)
@cython.locals(met=Met, op=Op)
cdef Met met_of(TensorBase source, tuple parts, tuple found)
@cython.locals(source=TensorBase, met=Met)
cpdef note_views(object owner, tuple args, dict kwargs, object views, object by)
