cimport cython
from leafward.core.native cimport call_site
from leafward.core.runtime cimport Runtime

cdef Runtime runtime

@cython.freelist(256)
cdef class Pending:
    cdef public Py_ssize_t count
    cdef public object grad
    cdef public list grads
    cdef public bint owned

cdef class Call:
    cdef public object outside, site
    cdef public long long sequence, root
    cdef public Py_ssize_t number
