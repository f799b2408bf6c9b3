cdef class Node:
    cdef public tuple _targets, _numbers
    cdef public list _values
    cdef public object _site, _shape, _dtype, _metas, _hooks, _notes, _freed_by, _cut
    cdef public long long _sequence
    cdef public bint _takes_none, _runs_user_code
    cdef object __weakref__
