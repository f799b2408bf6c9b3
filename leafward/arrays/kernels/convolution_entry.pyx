# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/convolution_loops.c
"""The three convolutions of ``convolution.py`` in C, for float32 and float64 of one to three dims, wherever they lie in memory.

As in ``small.pyx`` a kernel answers None where it does not apply, and NumPy does the work.
"""
cimport numpy as cnp

cnp.import_array()

cdef extern from "convolution_loops.h":
    ctypedef struct images:
        char* data
        Py_ssize_t[5] size
        Py_ssize_t[5] stride
    ctypedef struct windows:
        Py_ssize_t[3] stride
        Py_ssize_t[3] padding
        Py_ssize_t[3] dilation
        Py_ssize_t groups
    enum: SHORT_OF_MEMORY, UNFIT
    const char* convolution_obstacle
    int convolution_start() except -1
    int c_convolve "convolve" (images*, images*, void*, images*, windows*, int) noexcept nogil
    int c_convolve_adjoint "convolve_adjoint" (images*, images*, void*, images*, windows*, int) noexcept nogil
    int c_convolve_weights "convolve_weights" (images*, images*, images*, windows*, int) noexcept nogil

convolution_start()

#: Why these kernels serve nobody here, or None.
obstacle = None if convolution_obstacle == NULL else convolution_obstacle.decode()


cdef int seen(object array, images* into) except -1:
    """Where the array lies; 0: nowhere that the kernels can read."""
    if not cnp.PyArray_CheckExact(array):
        return 0
    cdef cnp.ndarray x = <cnp.ndarray> array
    cdef int kind = cnp.PyArray_TYPE(x), ndim = cnp.PyArray_NDIM(x), d, at
    cdef Py_ssize_t itemsize = cnp.PyArray_ITEMSIZE(x)
    if (kind != cnp.NPY_FLOAT32 and kind != cnp.NPY_FLOAT64) or not 3 <= ndim <= 5 or not cnp.PyArray_ISBEHAVED_RO(x):
        return 0
    into.data = <char*> cnp.PyArray_DATA(x)
    for d in range(5):
        into.size[d] = into.stride[d] = 1
    for d in range(ndim):
        at = d if d < 2 else d + 5 - ndim                # where there are fewer dims the first are of size 1
        if cnp.PyArray_DIMS(x)[d] == 0 or cnp.PyArray_STRIDES(x)[d] % itemsize:
            return 0
        into.size[at] = cnp.PyArray_DIMS(x)[d]
        into.stride[at] = cnp.PyArray_STRIDES(x)[d] // itemsize
    return kind


cdef void spread(windows* w, tuple stride, tuple padding, tuple dilation, Py_ssize_t groups):
    cdef int d, dims = <int> len(stride)
    for d in range(3):
        w.stride[d] = w.dilation[d] = 1
        w.padding[d] = 0
    for d in range(dims):
        w.stride[d + 3 - dims] = stride[d]
        w.padding[d + 3 - dims] = padding[d]
        w.dilation[d + 3 - dims] = dilation[d]
    w.groups = groups


cdef object empty(tuple shape, int kind):
    cdef cnp.npy_intp[5] sizes
    cdef int d
    for d in range(<int> len(shape)):
        sizes[d] = shape[d]
    return cnp.PyArray_EMPTY(<int> len(shape), sizes, kind, 0)


cdef object checked(int failed, object out):
    if failed == UNFIT:
        return None
    if failed == SHORT_OF_MEMORY:
        raise MemoryError("a convolution needs more memory than there is")
    return out


def convolve(x, weight, bias, tuple places, tuple stride, tuple padding, tuple dilation, Py_ssize_t groups):
    """``out[n, o, h] = bias[o] + sum_{c, k} weight[o, c, k] * x[n, c, stride * h + dilation * k - padding]``."""
    return solve(x, weight, bias, places, stride, padding, dilation, groups, False)


def convolve_adjoint(g, weight, bias, tuple size, tuple stride, tuple padding, tuple dilation, Py_ssize_t groups):
    """Its adjoint in ``x``, an image of ``size``, and ``bias`` added."""
    return solve(g, weight, bias, size, stride, padding, dilation, groups, True)


cdef object solve(x, weight, bias, tuple size, tuple stride, tuple padding, tuple dilation, Py_ssize_t groups, bint adjoint):
    cdef images source, kernels, result
    cdef windows w
    cdef int kind = seen(x, &source), failed
    cdef void* added = NULL
    if kind == 0 or seen(weight, &kernels) != kind or 0 in size or cnp.PyArray_NDIM(weight) != cnp.PyArray_NDIM(x):
        return None
    if bias is not None:
        if not cnp.PyArray_CheckExact(bias) or cnp.PyArray_TYPE(bias) != kind:
            return None
        bias = cnp.PyArray_GETCONTIGUOUS(bias)
        added = cnp.PyArray_DATA(bias)
    out = empty((source.size[0], kernels.size[1] * groups if adjoint else kernels.size[0], *size), kind)
    seen(out, &result)
    spread(&w, stride, padding, dilation, groups)
    with nogil:
        if adjoint:
            failed = c_convolve_adjoint(&source, &kernels, added, &result, &w, kind == cnp.NPY_FLOAT64)
        else:
            failed = c_convolve(&source, &kernels, added, &result, &w, kind == cnp.NPY_FLOAT64)
    return checked(failed, out)


def convolve_weights(g, x, tuple kernel, tuple stride, tuple padding, tuple dilation, Py_ssize_t groups):
    """Its adjoint in ``weight``: what each output in ``g`` has seen of ``x``, weighted and added up."""
    cdef images grad, source, result
    cdef windows w
    cdef int kind = seen(x, &source), failed
    if kind == 0 or seen(g, &grad) != kind:
        return None
    out = empty((grad.size[1], source.size[1] // groups, *kernel), kind)
    seen(out, &result)
    spread(&w, stride, padding, dilation, groups)
    with nogil:
        failed = c_convolve_weights(&grad, &source, &result, &w, kind == cnp.NPY_FLOAT64)
    return checked(failed, out)
