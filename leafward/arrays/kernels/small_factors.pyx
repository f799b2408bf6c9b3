# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Factorizations of small matrices as whole ops, of float32 and float64: what stands around LAPACK's routines costs as much as they.

As in ``small.pyx`` a kernel answers None where it does not apply, and the op's own forward runs instead: it refuses what is wrong.
"""
cimport cython
cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from leafward.arrays.kernels.row_arrays cimport width_of

from leafward.arrays.kernels import factors_entry, lapack

cnp.import_array()

#: Columns that LAPACK works on at a time, at most.
DEF BLOCK = 64

cdef bint factors_serve = not factors_entry.obstacle

ctypedef void (*factorizing)(int64_t*, int64_t*, void*, int64_t*, void*, void*, int64_t*, int64_t*) noexcept nogil
ctypedef void (*multiplying_out)(int64_t*, int64_t*, int64_t*, void*, int64_t*, void*, void*, int64_t*, int64_t*) noexcept nogil
ctypedef void (*reflecting)(char*, char*, int64_t*, int64_t*, int64_t*, void*, int64_t*, void*, void*, int64_t*, void*, int64_t*,
                            int64_t*, size_t, size_t) noexcept nogil


cdef size_t routine(str single, str double_, int width) except? 0:
    """The address of LAPACK's routine for numbers of this width; 0 where there is none."""
    return lapack.address(single if width == 4 else double_) or 0


cdef bint fits(object x) noexcept:
    """Whether ``x`` is a batch of matrices, with a number in it."""
    return width_of(x) != 0 and 2 <= cnp.PyArray_NDIM(<cnp.ndarray> x) <= 32 and cnp.PyArray_SIZE(<cnp.ndarray> x) > 0


cdef bint any_of(object info) noexcept:
    cdef Py_ssize_t i
    for i in range(cnp.PyArray_SIZE(<cnp.ndarray> info)):
        if (<int32_t*> cnp.PyArray_DATA(<cnp.ndarray> info))[i]:
            return True
    return False


# --- Cholesky and LU ---------------------------------------------------------------------------------------------------

def lower_factor(x, upper=False):
    """The forward of ``linalg.cholesky``, where it succeeds."""
    found = None if upper or not factors_serve or not fits(x) else factors_entry.cholesky(x)
    return None if found is None or any_of(found[1]) else found[0]


def lower_factor_and_info(x, upper=False, check_errors=False):
    """That of ``linalg.cholesky_ex``."""
    found = None if upper or not factors_serve or not fits(x) else factors_entry.cholesky(x)
    return None if found is None or any_of(found[1]) else found


def factors_and_exchanges(x, pivot=True, check_errors=False):
    """The forward of ``linalg.lu_factor_ex``."""
    found = None if not pivot or not factors_serve or not fits(x) else factors_entry.lu(x)
    return None if found is None or check_errors and any_of(found[2]) else found


def symmetric_factors(x, hermitian=False):
    """The forward of ``linalg.ldl_factor``, where it succeeds."""
    found = None if not factors_serve or not fits(x) else factors_entry.symmetric(x)
    return None if found is None or any_of(found[2]) else found[:2]


def symmetric_factors_and_info(x, hermitian=False, check_errors=False):
    """The forward of ``linalg.ldl_factor_ex``."""
    found = None if not factors_serve or not fits(x) else factors_entry.symmetric(x)
    return None if found is None or check_errors and any_of(found[2]) else found


