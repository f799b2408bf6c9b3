# cython: boundscheck=False, wraparound=False, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/copy_loops.c
"""Copies between any two layouts, casts of half types, places of triangles, in C: False or None for what they do not take."""
from libc.stdint cimport int32_t, int64_t, uint64_t
cimport numpy as cnp

import numpy as np

from leafward.arrays.kernels.row_arrays cimport lie_apart

cnp.import_array()

cdef extern from "copy_loops.h":
    int TO_FLOAT16, FROM_FLOAT16, TO_BFLOAT16, FROM_BFLOAT16
    int FLOAT_TO_DOUBLE, DOUBLE_TO_FLOAT, LONG_TO_FLOAT, LONG_TO_DOUBLE, INT_TO_FLOAT, INT_TO_DOUBLE, BYTE_TO_FLOAT, BYTE_TO_DOUBLE
    ctypedef struct copy_job:
        char* target
        const char* source
        int itemsize, dims
        Py_ssize_t[32] size
        Py_ssize_t[32] target_steps
        Py_ssize_t[32] source_steps
    ctypedef struct cast_job:
        void* target
        const void* source
        Py_ssize_t count
        int how
    ctypedef struct spaced_job:
        void* target
        int32_t steps
        int wide
        double step, start, end
    ctypedef struct counted_job:
        void* target
        Py_ssize_t count
        int wide
        double start, step
    int prepare_copies() except -1
    void copy_loops(copy_job* job) noexcept nogil
    void cast_loops(cast_job* job) noexcept nogil
    void spaced_loops(spaced_job* job) noexcept nogil
    void counted_loops(counted_job* job) noexcept nogil
    uint64_t mixed_bytes(const void* bytes, size_t size) noexcept nogil

prepare_copies()

#: NumPy copies fewer elements before a kernel is called.
DEF FEW = 512


def copy_into(target, source):
    """``target[...] = source`` for arrays of one dtype that share no memory, of one shape but for sizes of 1; True where it was done."""
    cdef copy_job job
    cdef int d, ndim, kind
    if not cnp.PyArray_CheckExact(target) or not cnp.PyArray_CheckExact(source):
        return False
    ndim, kind = cnp.PyArray_NDIM(<cnp.ndarray> target), cnp.PyArray_TYPE(<cnp.ndarray> target)
    if (kind != cnp.PyArray_TYPE(<cnp.ndarray> source) or kind in (cnp.NPY_OBJECT, cnp.NPY_VOID, cnp.NPY_LONGDOUBLE)
            or ndim != cnp.PyArray_NDIM(<cnp.ndarray> source) or cnp.PyArray_SIZE(<cnp.ndarray> target) < FEW
            or not cnp.PyArray_ISBEHAVED(<cnp.ndarray> target) or not cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> source)):
        return False
    job.itemsize, job.dims = cnp.PyArray_ITEMSIZE(<cnp.ndarray> target), ndim
    if job.itemsize not in (1, 2, 4, 8, 16):
        return False
    for d in range(ndim):
        if cnp.PyArray_DIM(<cnp.ndarray> source, d) not in (1, cnp.PyArray_DIM(<cnp.ndarray> target, d)):
            return False
        job.size[d] = cnp.PyArray_DIM(<cnp.ndarray> target, d)
        job.target_steps[d] = cnp.PyArray_STRIDE(<cnp.ndarray> target, d)
        job.source_steps[d] = 0 if cnp.PyArray_DIM(<cnp.ndarray> source, d) == 1 else cnp.PyArray_STRIDE(<cnp.ndarray> source, d)
        if job.target_steps[d] == 0 and job.size[d] > 1:
            return False
    if not lie_apart(target, source):
        return False
    job.target, job.source = <char*> cnp.PyArray_DATA(<cnp.ndarray> target), <const char*> cnp.PyArray_DATA(<cnp.ndarray> source)
    with nogil:
        copy_loops(&job)
    return True


