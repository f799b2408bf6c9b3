"""Linear maps of the last dimensions, one dimension at a time: each has a few weights, made once per pair of sizes.

They are applied in C (``resampling_loops.c``), or else as products of matrices.
"""
from functools import lru_cache
from math import floor, prod

import numpy as np

from leafward.arrays.kernels.pooling import compiled, served
from leafward.arrays.kernels.products import matmul
from leafward.arrays.support import half_among, narrowed, widened

try:
    from leafward.arrays.kernels import resampling_entry as loops
except ImportError:                       # not compiled: products
    loops = None
else:
    loops = None if loops.obstacle else loops


class Weights:
    """A matrix that is mostly 0: row by row the columns that are not, and what they hold."""

    def __init__(self, matrix):
        rows, columns = np.nonzero(matrix)
        self.columns = np.ascontiguousarray(columns)
        self.shape, self.values = matrix.shape, matrix[rows, columns]
        self.starts = np.searchsorted(rows, np.arange(len(matrix) + 1))
        self.typed = {}

    def values_as(self, dtype):
        if dtype.char not in self.typed:
            self.typed[dtype.char] = self.values.astype(dtype)
        return self.typed[dtype.char]

    def taps_as(self, dtype):
        """Columns and weights tap by tap, one each for every row, 0 where there is none; whether all are one 1. None: many."""
        key = "taps", dtype.char
        if key not in self.typed:
            counts = np.diff(self.starts)
            most = int(counts.max(initial=1))
            if most > MOST_TAPS:
                self.typed[key] = None
            else:
                columns, values = np.zeros((most, len(counts)), np.int32), np.zeros((most, len(counts)), dtype)
                rows = np.repeat(np.arange(len(counts)), counts)
                taps = np.arange(len(rows)) - self.starts[rows]
                columns[taps, rows], values[taps, rows] = self.columns, self.values
                self.typed[key] = columns, values, bool(most == 1 and (values == 1).all())
        return self.typed[key]

    def matrix(self, dtype):
        matrix = np.zeros(self.shape, dtype)
        matrix[np.repeat(np.arange(self.shape[0]), np.diff(self.starts)), self.columns] = self.values
        return matrix


#: Up to so many elements in a sum along the last dim, all sums of a line are made together, tap by tap.
MOST_TAPS = 8


def resample(x, weights):
    """Apply ``out x in`` weights to the last ``len(weights)`` dimensions of ``x``, one each; None leaves one be."""
    if (half := half_among((x,))) is not None:                              # rounded once, not after each dimension
        return narrowed(resample(widened(x), weights), half)
    weights = list(weights)
    along = loops and weights[-1] and weights[-1].taps_as(x.dtype)
    together = 2 if along and len(weights) > 1 else 1 if along else 0       # so many of the last dims in one pass
    for axis, one in zip(range(-len(weights), -together), weights):
        if one is None:
            continue
        axis += x.ndim
        shape = x.shape
        lines = x.reshape(prod(shape[:axis]), shape[axis], prod(shape[axis + 1:]))
        out = loops and loops.weigh(lines, one.shape[0], one.starts, one.columns, one.values_as(x.dtype))
        if out is None:
            out = weighted(one.matrix(x.dtype), lines)
        x = out.reshape(*shape[:axis], one.shape[0], *shape[axis + 1:])
    return resample_image(x, weights[-together:], along) if together else x


def resample_image(x, weights, along):
    """:func:`resample` for the last dim, or the last two: down to one row of results at a time, and along that."""
    out = loops.weigh_image(x, *at_once(x, weights, along))
    if out is not None:
        return out
    down, shape = weights[0] if len(weights) > 1 else None, x.shape
    lead = shape[:-2] if len(weights) > 1 else shape[:-1]
    image = x.reshape(prod(lead), *shape[-2:]) if len(weights) > 1 else x.reshape(prod(lead), 1, shape[-1])
    for axis, one in zip((1, 2), (down, weights[-1])):
        if one is not None:
            moved = weighted(one.matrix(x.dtype), image if axis == 1 else np.swapaxes(image, 1, 2))
            image = moved if axis == 1 else np.swapaxes(moved, 1, 2)
    return image.reshape(*lead, *image.shape[1 if len(weights) > 1 else 2:])


def at_once(x, weights, along):
    """What ``weigh_image`` wants to know beside ``x``."""
    down = weights[0] if len(weights) > 1 else None
    rows = None if down is None else (down.shape[0], down.starts, down.columns, down.values_as(x.dtype))
    return len(weights), rows, *along


def resample_direct(x, weights):
    """See ``tapes.direct``: where all is one pass in C."""
    fits = loops and x.dtype.char in "fd" and x.dtype.isnative and x.size > 0 and len(weights) <= 2 and weights[-1]
    along = weights[-1].taps_as(x.dtype) if fits else None
    return (loops.weigh_image, (x, *at_once(x, weights, along))) if along else None


def weighted(matrix, lines):
    """``matrix @ lines`` for weights that are mostly 0, which an infinity or NaN may not pass: 0 times infinity is NaN."""
    product = matmul(matrix, lines)
    if not np.isfinite(product).all():
        for position, weights in enumerate(matrix):
            taken = np.flatnonzero(weights)
            product[:, position] = (weights[taken, None] * lines[:, taken]).sum(1)
    return product


# --- means of bins ---------------------------------------------------------------------------------------------------

@lru_cache(maxsize=256)
def averages(size, places, adjoint=False):
    """The mean of ``places`` bins that cover ``size`` elements and overlap where they must; or its adjoint."""
    if size == places:
        return None
    matrix = np.zeros((places, size))
    for i in range(places):
        start, stop = i * size // places, -(-(i + 1) * size // places)
        matrix[i, start:stop] = 1 / (stop - start)
    return Weights(matrix.T if adjoint else matrix)


