"""``x[...]`` and ``x[...] = value``, taken apart as PyTorch does it.

Integers, slices, None, Ellipsis and bools make a view: ``select``, ``_slice``, ``unsqueeze``. Tensors, lists and arrays
are then looked up in that view by one op (``_index``), or written by one (``_index_put_``).
"""
import math

from leafward import dtypes
from leafward.tensor.constructors import as_tensor as tensor_of
from leafward.tensor.constructors import tensor as new_tensor
from leafward.core.basic_index import basic_view
from leafward.core.native import fits_int64
from leafward.core.tensor import TensorBase
from leafward.core.views import refuse_overlap
from leafward.derive.functions import fns
from leafward.errors import warn
from leafward.ops.checks import as_element
from leafward.ops.dims import index as as_index
from leafward.ops.masks import (
    INDEX_DTYPES, as_places, is_filling, is_mask, mask_to_fill, refuse_byte_mask, too_many,
)
from leafward.tensor.place_index import looked_up, written

LIST_AS_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], which "
    "will result either in an error or a different result")


def getitem(x, index):
    """``x[index]``: a view where the index is basic, else a copy."""
    if is_list_of_places(index):
        index = new_tensor(index)
        found = looked_up(x, index)
        if found is not None:
            return found
    view, indices = take_apart(x, index)
    if not indices:
        return fns.alias(x) if view is x else view
    tensors, at = as_places(fns, view, indices)
    return fns._index(view, tensors, at)


def setitem(x, index, value):
    """``x[index] = value``: written into the view, or at the places, that the index stands for."""
    scalar = isinstance(value, (bool, int, float, complex))
    if type(value) is int and not fits_int64(value):
        raise ValueError("Overflow when unpacking long long")
    if type(value) is float and x.dtype.itemsize == 2 and x.dtype.is_floating_point and abs(value) > dtypes.finfo(x.dtype).max:
        value = math.copysign(math.inf, value)              # wider types refuse what they cannot hold
    if not scalar and not isinstance(value, TensorBase):
        raise TypeError(f"can't assign a {described(value)} to a torch.{x.dtype.tensor_type}")
    if scalar:
        as_element(value, x.dtype)                          # refused before the index is looked at
    if index is False:
        return
    if is_list_of_places(index):
        index = new_tensor(index)
        if written(x, index, value):
            return
    view, indices = basic_view(x, index), None
    if view is None:
        view, indices = take_apart(x, None if index is True else index)         # a bare True looks nothing up
    if indices:
        given = [i for i in indices if i is not None]
        value = fns.fill(fns.empty((), dtype=x.dtype, device=x.device), value) if scalar else without_prefix(value)
        fills = not scalar and is_filling(given, value, False)
        try:
            mask = mask_to_fill(fns, view, indices, value)
            tensors, at = as_places(fns, view, indices) if mask is None else (given, None)
            refuse_byte_mask(given, value)
        except (IndexError, RuntimeError) as error:
            mask, tensors, at = None, given, error
        if fills:
            value = value.to(x.dtype, copy=value._storage is x._storage)        # PyTorch fills the mask, which casts
        if mask is not None:
            fns._mask_put_(view, mask, value)
        else:
            fns._index_put_(view, tensors, value, at, False)
    elif scalar:
        refuse_overlap(view._array)                         # which `fill_` itself does not
        fns.fill_(view, fns.full((), value, dtype=x.dtype) if view.requires_grad else value)  # PyTorch's node: FillBackward3
    elif value.ndim == 0 and view.ndim:
        fns.fill_(view, value)
    else:
        fns.copy_(view, fitted(value, view))


def is_list_of_places(index):
    """Whether ``index`` is a list of integers, and nothing else in it."""
    if type(index) is not list or len(index) == 0:
        return False
    for item in index:
        if type(item) is not int:
            return False
    return True


def described(value):
    """How PyTorch names the type of a value that it cannot assign."""
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def fitted(value, view):
    """``value`` without leading dims of size one, expanded to the shape of ``view``."""
    if value.shape == view.shape:
        return value
    value = without_prefix(value)
    return value if value.shape == view.shape else fns.expand(value, tuple(view.shape))


def without_prefix(value):
    """``value`` without leading dims of size one: a view of it, where it begins with one."""
    shape = tuple(value.shape)
    extra = next((dim for dim, size in enumerate(shape) if size != 1), value.ndim)
    if not extra:
        return value
    return fns.view(value, shape[extra:]) if value.is_contiguous() else fns.squeeze(value, tuple(range(extra)))


# --- the basic part --------------------------------------------------------------------------------------------------

