# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Products of small matrices, with sums of them, cross products, and sums over rows, of float32 and float64.

A call of BLAS through NumPy takes 0.6 µs before it multiplies anything, and a transposed view as much again. As in
``small.pyx`` a kernel answers None where it does not apply, and the op's own forward or rule runs instead.
"""
cimport cython
cimport numpy as cnp
from libc.string cimport memset

from leafward.arrays.kernels import products_entry

cnp.import_array()

#: Products of any size; None where these run on NumPy.
cdef object any_product = None if products_entry.obstacle else products_entry.product

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


cdef object multiply_any(x, y, int ndim, bint turn_x, bint turn_y):
    """``x @ y`` of matrices, or of batches of three dims, with the last two of one exchanged first."""
    if any_product is None or not cnp.PyArray_CheckExact(x) or not cnp.PyArray_CheckExact(y):
        return None
    if cnp.PyArray_NDIM(x) != ndim or cnp.PyArray_NDIM(y) != ndim or ndim == 3 and cnp.PyArray_DIM(x, 0) != cnp.PyArray_DIM(y, 0):
        return None
    if turn_x:
        x = cnp.PyArray_SwapAxes(<cnp.ndarray> x, ndim - 2, ndim - 1)
    if turn_y:
        y = cnp.PyArray_SwapAxes(<cnp.ndarray> y, ndim - 2, ndim - 1)
    return any_product(x, y)


def product(x, y):
    """``x @ y``."""
    out = multiply(x, y, False)
    return out if out is not None else multiply_any(x, y, 2, False, False)


def product_turned(x, y, meta=None):
    """``x.T @ y``."""
    out = multiply(x, y, True)
    return out if out is not None else multiply_any(x, y, 2, True, False)


def product_with_turned(x, y):
    """``x @ y.T``."""
    out = affine(x, y, None)
    return out if out is not None else multiply_any(x, y, 2, False, True)


def batch_product(x, y):
    """``x[b] @ y[b]``."""
    return multiply_any(x, y, 3, False, False)


def batch_product_turned(x, y):
    """``x[b].T @ y[b]``."""
    return multiply_any(x, y, 3, True, False)


def batch_product_with_turned(x, y):
    """``x[b] @ y[b].T``."""
    return multiply_any(x, y, 3, False, True)


def affine(x, weight, bias):
    """``x @ weight.T + bias``; the bias may be None."""
    cdef int kind = kind_of(x)
    cdef Py_ssize_t n, m, inner
    cdef cnp.ndarray out
    if not are_small(x, weight, kind):
        return None
    n, inner, m = cnp.PyArray_DIMS(x)[0], cnp.PyArray_DIMS(x)[1], cnp.PyArray_DIMS(weight)[0]
    if cnp.PyArray_DIMS(weight)[1] != inner:
        return None
    if bias is not None and (kind_of(bias) != kind or cnp.PyArray_NDIM(bias) != 1 or cnp.PyArray_DIMS(bias)[0] != m):
        return None
    if n * inner * m > LIMIT or inner > 4 * TERMS:
        found = multiply_any(x, weight, 2, False, True)
        if found is not None and bias is not None:
            if kind == cnp.NPY_FLOAT32:
                add_row(<float*> cnp.PyArray_DATA(found), <float*> cnp.PyArray_DATA(bias), n, m)
            else:
                add_row(<double*> cnp.PyArray_DATA(found), <double*> cnp.PyArray_DATA(bias), n, m)
        return found
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


#: Products with a vector are ours up to this size.
DEF VECTOR_LIMIT = 4096


cdef inline void add_scaled(cython.floating* x, cython.floating* product, cython.floating* out, Py_ssize_t count,
                            cython.floating beta, cython.floating alpha) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        out[i] = x[i] * beta + product[i] * alpha


cdef inline void multiply_batch(cython.floating* x, cython.floating* left, cython.floating* right, cython.floating* out,
                                cython.floating* products, Py_ssize_t batch, Py_ssize_t n, Py_ssize_t inner, Py_ssize_t m,
                                double beta, double alpha) noexcept nogil:
    cdef Py_ssize_t b
    for b in range(batch):
        if m == 1:
            rows_dot(left + b * n * inner, right + b * inner, products + b * n, n, 1, inner)
        else:
            rows_times(left + b * n * inner, inner, 1, right + b * inner * m, products + b * n * m, n, m, inner)
    add_scaled(x, products, out, batch * n * m, <cython.floating> beta, <cython.floating> alpha)


def added_product(x, left, right, beta=1, alpha=1, out=None):
    """``beta * x + alpha * (left @ right)``: of matrices, of batches of them, of a matrix and a vector; ``out`` may be any input."""
    cdef int kind = kind_of(x), ndim, d
    cdef Py_ssize_t batch = 1, n, inner, m = 1
    cdef double[VECTOR_LIMIT] products
    cdef double factor, other
    cdef bint large
    cdef cnp.ndarray target
    if kind < 0 or kind_of(left) != kind or kind_of(right) != kind or beta == 0 or alpha == 0 \
            or not (type(beta) is int or type(beta) is float) or not (type(alpha) is int or type(alpha) is float):
        return None
    ndim = cnp.PyArray_NDIM(left)
    if ndim < 2 or ndim > 3 or cnp.PyArray_NDIM(x) != cnp.PyArray_NDIM(right) or cnp.PyArray_NDIM(right) != ndim - (
            ndim == 2 and cnp.PyArray_NDIM(right) == 1):
        return None
    n, inner = cnp.PyArray_DIMS(left)[ndim - 2], cnp.PyArray_DIMS(left)[ndim - 1]
    if cnp.PyArray_NDIM(right) == ndim:
        m = cnp.PyArray_DIMS(right)[ndim - 1]
        if cnp.PyArray_DIMS(right)[ndim - 2] != inner or cnp.PyArray_DIMS(x)[ndim - 1] != m or cnp.PyArray_DIMS(x)[ndim - 2] != n:
            return None
        if ndim == 3:
            batch = cnp.PyArray_DIMS(left)[0]
            if cnp.PyArray_DIMS(right)[0] != batch or cnp.PyArray_DIMS(x)[0] != batch:
                return None
    elif cnp.PyArray_DIMS(right)[0] != inner or cnp.PyArray_DIMS(x)[0] != n:
        return None
    if inner == 0:
        return None
    factor, other = beta, alpha
    large = batch * n * inner * m > (VECTOR_LIMIT if m == 1 else LIMIT) or inner > (4 * TERMS if m == 1 else TERMS)
    if out is None:
        target = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x), kind, 0)
    elif kind_of(out) != kind or not cnp.PyArray_ISWRITEABLE(<cnp.ndarray> out) or cnp.PyArray_NDIM(out) != cnp.PyArray_NDIM(x):
        return None
    else:
        target = out
        for d in range(cnp.PyArray_NDIM(x)):
            if cnp.PyArray_DIMS(target)[d] != cnp.PyArray_DIMS(x)[d]:
                return None
    if large:
        found = None if cnp.PyArray_NDIM(right) == 1 else multiply_any(left, right, ndim, False, False)
        if found is None:
            return None
        if kind == cnp.NPY_FLOAT32:
            add_scaled(<float*> cnp.PyArray_DATA(x), <float*> cnp.PyArray_DATA(found), <float*> cnp.PyArray_DATA(target),
                       cnp.PyArray_SIZE(x), <float> factor, <float> other)
        else:
            add_scaled(<double*> cnp.PyArray_DATA(x), <double*> cnp.PyArray_DATA(found), <double*> cnp.PyArray_DATA(target),
                       cnp.PyArray_SIZE(x), factor, other)
        return target
    if kind == cnp.NPY_FLOAT32:
        multiply_batch(<float*> cnp.PyArray_DATA(x), <float*> cnp.PyArray_DATA(left), <float*> cnp.PyArray_DATA(right),
                       <float*> cnp.PyArray_DATA(target), <float*> products, batch, n, inner, m, factor, other)
    else:
        multiply_batch(<double*> cnp.PyArray_DATA(x), <double*> cnp.PyArray_DATA(left), <double*> cnp.PyArray_DATA(right),
                       <double*> cnp.PyArray_DATA(target), products, batch, n, inner, m, factor, other)
    return target


cdef inline void cross_lines(cython.floating* x, cython.floating* y, cython.floating* out, Py_ssize_t before, Py_ssize_t inner) noexcept nogil:
    cdef Py_ssize_t b, i
    for b in range(before):
        for i in range(inner):
            out[i] = x[inner + i] * y[2 * inner + i] - x[2 * inner + i] * y[inner + i]
            out[inner + i] = x[2 * inner + i] * y[i] - x[i] * y[2 * inner + i]
            out[2 * inner + i] = x[i] * y[inner + i] - x[inner + i] * y[i]
        x, y, out = x + 3 * inner, y + 3 * inner, out + 3 * inner


def cross_along(x, y, Py_ssize_t dim=-1):
    """The cross products along a dim of three."""
    cdef int kind = kind_of(x), ndim, d
    cdef Py_ssize_t inner = 1
    cdef cnp.ndarray out
    if kind < 0 or kind_of(y) != kind or cnp.PyArray_NDIM(x) != cnp.PyArray_NDIM(y):
        return None
    ndim = cnp.PyArray_NDIM(x)
    if dim < 0:
        dim += ndim
    if dim < 0 or dim >= ndim or cnp.PyArray_DIMS(x)[dim] != 3:
        return None
    for d in range(ndim):
        if cnp.PyArray_DIMS(x)[d] != cnp.PyArray_DIMS(y)[d]:
            return None
        if d > dim:
            inner *= cnp.PyArray_DIMS(x)[d]
    out = cnp.PyArray_EMPTY(ndim, cnp.PyArray_DIMS(x), kind, 0)
    if inner == 0:
        return out
    if kind == cnp.NPY_FLOAT32:
        cross_lines(<float*> cnp.PyArray_DATA(x), <float*> cnp.PyArray_DATA(y), <float*> cnp.PyArray_DATA(out),
                    cnp.PyArray_SIZE(x) // (3 * inner), inner)
    else:
        cross_lines(<double*> cnp.PyArray_DATA(x), <double*> cnp.PyArray_DATA(y), <double*> cnp.PyArray_DATA(out),
                    cnp.PyArray_SIZE(x) // (3 * inner), inner)
    return out


def sum_of_diagonal(x):
    """The sum of a matrix' diagonal; of float32 it is added up in float64."""
    cdef int kind = -1
    cdef Py_ssize_t i, count, step
    cdef double total = 0
    cdef char* at
    cdef cnp.ndarray out
    if cnp.PyArray_CheckExact(x) and cnp.PyArray_NDIM(x) == 2 and cnp.PyArray_ISALIGNED(<cnp.ndarray> x) \
            and cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray> x):
        kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    if kind != cnp.NPY_FLOAT32 and kind != cnp.NPY_FLOAT64:
        return None
    count = min(cnp.PyArray_DIMS(x)[0], cnp.PyArray_DIMS(x)[1])
    if kind == cnp.NPY_FLOAT64 and count > TERMS:
        return None
    step, at = cnp.PyArray_STRIDES(x)[0] + cnp.PyArray_STRIDES(x)[1], <char*> cnp.PyArray_DATA(x)
    out = cnp.PyArray_EMPTY(0, NULL, kind, 0)
    for i in range(count):
        total += (<float*> (at + i * step))[0] if kind == cnp.NPY_FLOAT32 else (<double*> (at + i * step))[0]
    if kind == cnp.NPY_FLOAT32:
        (<float*> cnp.PyArray_DATA(out))[0] = <float> total
    else:
        (<double*> cnp.PyArray_DATA(out))[0] = total
    return out
