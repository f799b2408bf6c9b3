# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Calls of Fortran's routines, matrix by matrix of a batch; ``lapack.py`` says which."""
cimport numpy as cnp
from libc.stdint cimport int64_t

cnp.import_array()

DEF MOST = 16

# Fortran takes addresses alone, and behind them the length of each letter: what a routine does not take it does not see.
ctypedef void (*routine)(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*,
                         void*) noexcept nogil


def call(size_t address, Py_ssize_t count, tuple arguments):
    """The routine at ``address`` for each of ``count`` matrices.

    An argument is a letter (bytes), an int, memory that serves one matrix after the other (a bytearray), or an array whose
    first axis counts the matrices and whose others lie dense.
    """
    cdef void* given[MOST]
    cdef Py_ssize_t step[MOST]
    cdef int64_t numbers[MOST]
    cdef Py_ssize_t i, number, letters = 0, size = len(arguments)
    cdef routine run = <routine> address
    for i in range(MOST):
        given[i], step[i] = <void*> 1, 0
    for i in range(size):
        argument = arguments[i]
        if isinstance(argument, bytes):
            given[i] = <void*> <char*> argument
            letters += 1
        elif isinstance(argument, int):
            numbers[i] = argument
            given[i] = &numbers[i]
        elif isinstance(argument, bytearray):
            given[i] = <void*> <char*> argument
        else:
            given[i], step[i] = cnp.PyArray_DATA(argument), cnp.PyArray_STRIDE(argument, 0)
    if size + letters > MOST:
        raise ValueError(f"a routine takes {MOST - letters} arguments at most, not {size}")
    with nogil:
        for number in range(count):
            run(given[0], given[1], given[2], given[3], given[4], given[5], given[6], given[7], given[8], given[9], given[10],
                given[11], given[12], given[13], given[14], given[15])
            for i in range(size):
                given[i] = <char*> given[i] + step[i]
