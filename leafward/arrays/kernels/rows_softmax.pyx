# distutils: sources = leafward/arrays/kernels/softmax_loops.c
# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""``softmax``, ``log_softmax`` and their rules, a row at a time: None for what they do not take. The loops are in C."""
cimport numpy as cnp

from leafward.arrays.kernels.row_arrays cimport around_in_order, in_order, like, same_shape, width_of

cdef extern from "softmax_loops.h":
    ctypedef struct softmax_job:
        const void* x
        const void* g
        void* y
        Py_ssize_t outer, n, inner
        int logarithm
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
    job.x, job.g, job.logarithm = cnp.PyArray_DATA(x), NULL, logarithm
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
