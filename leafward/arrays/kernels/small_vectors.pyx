# distutils: sources = leafward/arrays/kernels/vectors_loops.c
# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Products in which one factor is a vector, of any size, for float32 and float64: None for what they do not take.

No kernels `rows_*`, which half types reach through float32: two different types would then be multiplied and not refused.
"""
cimport numpy as cnp

from leafward.arrays.kernels.row_arrays cimport in_order, like, width_of

cdef extern from "vectors_loops.h":
    ctypedef struct vector_job:
        const void* a
        const void* x
        void* out
        Py_ssize_t rows, columns, pitch
        int turned
    int BLOCKS, LEFT_GRADIENT, RIGHT_GRADIENT
    ctypedef struct blocks_job:
        const void* x
        const void* y
        void* out
        void* dx
        Py_ssize_t n, columns, m, width
    int vectors_start() except -1
    void vectors_added(const void* to, const void* x, const void* y, Py_ssize_t n, Py_ssize_t m, double beta, double alpha, void* out,
                       int wide) noexcept nogil
    void blocks_products(blocks_job* job, int what, int wide) noexcept nogil
    void vector_product(vector_job* job, int wide) noexcept nogil
    void vectors_dot(const void* x, const void* y, Py_ssize_t n, void* out, int wide) noexcept nogil
    void vector_scaled(const void* factor, const void* x, Py_ssize_t n, void* out, int wide) noexcept nogil
    void vectors_outer(const void* x, const void* y, Py_ssize_t n, Py_ssize_t m, void* out, int wide) noexcept nogil

cnp.import_array()
vectors_start()


def dot_of_vectors(x, y):
    """``sum_i x[i] * y[i]``."""
    cdef int width = width_of(x)
    if width == 0 or width_of(y) != width or cnp.PyArray_NDIM(<cnp.ndarray> x) != 1 or cnp.PyArray_NDIM(<cnp.ndarray> y) != 1:
        return None
    if cnp.PyArray_DIM(<cnp.ndarray> x, 0) != cnp.PyArray_DIM(<cnp.ndarray> y, 0):
        return None
    x, y = in_order(x), in_order(y)
    out = cnp.PyArray_EMPTY(0, NULL, cnp.PyArray_TYPE(<cnp.ndarray> x), 0)
    with nogil:
        vectors_dot(cnp.PyArray_DATA(<cnp.ndarray> x), cnp.PyArray_DATA(<cnp.ndarray> y), cnp.PyArray_DIM(<cnp.ndarray> x, 0),
                    cnp.PyArray_DATA(<cnp.ndarray> out), width == 8)
    return out


cdef object matrix_and_vector(object a, object x, bint turned):
    """``a @ x``, or ``x @ a`` where it is ``turned``."""
    cdef vector_job job
    cdef cnp.npy_intp size
    cdef int width = width_of(a)
    cdef Py_ssize_t down, across
    if width == 0 or width_of(x) != width or cnp.PyArray_NDIM(<cnp.ndarray> a) != 2 or cnp.PyArray_NDIM(<cnp.ndarray> x) != 1:
        return None
    if cnp.PyArray_DIM(<cnp.ndarray> a, 0 if turned else 1) != cnp.PyArray_DIM(<cnp.ndarray> x, 0) \
            or cnp.PyArray_SIZE(<cnp.ndarray> a) == 0:
        return None
    size = cnp.PyArray_DIM(<cnp.ndarray> a, 1 if turned else 0)
    down, across = cnp.PyArray_STRIDE(<cnp.ndarray> a, 0), cnp.PyArray_STRIDE(<cnp.ndarray> a, 1)
    job.rows, job.columns, job.turned = cnp.PyArray_DIM(<cnp.ndarray> a, 0), cnp.PyArray_DIM(<cnp.ndarray> a, 1), turned
    if down == width and across % width == 0 and job.rows > 1:
        job.rows, job.columns, job.turned, down = job.columns, job.rows, not turned, across         # it lies column by column
    elif across != width or down % width:
        a = cnp.PyArray_NewCopy(<cnp.ndarray> a, cnp.NPY_CORDER)
        down = cnp.PyArray_STRIDE(<cnp.ndarray> a, 0)
    x = in_order(x)
    out = cnp.PyArray_EMPTY(1, &size, cnp.PyArray_TYPE(<cnp.ndarray> a), 0)
    job.a, job.x = cnp.PyArray_DATA(<cnp.ndarray> a), cnp.PyArray_DATA(<cnp.ndarray> x)
    job.out, job.pitch = cnp.PyArray_DATA(<cnp.ndarray> out), down // width
    with nogil:
        vector_product(&job, width == 8)
    return out


def matrix_times_vector(a, x):
    """``a @ x``."""
    return matrix_and_vector(a, x, False)


def vector_times_matrix(x, a):
    """``x @ a``."""
    return matrix_and_vector(a, x, True)


def scaled_by_number(g, x):
    """All of ``x`` times the number ``g``, which has no dims."""
    cdef int width = width_of(x)
    if width == 0 or width_of(g) != width or cnp.PyArray_NDIM(<cnp.ndarray> g) != 0 or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x):
        return None
    out = like(x)
    with nogil:
        vector_scaled(cnp.PyArray_DATA(<cnp.ndarray> g), cnp.PyArray_DATA(<cnp.ndarray> x), cnp.PyArray_SIZE(<cnp.ndarray> x),
                      cnp.PyArray_DATA(<cnp.ndarray> out), width == 8)
    return out


def all_products(x, y):
    """``out[i, j] = x[i] * y[j]``."""
    cdef int width = width_of(x)
    cdef cnp.npy_intp[2] shape
    if width == 0 or width_of(y) != width or cnp.PyArray_NDIM(<cnp.ndarray> x) != 1 or cnp.PyArray_NDIM(<cnp.ndarray> y) != 1:
        return None
    x, y = in_order(x), in_order(y)
    shape[0], shape[1] = cnp.PyArray_DIM(<cnp.ndarray> x, 0), cnp.PyArray_DIM(<cnp.ndarray> y, 0)
    out = cnp.PyArray_EMPTY(2, shape, cnp.PyArray_TYPE(<cnp.ndarray> x), 0)
    with nogil:
        vectors_outer(cnp.PyArray_DATA(<cnp.ndarray> x), cnp.PyArray_DATA(<cnp.ndarray> y), shape[0], shape[1],
                      cnp.PyArray_DATA(<cnp.ndarray> out), width == 8)
    return out


def added_outer(to, x, y, beta=1, alpha=1, out=None):
    """``beta * to + alpha * outer(x, y)`` for a matrix ``to``; ``out`` may be ``to``."""
    cdef int width = width_of(to)
    cdef Py_ssize_t n, m
    cdef double of_to, of_product
    if width == 0 or width_of(x) != width or width_of(y) != width or beta == 0 or alpha == 0 \
            or not (type(beta) is int or type(beta) is float) or not (type(alpha) is int or type(alpha) is float):
        return None
    if cnp.PyArray_NDIM(<cnp.ndarray> to) != 2 or cnp.PyArray_NDIM(<cnp.ndarray> x) != 1 or cnp.PyArray_NDIM(<cnp.ndarray> y) != 1:
        return None
    n, m = cnp.PyArray_DIM(<cnp.ndarray> x, 0), cnp.PyArray_DIM(<cnp.ndarray> y, 0)
    if cnp.PyArray_DIM(<cnp.ndarray> to, 0) != n or cnp.PyArray_DIM(<cnp.ndarray> to, 1) != m or n * m == 0 \
            or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> to):
        return None
    x, y = in_order(x), in_order(y)
    if out is None:
        out = like(to)
    elif out is not to or not cnp.PyArray_ISCARRAY(<cnp.ndarray> out) or meet(out, x) or meet(out, y):
        return None
    of_to, of_product = beta, alpha
    with nogil:
        vectors_added(cnp.PyArray_DATA(<cnp.ndarray> to), cnp.PyArray_DATA(<cnp.ndarray> x), cnp.PyArray_DATA(<cnp.ndarray> y),
                      n, m, of_to, of_product, cnp.PyArray_DATA(<cnp.ndarray> out), width == 8)
    return out


def added_matrix_times_vector(to, a, x, beta=1, alpha=1, out=None):
    """``beta * to + alpha * (a @ x)``; ``out`` may be any input."""
    cdef int width = width_of(to)
    cdef double of_to, of_product, one = 1
    cdef float narrow = 1
    if width == 0 or beta == 0 or alpha == 0 or not (type(beta) is int or type(beta) is float) \
            or not (type(alpha) is int or type(alpha) is float) or cnp.PyArray_NDIM(<cnp.ndarray> to) != 1 \
            or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> to):
        return None
    if out is not None and (out is not to or not cnp.PyArray_ISWRITEABLE(<cnp.ndarray> out)):
        return None
    product = matrix_and_vector(a, x, False)
    if product is None or cnp.PyArray_SIZE(<cnp.ndarray> product) != cnp.PyArray_SIZE(<cnp.ndarray> to) \
            or cnp.PyArray_TYPE(<cnp.ndarray> product) != cnp.PyArray_TYPE(<cnp.ndarray> to):
        return None
    out = product if out is None else out
    of_to, of_product = beta, alpha
    with nogil:
        vectors_added(cnp.PyArray_DATA(<cnp.ndarray> to), <void*> &one if width == 8 else <void*> &narrow,
                      cnp.PyArray_DATA(<cnp.ndarray> product), 1, cnp.PyArray_SIZE(<cnp.ndarray> to), of_to, of_product,
                      cnp.PyArray_DATA(<cnp.ndarray> out), width == 8)
    return out


cdef bint meet(object x, object y):
    """Whether two row-major arrays share memory."""
    cdef char* first = <char*> cnp.PyArray_DATA(<cnp.ndarray> x)
    cdef char* second = <char*> cnp.PyArray_DATA(<cnp.ndarray> y)
    return first < second + cnp.PyArray_NBYTES(<cnp.ndarray> y) and second < first + cnp.PyArray_NBYTES(<cnp.ndarray> x)


cdef bint spread(object shape_of, Py_ssize_t* rows, Py_ssize_t* columns, bint left):
    """The sizes of a matrix whose dims have one of size 1 behind each (``left``), or before each."""
    cdef tuple shape = shape_of.shape
    if len(shape) != 4:
        return False
    rows[0], columns[0] = shape[0 if left else 1], shape[2 if left else 3]
    return rows[0] > 0 and columns[0] > 0 and shape[1 if left else 0] == 1 and shape[3 if left else 2] == 1


cdef object blocks(object x, object y, object g, int what):
    """All products, or for the gradient ``g`` of these the gradient of ``x`` or ``y``, of which then the shape is enough."""
    cdef blocks_job job
    cdef cnp.npy_intp[4] shape
    cdef object one = y if what == LEFT_GRADIENT else x, other = y if what == BLOCKS else g, out
    cdef int width = width_of(one)
    if width == 0 or width_of(other) != width or not spread(x, &job.n, &job.columns, True) \
            or not spread(y, &job.m, &job.width, False):
        return None
    one, other = in_order(one), in_order(other)
    if what == BLOCKS:
        shape[0], shape[1] = job.n * job.m, job.columns * job.width
        out = cnp.PyArray_EMPTY(2, shape, cnp.PyArray_TYPE(<cnp.ndarray> one), 0)
        job.x, job.y, job.out = (cnp.PyArray_DATA(<cnp.ndarray> one), cnp.PyArray_DATA(<cnp.ndarray> other),
                                 cnp.PyArray_DATA(<cnp.ndarray> out))
    else:
        if cnp.PyArray_SIZE(<cnp.ndarray> other) != job.n * job.m * job.columns * job.width:
            return None
        shape[0] = shape[1] = shape[2] = shape[3] = 1
        if what == LEFT_GRADIENT:
            shape[0], shape[2] = job.n, job.columns
        else:
            shape[1], shape[3] = job.m, job.width
        out = cnp.PyArray_EMPTY(4, shape, cnp.PyArray_TYPE(<cnp.ndarray> one), 0)
        job.x = job.y = cnp.PyArray_DATA(<cnp.ndarray> one)
        job.out, job.dx = cnp.PyArray_DATA(<cnp.ndarray> other), cnp.PyArray_DATA(<cnp.ndarray> out)
    with nogil:
        blocks_products(&job, what, width == 8)
    return out


def products_in_blocks(x, y):
    """The forward of ``_blocks`` for two matrices."""
    return blocks(x, y, None, BLOCKS)


def products_in_blocks_left(g, x, y):
    """Its gradient of ``x``, summed already."""
    return blocks(x, y, g, LEFT_GRADIENT)


def products_in_blocks_right(g, x, y):
    """Its gradient of ``y``, summed already."""
    return blocks(x, y, g, RIGHT_GRADIENT)
