# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/factors_loops.c
"""Triangular factors, and systems with them, for ``elimination.py`` and ``factorization.py``: of float32 and float64.

As in ``small.pyx`` a kernel answers None where it does not apply, and NumPy does the work.
"""
cimport cython
cimport numpy as cnp
from libc.math cimport fabs, frexp, isfinite, ldexp, log
from libc.stdint cimport int32_t

from leafward.arrays.kernels.row_arrays cimport in_order, width_of

cnp.import_array()

cdef extern from "factors_loops.h":
    ctypedef struct factors:
        void* data
        const void* from_ "from"
        Py_ssize_t count, rows, columns
        int32_t* pivots
        int32_t* info
        int wide, failed
    ctypedef struct triangles:
        const void* a
        Py_ssize_t step, count, size, columns
        void* x
        int upper, unit, wide, failed
    const char* factors_obstacle
    int factors_start() except -1
    int lu_factors(factors*) noexcept nogil
    void cholesky_factors(const factors*) noexcept nogil
    int symmetric_factors(factors*) noexcept nogil
    int solve_triangles(triangles*) noexcept nogil

factors_start()

#: Why these kernels serve nobody here, or None.
obstacle = None if factors_obstacle == NULL else factors_obstacle.decode()


cdef object copy_of(object a, factors* f):
    """A row-major copy of the matrices, to be factorized there; None for what these kernels do not take."""
    cdef int width = width_of(a), ndim
    if width == 0 or cnp.PyArray_NDIM(a) < 2 or cnp.PyArray_SIZE(a) == 0:
        return None
    ndim = cnp.PyArray_NDIM(a)
    out = cnp.PyArray_NewCopy(a, cnp.NPY_CORDER)
    f.data, f.wide = cnp.PyArray_DATA(out), width == 8
    f.rows, f.columns = cnp.PyArray_DIM(out, ndim - 2), cnp.PyArray_DIM(out, ndim - 1)
    f.count = cnp.PyArray_SIZE(out) // (f.rows * f.columns)
    return out


def lu(a):
    """As ``elimination.lu``."""
    cdef factors f
    cdef cnp.npy_intp[32] shape
    cdef int d, ndim
    out = copy_of(a, &f)
    if out is None or cnp.PyArray_NDIM(a) > 32:
        return None
    ndim = cnp.PyArray_NDIM(a)
    for d in range(ndim - 2):
        shape[d] = cnp.PyArray_DIM(a, d)
    shape[ndim - 2] = min(f.rows, f.columns)
    pivots = cnp.PyArray_EMPTY(ndim - 1, shape, cnp.NPY_INT32, 0)
    info = cnp.PyArray_EMPTY(ndim - 2, shape, cnp.NPY_INT32, 0)
    f.pivots, f.info = <int32_t*> cnp.PyArray_DATA(pivots), <int32_t*> cnp.PyArray_DATA(info)
    f.failed = 0
    with nogil:
        lu_factors(&f)
    if f.failed:
        raise MemoryError("a factorization needs more memory than there is")
    return out, pivots, info


def cholesky(a):
    """The lower factors, and for each matrix 0, or the step that found no positive pivot: what there is then is of no use."""
    cdef factors f
    out = copy_of(a, &f)
    if out is None or f.rows != f.columns:
        return None
    info = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(a) - 2, cnp.PyArray_DIMS(a), cnp.NPY_INT32, 0)
    f.info = <int32_t*> cnp.PyArray_DATA(info)
    with nogil:
        cholesky_factors(&f)
    return out, info


