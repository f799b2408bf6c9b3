# cython: boundscheck=False, wraparound=False, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/mask_loops.c
"""Where masks are true and what they choose, and how often numbers occur. None for what they do not take."""
from libc.math cimport isfinite
from libc.stdint cimport int64_t, uint8_t
cimport numpy as cnp

import numpy as np

from leafward.arrays.kernels.row_arrays cimport in_order, width_of

cdef extern from "mask_loops.h":
    Py_ssize_t count_true(const uint8_t* mask, Py_ssize_t n) noexcept nogil
    void true_places(const uint8_t* mask, int ndim, const Py_ssize_t* shape, Py_ssize_t total, int64_t* out) noexcept nogil
    void choose(const char* x, const uint8_t* mask, Py_ssize_t n, Py_ssize_t total, int itemsize, char* out) noexcept nogil
    void number_range(const int64_t* x, Py_ssize_t n, int64_t* least, int64_t* largest) noexcept nogil
    void count_numbers(const int64_t* x, Py_ssize_t n, int64_t* counts) noexcept nogil
    void add_weights(const int64_t* x, const void* weights, int wide, Py_ssize_t n, double* totals) noexcept nogil
    void count_in_bins(const void* x, int wide, Py_ssize_t n, double low, double high, Py_ssize_t bins, int64_t* counts) noexcept nogil

cnp.import_array()


cdef inline bint is_mask(object x) noexcept:
    return cnp.PyArray_CheckExact(x) and cnp.PyArray_TYPE(<cnp.ndarray> x) == cnp.NPY_BOOL


def true_rows(x):
    """The forward of ``nonzero``: a row for each element that is not zero, its places along the dims."""
    cdef Py_ssize_t n, total
    cdef cnp.npy_intp shape[2]
    cdef cnp.npy_intp* sizes
    if not cnp.PyArray_CheckExact(x) or cnp.PyArray_NDIM(<cnp.ndarray> x) == 0:
        return None
    x = in_order(x if is_mask(x) else np.not_equal(x, 0))
    n = cnp.PyArray_SIZE(<cnp.ndarray> x)
    total = count_true(<const uint8_t*> cnp.PyArray_DATA(<cnp.ndarray> x), n)
    shape[0], shape[1] = cnp.PyArray_NDIM(<cnp.ndarray> x), total
    out, sizes = cnp.PyArray_EMPTY(2, shape, cnp.NPY_INT64, 0), cnp.PyArray_DIMS(<cnp.ndarray> x)
    with nogil:
        true_places(<const uint8_t*> cnp.PyArray_DATA(<cnp.ndarray> x), <int> shape[0], <const Py_ssize_t*> sizes, total,
                    <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> out))
    return out.T


def chosen_by_mask(x, mask):
    """The forward of ``masked_select``, for a mask of the shape of ``x``."""
    cdef Py_ssize_t n, total
    cdef cnp.npy_intp size
    cdef int itemsize
    if not is_mask(mask) or not cnp.PyArray_CheckExact(x) or x.shape != mask.shape or x.dtype.kind == "O":
        return None
    itemsize = cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    if itemsize not in (1, 2, 4, 8):
        return None
    x, mask = in_order(x), in_order(mask)
    n = cnp.PyArray_SIZE(<cnp.ndarray> x)
    size = total = count_true(<const uint8_t*> cnp.PyArray_DATA(<cnp.ndarray> mask), n)
    out = np.empty(size, x.dtype)
    with nogil:
        choose(<const char*> cnp.PyArray_DATA(<cnp.ndarray> x), <const uint8_t*> cnp.PyArray_DATA(<cnp.ndarray> mask), n, total,
               itemsize, <char*> cnp.PyArray_DATA(<cnp.ndarray> out))
    return out


def counts_of_numbers(x, weights, minlength):
    """The forward of ``bincount``."""
    cdef int64_t least, largest
    cdef Py_ssize_t n
    cdef int width = 0
    if not cnp.PyArray_CheckExact(x) or cnp.PyArray_TYPE(<cnp.ndarray> x) != cnp.NPY_INT64 or cnp.PyArray_NDIM(<cnp.ndarray> x) != 1 \
            or type(minlength) is not int or minlength < 0:
        return None
    if weights is not None:
        width = width_of(weights)
        if width == 0 or weights.shape != x.shape:
            return None
        weights = in_order(weights)
    x = in_order(x)
    n = cnp.PyArray_SIZE(<cnp.ndarray> x)
    if n == 0:
        return None
    number_range(<const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> x), n, &least, &largest)
    if least < 0 or largest > 1 << 40:                      # the paragraph refuses the one, NumPy tells what is too much
        return None
    out = np.zeros(max(largest + 1, minlength), np.int64 if weights is None else np.float64)
    with nogil:
        if width == 0:
            count_numbers(<const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> x), n, <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> out))
        else:
            add_weights(<const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> x), cnp.PyArray_DATA(<cnp.ndarray> weights), width == 8, n,
                        <double*> cnp.PyArray_DATA(<cnp.ndarray> out))
    return out.astype(np.float32) if width == 4 else out


def counts_in_bins(x, bins, low, high):
    """The forward of ``histc``."""
    cdef int width = width_of(x)
    cdef Py_ssize_t n
    cdef double first, last
    cdef Py_ssize_t many
    if width == 0 or type(bins) is not int or not 0 < bins < 1 << 40 or type(low) not in (int, float) or type(high) not in (int, float):
        return None
    x, many = in_order(x), bins
    n = cnp.PyArray_SIZE(<cnp.ndarray> x)
    first, last = low, high
    if n == 0 or first > last:
        return None
    if first == last:
        first, last = np.min(x), np.max(x)
    if first == last:
        first, last = first - 1, last + 1
    if not isfinite(first) or not isfinite(last):
        return None
    counts = np.zeros(many, np.int64)
    with nogil:
        count_in_bins(cnp.PyArray_DATA(<cnp.ndarray> x), width == 8, n, first, last, many, <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> counts))
    return counts.astype(x.dtype)
