"""Other shapes and other orders of the same elements."""
from leafward.core.tensor import TensorBase
from leafward.derive.functions import fns
from leafward.derive.recorded import recorded
from leafward.dtypes import int64
from leafward.array_api.data_types import together

__all__ = [
    "broadcast_arrays", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis", "permute_dims", "repeat",
    "reshape",
    "roll", "squeeze", "stack", "tile", "unstack",
]


def broadcast_arrays(*arrays):
    """Views of the arrays in the shape that they broadcast to."""
    return list(fns.broadcast_tensors(*arrays))


def broadcast_to(x, /, shape):
    """A view of ``x`` in a shape that it broadcasts to."""
    return recorded.broadcast_to(x, shape)


def concat(arrays, /, *, axis=0):
    """The arrays one after the other along ``axis``; with None their elements in one vector."""
    if axis is None:
        arrays, axis = [x.reshape(-1) for x in arrays], 0
    return recorded.concat(together(*arrays), axis)


def stack(arrays, /, *, axis=0):
    """The arrays beside each other along a new ``axis``."""
    return recorded.stack(together(*arrays), axis)


def unstack(x, /, *, axis=0):
    """The slices of ``x`` along ``axis``."""
    return tuple(x.unbind(axis))


def expand_dims(x, /, axis=0):
    """``x`` with a dimension of size one at ``axis``."""
    return recorded.expand_dims(x, axis)


def squeeze(x, /, axis):
    """``x`` without the dimensions ``axis``, each of which must have size one."""
    for a in (axis,) if isinstance(axis, int) else axis:
        if x.shape[a] != 1:
            raise ValueError(f"squeeze: dimension {a} has size {x.shape[a]}, and only size 1 can be left out")
    return recorded.squeeze(x, axis)


def flip(x, /, *, axis=None):
    """The elements in reverse order along ``axis``; None is every one."""
    return recorded.flip(x, axis)


def moveaxis(x, source, destination, /):
    """``x`` with the dimensions ``source`` at the places ``destination``."""
    return recorded.moveaxis(x, source, destination)


def permute_dims(x, /, axes):
    """``x`` with its dimensions in the order ``axes``."""
    return recorded.permute_dims(x, axes)


def reshape(x, /, shape, *, copy=None):
    """The elements in another shape: of a view where that is possible, unless ``copy`` says which."""
    result = x.reshape(shape)
    if copy is False and result.untyped_storage().data_ptr() != x.untyped_storage().data_ptr():
        raise ValueError(f"strides {x.stride()} do not allow a view of shape {tuple(shape)}: leave out copy=False")
    return result.clone() if copy else result


def roll(x, /, shift, *, axis=None):
    """The elements ``shift`` places further along ``axis``, those from the end at the beginning."""
    if isinstance(axis, tuple) and isinstance(shift, int):
        shift = (shift,) * len(axis)
    elif isinstance(axis, int) and isinstance(shift, tuple):
        axis = (axis,) * len(shift)
    return recorded.roll(x, shift, axis)


def repeat(x, repeats, /, *, axis=None):
    """Each element (or slice along ``axis``) ``repeats`` times; an array says how often for each."""
    if isinstance(repeats, TensorBase):
        size = x.numel() if axis is None else x.shape[axis]
        repeats = repeats.to(int64).expand(size)
    return fns.repeat_interleave(x, repeats, axis)


def tile(x, repetitions, /):
    """``x`` beside itself, ``repetitions[i]`` times along dimension ``i``."""
    return fns.tile(x, repetitions)
