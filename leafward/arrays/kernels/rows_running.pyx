# distutils: sources = leafward/arrays/kernels/running_loops.c
# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Running sums, products, logarithms of sums and extremes along a dim, for float32 and float64: None for what they do not take. The loops are in C."""
from libc.stdint cimport int64_t
cimport numpy as cnp

from leafward.arrays.kernels.row_arrays cimport around_in_order, like, width_of

cdef extern from "running_loops.h":
    ctypedef struct running_job:
        const void* x
        void* out
        int64_t* places
        Py_ssize_t outer, n, inner
        int kind, backwards
    enum: RUNNING_SUM, RUNNING_PRODUCT, RUNNING_LOGARITHM, RUNNING_MAXIMUM, RUNNING_MINIMUM
    int prepare_running() except -1
    void running_loops(running_job* job, int wide) noexcept nogil

cnp.import_array()
prepare_running()


cdef object run(object x, object dim, int kind, bint backwards):
    cdef running_job job
    cdef int wide
    x = around_in_order(x, dim, &job.outer, &job.n, &job.inner)
    if x is None:
        return None
    out, places = like(x), None
    job.x, job.out, job.kind, job.backwards = cnp.PyArray_DATA(<cnp.ndarray> x), cnp.PyArray_DATA(<cnp.ndarray> out), kind, backwards
    if kind >= RUNNING_MAXIMUM:
        places = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(<cnp.ndarray> x), cnp.PyArray_DIMS(<cnp.ndarray> x), cnp.NPY_INT64, 0)
        job.places = <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> places)
    wide = width_of(x) == 8
    with nogil:
        running_loops(&job, wide)
    return out if places is None else (out, places)


def running_sum(x, dim, dtype=None):
    """The forward of ``cumsum``."""
    return run(x, dim, RUNNING_SUM, False) if dtype is None else None


def running_sum_grad(g, dim):
    """Its rule: the same from the other end."""
    return run(g, dim, RUNNING_SUM, True)


def running_product(x, dim, dtype=None):
    """The forward of ``cumprod``."""
    return run(x, dim, RUNNING_PRODUCT, False) if dtype is None else None


def running_logarithm(x, dim):
    """The forward of ``logcumsumexp``."""
    return run(x, dim, RUNNING_LOGARITHM, False)


def running_maximum(x, dim):
    """The forward of ``cummax``."""
    return run(x, dim, RUNNING_MAXIMUM, False)


def running_minimum(x, dim):
    """The forward of ``cummin``."""
    return run(x, dim, RUNNING_MINIMUM, False)
