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

#: Why these kernels serve nobody here, or None.
obstacle = None if pooling_obstacle == NULL else pooling_obstacle.decode()


cdef int kind_of(object x, Py_ssize_t dims) noexcept:
    """The type number of an array that the kernels can read, once it is contiguous; else -1."""
    if not cnp.PyArray_CheckExact(x) or not 1 <= dims <= 3 or cnp.PyArray_NDIM(x) < dims or cnp.PyArray_SIZE(x) == 0:
        return -1
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    return kind if (kind == cnp.NPY_FLOAT32 or kind == cnp.NPY_FLOAT64) and cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray> x) else -1


cdef int describe(pooling* p, tuple shape, tuple size, tuple places, tuple kernel, tuple stride, tuple padding,
                  tuple dilation) except -1:
    """Fill ``p``; ``shape`` gives the planes. What is not given is what changes nothing."""
    cdef int d, at, dims = <int> len(size)
    p.planes = 1
    for d in range(<int> len(shape) - dims):
        p.planes *= <Py_ssize_t> shape[d]
    for d in range(3):
        p.size[d] = p.places[d] = p.kernel[d] = p.stride[d] = p.dilation[d] = 1
        p.padding[d] = 0
    for d in range(dims):
        at = d + 3 - dims
        p.size[at] = size[d]
        p.places[at] = places[d]
        if kernel is not None:
            p.kernel[at], p.stride[at], p.padding[at] = kernel[d], stride[d], padding[d]
        if dilation is not None:
            p.dilation[at] = dilation[d]
    p.even = kernel is None
    p.include_pad = 0
    p.divisor = 0
    return 0


cdef cnp.ndarray made(tuple lead, tuple size, int kind):
    cdef cnp.npy_intp[32] shape
    cdef int d = 0
    for n in lead + size:
        shape[d] = n
        d += 1
    return cnp.PyArray_EMPTY(d, shape, kind, 0)


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
    if kind < 0 or 0 in places:
        return None
    shape = x.shape
    lead, size = shape[:len(shape) - dims], shape[len(shape) - dims:]
    describe(&p, shape, size, places, kernel, stride, padding, dilation)
    if p.size[0] * p.size[1] * p.size[2] >= 2**31:       # positions are counted in int32
        return None
    given = cnp.PyArray_GETCONTIGUOUS(x)
    out = made(lead, places, kind)
    cdef void* where = NULL
    if positions is not None:
        at = made(lead, places, cnp.NPY_INT64 if wide else cnp.NPY_INT32)
        where = cnp.PyArray_DATA(at)
    cdef void* source = cnp.PyArray_DATA(given)
    cdef void* result = cnp.PyArray_DATA(out)
    with nogil:
        failed = c_max(source, result, where, wide, &p, kind == cnp.NPY_FLOAT64)
    return checked(failed, out if positions is None else (out, at))


def pool_max_drawn(x, samples, tuple kernel, tuple places):
    """The largest element of each window, and its position, where ``samples`` (planes.., dims) say where windows begin."""
    cdef pooling p
    cdef int dims = <int> len(places), kind = kind_of(x, dims), failed
    cdef cnp.ndarray given, drawn, out, at
    if kind < 0 or 0 in places or kind_of(samples, dims) != kind:
        return None
    shape = x.shape
    lead, size = shape[:len(shape) - dims], shape[len(shape) - dims:]
    describe(&p, shape, size, places, kernel, kernel, (0,) * dims, None)
    if cnp.PyArray_SIZE(samples) != p.planes * dims or p.size[0] * p.size[1] * p.size[2] >= 2**31:
        return None
    given, drawn = cnp.PyArray_GETCONTIGUOUS(x), cnp.PyArray_GETCONTIGUOUS(samples)
    out, at = made(lead, places, kind), made(lead, places, cnp.NPY_INT64)
    with nogil:
        failed = c_max_drawn(cnp.PyArray_DATA(given), cnp.PyArray_DATA(drawn), dims, cnp.PyArray_DATA(out),
                             <int64_t*> cnp.PyArray_DATA(at), &p, kind == cnp.NPY_FLOAT64)
    return checked(failed, (out, at))


def pool_scatter(g, positions, tuple size, bint replaces=False):
    """Add each element of ``g`` up at its position in an image of ``size``, or if it ``replaces`` put the last one there.

    None, too, where a position lies outside.
    """
    cdef int dims = <int> len(size), kind = kind_of(g, dims), failed, index
    cdef Py_ssize_t planes = 1, area = 1
    cdef cnp.ndarray given, at, out
    if kind < 0 or 0 in size or not cnp.PyArray_CheckExact(positions) or positions.shape != g.shape:
        return None
    index = cnp.PyArray_TYPE(positions)
    if index not in (cnp.NPY_INT32, cnp.NPY_INT64):
        return None
    lead = g.shape[:cnp.PyArray_NDIM(g) - dims]
    for n in lead:
        planes *= <Py_ssize_t> n
    for n in size:
        area *= <Py_ssize_t> n
    given, at, out = cnp.PyArray_GETCONTIGUOUS(g), cnp.PyArray_GETCONTIGUOUS(positions), made(lead, size, kind)
    cdef Py_ssize_t places = cnp.PyArray_SIZE(given) // planes
    with nogil:
        failed = c_scatter(cnp.PyArray_DATA(given), cnp.PyArray_DATA(at), index == cnp.NPY_INT64, cnp.PyArray_DATA(out), planes,
                           places, area, replaces, kind == cnp.NPY_FLOAT64)
    return None if failed else out


def pool_mean(x, tuple places, tuple kernel, tuple stride, tuple padding, bint include_pad, divisor, bint adjoint):
    """The mean of each window of ``x``, or its sum over ``divisor``; without ``kernel`` that of bins of even sizes.

    ``adjoint``: spread ``x`` back over an image whose sizes are ``places``.
    """
    cdef pooling p
    cdef int dims = <int> len(places), kind = kind_of(x, dims), failed
    cdef cnp.ndarray given, out
    if kind < 0 or 0 in places:
        return None
    shape = x.shape
    lead, size = shape[:len(shape) - dims], shape[len(shape) - dims:]
    if adjoint:
        describe(&p, shape, places, size, kernel, stride, padding, None)
    else:
        describe(&p, shape, size, places, kernel, stride, padding, None)
    p.include_pad = include_pad
    p.divisor = 0 if divisor is None else divisor
    given, out = cnp.PyArray_GETCONTIGUOUS(x), made(lead, places, kind)
    with nogil:
        if adjoint:
            failed = c_mean_adjoint(cnp.PyArray_DATA(given), cnp.PyArray_DATA(out), &p, kind == cnp.NPY_FLOAT64)
        else:
            failed = c_mean(cnp.PyArray_DATA(given), cnp.PyArray_DATA(out), &p, kind == cnp.NPY_FLOAT64)
    return checked(failed, out)
