"""LAPACK's routines, of which NumPy passes on few: from the OpenBLAS in a wheel of NumPy, with integers of 64 bits.

Fortran's matrices lie column by column. Where NumPy has another LAPACK the slower ways of those who ask here serve.
"""
from functools import cache
from math import prod

import numpy as np

try:
    from leafward.arrays.kernels import lapack_entry as compiled
except ImportError:                       # not compiled
    compiled = None

LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}

#: Columns that routines in blocks work on at a time, at most: so many times a matrix' size is their workspace.
BLOCK = 64


@cache
def address(name):
    """Where the routine is; None where NumPy's library has none of this name."""
    import ctypes

    from numpy._core import _multiarray_umath
    library = ctypes.CDLL(_multiarray_umath.__file__)
    try:
        return ctypes.cast(getattr(library, f"scipy_{name}_64_"), ctypes.c_void_p).value
    except AttributeError:
        return None


def routine(name, x):
    """What :func:`call` takes, for arrays like ``x``; None where there is no such routine, or no work."""
    letter = LETTERS.get(x.dtype.char)
    return address(letter + name) if compiled and letter and x.size and x.dtype.isnative else None


def columns(x):
    """The matrices of ``x`` column by column, as a copy ``(count, columns, rows)``."""
    turned = x.swapaxes(-1, -2)
    return np.array(turned, order="C").reshape(prod(x.shape[:-2]), *turned.shape[-2:])


def rows(turned, shape):
    """``turned`` as matrices of a batch of this ``shape`` again, a view."""
    return turned.reshape(*shape, *turned.shape[-2:]).swapaxes(-1, -2)


def call(address, *arguments):
    """Call a routine, whose last argument is ``info``, for all matrices; ``info`` of each, 0 where it succeeded."""
    for argument in arguments:
        if type(argument) is np.ndarray:
            count = len(argument)
            break
    info = np.zeros(count, np.int64)
    compiled.call(address, count, (*arguments, info))
    return info


def workspace(size, x):
    return bytearray(size * x.dtype.itemsize)
