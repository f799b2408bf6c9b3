cimport cython
from leafward.core cimport modes
from leafward.core.call cimport apply, apply_inplace, apply_view, carry, note_write
from leafward.core.cuts cimport cut_of, merged
from leafward.core.inplace cimport is_free
from leafward.core.known_calls cimport Row, known_write, row_of, tensor_of
from leafward.core.known_views cimport known_views, note_views
from leafward.core.native cimport allocate
from leafward.core.op cimport Op
from leafward.core.runtime cimport Runtime
from leafward.core.tensor cimport TensorBase, is_plain, requires_grad

cdef Runtime runtime
cdef unsigned int ANSWERED, UNRECORDED

cdef class CompositeCalls:
    cdef public object known, recorded
    cdef public dict outcomes
    cdef public int failures, lost
    cdef public Py_ssize_t learned, written
    cdef public bint untold

cdef class Outcome:
    cdef public list made, views, written, firsts
    cdef public object result, cuts
    cdef public Py_ssize_t slots

cdef class Way:
    cdef public list steps, asked
    cdef public object result

cdef class Part:
    cdef public int kind, number
    cdef public Py_ssize_t position

@cython.locals(word=cython.uint, recording=bint, cut=bint, row=Row, outcome=Outcome, given=list, made=list, views=list,
               tensor=TensorBase, position=Py_ssize_t)
cpdef known_composite(CompositeCalls calls, tuple args, dict kwargs)
@cython.locals(row=Row, way=Way, made=list, bound=list, values=list)
cpdef recorded_composite(CompositeCalls calls, tuple args, dict kwargs)
@cython.locals(stands=Part)
cdef filled(object value, list given, list made)
cpdef new_composite_calls()
@cython.locals(target=TensorBase, tensor=TensorBase, position=Py_ssize_t, other=Py_ssize_t)
cdef bint all_free(Py_ssize_t written, list tensors, unsigned int word)
cdef bint any_wants(object values)
cdef view_by(Op op, tuple values)
cpdef part_of(Part part, list given, list made, list views)
cpdef handed(object pattern, list given, list made, list views)
@cython.locals(records=list, tensor=TensorBase, slot=Py_ssize_t, position=Py_ssize_t, carrier=Py_ssize_t, by_part=bint)
cdef carry_cuts(Outcome outcome, list given, list made, bint recording)
