# distutils: sources = leafward/arrays/kernels/reduce_loops.c
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sums, products, extremes, norms, means and variances along dims that are neighbours: None for what they do not take."""
from libc.math cimport INFINITY
from libc.stdint cimport int64_t
cimport numpy as cnp
from cython cimport floating

import numpy as np

from leafward.arrays.kernels.row_arrays cimport around, in_order, lie_apart, like, same_shape, width_of

cdef extern from "reduce_loops.h":
    ctypedef struct reduce_job:
        const void* x
        void* out
        Py_ssize_t outer, n, inner
        int kind
        double divisor
        int64_t* places
    enum: SUM, MEAN, NUMBERS, SIZES, ROOT_OF_SQUARES, PRODUCT, LARGEST, SMALLEST, LARGEST_SIZE, VARIANCE, DEVIATION
    int prepare_reduce() except -1
    int reduce_loops(reduce_job* job, int wide) noexcept nogil
    int reduce_both(reduce_job* one, reduce_job* other, int wide) noexcept nogil
    void place_loops(reduce_job* job, int wide) noexcept nogil

cnp.import_array()
prepare_reduce()

#: Of so few columns a vector has no use for, and of so many rows NumPy makes better use.
DEF NARROW = 8


cdef object prepared(reduce_job* job, object x, object dim, object keepdim, int kind, double correction):
    """The result that ``job`` is about to fill; None for what it does not take."""
    cdef cnp.npy_intp sizes[32]
    cdef int d, ndim, first, last, kept = 0, width = width_of(x)
    if width == 0 or not cnp.PyArray_IS_C_CONTIGUOUS(x) or cnp.PyArray_SIZE(x) == 0 or type(keepdim) is not bool:
        return None
    ndim = cnp.PyArray_NDIM(x)
    if ndim == 0 or ndim > 32:
        return None
    if type(dim) is tuple and len(dim) == 1:
        dim = dim[0]
    if dim is None:
        first, last = 0, ndim - 1
    elif type(dim) is int:
        if dim >= ndim or dim < -ndim:
            return None
        first = last = dim if dim >= 0 else dim + ndim
    else:
        return None
    job.outer = job.n = job.inner = 1
    for d in range(ndim):
        if d < first:
            job.outer *= cnp.PyArray_DIM(x, d)
        elif d <= last:
            job.n *= cnp.PyArray_DIM(x, d)
        else:
            job.inner *= cnp.PyArray_DIM(x, d)
        if keepdim or d < first or d > last:
            sizes[kept] = 1 if first <= d <= last else cnp.PyArray_DIM(x, d)
            kept += 1
    job.divisor = job.n - correction
    if (1 < job.inner < NARROW and job.n > 1024) or job.divisor <= 0:       # the declaration warns of too few
        return None
    out = cnp.PyArray_EMPTY(kept, sizes, cnp.PyArray_TYPE(x), 0)
    if kind == ROOT_OF_SQUARES and job.n == 1:      # a square may be more or less than any number
        kind = SIZES
    job.x, job.out, job.kind = cnp.PyArray_DATA(x), cnp.PyArray_DATA(out), kind
    return out


cdef object reduce(object x, object dim, object keepdim, int kind, double correction):
    cdef reduce_job job
    cdef int failed, width = width_of(x)
    out = prepared(&job, x, dim, keepdim, kind, correction)
    if out is None:
        return None
    with nogil:
        failed = reduce_loops(&job, width == 8)
    if failed:
        raise MemoryError("no memory for the sums of a reduction")
    return out


cdef bint is_own(object x, object dtype):
    """Whether ``dtype``, if it is asked for, is what ``x`` has."""
    return dtype is None or cnp.PyArray_CheckExact(x) and dtype.name == x.dtype.name


def sum_along(x, dim=None, keepdim=False, dtype=None):
    """The forward of ``sum``."""
    return reduce(x, dim, keepdim, SUM, 0) if is_own(x, dtype) else None


def mean_along(x, dim=None, keepdim=False, dtype=None):
    """The forward of ``mean``."""
    return reduce(x, dim, keepdim, MEAN, 0) if is_own(x, dtype) else None


def product_along(x, dim=None, keepdim=False, dtype=None):
    """The forward of ``prod``."""
    return reduce(x, dim, keepdim, PRODUCT, 0) if is_own(x, dtype) else None


def numbers_along(x, dim=None, keepdim=False, dtype=None):
    """The forward of ``nansum``."""
    return reduce(x, dim, keepdim, NUMBERS, 0) if is_own(x, dtype) else None


def largest_along(x, dim=(), keepdim=False):
    """The forward of ``amax`` and, without ``dim``, of the largest of all."""
    return reduce(x, None if dim == () else dim, keepdim, LARGEST, 0)


def smallest_along(x, dim=(), keepdim=False):
    """The forward of ``amin`` and, without ``dim``, of the smallest of all."""
    return reduce(x, None if dim == () else dim, keepdim, SMALLEST, 0)


def size_along(x, ord=2, dim=None, keepdim=False, dtype=None):
    """The forward of a vector's norm of order 1, 2 or infinity."""
    if not is_own(x, dtype) or type(ord) not in (int, float) or dim == ():
        return None
    if ord == 2:
        return reduce(x, dim, keepdim, ROOT_OF_SQUARES, 0)
    return reduce(x, dim, keepdim, SIZES, 0) if ord == 1 else reduce(x, dim, keepdim, LARGEST_SIZE, 0) if ord == float("inf") else None


