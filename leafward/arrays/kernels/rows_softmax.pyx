# distutils: sources = leafward/arrays/kernels/softmax_loops.c
# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""``softmax``, ``log_softmax``, ``logsumexp`` and their rules, a row at a time: None for what they do not take. The loops are in C."""
cimport numpy as cnp

from leafward.arrays.kernels.row_arrays cimport around_in_order, in_order, like, same_shape, width_of

cdef extern from "softmax_loops.h":
    ctypedef struct softmax_job:
        const void* x
        const void* g
        const void* sums
        void* y
        Py_ssize_t outer, n, inner
        int logarithm, summed
    int prepare_softmax() except -1
    void softmax_loops(softmax_job* job, int wide) noexcept nogil

cnp.import_array()
prepare_softmax()


cdef object run(object x, object g, object dim, bint logarithm):
    cdef softmax_job job
    cdef int wide
    x = around_in_order(x, dim, &job.outer, &job.n, &job.inner)
    if x is None or (g is not None and (width_of(g) == 0 or not same_shape(x, g))):
        return None
    job.x, job.g, job.logarithm, job.summed = cnp.PyArray_DATA(x), NULL, logarithm, 0
    if g is not None:
        g = in_order(g)
        job.g = cnp.PyArray_DATA(g)
    out = like(x)
    job.y = cnp.PyArray_DATA(out)
    wide = width_of(x) == 8
    with nogil:
        softmax_loops(&job, wide)
    return out


def softmax(x, dim, dtype=None):
    """The forward of ``softmax``."""
    return run(x, None, dim, False) if dtype is None else None


def log_softmax(x, dim, dtype=None):
    """The forward of ``log_softmax``."""
    return run(x, None, dim, True) if dtype is None else None


def softmax_grad(g, out, dim):
    """The rule of ``softmax``."""
    return run(out, g, dim, False)


def log_softmax_grad(g, out, dim):
    """The rule of ``log_softmax``."""
    return run(out, g, dim, True)


cdef object one_dim(object dim):
    """``dim`` as one number, or None where it names several."""
    return dim[0] if type(dim) is tuple and len(dim) == 1 else dim


def logsumexp(x, dim, keepdim=False):
    """The forward of ``logsumexp`` along the last dim."""
    cdef softmax_job job
    cdef cnp.npy_intp[32] shape
    cdef int d, at = 0, wide, ndim
    dim = one_dim(dim)
    x = around_in_order(x, dim, &job.outer, &job.n, &job.inner)
    if x is None or job.inner != 1:
        return None
    ndim = cnp.PyArray_NDIM(x)
    for d in range(ndim):
        if d != (dim if dim >= 0 else dim + ndim):
            shape[at] = cnp.PyArray_DIM(x, d)
        elif keepdim:
            shape[at] = 1
        else:
            continue
        at += 1
    out = cnp.PyArray_EMPTY(at, shape, cnp.PyArray_TYPE(x), 0)
    job.x, job.g, job.y, job.logarithm, job.summed = cnp.PyArray_DATA(x), NULL, cnp.PyArray_DATA(out), 0, 1
    wide = width_of(x) == 8
    with nogil:
        softmax_loops(&job, wide)
    return out


def logsumexp_grad(g, x, out, dim, keepdim):
    """The rule of ``logsumexp`` along the last dim."""
    cdef softmax_job job
    cdef int wide
    x = around_in_order(x, one_dim(dim), &job.outer, &job.n, &job.inner)
    if x is None or job.inner != 1 or width_of(g) != width_of(x) or not same_shape(g, out):
        return None
    g, out, dx = in_order(g), in_order(out), like(x)
    job.x, job.g, job.sums, job.y = cnp.PyArray_DATA(x), cnp.PyArray_DATA(g), cnp.PyArray_DATA(out), cnp.PyArray_DATA(dx)
    job.logarithm, job.summed = 0, 1
    wide = width_of(x) == 8
    with nogil:
        softmax_loops(&job, wide)
    return dx
