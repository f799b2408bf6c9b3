# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The loss over classes and its rule, without an array in between: None for what they do not take.

A class that does not exist is left to the declaration, which says so.
"""
cimport numpy as cnp

import numpy as np

from leafward.arrays.kernels.row_arrays cimport in_order, like, width_of

cdef extern from "sums.h":
    ctypedef struct cascade:
        size_t count
    void add_to(cascade* sum, double value) noexcept nogil
    double total_of(const cascade* sum) noexcept nogil

cdef extern from "classes.h":
    ctypedef struct places:
        Py_ssize_t n, classes, inner
        cnp.int64_t ignored
        const cnp.int64_t* target
    int has_ignored(const places* at) noexcept nogil
    int pick(const places* at, const void* x, const void* weight, int wide, void* losses, void* shares, double* sums) noexcept nogil
    void put(const places* at, const void* g, int g_each, const void* share, int share_each, int wide, void* dx) noexcept nogil

cdef extern from "margins.h":
    int label_margins(const void* x, const cnp.int64_t* target, int wide, Py_ssize_t rows, Py_ssize_t n, double* losses) noexcept nogil
    int class_margins(const void* x, const cnp.int64_t* target, const void* weight, int wide, Py_ssize_t rows, Py_ssize_t n, int square,
                      double margin, double* losses) noexcept nogil
    int label_margins_grad(const void* g, int each, const void* x, const cnp.int64_t* target, int wide, Py_ssize_t rows, Py_ssize_t n,
                           double less, void* dx) noexcept nogil
    int class_margins_grad(const void* g, int each, const void* x, const cnp.int64_t* target, const void* weight, int wide,
                           Py_ssize_t rows, Py_ssize_t n, int square, double margin, double less, void* dx) noexcept nogil

cnp.import_array()


cdef bint describe(places* at, object shape, object target, object ignore_index) except -1:
    """Fill in the sizes; False for an ``x`` of no more than one dim, and for targets that do not lie in order."""
    cdef Py_ssize_t d, ndim = len(shape)
    if ndim < 2 or type(target) is not cnp.ndarray or cnp.PyArray_TYPE(target) != cnp.NPY_INT64 \
            or not cnp.PyArray_ISCARRAY_RO(target):
        return False
    at.n, at.classes, at.inner, at.ignored = shape[0], shape[1], 1, ignore_index
    for d in range(2, ndim):
        at.inner *= shape[d]
    at.target = <const cnp.int64_t*> cnp.PyArray_DATA(target)
    return cnp.PyArray_SIZE(target) == at.n * at.inner and at.classes > 0 and cnp.PyArray_SIZE(target) > 0


cdef inline double value_of(object a, Py_ssize_t i, bint wide) noexcept:
    return (<double*> cnp.PyArray_DATA(a))[i] if wide else (<float*> cnp.PyArray_DATA(a))[i]


cdef inline void set_value(object a, Py_ssize_t i, bint wide, double value) noexcept:
    if wide:
        (<double*> cnp.PyArray_DATA(a))[i] = value
    else:
        (<float*> cnp.PyArray_DATA(a))[i] = <float> value


def nll(x, target, weight, reduction, ignore_index):
    """The reduced loss, and the factor by which each place counts in it."""
    cdef places at
    cdef double sums[2]
    cdef double total
    cdef int width = width_of(x), kind, failed
    cdef bint wide = width == 8, each = reduction == "none", shared
    cdef Py_ssize_t i, size
    cdef const void* factors = NULL
    if width == 0 or not cnp.PyArray_IS_C_CONTIGUOUS(x) or not describe(&at, x.shape, target, ignore_index):
        return None
    if weight is not None:
        if (width_of(weight) != width or not cnp.PyArray_IS_C_CONTIGUOUS(weight) or cnp.PyArray_NDIM(weight) != 1
                or cnp.PyArray_SIZE(weight) != at.classes):
            return None
        factors = cnp.PyArray_DATA(weight)
    shared, kind, size = weight is not None or has_ignored(&at), cnp.PyArray_TYPE(x), cnp.PyArray_SIZE(target)
    losses = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(target) if each else 0, cnp.PyArray_DIMS(target), kind, 0)
    share = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(target) if shared else 0, cnp.PyArray_DIMS(target), kind, 0)
    cdef const void* from_x = cnp.PyArray_DATA(x)
    cdef void* to_losses = cnp.PyArray_DATA(losses)
    cdef void* to_share = cnp.PyArray_DATA(share)
    with nogil:
        failed = not pick(&at, from_x, factors, wide, to_losses if each else NULL, to_share if shared else NULL, sums)
    if failed:
        return None
    if not shared:
        set_value(share, 0, wide, 1)
    if each:
        return losses, share
    if reduction == "mean":
        total = sums[1] if shared else size
        set_value(losses, 0, wide, quotient(sums[0], total, wide))
        for i in range(size if shared else 1):
            set_value(share, i, wide, quotient(value_of(share, i, wide), total, wide))
    else:
        set_value(losses, 0, wide, sums[0])
    return losses, share


cdef inline double quotient(double a, double b, bint wide) noexcept:
    """Of two numbers of the type: rounded before and after."""
    return a / b if wide else <float> a / <float> b


def nll_grad(g, x, target, share, ignore_index):
    """The rule: zeros, and at each place's class what it counts. Of ``x`` only its shape is known."""
    cdef places at
    cdef int width = width_of(g)
    shape = x.shape
    if width == 0 or width_of(share) != width or not describe(&at, shape, target, ignore_index):
        return None
    size = cnp.PyArray_SIZE(target)
    if len(shape) > 32 or not (
            (cnp.PyArray_NDIM(g) == 0 or cnp.PyArray_SIZE(g) == size)
            and (cnp.PyArray_NDIM(share) == 0 or cnp.PyArray_SIZE(share) == size)
            and cnp.PyArray_IS_C_CONTIGUOUS(g) and cnp.PyArray_IS_C_CONTIGUOUS(share)):
        return None
    cdef cnp.npy_intp sizes[32]
    cdef int d
    for d in range(len(shape)):
        sizes[d] = shape[d]
    dx = cnp.PyArray_ZEROS(len(shape), sizes, cnp.PyArray_TYPE(g), 0)
    put(&at, cnp.PyArray_DATA(g), cnp.PyArray_NDIM(g) > 0, cnp.PyArray_DATA(share), cnp.PyArray_NDIM(share) > 0, width == 8,
        cnp.PyArray_DATA(dx))
    return dx


