# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Draws like one before: what fills an array of such a shape from the generator, without a question about the arguments.

While a call is watched, the twister notes what is drawn (``Twister.noted``). Where that was one distribution for all of
the result, the next such call is that again.
"""
cimport numpy as cnp
from libc.string cimport memcpy

from leafward.arrays.kernels.tape_player cimport Entry, Forms
from leafward.arrays.kernels.twister cimport Twister

cnp.import_array()

#: What a row comes to is asked for when it comes so many times.
DEF SIGHTINGS = 5
DEF DIMS = 32


cdef class Drawing:
    """``distribution`` with the numbers ``a`` and ``b``, drawn from ``engine``."""
    cdef Twister engine
    cdef object lock
    cdef int distribution, type, ndim
    cdef double a, b
    cdef cnp.npy_intp dims[DIMS]

    def __cinit__(self, Twister engine, int distribution, cnp.ndarray like, double a, double b):
        self.engine, self.lock, self.distribution, self.a, self.b = engine, engine.lock, distribution, a, b
        self.type, self.ndim = cnp.PyArray_TYPE(like), cnp.PyArray_NDIM(like)
        if self.ndim:    # of no dims NumPy has no list
            memcpy(self.dims, cnp.PyArray_DIMS(like), self.ndim * sizeof(cnp.npy_intp))

    cpdef object fill(self, object x):
        """``x``, filled; None where it is no array for that."""
        with self.lock:
            return x if self.engine.fill_few(self.distribution, x, self.a, self.b) else None

    cpdef object made(self):
        """A new array, filled so."""
        return self.fill(cnp.PyArray_EMPTY(self.ndim, self.dims, self.type, 0))


def drawing_of(engine, noted, x):
    """What ``engine`` did, having ``noted`` that while ``x`` was filled: a :class:`Drawing`, or None for what is none."""
    if len(noted) != 1 or noted[0] is None or noted[0][1] is not x or x.ndim > DIMS:
        return None
    return Drawing(engine, noted[0][0], *noted[0][1:])


cdef class Draws(Forms):
    """What a creation draws, by its arguments; with ``answer`` and ``learn`` as ``Templates`` have them."""

    def answer(self, list row):
        """A new array of what was learned to come of ``row``; Ellipsis where that is to be learned now, else None."""
        cdef Entry entry = self.entry(row)
        if entry is None:
            return None
        if entry.found is None:
            entry.sightings += 1
            return Ellipsis if entry.sightings == SIGHTINGS else None
        return (<Drawing> entry.found).made()

    def learn(self, list row, object array, object drawing):
        """Let rows like ``row`` come to ``drawing``, which made ``array``; None: to nothing."""
        cdef Entry entry = self.entry(row)
        if entry is not None and drawing is not None:
            entry.found = drawing
