# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Calls like one before: what they came to, a kernel or a tape, is run at once, on the arrays of the same arguments.

``core/known_calls.py`` asks, with a row of arrays and other arguments, and says what a row comes to.
"""
from cpython.object cimport PyObject
from libc.string cimport memcpy
cimport numpy as cnp

from leafward.arrays.kernels.small_views cimport window
from leafward.arrays.kernels.tape_player cimport Entry, Forms, Tape, leave_quietly, play_quietly, quiet_context, run_quietly

cdef extern from "Python.h":
    object PyObject_Vectorcall(object, PyObject**, size_t, PyObject*)

cdef extern from "numpy/arrayobject.h":
    object PyArray_FromScalar(object, void*)

cnp.import_array()

#: What a row comes to is asked for when it comes so many times; a paragraph has its tape by then.
DEF SIGHTINGS = 5
#: The most arguments that a kernel or a tape has.
DEF ARGUMENTS = 24

cdef int TAKEN = -1, BUILT = -2, WRITTEN = -3
cdef tuple OUT = ("out",)


cdef object part_of(list row, tuple path):
    """What stands in ``row`` at ``path``."""
    value = row[<Py_ssize_t> path[0]]
    return value if len(path) == 1 else value[path[1]]


cdef class Known:
    """What a row comes to: ``function``, a tape or a kernel, of ``pattern``.

    A pattern has a path into the row for each array, lists of such, and other values. ``into``: it takes ``out``, and writes
    there, or else its result is copied there. ``copied``: its result, or the first of several, is. ``writes``: it is a tape
    that writes into what it is given, and may not be gone a second time once it did.
    """
    cdef object function
    cdef Tape tape
    cdef bint into, copied, draws, writes
    cdef list pattern
    cdef int count, moved
    cdef int codes[ARGUMENTS]
    cdef int moves[ARGUMENTS]

    def __cinit__(self, object function, list pattern, bint into, bint copied, bint draws, bint writes):
        cdef int i
        self.writes = writes
        self.function, self.pattern, self.into, self.copied, self.draws = function, pattern, into, copied, draws
        self.tape = function if isinstance(function, Tape) else None
        self.count = len(pattern)
        if self.count >= ARGUMENTS:
            raise ValueError("too many arguments")
        for i in range(self.count):
            part = pattern[i]
            self.codes[i] = TAKEN
            if type(part) is Path:
                self.codes[i] = (<Path> part).path[0] if len((<Path> part).path) == 1 and (<Path> part).cast is None else BUILT
            elif type(part) is list:
                self.codes[i] = BUILT
        self.moved = -1
        if self.tape is not None:
            self.move()

    cdef int move(self) except -1:
        """Find out from where in a row each array of the tape comes, where they all stand there by themselves."""
        cdef int i, at
        for i in range(self.tape.alone):
            at = self.tape.sources[i]
            self.moves[i] = self.codes[at] if at < self.count else WRITTEN if self.into else TAKEN
            if self.moves[i] < 0 and self.moves[i] != WRITTEN:
                return 0
        self.moved = self.tape.alone
        return 0

    cdef object answer(self, list row, object out):
        cdef PyObject* args[ARGUMENTS]
        cdef list values = None, kept = None
        cdef int i
        if self.moved >= 0:
            values = [None] * self.tape.slots
            for i in range(self.moved):
                values[self.tape.targets[i]] = row[self.moves[i]] if self.moves[i] >= 0 else out
            result = run_quietly(self.tape, values)
        elif self.tape is not None:
            values = []
            for i in range(self.count):
                values.append(row[self.codes[i]] if self.codes[i] >= 0 else self.pattern[i] if self.codes[i] == TAKEN
                              else built(self.pattern[i], row))
            if self.into:
                values.append(out)
            result = play_quietly(self.tape, values)
        else:
            for i in range(self.count):
                if self.codes[i] >= 0:
                    part = row[self.codes[i]]
                elif self.codes[i] == TAKEN:
                    part = self.pattern[i]
                else:
                    part = built(self.pattern[i], row)
                    kept = [kept, part]                     # until the call is over
                args[i] = <PyObject*> part
            if self.into:
                args[self.count] = <PyObject*> out
            if self.draws:
                return drawn(self.function, args, self.count, out)
            result = PyObject_Vectorcall(self.function, args, self.count, <PyObject*> OUT if self.into else NULL)
        if type(result) is tuple:
            for part in <tuple> result:
                if is_number(part):
                    result = tuple([as_array(part) for part in <tuple> result])
                    break
        else:
            result = as_array(result)
        if result is None or result is out or not (self.copied or self.into):
            return result
        return out if copied_into(out, (<tuple> result)[0] if type(result) is tuple else result) else None


cdef inline bint is_number(object result) noexcept:
    """Whether ``result`` is a number of NumPy's."""
    return not cnp.PyArray_Check(result) and cnp.PyArray_CheckScalar(result)