cdef bint unpack(cython.floating* f, const int32_t* pivots, Py_ssize_t rows, Py_ssize_t columns, cython.floating* p,
                 cython.floating* lower, cython.floating* upper, Py_ssize_t* order) noexcept nogil:
    """One matrix; ``p``, or ``lower`` and ``upper``, may be NULL. Whether the exchanges can be."""
    cdef Py_ssize_t i, j, k = min(rows, columns), other
    if p != NULL:
        for i in range(rows):
            order[i] = i
        for i in range(k):
            other = pivots[i] - 1
            if other < 0 or other >= rows:
                return False
            order[i], order[other] = order[other], order[i]
        memset(p, 0, rows * rows * sizeof(cython.floating))
        for i in range(rows):
            p[order[i] * rows + i] = 1
    if lower != NULL:
        for i in range(rows):
            for j in range(k):
                lower[i * k + j] = f[i * columns + j] if j < i else 1 if i == j else 0
        for i in range(k):
            for j in range(columns):
                upper[i * columns + j] = 0 if j < i else f[i * columns + j]
    return True


cdef object parts(object f, object pivots, bint exchanges, bint triangles):
    """``P``, ``L`` and ``U``, in place of what is not wanted nothing; None where an exchange is out of range."""
    cdef cnp.npy_intp[32] shape
    cdef int d, ndim = cnp.PyArray_NDIM(<cnp.ndarray> f), kind = cnp.PyArray_TYPE(<cnp.ndarray> f)
    cdef Py_ssize_t rows = cnp.PyArray_DIM(<cnp.ndarray> f, ndim - 2), columns = cnp.PyArray_DIM(<cnp.ndarray> f, ndim - 1)
    cdef Py_ssize_t number, k = min(rows, columns)
    cdef cnp.npy_intp nothing = 0
    cdef Py_ssize_t* order
    cdef int32_t* at = <int32_t*> cnp.PyArray_DATA(<cnp.ndarray> pivots)
    cdef char* data = <char*> cnp.PyArray_DATA(<cnp.ndarray> f)
    cdef char* p = NULL
    cdef char* lower = NULL
    cdef char* upper = NULL
    cdef Py_ssize_t size = cnp.PyArray_ITEMSIZE(<cnp.ndarray> f)
    cdef bint fine = True
    for d in range(ndim - 2):
        shape[d] = cnp.PyArray_DIM(<cnp.ndarray> f, d)
    if exchanges:
        shape[ndim - 2] = shape[ndim - 1] = rows
        P = cnp.PyArray_EMPTY(ndim, shape, kind, 0)
        p = <char*> cnp.PyArray_DATA(<cnp.ndarray> P)
    else:
        P = cnp.PyArray_EMPTY(1, &nothing, kind, 0)
    if triangles:
        shape[ndim - 2], shape[ndim - 1] = rows, k
        L = cnp.PyArray_EMPTY(ndim, shape, kind, 0)
        shape[ndim - 2], shape[ndim - 1] = k, columns
        U = cnp.PyArray_EMPTY(ndim, shape, kind, 0)
        lower, upper = <char*> cnp.PyArray_DATA(<cnp.ndarray> L), <char*> cnp.PyArray_DATA(<cnp.ndarray> U)
    else:
        L, U = cnp.PyArray_EMPTY(1, &nothing, kind, 0), cnp.PyArray_EMPTY(1, &nothing, kind, 0)
    order = <Py_ssize_t*> malloc(rows * sizeof(Py_ssize_t))
    if order == NULL:
        raise MemoryError
    for number in range(cnp.PyArray_SIZE(<cnp.ndarray> f) // (rows * columns)):
        if kind == cnp.NPY_FLOAT32:
            fine = fine and unpack(<float*> data, at, rows, columns, <float*> p, <float*> lower, <float*> upper, order)
        else:
            fine = fine and unpack(<double*> data, at, rows, columns, <double*> p, <double*> lower, <double*> upper, order)
        data, at = data + rows * columns * size, at + k
        if exchanges:
            p += rows * rows * size
        if triangles:
            lower, upper = lower + rows * k * size, upper + k * columns * size
    free(order)
    return (P, L, U) if fine else None


def permuted_triangles(x, pivot=True):
    """The forward of ``linalg.lu``."""
    found = factors_and_exchanges(x, pivot)
    return None if found is None else parts(found[0], found[1], True, True)


def unpacked_triangles(f, pivots, unpack_data=True, unpack_pivots=True):
    """The forward of ``lu_unpack``."""
    cdef int d, ndim
    if not fits(f) or not cnp.PyArray_CheckExact(pivots) or cnp.PyArray_TYPE(<cnp.ndarray> pivots) != cnp.NPY_INT32:
        return None
    ndim = cnp.PyArray_NDIM(<cnp.ndarray> f)
    if not cnp.PyArray_ISCARRAY_RO(<cnp.ndarray> pivots) or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> f) \
            or cnp.PyArray_NDIM(<cnp.ndarray> pivots) != ndim - 1:
        return None
    for d in range(ndim - 2):
        if cnp.PyArray_DIM(<cnp.ndarray> pivots, d) != cnp.PyArray_DIM(<cnp.ndarray> f, d):
            return None
    if cnp.PyArray_DIM(<cnp.ndarray> pivots, ndim - 2) != min(cnp.PyArray_DIM(<cnp.ndarray> f, ndim - 2),
                                                             cnp.PyArray_DIM(<cnp.ndarray> f, ndim - 1)):
        return None
    return parts(f, pivots, unpack_pivots, unpack_data)


