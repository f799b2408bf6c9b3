"""Scratch memory that a kernel finds again at its next call.

A fresh megabyte costs some 250 page faults of 1.6 µs each, more than the product that is computed in it.
"""
from math import prod
from threading import local

import numpy as np

#: A larger request is served fresh, so that one large call does not hold memory for the rest of the program.
LARGEST = 1 << 23

buffers = local()


def scratch(name, shape, dtype):
    """An uninitialised array, valid until this thread asks for the same ``name`` again."""
    size = prod(shape) * dtype.itemsize
    if size > LARGEST:
        return np.empty(shape, dtype)
    held = buffers.__dict__.get(name)
    if held is None or held.nbytes < size:
        held = buffers.__dict__[name] = np.empty(size, np.uint8)
    return np.ndarray(shape, dtype, held)
