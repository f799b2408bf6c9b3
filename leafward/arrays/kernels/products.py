"""Products of matrices, for every dtype.

``ndarray.dot`` costs a third of ``np.matmul`` on small matrices and reads transposed operands in place.
"""
import numpy as np

from leafward.arrays.dtype_map import is_half

BLAS = "fdFD"


def dot(x, y, out=None):
    """``x @ y`` for one- and two-dimensional arrays of one dtype; half types are added up in float32."""
    if x.dtype.char not in BLAS and is_half(x.dtype):
        result = x.astype(np.float32).dot(y.astype(np.float32)).astype(x.dtype)
    elif out is not None and out.flags.c_contiguous and out.dtype == x.dtype and not overlap(out, x, y):
        return x.dot(y, out=out)
    else:
        result = x.dot(y)
    if out is None:
        return result
    out[...] = result
    return out


def overlap(out, x, y):
    return np.may_share_memory(out, x) or np.may_share_memory(out, y)


def matmul(x, y, out=None):
    """``x @ y`` with broadcast batches, as ``np.matmul``; half types are added up in float32."""
    if x.dtype.char not in BLAS and is_half(x.dtype):
        result = np.matmul(x.astype(np.float32), y.astype(np.float32)).astype(x.dtype)
        if out is None:
            return result
        out[...] = result
        return out
    return np.matmul(x, y, out=out)


def affine(x, weight, bias):
    """``x @ weight.T + bias`` for a matrix ``x``."""
    if x.dtype.char not in BLAS and is_half(x.dtype):
        wide = x.astype(np.float32).dot(weight.T.astype(np.float32))
        wide += bias
        return wide.astype(x.dtype)
    result = x.dot(weight.T)
    result += bias
    return result
