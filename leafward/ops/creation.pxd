cdef bint is_integer(object value)
cpdef tuple spread_shape(object name, object args, object size)
cpdef tuple shape_of(object name, object size, object position=*)
