# distutils: sources = leafward/arrays/kernels/padding_loops.c
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Dims made longer or shorter at their ends, by one number or by what they hold. None for what they do not take."""
from libc.string cimport memcpy, memset
cimport numpy as cnp

import numpy as np

from leafward.arrays.kernels.row_arrays cimport width_of

cnp.import_array()

cdef extern from "padding_loops.h":
    int CONSTANT, REFLECT, REPLICATE, CIRCULAR
    ctypedef struct padding_job:
        const char* x
        char* out
        Py_ssize_t outer
        int dims, mode, itemsize
        Py_ssize_t[32] size
        Py_ssize_t[32] longer
        Py_ssize_t[32] before
        Py_ssize_t[32] after
        char[16] value
    int prepare_padding() except -1
    void pad_rows(padding_job* job) noexcept nogil
    void gather_padding(padding_job* job) noexcept nogil

prepare_padding()

cdef dict MODES = {"reflect": REFLECT, "replicate": REPLICATE, "circular": CIRCULAR}


cdef object describe(padding_job* job, tuple shape, widths):
    """Fill in the sizes: ``widths`` are pairs for the last dims of ``shape``. The padded shape, or None for what is not served."""
    cdef int d, dims = <int> len(widths), lead = <int> len(shape) - dims
    cdef Py_ssize_t size, before, after
    cdef list padded = list(shape[:lead])
    if dims == 0 or lead < 0 or len(shape) > 30:
        return None
    job.outer, job.dims = 1, dims
    for d in range(lead):
        job.outer *= <Py_ssize_t> shape[d]
    for d in range(dims):
        pair = widths[d]
        if len(pair) != 2 or type(pair[0]) is not int or type(pair[1]) is not int or not -(1 << 40) < pair[0] < 1 << 40 \
                or not -(1 << 40) < pair[1] < 1 << 40:
            return None
        size, before, after = shape[lead + d], pair[0], pair[1]
        if size + min(before, 0) + min(after, 0) < 0:
            return None
        job.size[d], job.before[d], job.after[d], job.longer[d] = size, before, after, size + before + after
        padded.append(size + before + after)
    return padded


cdef object padded_copy(padding_job* job, object x, list shape):
    """A new array of ``shape``, padded as ``job`` says."""
    out = np.empty(shape, x.dtype)
    job.x, job.out = <const char*> cnp.PyArray_DATA(<cnp.ndarray> x), <char*> cnp.PyArray_DATA(<cnp.ndarray> out)
    if cnp.PyArray_SIZE(<cnp.ndarray> out):
        with nogil:
            pad_rows(job)
    return out


cdef bint can_be_moved(object x):
    cdef int size, kind
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISCARRAY_RO(<cnp.ndarray> x):
        return False
    size, kind = <int> cnp.PyArray_ITEMSIZE(<cnp.ndarray> x), cnp.PyArray_TYPE(<cnp.ndarray> x)
    return (size == 1 or size == 2 or size == 4 or size == 8 or size == 16) and kind != cnp.NPY_OBJECT


def pad_with(x, pad, value=0):
    """The forward of ``constant_pad_nd``: of floats, or with zeros of anything."""
    cdef padding_job job
    cdef int k, kind, given
    cdef float single
    cdef double number
    if type(pad) not in (tuple, list) or type(value) not in (int, float) or not can_be_moved(x):
        return None
    given, kind = <int> len(pad), cnp.PyArray_TYPE(<cnp.ndarray> x)
    if given % 2 or given > 2 * cnp.PyArray_NDIM(<cnp.ndarray> x):
        return None
    if value != 0 and (kind != cnp.NPY_FLOAT32 and kind != cnp.NPY_FLOAT64 or not (-3e38 < value < 3e38 or value - value != 0)):
        return None
    if type(value) is float and (kind < cnp.NPY_FLOAT32 or kind > cnp.NPY_FLOAT64):
        return None
    shape = describe(&job, x.shape, [(pad[k], pad[k + 1]) for k in range(given - 2, -1, -2)])
    if shape is None:
        return None
    job.mode, job.itemsize, number = CONSTANT, <int> cnp.PyArray_ITEMSIZE(<cnp.ndarray> x), value
    memset(job.value, 0, 16)
    if kind == cnp.NPY_FLOAT32:
        single = <float> number
        memcpy(job.value, &single, 4)
    elif kind == cnp.NPY_FLOAT64:
        memcpy(job.value, &number, 8)
    return padded_copy(&job, x, shape)


def pad_from_places(x, mode, widths):
    """The forward of ``_pad_by_position``."""
    cdef padding_job job
    if not can_be_moved(x) or mode not in MODES or x.dtype.kind == "b":
        return None
    shape = describe(&job, x.shape, widths)
    if shape is None or not shows_places(&job, MODES[mode]):
        return None
    job.itemsize = <int> cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    return padded_copy(&job, x, shape)


cdef bint shows_places(padding_job* job, int mode) noexcept:
    """Whether each place of the padded dims shows one that there is."""
    cdef int d
    job.mode = mode
    for d in range(job.dims):
        if job.size[d] == 0 or job.longer[d] < 0:
            return False
        if mode == REFLECT and (job.before[d] >= job.size[d] or job.after[d] >= job.size[d]):
            return False
        if mode == CIRCULAR and job.size[d] + min(job.before[d], 0) + min(job.after[d], 0) < 1:
            return False
    return True


def add_at_shown_places(x, size, mode, widths):
    """The forward of ``_pad_by_position_adjoint``, of float32 and float64."""
    cdef padding_job job
    cdef int width = width_of(x)
    if width == 0 or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x) or mode not in MODES:
        return None
    shape = describe(&job, tuple(size), widths)
    if shape is None or not shows_places(&job, MODES[mode]) or tuple(shape) != x.shape:
        return None
    out = np.empty(size, x.dtype)
    job.itemsize, job.x = width, <const char*> cnp.PyArray_DATA(<cnp.ndarray> x)
    job.out = <char*> cnp.PyArray_DATA(<cnp.ndarray> out)
    if job.outer:
        with nogil:
            gather_padding(&job)
    return out
