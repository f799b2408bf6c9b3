"""Triangles of matrices, as ``np.tril`` and ``np.triu`` cut them out, which make a mask of each first."""
import numpy as np

try:
    from leafward.arrays.kernels import rows_triangles as compiled
except ImportError:                       # not compiled
    compiled = None


def tril(x, k=0):
    """The lower triangle, up to diagonal ``k``."""
    found = compiled and compiled.lower_triangle(x, k)
    return np.tril(x, k) if found is None else found


def triu(x, k=0):
    """The upper triangle, from diagonal ``k`` on."""
    found = compiled and compiled.upper_triangle(x, k)
    return np.triu(x, k) if found is None else found
