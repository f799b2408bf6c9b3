# distutils: sources = leafward/arrays/kernels/norm_loops.c
# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The norms of ``ops/normalization.py``, forward and backward: None for what they do not take. The loops are in C."""
cimport numpy as cnp

from leafward.arrays.kernels.row_arrays cimport in_order, like, same_shape, width_of

cdef extern from "norm_loops.h":
    ctypedef struct norm_job:
        const void* x
        const void* g
        const void* weight
        const void* bias
        void* out
        void* mean
        void* variance
        void* dweight
        void* dbias
        double eps
        Py_ssize_t rows, period, outer, channels, joined, n
    int prepare_norm() except -1
    int norm_loops(norm_job* job, int wide) noexcept nogil

cnp.import_array()
prepare_norm()


cdef bint describe(norm_job* job, object x, object weight, object bias, object view, object grid, object affine) except -1:
    """Fill in the sizes: of groups that are rows, or of groups that are channels. False where they are neither."""
    cdef Py_ssize_t size, outer, groups, inner, samples, channels, places
    if width_of(x) == 0 or cnp.PyArray_SIZE(x) == 0:
        return False
    outer, groups, inner = view
    samples, channels, places = grid
    size = cnp.PyArray_SIZE(x)
    if min(outer, groups, inner, samples, channels, places) < 1 or outer * groups * inner != size \
            or samples * channels * places != size:
        return False
    size = affine[0] * affine[1] * affine[2]
    if not (is_vector(weight, x, size) and is_vector(bias, x, size)):
        return False
    job.n, job.rows = inner, 0
    if outer == 1 and affine == (1, 1, inner):                              # a layer norm
        job.rows, job.period = groups, 1
    elif affine != (1, channels, 1):
        return False
    elif outer == 1 and places == 1 and channels % inner == 0:              # a group norm, each channel a number
        job.rows, job.period = groups, channels // inner
    elif outer == 1 and inner % places == 0 and channels % (inner // places) == 0:      # a group norm
        job.outer, job.channels, job.n, job.joined = samples, channels, places, inner // places
    elif outer == samples and groups == channels and inner == places:       # a batch norm
        job.outer, job.channels, job.joined = outer, channels, 0
    else:
        return False
    job.weight = NULL if weight is None else cnp.PyArray_DATA(weight)
    job.bias = NULL if bias is None else cnp.PyArray_DATA(bias)
    return True


cdef bint is_vector(object v, object x, Py_ssize_t size) noexcept:
    """Whether ``v`` is None, or has ``size`` elements in order and of the type of ``x``."""
    return v is None or (width_of(v) == width_of(x) and cnp.PyArray_IS_C_CONTIGUOUS(v) and cnp.PyArray_SIZE(v) == size)


cdef object vector(object x, Py_ssize_t size):
    cdef cnp.npy_intp sizes[1]
    sizes[0] = size
    return cnp.PyArray_EMPTY(1, sizes, cnp.PyArray_TYPE(x), 0)


cdef bint run(norm_job* job, object x) except -1:
    cdef int failed, wide = width_of(x) == 8
    with nogil:
        failed = norm_loops(job, wide)
    if failed:
        raise MemoryError("no memory for the sums of a norm")
    return True


def normalize_with_moments(x, weight, bias, view, grid, affine, eps):
    """The output, and the groups' means and variances."""
    cdef norm_job job
    if not describe(&job, x, weight, bias, view, grid, affine):
        return None
    x = in_order(x)
    out, mean, variance = like(x), vector(x, view[1]), vector(x, view[1])
    job.x, job.g, job.out, job.eps = cnp.PyArray_DATA(x), NULL, cnp.PyArray_DATA(out), eps
    job.mean, job.variance = cnp.PyArray_DATA(mean), cnp.PyArray_DATA(variance)
    run(&job, x)
    return out, mean, variance


def normalize(x, weight, bias, view, grid, affine, eps, by_channel):
    """The output alone."""
    result = normalize_with_moments(x, weight, bias, view, grid, affine, eps)
    return None if result is None else result[0]


def normalize_moments_grad(g, x, weight, view, grid, affine, eps):
    """The gradients for ``x``, ``weight`` and ``bias``."""
    cdef norm_job job
    if not describe(&job, x, weight, None, view, grid, affine) or width_of(g) == 0 or not same_shape(x, g):
        return None
    x, g = in_order(x), in_order(g)
    size = affine[1] * affine[2]
    dx, dweight, dbias = like(x), vector(x, size), vector(x, size)
    job.x, job.g, job.out, job.eps = cnp.PyArray_DATA(x), cnp.PyArray_DATA(g), cnp.PyArray_DATA(dx), eps
    job.mean = job.variance = NULL
    job.dweight, job.dbias = cnp.PyArray_DATA(dweight), cnp.PyArray_DATA(dbias)
    run(&job, x)
    return dx, dweight, dbias


def normalize_grad(g, x, weight, bias, view, grid, affine, eps):
    """The same, in the shapes of ``weight`` and ``bias``; of the bias only its shape is known."""
    result = normalize_moments_grad(g, x, weight, view, grid, affine, eps)
    if result is None:
        return None
    dx, dweight, dbias = result
    return (dx, None if weight is None else dweight.reshape(weight.shape),
            None if bias is None else dbias.reshape(bias.shape))
