# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Products of small matrices, and sums over rows, of float32 and float64.

A call of BLAS through NumPy takes 0.6 µs before it multiplies anything, and a transposed view as much again. As in
``small.pyx`` a kernel answers None where it does not apply, and the op's own forward or rule runs instead.
"""
cimport cython
cimport numpy as cnp
from libc.string cimport memset

cnp.import_array()

#: Above this many multiplications BLAS is faster.
DEF LIMIT = 1024

#: No sum has more terms one after the other than this: the error grows with them.
DEF TERMS = 64


cdef inline int kind_of(object x) noexcept:
    """The type number of a contiguous array of float32 or float64 with the alignment of its type; else -1."""
    cdef int kind
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISCARRAY_RO(<cnp.ndarray> x):
        return -1
    kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    return kind if kind == cnp.NPY_FLOAT32 or kind == cnp.NPY_FLOAT64 else -1


cdef inline cnp.ndarray matrix(Py_ssize_t rows, Py_ssize_t columns, int kind):
    cdef cnp.npy_intp[2] shape
    shape[0] = rows
    shape[1] = columns
    return cnp.PyArray_EMPTY(2, shape, kind, 0)


cdef inline void rows_times(cython.floating* x, Py_ssize_t dx, Py_ssize_t step, cython.floating* y, cython.floating* out,
                            Py_ssize_t n, Py_ssize_t m, Py_ssize_t inner) noexcept nogil:
    """``out[i, j] = sum_k x[i * dx + k * step] * y[k, j]``: whole rows of ``y`` at a time, which makes vector code."""
    cdef Py_ssize_t i, j, k
    cdef cython.floating factor
    memset(out, 0, n * m * sizeof(cython.floating))
    for i in range(n):
        for k in range(inner):
            factor = x[i * dx + k * step]
            for j in range(m):
                out[i * m + j] += factor * y[k * m + j]


cdef inline void rows_dot(cython.floating* x, cython.floating* y, cython.floating* out,
                          Py_ssize_t n, Py_ssize_t m, Py_ssize_t inner) noexcept nogil:
    """``out[i, j] = sum_k x[i, k] * y[j, k]``, in four sums side by side."""
    cdef Py_ssize_t i, j, k
    cdef cython.floating a, b, c, d
    cdef cython.floating *p
    cdef cython.floating *q
    for i in range(n):
        p = x + i * inner
        for j in range(m):
            q = y + j * inner
            a = b = c = d = 0
            k = 0
            while k + 4 <= inner:
                a += p[k] * q[k]
                b += p[k + 1] * q[k + 1]
                c += p[k + 2] * q[k + 2]
                d += p[k + 3] * q[k + 3]
                k += 4
            while k < inner:
                a += p[k] * q[k]
                k += 1
            out[i * m + j] = (a + b) + (c + d)


cdef bint are_small(object x, object y, int kind) noexcept:
    return kind >= 0 and kind_of(y) == kind and cnp.PyArray_NDIM(x) == 2 and cnp.PyArray_NDIM(y) == 2


cdef object multiply(x, y, bint turned):
    """``x @ y``, or ``x.T @ y`` where ``x`` is ``turned``."""
    cdef int kind = kind_of(x)
    cdef Py_ssize_t n, m, inner, dx, step
    cdef cnp.ndarray out
    if not are_small(x, y, kind):
        return None
    n, inner, m = cnp.PyArray_DIMS(x)[turned], cnp.PyArray_DIMS(x)[1 - turned], cnp.PyArray_DIMS(y)[1]
    if turned:
        dx, step = 1, n
    else:
        dx, step = inner, 1
    if cnp.PyArray_DIMS(y)[0] != inner or n * inner * m > LIMIT or inner > TERMS:
        return None
    out = matrix(n, m, kind)
    if kind == cnp.NPY_FLOAT32:
        rows_times(<float*> cnp.PyArray_DATA(x), dx, step, <float*> cnp.PyArray_DATA(y), <float*> cnp.PyArray_DATA(out),
                   n, m, inner)
    else:
        rows_times(<double*> cnp.PyArray_DATA(x), dx, step, <double*> cnp.PyArray_DATA(y), <double*> cnp.PyArray_DATA(out),
                   n, m, inner)
    return out


def product(x, y):
    """``x @ y``."""
    return multiply(x, y, False)


def product_turned(x, y, meta=None):
    """``x.T @ y``."""
    return multiply(x, y, True)


def product_with_turned(x, y):
    """``x @ y.T``."""
    return affine(x, y, None)


def affine(x, weight, bias):
    """``x @ weight.T + bias``; the bias may be None."""
    cdef int kind = kind_of(x)
    cdef Py_ssize_t n, m, inner
    cdef cnp.ndarray out
    if not are_small(x, weight, kind):
        return None
    n, inner, m = cnp.PyArray_DIMS(x)[0], cnp.PyArray_DIMS(x)[1], cnp.PyArray_DIMS(weight)[0]
    if cnp.PyArray_DIMS(weight)[1] != inner or n * inner * m > LIMIT or inner > 4 * TERMS:
        return None
    if bias is not None and (kind_of(bias) != kind or cnp.PyArray_NDIM(bias) != 1 or cnp.PyArray_DIMS(bias)[0] != m):
        return None
    out = matrix(n, m, kind)
    if kind == cnp.NPY_FLOAT32:
        rows_dot(<float*> cnp.PyArray_DATA(x), <float*> cnp.PyArray_DATA(weight), <float*> cnp.PyArray_DATA(out), n, m, inner)
        if bias is not None:
            add_row(<float*> cnp.PyArray_DATA(out), <float*> cnp.PyArray_DATA(bias), n, m)
    else:
        rows_dot(<double*> cnp.PyArray_DATA(x), <double*> cnp.PyArray_DATA(weight), <double*> cnp.PyArray_DATA(out), n, m, inner)
        if bias is not None:
            add_row(<double*> cnp.PyArray_DATA(out), <double*> cnp.PyArray_DATA(bias), n, m)
    return out


cdef inline void add_row(cython.floating* out, cython.floating* row, Py_ssize_t n, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t i, j
    for i in range(n):
        for j in range(m):
            out[i * m + j] += row[j]


cdef inline void add_rows(cython.floating* x, cython.floating* out, Py_ssize_t n, Py_ssize_t m) noexcept nogil:
    """``out[j] = sum_i x[i, j]``, added up in float64."""
    cdef Py_ssize_t i, j
    cdef double[LIMIT] total
    memset(total, 0, m * sizeof(double))
    for i in range(n):
        for j in range(m):
            total[j] += x[i * m + j]
    for j in range(m):
        out[j] = <cython.floating> total[j]


def sum_to(x, tuple shape):
    """The sum of ``x`` over the leading dims that ``shape`` lacks."""
    cdef int kind = kind_of(x)
    cdef int ndim = <int> len(shape), extra, i
    cdef Py_ssize_t n = 1, m = 1
    cdef cnp.ndarray out
    if kind < 0 or cnp.PyArray_NDIM(x) <= ndim or cnp.PyArray_SIZE(x) > LIMIT:
        return None
    extra = cnp.PyArray_NDIM(x) - ndim
    for i in range(extra):
        n *= cnp.PyArray_DIMS(x)[i]
    for i in range(ndim):
        if cnp.PyArray_DIMS(x)[extra + i] != <Py_ssize_t> shape[i]:
            return None
        m *= cnp.PyArray_DIMS(x)[extra + i]
    if kind == cnp.NPY_FLOAT64 and n > TERMS:
        return None
    out = cnp.PyArray_EMPTY(ndim, cnp.PyArray_DIMS(x) + extra, kind, 0)
    if kind == cnp.NPY_FLOAT32:
        add_rows(<float*> cnp.PyArray_DATA(x), <float*> cnp.PyArray_DATA(out), n, m)
    else:
        add_rows(<double*> cnp.PyArray_DATA(x), <double*> cnp.PyArray_DATA(out), n, m)
    return out
