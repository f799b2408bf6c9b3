"""The usual tensors as an index, straight to the op: places in some dims, or one mask. ``indexing.py`` serves all others.

``x[i]``, ``x[i, j]``, ``x[:, i]``, ``x[..., i]`` with tensors of int64 or masks of one dim, ``x[mask]``; read or written.
"""
import math

from leafward import dtypes
from leafward.core import modes
from leafward.core.mode_bits import ANSWERED, UNRECORDED
from leafward.core.tensor import fast_dtype, is_plain, requires_grad
from leafward.core.tracebacks import left
from leafward.derive.functions import fns

#: Every narrower type that is served here holds it; what may not fit is refused elsewhere.
MOST = 65504.0


def looked_up(x, index):
    """``x[index]``; None where ``indexing.py`` must look at it."""
    word = modes.word()
    if word & ANSWERED or not is_plain(x):
        return None
    source = x                          # a name with a type in place_index.pxd: its fields are C fields
    try:
        if is_mask(index) and index.shape == source._array.shape:
            return None if word & UNRECORDED == 0 and requires_grad(source) else fns.masked_select(source, index)
        tensors, at = places_in(index, source._array.shape)
        return None if tensors is None else fns._index(source, tensors, at)
    except Exception as error:
        raise left(error)               # noqa: B904  (it is no new one)


def written(x, index, value):
    """``x[index] = value``, and True; False where ``indexing.py`` must do it, and nothing is done."""
    word = modes.word()
    dtype = fast_dtype(x)
    if word & ANSWERED or dtype is None:
        return False
    target = x
    number = is_number(value)
    if not number:
        if fast_dtype(value) is not dtype:
            return False
        operand = value
        if operand._storage is target._storage or operand._array.ndim > 0 and operand._array.shape[0] == 1:
            return False
    try:
        if is_mask(index) and (number or operand._array.ndim == 0):
            shape, among = index.shape, target._array.shape
            if shape != among:
                if shape != among[:len(shape)]:
                    return False
                index = fns.view(index, shape + (1,) * (len(among) - len(shape)))
            if not number:
                fns._mask_put_(target, index, value)
            elif word & UNRECORDED == 0 and requires_grad(target):
                fns._mask_put_(target, index, fns.full((), value, dtype=dtype))
            else:
                fns.masked_fill_(target, index, value)      # the same, without the node of a write to places
            return True
        if type(index) is tuple and (number or operand._array.ndim == 0) and word & UNRECORDED == 0 and (
                requires_grad(target) and has_mask(index)):
            return False                    # that the mask itself is kept
        tensors, at = places_in(index, target._array.shape)
        if tensors is None:
            return False
        fns._index_put_(target, tensors, fns.full((), value, dtype=dtype) if number else value, at, False)
        return True
    except Exception as error:
        raise left(error)               # noqa: B904  (it is no new one)


def is_number(value):
    """Whether ``value`` is a number that a floating-point type of any size holds, or one of its infinities or nans."""
    if type(value) is float:
        return -MOST <= value <= MOST or not math.isfinite(value)
    return type(value) is int and -MOST <= value <= MOST


def is_mask(index):
    """Whether ``index`` is a mask with dims."""
    if not is_plain(index):
        return False
    mask = index
    return mask._dtype is dtypes.bool and mask._array.ndim > 0


def has_mask(index):
    """Whether a mask is among the parts of ``index``."""
    for item in index:
        if is_mask(item):
            return True
    return False


def places_in(index, shape):
    """``(tensors, dims)`` of an index that has places in some dims and all of the others; else ``(None, None)``."""
    if type(index) is not tuple:
        index = (index,)
    tensors, at, dim, left = [], [], 0, len(shape)
    for item in index:
        if item is not Ellipsis:
            left -= 1
    if left < 0:
        return None, None
    for item in index:
        if item is Ellipsis:
            if left < 0:
                return None, None
            dim += left
            left = -1                   # there may be one
        elif type(item) is slice:
            if item.start is not None or item.stop is not None or item.step is not None:
                return None, None
            dim += 1
        else:
            places = as_places(item, shape[dim])
            if places is None:
                return None, None
            tensors.append(places)
            at.append(dim)
            dim += 1
    return (tensors, tuple(at)) if tensors else (None, None)


def as_places(item, size):
    """A tensor of int64 with dims as it is, and the places that a mask of one dim marks; None for anything else."""
    if not is_plain(item):
        return None
    tensor = item
    if tensor._dtype is dtypes.int64:
        return tensor if tensor._array.ndim > 0 else None
    if tensor._dtype is not dtypes.bool or tensor._array.shape != (size,):
        return None
    return fns.select(fns._nonzero(tensor), 1, 0)
