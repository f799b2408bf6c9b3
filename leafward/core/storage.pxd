cimport cython
from leafward.core.native cimport allocate, call_site
from leafward.core.runtime cimport Runtime

cdef Runtime runtime
cdef Py_ssize_t REMEMBERED, REMEMBERED_PARTS

@cython.freelist(64)
cdef class VersionCounter:
    cdef public unsigned long long version

cdef class Storage(VersionCounter):
    cdef public unsigned long long writes
    cdef public object owner
    cdef public list log
    cdef public object escaped, before, frozen
    cdef public bint kept

@cython.freelist(64)
cdef class Write:
    cdef public object op, site, region, alias, before
    cdef public unsigned long long version, writes
    cdef public long long sequence, number

@cython.freelist(64)
cdef class Alias:
    cdef public object kind, site
    cdef public list options
    cdef public Alias parent
    cdef public Py_ssize_t depth

@cython.locals(write=Write, log=list)
cpdef count_write(VersionCounter counter, Storage storage, object region, Alias alias, object op, object site)
cpdef record_write(object tensor, object op, object region=*)
cpdef record_writes(object tensors, object op)
