# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What small contiguous float32 and float64 arrays have done to them beside arithmetic: compared, added up in place, reshaped.

NumPy needs about 0.3 µs to start a loop, more than a small array's arithmetic takes; these need 0.07. A kernel
answers None where it does not apply (another dtype or layout, a large array, where NumPy's vector
loops win), and the op's own forward or rule runs instead. Declarations name their kernels; every function of this file and of
others called ``small*`` can be named, and is found by its name.
"""
cimport numpy as cnp

from leafward import dtypes

cnp.import_array()

cdef object float32 = dtypes.float32
cdef object float64 = dtypes.float64

ctypedef fused number:
    float
    double

#: Above this many elements NumPy's vectorised loops are faster.
DEF LIMIT = 1024


cdef inline bint fits(object x) noexcept:
    """Whether ``x`` is a small, contiguous array of float32 or float64."""
    cdef int kind
    if not cnp.PyArray_CheckExact(x):
        return False
    kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    if kind != cnp.NPY_FLOAT32 and kind != cnp.NPY_FLOAT64:
        return False
    return cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x) and cnp.PyArray_SIZE(<cnp.ndarray> x) <= LIMIT


cdef inline void add_up(number* x, const number* y, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        x[i] += y[i]


def add_into(object x, object y):
    """``x += y``; True when that was done. Not where they share memory: NumPy then works on a copy."""
    cdef Py_ssize_t i
    cdef char* first
    cdef char* second
    if not fits(x) or not fits(y) or cnp.PyArray_TYPE(x) != cnp.PyArray_TYPE(y) or cnp.PyArray_NDIM(x) != cnp.PyArray_NDIM(y):
        return None
    if not cnp.PyArray_ISWRITEABLE(x):
        return None
    for i in range(cnp.PyArray_NDIM(x)):
        if cnp.PyArray_DIMS(x)[i] != cnp.PyArray_DIMS(y)[i]:
            return None
    first, second = <char*> cnp.PyArray_DATA(x), <char*> cnp.PyArray_DATA(y)
    if first < second + cnp.PyArray_NBYTES(y) and second < first + cnp.PyArray_NBYTES(x):
        return None
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32:
        add_up(<float*> first, <const float*> second, cnp.PyArray_SIZE(x))
    else:
        add_up(<double*> first, <const double*> second, cnp.PyArray_SIZE(x))
    return True


cpdef bint other_ndim(object x, object y):
    """Whether two arrays have different numbers of dims."""
    if cnp.PyArray_CheckExact(x) and cnp.PyArray_CheckExact(y):
        return cnp.PyArray_NDIM(<cnp.ndarray> x) != cnp.PyArray_NDIM(<cnp.ndarray> y)
    return x.ndim != y.ndim


cpdef bint same_kind(object x, object shape, object dtype):
    """Whether ``x`` is a float32 or float64 array of exactly this shape and dtype; of other dtypes it says no."""
    cdef int kind = cnp.NPY_FLOAT32 if dtype is float32 else cnp.NPY_FLOAT64 if dtype is float64 else -1
    cdef Py_ssize_t i
    if not cnp.PyArray_CheckExact(x) or cnp.PyArray_TYPE(<cnp.ndarray> x) != kind or type(shape) is not tuple:
        return False
    if cnp.PyArray_NDIM(<cnp.ndarray> x) != len(<tuple> shape):
        return False
    for i in range(len(<tuple> shape)):
        if cnp.PyArray_DIMS(<cnp.ndarray> x)[i] != <Py_ssize_t> (<tuple> shape)[i]:
            return False
    return True


def view(object x, object shape, object dtype):
    """A row-major array under another shape, of which one size may be -1; None for whatever is less usual."""
    cdef cnp.npy_intp sizes[8]
    cdef cnp.npy_intp known = 1, size, total
    cdef int i, unknown = -1
    cdef cnp.PyArray_Dims dims
    if dtype is not None or type(shape) is not tuple or not cnp.PyArray_CheckExact(x):
        return None
    array = <cnp.ndarray> x
    ndim = cnp.PyArray_NDIM(array)
    total = cnp.PyArray_SIZE(array)
    # Elements of a last dim of size one may lie at any distance, which PyTorch's strides would show.
    if total == 0 or ndim == 0 or not cnp.PyArray_IS_C_CONTIGUOUS(array) or cnp.PyArray_DIM(array, ndim - 1) == 1:
        return None
    count = len(<tuple> shape)
    if count == 0 or count > 8:
        return None
    for i in range(count):
        if type((<tuple> shape)[i]) is not int:
            return None
        try:
            size = (<tuple> shape)[i]
        except OverflowError:
            return None
        if size == -1 and unknown < 0:
            unknown = i
            size = 1
        if size < 1 or size > total // known:
            return None
        known *= size
        sizes[i] = size
    if unknown >= 0 and total % known == 0:
        sizes[unknown] = total // known
    elif known != total:
        return None
    dims.ptr, dims.len = sizes, <int> count
    return cnp.PyArray_Newshape(array, &dims, cnp.NPY_CORDER)


# --- what is not zero ------------------------------------------------------------------------------------------------

cdef Py_ssize_t not_zero(object x, Py_ssize_t* size) noexcept:
    """How many of the ``size`` elements of a small contiguous array are not zero; -1 for what is none, or of another dtype."""
    cdef Py_ssize_t i, found = 0
    cdef int kind
    cdef void* data
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISCARRAY_RO(<cnp.ndarray> x) or cnp.PyArray_SIZE(<cnp.ndarray> x) > LIMIT:
        return -1
    kind, size[0], data = cnp.PyArray_TYPE(<cnp.ndarray> x), cnp.PyArray_SIZE(<cnp.ndarray> x), cnp.PyArray_DATA(<cnp.ndarray> x)
    if kind == cnp.NPY_FLOAT32:
        for i in range(size[0]):
            found += (<float*> data)[i] != 0
    elif kind == cnp.NPY_FLOAT64:
        for i in range(size[0]):
            found += (<double*> data)[i] != 0
    elif kind == cnp.NPY_INT64:
        for i in range(size[0]):
            found += (<cnp.int64_t*> data)[i] != 0
    elif kind == cnp.NPY_BOOL:
        for i in range(size[0]):
            found += (<char*> data)[i] != 0
    else:
        return -1
    return found


cdef object truth_alone(bint truth):
    out = cnp.PyArray_EMPTY(0, NULL, cnp.NPY_BOOL, 0)
    (<char*> cnp.PyArray_DATA(out))[0] = truth
    return out


def any_of_small(x, dim, keepdim):
    """Whether any element is true."""
    cdef Py_ssize_t size = 0, found = -1 if dim is not None or keepdim is not False else not_zero(x, &size)
    return None if found < 0 else truth_alone(found > 0)


def all_of_small(x, dim, keepdim):
    """Whether all elements are true."""
    cdef Py_ssize_t size = 0, found = -1 if dim is not None or keepdim is not False else not_zero(x, &size)
    return None if found < 0 else truth_alone(found == size)


def count_of_small(x, dim):
    """How many elements are not zero."""
    cdef Py_ssize_t size = 0, found = -1 if dim is not None else not_zero(x, &size)
    if found < 0:
        return None
    out = cnp.PyArray_EMPTY(0, NULL, cnp.NPY_INT64, 0)
    (<cnp.int64_t*> cnp.PyArray_DATA(out))[0] = found
    return out
