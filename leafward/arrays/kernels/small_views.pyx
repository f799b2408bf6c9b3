# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Views as offset and strides in one step, and writes into them. A kernel answers None where it does not apply."""
from cpython.ref cimport PyObject, PyTypeObject, Py_DECREF, Py_INCREF
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcmp, memcpy, memset
cimport numpy as cnp

cdef extern from "Python.h":
    Py_ssize_t PyNumber_AsSsize_t(object, PyObject*)
    long long PyLong_AsLongLongAndOverflow(object, int*) except? -1
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


# -- views that were made before: what a view op does follows from sizes, steps and options alone ----------------------------

#: How many forms an op remembers; then it begins anew.
DEF FORMS = 1024


cdef bytes layout_of(cnp.ndarray array):
    """Sizes and steps of ``array``, and which dtype it has, as one key."""
    cdef cnp.npy_intp words[2 * DIMS + 1]
    cdef Py_ssize_t ndim = cnp.PyArray_NDIM(array)
    words[0] = cnp.PyArray_TYPE(array)
    memcpy(&words[1], cnp.PyArray_DIMS(array), ndim * sizeof(cnp.npy_intp))
    memcpy(&words[1 + ndim], cnp.PyArray_STRIDES(array), ndim * sizeof(cnp.npy_intp))
    return (<char*> words)[:(2 * ndim + 1) * sizeof(cnp.npy_intp)]


cdef object word_of(object value):
    """``value`` as part of a key, in which all that a view op can tell apart differs; Ellipsis for what it cannot be part of."""
    if value is None or type(value) is int or type(value) is str:
        return value
    if value is True or value is False:                     # not 1 and 0, which are equal to them
        return "bool", value
    if not isinstance(value, (tuple, list)):
        return Ellipsis
    for item in value:
        if type(item) is not int:
            words = [word_of(item) for item in value]
            if Ellipsis in words:
                return Ellipsis
            value = words if type(value) is list else tuple(words)
            break
    return ("list", tuple(value)) if isinstance(value, list) else tuple(value)


cdef tuple signature(list values):
    """What decides the view of an array with these options behind it; None where one is no number, word or row of such."""
    cdef Py_ssize_t position
    x = values[0]
    if not cnp.PyArray_CheckExact(x) or cnp.PyArray_NDIM(<cnp.ndarray> x) > DIMS:
        return None
    cdef list parts = [layout_of(<cnp.ndarray> x)]
    for position in range(1, len(values)):
        word = word_of(values[position])
        if word is Ellipsis:
            return None
        parts.append(word)
    return tuple(parts)


cdef bytes form_of(cnp.ndarray array, object part):
    """Where ``part`` begins in ``array``, its sizes and steps; None where it is no view of that in its dtype."""
    cdef cnp.npy_intp words[2 * DIMS + 1]
    cdef Py_ssize_t ndim
    if not cnp.PyArray_CheckExact(part) or borrowed_descr(<cnp.ndarray> part) != borrowed_descr(array):
        return None
    base = cnp.get_array_base(part)
    if part is not array and (base is None or (base is not array and base is not cnp.get_array_base(array))):
        return None
    ndim = cnp.PyArray_NDIM(<cnp.ndarray> part)
    if ndim > DIMS or cnp.PyArray_ISWRITEABLE(<cnp.ndarray> part) != cnp.PyArray_ISWRITEABLE(array):
        return None
    words[0] = cnp.PyArray_BYTES(<cnp.ndarray> part) - cnp.PyArray_BYTES(array)
    memcpy(&words[1], cnp.PyArray_DIMS(<cnp.ndarray> part), ndim * sizeof(cnp.npy_intp))
    memcpy(&words[1 + ndim], cnp.PyArray_STRIDES(<cnp.ndarray> part), ndim * sizeof(cnp.npy_intp))
    return (<char*> words)[:(2 * ndim + 1) * sizeof(cnp.npy_intp)]


