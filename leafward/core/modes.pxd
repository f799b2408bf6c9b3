cimport cython
from leafward.core.native cimport count_threads, current_state, remember_state
from leafward.core.runtime cimport Runtime

cdef Runtime runtime
cdef unsigned int NO_GRAD, INFERENCE, ANOMALY, HOOKS, GUARD, PROFILER, FUNCTIONS, LEVELS, UNRECORDED

cdef class State:
    cdef public bint grad, inference, anomaly, check_nan, function_disabled
    cdef public unsigned int word
    cdef public list saved_hooks, function_modes, levels
    cdef public object saved_refusal, guard, backward, profiler, block, reached
    @cython.locals(word=cython.uint)
    cpdef unsigned int packed(self)
    cpdef changed(self)
    @cython.locals(was=cython.uint)
    cpdef set_word(self, unsigned int word)

cpdef State current()
@cython.locals(state=State)
cpdef unsigned int word()
cpdef bint in_inference()
cpdef bint grad_enabled()
cpdef set_grad_enabled(bint enabled)
@cython.locals(state=State, was=bint)
cpdef bint exchange_grad(bint enabled)
