# distutils: sources = leafward/arrays/kernels/reduce_loops.c
# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Sums, means and variances along dims that are neighbours: None for what they do not take. The loops are in C."""
cimport numpy as cnp

from leafward.arrays.kernels.row_arrays cimport width_of

cdef extern from "reduce_loops.h":
    ctypedef struct reduce_job:
        const void* x
        void* out
        Py_ssize_t outer, n, inner
        int kind
        double divisor
    enum: SUM, MEAN, VARIANCE, DEVIATION
    int prepare_reduce() except -1
    int reduce_loops(reduce_job* job, int wide) noexcept nogil

cnp.import_array()
prepare_reduce()

#: Of so few columns a vector has no use for, and of so many rows NumPy makes better use.
DEF NARROW = 8


cdef object reduce(object x, object dim, object keepdim, int kind, double correction):
    cdef reduce_job job
    cdef cnp.npy_intp sizes[32]
    cdef int d, ndim, first, last, kept = 0, failed, width = width_of(x)
    if width == 0 or not cnp.PyArray_IS_C_CONTIGUOUS(x) or cnp.PyArray_SIZE(x) == 0 or type(keepdim) is not bool:
        return None
    ndim = cnp.PyArray_NDIM(x)
    if ndim == 0 or ndim > 32:
        return None
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
    job.x, job.out, job.kind = cnp.PyArray_DATA(x), cnp.PyArray_DATA(out), kind
    with nogil:
        failed = reduce_loops(&job, width == 8)
    if failed:
        raise MemoryError("no memory for the sums of a reduction")
    return out


def sum_along(x, dim=None, keepdim=False, dtype=None):
    """The forward of ``sum``."""
    return reduce(x, dim, keepdim, SUM, 0) if dtype is None else None


def mean_along(x, dim=None, keepdim=False, dtype=None):
    """The forward of ``mean``."""
    return reduce(x, dim, keepdim, MEAN, 0) if dtype is None else None


def variance_along(x, dim, correction, keepdim):
    """The forward of the variance."""
    return reduce(x, dim, keepdim, VARIANCE, correction) if type(correction) in (int, float) else None


def deviation_along(x, dim, correction, keepdim):
    """The forward of the standard deviation."""
    return reduce(x, dim, keepdim, DEVIATION, correction) if type(correction) in (int, float) else None
