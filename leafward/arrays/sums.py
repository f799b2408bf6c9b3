"""Adding many numbers: half types in float32, and along any dim in rounds, so that the error hardly grows.

NumPy adds pairwise along the dim that lies densest in memory, and one after the other along any other: of a million float32
rows the sum is then off by 1e-5. Here every :data:`ROUND` neighbours are added, then as many of these sums, and so on.
"""
from math import inf, prod

import numpy as np

from leafward.arrays import copies
from leafward.arrays.dtype_map import is_half

try:
    from leafward.arrays.kernels.rows_reduction import sum_along as compiled
except ImportError:                       # not compiled
    compiled = None

FLOAT32 = np.dtype(np.float32)

#: So many numbers are added one after the other.
ROUND = 16

#: From so many on it is worth doing in rounds.
FEW = 2 * ROUND

#: NumPy's inner loops are to be this long: short rows are added side by side.
LONG = 1024

#: From so many elements on the sum is a kernel's: NumPy takes 10 ns for each row that it adds, which may be two numbers.
MANY = 256


def wide(x):
    """``x`` in a type that can be added up: half types as float32."""
    return copies.cast(x, FLOAT32, True) if is_half(x.dtype) else x


def add_up(x, axis=None, keepdims=False):
    """The sum of ``x`` along ``axis`` (None, an int or a tuple); of half types in float32, for the caller to round."""
    if x.dtype.char not in "fdFD":
        x = wide(x)
    if x.size <= FEW or x.dtype.kind not in "fc":
        return np.add.reduce(x, axis, None, None, keepdims)
    if x.size >= MANY and compiled is not None and (found := by_kernel(x, axis, keepdims)) is not None:
        return found
    if type(axis) is int and (axis == -1 or axis == x.ndim - 1) and x.strides[-1] == x.itemsize:
        return np.add.reduce(x, axis, None, None, keepdims)       # pairwise
    if axis is None:
        if x.flags.forc:
            return np.add.reduce(x, None, None, None, keepdims)
        axes = tuple(range(x.ndim))
    else:
        axes = tuple([d + x.ndim if d < 0 else d for d in ((axis,) if isinstance(axis, int) else axis)])
    count, long = 1, []                                           # dims of one element need no adding
    for d in axes:
        if x.shape[d] != 1:
            count *= x.shape[d]
            long.append(d)
    if count <= FEW or (long == [x.ndim - 1] and x.strides[-1] == x.itemsize):
        return np.add.reduce(x, axes, None, None, keepdims)
    if len(long) == 1 and x.flags.c_contiguous:
        total = in_rounds(x, long[0])
        if keepdims:
            return total.reshape([1 if d in axes else n for d, n in enumerate(x.shape)])
        return total if len(axes) == 1 else total.reshape([n for d, n in enumerate(x.shape) if d not in axes])
    return by_memory(x, axes, keepdims)


def by_kernel(x, axis, keepdims):
    """The sum along neighbouring dims, by a kernel; None where they are none, or it declines."""
    if type(axis) is not tuple:
        return compiled(x, axis, keepdims)
    if not x.flags.c_contiguous:
        return None
    axes = {d + x.ndim if d < 0 else d for d in axis}
    long = [d for d in axes if x.shape[d] != 1]
    if not long:
        return None
    first, last = min(long), max(long)
    if any([x.shape[d] != 1 and d not in axes for d in range(first, last)]):
        return None
    found = compiled(x.reshape(prod(x.shape[:first]), -1, prod(x.shape[last + 1:])), 1, False)
    if found is None:
        return None
    return found.reshape([1 if d in axes else n for d, n in enumerate(x.shape) if keepdims or d not in axes])


def by_memory(x, axes, keepdims):
    """The sum along ``axes``, the densest in memory first; the result lies in memory as ``x`` does."""
    order = range(x.ndim)
    if not x.flags.c_contiguous:
        order = sorted(order, key=lambda d: -abs(x.strides[d]) if x.strides[d] or d in axes else -inf)
    sizes, added = merged(x, order, axes)
    total = x.transpose(order).reshape(sizes)
    for position in range(len(sizes) - 1, -1, -1):
        if added[position]:
            total = np.add.reduce(total, position) if position == total.ndim - 1 else in_rounds(total, position)
    kept = [d for d in order if d not in axes]
    total = np.asarray(total).reshape([x.shape[d] for d in kept])
    total = total.transpose(sorted(range(len(kept)), key=kept.__getitem__))
    return total[tuple([None if d in axes else slice(None) for d in range(x.ndim)])] if keepdims else total


def merged(x, order, axes):
    """Sizes, and which are added over, when neighbours in ``order`` that memory allows count as one dim."""
    sizes, added, step = [], [], None
    for d in order:
        if sizes and added[-1] == (d in axes) and step == x.shape[d] * x.strides[d]:
            sizes[-1] *= x.shape[d]
        else:
            sizes.append(x.shape[d])
            added.append(d in axes)
        step = x.strides[d]
    return sizes, added


def in_rounds(x, position):
    """The sum along dim ``position``, which is not the last."""
    n = x.shape[position]
    if n <= FEW:
        return np.add.reduce(x, position)
    before, after = x.shape[:position], x.shape[position + 1:]
    inner = 1
    for size in after:
        inner *= size
    side = max(1, min(LONG // max(1, inner), n // ROUND))
    whole = n - n % (ROUND * side)
    front = (slice(None),) * position
    rounds = x[(*front, slice(whole))].reshape(*before, whole // (ROUND * side), ROUND, side * inner)
    total = in_rounds(np.add.reduce(rounds, position + 1).reshape(*before, whole // ROUND, *after), position)
    if whole < n:
        total = total + in_rounds(x[(*front, slice(whole, n))], position)
    return total
