# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/resampling_loops.c
"""``resampling.py`` in C, for float32 and float64.

As in ``small.pyx`` a kernel answers None where it does not apply, and NumPy does the work.
"""
cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t

cnp.import_array()

cdef extern from "resampling_loops.h":
    ctypedef struct weighing:
        const void* x
        const void* values
        const int64_t* starts
        const int64_t* columns
        void* y
        Py_ssize_t outer, size, places, inner
        int wide
    ctypedef struct image_weighing:
        const void* x
        const void* down_values
        const void* values
        const int64_t* starts
        const int64_t* down_columns
        const int32_t* columns
        void* y
        Py_ssize_t outer, height, width, rows, places, taps
        int plain, wide
    const char* resampling_obstacle
    int resampling_start() except -1
    void c_weigh "weigh" (weighing*) noexcept nogil
    int c_weigh_image "weigh_image" (image_weighing*) noexcept nogil

resampling_start()

#: Why these kernels serve nobody here, or None.
obstacle = None if resampling_obstacle == NULL else resampling_obstacle.decode()


def weigh(x, Py_ssize_t places, cnp.ndarray starts, cnp.ndarray columns, cnp.ndarray values):
    """``x``, (outer, size, inner), with each of its lines' ``places`` sums along the middle."""
    cdef weighing w
    cdef cnp.npy_intp[3] shape
    cdef int kind = cnp.PyArray_TYPE(x)
    if kind != cnp.NPY_FLOAT32 and kind != cnp.NPY_FLOAT64 or not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISBEHAVED_RO(x):
        return None
    if cnp.PyArray_TYPE(starts) != cnp.NPY_INT64 or cnp.PyArray_TYPE(columns) != cnp.NPY_INT64 or cnp.PyArray_TYPE(values) != kind:
        return None
    if not (cnp.PyArray_IS_C_CONTIGUOUS(starts) and cnp.PyArray_IS_C_CONTIGUOUS(columns) and cnp.PyArray_IS_C_CONTIGUOUS(values)):
        return None
    x = cnp.PyArray_GETCONTIGUOUS(x)
    w.outer, w.size, w.inner, w.places = cnp.PyArray_DIMS(x)[0], cnp.PyArray_DIMS(x)[1], cnp.PyArray_DIMS(x)[2], places
    if w.outer == 0 or w.size == 0 or w.inner == 0 or places == 0:
        return None
    shape[0], shape[1], shape[2] = w.outer, places, w.inner
    out = cnp.PyArray_EMPTY(3, shape, kind, 0)
    w.x, w.y, w.wide = cnp.PyArray_DATA(x), cnp.PyArray_DATA(out), kind == cnp.NPY_FLOAT64
    w.starts, w.columns, w.values = (
        <int64_t*> cnp.PyArray_DATA(starts), <int64_t*> cnp.PyArray_DATA(columns), cnp.PyArray_DATA(values))
    with nogil:
        c_weigh(&w)
    return out


def weigh_image(x, int dims, tuple down, cnp.ndarray columns, cnp.ndarray values, bint plain):
    """``x`` weighed along its last dim, and where that is one of two ``dims`` before by ``down``: (rows, starts, columns, values), or None.

    ``columns``, int32, and ``values`` are (taps, places); ``plain``: one tap each, of weight 1.
    """
    cdef image_weighing w
    cdef cnp.npy_intp[32] shape
    cdef int d, failed, kind, ndim
    if not cnp.PyArray_CheckExact(x):
        return None
    kind, ndim = cnp.PyArray_TYPE(x), cnp.PyArray_NDIM(x)
    if kind != cnp.NPY_FLOAT32 and kind != cnp.NPY_FLOAT64 or not cnp.PyArray_ISBEHAVED_RO(x) or not dims <= ndim <= 32:
        return None
    x = cnp.PyArray_GETCONTIGUOUS(x)
    w.outer = 1
    for d in range(ndim - dims):
        shape[d] = cnp.PyArray_DIM(x, d)
        w.outer *= shape[d]
    w.height, w.width = cnp.PyArray_DIM(x, ndim - 2) if dims == 2 else 1, cnp.PyArray_DIM(x, ndim - 1)
    w.taps, w.places, w.rows, w.plain = cnp.PyArray_DIM(columns, 0), cnp.PyArray_DIM(columns, 1), w.height, plain
    w.columns, w.values = <int32_t*> cnp.PyArray_DATA(columns), cnp.PyArray_DATA(values)
    w.starts = w.down_columns = NULL
    w.down_values = NULL
    if down is not None:
        w.rows = down[0]
        w.starts = <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> down[1])
        w.down_columns = <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> down[2])
        w.down_values = cnp.PyArray_DATA(<cnp.ndarray> down[3])
    if w.outer == 0 or w.height == 0 or w.width == 0 or w.rows == 0 or w.places == 0:
        return None
    if dims == 2:
        shape[ndim - 2] = w.rows
    shape[ndim - 1] = w.places
    out = cnp.PyArray_EMPTY(ndim, shape, kind, 0)
    w.x, w.y, w.wide = cnp.PyArray_DATA(x), cnp.PyArray_DATA(out), kind == cnp.NPY_FLOAT64
    with nogil:
        failed = c_weigh_image(&w)
    if failed < 0:
        raise MemoryError("an image of another size needs more memory than there is")
    return out
