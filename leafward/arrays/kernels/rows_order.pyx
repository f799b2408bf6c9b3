# distutils: sources = leafward/arrays/kernels/order_loops.c
# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Rows in order: sorts, the first few, medians, the most frequent and the distinct. None for what they do not take."""
from libc.stdint cimport int64_t
cimport numpy as cnp

from leafward.arrays.kernels.row_arrays cimport around, in_order

import numpy as np

from leafward.arrays.kernels.rows_reduction import _extremes_with_places
from leafward.arrays.kernels.sorting import TIED_UP_TO
from leafward.arrays.layout import empty_in_order

cdef extern from "order_loops.h":
    enum: BYTES_U, BYTES_I, SHORTS, INTS, LONGS, HALVES, BRAIN_HALVES, FLOATS, DOUBLES
    enum: ALL, FIRST, KTH, MEDIAN, MEDIAN_OF_NUMBERS, MODE, LARGEST, SMALLEST
    ctypedef struct order_job:
        const char* x
        char* values
        int64_t* places
        Py_ssize_t outer, n, inner, count, k
        int kind, way, descending, tied
    ctypedef struct distinct_job:
        const char* x
        char* values
        int64_t* inverse
        int64_t* counts
        cnp.npy_intp n, found
        int kind
    int prepare_order() except -1
    int order_rows(order_job* job) noexcept nogil
    int find_distinct(distinct_job* job) noexcept nogil

cnp.import_array()
prepare_order()

cdef Py_ssize_t TIED = TIED_UP_TO
#: Places in rows of so many fit into what is sorted.
cdef Py_ssize_t LONGEST = 1 << 31


cdef int kind_of(object x) except -2:
    """The kind of key for the elements of ``x``; -1 where there is none."""
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> x):
        return -1
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    if kind == cnp.NPY_FLOAT32:
        return FLOATS
    if kind == cnp.NPY_INT64:
        return LONGS
    if kind == cnp.NPY_FLOAT64:
        return DOUBLES
    if kind == cnp.NPY_INT32:
        return INTS
    if kind == cnp.NPY_UINT8 or kind == cnp.NPY_BOOL:
        return BYTES_U
    if kind == cnp.NPY_INT8:
        return BYTES_I
    if kind == cnp.NPY_INT16:
        return SHORTS
    if kind == cnp.NPY_FLOAT16:
        return HALVES
    return BRAIN_HALVES if x.dtype.char == "E" else -1      # bfloat16, which is none of NumPy's own


cdef bint describe(order_job* job, object x, object dim) except -1:
    """The row-major ``x`` and the rows along ``dim``; False where no loop takes them."""
    job.kind = kind_of(x)
    if job.kind < 0 or not around(x, dim, &job.outer, &job.n, &job.inner) or job.n >= LONGEST:
        return False
    job.values, job.places, job.k, job.descending, job.tied = NULL, NULL, 0, False, False
    return True


cdef int run(order_job* job) except -1:
    cdef int failed
    with nogil:
        failed = order_rows(job)
    if failed:
        raise MemoryError()
    return 0


cdef object whole_rows(object x, object dim, object descending, object stable, bint with_values):
    """Every element in order, laid out as ``x`` is."""
    cdef order_job job
    cdef object order, values = None, places
    cdef bint one_place = False, turned = not cnp.PyArray_CheckExact(x) or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x)
    model = x
    if turned:
        if not cnp.PyArray_CheckExact(x) or type(dim) is not int or not -x.ndim <= dim < x.ndim:
            return None
        model = empty_in_order(x)
        one_place = x.strides[dim] == 0                     # all are one number: PyTorch leaves them where they are
        order = sorted(range(x.ndim), key=lambda d: -model.strides[d])
        dim = order.index(dim % x.ndim)
        x, model = in_order(x.transpose(order)), model.transpose(order)
        if not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> model):
            return None
    if not describe(&job, x, dim):
        return None
    places = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(<cnp.ndarray> x), cnp.PyArray_DIMS(<cnp.ndarray> x), cnp.NPY_INT64, 0)
    if with_values:
        values = model if turned else empty_in_order(x)
        job.values = <char*> cnp.PyArray_DATA(<cnp.ndarray> values)
    job.x, job.places = <const char*> cnp.PyArray_DATA(<cnp.ndarray> x), <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> places)
    job.count, job.way = job.n, ALL
    job.descending, job.tied = bool(descending), not stable and not one_place and cnp.PyArray_SIZE(<cnp.ndarray> x) <= TIED
    run(&job)
    if turned:
        back = [order.index(d) for d in range(len(order))]
        places = places.transpose(back)
        values = values.transpose(back) if with_values else None
    return (values, places) if with_values else places


cdef object some(object x, object dim, int way, Py_ssize_t count, Py_ssize_t k, bint descending, bint tied, bint keepdim):
    """``count`` elements of each row and their places; without ``keepdim``, one, and the dim goes."""
    cdef order_job job
    cdef cnp.npy_intp shape[64]
    cdef int d, at, ndim
    if not cnp.PyArray_CheckExact(x) or cnp.PyArray_TYPE(<cnp.ndarray> x) == cnp.NPY_BOOL and way != MODE:
        return None
    x = in_order(x)
    if not describe(&job, x, dim) or not 0 <= k < job.n or not 0 < count <= job.n:
        return None
    ndim, at = cnp.PyArray_NDIM(<cnp.ndarray> x), 0
    for d in range(ndim):
        if d != (dim if dim >= 0 else dim + ndim):
            shape[at] = cnp.PyArray_DIM(<cnp.ndarray> x, d)
            at += 1
        elif keepdim:
            shape[at] = count
            at += 1
    values, places = new(x.dtype, shape, at), cnp.PyArray_EMPTY(at, shape, cnp.NPY_INT64, 0)
    job.x, job.values = <const char*> cnp.PyArray_DATA(<cnp.ndarray> x), <char*> cnp.PyArray_DATA(<cnp.ndarray> values)
    job.places = <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> places)
    job.way, job.count, job.k, job.descending = way, count, k, descending
    job.tied = tied and cnp.PyArray_SIZE(<cnp.ndarray> x) <= TIED
    run(&job)
    return values, places


