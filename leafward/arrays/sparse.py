"""Arrays of which only some elements are kept: their places, and what is there. Everything else is zero.

It is no NumPy array and answers no function of NumPy's: what has no form for it raises instead of computing with something
else. Several values at one place add up.
"""
import numpy as np

from leafward.arrays.dtype_map import numpy_dtype


class SparseArray:
    """``values[k]`` stands at ``indices[:, k]``; dims behind those that ``indices`` counts are dense, and part of a value.

    ``in_order``: no place comes twice, and they come in row-major order. ``compressed``: where each row begins, for the layout
    CSR; None for COO.
    """

    __slots__ = ("compressed", "in_order", "indices", "shape", "values")

    def __init__(self, indices, values, shape, in_order=False, compressed=None):
        self.indices, self.values, self.shape = indices, values, tuple(shape)
        self.in_order, self.compressed = in_order, compressed

    ndim = property(lambda self: len(self.shape))
    dtype = property(lambda self: self.values.dtype)
    itemsize = property(lambda self: self.values.itemsize)
    nbytes = property(lambda self: self.values.nbytes + self.indices.nbytes)
    base = None

    @property
    def size(self):
        count = 1
        for n in self.shape:
            count *= n
        return count

    def __array__(self, dtype=None, copy=None):
        raise NotImplementedError("a sparse tensor is no array: call to_dense() first")

    def copy(self):
        return SparseArray(self.indices.copy(), self.values.copy(), self.shape, self.in_order, self.compressed)

    def astype(self, dtype):
        return SparseArray(self.indices, self.values.astype(numpy_dtype(dtype)), self.shape, self.in_order, self.compressed)


def is_sparse(x):
    return type(x) is SparseArray


def numbered(indices, shape):
    """Each place as one number that counts the places in row-major order."""
    numbers = np.zeros(indices.shape[1], np.int64)
    for row, size in zip(indices, shape):
        numbers = numbers * size + row
    return numbers


def merged(x):
    """``(the different places in order, which of them each value belongs to)``."""
    places, belongs = np.unique(numbered(x.indices, x.shape), return_inverse=True)
    indices = np.empty((x.indices.shape[0], len(places)), np.int64)
    for dim in reversed(range(len(indices))):
        places, indices[dim] = np.divmod(places, max(x.shape[dim], 1))
    return indices, belongs.reshape(-1)


def coalesced(x):
    """The same with each place once, in order."""
    if x.in_order:
        return x
    indices, belongs = merged(x)
    wide = np.float32 if x.values.dtype.kind in "fV" and x.values.itemsize == 2 else x.values.dtype
    values = np.zeros((indices.shape[1], *x.values.shape[1:]), wide)
    np.add.at(values, belongs, x.values)
    return SparseArray(indices, values.astype(x.values.dtype, copy=False), x.shape, True)


def dense(x):
    """The same with all its zeros."""
    x = coalesced(x)
    out = np.zeros(x.shape, x.values.dtype)
    out[tuple(x.indices)] = x.values
    return out


def found(x, indices):
    """``(where in the coalesced x each place is, whether it is there)``."""
    known, asked = numbered(x.indices, x.shape), numbered(indices, x.shape)
    at = np.searchsorted(known, asked)
    at[at == len(known)] = 0
    return at, (known[at] == asked) if len(known) else np.zeros(len(asked), bool)


def values_at(x, indices):
    """What stands at the places ``indices``."""
    x = coalesced(x)
    at, there = found(x, indices)
    values = np.zeros((len(at), *x.values.shape[1:]), x.values.dtype)
    values[there] = x.values[at[there]]
    return values


def joined(x, y):
    """The sum of two, as the values of both."""
    both = np.concatenate([x.indices, y.indices], axis=1)
    return SparseArray(both, np.concatenate([x.values, y.values]), x.shape)


def added(x, y):
    """The sum, where one of the two is sparse or both are; dense if the other is."""
    if not is_sparse(x):
        x, y = y, x
    if is_sparse(y):
        return joined(x, y)
    total = y.copy()
    add_at(total, x)
    return total


def add_at(total, x):
    """``total += x``, into a dense array."""
    x = coalesced(x)
    total[tuple(x.indices)] += x.values
