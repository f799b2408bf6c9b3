# distutils: sources = leafward/arrays/kernels/search_loops.c
# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Places of values in sorted rows. None for what is not taken."""
from libc.stdint cimport int32_t, int64_t, uint8_t
cimport numpy as cnp

from leafward.arrays.creation import linspace
from leafward.arrays.kernels.rows_reduction import least_and_largest

cdef extern from "search_loops.h":
    enum: FLOATS, DOUBLES, INTS, LONGS
    ctypedef struct search_job:
        const void* rows
        const void* values
        void* places
        Py_ssize_t outer, n, wanted
        int kind, one_row, right, short_places
    int prepare_search() except -1
    void search_rows(search_job* job) noexcept nogil

cnp.import_array()
prepare_search()


cdef int kind_of(object x) noexcept:
    """The kind of the elements of ``x``, a row-major array that has some; else -1."""
    cdef int kind
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISCARRAY_RO(<cnp.ndarray> x) or cnp.PyArray_SIZE(<cnp.ndarray> x) == 0:
        return -1
    kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    return FLOATS if kind == cnp.NPY_FLOAT32 else DOUBLES if kind == cnp.NPY_FLOAT64 else INTS if kind == cnp.NPY_INT32 \
        else LONGS if kind == cnp.NPY_INT64 else -1


def places_in_sorted(sequence, values, sorter, bint right, bint out_int32):
    """The forward of ``_searchsorted``."""
    cdef search_job job
    cdef int d, ndim
    job.kind = kind_of(sequence)
    if sorter is not None or job.kind < 0 or kind_of(values) != job.kind or cnp.PyArray_NDIM(<cnp.ndarray> sequence) == 0:
        return None
    ndim = cnp.PyArray_NDIM(<cnp.ndarray> sequence)
    job.one_row, job.n = ndim == 1, cnp.PyArray_DIM(<cnp.ndarray> sequence, ndim - 1)
    if out_int32 and job.n >= 0x7fffffff:
        return None
    if not job.one_row:
        if cnp.PyArray_NDIM(<cnp.ndarray> values) != ndim:
            return None
        for d in range(ndim - 1):
            if cnp.PyArray_DIM(<cnp.ndarray> values, d) != cnp.PyArray_DIM(<cnp.ndarray> sequence, d):
                return None
    job.wanted = cnp.PyArray_SIZE(<cnp.ndarray> values) if job.one_row else cnp.PyArray_DIM(<cnp.ndarray> values, ndim - 1)
    job.outer = 1 if job.one_row else cnp.PyArray_SIZE(<cnp.ndarray> values) // job.wanted
    places = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(<cnp.ndarray> values), cnp.PyArray_DIMS(<cnp.ndarray> values),
                               cnp.NPY_INT32 if out_int32 else cnp.NPY_INT64, 0)
    job.rows, job.values = cnp.PyArray_DATA(<cnp.ndarray> sequence), cnp.PyArray_DATA(<cnp.ndarray> values)
    job.places, job.right, job.short_places = cnp.PyArray_DATA(<cnp.ndarray> places), right, out_int32
    with nogil:
        search_rows(&job)
    return places


ctypedef fused number:
    float
    double
    int32_t
    int64_t

#: Each of so few is compared with all elements: to sort them takes longer.
DEF FEW = 24


cdef void compare_all(const number* x, Py_ssize_t n, const number* tests, Py_ssize_t count, uint8_t* found) noexcept nogil:
    cdef Py_ssize_t i, k
    cdef number test
    for i in range(n):
        found[i] = 0
    for k in range(count):
        test = tests[k]
        for i in range(n):
            found[i] |= x[i] == test


cdef void compare_found(const number* x, Py_ssize_t n, const number* tests, Py_ssize_t count, const int64_t* places,
                        uint8_t* found) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        found[i] = places[i] < count and tests[places[i]] == x[i]


cdef void compare(const number* x, Py_ssize_t n, const number* tests, Py_ssize_t count, const int64_t* places, uint8_t* found,
                  bint invert) noexcept nogil:
    cdef Py_ssize_t i
    if places == NULL:
        compare_all(x, n, tests, count, found)
    else:
        compare_found(x, n, tests, count, places, found)
    if invert:
        for i in range(n):
            found[i] ^= 1


def among(elements, test_elements, assume_unique=False, bint invert=False):
    """The forward of ``isin``."""
    cdef int kind = kind_of(elements)
    cdef Py_ssize_t n, count
    cdef const int64_t* at = NULL
    cdef uint8_t* found
    if kind < 0 or kind_of(test_elements) != kind:
        return None
    n, count = cnp.PyArray_SIZE(<cnp.ndarray> elements), cnp.PyArray_SIZE(<cnp.ndarray> test_elements)
    if count > FEW:
        test_elements = test_elements.reshape(-1).copy()
        test_elements.sort()
        places = places_in_sorted(test_elements, elements, None, False, False)
        at = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> places)
    out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(<cnp.ndarray> elements), cnp.PyArray_DIMS(<cnp.ndarray> elements), cnp.NPY_BOOL, 0)
    found = <uint8_t*> cnp.PyArray_DATA(<cnp.ndarray> out)
    x, tests = cnp.PyArray_DATA(<cnp.ndarray> elements), cnp.PyArray_DATA(<cnp.ndarray> test_elements)
    with nogil:
        if kind == FLOATS:
            compare[float](<const float*> x, n, <const float*> tests, count, at, found, invert)
        elif kind == DOUBLES:
            compare[double](<const double*> x, n, <const double*> tests, count, at, found, invert)
        elif kind == INTS:
            compare[int32_t](<const int32_t*> x, n, <const int32_t*> tests, count, at, found, invert)
        else:
            compare[int64_t](<const int64_t*> x, n, <const int64_t*> tests, count, at, found, invert)
    return out


def edges_around(values, bins, number):
    """The forward of ``_edges_around``."""
    cdef double low, high
    found = least_and_largest(values) if type(bins) is int and 0 < bins < 1 << 30 else None
    if found is None:
        return None
    low, high = found[0], found[1]
    if not low < high or low - low != 0 or high - high != 0:        # the forward knows what to do, or to say
        return None
    return linspace(low, high, bins + 1, values.dtype)