# --- reflections -------------------------------------------------------------------------------------------------------

cdef object columns_of(object x):
    """The matrices column by column, as a copy."""
    cdef int ndim = cnp.PyArray_NDIM(<cnp.ndarray> x)
    return cnp.PyArray_NewCopy(<cnp.ndarray> cnp.PyArray_SwapAxes(<cnp.ndarray> x, ndim - 2, ndim - 1), cnp.NPY_CORDER)


cdef object turned(object x):
    cdef int ndim = cnp.PyArray_NDIM(<cnp.ndarray> x)
    return cnp.PyArray_SwapAxes(<cnp.ndarray> x, ndim - 2, ndim - 1)


cdef tuple eliminated(object x):
    """The reflections and ``R``, column by column, and the factors of the reflections; None where there is no routine."""
    cdef int ndim = cnp.PyArray_NDIM(<cnp.ndarray> x), width = width_of(x)
    cdef int64_t rows = cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 2), columns = cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 1)
    cdef int64_t size = BLOCK * columns, info = 0, k = min(rows, columns)
    cdef cnp.npy_intp[32] shape
    cdef Py_ssize_t number
    cdef factorizing run = <factorizing> routine("sgeqrf", "dgeqrf", width)
    cdef char* at
    cdef char* factor
    cdef void* work
    cdef int d
    if run == NULL:
        return None
    for d in range(ndim - 2):
        shape[d] = cnp.PyArray_DIM(<cnp.ndarray> x, d)
    shape[ndim - 2] = k
    out = columns_of(x)
    tau = cnp.PyArray_EMPTY(ndim - 1, shape, cnp.PyArray_TYPE(<cnp.ndarray> x), 0)
    at, factor = <char*> cnp.PyArray_DATA(<cnp.ndarray> out), <char*> cnp.PyArray_DATA(<cnp.ndarray> tau)
    work = malloc(size * width)
    if work == NULL:
        raise MemoryError
    with nogil:
        for number in range(cnp.PyArray_SIZE(<cnp.ndarray> out) // (rows * columns)):
            run(&rows, &columns, at, &rows, factor, work, &size, &info)
            at, factor = at + rows * columns * width, factor + k * width
        free(work)
    return out, tau


cdef bint multiplied_out(object q, object tau, Py_ssize_t wide) except -1:
    """``wide`` columns of the product of the reflections in ``q``, which lies column by column, in their place."""
    cdef int ndim = cnp.PyArray_NDIM(<cnp.ndarray> q), width = width_of(q)
    cdef int64_t rows = cnp.PyArray_DIM(<cnp.ndarray> q, ndim - 1), columns = wide, size = BLOCK * wide, info = 0
    cdef int64_t k = cnp.PyArray_DIM(<cnp.ndarray> tau, ndim - 2)
    cdef multiplying_out run = <multiplying_out> routine("sorgqr", "dorgqr", width)
    cdef char* at = <char*> cnp.PyArray_DATA(<cnp.ndarray> q)
    cdef char* factor = <char*> cnp.PyArray_DATA(<cnp.ndarray> tau)
    cdef Py_ssize_t number
    cdef void* work
    if run == NULL:
        return False
    work = malloc(size * width)
    if work == NULL:
        raise MemoryError
    with nogil:
        for number in range(cnp.PyArray_SIZE(<cnp.ndarray> q) // (rows * columns)):
            run(&rows, &columns, &k, at, &rows, factor, work, &size, &info)
            at, factor = at + rows * columns * width, factor + k * width
        free(work)
    return True


def reflections_and_factors(x):
    """The forward of ``geqrf``."""
    found = eliminated(x) if fits(x) else None
    return None if found is None else (turned(found[0]), found[1])


def orthonormal_and_triangle(x, mode="reduced"):
    """The forward of ``linalg.qr``."""
    cdef object tau, q, r, out
    cdef cnp.npy_intp[32] shape
    cdef Py_ssize_t rows, columns, k, wide, number, i, j, count
    cdef int d, ndim, width = width_of(x)
    cdef char* f
    cdef char* into
    if type(mode) is not str or mode != "reduced" and mode != "complete" or not fits(x):
        return None
    found = eliminated(x)
    if found is None:
        return None
    out, tau = found
    ndim = cnp.PyArray_NDIM(<cnp.ndarray> x)
    rows, columns = cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 2), cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 1)
    k = min(rows, columns)
    wide = rows if mode == "complete" else k
    for d in range(ndim - 2):
        shape[d] = cnp.PyArray_DIM(<cnp.ndarray> x, d)
    shape[ndim - 2], shape[ndim - 1] = wide, columns
    r = cnp.PyArray_EMPTY(ndim, shape, cnp.PyArray_TYPE(<cnp.ndarray> x), 0)
    count = cnp.PyArray_SIZE(<cnp.ndarray> x) // (rows * columns)
    f, into = <char*> cnp.PyArray_DATA(<cnp.ndarray> out), <char*> cnp.PyArray_DATA(<cnp.ndarray> r)
    for number in range(count):
        for i in range(wide):
            memset(into + (number * wide + i) * columns * width, 0, min(i, columns) * width)
            for j in range(i, columns):
                if width == 4:
                    (<float*> into)[(number * wide + i) * columns + j] = (<float*> f)[(number * columns + j) * rows + i]
                else:
                    (<double*> into)[(number * wide + i) * columns + j] = (<double*> f)[(number * columns + j) * rows + i]
    q = out
    if wide != columns:
        shape[ndim - 2], shape[ndim - 1] = wide, rows
        q = cnp.PyArray_EMPTY(ndim, shape, cnp.PyArray_TYPE(<cnp.ndarray> x), 0)
        into = <char*> cnp.PyArray_DATA(<cnp.ndarray> q)
        for number in range(count):
            memcpy(into + number * wide * rows * width, f + number * columns * rows * width, k * rows * width)
            memset(into + (number * wide + k) * rows * width, 0, (wide - k) * rows * width)
    if not multiplied_out(q, tau, wide):
        return None
    return columns_of(q), r