cdef inline object as_array(object result):
    """A number of NumPy's as an array; anything else as it is."""
    return PyArray_FromScalar(result, NULL) if is_number(result) else result


cdef object drawn(object function, PyObject** args, int count, object out):
    """What ``function`` has drawn, into ``out`` where there is one, in a context where NumPy does not warn."""
    context = quiet_context()
    try:
        result = PyObject_Vectorcall(function, args, count, NULL)
    finally:
        leave_quietly(context)
    return result if out is None else out


cdef bint copied_into(cnp.ndarray out, object x) except -1:
    """Copy ``x``, where it is an array of the shape of ``out``, and of its dtype or bools."""
    cdef bint same = False
    if cnp.PyArray_CheckExact(x):
        same = cnp.PyArray_TYPE(<cnp.ndarray> x) == cnp.PyArray_TYPE(out)
    if not (same or cnp.PyArray_CheckExact(x) and cnp.PyArray_TYPE(<cnp.ndarray> x) == cnp.NPY_BOOL) \
            or not cnp.PyArray_SAMESHAPE(<cnp.ndarray> x, out) or not cnp.PyArray_ISBEHAVED(out):
        return False
    if same and cnp.PyArray_IS_C_CONTIGUOUS(out) and cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x):
        memcpy(cnp.PyArray_DATA(out), cnp.PyArray_DATA(<cnp.ndarray> x), cnp.PyArray_NBYTES(out))
    else:
        cnp.PyArray_CopyInto(out, <cnp.ndarray> x)
    return True


cdef class Path:
    """Where an array stands in a row, and the dtype that it is cast to, or None."""
    cdef tuple path
    cdef object cast

    def __cinit__(self, tuple path, object cast):
        self.path, self.cast = path, cast


cdef object built(object pattern, list row):
    """``pattern`` with the arrays of ``row``."""
    if type(pattern) is Path:
        part = part_of(row, (<Path> pattern).path)
        return part if (<Path> pattern).cast is None else part.astype((<Path> pattern).cast)
    if type(pattern) is list:
        return [built(part, row) for part in <list> pattern]
    return pattern


def path_in(list row, object array, object cast=None):
    """The path of ``array`` in ``row``, to be ``cast`` to a dtype if that is not None; or None."""
    for i, value in enumerate(row):
        if value is array:
            return Path((i,), cast)
        if isinstance(value, (tuple, list)):
            for j, part in enumerate(value):
                if part is array:
                    return Path((i, j), cast)
    return None


cdef class KnownCalls(Forms):
    """What the calls of one op come to, by what their rows are like."""

    def answer(self, list row, object out=None):
        """What was learned to come of ``row``, done once more; Ellipsis where that is to be learned now, else None."""
        cdef Entry entry = self.entry(row)
        if entry is None:
            return None
        if entry.found is None:
            entry.sightings += 1
            return Ellipsis if entry.sightings == SIGHTINGS else None
        try:
            return (<Known> entry.found).answer(row, out)
        except Exception:                                   # the long way knows what to say
            if (<Known> entry.found).writes:
                raise
            return None

    def learn(self, list row, object function, list pattern, bint into=False, bint copied=False, bint draws=False,
              bint writes=False):
        """Let rows like ``row`` come to ``function`` of ``pattern``. ``draws``: it is a forward that draws, into the array that is written if there is one."""
        cdef Entry entry = self.entry(row)
        if entry is not None and len(pattern) < ARGUMENTS:
            entry.found = Known(function, pattern, into, copied, draws, writes)