# --- margins between classes ----------------------------------------------------------------------------------------

def label_margin_loss(x, target, reduction):
    """The forward of ``multilabel_margin_loss``."""
    cdef int width = width_of(x), ndim, failed
    cdef Py_ssize_t rows = 1, n
    cdef double[::1] each
    if width == 0 or not same_shape_as(target, x) or cnp.PyArray_SIZE(x) == 0:
        return None
    ndim = cnp.PyArray_NDIM(x)
    if ndim != 1 and ndim != 2:
        return None
    x, target, n = in_order(x), in_order(target), cnp.PyArray_DIM(x, ndim - 1)
    rows = cnp.PyArray_SIZE(x) // n
    losses = np.empty(rows)
    each = losses
    with nogil:
        failed = label_margins(cnp.PyArray_DATA(<cnp.ndarray> x), <const cnp.int64_t*> cnp.PyArray_DATA(<cnp.ndarray> target),
                               width == 8, rows, n, &each[0])
    if failed == -2:
        raise MemoryError()
    if failed:
        return None
    return reduce_losses(losses, each, x, reduction)


cdef bint suits(object g, object x, Py_ssize_t rows) noexcept:
    """Whether ``g`` is the gradient of the loss of each row, or of all, of the type of ``x``."""
    return (width_of(g) == width_of(x) and cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> g)
            and (cnp.PyArray_SIZE(<cnp.ndarray> g) == rows or cnp.PyArray_NDIM(<cnp.ndarray> g) == 0))


def label_margin_grad(g, x, target, reduction):
    """The gradient for ``x``."""
    cdef int width = width_of(x), ndim, failed, each = reduction == "none"
    cdef Py_ssize_t rows, n
    cdef double less
    if width == 0 or not same_shape_as(target, x) or cnp.PyArray_SIZE(x) == 0:
        return None
    ndim = cnp.PyArray_NDIM(x)
    if ndim != 1 and ndim != 2:
        return None
    x, target, n = in_order(x), in_order(target), cnp.PyArray_DIM(x, ndim - 1)
    rows = cnp.PyArray_SIZE(x) // n
    if not suits(g, x, rows if each else 1):
        return None
    dx, less = like(x), rows if reduction == "mean" else 1
    cdef void* out = cnp.PyArray_DATA(<cnp.ndarray> dx)
    with nogil:
        failed = label_margins_grad(cnp.PyArray_DATA(<cnp.ndarray> g), each, cnp.PyArray_DATA(<cnp.ndarray> x),
                                    <const cnp.int64_t*> cnp.PyArray_DATA(<cnp.ndarray> target), width == 8, rows, n, less, out)
    if failed == -2:
        raise MemoryError()
    return None if failed else dx


