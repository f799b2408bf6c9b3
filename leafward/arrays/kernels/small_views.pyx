# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Views as offset and strides in one step, and writes into them. A kernel answers None where it does not apply."""
from cpython.ref cimport PyObject, PyTypeObject, Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.string cimport memcpy, memset
cimport numpy as cnp

from leafward.arrays.kernels.copies_entry import copy_into as copy_on_threads

cdef extern from "Python.h":
    Py_ssize_t PyNumber_AsSsize_t(object, PyObject*)
    int PySlice_Unpack(object, Py_ssize_t*, Py_ssize_t*, Py_ssize_t*) except -1
    Py_ssize_t PySlice_AdjustIndices(Py_ssize_t, Py_ssize_t*, Py_ssize_t*, Py_ssize_t)

cdef extern from "numpy/arrayobject.h":
    ctypedef struct Descr "PyArray_Descr"
    object PyArray_NewFromDescr(PyTypeObject*, Descr*, int, cnp.npy_intp*, cnp.npy_intp*, void*, int, PyObject*)
    void PyArray_UpdateFlags(cnp.ndarray, int)
    Descr* borrowed_descr "PyArray_DESCR"(cnp.ndarray)

cnp.import_array()

#: How many dims a view may have here.
DEF DIMS = 16


cdef object window(cnp.ndarray array, int ndim, cnp.npy_intp* sizes, cnp.npy_intp* steps, char* data):
    """The memory of ``array`` from ``data`` on, under other sizes and steps (in bytes)."""
    cdef cnp.ndarray view
    Py_INCREF(<object> <PyObject*> borrowed_descr(array))   # the new array takes it
    view = PyArray_NewFromDescr(<PyTypeObject*> cnp.ndarray, borrowed_descr(array), ndim, sizes, steps, data,
                                cnp.PyArray_FLAGS(array) & cnp.NPY_ARRAY_WRITEABLE, <PyObject*> NULL)
    cnp.set_array_base(view, array)
    PyArray_UpdateFlags(view, cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_F_CONTIGUOUS | cnp.NPY_ARRAY_ALIGNED)
    return view


cdef inline bint is_bound(object value) noexcept:
    return value is None or type(value) is int


def basic_index(object x, object index):
    """``x[index]`` for integers in range, slices with a positive step, None and one Ellipsis; PyTorch's strides."""
    cdef cnp.npy_intp sizes[DIMS]
    cdef cnp.npy_intp steps[DIMS]
    cdef Py_ssize_t ndim, named = 0, size, step, number, start, stop, factor, count, dim = 0, skipped
    cdef int left = 0, ellipses = 0
    cdef char* data
    cdef cnp.ndarray array
    cdef tuple items
    if not cnp.PyArray_CheckExact(x):
        return None
    array = <cnp.ndarray> x
    items = <tuple> index if type(index) is tuple else (index,)
    ndim, count = cnp.PyArray_NDIM(array), len(items)
    if ndim + count > DIMS:
        return None
    for item in items:
        if type(item) is int or type(item) is slice:
            named += 1
        elif item is Ellipsis:
            ellipses += 1
        elif item is not None:
            return None
    if named > ndim or ellipses > 1:
        return None
    data = cnp.PyArray_BYTES(array)
    for item in items:
        if item is None:                # its step leads past all that comes behind it
            sizes[left] = 1
            steps[left] = cnp.PyArray_DIM(array, dim) * cnp.PyArray_STRIDE(array, dim) if dim < ndim else cnp.PyArray_ITEMSIZE(array)
            left += 1
            continue
        if item is Ellipsis:
            for skipped in range(ndim - named):
                sizes[left], steps[left] = cnp.PyArray_DIM(array, dim), cnp.PyArray_STRIDE(array, dim)
                left += 1
                dim += 1
            continue
        size, step = cnp.PyArray_DIM(array, dim), cnp.PyArray_STRIDE(array, dim)
        dim += 1
        if type(item) is int:
            number = PyNumber_AsSsize_t(item, NULL)
            if number < -size or number >= size:
                return None
            data += step * (number + size if number < 0 else number)
            continue
        if not (is_bound(item.start) and is_bound(item.stop) and is_bound(item.step)):
            return None
        if PySlice_Unpack(item, &start, &stop, &factor) < 0 or factor < 1:
            return None
        size = PySlice_AdjustIndices(size, &start, &stop, factor)
        if size > 0:
            data += step * start
            step *= factor
        sizes[left], steps[left] = size, step
        left += 1
    while dim < ndim:
        sizes[left], steps[left] = cnp.PyArray_DIM(array, dim), cnp.PyArray_STRIDE(array, dim)
        left += 1
        dim += 1
    return window(array, left, sizes, steps, data)


