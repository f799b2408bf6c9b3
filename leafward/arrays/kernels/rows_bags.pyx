# distutils: sources = leafward/arrays/kernels/bags_loops.c
# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Rows of a table by number, and sums, means and maxima of them by bags, without a copy of the rows: None for what they do not take."""
from libc.stdint cimport int64_t
cimport numpy as cnp

import numpy as np

from leafward.arrays.kernels.places_entry import pick, put
from leafward.arrays.kernels.row_arrays cimport in_order, width_of

cdef extern from "bags_loops.h":
    ctypedef struct bags_job:
        const char* table
        char* out
        const int64_t* index
        const int64_t* bags
        const char* factors
        const char* sizes
        int64_t* winners
        Py_ssize_t total, count, limit, n
        int wide
    int prepare_bags() except -1
    int sum_bags(bags_job* job) noexcept nogil
    int spread_bags(bags_job* job) noexcept nogil
    int bags_ascend(const int64_t* bags, Py_ssize_t count) noexcept nogil

cnp.import_array()
prepare_bags()


cdef object whole(object x):
    """A vector of whole numbers as int64 side by side; None if it is none."""
    if not cnp.PyArray_CheckExact(x) or cnp.PyArray_NDIM(<cnp.ndarray> x) != 1 or x.dtype.kind != "i":
        return None
    return np.ascontiguousarray(x, np.int64)


cdef object describe(bags_job* job, object table, object indices, object bags, object factors, object sizes):
    """Fill ``job``; what has to be kept alive for it, or None where it is not served."""
    cdef int width = width_of(table)
    indices, bags = whole(indices), whole(bags)
    if width == 0 or cnp.PyArray_NDIM(<cnp.ndarray> table) != 2 or indices is None or bags is None or indices.shape != bags.shape:
        return None
    if factors is not None:
        if width_of(factors) != width or factors.shape != indices.shape:
            return None
        factors = in_order(factors)
    if sizes is not None:
        sizes = np.ascontiguousarray(sizes, table.dtype)
    table = in_order(table)
    job.table, job.wide = <const char*> cnp.PyArray_DATA(<cnp.ndarray> table), width == 8
    job.index = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> indices)
    job.bags = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> bags)
    job.factors = NULL if factors is None else <const char*> cnp.PyArray_DATA(<cnp.ndarray> factors)
    job.sizes = NULL if sizes is None else <const char*> cnp.PyArray_DATA(<cnp.ndarray> sizes)
    job.winners = NULL
    job.total, job.n = cnp.PyArray_SIZE(<cnp.ndarray> indices), cnp.PyArray_DIM(<cnp.ndarray> table, 1)
    return table, indices, bags, factors, sizes


def bag_sums(weight, per_sample_weights, sizes, indices, bags, count, scale_grad_by_freq=False):
    """The forward of sums and means."""
    cdef bags_job job
    cdef int outside
    held = describe(&job, weight, indices, bags, per_sample_weights, sizes)
    if held is None or (sizes is not None and sizes.shape != (count,)) or not bags_ascend(job.bags, job.total):
        return None
    out = np.empty((count, job.n), weight.dtype)
    job.out, job.count, job.limit = <char*> cnp.PyArray_DATA(<cnp.ndarray> out), count, weight.shape[0]
    with nogil:
        outside = sum_bags(&job)
    return None if outside else out


def bag_maxima(weight, indices, bags, count):
    """The forward of maxima: these, and the rows that hold them."""
    cdef bags_job job
    cdef int outside
    held = describe(&job, weight, indices, bags, None, None)
    if held is None or not bags_ascend(job.bags, job.total):
        return None
    out, winners = np.empty((count, job.n), weight.dtype), np.empty((count, job.n), np.int64)
    job.out, job.winners = <char*> cnp.PyArray_DATA(<cnp.ndarray> out), <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> winners)
    job.count, job.limit = count, weight.shape[0]
    with nogil:
        outside = sum_bags(&job)
    return None if outside else (out, winners)


def bag_sums_grad(g, weight, per_sample_weights, sizes, indices, bags, scale_grad_by_freq):
    """The rule for the table, of which only the shape is known."""
    cdef bags_job job
    cdef int outside
    if scale_grad_by_freq:
        return None
    held = describe(&job, g, indices, bags, per_sample_weights, sizes)
    if held is None or (sizes is not None and sizes.shape != g.shape[:1]):
        return None
    out = np.zeros((weight.shape[0], job.n), g.dtype)
    job.out, job.count, job.limit = <char*> cnp.PyArray_DATA(<cnp.ndarray> out), g.shape[0], weight.shape[0]
    with nogil:
        outside = spread_bags(&job)
    return None if outside else out


def rows_of_table(weight, indices, padding_idx=-1, scale_grad_by_freq=False):
    """The forward of ``_embedding``."""
    if not cnp.PyArray_CheckExact(weight) or cnp.PyArray_NDIM(<cnp.ndarray> weight) != 2 or not cnp.PyArray_CheckExact(indices) \
            or cnp.PyArray_TYPE(<cnp.ndarray> indices) != cnp.NPY_INT64:
        return None
    return pick(weight, [indices], (0,), False)


def table_of_rows(grad_output, indices, num_weights, padding_idx, scale_grad_by_freq):
    """The forward of ``embedding_dense_backward``, where every row counts once."""
    cdef Py_ssize_t width
    if width_of(grad_output) == 0 or cnp.PyArray_NDIM(<cnp.ndarray> grad_output) == 0 or not cnp.PyArray_CheckExact(indices) \
            or cnp.PyArray_TYPE(<cnp.ndarray> indices) != cnp.NPY_INT64 or type(num_weights) is not int or num_weights <= 0 \
            or type(padding_idx) is not int or padding_idx >= 0 or scale_grad_by_freq is not False:
        return None
    width = cnp.PyArray_DIM(<cnp.ndarray> grad_output, cnp.PyArray_NDIM(<cnp.ndarray> grad_output) - 1)
    if width == 0 or cnp.PyArray_SIZE(<cnp.ndarray> grad_output) != cnp.PyArray_SIZE(<cnp.ndarray> indices) * width:
        return None
    table = np.zeros((num_weights, width), grad_output.dtype)
    return table if put(table, [indices.reshape(-1)], (0,), grad_output.reshape(-1, width), "add", False) else None
