# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Calls of views like one before: where a view lies follows from the sizes and steps of its source and from the other arguments.

``core/known_views.py`` asks, with a call as it came, and says what one came to.
"""
from cpython.ref cimport PyObject, PyTypeObject, Py_DECREF, Py_INCREF
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcmp, memcpy
cimport numpy as cnp

from leafward.arrays.kernels.small_views cimport window
from leafward.dtypes import Constant

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object, int*) except? -1
    int PyDict_Next(PyObject*, Py_ssize_t*, PyObject**, PyObject**)
    int PyTuple_Check(object)
    int PyList_CheckExact(object)
    Py_ssize_t Py_SIZE(object)
    PyObject** items_of "PySequence_Fast_ITEMS"(object)

cdef extern from "numpy/arrayobject.h":
    ctypedef struct Descr "PyArray_Descr"
    object PyArray_NewFromDescr(PyTypeObject*, Descr*, int, cnp.npy_intp*, cnp.npy_intp*, void*, int, PyObject*)
    void PyArray_UpdateFlags(cnp.ndarray, int)
    Descr* borrowed_descr "PyArray_DESCR"(cnp.ndarray)

cnp.import_array()

#: How many dims a view may have here, how many views all calls may have made together that made more than a few, how many
#: calls are remembered, and of how many words what says which one it is.
DEF DIMS = 16
DEF PIECES = 8192
DEF FEW = 64
DEF ROWS = 1024
DEF WORDS = 28

#: What stands before a part of a call among the words, so that no two calls have the same ones.
cdef enum:
    INT = 1, NONE, TRUE, FALSE, TUPLE, LIST, TEXT, NAME, CONSTANT


cdef class Lie:
    """How the views of a call lie in their source: ``what`` the core wants to know of it, and a form for each.

    ``dtype`` and ``kind``: their dtype and their class, or None where they have those of the source. ``args`` and ``kwargs`` are kept, so that the addresses of texts among them stay theirs.
    """
    cdef object what, forms, dtype, kind, args, kwargs
    cdef bint several, itself


cdef struct Row:
    PyObject* owner             # whose call it was: an op, or a composite
    PyObject* lie
    int count
    int64_t words[WORDS]


#: Each at the place that its words come to: a newer one takes it over.
cdef Row rows[ROWS]
#: How many views those made that made more than a few.
cdef Py_ssize_t many = 0


cdef int put(object value, int64_t* words, int count) except -2:
    """Add ``value`` to the words; how many there are then, or -1 where it is nothing that a view can be asked for."""
    cdef int overflow = 0
    cdef Py_ssize_t i, length
    cdef PyObject** items
    if count + 2 > WORDS:
        return -1
    if type(value) is int:
        words[count], words[count + 1] = INT, PyLong_AsLongLongAndOverflow(value, &overflow)
        return -1 if overflow else count + 2
    if value is None or value is True or value is False:
        words[count] = NONE if value is None else TRUE if value is True else FALSE
        return count + 1
    if type(value) is str:
        words[count], words[count + 1] = TEXT, <int64_t> <PyObject*> value
        return count + 2
    if isinstance(value, Constant):                         # there is one of each, which stays where it is
        words[count], words[count + 1] = CONSTANT, <int64_t> <PyObject*> value
        return count + 2
    if not (PyTuple_Check(value) or PyList_CheckExact(value)):
        return -1
    length, items = Py_SIZE(value), items_of(value)
    if count + 2 + length > WORDS:
        return -1
    words[count], words[count + 1] = TUPLE if PyTuple_Check(value) else LIST, length
    for i in range(length):
        if type(<object> items[i]) is not int:
            return -1
        words[count + 2 + i] = PyLong_AsLongLongAndOverflow(<object> items[i], &overflow)
        if overflow:
            return -1
    return count + 2 + <int> length


cdef int packed(cnp.ndarray x, tuple args, dict kwargs, object memory, int64_t* words) except -2:
    """How many ``words`` say how ``x`` lies, also in ``memory``, and what was given behind it; -1 where they do not suffice."""
    cdef int i, count, ndim = cnp.PyArray_NDIM(x)
    cdef Py_ssize_t at = 0
    cdef PyObject* name
    cdef PyObject* value
    if 2 * ndim + 2 > WORDS:
        return -1
    words[0], words[1] = cnp.PyArray_TYPE(x), ndim
    for i in range(ndim):
        words[2 + i], words[2 + ndim + i] = cnp.PyArray_DIM(x, i), cnp.PyArray_STRIDE(x, i)
    count = 2 + 2 * ndim
    if memory is not None:
        if not cnp.PyArray_CheckExact(memory) or count + 2 > WORDS:
            return -1
        words[count] = cnp.PyArray_BYTES(x) - cnp.PyArray_BYTES(<cnp.ndarray> memory)
        words[count + 1] = cnp.PyArray_NBYTES(<cnp.ndarray> memory)
        count += 2
    for i in range(1, <int> Py_SIZE(args)):
        count = put(<object> items_of(args)[i], words, count)
        if count < 0:
            return -1
    if kwargs is not None:
        while PyDict_Next(<PyObject*> kwargs, &at, &name, &value):
            if count + 2 > WORDS:
                return -1
            words[count], words[count + 1] = NAME, <int64_t> name
            count = put(<object> value, words, count + 2)
            if count < 0:
                return -1
    return count


cdef Row* place_of(PyObject* owner, int64_t* words, int count) noexcept:
    """Where a call with these words is remembered."""
    cdef uint64_t number = <uint64_t> owner
    cdef int i
    for i in range(count):
        number = (number ^ <uint64_t> words[i]) * <uint64_t> 0x9E3779B97F4A7C15
        number ^= number >> 29
    return &rows[number % ROWS]


def view_again(object owner, object x, tuple args, dict kwargs, object memory=None):
    """The view that such a call of ``owner`` made of ``x``, or the list of them, and what was noted with it; else None."""
    cdef int64_t words[WORDS]
    cdef int count
    cdef Row* row
    cdef Lie lie
    if not cnp.PyArray_CheckExact(x):
        return None
    count = packed(<cnp.ndarray> x, args, kwargs, memory, words)
    if count < 0:
        return None
    row = place_of(<PyObject*> owner, words, count)
    if row.owner != <PyObject*> owner or row.count != count or memcmp(row.words, words, count * sizeof(int64_t)) != 0:
        return None
    lie = <Lie> row.lie
    if lie.itself:
        return x, lie.what
    if lie.several:
        return [in_form(<cnp.ndarray> x, lie, <bytes> form) for form in <list> lie.forms], lie.what
    return in_form(<cnp.ndarray> x, lie, <bytes> lie.forms), lie.what


def note_view(object owner, object x, tuple args, dict kwargs, object made, object what, object memory=None):
    """Note that such a call of ``owner`` made of ``x`` the view ``made``, the list of them, or ``x`` itself."""
    cdef int64_t words[WORDS]
    cdef int count
    cdef Row* row
    cdef Row old
    cdef Lie lie = Lie()
    cdef Py_ssize_t pieces = len(<list> made) if type(made) is list else 1
    global many
    if not cnp.PyArray_CheckExact(x) or pieces > FEW and many + pieces > PIECES:
        return
    count = packed(<cnp.ndarray> x, args, kwargs, memory, words)
    if count < 0:
        return
    lie.what, lie.args, lie.kwargs = what, args[1:], kwargs
    lie.itself, lie.several = made is x, type(made) is list
    if not lie.itself:
        if not has_one_kind(lie, <cnp.ndarray> x, made if lie.several else [made]):
            return
        lie.forms = [form_of(<cnp.ndarray> x, part) for part in made] if lie.several else form_of(<cnp.ndarray> x, made)
        if lie.forms is None or (lie.several and None in lie.forms):
            return
    row = place_of(<PyObject*> owner, words, count)
    old = row[0]
    Py_INCREF(owner)
    Py_INCREF(lie)
    row.owner, row.lie, row.count = <PyObject*> owner, <PyObject*> lie, count
    memcpy(row.words, words, count * sizeof(int64_t))
    if pieces > FEW:
        many += pieces
    forget(old)


cdef int forget(Row old) except -1:
    """Let go of a row that is in its place no more."""
    cdef Lie lie
    global many
    if old.owner == NULL:
        return 0
    lie = <Lie> old.lie
    if lie.several and len(<list> lie.forms) > FEW:
        many -= len(<list> lie.forms)
    Py_DECREF(<object> old.owner)
    Py_DECREF(lie)
    return 0


def forget_views():
    """Forget all that was noted."""
    cdef Row old
    cdef int i
    for i in range(ROWS):
        old = rows[i]
        rows[i].owner = rows[i].lie = NULL
        forget(old)


cdef bint has_one_kind(Lie lie, cnp.ndarray array, list parts) except -1:
    """Whether all ``parts`` have one dtype and one class; these are noted where they are other ones than those of ``array``."""
    if len(parts) == 0 or not all([isinstance(part, cnp.ndarray) for part in parts]):
        return len(parts) == 0
    lie.dtype, lie.kind = parts[0].dtype, type(parts[0])
    if not all([part.dtype is lie.dtype and type(part) is lie.kind for part in parts]):
        return False
    if lie.dtype is array.dtype and lie.kind is cnp.ndarray:
        lie.dtype = lie.kind = None
    return True


cdef bytes form_of(cnp.ndarray array, object part):
    """Where ``part`` begins in ``array``, its sizes and steps; None where it is no view of that."""
    cdef cnp.npy_intp words[2 * DIMS + 1]
    cdef Py_ssize_t ndim
    base = cnp.get_array_base(part)
    if part is not array and (base is None or (base is not array and base is not cnp.get_array_base(array))):
        return None
    ndim = cnp.PyArray_NDIM(<cnp.ndarray> part)
    if ndim > DIMS or cnp.PyArray_ISWRITEABLE(<cnp.ndarray> part) != cnp.PyArray_ISWRITEABLE(array):
        return None
    words[0] = cnp.PyArray_BYTES(<cnp.ndarray> part) - cnp.PyArray_BYTES(array)
    if ndim:    # of no dims NumPy has no list
        memcpy(&words[1], cnp.PyArray_DIMS(<cnp.ndarray> part), ndim * sizeof(cnp.npy_intp))
        memcpy(&words[1 + ndim], cnp.PyArray_STRIDES(<cnp.ndarray> part), ndim * sizeof(cnp.npy_intp))
    return (<char*> words)[:(2 * ndim + 1) * sizeof(cnp.npy_intp)]


cdef object in_form(cnp.ndarray array, Lie lie, bytes form):
    """The view of ``array`` that :func:`form_of` described."""
    cdef cnp.npy_intp* words = <cnp.npy_intp*> <char*> form
    cdef int ndim = <int> (len(form) // sizeof(cnp.npy_intp)) >> 1
    if lie.dtype is not None:
        Py_INCREF(lie.dtype)                                # the new array takes it
        view = PyArray_NewFromDescr(<PyTypeObject*> lie.kind, <Descr*> <PyObject*> lie.dtype, ndim, words + 1, words + 1 + ndim,
                                    cnp.PyArray_BYTES(array) + words[0], cnp.PyArray_FLAGS(array) & cnp.NPY_ARRAY_WRITEABLE,
                                    <PyObject*> NULL)
        cnp.set_array_base(<cnp.ndarray> view, array)
        PyArray_UpdateFlags(<cnp.ndarray> view, cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_F_CONTIGUOUS | cnp.NPY_ARRAY_ALIGNED)
        return view
    return window(array, ndim, words + 1, words + 1 + ndim, cnp.PyArray_BYTES(array) + words[0])
