# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Arrays with a border of one number. None for what it does not take."""
from libc.math cimport signbit
from libc.string cimport memcpy
cimport numpy as cnp

cnp.import_array()


def pad_with(x, pad, value=0):
    """The forward of ``constant_pad_nd`` where nothing is cropped: of floats, or with zeros of anything."""
    cdef cnp.npy_intp sizes[32]
    cdef Py_ssize_t steps[32]
    cdef Py_ssize_t at[32]
    cdef Py_ssize_t row, rows, step, k
    cdef int d, ndim, given, kind, itemsize
    cdef double number
    cdef const char* source
    cdef char* spot
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISCARRAY_RO(<cnp.ndarray> x) or type(pad) not in (tuple, list):
        return None
    ndim, given, kind = cnp.PyArray_NDIM(<cnp.ndarray> x), <int> len(pad), cnp.PyArray_TYPE(<cnp.ndarray> x)
    if ndim == 0 or ndim > 30 or given % 2 or given > 2 * ndim or kind == cnp.NPY_OBJECT or type(value) not in (int, float):
        return None
    if value != 0 and (kind != cnp.NPY_FLOAT32 and kind != cnp.NPY_FLOAT64 or not (-3e38 < value < 3e38 or value - value != 0)):
        return None
    if type(value) is float and (kind < cnp.NPY_FLOAT32 or kind > cnp.NPY_FLOAT64):
        return None
    for d in range(ndim):
        sizes[d], at[d] = cnp.PyArray_DIM(<cnp.ndarray> x, d), 0
    for d in range(given):
        if type(pad[d]) is not int or not 0 <= pad[d] < 1 << 40:
            return None
        sizes[ndim - 1 - d // 2] += <Py_ssize_t> pad[d]
    number = value
    if number == 0 and not signbit(number):
        out = cnp.PyArray_ZEROS(ndim, sizes, kind, 0)
    else:
        out = cnp.PyArray_EMPTY(ndim, sizes, kind, 0)
        if kind == cnp.NPY_FLOAT32:
            fill_single(<float*> cnp.PyArray_DATA(<cnp.ndarray> out), cnp.PyArray_SIZE(<cnp.ndarray> out), <float> number)
        else:
            fill_double(<double*> cnp.PyArray_DATA(<cnp.ndarray> out), cnp.PyArray_SIZE(<cnp.ndarray> out), number)
    if cnp.PyArray_SIZE(<cnp.ndarray> x) == 0:
        return out
    itemsize = <int> cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    spot, source, step = <char*> cnp.PyArray_DATA(<cnp.ndarray> out), <const char*> cnp.PyArray_DATA(<cnp.ndarray> x), itemsize
    for d in range(ndim - 1, -1, -1):
        steps[d] = step
        if ndim - 1 - d < given // 2:
            spot += <Py_ssize_t> pad[2 * (ndim - 1 - d)] * step
        step *= sizes[d]
    row = cnp.PyArray_DIM(<cnp.ndarray> x, ndim - 1) * itemsize
    rows = cnp.PyArray_NBYTES(<cnp.ndarray> x) // row
    with nogil:
        for k in range(rows):
            memcpy(spot, source, row)
            source += row
            for d in range(ndim - 2, -1, -1):
                spot += steps[d]
                at[d] += 1
                if at[d] < cnp.PyArray_DIM(<cnp.ndarray> x, d):
                    break
                spot -= at[d] * steps[d]
                at[d] = 0
    return out


cdef void fill_single(float* to, Py_ssize_t n, float number) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        to[i] = number


cdef void fill_double(double* to, Py_ssize_t n, double number) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        to[i] = number
