# distutils: sources = leafward/arrays/kernels/quantized_loops.c
# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""The product of ``ops/quantized.py`` for codes of int8: None for what it does not take. The loops are in C."""
from libc.stdint cimport int8_t
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
    int prepare_quantized() except -1
    int quantized_product(quantized_job* job) noexcept nogil

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
