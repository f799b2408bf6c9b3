# distutils: sources = leafward/arrays/kernels/ctc_loops.c
# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Connectionist temporal classification of float32 and float64: None for what they do not take."""
from libc.stdint cimport int64_t
cimport numpy as cnp

import numpy as np

from leafward.arrays.kernels.row_arrays cimport in_order, width_of

cdef extern from "ctc_loops.h":
    ctypedef struct ctc_job:
        const void* x
        const int64_t* targets
        const int64_t* steps
        const int64_t* lengths
        void* out
        const void* g
        Py_ssize_t t, n, classes, longest
        int64_t blank
        int zero_infinity
    int prepare_ctc() except -1
    int find_ctc_losses(ctc_job* job, int wide) noexcept nogil
    int find_ctc_gradients(ctc_job* job, int wide) noexcept nogil

cnp.import_array()
prepare_ctc()


cdef object describe(ctc_job* job, object x, object targets, object steps, object lengths, object blank):
    """Fill in all but the results; what has to be kept alive meanwhile, or None for what is not served."""
    cdef Py_ssize_t k
    cdef int64_t label, most
    if width_of(x) == 0 or cnp.PyArray_NDIM(<cnp.ndarray> x) != 3 or not cnp.PyArray_CheckExact(targets) \
            or cnp.PyArray_NDIM(<cnp.ndarray> targets) != 2 or targets.dtype.kind not in "iu":
        return None
    x, targets = in_order(x), np.ascontiguousarray(targets, np.int64)
    steps, lengths = np.array(steps, np.int64), np.array(lengths, np.int64)
    job.t, job.n, job.classes = x.shape
    job.longest = cnp.PyArray_DIM(<cnp.ndarray> targets, 1)
    if steps.shape != (job.n,) or lengths.shape != (job.n,) or targets.shape[0] != job.n or not 0 <= blank < job.classes:
        return None
    job.x, job.targets = cnp.PyArray_DATA(<cnp.ndarray> x), <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> targets)
    job.steps, job.lengths = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> steps), <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> lengths)
    for k in range(job.n):
        if not 0 <= job.steps[k] <= job.t or not 0 <= job.lengths[k] <= job.longest:
            return None
    # Labels behind a target's length may be anything but are looked at by the declaration, which refuses some.
    most = job.classes
    for k in range(job.n * job.longest):
        label = job.targets[k]
        if not 0 <= label < most:
            return None
    job.blank = blank
    return x, targets, steps, lengths


def ctc_losses(x, targets, input_lengths, target_lengths, blank, zero_infinity):
    """The forward of ``_ctc``."""
    cdef ctc_job job
    cdef int failed, wide = width_of(x) == 8
    held = describe(&job, x, targets, input_lengths, target_lengths, blank)
    if held is None:
        return None
    out = np.empty(job.n, x.dtype)
    job.out = cnp.PyArray_DATA(<cnp.ndarray> out)
    with nogil:
        failed = find_ctc_losses(&job, wide)
    return None if failed else out


def ctc_losses_grad(g, x, targets, input_lengths, target_lengths, blank, zero_infinity):
    """The rule of ``_ctc``."""
    cdef ctc_job job
    cdef int failed, wide = width_of(x) == 8
    held = describe(&job, x, targets, input_lengths, target_lengths, blank)
    if held is None or width_of(g) != width_of(x):
        return None
    g, dx = in_order(g), np.empty(x.shape, x.dtype)
    job.g, job.out, job.zero_infinity = cnp.PyArray_DATA(<cnp.ndarray> g), cnp.PyArray_DATA(<cnp.ndarray> dx), bool(zero_infinity)
    with nogil:
        failed = find_ctc_gradients(&job, wide)
    return None if failed else dx
