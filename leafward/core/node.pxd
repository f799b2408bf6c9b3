cimport cython
from leafward.core.plan cimport Plan, Step
from leafward.core.runtime cimport Runtime
from leafward.core.saved cimport Saved

cdef Runtime runtime
# Typed, so that comparing with them is a C comparison; `slot_codes` gives the values.
cdef Py_ssize_t ASK_GRAD, ASK_WANTED, ASK_OUTPUT_GRAD

cdef class Node:
    cdef public tuple _targets, _numbers
    cdef public list _values
    cdef public object _site, _shape, _dtype, _metas, _hooks, _notes, _freed_by
    cdef public long long _sequence
    cdef public bint _takes_none, _runs_user_code
    cdef object __weakref__

cdef class OpNode(Node):
    cdef public Plan _plan
    cdef public Py_ssize_t _given
    @cython.locals(saved=Saved, values=list, plan=Plan, step=Step, unpacked=list, results=list, kept=list, xp=object)
    cdef list run_rules(self, list grads, bint recorded, list wanted)
    @cython.locals(ask=Py_ssize_t, args=list)
    cdef list arguments(self, Step step, list kept, list grads)
    cdef release_saved(self, object call)
    cdef bint gives_half(self)
    cdef bint any_wanted(self, Step step, list wanted)
