cimport cython
from leafward.core.native cimport untrack
from leafward.core.op cimport Op
from leafward.core.runtime cimport Runtime
from leafward.core.saved cimport Saved, keep, meta_of
from leafward.core.tensor cimport TensorBase

cdef Runtime runtime
# Typed, so that comparing with them is a C comparison.
cdef Py_ssize_t INPUT, INPUT_META, OUTPUT, OUTPUT_META, RESIDUAL, OPTION, ASK_GRAD, ASK_NAMESPACE, ASK_WANTED, ASK_OUTPUT_GRAD

cdef class Step:
    cdef public object function, serves, kernel, take, tapes
    cdef public bint joint
    cdef public tuple asks, operands
    cdef public Py_ssize_t first

cdef class Plan:
    cdef public Op op
    cdef public object mask
    cdef public list slots, steps, keeps_input
    cdef public bint saves_tensors, widens
    cdef public Py_ssize_t variadic_at, width
    cdef public tuple wanted

cpdef Plan plan_for(Op op, object mask)

@cython.locals(kind=Py_ssize_t, position=Py_ssize_t)
cpdef list save(Plan plan, object inputs, object options, object outputs, object residuals, bint in_place)
