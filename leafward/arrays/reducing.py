"""How the arrays of several ranks become one: what collectives compute, element by element, into their first operand."""
import functools

import numpy as np

#: The functions for numbers. Half types are added and rounded one array at a time.
NUMBERS = {"SUM": np.add, "AVG": np.add, "PRODUCT": np.multiply, "MIN": np.minimum, "MAX": np.maximum,
           "BAND": np.bitwise_and, "BOR": np.bitwise_or, "BXOR": np.bitwise_xor}
#: Bools: a sum says whether any is true, a product whether all are.
BOOLS = {"SUM": np.logical_or, "PRODUCT": np.logical_and, "MIN": np.logical_and, "MAX": np.logical_or,
         "BAND": np.logical_and, "BOR": np.logical_or, "BXOR": np.logical_xor}


def combining(kind, dtype):
    """The function of two arrays that ``kind`` ("SUM", ...) means for a NumPy dtype."""
    return (BOOLS if dtype == np.bool_ else NUMBERS)[kind]


def combine(kind, total, other):
    """``total = total (kind) other``, in place."""
    with np.errstate(all="ignore"):
        combining(kind, total.dtype)(total, other, out=total)


def halves(buffer, dtype):
    """16-bit words that came over a wire, as numbers of a half type."""
    return np.frombuffer(buffer, dtype)


@functools.cache
def name_of(dtype):
    """``"float32"``: NumPy makes its name of a dtype anew each time, which takes longer than the rest of a call."""
    return dtype.name


def packed(array):
    """The elements in order as one flat array: the memory itself where it lies so, otherwise a copy."""
    if type(array) is np.ndarray and array.flags.carray:        # in order, aligned, and to be written to
        return array.reshape(-1)
    return np.array(array, order="C", subok=False).reshape(-1)


def shares_memory(flat, array):
    """Whether writing to ``flat`` wrote to ``array``, whose elements it has in order: it is their memory, or a copy."""
    return flat.size == 0 or np.may_share_memory(flat, array)


def together(flats, dtype):
    """Flat arrays one behind the other, in new memory."""
    return np.concatenate(flats) if flats else np.empty(0, dtype)


def empty_flat(size, dtype):
    """New memory for ``size`` elements."""
    return np.empty(size, dtype)


def from_bytes(data):
    """Bytes as a flat array that can be written to."""
    return np.frombuffer(bytearray(data), np.uint8)


def numbers(values):
    """Integers as a flat array."""
    return np.array(values, np.int64)


def divided(out, array, divisor):
    """``out = array / divisor``, in one pass where the numbers are as wide as what they are multiplied by."""
    if out.dtype in (np.float32, np.float64):
        np.multiply(array, 1 / divisor, out=out)
    else:
        out[...] = array
        if divisor != 1:
            out /= divisor


def has_nan(flat):
    """Whether any element is NaN: read once, and nothing is written."""
    with np.errstate(all="ignore"):
        if flat.dtype.char in "fd":
            total = flat.dot(flat)                  # squares of what is no NaN add up to a number or to infinity
            return bool(total != total)
        return bool(np.isnan(flat).any())


def zeros(size, dtype):
    """``size`` zeros, flat."""
    return np.zeros(size, dtype)