cdef bint classes_fit(object x, object target, object weight, object p, object margin) except -1:
    """Whether these are scores of a batch, a class for each, and what goes with them."""
    if width_of(x) == 0 or cnp.PyArray_SIZE(x) == 0 or type(margin) not in (int, float) or p != 1 and p != 2:
        return False
    if cnp.PyArray_NDIM(x) != 2 or not cnp.PyArray_CheckExact(target) or cnp.PyArray_TYPE(<cnp.ndarray> target) != cnp.NPY_INT64 \
            or not cnp.PyArray_ISCARRAY_RO(<cnp.ndarray> target):
        return False
    if cnp.PyArray_NDIM(<cnp.ndarray> target) != 1 or cnp.PyArray_SIZE(<cnp.ndarray> target) != cnp.PyArray_DIM(x, 0):
        return False
    return weight is None or (width_of(weight) == width_of(x) and cnp.PyArray_NDIM(weight) == 1
                              and cnp.PyArray_SIZE(weight) == cnp.PyArray_DIM(x, 1))


def class_margin_loss(x, target, weight, p, margin, reduction):
    """The forward of ``multi_margin_loss`` for a batch."""
    cdef int width = width_of(x), failed, square
    cdef Py_ssize_t rows, n
    cdef const void* factors = NULL
    cdef double[::1] each
    cdef double distance
    if not classes_fit(x, target, weight, p, margin):
        return None
    rows, n, x = cnp.PyArray_DIM(x, 0), cnp.PyArray_DIM(x, 1), in_order(x)
    if weight is not None:
        weight = in_order(weight)
        factors = cnp.PyArray_DATA(<cnp.ndarray> weight)
    losses, square, distance = np.empty(rows), p == 2, margin
    each = losses
    with nogil:
        failed = class_margins(cnp.PyArray_DATA(<cnp.ndarray> x), <const cnp.int64_t*> cnp.PyArray_DATA(<cnp.ndarray> target), factors,
                               width == 8, rows, n, square, distance, &each[0])
    return None if failed else reduce_losses(losses, each, x, reduction)


def class_margin_grad(g, x, target, weight, p, margin, reduction):
    """The gradient for ``x``."""
    cdef int failed, width = width_of(x), square, each = reduction == "none"
    cdef Py_ssize_t rows, n
    cdef const void* factors = NULL
    cdef double distance, less
    if not classes_fit(x, target, weight, p, margin):
        return None
    rows, n, x = cnp.PyArray_DIM(x, 0), cnp.PyArray_DIM(x, 1), in_order(x)
    if not suits(g, x, rows if each else 1):
        return None
    if weight is not None:
        weight = in_order(weight)
        factors = cnp.PyArray_DATA(<cnp.ndarray> weight)
    dx, square, distance, less = like(x), p == 2, margin, rows if reduction == "mean" else 1
    cdef void* out = cnp.PyArray_DATA(<cnp.ndarray> dx)
    with nogil:
        failed = class_margins_grad(cnp.PyArray_DATA(<cnp.ndarray> g), each, cnp.PyArray_DATA(<cnp.ndarray> x),
                                    <const cnp.int64_t*> cnp.PyArray_DATA(<cnp.ndarray> target), factors, width == 8, rows, n,
                                    square, distance, less, out)
    return None if failed else dx


cdef object reduce_losses(object losses, double[::1] each, object x, object reduction):
    """The loss of each row of ``x``, or of all."""
    cdef cascade total
    cdef Py_ssize_t i
    if reduction == "none":
        return losses.reshape(x.shape[:x.ndim - 1]).astype(x.dtype)
    total.count = 0
    for i in range(each.shape[0]):
        add_to(&total, each[i])
    return np.asarray(total_of(&total) / (each.shape[0] if reduction == "mean" else 1), x.dtype)


cdef bint same_shape_as(object target, object x):
    """Whether the targets are int64 of the shape of ``x``."""
    return (cnp.PyArray_CheckExact(target) and cnp.PyArray_TYPE(<cnp.ndarray> target) == cnp.NPY_INT64
            and cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> target) and target.shape == x.shape)
