cimport cython
from leafward.core cimport modes
from leafward.core.native cimport allocate, call_site
from leafward.core.runtime cimport Runtime
from leafward.core.storage cimport Storage, VersionCounter
from leafward.core.tensor cimport TensorBase, allocate_tensor, array_of, requires_grad

cdef Runtime runtime
cdef unsigned int HOOKS, LEVELS

@cython.freelist(256)
cdef class Saved:
    cdef public object array, node, dtype, packed, alias, level_copy, seal
    cdef public TensorBase leaf
    cdef public VersionCounter counter
    cdef public Storage storage
    cdef public unsigned long long version, writes
    cdef public Py_ssize_t output_nr, creation, escapes
    cdef public bint is_output
    cpdef unpack(self, object node, bint recorded)

@cython.locals(saved=Saved, word=cython.uint)
cpdef Saved keep(TensorBase tensor, bint is_output, Py_ssize_t output_nr)

cpdef meta_of(object value)
