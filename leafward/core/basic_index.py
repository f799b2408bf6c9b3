"""The usual indices, integers and slices of integers, straight to views: a third of the time of ``indexing.py``."""
from leafward.core import modes
from leafward.core.call import record_view
from leafward.core.mode_bits import ANSWERED
from leafward.core.runtime import runtime
from leafward.core.tensor import is_plain


def basic_view(x, index):
    """``x[index]``; None where ``indexing.py`` must look at it: another kind of index, one out of range, or no change."""
    if modes.word() & ANSWERED or not is_plain(x):
        return None
    ndim = x._array.ndim
    kind = type(index)
    if kind is int:
        return select_view(x, 0, index) if ndim else None
    if kind is slice:
        return slice_view(x, 0, index) if ndim and is_simple(index) else None
    if kind is not tuple or len(index) > ndim:
        return None
    for item in index:
        if not (type(item) is int or (type(item) is slice and is_simple(item))):
            return None
    view = x
    dim = 0
    for item in index:
        if type(item) is int:
            view = select_view(view, dim, item)
            if view is None:
                return None
        else:
            if not is_full(item):
                view = slice_view(view, dim, item)
            dim += 1
    return None if view is x else view


def is_simple(part):
    """Whether ``part`` is a slice of plain integers with a step of 1 or more."""
    start, end, step = part.start, part.stop, part.step
    return (start is None or type(start) is int) and (end is None or type(end) is int) \
        and (step is None or (type(step) is int and step > 0))


def is_full(part):
    return part.start is None and part.stop is None and part.step is None


def select_view(x, dim, index):
    """The part at ``index`` along ``dim``, or None."""
    size = x._array.shape[dim]
    if not -size <= index < size:
        return None
    return record_view(runtime.select, x, [dim, index], x._array[at(dim, index)], modes.grad_enabled())


def slice_view(x, dim, part):
    """The places that the slice ``part`` names along ``dim``."""
    step = part.step
    options = [dim, part.start, part.stop, 1 if step is None else step]
    return record_view(runtime.slice, x, options, x._array[at(dim, part)], modes.grad_enabled())


def at(dim, item):
    """The index that applies ``item`` along ``dim``; an array, not a scalar, comes out even when no dim is left."""
    return (item, ...) if dim == 0 else (slice(None),) * dim + (item, ...)
