# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/sampling_loops.c
"""``sampling.py`` in C, for float32 and float64 and images of two or three dims.

As in ``small.pyx`` a kernel answers None where it does not apply, and the ops' own lines run.
"""
cimport numpy as cnp

cnp.import_array()

cdef extern from "sampling_loops.h":
    ctypedef struct sampling:
        const void* x
        const void* grid
        const void* g
        void* out
        void* dx
        void* dgrid
        Py_ssize_t n, channels, dims, places
        Py_ssize_t[3] size
        int mode, padding, align_corners, wide
    const char* sampling_obstacle
    int sampling_start() except -1
    void c_sample "sample" (sampling*) noexcept nogil
    void c_sample_backward "sample_backward" (sampling*) noexcept nogil

sampling_start()

#: Why these kernels serve nobody here, or None.
obstacle = None if sampling_obstacle == NULL else sampling_obstacle.decode()


cdef object dense(object x, int kind):
    """``x`` as the kernels read it, or None."""
    if not cnp.PyArray_CheckExact(x) or cnp.PyArray_TYPE(x) != kind or not cnp.PyArray_ISBEHAVED_RO(x):
        return None
    return cnp.PyArray_GETCONTIGUOUS(x)


cdef bint describe(sampling* s, cnp.ndarray x, cnp.ndarray grid, int mode, int padding, bint align_corners) except -1:
    """Fill ``s`` but for gradients and results; False where there is nothing to do, or too much for the kernels' indices."""
    cdef int d, dims = cnp.PyArray_NDIM(x) - 2
    s.n, s.channels, s.dims, s.places = cnp.PyArray_DIMS(x)[0], cnp.PyArray_DIMS(x)[1], dims, 1
    s.size[0] = 1
    for d in range(dims):
        s.size[d + 3 - dims] = cnp.PyArray_DIMS(x)[d + 2]
        s.places *= cnp.PyArray_DIMS(grid)[d + 1]
    s.mode, s.padding, s.align_corners, s.wide = mode, padding, align_corners, cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT64
    s.x, s.grid, s.g = cnp.PyArray_DATA(x), cnp.PyArray_DATA(grid), NULL
    s.out = s.dx = s.dgrid = NULL
    return s.n > 0 and s.channels > 0 and s.places > 0 and s.size[0] * s.size[1] * s.size[2] < 2**31


def sample(x, grid, int mode, int padding, bint align_corners):
    """The forward."""
    cdef sampling s
    cdef cnp.npy_intp[5] shape
    cdef int d, kind = cnp.PyArray_TYPE(x)
    if kind != cnp.NPY_FLOAT32 and kind != cnp.NPY_FLOAT64:
        return None
    x, grid = dense(x, kind), dense(grid, kind)
    if x is None or grid is None or not describe(&s, x, grid, mode, padding, align_corners):
        return None
    shape[0], shape[1] = s.n, s.channels
    for d in range(<int> s.dims):
        shape[d + 2] = cnp.PyArray_DIMS(grid)[d + 1]
    out = cnp.PyArray_EMPTY(<int> s.dims + 2, shape, kind, 0)
    s.out = cnp.PyArray_DATA(out)
    with nogil:
        c_sample(&s)
    return out


def sample_backward(g, x, grid, int mode, int padding, bint align_corners, bint of_x, bint of_grid):
    """The gradients of images and grid."""
    cdef sampling s
    cdef int kind = cnp.PyArray_TYPE(x)
    if kind != cnp.NPY_FLOAT32 and kind != cnp.NPY_FLOAT64:
        return None
    g, x, grid = dense(g, kind), dense(x, kind), dense(grid, kind)
    if g is None or x is None or grid is None or not describe(&s, x, grid, mode, padding, align_corners):
        return None
    dx = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x), kind, 0) if of_x else None
    dgrid = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(grid), cnp.PyArray_DIMS(grid), kind, 0) if of_grid else None
    s.g = cnp.PyArray_DATA(g)
    if of_x:
        s.dx = cnp.PyArray_DATA(dx)
    if of_grid:
        s.dgrid = cnp.PyArray_DATA(dgrid)
    with nogil:
        c_sample_backward(&s)
    return dx, dgrid
