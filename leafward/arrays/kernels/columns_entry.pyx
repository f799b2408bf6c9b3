# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/columns_loops.c
"""Columns of windows in C, for float32 and float64 and one to three dims: see ``unfolding.py`` and ``convolution.py``.

As in ``small.pyx`` a kernel answers None where it does not apply, and NumPy does the work.
"""
cimport numpy as cnp

cnp.import_array()

cdef extern from "columns_loops.h":
    ctypedef struct images:
        char* data
        Py_ssize_t[5] size
        Py_ssize_t[5] stride
    ctypedef struct windows:
        Py_ssize_t[3] stride
        Py_ssize_t[3] padding
        Py_ssize_t[3] dilation
        Py_ssize_t groups
    ctypedef struct columns:
        char* data
        Py_ssize_t image, row
        Py_ssize_t[3] kernel
        Py_ssize_t[3] places
    const char* columns_obstacle
    int columns_start() except -1
    int c_unfold "unfold" (images*, columns*, windows*, int) noexcept nogil
    int c_fold "fold" (columns*, images*, windows*, int) noexcept nogil

columns_start()

#: Why these kernels serve nobody here, or None.
obstacle = None if columns_obstacle == NULL else columns_obstacle.decode()


cdef int seen(cnp.ndarray x, images* into) except -1:
    """Its type number where the kernels can read the images; else 0."""
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


cdef Py_ssize_t describe(windows* w, columns* y, tuple kernel, tuple places, tuple stride, tuple padding, tuple dilation) except -1:
    """Fill both but for the columns' memory; how many places there are."""
    cdef int d, at, dims = <int> len(kernel)
    cdef Py_ssize_t count = 1
    for d in range(3):
        w.stride[d] = w.dilation[d] = y.kernel[d] = y.places[d] = 1
        w.padding[d] = 0
    for d in range(dims):
        at = d + 3 - dims
        w.stride[at], w.padding[at], w.dilation[at] = stride[d], padding[d], dilation[d]
        y.kernel[at], y.places[at] = kernel[d], places[d]
        count *= y.places[at]
    w.groups = 1
    return count


cdef bint laid_out(columns* y, cnp.ndarray given, int kind, Py_ssize_t n, Py_ssize_t rows, Py_ssize_t places, bint together) except -1:
    """Where the columns lie: ``n rows places``, or if ``together`` ``rows (n places)``."""
    if cnp.PyArray_TYPE(given) != kind or not cnp.PyArray_IS_C_CONTIGUOUS(given) or cnp.PyArray_SIZE(given) != n * rows * places:
        return False
    y.data = <char*> cnp.PyArray_DATA(given)
    y.image, y.row = (places, n * places) if together else (rows * places, places)
    return True


cdef object checked(int failed, object out):
    if failed:
        raise MemoryError("columns of windows need more memory than there is")
    return out


def unfold(x, out, tuple kernel, tuple places, tuple stride, tuple padding, tuple dilation, bint together):
    """The windows of ``x`` into ``out``, which is ``n (c k) (h w)``, or if ``together`` ``(c k) (n h w)``."""
    cdef images source
    cdef columns y
    cdef windows w
    cdef int kind, failed
    cdef Py_ssize_t count = describe(&w, &y, kernel, places, stride, padding, dilation)
    if not cnp.PyArray_CheckExact(x) or count == 0:
        return None
    kind = seen(x, &source)
    if kind == 0 or not laid_out(&y, out, kind, source.size[0], source.size[1] * y.kernel[0] * y.kernel[1] * y.kernel[2], count, together):
        return None
    with nogil:
        failed = c_unfold(&source, &y, &w, kind == cnp.NPY_FLOAT64)
    return checked(failed, out)


def fold(given, out, tuple kernel, tuple places, tuple stride, tuple padding, tuple dilation, bint together):
    """Columns, laid out as above, added up to the images of ``out``, which are dense."""
    cdef images to
    cdef columns y
    cdef windows w
    cdef int kind, failed
    cdef Py_ssize_t count = describe(&w, &y, kernel, places, stride, padding, dilation)
    if not cnp.PyArray_CheckExact(given) or count == 0:
        return None
    kind = seen(out, &to)
    given = cnp.PyArray_GETCONTIGUOUS(given)
    if kind == 0 or not laid_out(&y, given, kind, to.size[0], to.size[1] * y.kernel[0] * y.kernel[1] * y.kernel[2], count, together):
        return None
    with nogil:
        failed = c_fold(&y, &to, &w, kind == cnp.NPY_FLOAT64)
    return checked(failed, out)