def symmetric(a):
    """As ``symmetric.ldl`` of real matrices."""
    cdef factors f
    cdef int width = width_of(a), ndim, kind
    if width == 0 or cnp.PyArray_NDIM(a) < 2 or cnp.PyArray_SIZE(a) == 0:
        return None
    ndim, kind = cnp.PyArray_NDIM(a), cnp.PyArray_TYPE(a)
    f.rows = f.columns = cnp.PyArray_DIM(a, ndim - 1)
    if cnp.PyArray_DIM(a, ndim - 2) != f.rows:
        return None
    a = in_order(a)
    out = cnp.PyArray_EMPTY(ndim, cnp.PyArray_DIMS(a), kind, 0)
    pivots = cnp.PyArray_EMPTY(ndim - 1, cnp.PyArray_DIMS(a), cnp.NPY_INT32, 0)
    info = cnp.PyArray_EMPTY(ndim - 2, cnp.PyArray_DIMS(a), cnp.NPY_INT32, 0)
    f.from_, f.data, f.wide, f.failed = cnp.PyArray_DATA(a), cnp.PyArray_DATA(out), width == 8, 0
    f.pivots, f.info = <int32_t*> cnp.PyArray_DATA(pivots), <int32_t*> cnp.PyArray_DATA(info)
    f.count = cnp.PyArray_SIZE(a) // (f.rows * f.columns)
    with nogil:
        symmetric_factors(&f)
    if f.failed:
        raise MemoryError("a factorization needs more memory than there is")
    return cnp.PyArray_SwapAxes(<cnp.ndarray> out, ndim - 2, ndim - 1), pivots, info


def solve_in_place(a, x, bint upper, bint unit):
    """``x`` becomes ``a``'s solution for it: both row-major, ``a`` one matrix or as many as ``x``. Whether that was done."""
    cdef triangles t
    cdef int width = width_of(a), na, nx
    if width == 0 or width_of(x) != width or not cnp.PyArray_ISCARRAY(x) or not cnp.PyArray_ISCARRAY_RO(a):
        return False
    na, nx = cnp.PyArray_NDIM(a), cnp.PyArray_NDIM(x)
    if na < 2 or nx < 2 or cnp.PyArray_SIZE(a) == 0 or cnp.PyArray_SIZE(x) == 0:
        return False
    t.size, t.columns = cnp.PyArray_DIM(x, nx - 2), cnp.PyArray_DIM(x, nx - 1)
    if cnp.PyArray_DIM(a, na - 1) != t.size or cnp.PyArray_DIM(a, na - 2) != t.size:
        return False
    t.count = cnp.PyArray_SIZE(x) // (t.size * t.columns)
    t.step = 0 if cnp.PyArray_SIZE(a) == t.size * t.size else t.size * t.size
    if t.step and cnp.PyArray_SIZE(a) != t.count * t.step:
        return False
    t.a, t.x = cnp.PyArray_DATA(a), cnp.PyArray_DATA(x)
    t.upper, t.unit, t.wide, t.failed = upper, unit, width == 8, 0
    with nogil:
        solve_triangles(&t)
    if t.failed:
        raise MemoryError("a triangular system needs more memory than there is")
    return True


