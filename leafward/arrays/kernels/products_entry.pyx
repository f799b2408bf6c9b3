# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/products_loops.c
"""Products of ``products.py`` for float32 and float64, large ones on leafward's own threads.

As in ``small.pyx`` a kernel answers None where it does not apply, and NumPy does the work.
"""
cimport numpy as cnp
from cpython.pycapsule cimport PyCapsule_New

cnp.import_array()

cdef extern from "products_loops.h":
    ctypedef struct matrix:
        char* data
        int turned
        Py_ssize_t pitch
    ctypedef struct batch:
        int dims
        Py_ssize_t[32] size
        Py_ssize_t[3][32] steps
    ctypedef struct products_interface:
        void* run[2]
    products_interface own_products
    int products_start() except -1
    void multiply(matrix*, matrix*, matrix*, batch*, Py_ssize_t, Py_ssize_t, Py_ssize_t, int) noexcept nogil

products_start()
interface = PyCapsule_New(&own_products, "leafward.arrays.kernels.products_entry.interface", NULL)

#: Why these kernels serve nobody here, or None.
obstacle = None if own_products.run[0] != NULL else "products run on NumPy: their kernels need the vector types of GCC or Clang"


cdef bint seen(cnp.ndarray x, matrix* into) noexcept:
    """Whether the kernels can read the matrices of ``x`` where they lie."""
    cdef int last = cnp.PyArray_NDIM(x) - 1
    cdef Py_ssize_t size = cnp.PyArray_ITEMSIZE(x), down = cnp.PyArray_STRIDES(x)[last - 1], across = cnp.PyArray_STRIDES(x)[last]
    cdef Py_ssize_t rows = cnp.PyArray_DIMS(x)[last - 1], columns = cnp.PyArray_DIMS(x)[last]
    into.data = <char*> cnp.PyArray_DATA(x)
    if (across == size or columns == 1) and down % size == 0 and (down >= columns * size or rows == 1):
        into.turned, into.pitch = 0, max(down // size, columns) if rows > 1 else columns
        return cnp.PyArray_ISALIGNED(x)
    if (down == size or rows == 1) and across % size == 0 and (across >= rows * size or columns == 1):
        into.turned, into.pitch = 1, max(across // size, rows) if columns > 1 else rows
        return cnp.PyArray_ISALIGNED(x)
    return False


cdef bint rows_of_one(cnp.ndarray x, matrix* into, Py_ssize_t* rows) noexcept:
    """Whether the rows of all matrices of ``x`` lie one after the other, as far apart as those of one matrix; and how many there are."""
    cdef int d, last = cnp.PyArray_NDIM(x) - 1
    cdef Py_ssize_t size = cnp.PyArray_ITEMSIZE(x), columns = cnp.PyArray_DIM(x, last), step = 0
    rows[0] = 1
    if cnp.PyArray_SIZE(x) == 0 or not cnp.PyArray_ISALIGNED(x) or columns > 1 and cnp.PyArray_STRIDE(x, last) != size:
        return False
    for d in range(last - 1, -1, -1):
        if cnp.PyArray_DIM(x, d) == 1:
            continue
        if rows[0] == 1:
            step = cnp.PyArray_STRIDE(x, d)
        elif cnp.PyArray_STRIDE(x, d) != step * rows[0]:
            return False
        rows[0] *= cnp.PyArray_DIM(x, d)
    if rows[0] > 1 and (step % size != 0 or step < columns * size):
        return False
    into.data, into.turned, into.pitch = <char*> cnp.PyArray_DATA(x), 0, step // size if rows[0] > 1 else columns
    return True


cdef void steps_of(cnp.ndarray x, batch* b, int which) noexcept:
    """How many bytes lie between the matrices of a row-major copy."""
    cdef int d, at
    for d in range(b.dims):
        at = d - b.dims + cnp.PyArray_NDIM(x) - 2
        b.steps[which][d] = 0 if at < 0 or cnp.PyArray_DIM(x, at) == 1 else cnp.PyArray_STRIDE(x, at)


def product(x, y, given=None):
    """``x @ y`` of matrices or batches of them, into ``given`` if there is one; None where that needs NumPy."""
    cdef matrix left, right, to
    cdef batch b
    cdef cnp.npy_intp[32] shape
    cdef cnp.ndarray out, a, c
    cdef int kind, d, dims, nx, ny, which
    cdef bint together
    cdef Py_ssize_t n, m, inner, size, rows = 0, count = 1
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_CheckExact(y):
        return None
    a, c = x, y
    kind, nx, ny = cnp.PyArray_TYPE(a), cnp.PyArray_NDIM(a), cnp.PyArray_NDIM(c)
    if kind != cnp.NPY_FLOAT32 and kind != cnp.NPY_FLOAT64 or cnp.PyArray_TYPE(c) != kind or nx < 2 or ny < 2 or max(nx, ny) > 32:
        return None
    n, inner, m = cnp.PyArray_DIMS(a)[nx - 2], cnp.PyArray_DIMS(a)[nx - 1], cnp.PyArray_DIMS(c)[ny - 1]
    if cnp.PyArray_DIMS(c)[ny - 2] != inner or n == 0 or m == 0 or inner == 0 or n == 1 and nx == 2 or m == 1 and ny == 2:
        return None
    dims = max(nx, ny) - 2
    together = ny == 2 and nx > 2 and rows_of_one(a, &left, &rows)      # many matrices times one: their rows are those of one matrix
    b.dims = 0 if together else dims
    for d in range(dims):
        if together:
            shape[d] = cnp.PyArray_DIMS(a)[d]
            continue
        b.size[d] = 1
        for which in range(2):
            arr = a if which == 0 else c
            at = d - dims + (nx if which == 0 else ny) - 2
            b.steps[which][d] = 0
            if at < 0:
                continue
            size = cnp.PyArray_DIMS(arr)[at]
            if size != 1:
                if b.size[d] not in (1, size):
                    return None
                b.size[d] = size
                b.steps[which][d] = cnp.PyArray_STRIDES(arr)[at]
        count *= b.size[d]
        shape[d] = b.size[d]
    if count == 0:
        return None
    if not together and not seen(a, &left):             # an expanded gradient, say
        a = cnp.PyArray_NewCopy(a, cnp.NPY_CORDER)
        steps_of(a, &b, 0)
        seen(a, &left)
    if not seen(c, &right):
        c = cnp.PyArray_NewCopy(c, cnp.NPY_CORDER)
        steps_of(c, &b, 1)
        seen(c, &right)
    shape[dims], shape[dims + 1] = n, m
    if given is None:
        out = cnp.PyArray_EMPTY(dims + 2, shape, kind, 0)
    else:
        out = given
        if cnp.PyArray_TYPE(out) != kind or not cnp.PyArray_ISCARRAY(out) or cnp.PyArray_NDIM(out) != dims + 2:
            return None
        for d in range(dims + 2):
            if cnp.PyArray_DIMS(out)[d] != shape[d]:
                return None
    to.data, to.turned, to.pitch = <char*> cnp.PyArray_DATA(out), 0, m
    for d in range(b.dims):
        b.steps[2][d] = cnp.PyArray_STRIDES(out)[d]
    with nogil:
        multiply(&left, &right, &to, &b, rows if together else n, m, inner, kind == cnp.NPY_FLOAT64)
    return out
