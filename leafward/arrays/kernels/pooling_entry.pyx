# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/pooling_loops.c
"""The pooling of ``pooling.py`` and ``resampling.py`` in C, for float32 and float64 and one to three dims.

As in ``small.pyx`` a kernel answers None where it does not apply, and NumPy does the work.
"""
from libc.stdint cimport int64_t
cimport numpy as cnp

cnp.import_array()

cdef extern from "pooling_loops.h":
    ctypedef struct pooling:
        Py_ssize_t planes
        Py_ssize_t[3] size
        Py_ssize_t[3] places
        Py_ssize_t[3] kernel
        Py_ssize_t[3] stride
        Py_ssize_t[3] padding
        Py_ssize_t[3] dilation
        int even
        int include_pad
        double divisor
    const char* pooling_obstacle
    int pooling_start() except -1
    int c_max "pool_max" (void*, void*, void*, int, pooling*, int) noexcept nogil
    int c_max_drawn "pool_max_drawn" (void*, void*, int, void*, int64_t*, pooling*, int) noexcept nogil
    int c_scatter "pool_scatter" (void*, void*, int, void*, Py_ssize_t, Py_ssize_t, Py_ssize_t, int, int) noexcept nogil
    int c_mean "pool_mean" (void*, void*, pooling*, int) noexcept nogil
    int c_mean_adjoint "pool_mean_adjoint" (void*, void*, pooling*, int) noexcept nogil

pooling_start()

#: So few elements are done before another thread could have been let run.
DEF FEW = 4096

#: Why these kernels serve nobody here, or None.
obstacle = None if pooling_obstacle == NULL else pooling_obstacle.decode()


cdef int kind_of(object x, Py_ssize_t dims) noexcept:
    """The type number of an array that the kernels can read, once it is contiguous; else -1."""
    if not cnp.PyArray_CheckExact(x) or not 1 <= dims <= 3 or not dims <= cnp.PyArray_NDIM(x) <= 32 or (
            cnp.PyArray_SIZE(x) == 0):
        return -1
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    return kind if (kind == cnp.NPY_FLOAT32 or kind == cnp.NPY_FLOAT64) and cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray> x) else -1


cdef bint describe(pooling* p, cnp.ndarray x, tuple size, tuple places, tuple kernel, tuple stride, tuple padding,
                   tuple dilation) except -1:
    """Fill ``p``; the dims of ``x`` give the planes, and sizes or places where these are None. What is not given is what changes
    nothing. False where there is no place.
    """
    cdef int d, at, dims = <int> len(size if places is None else places), lead = cnp.PyArray_NDIM(x) - dims
    p.planes = 1
    for d in range(lead):
        p.planes *= cnp.PyArray_DIM(x, d)
    for d in range(3 - dims):
        p.size[d] = p.places[d] = p.kernel[d] = p.stride[d] = p.dilation[d] = 1
        p.padding[d] = 0
    for d in range(dims):
        at = d + 3 - dims
        p.size[at] = cnp.PyArray_DIM(x, lead + d) if size is None else size[d]
        p.places[at] = cnp.PyArray_DIM(x, lead + d) if places is None else places[d]
        p.kernel[at] = p.stride[at] = p.dilation[at] = 1
        p.padding[at] = 0
        if kernel is not None:
            p.kernel[at], p.stride[at] = kernel[d], stride[d]
            if padding is not None:
                p.padding[at] = padding[d]
        if dilation is not None:
            p.dilation[at] = dilation[d]
        if p.size[at] == 0 or p.places[at] == 0:
            return False
    p.even = kernel is None
    p.include_pad = 0
    p.divisor = 0
    return True


cdef cnp.ndarray made(cnp.ndarray x, int dims, Py_ssize_t* size, int kind):
    """A new array with the planes of ``x`` and the last ``dims`` of three sizes."""
    cdef cnp.npy_intp[32] shape
    cdef int d, ndim = cnp.PyArray_NDIM(x)
    for d in range(ndim):
        shape[d] = cnp.PyArray_DIM(x, d) if d < ndim - dims else size[d - ndim + 3]
    return cnp.PyArray_EMPTY(ndim, shape, kind, 0)


cdef object checked(int failed, object out):
    if failed < 0:
        raise MemoryError("pooling needs more memory than there is")
    return out


