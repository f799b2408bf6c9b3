"""One number out of many, running totals, and differences between neighbours."""
from leafward.derive.functions import fns
from leafward.derive.recorded import over, recorded
from leafward.dtypes import uint64
from leafward.array_api.data_types import together

__all__ = ["all", "any", "cumulative_prod", "cumulative_sum", "diff", "max", "mean", "min", "prod", "std", "sum", "var"]


def total_dtype(x, dtype):
    """The dtype of a sum: unsigned integers add up in uint64, the rest as PyTorch does (integers in int64)."""
    return uint64 if dtype is None and x.dtype.kind == "int" and not x.dtype.is_signed else dtype


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    """The sum over ``axis``; None is every one."""
    return recorded.sum(x, axis, keepdims, total_dtype(x, dtype))


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    """The product over ``axis``; None is every one."""
    return recorded.prod(x, axis, keepdims, total_dtype(x, dtype))


def mean(x, /, *, axis=None, keepdims=False):
    """The mean over ``axis``; None is every one."""
    return recorded.mean(x, axis, keepdims)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The mean squared distance from the mean, with ``n - correction`` in place of the number ``n`` of elements."""
    return over(fns.var, x, axis, keepdims, correction=correction)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The square root of the variance."""
    return over(fns.std, x, axis, keepdims, correction=correction)


def max(x, /, *, axis=None, keepdims=False):
    """The largest element over ``axis``; None is every one."""
    return recorded.max(x, axis, keepdims)


def min(x, /, *, axis=None, keepdims=False):
    """The smallest element over ``axis``; None is every one."""
    return recorded.min(x, axis, keepdims)


def all(x, /, *, axis=None, keepdims=False):
    """Whether every element is true, or not zero."""
    return recorded.all(x.bool(), axis, keepdims)


def any(x, /, *, axis=None, keepdims=False):
    """Whether some element is true, or not zero."""
    return recorded.any(x.bool(), axis, keepdims)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """``out[i] = x[0] + ... + x[i]`` along ``axis``, after a zero if ``include_initial``."""
    return running(fns.cumsum, fns.zeros, x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """``out[i] = x[0] * ... * x[i]`` along ``axis``, after a one if ``include_initial``."""
    return running(fns.cumprod, fns.ones, x, axis, dtype, include_initial)


def running(function, neutral, x, axis, dtype, include_initial):
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"a running total of an array of {x.ndim} dimensions needs axis=")
        axis = 0
    out = function(x, axis, dtype=total_dtype(x, dtype))
    if not include_initial:
        return out
    shape = list(x.shape)
    shape[axis] = 1
    return fns.cat([neutral(shape, dtype=out.dtype), out], axis)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """``x[i + 1] - x[i]`` along ``axis``, ``n`` times; ``prepend`` and ``append`` join ``x`` first."""
    present = iter(together(*[part for part in (x, prepend, append) if part is not None]))
    x, prepend, append = [None if part is None else next(present) for part in (x, prepend, append)]
    return fns.diff(x, n, axis, prepend, append)
