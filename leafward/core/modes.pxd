from leafward.core.runtime cimport Runtime

cdef Runtime runtime

cdef class State:
    cdef public bint grad, inference, anomaly, check_nan, function_disabled, counted
    cdef public list saved_hooks, function_modes, levels
    cdef public object saved_refusal, guard, backward, profiler
    cpdef bint is_default(self)
    cpdef changed(self)

cpdef bint grad_enabled()
cpdef set_grad_enabled(bint enabled)
