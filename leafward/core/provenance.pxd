from .runtime cimport Runtime

cdef Runtime runtime

cpdef call_site()