def adaptive_mean(x, places):
    """The mean of each of ``places`` bins along the last dimensions."""
    out = compiled and compiled.pool_mean(x, tuple(places), None, None, None, False, None, False)
    return out if out is not None else resample(x, [averages(n, m) for n, m in zip(x.shape[x.ndim - len(places):], places)])


def adaptive_mean_adjoint(g, size):
    """Spread each element of ``g`` evenly over its bin of an image of ``size``."""
    out = compiled and compiled.pool_mean(g, tuple(size), None, None, None, False, None, True)
    if out is not None:
        return out
    return resample(g, [averages(n, m, adjoint=True) for n, m in zip(size, g.shape[g.ndim - len(size):])])


def means_direct(adjoint):
    """See ``tapes.direct``."""
    return lambda x, places: (
        (compiled.pool_mean, (x, tuple(places), None, None, None, False, None, adjoint)) if served(x, places) else None)


adaptive_mean.direct, adaptive_mean_adjoint.direct = means_direct(False), means_direct(True)


# --- interpolation ---------------------------------------------------------------------------------------------------

def hat(t):
    return max(0.0, 1 - abs(t))


def cubic(a):
    """Keys' cubic convolution kernel."""
    def kernel(t):
        t = abs(t)
        if t < 1:
            return ((a + 2) * t - (a + 3)) * t * t + 1
        return ((t - 5) * t + 8) * t * a - 4 * a if t < 2 else 0.0
    return kernel


def interpolation(size, places, mode, align_corners, step, antialias):
    """The weights of ``size`` elements at ``places`` positions that lie ``step`` elements apart."""
    matrix = np.zeros((places, size))
    if mode in ("nearest", "nearest-exact"):
        offset = 0.5 if mode == "nearest-exact" else 0.0
        for i in range(places):
            # PyTorch computes the position in float32, which decides where it is on the edge of two elements.
            matrix[i, min(int(floor(np.float32(i + offset) * np.float32(step))), size - 1)] = 1
        return matrix
    kernel, reach = (cubic(-0.5 if antialias else -0.75), 2) if mode == "bicubic" else (hat, 1)
    for i in range(places):
        if antialias:
            width = max(step, 1.0)
            centre = step * (i + 0.5)
            first, last = max(int(centre - reach * width + 0.5), 0), min(int(centre + reach * width + 0.5), size)
            weights = [kernel((j - centre + 0.5) / width) for j in range(first, last)]
            matrix[i, first:last] = np.array(weights) / sum(weights)
            continue
        centre = i * step if align_corners else (i + 0.5) * step - 0.5
        if reach == 1:
            centre = max(centre, 0.0)
        for j in range(floor(centre) - reach + 1, floor(centre) + reach + 1):
            matrix[i, min(max(j, 0), size - 1)] += kernel(centre - j)
    return matrix


@lru_cache(maxsize=256)
def interpolation_weights(adjoint, *sizes):
    """:func:`interpolation`'s, or its adjoint's."""
    matrix = interpolation(*sizes)
    return Weights(matrix.T if adjoint else matrix)


@lru_cache(maxsize=256)
def whole_weights(*sizes):
    """:func:`interpolation`'s weights as whole numbers: the largest fills 15 bits; and how many bits that moved them."""
    matrix = interpolation(*sizes)
    bits, largest = 0, matrix.max()
    while bits < 22 and int(0.5 + largest * 2 ** (bits + 1)) < 2 ** 15:
        bits += 1
    return np.trunc(matrix * 2 ** bits + np.copysign(0.5, matrix)), bits


def interpolate_bytes(x, size, mode, align_corners, steps, antialias):
    """:func:`interpolate` of uint8 as image libraries do it: along the rows first, each dimension rounded to bytes."""
    for axis in range(-1, -len(size) - 1, -1):
        if x.shape[axis] != size[axis]:
            matrix, bits = whole_weights(x.shape[axis], size[axis], mode, align_corners, steps[axis], antialias)
            sums = np.moveaxis(np.tensordot(x.astype("float64"), matrix, (axis, 1)), -1, axis)      # exact: below 2**53
            x = np.floor(sums * 2.0 ** -bits + 0.5).clip(0, 255).astype("uint8")
    return np.array(x, order="C")


def interpolate(x, size, mode, align_corners, steps, antialias):
    """``x`` at ``size`` positions along its last dimensions."""
    lengths = x.shape[x.ndim - len(size):]
    return resample(x, [interpolation_weights(False, n, m, mode, align_corners, s, antialias)
                        for n, m, s in zip(lengths, size, steps)])


def interpolate_adjoint(g, size, mode, align_corners, steps, antialias):
    """Give each element of an image of ``size`` its weighted share of ``g``."""
    places = g.shape[g.ndim - len(size):]
    return resample(g, [interpolation_weights(True, n, m, mode, align_corners, s, antialias)
                        for n, m, s in zip(size, places, steps)])


def interpolation_direct(adjoint):
    def direct(x, size, mode, align_corners, steps, antialias):
        lengths = x.shape[x.ndim - len(size):]
        pairs = zip(size, lengths) if adjoint else zip(lengths, size)
        return resample_direct(x, [interpolation_weights(adjoint, n, m, mode, align_corners, s, antialias)
                                   for (n, m), s in zip(pairs, steps)])
    return direct


interpolate.direct, interpolate_adjoint.direct = interpolation_direct(False), interpolation_direct(True)