cdef bint same_batch(object x, object tau) noexcept:
    cdef int d, ndim = cnp.PyArray_NDIM(<cnp.ndarray> x)
    if width_of(tau) != width_of(x) or cnp.PyArray_NDIM(<cnp.ndarray> tau) != ndim - 1 or cnp.PyArray_SIZE(<cnp.ndarray> tau) == 0 \
            or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> tau):
        return False
    for d in range(ndim - 2):
        if cnp.PyArray_DIM(<cnp.ndarray> tau, d) != cnp.PyArray_DIM(<cnp.ndarray> x, d):
            return False
    return True


def product_of_reflections(x, tau):
    """The forward of ``linalg.householder_product``."""
    cdef int ndim
    if not fits(x) or not same_batch(x, tau):
        return None
    ndim = cnp.PyArray_NDIM(<cnp.ndarray> x)
    if cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 2) < cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 1) \
            or cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 1) < cnp.PyArray_DIM(<cnp.ndarray> tau, ndim - 2):
        return None
    out = columns_of(x)
    return turned(out) if multiplied_out(out, tau, cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 1)) else None


def times_reflections(x, tau, y, left=True, transpose=False):
    """The forward of ``ormqr``."""
    cdef int d, ndim, width = width_of(x)
    cdef int64_t rows, columns, k, lead, size, info = 0
    cdef Py_ssize_t number, step
    cdef reflecting run
    cdef char* at
    cdef char* factor
    cdef char* into
    cdef void* work
    cdef char* side = b"L" if left else b"R"
    cdef char* turn = b"T" if transpose else b"N"
    if not fits(x) or not same_batch(x, tau) or width_of(y) != width or cnp.PyArray_NDIM(<cnp.ndarray> y) != cnp.PyArray_NDIM(<cnp.ndarray> x) \
            or cnp.PyArray_SIZE(<cnp.ndarray> y) == 0:
        return None
    ndim = cnp.PyArray_NDIM(<cnp.ndarray> x)
    for d in range(ndim - 2):
        if cnp.PyArray_DIM(<cnp.ndarray> y, d) != cnp.PyArray_DIM(<cnp.ndarray> x, d):
            return None
    rows, columns, lead = (cnp.PyArray_DIM(<cnp.ndarray> y, ndim - 2), cnp.PyArray_DIM(<cnp.ndarray> y, ndim - 1),
                           cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 2))
    k = cnp.PyArray_DIM(<cnp.ndarray> tau, ndim - 2)
    if (rows if left else columns) != lead or k != min(lead, <int64_t> cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 1)):
        return None
    run = <reflecting> routine("sormqr", "dormqr", width)
    if run == NULL:
        return None
    lines, out = columns_of(x), columns_of(y)
    at, factor, into = (<char*> cnp.PyArray_DATA(<cnp.ndarray> lines), <char*> cnp.PyArray_DATA(<cnp.ndarray> tau),
                        <char*> cnp.PyArray_DATA(<cnp.ndarray> out))
    size, step = BLOCK * (BLOCK + max(rows, columns)), lead * cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 1) * width
    work = malloc(size * width)
    if work == NULL:
        raise MemoryError
    with nogil:
        for number in range(cnp.PyArray_SIZE(<cnp.ndarray> out) // (rows * columns)):
            run(side, turn, &rows, &columns, &k, at, &lead, factor, into, &rows, work, &size, &info, 1, 1)
            at, factor, into = at + step, factor + k * width, into + rows * columns * width
        free(work)
    return turned(out)


# --- systems -----------------------------------------------------------------------------------------------------------

def triangular_solution(x, a, upper=True, transpose=False, unitriangular=False):
    """The forward of ``triangular_solve``."""
    cdef int d, ndim
    if not factors_serve or not fits(x) or not fits(a) or width_of(a) != width_of(x) \
            or cnp.PyArray_NDIM(<cnp.ndarray> a) != cnp.PyArray_NDIM(<cnp.ndarray> x):
        return None
    ndim = cnp.PyArray_NDIM(<cnp.ndarray> x)
    for d in range(ndim - 1):
        if cnp.PyArray_DIM(<cnp.ndarray> a, d) != cnp.PyArray_DIM(<cnp.ndarray> x, d):
            return None
    kept, out = cnp.PyArray_NewCopy(<cnp.ndarray> a, cnp.NPY_CORDER), cnp.PyArray_NewCopy(<cnp.ndarray> x, cnp.NPY_CORDER)
    read = columns_of(a) if transpose else kept
    return (out, kept) if factors_entry.solve_in_place(read, out, bool(upper) != bool(transpose), bool(unitriangular)) else None
