"""The logistic curve and softmax on plain arrays. Half types are computed in float32, as in PyTorch."""
import numpy as np

from leafward.arrays.dtype_map import is_half
from leafward.arrays.sums import add_up


def in_float32(function):
    """Compute ``function`` of a half array in float32."""
    def wide(x, *args, out=None):
        if not is_half(x.dtype):
            return function(x, *args, out=out)
        result = function(x.astype(np.float32), *args, out=None).astype(x.dtype)
        if out is None:
            return result
        out[...] = result
        return out
    wide.__name__ = function.__name__
    wide.__doc__ = function.__doc__
    return wide


@in_float32
def sigmoid(x, out=None):
    """``out = 1 / (1 + exp(-x))``."""
    result = np.negative(x, out=out)
    if x.ndim == 0 and out is None:                      # a scalar, which cannot be written into
        return np.reciprocal(1 + np.exp(result))
    np.exp(result, out=result)
    np.add(result, 1, out=result)
    return np.reciprocal(result, out=result)


def largest(x, axis):
    return np.maximum.reduce(x, axis, keepdims=True, initial=-np.inf)


@in_float32
def softmax_along(x, axis, out=None):
    """``out = exp(x) / sum(exp(x))`` along ``axis``, with the largest x at 0 so that nothing overflows."""
    result = np.asarray(np.subtract(x, largest(x, axis), out=out))
    np.exp(result, out=result)
    return np.divide(result, add_up(result, axis, True), out=result)


@in_float32
def log_softmax_along(x, axis, out=None):
    """``out = x - log(sum(exp(x)))`` along ``axis``, with the largest x at 0 so that nothing overflows."""
    result = np.asarray(np.subtract(x, largest(x, axis), out=out))
    return np.subtract(result, np.log(add_up(np.exp(result), axis, True)), out=result)