def strided(object x, object shape, object strides, Py_ssize_t offset=0):
    """The memory of ``x`` seen with this shape and these strides, ``offset`` elements after its start: see ``layout.strided``."""
    cdef cnp.npy_intp sizes[DIMS]
    cdef cnp.npy_intp steps[DIMS]
    cdef Py_ssize_t i, itemsize
    if not cnp.PyArray_CheckExact(x) or type(shape) is not tuple or type(strides) is not tuple or len(<tuple> shape) > DIMS:
        return None
    itemsize = cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    for i in range(len(<tuple> shape)):
        sizes[i], steps[i] = (<tuple> shape)[i], <Py_ssize_t> (<tuple> strides)[i] * itemsize
    return window(<cnp.ndarray> x, <int> len(<tuple> shape), sizes, steps,
                  cnp.PyArray_BYTES(<cnp.ndarray> x) + offset * itemsize)


def element_strides(object x):
    """What ``layout.element_strides`` says, whose C this is."""
    cdef cnp.ndarray array = x
    cdef Py_ssize_t step = 1, itemsize = cnp.PyArray_ITEMSIZE(array)
    cdef int d, ndim = cnp.PyArray_NDIM(array)
    cdef bint forgotten = False
    cdef tuple strides = PyTuple_New(ndim)
    cdef object value
    if cnp.PyArray_SIZE(array) == 0:
        for d in range(ndim):
            forgotten |= cnp.PyArray_STRIDE(array, d) == 0
    for d in range(ndim - 1, -1, -1):
        value = step if forgotten else cnp.PyArray_STRIDE(array, d) // itemsize
        Py_INCREF(value)                                    # the tuple takes it
        PyTuple_SET_ITEM(strides, d, value)
        if cnp.PyArray_DIM(array, d) > 0:
            step *= cnp.PyArray_DIM(array, d)
    return strides


def address(object x):
    """What ``layout.address`` says."""
    return <size_t> cnp.PyArray_BYTES(<cnp.ndarray?> x)


def in_order(object x):
    """What ``layout.in_order`` says."""
    return cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray?> x)


cdef bytes layout_of(cnp.ndarray array):
    """Sizes and steps of ``array``, and which dtype it has, as one key."""
    cdef cnp.npy_intp words[2 * DIMS + 1]
    cdef Py_ssize_t ndim = cnp.PyArray_NDIM(array)
    words[0] = cnp.PyArray_TYPE(array)
    if ndim:    # of no dims NumPy has no list
        memcpy(&words[1], cnp.PyArray_DIMS(array), ndim * sizeof(cnp.npy_intp))
        memcpy(&words[1 + ndim], cnp.PyArray_STRIDES(array), ndim * sizeof(cnp.npy_intp))
    return (<char*> words)[:(2 * ndim + 1) * sizeof(cnp.npy_intp)]


cdef inline bint can_be_written(object x) noexcept:
    """Whether ``x`` is an array of float32 or float64 that may be written, each of its elements in a place of its own."""
    cdef int kind, i
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISWRITEABLE(<cnp.ndarray> x) or not cnp.PyArray_ISALIGNED(<cnp.ndarray> x):
        return False
    kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    if (kind != cnp.NPY_FLOAT32 and kind != cnp.NPY_FLOAT64) or not cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray> x):
        return False
    for i in range(cnp.PyArray_NDIM(<cnp.ndarray> x)):
        if cnp.PyArray_STRIDE(<cnp.ndarray> x, i) == 0 and cnp.PyArray_DIM(<cnp.ndarray> x, i) > 1:
            return False
    return True


def same_or_apart(object x, object y):
    """Whether two arrays are the same elements in the same order, or surely share none: two rows, or two columns."""
    cdef char* ends[4]
    cdef cnp.npy_intp step, between, size
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_CheckExact(y):
        return False
    if cnp.PyArray_BYTES(<cnp.ndarray> x) == cnp.PyArray_BYTES(<cnp.ndarray> y) \
            and layout_of(<cnp.ndarray> x) == layout_of(<cnp.ndarray> y):
        return True
    find_ends(<cnp.ndarray> x, ends)
    find_ends(<cnp.ndarray> y, ends + 2)
    if ends[1] <= ends[2] or ends[3] <= ends[0]:
        return True
    if cnp.PyArray_NDIM(<cnp.ndarray> x) != 1 or cnp.PyArray_NDIM(<cnp.ndarray> y) != 1:
        return False
    step, size = cnp.PyArray_STRIDE(<cnp.ndarray> x, 0), cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    between = abs(cnp.PyArray_BYTES(<cnp.ndarray> x) - cnp.PyArray_BYTES(<cnp.ndarray> y))
    return step > 0 and step == cnp.PyArray_STRIDE(<cnp.ndarray> y, 0) and size <= between % step <= step - size


