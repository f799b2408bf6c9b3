cimport cython
from leafward.core.native cimport allocate_by, set_attribute
from leafward.core.runtime cimport Runtime
from leafward.core.storage cimport Storage, VersionCounter

cdef Runtime runtime

cdef class TensorBase:
    cdef public object _array, _dtype, _node, _grad, _base, _chain, _alias, _hooks, _retained_at, _accumulator, _relocate, _cut
    cdef public Storage _storage
    cdef public VersionCounter _counter
    cdef public Py_ssize_t _output_nr, _creation
    cdef public long long _history_version
    cdef public bint _requires_grad, _inference

cpdef TensorBase allocate_tensor(object cls)
cpdef bint is_plain(object x)
@cython.locals(tensor=TensorBase)
cpdef object fast_dtype(object x)
cpdef object array_of(TensorBase tensor)

@cython.locals(base=TensorBase)
cpdef bint requires_grad(TensorBase tensor)
