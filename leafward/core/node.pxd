cimport cython
from .plan cimport Plan, Step
from .runtime cimport Runtime
from .saved cimport Saved

cdef Runtime runtime
# Typed, so that comparing with them is a C comparison; `slots` gives the values.
cdef Py_ssize_t G, WANTED, FIRST_G

cdef class Node:
    cdef public tuple targets, numbers
    cdef public list values
    cdef public object site, shape, dtype, metas, hooks, notes, freed_by
    cdef public long long sequence
    cdef public bint takes_none, runs_user_code
    cdef object __weakref__

cdef class OpNode(Node):
    cdef public Plan plan
    @cython.locals(saved=Saved, values=list, plan=Plan, step=Step, ask=Py_ssize_t, args=list, unpacked=list, results=list, xp=object)
    cdef list run_rules(self, list grads, bint recorded, list wanted)
    cdef bint any_wanted(self, Step step, list wanted)
