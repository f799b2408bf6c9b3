"""Places of elements, and elements at places."""
from leafward.derive.functions import fns
from leafward.derive.recorded import recorded
from leafward.dtypes import int64
from leafward.array_api.data_types import together

__all__ = ["argmax", "argmin", "count_nonzero", "nonzero", "searchsorted", "take", "take_along_axis", "where"]


def argmax(x, /, *, axis=None, keepdims=False):
    """The place of the largest element, the first of several."""
    return recorded.argmax(x, axis, keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    """The place of the smallest element, the first of several."""
    return recorded.argmin(x, axis, keepdims)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """How many elements are not zero."""
    return recorded.count_nonzero(x, axis, keepdims)


def nonzero(x, /):
    """Where the elements are that are not zero: the places along each dimension."""
    if not x.ndim:
        raise ValueError("nonzero of an array without dimensions: it has no places")
    return tuple(fns.nonzero(x, as_tuple=True))


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """For each value of ``x2`` the place where it would enter the sorted vector ``x1``, left or right of its equals."""
    return fns.searchsorted(*together(x1, x2), side=side, sorter=None if sorter is None else sorter.to(int64))


def where(condition, x1, x2, /):
    """``x1`` where the condition holds, ``x2`` elsewhere."""
    return recorded.where(condition, *together(x1, x2))


def take(x, indices, /, *, axis=None):
    """The elements of a vector at ``indices``, or the slices along ``axis``; negative ones count from the end."""
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take from an array of {x.ndim} dimensions needs axis=")
        axis = 0
    return x[(slice(None),) * (axis % x.ndim) + (indices.to(int64),)]


def take_along_axis(x, indices, /, *, axis=-1):
    """``out[..., i, ...] = x[..., indices[..., i, ...], ...]`` along ``axis``; the other dimensions broadcast."""
    places = indices.to(int64)
    return fns.take_along_dim(x, fns.where(places < 0, places + x.shape[axis], places), axis)
