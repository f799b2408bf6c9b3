cpdef object allocate(object cls)
cpdef object allocate_by(object base, object cls)
cpdef object untrack(object value)
cpdef int set_attribute(object self, object name, object value) except -1
cpdef object current_state()
cpdef remember_state(object state)
cpdef forget_state(object state)
cpdef count_threads(int special, int levels, int inference)
cpdef bint fits_int64(object value)
cpdef Py_ssize_t address(object value) noexcept
cpdef object call_site()
cpdef object noted(object what)
cpdef note(object what, object site, object note)
cpdef forget_notes()
