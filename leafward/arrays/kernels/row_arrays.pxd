# What row kernels ask of their arrays. Every array that goes into a loop is aligned, in row-major order, of float32 or float64.
cimport numpy as cnp


cdef inline int width_of(object x) noexcept:
    """4 for an array of float32, 8 for one of float64, 0 for anything else."""
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> x):
        return 0
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    return 4 if kind == cnp.NPY_FLOAT32 else 8 if kind == cnp.NPY_FLOAT64 else 0


cdef inline object copied(object x):
    """A copy of ``x`` in row-major order."""
    if cnp.PyArray_SIZE(<cnp.ndarray> x) < 65536:
        return cnp.PyArray_NewCopy(<cnp.ndarray> x, cnp.NPY_CORDER)
    from leafward.arrays.copies import row_major_copy       # late: it imports kernels
    return row_major_copy(x)                                # NumPy copies what is transposed element by element


cdef inline object in_order(object x):
    """``x`` in row-major order: itself, or a copy."""
    return x if cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x) else copied(x)


cdef inline object like(object x):
    """A new row-major array of the shape and type of ``x``."""
    return cnp.PyArray_EMPTY(cnp.PyArray_NDIM(<cnp.ndarray> x), cnp.PyArray_DIMS(<cnp.ndarray> x),
                             cnp.PyArray_TYPE(<cnp.ndarray> x), 0)


cdef inline bint same_shape(object x, object y) noexcept:
    """Whether two arrays have one shape and one type."""
    cdef int d, ndim = cnp.PyArray_NDIM(<cnp.ndarray> x)
    if not cnp.PyArray_CheckExact(y) or cnp.PyArray_NDIM(<cnp.ndarray> y) != ndim:
        return False
    for d in range(ndim):
        if cnp.PyArray_DIM(<cnp.ndarray> x, d) != cnp.PyArray_DIM(<cnp.ndarray> y, d):
            return False
    return cnp.PyArray_TYPE(<cnp.ndarray> x) == cnp.PyArray_TYPE(<cnp.ndarray> y)


cdef inline bint around(object x, object dim, Py_ssize_t* outer, Py_ssize_t* n, Py_ssize_t* inner) except -1:
    """The sizes before, of and behind ``dim``; False where ``x`` has no such dim, or no element."""
    cdef int d, at, ndim = cnp.PyArray_NDIM(<cnp.ndarray> x)
    if type(dim) is not int or dim >= ndim or dim < -ndim or cnp.PyArray_SIZE(<cnp.ndarray> x) == 0:
        return False
    at = dim
    if at < 0:
        at += ndim
    outer[0] = inner[0] = 1
    for d in range(ndim):
        if d < at:
            outer[0] *= cnp.PyArray_DIM(<cnp.ndarray> x, d)
        elif d > at:
            inner[0] *= cnp.PyArray_DIM(<cnp.ndarray> x, d)
    n[0] = cnp.PyArray_DIM(<cnp.ndarray> x, at)
    return True


cdef inline object around_in_order(object x, object dim, Py_ssize_t* outer, Py_ssize_t* n, Py_ssize_t* inner):
    """``x`` in row-major order, and the sizes around ``dim``; None for what no loop here takes."""
    return in_order(x) if width_of(x) and around(x, dim, outer, n, inner) else None


cdef inline void ends_of(object x, char** low, char** high) noexcept:
    """The first byte of an array that has elements, and the one behind its last."""
    cdef int d
    cdef Py_ssize_t reach
    low[0] = high[0] = cnp.PyArray_BYTES(<cnp.ndarray> x)
    for d in range(cnp.PyArray_NDIM(<cnp.ndarray> x)):
        reach = (cnp.PyArray_DIM(<cnp.ndarray> x, d) - 1) * cnp.PyArray_STRIDE(<cnp.ndarray> x, d)
        if reach < 0:
            low[0] += reach
        else:
            high[0] += reach
    high[0] += cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)


cdef inline bint lie_apart(object x, object y) noexcept:
    """Whether two arrays lie in different memory, as far as their ends tell."""
    cdef char* low
    cdef char* high
    cdef char* other_low
    cdef char* other_high
    if cnp.PyArray_SIZE(<cnp.ndarray> x) == 0 or cnp.PyArray_SIZE(<cnp.ndarray> y) == 0:
        return True
    ends_of(x, &low, &high)
    ends_of(y, &other_low, &other_high)
    return high <= other_low or other_high <= low
