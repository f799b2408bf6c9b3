# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Tapes played: what a forward or a rule came to for such arguments, without running it. ``arrays/tapes.py`` records them."""
from cpython.object cimport PyObject
from libc.stdlib cimport free, malloc
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcmp, memcpy, memset
cimport numpy as cnp

import operator
from collections.abc import Hashable
from types import FunctionType, ModuleType

import numpy
from leafward import dtypes as all_dtypes
from leafward.arrays.cpu import quiet_runner
from leafward.arrays.tapes import Recorded, record, same
from leafward.dtypes import Constant, dtype

cdef extern from "Python.h":
    object PyObject_Vectorcall(object, PyObject**, size_t, PyObject*)
    long long PyLong_AsLongLongAndOverflow(object, int*)
    const char* PyUnicode_AsUTF8AndSize(object, Py_ssize_t*) except NULL
    int PyContext_Enter(object) except -1
    int PyContext_Exit(object) except -1

cnp.import_array()

#: Of larger arrays the time is spent in them and not in Python; and NumPy's functions, which a tape may call where a paragraph
#: calls one that can share its work among threads, have one thread.
DEF LIMIT = 65536
#: As in tape_player.pxd.
DEF ROOM = 1024
DEF ARRAYS = 32
DEF RECENT = 32
#: A paragraph is recorded when it is called so many times with arguments of one kind.
DEF SIGHTINGS = 4
#: So many kinds are remembered. When they are full, those that came again stay, half of that number at most. Where none
#: did, the op is called with ever different ones: it is let alone for as many calls, and twice as many each time again.
DEF KINDS = 256
DEF LONGEST = 16384
#: The most arguments that a function on a tape has.
DEF ARGUMENTS = 24

cdef int TAKEN = -1, BUILT = -2, ONE = -1, NEITHER = -2
cdef str KERNELS = "leafward.arrays.kernels."


cdef class Key:
    """What decides where a paragraph goes, written one after the other: what arrays are like, and all other arguments."""

    cdef bint word(self, int64_t number) noexcept:
        if self.used + 8 > ROOM:
            return False
        memcpy(&self.room[self.used], &number, 8)
        self.used += 8
        return True

    cdef bint mark(self, char letter, int64_t number) noexcept:
        return self.word(letter) and self.word(number)

    cdef bint text(self, const char* letters, Py_ssize_t count) noexcept:
        cdef Py_ssize_t whole = (count + 7) & ~7            # words, so that what comes next is one
        if self.used + whole > ROOM:
            return False
        memset(&self.room[self.used], 0, whole)
        memcpy(&self.room[self.used], letters, count)
        self.used += whole
        return True

    cdef bint array(self, object x) noexcept:
        cdef int i, ndim = cnp.PyArray_NDIM(<cnp.ndarray> x)
        cdef Py_ssize_t kind
        for i in range(self.arrays):
            if self.seen[i] == <PyObject*> x:
                return self.mark(b"=", i)
        if self.arrays == ARRAYS or cnp.PyArray_SIZE(<cnp.ndarray> x) > LIMIT or not cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray> x):
            return False
        self.seen[self.arrays] = <PyObject*> x
        self.arrays += 1
        kind = (ndim << 2) + (cnp.PyArray_ISWRITEABLE(<cnp.ndarray> x) << 1) + cnp.PyArray_ISALIGNED(<cnp.ndarray> x)
        if not self.mark(b"a", (<Py_ssize_t> cnp.PyArray_TYPE(<cnp.ndarray> x) << 16) + kind):
            return False
        for i in range(ndim):
            if not (self.word(cnp.PyArray_DIM(<cnp.ndarray> x, i)) and self.word(cnp.PyArray_STRIDE(<cnp.ndarray> x, i))):
                return False
        return True

    cdef bint add(self, object value) except -1:
        """Take ``value`` in; False where it is too long, or nothing that a tape could be told apart by."""
        cdef int overflow = 0
        cdef Py_ssize_t length
        cdef const char* text
        cdef double number
        cdef int64_t bits = 0
        if cnp.PyArray_CheckExact(value):
            return self.array(value)
        if value is None:
            return self.mark(b"0", 0)
        if value is True or value is False:
            return self.mark(b"b", value is True)
        if type(value) is int:
            length = PyLong_AsLongLongAndOverflow(value, &overflow)
            return overflow == 0 and self.mark(b"i", length)
        if type(value) is float:
            number = value
            memcpy(&bits, &number, 8)
            return self.mark(b"f", bits)
        if type(value) is dtype:                            # one of its kind, which stays where it is, as those below
            return self.mark(b"d", <Py_ssize_t> <PyObject*> value)
        if type(value) is str:
            text = PyUnicode_AsUTF8AndSize(value, &length)
            return self.mark(b"s", length) and self.text(text, length)
        if isinstance(value, (tuple, list)):
            if not self.mark(b"t" if isinstance(value, tuple) else b"l", len(value)):
                return False
            for part in value:
                if not self.add(part):
                    return False
            return True
        if value is Ellipsis:
            return self.mark(b".", 0)
        if isinstance(value, Constant):
            return self.mark(b"d", <Py_ssize_t> <PyObject*> value)
        if type(value) is complex:
            return self.mark(b"c", 0) and self.add(value.real) and self.add(value.imag)
        key = getattr(value, "key", None)                   # a shape and a dtype without an array
        return key is not None and self.mark(b"m", 0) and self.add(key())


