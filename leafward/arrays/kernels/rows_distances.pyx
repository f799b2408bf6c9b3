# distutils: sources = leafward/arrays/kernels/distance_loops.c
# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Distances between rows without an array of all differences, for float32 and float64: None for what they do not take."""
cimport numpy as cnp

import numpy as np

from leafward.arrays.kernels.row_arrays cimport in_order, width_of

cdef extern from "distance_loops.h":
    int TAXICAB, EUCLIDEAN, FARTHEST
    ctypedef struct distance_job:
        const void* x
        const void* y
        const void* g
        const void* far
        void* out
        Py_ssize_t batch, n, m, d, x_step, y_step, out_step, by_x, by_y
        int pairs, norm
    int prepare_distances() except -1
    void find_distances(distance_job* job, int wide) noexcept nogil
    void find_distance_gradients(distance_job* job, int wide) noexcept nogil

cnp.import_array()
prepare_distances()

#: Rows of so few numbers, so many of them.
cdef enum:
    SHORT = 128
    MANY = 32

cdef dict NORMS = {1: TAXICAB, 2: EUCLIDEAN, np.inf: FARTHEST}


cdef int describe(distance_job* job, object x, object y, object p, bint pairs) except -1:
    """Fill in what does not depend on where things lie; 4 or 8, the width of a number, or 0 for what is not served."""
    cdef int k, width = width_of(x), ndim = cnp.PyArray_NDIM(<cnp.ndarray> x) if width else 0
    if ndim < 2 or width_of(y) != width or cnp.PyArray_NDIM(<cnp.ndarray> y) != ndim or type(p) not in (int, float) or p not in NORMS:
        return 0
    job.batch, job.norm, job.pairs = 1, NORMS[p], pairs
    for k in range(ndim - 2):
        if cnp.PyArray_DIM(<cnp.ndarray> x, k) != cnp.PyArray_DIM(<cnp.ndarray> y, k):
            return 0
        job.batch *= cnp.PyArray_DIM(<cnp.ndarray> x, k)
    job.n, job.m = cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 2), cnp.PyArray_DIM(<cnp.ndarray> y, ndim - 2)
    job.d = cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 1)
    if job.d == 0 or job.d != cnp.PyArray_DIM(<cnp.ndarray> y, ndim - 1):
        return 0
    job.x_step, job.y_step, job.by_x, job.by_y = job.n * job.d, job.m * job.d, job.m, 1
    job.out_step = job.n * (job.n - 1) // 2 if pairs else job.n * job.m
    return width


cdef object lay(distance_job* job, object x, object y, object out):
    """Say where the arrays lie; what has to be kept alive meanwhile."""
    x, y = in_order(x), in_order(y)
    job.x, job.y, job.out = cnp.PyArray_DATA(<cnp.ndarray> x), cnp.PyArray_DATA(<cnp.ndarray> y), cnp.PyArray_DATA(<cnp.ndarray> out)
    return x, y


cdef object gradient(distance_job* job, object x, object y, object g, object out):
    """The gradient of ``x``, of ``g`` for distances ``out``, both in row-major order."""
    cdef int wide = width_of(x) == 8
    dx = np.empty(x.shape, x.dtype)
    held = lay(job, x, y, dx)
    job.g, job.far = cnp.PyArray_DATA(<cnp.ndarray> g), cnp.PyArray_DATA(<cnp.ndarray> out)
    with nogil:
        find_distance_gradients(job, wide)
    return dx


def distances_of_rows(x, y, p, by_product=False):
    """The forward of ``_cdist``."""
    cdef distance_job job
    cdef int width = describe(&job, x, y, p, False)
    # Of many short rows the differences take no longer than the product, and lose no digits.
    if width == 0 or by_product and (job.d > SHORT or job.n < MANY or job.m < MANY):
        return None
    out = np.empty((*x.shape[:x.ndim - 1], job.m), x.dtype)
    held = lay(&job, x, y, out)
    with nogil:
        find_distances(&job, width == 8)
    return out


def distances_of_rows_grad(g, x, y, out, p, by_product):
    """The rule of ``_cdist``: the gradients of both."""
    cdef distance_job job
    if by_product or describe(&job, x, y, p, False) == 0 or width_of(g) != width_of(x) or width_of(out) != width_of(x):
        return None
    g, out = in_order(g), in_order(out)
    dx = gradient(&job, x, y, g, out)
    describe(&job, y, x, p, False)                      # the same with their parts exchanged
    job.by_x, job.by_y = 1, job.n
    return dx, gradient(&job, y, x, g, out)


def distances_of_pairs(x, p):
    """The forward of ``_pdist``."""
    cdef distance_job job
    cdef int width = describe(&job, x, x, p, True)
    if width == 0 or job.batch != 1:
        return None
    out = np.empty(job.out_step, x.dtype)
    held = lay(&job, x, x, out)
    with nogil:
        find_distances(&job, width == 8)
    return out


def distances_of_pairs_grad(g, x, out, p):
    """The rule of ``_pdist``."""
    cdef distance_job job
    if describe(&job, x, x, p, True) == 0 or width_of(g) != width_of(x) or width_of(out) != width_of(x):
        return None
    return gradient(&job, x, x, in_order(g), in_order(out))