def pool_max(x, tuple places, tuple kernel, tuple stride, tuple padding, tuple dilation, str positions):
    """The largest element of each window, or without a ``kernel`` of each even bin; and its position as "int32" or "int64", unless
    ``positions`` is None.
    """
    cdef pooling p
    cdef int dims = <int> len(places), kind = kind_of(x, dims), failed, wide = positions == "int64"
    cdef cnp.ndarray given, out, at = None
    if kind < 0 or not describe(&p, x, None, places, kernel, stride, padding, dilation):
        return None
    if p.size[0] * p.size[1] * p.size[2] >= 2**31:       # positions are counted in int32
        return None
    given = cnp.PyArray_GETCONTIGUOUS(x)
    out = made(given, dims, p.places, kind)
    cdef void* where = NULL
    if positions is not None:
        at = made(given, dims, p.places, cnp.NPY_INT64 if wide else cnp.NPY_INT32)
        where = cnp.PyArray_DATA(at)
    cdef void* source = cnp.PyArray_DATA(given)
    cdef void* result = cnp.PyArray_DATA(out)
    if cnp.PyArray_SIZE(given) < FEW:
        failed = c_max(source, result, where, wide, &p, kind == cnp.NPY_FLOAT64)
    else:
        with nogil:
            failed = c_max(source, result, where, wide, &p, kind == cnp.NPY_FLOAT64)
    return checked(failed, out if positions is None else (out, at))


def pool_max_drawn(x, samples, tuple kernel, tuple places):
    """The largest element of each window, and its position, where ``samples`` (planes.., dims) say where windows begin."""
    cdef pooling p
    cdef int dims = <int> len(places), kind = kind_of(x, dims), failed
    cdef cnp.ndarray given, drawn, out, at
    if kind < 0 or kind_of(samples, dims) != kind or not describe(&p, x, None, places, kernel, kernel, None, None):
        return None
    if cnp.PyArray_SIZE(samples) != p.planes * dims or p.size[0] * p.size[1] * p.size[2] >= 2**31:
        return None
    given, drawn = cnp.PyArray_GETCONTIGUOUS(x), cnp.PyArray_GETCONTIGUOUS(samples)
    out, at = made(given, dims, p.places, kind), made(given, dims, p.places, cnp.NPY_INT64)
    with nogil:
        failed = c_max_drawn(cnp.PyArray_DATA(given), cnp.PyArray_DATA(drawn), dims, cnp.PyArray_DATA(out),
                             <int64_t*> cnp.PyArray_DATA(at), &p, kind == cnp.NPY_FLOAT64)
    return checked(failed, (out, at))


def pool_scatter(g, positions, tuple size, bint replaces=False):
    """Add each element of ``g`` up at its position in an image of ``size``, or if it ``replaces`` put the last one there.

    None, too, where a position lies outside.
    """
    cdef pooling p
    cdef int dims = <int> len(size), kind = kind_of(g, dims), failed, index, d
    cdef cnp.ndarray given, at, out
    if kind < 0 or not cnp.PyArray_CheckExact(positions) or cnp.PyArray_NDIM(positions) != cnp.PyArray_NDIM(g):
        return None
    for d in range(cnp.PyArray_NDIM(g)):
        if cnp.PyArray_DIM(<cnp.ndarray> positions, d) != cnp.PyArray_DIM(<cnp.ndarray> g, d):
            return None
    index = cnp.PyArray_TYPE(positions)
    if index not in (cnp.NPY_INT32, cnp.NPY_INT64) or not describe(&p, g, size, None, None, None, None, None):
        return None
    given, at = cnp.PyArray_GETCONTIGUOUS(g), cnp.PyArray_GETCONTIGUOUS(positions)
    out = made(given, dims, p.size, kind)
    cdef Py_ssize_t places = p.places[0] * p.places[1] * p.places[2], area = p.size[0] * p.size[1] * p.size[2]
    with nogil:
        failed = c_scatter(cnp.PyArray_DATA(given), cnp.PyArray_DATA(at), index == cnp.NPY_INT64, cnp.PyArray_DATA(out), p.planes,
                           places, area, replaces, kind == cnp.NPY_FLOAT64)
    return None if failed else out


def pool_mean(x, tuple places, tuple kernel, tuple stride, tuple padding, bint include_pad, divisor, bint adjoint):
    """The mean of each window of ``x``, or its sum over ``divisor``; without ``kernel`` that of bins of even sizes.

    ``adjoint``: spread ``x`` back over an image whose sizes are ``places``.
    """
    cdef pooling p
    cdef int dims = <int> len(places), kind = kind_of(x, dims), failed, wide = kind == cnp.NPY_FLOAT64
    cdef cnp.ndarray given, out
    if kind < 0 or not describe(&p, x, places if adjoint else None, None if adjoint else places, kernel, stride, padding, None):
        return None
    p.include_pad = include_pad
    p.divisor = 0 if divisor is None else divisor
    given = cnp.PyArray_GETCONTIGUOUS(x)
    out = made(given, dims, p.size, kind) if adjoint else made(given, dims, p.places, kind)
    cdef void* source = cnp.PyArray_DATA(given)
    cdef void* result = cnp.PyArray_DATA(out)
    if cnp.PyArray_SIZE(given) < FEW and cnp.PyArray_SIZE(out) < FEW:
        failed = c_mean_adjoint(source, result, &p, wide) if adjoint else c_mean(source, result, &p, wide)
    else:
        with nogil:
            failed = c_mean_adjoint(source, result, &p, wide) if adjoint else c_mean(source, result, &p, wide)
    return checked(failed, out)