cdef Key spare = None           # a key that nobody uses


cdef class Entry:
    """What is known of one key: how often it was seen, and what was found."""


cdef class Forms:
    """Entries by the keys of rows of values."""

    def __cinit__(self):
        self.entries, self.alone, self.next_alone = {}, 0, KINDS

    cdef int forget(self) except -1:
        """Keep the entries that were used again, the most used first; of what they were used, half counts from now on."""
        cdef Entry entry
        used = []
        for value in self.entries.values():
            entry = value
            if entry.uses > 1:
                used.append((entry.uses, len(used), entry))
        used.sort(reverse=True)
        kept = {}
        for _, _, value in used[:KINDS // 2]:
            entry = value
            entry.uses >>= 1
            kept[entry.name] = entry
        if kept:
            self.next_alone = KINDS
        else:
            self.alone, self.next_alone = self.next_alone, min(2 * self.next_alone, LONGEST)
        memset(self.recent, 0, sizeof(self.recent))
        self.entries = kept
        return 0

    cdef Entry entry(self, list values):
        """The entry of such ``values``; None where these make no key, or ever different ones came."""
        global spare
        cdef Key key
        cdef Entry entry
        cdef Py_ssize_t i
        cdef uint64_t number = 0, word
        if self.alone != 0:
            self.alone -= 1
            return None
        key, spare = spare, None            # what a value says of itself may ask for tapes, too
        if key is None:
            key = Key.__new__(Key)
        key.used = key.arrays = 0
        for i in range(len(values)):
            if not key.add(values[i]):
                spare = key
                return None
        if not key.add(all_dtypes.default_dtype):
            spare = key
            return None
        for i in range(key.used >> 3):
            memcpy(&word, &key.room[i << 3], 8)
            number = (number ^ word) * <uint64_t> 0x9E3779B97F4A7C15
            number ^= number >> 29
        number %= RECENT
        if self.recent[number] != NULL:
            entry = <Entry> self.recent[number]
            if len(entry.name) == key.used and memcmp(<char*> entry.name, key.room, key.used) == 0:
                spare = key
                entry.uses += 1
                return entry
        name = key.room[:key.used]
        spare = key
        entry = self.entries.get(name)
        if entry is None:
            if len(self.entries) >= KINDS:
                self.forget()
            entry = Entry.__new__(Entry)
            entry.name, entry.sightings, entry.uses = name, 0, 0
            self.entries[name] = entry
        entry.uses += 1
        self.recent[number] = <PyObject*> entry             # which the dict keeps
        return entry


cdef class Layout:
    """The dtype, shape and strides that an array has again whenever the tape is played."""
    cdef int type, ndim
    cdef cnp.npy_intp* numbers

    def __cinit__(self, object x):
        cdef int d
        self.type, self.ndim = cnp.PyArray_TYPE(<cnp.ndarray> x), cnp.PyArray_NDIM(<cnp.ndarray> x)
        self.numbers = <cnp.npy_intp*> malloc(2 * self.ndim * sizeof(cnp.npy_intp) + 1)
        if self.numbers == NULL:
            raise MemoryError()
        for d in range(self.ndim):
            self.numbers[d] = cnp.PyArray_DIM(<cnp.ndarray> x, d)
            self.numbers[self.ndim + d] = cnp.PyArray_STRIDE(<cnp.ndarray> x, d)

    def __dealloc__(self):
        free(self.numbers)

    cdef bint fits(self, object x) noexcept:
        cdef int d
        if not cnp.PyArray_CheckExact(x) or cnp.PyArray_TYPE(<cnp.ndarray> x) != self.type \
                or cnp.PyArray_NDIM(<cnp.ndarray> x) != self.ndim:
            return False
        for d in range(self.ndim):
            if self.numbers[d] != cnp.PyArray_DIM(<cnp.ndarray> x, d) \
                    or self.numbers[self.ndim + d] != cnp.PyArray_STRIDE(<cnp.ndarray> x, d):
                return False
        return True


def layouts_of(given):
    """The layout of an array, or those of several arrays; None where it is a number of NumPy's."""
    if isinstance(given, (tuple, list)):
        return [layouts_of(part) for part in given]
    return Layout(given) if cnp.PyArray_CheckExact(given) else None


cdef bint as_recorded(object layouts, object given) except -1:
    if layouts is None:
        return not cnp.PyArray_CheckExact(given)
    if type(layouts) is Layout:
        return (<Layout> layouts).fits(given)
    for layout, part in zip(layouts, given, strict=True):
        if not as_recorded(layout, part):
            return False
    return True


cdef class Step:
    """One call: a function, its arguments as slots, values or what is built of these, and where its result goes."""
    cdef object function, layouts
    cdef tuple names
    cdef list constants
    cdef int* codes
    cdef Py_ssize_t count, positional
    cdef int slot, guard
    cdef bint checked
    cdef list parts

    def __cinit__(self, object function, tuple args, dict named, int slot, object parts, object guard, object given):
        cdef Py_ssize_t i
        everything = [*args, *named.values()]
        self.function, self.slot, self.parts = function, slot, parts
        self.guard = -1 if guard is None else guard
        self.names = tuple(named) or None
        self.layouts = None if given is None else layouts_of(given)
        self.checked = given is not None
        self.count, self.positional = len(everything), len(args)
        if self.count > ARGUMENTS:
            raise ValueError("too many arguments for a tape")
        self.constants = everything
        self.codes = <int*> malloc((self.count + 1) * sizeof(int))
        if self.codes == NULL:
            raise MemoryError()
        for i in range(self.count):
            value = everything[i]
            self.codes[i] = value.slot if isinstance(value, Recorded) else BUILT if has_slots(value) else TAKEN
            everything[i] = as_pattern(value)

    def __dealloc__(self):
        free(self.codes)


cdef class Slot:
    """Where an array stands in a pattern."""
    cdef int slot

    def __cinit__(self, int slot):
        self.slot = slot


def has_slots(value):
    if isinstance(value, Recorded):
        return True
    if isinstance(value, slice):
        return any([has_slots(part) for part in (value.start, value.stop, value.step)])
    return isinstance(value, (tuple, list)) and any([has_slots(part) for part in value])


def as_pattern(value):
    """``value`` with a :class:`Slot` for each array."""
    if isinstance(value, Recorded):
        return Slot(value.slot)
    if not has_slots(value):
        return value
    if isinstance(value, slice):
        return slice(as_pattern(value.start), as_pattern(value.stop), as_pattern(value.step))
    parts = [as_pattern(part) for part in value]
    return parts if isinstance(value, list) else tuple(parts)


cdef object built(object pattern, list slots):
    """And back."""
    if type(pattern) is Slot:
        return slots[(<Slot> pattern).slot]
    if type(pattern) is tuple:
        return tuple([built(part, slots) for part in <tuple> pattern])
    if type(pattern) is list:
        return [built(part, slots) for part in <list> pattern]
    if type(pattern) is slice:
        return slice(built(pattern.start, slots), built(pattern.stop, slots), built(pattern.step, slots))
    return pattern


#: Functions of NumPy's that compute nothing it could warn of, as no kernel of ours does.
cdef set SILENT = {numpy.empty, numpy.zeros, numpy.ndarray.copy, numpy.ndarray.reshape, numpy.ndarray.squeeze,
                   numpy.ndarray.swapaxes, numpy.ndarray.transpose, numpy.ndarray.take, operator.getitem}


def is_silent(function):
    """Whether NumPy warns of nothing while ``function`` runs."""
    if function is None or isinstance(function, (FunctionType, numpy.ufunc)):
        return function is None
    owner = getattr(function, "__self__", None)
    if isinstance(owner, numpy.ndarray):                    # a constant, which is copied
        return function.__name__ == "copy"
    module = getattr(function if owner is None or isinstance(owner, ModuleType) else type(owner), "__module__", None) or ""
    return module.startswith(KERNELS) or isinstance(function, Hashable) and function in SILENT


cdef class Tape:
    """What one paragraph does for arguments of one kind.

    ``alone``: how many arrays it is given, where each of these is an argument, at the position in ``sources``, or -1.
    ``given``: which slots its result is a tuple of, or -1 where it is a constant; of one slot ``gives`` is -1.
    """

    def __cinit__(self, Py_ssize_t slots, list inputs, list steps, object begins, object result):
        self.slots, self.inputs, self.result = slots, inputs, as_pattern(result)
        self.steps = [Step(*step) for step in steps]
        self.begins = len(steps) if begins is None else begins
        self.silent = all([is_silent(step[0]) for step in steps])
        self.alone = self.gives = NEITHER
        if len(inputs) <= ARGUMENTS and all([len(path) == 1 for path, _ in inputs]):
            self.alone = <int> len(inputs)
            for i, (path, number) in enumerate(inputs):
                self.sources[i], self.targets[i] = path[0], number
        if type(self.result) is Slot:
            self.gives, self.given[0] = ONE, (<Slot> self.result).slot
        elif type(self.result) is tuple and len(self.result) <= ARGUMENTS and all(
                [type(part) is Slot or type(part) is int for part in self.result]):
            self.gives = <int> len(self.result)
            for i, part in enumerate(self.result):
                self.given[i] = (<Slot> part).slot if type(part) is Slot else -1

    cdef object outcome(self, list slots):
        """The result, once the steps were gone."""
        cdef int i
        cdef list parts
        if self.gives == ONE:
            return slots[self.given[0]]
        if self.gives == NEITHER:
            return built(self.result, slots)
        parts = [None] * self.gives
        for i in range(self.gives):
            parts[i] = slots[self.given[i]] if self.given[i] >= 0 else (<tuple> self.result)[i]
        return tuple(parts)

    cpdef play(self, list values):
        """What the paragraph gives for ``values``; None where one of them makes it go another way."""
        cdef list slots = [None] * self.slots
        cdef tuple path
        cdef Py_ssize_t i
        for path, number in self.inputs:
            value = values[<Py_ssize_t> path[0]]
            for i in range(1, len(path)):
                value = value[path[i]]
            slots[<Py_ssize_t> number] = value
        return self.run(slots)

    cdef object run(self, list slots):
        """The same, with the arrays that it is given in their ``slots``."""
        cdef Step step
        cdef PyObject* args[ARGUMENTS]
        cdef Py_ssize_t i, at = 0
        for step in self.steps:
            if step.guard >= 0:
                if bool(slots[step.slot]) != step.guard:
                    return None
                at += 1
                continue
            built_now = None
            for i in range(step.count):
                if step.codes[i] >= 0:
                    value = slots[step.codes[i]]
                elif step.codes[i] == TAKEN:
                    value = step.constants[i]
                else:
                    value = built(step.constants[i], slots)
                    built_now = [built_now, value]          # keeps it until the call is over
                args[i] = <PyObject*> value
            try:
                result = PyObject_Vectorcall(step.function, args, step.positional,
                                             <PyObject*> step.names if step.names is not None else NULL)
            except Exception:
                if at > self.begins:
                    raise
                return None                                 # the paragraph knows what to do, or to say
            if step.checked and not as_recorded(step.layouts, result):
                if at >= self.begins:
                    raise RuntimeError("a function of arrays gave another shape than for such arguments before, after "
                                       "something was written: please report this")
                return None
            at += 1
            if step.slot >= 0:
                slots[step.slot] = result
            if step.parts is not None:
                for i in range(len(step.parts)):
                    slots[<Py_ssize_t> step.parts[i]] = result[i]
        return self.outcome(slots)


cdef list idle = []             # contexts in which NumPy does not warn, and that nobody is in


cdef object quiet_context():
    """Such a context, entered."""
    context = idle.pop() if idle else quiet_runner().__self__
    PyContext_Enter(context)
    return context


cdef int leave_quietly(object context) except -1:
    """Leave it, for who comes next."""
    PyContext_Exit(context)
    idle.append(context)
    return 0


cdef object play_quietly(Tape tape, list values):
    """What ``tape`` gives for ``values`` in such a context."""
    if tape.silent:
        return tape.play(values)
    context = quiet_context()
    try:
        return tape.play(values)
    finally:
        leave_quietly(context)


cdef object run_quietly(Tape tape, list slots):
    """The same for what is in its slots already."""
    if tape.silent:
        return tape.run(slots)
    context = quiet_context()
    try:
        return tape.run(slots)
    finally:
        leave_quietly(context)


cdef class Tapes(Forms):
    """The tapes of one paragraph. ``call(xp, values)`` runs it; the arguments at the positions ``written`` are written."""
    cdef object call
    cdef tuple written

    def __cinit__(self, object call, tuple written=()):
        self.call, self.written = call, written

    def find(self, list values):
        """The tape for such ``values``, or None: then the paragraph is to be run."""
        cdef Entry entry = self.entry(values)
        if entry is None:
            return None
        if entry.found is None and entry.sightings < SIGHTINGS:
            entry.sightings += 1
            if entry.sightings == SIGHTINGS:                # whatever comes of it, it is not tried again
                with numpy.errstate(all="ignore"):
                    recorded = record(self.call, values, self.written)
                    if recorded is not None:
                        tape, again, expected = Tape(*recorded[0]), recorded[1], recorded[2]
                        if same(tape.play(again), expected):    # not where memory is handed on that nobody wrote
                            entry.found = tape
                return None
        return entry.found

    def answer(self, list values):
        """What the paragraph gives for ``values``, without a warning of NumPy's; None where it is to be run."""
        tape = self.find(values)
        return None if tape is None else play_quietly(<Tape> tape, values)
