cimport cython
from .tensor cimport TensorBase

@cython.freelist(64)
cdef class VersionCounter:
    cdef public unsigned long long version

cdef class Storage(VersionCounter):
    cdef public unsigned long long writes
    cdef public object owner
    cdef public list log
    cdef public bint escaped

@cython.freelist(64)
cdef class Write:
    cdef public object op, site, region, alias
    cdef public unsigned long long version, writes

@cython.freelist(64)
cdef class Alias:
    cdef public object kind, site, parent

cpdef record_write(TensorBase tensor, object op, object region=*)