def order_of(pivots, Py_ssize_t rows):
    """As ``elimination.permutation``; None for pivots of another type than int32, or out of range."""
    cdef cnp.npy_intp[32] shape
    cdef const int32_t* pivot
    cdef cnp.npy_int64* order
    cdef Py_ssize_t steps, i, k, other, number
    cdef int d, ndim
    if not cnp.PyArray_CheckExact(pivots) or cnp.PyArray_TYPE(pivots) != cnp.NPY_INT32 or not cnp.PyArray_ISCARRAY_RO(pivots):
        return None
    ndim = cnp.PyArray_NDIM(pivots)
    if ndim == 0 or ndim > 32 or cnp.PyArray_SIZE(pivots) == 0:
        return None
    for d in range(ndim - 1):
        shape[d] = cnp.PyArray_DIM(pivots, d)
    shape[ndim - 1] = rows
    out = cnp.PyArray_EMPTY(ndim, shape, cnp.NPY_INT64, 0)
    steps = cnp.PyArray_DIM(pivots, ndim - 1)
    for number in range(cnp.PyArray_SIZE(pivots) // steps):
        pivot = <const int32_t*> cnp.PyArray_DATA(pivots) + number * steps
        order = <cnp.npy_int64*> cnp.PyArray_DATA(out) + number * rows
        for i in range(rows):
            order[i] = i
        for k in range(steps):
            other = pivot[k] - 1
            if other < 0 or other >= rows or k >= rows:
                return None
            order[k], order[other] = order[other], order[k]
    return out

cdef void exchange_rows(char* x, const int32_t* pivots, Py_ssize_t steps, Py_ssize_t width) noexcept nogil:
    """Rows of ``width`` bytes changed places as the elimination changed them."""
    cdef Py_ssize_t k, i
    cdef char* other
    for k in range(steps):
        other = x + (pivots[k] - 1) * width
        if other != x + k * width:
            for i in range(width):
                x[k * width + i], other[i] = other[i], x[k * width + i]


cdef object solved(object factors, object pivots, object b):
    """As :func:`solve`, of factors without a zero pivot."""
    cdef int ndim = cnp.PyArray_NDIM(factors)
    cdef Py_ssize_t number, n = cnp.PyArray_DIM(factors, ndim - 1), width
    if b is None:
        x = cnp.PyArray_ZEROS(ndim, cnp.PyArray_DIMS(factors), cnp.PyArray_TYPE(factors), 0)
        set_diagonals(x, n)
    else:
        x = cnp.PyArray_NewCopy(b, cnp.NPY_CORDER)
    width = cnp.PyArray_DIM(x, ndim - 1) * cnp.PyArray_ITEMSIZE(x)
    for number in range(cnp.PyArray_SIZE(factors) // (n * n)):
        exchange_rows(<char*> cnp.PyArray_DATA(x) + number * n * width, <const int32_t*> cnp.PyArray_DATA(pivots) + number * n,
                      n, width)
    solve_in_place(factors, x, False, True)
    solve_in_place(factors, x, True, False)
    return x


cdef bint any_zero(object zeros):
    cdef const int32_t* info = <const int32_t*> cnp.PyArray_DATA(zeros)
    cdef Py_ssize_t number
    for number in range(cnp.PyArray_SIZE(zeros)):
        if info[number]:
            return True
    return False


cdef bint is_square(object a):
    return width_of(a) != 0 and cnp.PyArray_NDIM(a) >= 2 and \
        cnp.PyArray_DIM(a, cnp.PyArray_NDIM(a) - 1) == cnp.PyArray_DIM(a, cnp.PyArray_NDIM(a) - 2)


def solve(a, b):
    """``x`` with ``a @ x = b`` for as many matrices on both sides, where ``b`` is None the inverses, and the first zero pivots.

    Where there is a zero pivot there is no ``x``.
    """
    cdef int d
    if not is_square(a) or b is not None and (width_of(b) != width_of(a) or cnp.PyArray_NDIM(b) != cnp.PyArray_NDIM(a)):
        return None
    for d in range(cnp.PyArray_NDIM(a) - 1):
        if b is not None and cnp.PyArray_DIM(b, d) != cnp.PyArray_DIM(a, d):
            return None
    found = lu(a)
    if found is None or b is not None and cnp.PyArray_SIZE(b) == 0:
        return None
    factors, pivots, zeros = found
    return None if any_zero(zeros) else solved(factors, pivots, b), zeros


cdef void set_diagonals(x, Py_ssize_t n):
    cdef Py_ssize_t number, i
    cdef float* small = <float*> cnp.PyArray_DATA(x)
    cdef double* wide = <double*> cnp.PyArray_DATA(x)
    for number in range(cnp.PyArray_SIZE(x) // (n * n)):
        for i in range(n):
            if cnp.PyArray_ITEMSIZE(x) == 4:
                small[(number * n + i) * n + i] = 1
            else:
                wide[(number * n + i) * n + i] = 1


# --- determinants ------------------------------------------------------------------------------------------------------

cdef double mantissa(const cython.floating* f, const int32_t* pivots, Py_ssize_t n, Py_ssize_t* exponent) noexcept nogil:
    """The determinant as ``mantissa * 2 ** exponent``: the product of the pivots may be beyond any type."""
    cdef double product = 1
    cdef Py_ssize_t i
    cdef int power
    exponent[0] = 0
    for i in range(n):
        product = frexp(product * f[i * n + i], &power)
        exponent[0] += power
        if pivots[i] != i + 1:
            product = -product
    return product


cdef double mantissa_of(object factors, object pivots, Py_ssize_t number, Py_ssize_t* exponent) noexcept:
    cdef Py_ssize_t n = cnp.PyArray_DIM(factors, cnp.PyArray_NDIM(factors) - 1)
    cdef const int32_t* exchanges = <const int32_t*> cnp.PyArray_DATA(pivots) + number * n
    if cnp.PyArray_TYPE(factors) == cnp.NPY_FLOAT32:
        return mantissa(<const float*> cnp.PyArray_DATA(factors) + number * n * n, exchanges, n, exponent)
    return mantissa(<const double*> cnp.PyArray_DATA(factors) + number * n * n, exchanges, n, exponent)


cdef inline double times_power(double x, Py_ssize_t exponent) noexcept nogil:
    return ldexp(x, <int> max(-10000, min(10000, exponent)))


cdef void put(object x, Py_ssize_t number, double value) noexcept:
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32:
        (<float*> cnp.PyArray_DATA(x))[number] = <float> value
    else:
        (<double*> cnp.PyArray_DATA(x))[number] = value


def determinants(a, bint logarithms):
    """The determinants, or their signs and the logarithms of their sizes; None also where one is not to be had, as of NaN."""
    cdef Py_ssize_t number, exponent = 0
    cdef double size
    found = lu(a) if is_square(a) else None
    if found is None:
        return None
    factors, pivots, zeros = found
    out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(zeros), cnp.PyArray_DIMS(zeros), cnp.PyArray_TYPE(factors), 0)
    logs = cnp.PyArray_NewCopy(out, cnp.NPY_CORDER) if logarithms else None
    for number in range(cnp.PyArray_SIZE(zeros)):
        size = mantissa_of(factors, pivots, number, &exponent)
        if not isfinite(size):
            return None
        if not logarithms:
            put(out, number, times_power(size, exponent) if size != 0 else 0)
            continue
        put(out, number, 1 if size > 0 else -1 if size < 0 else 0)
        # The logarithm of the product as it stands, where a type has it: near 1 the parts of a sum would cancel.
        put(logs, number, log(fabs(times_power(size, exponent))) if size == 0 or -1000 < exponent < 1000
            else log(fabs(size)) + exponent * 0.6931471805599453)
    return (out, logs) if logarithms else out


cdef void multiply(cython.floating* x, Py_ssize_t n, double factor, Py_ssize_t exponent) noexcept nogil:
    """Times ``factor * 2 ** exponent``."""
    cdef Py_ssize_t i
    if -1000 < exponent < 1000:
        factor = times_power(factor, exponent)
        for i in range(n):
            x[i] = <cython.floating> (x[i] * factor)
    else:
        for i in range(n):
            x[i] = <cython.floating> times_power(x[i] * factor, exponent)


def adjugates(a):
    """``det(a) * inv(a)``, both of one factorization, so it is that of a matrix nearby, however nearly singular.

    None where there is a zero pivot, or where an inverse is beyond the type.
    """
    cdef Py_ssize_t number, i, n, exponent = 0
    cdef double size
    cdef float* small
    cdef double* wide
    found = lu(a) if is_square(a) else None
    if found is None or any_zero(found[2]):
        return None
    factors, pivots, zeros = found
    n = cnp.PyArray_DIM(factors, cnp.PyArray_NDIM(factors) - 1)
    x = solved(factors, pivots, None)
    small, wide = <float*> cnp.PyArray_DATA(x), <double*> cnp.PyArray_DATA(x)
    for i in range(cnp.PyArray_SIZE(x)):
        if not (isfinite(small[i]) if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32 else isfinite(wide[i])):
            return None
    for number in range(cnp.PyArray_SIZE(zeros)):
        size = mantissa_of(factors, pivots, number, &exponent)
        if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32:
            multiply(small + number * n * n, n * n, size, exponent)
        else:
            multiply(wide + number * n * n, n * n, size, exponent)
    return x