cdef inline void find_ends(cnp.ndarray x, char** ends) noexcept:
    """Where the memory begins that elements of ``x`` lie in, and where it ends."""
    cdef int d
    cdef cnp.npy_intp way
    ends[0] = cnp.PyArray_BYTES(x)
    ends[1] = ends[0] + cnp.PyArray_ITEMSIZE(x)
    for d in range(cnp.PyArray_NDIM(x)):
        way = (cnp.PyArray_DIM(x, d) - 1) * cnp.PyArray_STRIDE(x, d)
        ends[0 if way < 0 else 1] += way


#: So many elements more threads than one write.
DEF SHARED = 65536


cdef object fill_on_threads(object x, double number):
    """``x[...] = number`` for many elements side by side; None of too many dims."""
    cdef cnp.npy_intp ones[DIMS]
    cdef int d, ndim = cnp.PyArray_NDIM(<cnp.ndarray> x)
    if ndim > DIMS:
        return None
    for d in range(ndim):
        ones[d] = 1
    one = cnp.PyArray_EMPTY(ndim, ones, cnp.PyArray_TYPE(<cnp.ndarray> x), 0)
    if cnp.PyArray_TYPE(<cnp.ndarray> x) == cnp.NPY_FLOAT32:
        (<float*> cnp.PyArray_DATA(<cnp.ndarray> one))[0] = <float> number
    else:
        (<double*> cnp.PyArray_DATA(<cnp.ndarray> one))[0] = number
    return x if copy_on_threads(x, one) else None


def zero_into(object x):
    """``x[...] = 0``."""
    if not can_be_written(x) or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x):
        return None
    if cnp.PyArray_SIZE(<cnp.ndarray> x) > SHARED:
        return fill_on_threads(x, 0)
    memset(cnp.PyArray_DATA(<cnp.ndarray> x), 0, cnp.PyArray_NBYTES(<cnp.ndarray> x))
    return x


def fill_into(object x, object value):
    """``x[...] = value``, a number that the dtype can hold."""
    cdef double number
    cdef Py_ssize_t i, n
    if not (type(value) is float or type(value) is int) or not can_be_written(x):
        return None
    if type(value) is int and not -0x20000000000000 <= value <= 0x20000000000000:
        return None
    number = value
    n = cnp.PyArray_SIZE(<cnp.ndarray> x)
    if cnp.PyArray_TYPE(<cnp.ndarray> x) == cnp.NPY_FLOAT32 and 3.4028234663852886e38 < abs(number) < float("inf"):
        return None                                         # the forward has a word on that
    if n > SHARED:
        return fill_on_threads(x, number)
    if not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x):
        cnp.PyArray_FillWithScalar(<cnp.ndarray> x, value)
    elif cnp.PyArray_TYPE(<cnp.ndarray> x) == cnp.NPY_FLOAT32:
        for i in range(n):
            (<float*> cnp.PyArray_DATA(<cnp.ndarray> x))[i] = <float> number
    else:
        for i in range(n):
            (<double*> cnp.PyArray_DATA(<cnp.ndarray> x))[i] = number
    return x


#: Of more elements one kernel turns another layout.
DEF MANY = 4096


def copy_into(object x, object source, object non_blocking=False):
    """``x[...] = source``, an array of its shape and dtype."""
    if not can_be_written(x) or not cnp.PyArray_CheckExact(source) \
            or cnp.PyArray_TYPE(<cnp.ndarray> source) != cnp.PyArray_TYPE(<cnp.ndarray> x) \
            or not cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray> source) \
            or not cnp.PyArray_SAMESHAPE(<cnp.ndarray> x, <cnp.ndarray> source):
        return None
    if cnp.PyArray_SIZE(<cnp.ndarray> x) > (SHARED if cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> source) else MANY):
        return x if copy_on_threads(x, source) else None
    cnp.PyArray_CopyInto(<cnp.ndarray> x, <cnp.ndarray> source)
    return x