cdef object new(cnp.dtype dtype, cnp.npy_intp* shape, int ndim):
    """A new row-major array."""
    if dtype.char != "E":
        return cnp.PyArray_EMPTY(ndim, shape, dtype.type_num, 0)
    return np.empty([shape[d] for d in range(ndim)], dtype)


cdef object extreme(object x, object dim, object keepdim, int way):
    """An extreme and its first place; of other types than floats where there are few: NumPy finds it among many with vector code."""
    cdef object found = _extremes_with_places(x, dim, bool(keepdim), way == LARGEST)
    if found is not None:
        return found
    if not cnp.PyArray_CheckExact(x) or cnp.PyArray_SIZE(<cnp.ndarray> x) > TIED:
        return None
    return some(x, dim, way, 1, 0, False, False, bool(keepdim))


cdef object extreme_place(object x, object dim, object keepdim, int way):
    if dim is None and cnp.PyArray_CheckExact(x) and not keepdim:
        x, dim = in_order(x).reshape(-1), 0
    found = extreme(x, dim, keepdim, way)
    return None if found is None else found[1]


def largest_with_place(x, dim, keepdim):
    """The forward of ``max`` along a dim."""
    return extreme(x, dim, keepdim, LARGEST)


def smallest_with_place(x, dim, keepdim):
    """The forward of ``min`` along a dim."""
    return extreme(x, dim, keepdim, SMALLEST)


def place_of_largest(x, dim, keepdim):
    """The forward of ``argmax``."""
    return extreme_place(x, dim, keepdim, LARGEST)


def place_of_smallest(x, dim, keepdim):
    """The forward of ``argmin``."""
    return extreme_place(x, dim, keepdim, SMALLEST)


def order_with_values(x, dim, descending, stable):
    """The forward of ``sort``."""
    return whole_rows(x, dim, descending, stable, True)


def order_of(x, dim, descending, stable):
    """The forward of ``argsort``."""
    return whole_rows(x, dim, descending, stable, False)


def first_in_order(x, k, dim, largest, sorted):
    """The forward of ``topk``."""
    return some(x, dim, FIRST, k, 0, bool(largest), True, True) if type(k) is int else None


def kth_in_order(x, k, dim, keepdim):
    """The forward of ``kthvalue``, counted from 1."""
    return some(x, dim, KTH, 1, k - 1, False, True, keepdim) if type(k) is int else None


def middle_in_order(x, dim, keepdim):
    """The forward of ``median`` along a dim."""
    return some(x, dim, MEDIAN, 1, 0, False, False, keepdim)


def middle_of_numbers(x, dim, keepdim):
    """The forward of ``nanmedian`` along a dim."""
    return some(x, dim, MEDIAN_OF_NUMBERS, 1, 0, False, False, keepdim)


def most_frequent(x, dim, keepdim):
    """The forward of ``mode``."""
    return some(x, dim, MODE, 1, 0, False, True, keepdim)


cdef object middle_of_all(object x, int way):
    """The middle of all elements, of few enough: NumPy splits many with vector code."""
    if not cnp.PyArray_CheckExact(x) or not 0 < cnp.PyArray_SIZE(<cnp.ndarray> x) <= TIED:
        return None
    found = some(in_order(x).reshape(-1), 0, way, 1, 0, False, False, False)
    return None if found is None else found[0]


def middle_of_everything(x):
    """The forward of ``median`` without a dim."""
    return middle_of_all(x, MEDIAN)


def middle_of_all_numbers(x):
    """The forward of ``nanmedian`` without a dim."""
    return middle_of_all(x, MEDIAN_OF_NUMBERS)


def distinct(x, dim):
    """The forward of ``unique`` without a dim: the distinct elements, which of them each is, and how often each occurs."""
    cdef distinct_job job
    cdef int failed
    if dim is not None:
        return None
    job.kind = kind_of(x)
    if job.kind < 0 or not 0 < cnp.PyArray_SIZE(<cnp.ndarray> x) < LONGEST:
        return None
    x = in_order(x)
    job.n = cnp.PyArray_SIZE(<cnp.ndarray> x)
    inverse = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(<cnp.ndarray> x), cnp.PyArray_DIMS(<cnp.ndarray> x), cnp.NPY_INT64, 0)
    values, counts = new(x.dtype, &job.n, 1), cnp.PyArray_EMPTY(1, &job.n, cnp.NPY_INT64, 0)
    job.x, job.values = <const char*> cnp.PyArray_DATA(<cnp.ndarray> x), <char*> cnp.PyArray_DATA(<cnp.ndarray> values)
    job.inverse, job.counts = <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> inverse), <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> counts)
    with nogil:
        failed = find_distinct(&job)
    if failed:
        raise MemoryError()
    return values[:job.found].copy(), inverse, counts[:job.found].copy()
