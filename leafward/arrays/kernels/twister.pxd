cimport numpy as cnp
from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef enum:
    BLOCK = 624

ctypedef fused real:
    float
    double

cdef class Twister:
    cdef uint32_t key[BLOCK]
    cdef int position
    cdef public object next_normal, noted

    cpdef start(self, uint32_t seed)
    cpdef tuple get_key(self)
    cpdef set_key(self, cnp.ndarray key, int position)
    cdef int note(self, object drawn) except -1
    cdef uint32_t word(self) noexcept nogil
    cdef uint64_t word64(self) noexcept nogil
    cdef double uniform(self) noexcept nogil
    cdef double normal(self) except? -1
    cdef int ready(self, Py_ssize_t wanted) noexcept nogil
    cdef void fill(self, uint32_t* to, Py_ssize_t n) noexcept nogil
    cdef void floats(self, float* to, Py_ssize_t n) noexcept nogil
    cdef void integers(self, int64_t* to, Py_ssize_t n, int64_t low, uint32_t count) noexcept nogil
    cpdef words(self, Py_ssize_t n)
    cpdef uniform24(self, Py_ssize_t n)
    cpdef words64(self, Py_ssize_t n)
    cpdef uniform53(self, Py_ssize_t n)
    cpdef below53(self, Py_ssize_t n, uint64_t limit)
    cpdef normals(self, Py_ssize_t n)
    cpdef shuffled(self, Py_ssize_t n)
    cdef void shuffle(self, int64_t* order, Py_ssize_t n) noexcept nogil
    cpdef bint fill_few(self, int distribution, object x, double a, double b) except -1
    cpdef bint fill_each(self, object x, object p) except -1
    cdef bint each(self, real* to, const real* p, Py_ssize_t n) except -1
    cdef bint few(self, int distribution, real* to, Py_ssize_t n, double a, double b) except -1
    cdef void blocks(self, int distribution, real* to, Py_ssize_t n, double a, double b) noexcept nogil
    cdef scaled_normals(self, real* to, Py_ssize_t n, double mean, double std)
    cdef log_normals(self, real* to, Py_ssize_t n, double mean, double std)
    cdef int normal_blocks(self, float* to, Py_ssize_t n, float mean, float std) except -1
    cdef void sixteens(self, float* to, Py_ssize_t n, float mean, float std) noexcept nogil
    cpdef object normals_around(self, object mean, object std)
    cpdef object ramp_slopes(self, object x, double low, double high)
    cdef void slopes(self, const real* x, real* to, Py_ssize_t n, double low, double high) noexcept
