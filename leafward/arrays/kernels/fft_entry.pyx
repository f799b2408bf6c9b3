# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/fft_loops.c
"""Fourier transforms of powers of two in C, along one dim of a dense array; ``fft.py`` says which and with what."""
cimport numpy as cnp

cnp.import_array()

cdef extern from "fft_loops.h":
    enum fft_kind:
        COMPLEX, TO_HALF, FROM_HALF
    ctypedef struct fft:
        Py_ssize_t points
        Py_ssize_t lines
        Py_ssize_t inner
        fft_kind kind
        int wide
        int backward
        double scale
        const void* x
        void* out
        const void* turns
        const void* halves
    const char* fft_obstacle
    int fft_start() except -1
    int fft_run(fft*) noexcept nogil

fft_start()

#: Why these kernels serve nobody here, or None.
obstacle = None if fft_obstacle == NULL else fft_obstacle.decode()


def along(cnp.ndarray x, cnp.ndarray out, int axis, bint backward, double scale, cnp.ndarray turns, cnp.ndarray halves):
    """Transform dense ``x`` along ``axis`` into dense ``out``, complex or one of them real; ``out`` may be ``x``."""
    cdef fft f
    cdef bint from_real = x.dtype.kind == "f", to_real = out.dtype.kind == "f"
    cdef int failed, d
    cdef Py_ssize_t size = cnp.PyArray_DIM(out if from_real else x, axis)
    f.points = size - 1 if from_real or to_real else size
    f.kind = TO_HALF if from_real else FROM_HALF if to_real else COMPLEX
    f.wide, f.backward, f.scale = turns.dtype.itemsize == 8, backward, scale
    f.inner = 1
    for d in range(axis + 1, cnp.PyArray_NDIM(x)):
        f.inner *= cnp.PyArray_DIM(x, d)
    f.lines = cnp.PyArray_SIZE(x) // cnp.PyArray_DIM(x, axis)
    f.x, f.out = cnp.PyArray_DATA(x), cnp.PyArray_DATA(out)
    f.turns, f.halves = cnp.PyArray_DATA(turns), cnp.PyArray_DATA(halves)
    with nogil:
        failed = fft_run(&f)
    if failed:
        raise MemoryError("a Fourier transform needs more memory than there is")
