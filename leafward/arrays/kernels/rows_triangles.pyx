# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Triangles of matrices of any dtype, a row at a time: None for what they do not take."""
from libc.string cimport memcpy, memset
cimport numpy as cnp

from leafward.arrays.kernels.pool cimport each_share, import_pool, shares_of
from leafward.arrays.kernels.row_arrays cimport in_order

cnp.import_array()
import_pool()

#: Elements in a share.
DEF SHARE = 32768


cdef struct Job:
    char* out
    const char* x
    Py_ssize_t all, rows, columns, itemsize, diagonal, per_share
    bint upper


cdef void share(void* given, Py_ssize_t number) noexcept nogil:
    cdef Job* job = <Job*> given
    cdef Py_ssize_t row, edge, before, whole = job.columns * job.itemsize
    for row in range(number * job.per_share, min((number + 1) * job.per_share, job.all)):
        # What is before the edge is the lower triangle, what is behind it the upper one.
        edge = row % job.rows + job.diagonal + (0 if job.upper else 1)
        before = min(max(edge, 0), job.columns) * job.itemsize
        if job.upper:
            memset(job.out + row * whole, 0, before)
            if job.out != job.x:
                memcpy(job.out + row * whole + before, job.x + row * whole + before, whole - before)
        else:
            if job.out != job.x:
                memcpy(job.out + row * whole, job.x + row * whole, before)
            memset(job.out + row * whole + before, 0, whole - before)


cdef object triangle(object x, object diagonal, object out, bint upper):
    cdef Job job
    cdef int ndim, kind
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> x) or type(diagonal) is not int:
        return None
    ndim, kind = cnp.PyArray_NDIM(<cnp.ndarray> x), cnp.PyArray_TYPE(<cnp.ndarray> x)
    if ndim < 2 or kind >= cnp.NPY_OBJECT or cnp.PyArray_SIZE(<cnp.ndarray> x) == 0 or not -(1 << 40) < diagonal < 1 << 40:
        return None
    if out is None:
        x = in_order(x)
        out = cnp.PyArray_EMPTY(ndim, cnp.PyArray_DIMS(<cnp.ndarray> x), kind, 0)
    elif out is not x or not cnp.PyArray_ISCARRAY(<cnp.ndarray> x):
        return None
    job.rows, job.columns = cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 2), cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 1)
    job.all, job.itemsize = cnp.PyArray_SIZE(<cnp.ndarray> x) // job.columns, cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    job.out, job.x = <char*> cnp.PyArray_DATA(<cnp.ndarray> out), <const char*> cnp.PyArray_DATA(<cnp.ndarray> x)
    job.diagonal, job.upper, job.per_share = diagonal, upper, max(1, SHARE // job.columns)
    with nogil:
        each_share(share, &job, shares_of(job.all, job.per_share))
    return out


def lower_triangle(x, diagonal=0, out=None):
    """The forward of ``tril``; in place where ``out`` is ``x``."""
    return triangle(x, diagonal, out, False)


def upper_triangle(x, diagonal=0, out=None):
    """The forward of ``triu``; in place where ``out`` is ``x``."""
    return triangle(x, diagonal, out, True)