def take_apart(x, index):
    """The view that the basic part of ``index`` selects, and the index tensors for its dims (None where there is none)."""
    kind = type(index)
    if kind is int:
        return fns.select(x, 0, checked_place(x, index, 0, 0)), None
    if kind is slice:
        return sliced(x, 0, index, True), None
    ndim = x.ndim
    if kind is not tuple:
        index = index_tuple(index)
    if 0 < len(index) <= ndim and all_places(index):
        return x, list(index)                               # the usual ones: nothing else to look at
    named = 0
    for item in index:
        named += dims_named(item)
    if named > ndim:
        raise too_many(x)
    view, dim, indices = x, 0, []
    for position, item in enumerate(index):
        if item is None:
            view = fns.unsqueeze(view, dim)
            dim += 1
        elif item is Ellipsis:
            dim += ndim - named
        elif isinstance(item, bool):
            view = fns.unsqueeze(view, dim)
            put_tensor(indices, dim, flag_place(item))
            dim += 1
        elif isinstance(item, slice):
            view = sliced(view, dim, item, len(index) == 1)
            dim += 1
        elif isinstance(item, int) or is_integer(item):
            view = fns.select(view, dim, checked_place(view, as_index(item), dim, position))
        else:
            tensor = as_tensor(item)
            if tensor.ndim or tensor._batch is not None and not is_mask(tensor):
                put_tensor(indices, dim, tensor)
                dim += tensor.ndim if is_mask(tensor) else 1
            elif is_mask(tensor):
                view = fns.unsqueeze(view, dim)
                put_tensor(indices, dim, flag_place(tensor.item()))
                dim += 1
            else:
                view = fns.select(view, dim, checked_place(view, tensor.item(), dim, position))
    return view, indices


def all_places(index):
    """Whether all parts of ``index`` are tensors of places, with dims."""
    for item in index:
        if not isinstance(item, TensorBase) or item.dtype is not dtypes.int64 or item.ndim == 0:
            return False
    return True


def flag_place(flag):
    """A bool as an index into the dim of size one that was made for it: its only place, or none."""
    return new_tensor([0] if flag else [], dtype=dtypes.int64)


def put_tensor(indices, dim, tensor):
    """Put ``tensor`` at ``dim``, with None for the dims before it that have no index tensor."""
    indices.extend([None] * (dim - len(indices)))
    indices.append(tensor)
    if is_mask(tensor):
        indices.extend([None] * (tensor.ndim - 1))


def index_tuple(index):
    """One index as a tuple of them. A list that holds a sequence, slice, tensor, None or Ellipsis is one already."""
    if isinstance(index, (list, range)) and len(index) < 32:
        for item in index:
            if item is None or item is Ellipsis or isinstance(item, (list, tuple, range, slice, TensorBase)):
                warn(LIST_AS_TUPLE)
                return tuple(index)
    return (index,)


def dims_named(item):
    """How many dims of the tensor one part of an index speaks for."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    if isinstance(item, TensorBase):
        return item.ndim if is_mask(item) else 1
    if isinstance(item, (list, tuple, range)) or (hasattr(item, "dtype") and not is_integer(item)):
        tensor = as_tensor(item)
        return tensor.ndim if is_mask(tensor) else 1
    return 1


def is_integer(item):
    """Whether ``item`` is an integer that is no int: a NumPy scalar, say, but no tensor or array."""
    return hasattr(item, "__index__") and not hasattr(item, "__setitem__")


def checked_place(x, index, dim, position):
    """``index`` along ``dim``, or PyTorch's refusal, which calls the dim after its ``position`` in the index."""
    shape = x.shape
    if not shape and not index:
        raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                         "convert a 0-dim tensor to a number")
    size = shape[dim] if shape else 0
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {position} with size {size}")
    return index


def sliced(x, dim, part, alone):
    """``x`` cut to ``part`` along ``dim``; in a longer index a full slice changes nothing, and is left out."""
    if x.ndim == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    start, end, step = part.start, part.stop, part.step
    start = None if start is None else as_slice_place(start)
    end = None if end is None else as_slice_place(end)
    step = 1 if step is None else as_slice_place(step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step < 0:
        raise ValueError("step must be greater than zero")
    if not alone and step == 1 and (start is None or start == 0) and (end is None or end >= x.shape[dim]):
        return x
    return fns._slice(x, dim, start, end, step)


def as_slice_place(value):
    try:
        return as_index(value)
    except TypeError:
        raise TypeError("slice indices must be integers or None or have an __index__ method") from None


# --- index tensors ---------------------------------------------------------------------------------------------------

def as_tensor(item):
    """A tensor of indices from a tensor, array or nested list; anything else is refused."""
    if isinstance(item, TensorBase):
        if item.ndim == 0 and item.dtype not in INDEX_DTYPES:
            if item.dtype.kind == "int":
                return item.to(dtypes.int64)
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return item
    if isinstance(item, str):
        raise TypeError(f"new(): invalid data type '{type(item).__name__}'")
    if isinstance(item, (list, tuple, range)):
        tensor = new_tensor(list(item))
    elif hasattr(item, "__array_interface__") and hasattr(item, "__setitem__"):
        tensor = tensor_of(item)
    else:
        raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
                         f"indices (got {described(item)})")
    return tensor if tensor.dtype in INDEX_DTYPES else tensor.to(dtypes.int64)