cdef object in_form(cnp.ndarray array, bytes form):
    """The view of ``array`` that :func:`form_of` described."""
    cdef cnp.npy_intp* words = <cnp.npy_intp*> <char*> form
    cdef int ndim = <int> (len(form) // sizeof(cnp.npy_intp)) >> 1
    return window(array, ndim, words + 1, words + 1 + ndim, cnp.PyArray_BYTES(array) + words[0])


#: How many of all that was noted lie at hand, and of how many words a key may be for that.
DEF AT_HAND = 512
DEF WORDS = 28


cdef struct Noted:
    PyObject* notes             # the dict in which it was found, which is kept, so that its address stays its own
    PyObject* found
    int count
    int64_t words[WORDS]


cdef Noted at_hand[AT_HAND]


cdef int packed(list values, int64_t* words) except -2:
    """How many ``words`` say what :func:`signature` does; -1 where they do not suffice."""
    cdef int i, ndim, count = 0, overflow = 0
    x = values[0]
    if not cnp.PyArray_CheckExact(x):
        return -1
    ndim = cnp.PyArray_NDIM(<cnp.ndarray> x)
    if 2 * ndim + 2 > WORDS:
        return -1
    words[0], words[1] = cnp.PyArray_TYPE(<cnp.ndarray> x), ndim
    for i in range(ndim):
        words[2 + i] = cnp.PyArray_DIM(<cnp.ndarray> x, i)
        words[2 + ndim + i] = cnp.PyArray_STRIDE(<cnp.ndarray> x, i)
    count = 2 + 2 * ndim
    for i in range(1, <int> len(values)):
        value = values[i]
        if count + 2 > WORDS:
            return -1
        if type(value) is int:
            words[count], words[count + 1] = 1, PyLong_AsLongLongAndOverflow(value, &overflow)
            count += 2
        elif value is None or value is True or value is False:
            words[count] = 2 if value is None else 3 if value is True else 4
            count += 1
        elif type(value) is tuple or type(value) is list:
            words[count], words[count + 1] = 5 if type(value) is tuple else 6, len(value)
            count += 2
            for part in value:
                if type(part) is not int or count == WORDS:
                    return -1
                words[count] = PyLong_AsLongLongAndOverflow(part, &overflow)
                count += 1
                if overflow:
                    return -1
        else:
            return -1
        if overflow:
            return -1
    return count


cdef object found_in(dict notes, list values):
    """What was noted in ``notes`` for an array and the options behind it, or None."""
    cdef int64_t words[WORDS]
    cdef int i, count = packed(values, words)
    cdef uint64_t number = <uint64_t> <PyObject*> notes
    cdef Noted* noted
    cdef PyObject* old_notes
    cdef PyObject* old_found
    if count < 0:
        key = signature(values)
        return None if key is None else notes.get(key)
    for i in range(count):
        number = (number ^ <uint64_t> words[i]) * <uint64_t> 0x9E3779B97F4A7C15
        number ^= number >> 29
    noted = &at_hand[number % AT_HAND]
    if noted.notes == <PyObject*> notes and noted.count == count and memcmp(noted.words, words, count * sizeof(int64_t)) == 0 \
            and len(notes) > 0:
        return <object> noted.found
    key = signature(values)
    found = None if key is None else notes.get(key)
    if found is not None:
        Py_INCREF(notes)
        Py_INCREF(found)
        old_notes, old_found = noted.notes, noted.found
        noted.notes, noted.found, noted.count = <PyObject*> notes, <PyObject*> found, count
        memcpy(noted.words, words, count * sizeof(int64_t))
        if old_notes != NULL:
            Py_DECREF(<object> old_notes)
            Py_DECREF(<object> old_found)
    return found


def remembered_view(dict forms, list values):
    """The view of an array with these options behind it, where :func:`remember_view` noted such a one; else None."""
    form = found_in(forms, values)
    if form is None:
        return None
    x = values[0]
    if type(form) is list:
        return [in_form(<cnp.ndarray> x, <bytes> part) for part in <list> form]
    return in_form(<cnp.ndarray> x, <bytes> form)


def remember_view(dict forms, list values, object result):
    """Note how the view ``result`` of the array that comes first, or the list of them, lies in that."""
    key = signature(values)
    if key is None:
        return
    x = values[0]
    if type(result) is list:
        form = [form_of(<cnp.ndarray> x, part) for part in result]
        if None in form:
            return
    else:
        form = form_of(<cnp.ndarray> x, result)
        if form is None:
            return
    if len(forms) >= FORMS:
        forms.clear()
    forms[key] = form


def remembered_call(dict calls, list values):
    """What :func:`remember_call` noted for such an array with these options behind it; else None."""
    return found_in(calls, values)


def remember_call(dict calls, list values, object found):
    """Note what a call with such an array, and these options behind it, comes to."""
    key = signature(values)
    if key is not None:
        if len(calls) >= FORMS:
            calls.clear()
        calls[key] = found


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


def same_place(object x, object y):
    """Whether two arrays are the same elements in the same order."""
    return bool(cnp.PyArray_CheckExact(x) and cnp.PyArray_CheckExact(y)
                and cnp.PyArray_BYTES(<cnp.ndarray> x) == cnp.PyArray_BYTES(<cnp.ndarray> y)
                and layout_of(<cnp.ndarray> x) == layout_of(<cnp.ndarray> y))


#: So many elements more threads than one write, which the forward asks.
DEF SHARED = 65536


def zero_into(object x):
    """``x[...] = 0``."""
    if not can_be_written(x) or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x) or cnp.PyArray_SIZE(<cnp.ndarray> x) > SHARED:
        return None
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
    if n > SHARED:
        return None
    if cnp.PyArray_TYPE(<cnp.ndarray> x) == cnp.NPY_FLOAT32 and 3.4028234663852886e38 < abs(number) < float("inf"):
        return None                                         # the forward has a word on that
    if not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x):
        cnp.PyArray_FillWithScalar(<cnp.ndarray> x, value)
    elif cnp.PyArray_TYPE(<cnp.ndarray> x) == cnp.NPY_FLOAT32:
        for i in range(n):
            (<float*> cnp.PyArray_DATA(<cnp.ndarray> x))[i] = <float> number
    else:
        for i in range(n):
            (<double*> cnp.PyArray_DATA(<cnp.ndarray> x))[i] = number
    return x


#: Of more elements one kernel turns another layout, which the forward asks.
DEF MANY = 4096


def copy_into(object x, object source, object non_blocking=False):
    """``x[...] = source``, an array of its shape and dtype."""
    if not can_be_written(x) or not cnp.PyArray_CheckExact(source) \
            or cnp.PyArray_TYPE(<cnp.ndarray> source) != cnp.PyArray_TYPE(<cnp.ndarray> x) \
            or not cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray> source) \
            or not cnp.PyArray_SAMESHAPE(<cnp.ndarray> x, <cnp.ndarray> source) \
            or cnp.PyArray_SIZE(<cnp.ndarray> x) > SHARED \
            or (cnp.PyArray_SIZE(<cnp.ndarray> x) > MANY and not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> source)):
        return None
    cnp.PyArray_CopyInto(<cnp.ndarray> x, <cnp.ndarray> source)
    return x
