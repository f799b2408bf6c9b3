"""Copies and casts in C (``kernels/copies_entry.pyx``) where they are large and NumPy is slow, and otherwise NumPy's.

NumPy copies a transposed array element by element, and casts half types so.
"""
import numpy as np

try:
    from leafward.arrays.kernels import copies_entry as compiled
except ImportError:                       # not compiled
    compiled = None

#: NumPy copies fewer elements before a kernel is called (``kernels/copies_entry.pyx``).
FEW = 512
#: From so many elements on several threads copy, and cast numbers, as fast as NumPy does by one.
SHARED = 65536


def copy_into(target, source):
    """``target[...] = source``, which broadcasts and casts."""
    if not (compiled and compiled.copy_into(target, source)):
        target[...] = source


def row_major_copy(x):
    """A copy whose elements lie in row-major order."""
    if compiled and (not x.flags.c_contiguous or x.size >= SHARED):
        out = np.empty(x.shape, x.dtype)
        if compiled.copy_into(out, x):
            return out
    return np.array(x, order="C")


# See ``tapes.direct``: of what is small, or in order already, NumPy makes the copy.
row_major_copy.direct = lambda x: (np.ndarray.copy, (x,)) if x.flags.c_contiguous or x.size < FEW else None


def cast(x, dtype, copy):
    """``x`` as NumPy's ``dtype``; the same array if nothing changes and no ``copy`` is asked for."""
    if (compiled and (x.itemsize == 2 or dtype.itemsize == 2 or x.size >= SHARED)
            and (out := compiled.cast(x, dtype)) is not None):
        return out
    return x.astype(dtype, copy=copy)