def _extremes_with_places(x, dim, bint keepdim, bint largest):
    """The largest or the smallest along ``dim`` and the first place of each; ``rows_order.pyx`` has other types."""
    cdef reduce_job job
    cdef cnp.npy_intp sizes[32]
    cdef int d, at, kept = 0, ndim, width = width_of(x)
    if width == 0 or cnp.PyArray_NDIM(x) > 32 or not around(x, dim, &job.outer, &job.n, &job.inner) or job.n >= 0x7fffffff:
        return None
    x, ndim = in_order(x), cnp.PyArray_NDIM(x)
    at = dim if dim >= 0 else dim + ndim
    for d in range(ndim):
        if keepdim or d != at:
            sizes[kept] = 1 if d == at else cnp.PyArray_DIM(x, d)
            kept += 1
    out, places = cnp.PyArray_EMPTY(kept, sizes, cnp.PyArray_TYPE(x), 0), cnp.PyArray_EMPTY(kept, sizes, cnp.NPY_INT64, 0)
    job.x, job.out, job.places = cnp.PyArray_DATA(x), cnp.PyArray_DATA(out), <int64_t*> cnp.PyArray_DATA(places)
    job.kind = LARGEST if largest else SMALLEST
    with nogil:
        place_loops(&job, width == 8)
    return out, places


def variance_along(x, dim, correction, keepdim):
    """The forward of the variance."""
    return reduce(x, dim, keepdim, VARIANCE, correction) if type(correction) in (int, float) else None


def deviation_along(x, dim, correction, keepdim):
    """The forward of the standard deviation."""
    return reduce(x, dim, keepdim, DEVIATION, correction) if type(correction) in (int, float) else None


def variance_and_mean(x, dim, correction, keepdim):
    """The forward of the variance and the mean."""
    variance = variance_along(x, dim, correction, keepdim)
    return None if variance is None else (variance, reduce(x, dim, keepdim, MEAN, 0))


def deviation_and_mean(x, dim, correction, keepdim):
    """The forward of the standard deviation and the mean."""
    deviation = deviation_along(x, dim, correction, keepdim)
    return None if deviation is None else (deviation, reduce(x, dim, keepdim, MEAN, 0))


def least_and_largest(x, dim=None, keepdim=False):
    """The forward of ``aminmax``."""
    cdef reduce_job first, second
    cdef int failed, width = width_of(x)
    least = prepared(&first, x, dim, keepdim, SMALLEST, 0)
    if least is None:
        return None
    largest = prepared(&second, x, dim, keepdim, LARGEST, 0)
    with nogil:
        failed = reduce_both(&first, &second, width == 8)
    if failed:
        raise MemoryError("no memory for the extremes of a reduction")
    return least, largest


cdef bint factors_of(floating* norms, Py_ssize_t count, floating most) noexcept nogil:
    """From norms to what their slices are multiplied by; False where one is infinite, whose zero is left to the forward."""
    cdef Py_ssize_t k
    for k in range(count):
        if norms[k] == <floating> INFINITY:
            return False
        norms[k] = most / (norms[k] + <floating> 1e-7) if norms[k] > most else 1
    return True


cdef void scale_rows(const floating* x, const floating* factors, floating* out, Py_ssize_t rows, Py_ssize_t n, bint by_row) noexcept nogil:
    cdef Py_ssize_t i, k
    cdef floating factor
    for i in range(rows):
        if by_row:
            factor = factors[i]
            for k in range(n):
                out[i * n + k] = x[i * n + k] * factor
        else:
            for k in range(n):
                out[i * n + k] = x[i * n + k] * factors[k]


def renormalized(x, p, dim, maxnorm, out=None):
    """The forward of ``renorm`` for rows and columns."""
    cdef bint wide, fits
    if width_of(x) == 0 or cnp.PyArray_NDIM(x) != 2 or type(dim) is not int or not -2 <= dim < 2 or p not in (1, 2) \
            or type(maxnorm) not in (int, float) or not 0 <= maxnorm < 3e38:
        return None
    norms = reduce(x, 1 - dim % 2, True, SIZES if p == 1 else ROOT_OF_SQUARES, 0)
    if norms is None:
        return None
    wide = width_of(x) == 8
    if wide:
        fits = factors_of[double](<double*> cnp.PyArray_DATA(norms), cnp.PyArray_SIZE(norms), maxnorm)
    else:
        fits = factors_of[float](<float*> cnp.PyArray_DATA(norms), cnp.PyArray_SIZE(norms), maxnorm)
    if not fits:
        return None
    if not cnp.PyArray_IS_C_CONTIGUOUS(x) or (out is not None and (
            width_of(out) != width_of(x) or not cnp.PyArray_IS_C_CONTIGUOUS(out) or not same_shape(x, out)
            or (cnp.PyArray_DATA(x) != cnp.PyArray_DATA(out) and not lie_apart(x, out)))):
        return np.multiply(x, norms, out=out)
    if out is None:
        out = like(x)
    if wide:
        scale_rows[double](<const double*> cnp.PyArray_DATA(x), <const double*> cnp.PyArray_DATA(norms), <double*> cnp.PyArray_DATA(out),
                           x.shape[0], x.shape[1], dim % 2 == 0)
    else:
        scale_rows[float](<const float*> cnp.PyArray_DATA(x), <const float*> cnp.PyArray_DATA(norms), <float*> cnp.PyArray_DATA(out),
                          x.shape[0], x.shape[1], dim % 2 == 0)
    return out
