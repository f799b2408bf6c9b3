"""Linear maps of the last dimensions, one dimension at a time: each is a small matrix, made once per pair of sizes."""
from functools import lru_cache
from math import prod

import numpy as np

from .products import matmul


def resample(x, matrices):
    """Apply ``out x in`` matrices to the last ``len(matrices)`` dimensions of ``x``, one each; None leaves one be."""
    for axis, matrix in zip(range(-len(matrices), 0), matrices):
        if matrix is None:
            continue
        axis += x.ndim
        shape = x.shape
        matrix = matrix.astype(x.dtype)
        lines = x.reshape(prod(shape[:axis]), shape[axis], prod(shape[axis + 1:]))
        x = matmul(matrix, lines).reshape(*shape[:axis], matrix.shape[0], *shape[axis + 1:])
    return x


@lru_cache(maxsize=256)
def averages(size, places):
    """The mean of ``places`` bins that cover ``size`` elements and overlap where they must."""
    if size == places:
        return None
    matrix = np.zeros((places, size))
    for i in range(places):
        start, stop = i * size // places, -(-(i + 1) * size // places)
        matrix[i, start:stop] = 1 / (stop - start)
    return matrix


def adaptive_mean(x, places):
    """The mean of each of ``places`` bins along the last dimensions."""
    return resample(x, [averages(n, m) for n, m in zip(x.shape[x.ndim - len(places):], places)])


def adaptive_mean_adjoint(g, size):
    """Spread each element of ``g`` evenly over its bin of an image of ``size``."""
    matrices = [averages(n, m) for n, m in zip(size, g.shape[g.ndim - len(size):])]
    return resample(g, [None if m is None else m.T for m in matrices])
