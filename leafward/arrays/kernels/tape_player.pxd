cimport cython
cimport numpy as cnp
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

#: The longest key.
DEF ROOM = 1024
#: The most arrays in one.
DEF ARRAYS = 32
#: Among how many entries one is found without a dict.
DEF RECENT = 32
#: The most arguments that a function on a tape has.
DEF ARGUMENTS = 24

@cython.final
cdef class Key:
    cdef char room[ROOM]
    cdef Py_ssize_t used
    cdef int arrays
    cdef PyObject* seen[ARRAYS]

    cdef bint word(self, int64_t number) noexcept
    cdef bint text(self, const char* letters, Py_ssize_t count) noexcept
    cdef bint mark(self, char letter, int64_t number) noexcept
    cdef bint array(self, object x) noexcept
    cdef bint add(self, object value) except -1

cdef class Entry:
    cdef bytes name
    cdef int sightings
    cdef int64_t uses
    cdef object found

cdef class Forms:
    cdef dict entries
    cdef int64_t alone, next_alone
    cdef PyObject* recent[RECENT]

    cdef int forget(self) except -1
    cdef Entry entry(self, list values)

cdef class Tape:
    cdef Py_ssize_t slots
    cdef list inputs, steps
    cdef Py_ssize_t begins
    cdef object result
    cdef bint silent
    cdef int alone, gives
    cdef int sources[ARGUMENTS]
    cdef int targets[ARGUMENTS]
    cdef int given[ARGUMENTS]

    cpdef play(self, list values)
    cdef object run(self, list slots)
    cdef object outcome(self, list slots)

cdef object quiet_context()
cdef int leave_quietly(object context) except -1
cdef object play_quietly(Tape tape, list values)
cdef object run_quietly(Tape tape, list slots)
