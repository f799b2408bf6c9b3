# distutils: sources = leafward/arrays/kernels/quantized_loops.c
# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""What ``ops/quantized.py`` computes, for codes of 8 bits: None for what a kernel does not take. The loops are in C."""
from libc.stdint cimport int8_t, int64_t, uint8_t
cimport numpy as cnp

import numpy as np

from leafward.arrays.kernels.row_arrays cimport width_of

cdef extern from "quantized_loops.h":
    ctypedef struct quantized_job:
        const float* x
        const int8_t* weight
        const float* scale
        const float* bias
        float* out
        Py_ssize_t rows, inner, columns, scale_step
    ctypedef struct quantized_lstm:
        const float* x
        const float* h0
        const float* c0
        const int8_t* weight
        const float* scale
        const float* bias
        float* out
        float* cells
        Py_ssize_t steps, batch, hidden, scale_step
        int reverse
    int prepare_quantized() except -1
    int quantized_product(quantized_job* job) noexcept nogil
    int quantized_lstm_steps(quantized_lstm* lstm) noexcept nogil

cnp.import_array()
prepare_quantized()

#: With more terms a sum might not fit into 32 bits.
cdef enum: MOST = 1 << 16


cdef object floats(object x):
    """A tensor's numbers as float32 side by side; None for what holds other numbers."""
    return np.ascontiguousarray(x, np.float32) if width_of(x) else None


cdef object codes_of(object weight):
    """A matrix of int8, or of a wider type that holds such codes all the same, in row-major order; None otherwise."""
    if not cnp.PyArray_CheckExact(weight) or cnp.PyArray_NDIM(<cnp.ndarray> weight) != 2 or weight.dtype.kind not in "iu":
        return None
    codes = np.ascontiguousarray(weight, np.int8)
    return codes if cnp.PyArray_TYPE(<cnp.ndarray> weight) == cnp.NPY_INT8 or (codes == weight).all() else None


def quantized_linear(x, weight, scale, bias=None):
    """The forward."""
    cdef quantized_job job
    cdef int failed, dims
    x, codes, scale = floats(x), codes_of(weight), floats(scale)
    if x is None or codes is None or scale is None:
        return None
    if bias is not None:
        bias = floats(bias)
        if bias is None:
            return None
    dims = cnp.PyArray_NDIM(<cnp.ndarray> x)
    job.columns, job.inner = cnp.PyArray_DIM(<cnp.ndarray> codes, 0), cnp.PyArray_DIM(<cnp.ndarray> codes, 1)
    if dims == 0 or job.inner == 0 or job.inner > MOST or cnp.PyArray_DIM(<cnp.ndarray> x, dims - 1) != job.inner \
            or cnp.PyArray_SIZE(x) == 0 or job.columns == 0:
        return None
    job.scale_step = cnp.PyArray_SIZE(scale) == job.columns
    if (not job.scale_step and cnp.PyArray_SIZE(scale) != 1) or (bias is not None and cnp.PyArray_SIZE(bias) != job.columns):
        return None
    out = np.empty((*x.shape[:dims - 1], job.columns), np.float32)
    job.rows = cnp.PyArray_SIZE(x) // job.inner
    job.x, job.weight = <const float*> cnp.PyArray_DATA(<cnp.ndarray> x), <const int8_t*> cnp.PyArray_DATA(<cnp.ndarray> codes)
    job.scale = <const float*> cnp.PyArray_DATA(<cnp.ndarray> scale)
    job.bias = NULL if bias is None else <const float*> cnp.PyArray_DATA(<cnp.ndarray> bias)
    job.out = <float*> cnp.PyArray_DATA(<cnp.ndarray> out)
    with nogil:
        failed = quantized_product(&job)
    if failed:
        raise MemoryError("a quantized product needs more memory than there is")
    return out


def quantized_lstm_scan(x, h0, c0, weight, scale, bias=None, sizes=(), reverse=False):
    """The forward, for sequences of one length."""
    cdef quantized_lstm l
    cdef int failed
    x, h0, c0, codes, scale = floats(x), floats(h0), floats(c0), codes_of(weight), floats(scale)
    offset = scale if bias is None else floats(bias)
    if any([each is None for each in (x, h0, c0, codes, scale, offset)]) or not sizes or sizes[0] != sizes[len(sizes) - 1]:
        return None
    l.steps, l.batch, l.hidden, l.reverse = len(sizes), sizes[0], codes.shape[1], reverse
    if x.shape != (l.steps * l.batch, 4 * l.hidden) or h0.shape != (l.batch, l.hidden) or c0.shape != h0.shape \
            or codes.shape[0] != 4 * l.hidden or not 0 < l.hidden <= MOST or l.batch == 0:
        return None
    l.scale_step = scale.size == 4 * l.hidden
    if (not l.scale_step and scale.size != 1) or (bias is not None and offset.size != 4 * l.hidden):
        return None
    out = np.empty((x.shape[0], l.hidden), np.float32)
    cells = np.empty_like(out)
    l.x, l.h0, l.c0 = numbers(x), numbers(h0), numbers(c0)
    l.weight = <const int8_t*> cnp.PyArray_DATA(<cnp.ndarray> codes)
    l.scale, l.bias = numbers(scale), NULL if bias is None else numbers(offset)
    l.out, l.cells = numbers(out), numbers(cells)
    with nogil:
        failed = quantized_lstm_steps(&l)
    if failed:
        raise MemoryError("an LSTM needs more memory than there is")
    return out, cells


cdef float* numbers(object x) noexcept:
    return <float*> cnp.PyArray_DATA(<cnp.ndarray> x)


def quantized_rows(weight, indices, scale, zero):
    """Rows of a table by number; None where a number is none of a row."""
    cdef Py_ssize_t i, k, count, width, rows
    cdef const uint8_t* codes
    cdef const uint8_t* row
    cdef const int64_t* at
    cdef const float* scales
    cdef const float* zeros
    cdef float* to
    cdef float step, shift
    scale, zero = floats(scale), floats(zero)
    if scale is None or zero is None or not cnp.PyArray_CheckExact(weight) or not cnp.PyArray_CheckExact(indices) \
            or cnp.PyArray_TYPE(indices) != cnp.NPY_INT64 or weight.ndim != 2 or scale.ndim != 1 or len(scale) != len(weight) \
            or zero.shape != scale.shape:
        return None
    if weight.dtype.kind not in "iu":
        return None
    if cnp.PyArray_TYPE(weight) != cnp.NPY_UINT8:               # a wider type that holds such codes all the same
        wider, weight = weight, weight.astype(np.uint8)
        if (wider != weight).any():
            return None
    weight, indices = cnp.PyArray_GETCONTIGUOUS(weight), cnp.PyArray_GETCONTIGUOUS(indices)
    count, rows, width = cnp.PyArray_SIZE(indices), weight.shape[0], weight.shape[1]
    out = np.empty((*indices.shape, width), np.float32)
    codes, at = <const uint8_t*> cnp.PyArray_DATA(weight), <const int64_t*> cnp.PyArray_DATA(indices)
    scales, zeros, to = numbers(scale), numbers(zero), numbers(out)
    for i in range(count):
        if not 0 <= at[i] < rows:
            return None
        row, step, shift = codes + at[i] * width, scales[at[i]], zeros[at[i]]
        for k in range(width):
            to[k] = (row[k] - shift) * step
        to += width
    return out