def cast(x, dtype):
    """``x`` as an array of ``dtype``, between float32 and a half type, or from numbers to real ones, without gaps; else None."""
    cdef cast_job job
    cdef int kind, wanted
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x) or not cnp.PyArray_ISBEHAVED_RO(
            <cnp.ndarray> x):
        return None
    kind, wanted = cnp.PyArray_TYPE(<cnp.ndarray> x), (<cnp.dtype> dtype).type_num
    if kind == cnp.NPY_FLOAT32 and wanted == cnp.NPY_FLOAT16:
        job.how = TO_FLOAT16
    elif kind == cnp.NPY_FLOAT16 and wanted == cnp.NPY_FLOAT32:
        job.how = FROM_FLOAT16
    elif kind == cnp.NPY_FLOAT32 and dtype.char == "E":
        job.how = TO_BFLOAT16
    elif wanted == cnp.NPY_FLOAT32 and x.dtype.char == "E":
        job.how = FROM_BFLOAT16
    elif wanted == cnp.NPY_FLOAT64 and kind == cnp.NPY_FLOAT32:
        job.how = FLOAT_TO_DOUBLE
    elif wanted == cnp.NPY_FLOAT32 and kind == cnp.NPY_FLOAT64:
        job.how = DOUBLE_TO_FLOAT
    elif wanted == cnp.NPY_FLOAT32 or wanted == cnp.NPY_FLOAT64:
        if kind == cnp.NPY_INT64:
            job.how = LONG_TO_FLOAT if wanted == cnp.NPY_FLOAT32 else LONG_TO_DOUBLE
        elif kind == cnp.NPY_INT32:
            job.how = INT_TO_FLOAT if wanted == cnp.NPY_FLOAT32 else INT_TO_DOUBLE
        elif kind == cnp.NPY_BOOL or kind == cnp.NPY_UINT8:
            job.how = BYTE_TO_FLOAT if wanted == cnp.NPY_FLOAT32 else BYTE_TO_DOUBLE
        else:
            return None
    else:
        return None
    out = np.empty(x.shape, dtype)
    job.target, job.source = cnp.PyArray_DATA(<cnp.ndarray> out), cnp.PyArray_DATA(<cnp.ndarray> x)
    job.count = cnp.PyArray_SIZE(<cnp.ndarray> x)
    with nogil:
        cast_loops(&job)
    return out


def spaced(start, end, step, steps, number):
    """``steps`` numbers of the type ``number``, float32 or float64, from ``start`` to ``end``; None for more than 2**31 - 1."""
    cdef spaced_job job
    if steps > 0x7fffffff:
        return None
    out = np.empty(steps, number)
    job.target, job.steps, job.wide = cnp.PyArray_DATA(<cnp.ndarray> out), steps, number is np.float64
    job.start, job.end, job.step = start, end, step
    with nogil:
        spaced_loops(&job)
    return out


def counted(start, step, count, dtype):
    """``start + i step`` for the first ``count`` numbers i, as float32 or float64."""
    cdef counted_job job
    out = np.empty(count, dtype)
    job.target, job.count, job.wide = cnp.PyArray_DATA(<cnp.ndarray> out), count, dtype.itemsize == 8
    job.start, job.step = start, step
    with nogil:
        counted_loops(&job)
    return out


def ends_within(last, columns):
    """The sum of ``end``, cut to 0 ... ``columns``, over every ``end`` up to ``last``: a triangle, and full rows below it."""
    corner = max(0, min(last, columns))
    return corner * (corner + 1) // 2 + max(0, last - columns) * columns


def triangle_places(Py_ssize_t rows, Py_ssize_t columns, offset, bint upper):
    """Row and column numbers of the elements of a triangle, row by row: an array of two rows."""
    offset = max(-rows, min(columns, offset))
    cdef Py_ssize_t i, j, first, last, at = 0, total, shift = offset
    cdef int64_t* out_rows
    cdef int64_t* out_columns
    below = ends_within(offset + rows - upper, columns) - ends_within(offset - upper, columns)
    out = np.empty((2, rows * <object> columns - below if upper else below), np.int64)
    total = out.shape[1]
    out_rows = <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> out)
    out_columns = out_rows + total
    with nogil:
        for i in range(rows):
            first = min(max(i + shift, 0), columns) if upper else 0
            last = columns if upper else min(max(i + shift + 1, 0), columns)
            for j in range(first, last):
                out_rows[at], out_columns[at] = i, j
                at += 1
    return out


def mixed(array, Py_ssize_t most):
    """A number made of all bytes of an array whose elements lie in order; None for another, and for one of more than ``most``."""
    if type(array) is not cnp.ndarray or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> array) \
            or 0 <= most < cnp.PyArray_SIZE(<cnp.ndarray> array):
        return None
    return mixed_bytes(cnp.PyArray_DATA(<cnp.ndarray> array), <size_t> cnp.PyArray_NBYTES(<cnp.ndarray> array))
