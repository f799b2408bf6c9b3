from leafward.core cimport modes
from leafward.core.native cimport call_site
from leafward.core.runtime cimport Runtime

cdef Runtime runtime
