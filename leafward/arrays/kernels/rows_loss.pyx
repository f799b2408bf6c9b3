# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The loss over classes and its rule, without an array in between: None for what they do not take.

A class that does not exist is left to the declaration, which says so.
"""
cimport numpy as cnp
from cython cimport floating

import numpy as np

from leafward.arrays.kernels.row_arrays cimport in_order, like, width_of

cdef extern from "sums.h":
    ctypedef struct cascade:
        size_t count
    void add_to(cascade* sum, double value) noexcept nogil
    double total_of(const cascade* sum) noexcept nogil

cdef extern from "margins.h":
    int label_margins(const void* x, const cnp.int64_t* target, int wide, Py_ssize_t rows, Py_ssize_t n, double* losses) noexcept nogil
    int class_margins(const void* x, const cnp.int64_t* target, const void* weight, int wide, Py_ssize_t rows, Py_ssize_t n, int square,
                      double margin, double* losses) noexcept nogil
    int label_margins_grad(const void* g, int each, const void* x, const cnp.int64_t* target, int wide, Py_ssize_t rows, Py_ssize_t n,
                           double less, void* dx) noexcept nogil
    int class_margins_grad(const void* g, int each, const void* x, const cnp.int64_t* target, const void* weight, int wide,
                           Py_ssize_t rows, Py_ssize_t n, int square, double margin, double less, void* dx) noexcept nogil

cnp.import_array()


cdef struct Places:
    Py_ssize_t n, classes, inner            # x is (n, classes, inner), target (n, inner)
    Py_ssize_t ignored
    const cnp.int64_t* target


cdef bint describe(Places* places, object x, object shape, object target, object ignore_index) except -1:
    """Fill in the sizes; False for an ``x`` of no more than one dim, and for targets that do not lie in order."""
    cdef Py_ssize_t d, ndim = len(shape)
    if ndim < 2 or type(target) is not cnp.ndarray or cnp.PyArray_TYPE(target) != cnp.NPY_INT64 \
            or not cnp.PyArray_ISCARRAY_RO(target):
        return False
    places.n, places.classes, places.inner, places.ignored = shape[0], shape[1], 1, ignore_index
    for d in range(2, ndim):
        places.inner *= shape[d]
    places.target = <const cnp.int64_t*> cnp.PyArray_DATA(target)
    return cnp.PyArray_SIZE(target) == places.n * places.inner and places.classes > 0 and cnp.PyArray_SIZE(target) > 0


cdef bint pick(const Places* at, const floating* x, const floating* weight, floating* loss, floating* share,
               double* sums) noexcept nogil:
    """Each place's loss and how much it counts, where wanted, and their sums; False for a class that does not exist."""
    cdef Py_ssize_t i, k, label
    cdef floating counts
    cdef cascade losses, shares
    losses.count = shares.count = 0
    for i in range(at.n):
        for k in range(at.inner):
            label = at.target[i * at.inner + k]
            counts = 0
            if label != at.ignored:
                if label < 0 or label >= at.classes:
                    return False
                counts = 1 if weight == NULL else weight[label]
            loss[0] = 0 if label == at.ignored else -x[(i * at.classes + label) * at.inner + k] * counts
            add_to(&losses, loss[0])
            if share != NULL:
                share[i * at.inner + k] = counts
                add_to(&shares, counts)
            if sums == NULL:
                loss += 1
    if sums != NULL:
        sums[0], sums[1] = total_of(&losses), total_of(&shares)
    return True


cdef object pick_and_reduce(const Places* at, object x, object target, object weight, str reduction, floating unused):
    cdef floating one
    cdef double sums[2]
    cdef bint each = reduction == "none", shared = weight is not None
    cdef Py_ssize_t i, size = cnp.PyArray_SIZE(target)
    cdef int kind = cnp.PyArray_TYPE(x)
    for i in range(size):
        shared |= at.target[i] == at.ignored
    losses = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(target) if each else 0, cnp.PyArray_DIMS(target), kind, 0)
    share = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(target) if shared else 0, cnp.PyArray_DIMS(target), kind, 0)
    cdef floating* shares = <floating*> cnp.PyArray_DATA(share)
    shares[0] = 1
    if not pick(at, <const floating*> cnp.PyArray_DATA(x), NULL if weight is None else <const floating*> cnp.PyArray_DATA(weight),
                <floating*> cnp.PyArray_DATA(losses) if each else &one, shares if shared else NULL, NULL if each else sums):
        return None
    if each:
        return losses, share
    if reduction == "mean":
        one = <floating> (sums[1] if shared else size)
        (<floating*> cnp.PyArray_DATA(losses))[0] = <floating> sums[0] / one
        for i in range(size if shared else 1):
            shares[i] /= one
    else:
        (<floating*> cnp.PyArray_DATA(losses))[0] = <floating> sums[0]
    return losses, share


def nll(x, target, weight, reduction, ignore_index):
    """The reduced loss, and the factor by which each place counts in it."""
    cdef Places places
    cdef int width = width_of(x)
    if width == 0 or not cnp.PyArray_IS_C_CONTIGUOUS(x) or not describe(&places, x, x.shape, target, ignore_index):
        return None
    if weight is not None and (width_of(weight) != width or not cnp.PyArray_IS_C_CONTIGUOUS(weight)
                               or cnp.PyArray_NDIM(weight) != 1 or cnp.PyArray_SIZE(weight) != places.classes):
        return None
    if width == 4:
        return pick_and_reduce[float](&places, x, target, weight, reduction, 0)
    return pick_and_reduce[double](&places, x, target, weight, reduction, 0)


cdef void scatter(const Places* at, const floating* g, bint g_each, const floating* share, bint share_each,
                  floating* dx) noexcept nogil:
    cdef Py_ssize_t i, k, number, label
    for i in range(at.n):
        for k in range(at.inner):
            number = i * at.inner + k
            label = at.target[number]
            if label != at.ignored:
                dx[(i * at.classes + label) * at.inner + k] = -(g[number * g_each] * share[number * share_each])


def nll_grad(g, x, target, share, ignore_index):
    """The rule: zeros, and at each place's class what it counts. Of ``x`` only its shape is known."""
    cdef Places places
    cdef int width = width_of(g)
    shape = x.shape
    if width == 0 or width_of(share) != width or not describe(&places, g, shape, target, ignore_index):
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
    if width == 4:
        scatter(&places, <const float*> cnp.PyArray_DATA(g), cnp.PyArray_NDIM(g) > 0, <const float*> cnp.PyArray_DATA(share),
                cnp.PyArray_NDIM(share) > 0, <float*> cnp.PyArray_DATA(dx))
    else:
        scatter(&places, <const double*> cnp.PyArray_DATA(g), cnp.PyArray_NDIM(g) > 0, <const double*> cnp.PyArray_DATA(share),
                cnp.PyArray_NDIM(share) > 0, <double*> cnp.PyArray_DATA(dx))
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