#: Larger arrays are made anew.
DEF MOST = 4096
#: The most dims of memory that is asked for again.
DEF DIMS = 16


cdef class Blank:
    """Memory of a type, a shape and strides in which nobody has written yet."""
    cdef int type, ndim
    cdef cnp.npy_intp span          # elements, where they do not lie in row-major order, else -1
    cdef cnp.npy_intp dims[DIMS]
    cdef cnp.npy_intp strides[DIMS]

    def __cinit__(self, cnp.ndarray like, cnp.npy_intp span):
        cdef int d
        self.type, self.ndim, self.span = cnp.PyArray_TYPE(like), cnp.PyArray_NDIM(like), span
        for d in range(self.ndim):
            self.dims[d], self.strides[d] = cnp.PyArray_DIM(like, d), cnp.PyArray_STRIDE(like, d)

    cdef object made(self):
        cdef cnp.ndarray flat
        if self.span < 0:
            return cnp.PyArray_EMPTY(self.ndim, self.dims, self.type, 0)
        flat = cnp.PyArray_EMPTY(1, &self.span, self.type, 0)
        return window(flat, self.ndim, self.dims, self.strides, cnp.PyArray_BYTES(flat))


cdef object blank_like(object x):
    """The memory that ``x`` is, or lies in from its first element on; None for what is neither."""
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    if cnp.PyArray_NDIM(<cnp.ndarray> x) > DIMS or kind >= cnp.NPY_OBJECT and kind != cnp.NPY_FLOAT16:
        return None
    base = x.base
    if base is None:
        return Blank(x, -1) if cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x) else None
    if not cnp.PyArray_CheckExact(base) or cnp.PyArray_NDIM(<cnp.ndarray> base) != 1 or base.base is not None \
            or cnp.PyArray_TYPE(<cnp.ndarray> base) != kind or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> base) \
            or cnp.PyArray_DATA(<cnp.ndarray> base) != cnp.PyArray_DATA(<cnp.ndarray> x):
        return None
    return Blank(x, cnp.PyArray_SIZE(<cnp.ndarray> base))


cdef class Templates(Forms):
    """What a creation made of numbers, or of such beside an array's layout: the next is a copy. Of one that is ``unset``, which
    leaves in memory what was there, the next is as much memory in that layout."""
    cdef bint unset

    def __cinit__(self, bint unset=False):
        self.unset = unset

    def answer(self, list row):
        """A copy of what was learned to come of ``row``; Ellipsis where that is to be learned now, else None."""
        cdef Entry entry = self.entry(row)
        cdef cnp.ndarray found, made
        if entry is None:
            return None
        if entry.found is None:
            entry.sightings += 1
            return Ellipsis if entry.sightings == SIGHTINGS else None
        if self.unset:
            return (<Blank> entry.found).made()
        found = entry.found
        made = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(found), cnp.PyArray_DIMS(found), cnp.PyArray_TYPE(found), 0)
        memcpy(cnp.PyArray_DATA(made), cnp.PyArray_DATA(found), cnp.PyArray_NBYTES(found))
        return made

    def learn(self, list row, object array):
        """Let rows like ``row`` come to ``array``, where that is small."""
        cdef Entry entry = self.entry(row)
        if entry is None or not cnp.PyArray_CheckExact(array) or not cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray> array):
            return
        if self.unset:
            entry.found = blank_like(array)
        elif cnp.PyArray_SIZE(<cnp.ndarray> array) <= MOST and cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> array):
            entry.found = array.copy()
