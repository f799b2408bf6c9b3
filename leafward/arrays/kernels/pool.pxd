# How Cython kernels reach leafward's threads: `cimport` these, and call `import_pool()` once in the module. See pool.h.
cdef extern from "pool.h":
    ctypedef void (*share_function)(void* job, Py_ssize_t number) noexcept nogil
    int import_pool() except -1
    void each_share(share_function run, void* job, Py_ssize_t count) noexcept nogil
    Py_ssize_t shares_of(Py_ssize_t n, Py_ssize_t size) noexcept nogil
