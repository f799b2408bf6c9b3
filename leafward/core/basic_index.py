"""The usual indices: integers, slices of integers, None and Ellipsis, straight to a view, or to what is written there.

Where nothing is recorded the view is one array, however many steps the index has. Otherwise each step is a view of the
one before, as it is in ``tensor/indexing.py``, which serves every other kind of index.
"""
from leafward import dtypes
from leafward.core import modes
from leafward.core.call import is_cut, note_cut_of_write, record_view
from leafward.core.cuts import cut_by
from leafward.core.from_array import link_alias, view_of
from leafward.core.history import wants_grad
from leafward.core.inplace import is_free
from leafward.core.mode_bits import ANSWERED, UNRECORDED
from leafward.core.native import call_site, fits_int64
from leafward.core.runtime import runtime
from leafward.core.storage import count_write
from leafward.core.tensor import TensorBase, fast_dtype, is_plain, requires_grad
from leafward.core.views import refuse_overlap


def make_getitem(looked_up, general):
    """``x[index]``: ``general`` does what neither :func:`basic_view` nor ``looked_up`` does."""
    def __getitem__(self, index):
        found = basic_view(self, index)
        if found is None:
            found = looked_up(self, index)
        return general(self, index) if found is None else found
    return __getitem__


def make_setitem(written, general):
    """``x[index] = value``, the same way."""
    def __setitem__(self, index, value):
        if not basic_write(self, index, value) and not written(self, index, value):
            general(self, index, value)
    return __setitem__


def basic_view(x, index):
    """``x[index]``; None where ``indexing.py`` must look at it: another kind of index, one out of range, or no change."""
    word = modes.word()
    if word & ANSWERED or not is_plain(x):
        return None
    source = x                          # a name with a type in basic_index.pxd: its fields are C fields
    index = with_numbers(index)
    array = runtime.basic_index(source._array, index)
    if array is None:
        return None
    items = index if type(index) is tuple else (index,)
    steps = steps_of(items, source._array)
    if not steps:
        return None
    if len(steps) == 1:
        op, options, _ = steps[0]
        return record_view(op, source, options, array, word & UNRECORDED == 0)
    if word & UNRECORDED == 0 and wants_grad(source):
        view = source
        for op, options, item in steps:
            view = record_view(op, view, options, runtime.basic_index(view._array, at(options[0], item)), True)
        return view
    return shown_at_once(source, steps, array, word)


def with_numbers(index):
    """``index`` with Python's integers for the 0-dim tensors of int64 in it."""
    if type(index) is tuple:
        for item in index:
            if isinstance(item, TensorBase):
                return tuple([number_of(item) for item in index])
        return index
    return number_of(index)


def number_of(item):
    """The integer that a 0-dim tensor of int64 holds; anything else as it is."""
    if is_plain(item):
        tensor = item                   # the same
        if tensor._dtype is dtypes.int64 and type(tensor._array) is runtime.ndarray and tensor._array.ndim == 0:
            return tensor._array.item()
    return item


def shown_at_once(x, steps, array, word):
    """The view ``array`` of ``x`` that ``steps`` make, without those between."""
    chain, alias = x._chain, x._alias
    for op, options, _ in steps[:-1]:
        chain = (chain, op, options, -1)
        alias = link_alias(op.name, alias)
    op, options, _ = steps[-1]
    view = view_of(op, x, options, array, -1, word & UNRECORDED == 0)
    view._chain = (chain, op, options, -1)
    view._alias = link_alias(op.name, alias)
    if runtime.checks and requires_grad(x):
        view._cut = cut_by(op, x, False)
    return view


def steps_of(items, array):
    """The views that an index of ``array`` takes, one after the other: the op, its options, and the part of the index."""
    steps = []
    dim = 0
    for item in items:
        if type(item) is int:
            steps.append((runtime.select, [dim, item], item))
        elif item is None:
            steps.append((runtime.unsqueeze, [dim], None))
            dim += 1
        elif item is Ellipsis:
            dim += array.ndim
            for other in items:
                if other is not None and other is not Ellipsis:
                    dim -= 1
        else:
            start, end, step = item.start, item.stop, item.step
            if len(items) == 1 or not (start is None and end is None and step is None):
                steps.append((runtime.slice, [dim, start, end, 1 if step is None else step], item))
            dim += 1
    return steps


def at(dim, item):
    """The index that applies ``item`` along ``dim``."""
    return (slice(None),) * dim + (item,)


def basic_write(x, index, value):
    """``x[index] = value`` where nothing is recorded and a kernel can write it; False where ``indexing.py`` must do it."""
    word = modes.word()
    dtype = fast_dtype(x)
    if dtype is None:
        return False
    target = x
    if not is_free(target, word):
        return False
    if type(value) is float or (type(value) is int and fits_int64(value)):
        writer, operand, source = runtime.fill, value, None
    else:
        if fast_dtype(value) is not dtype:
            return False
        source = value
        if word & UNRECORDED == 0 and requires_grad(source):
            return False
        writer, operand = runtime.copy, source._array
    if writer.kernel is None:
        return False
    index = with_numbers(index)
    array = runtime.basic_index(target._array, index)
    if array is None:
        return False
    if source is not None and source._storage is target._storage and not runtime.same_or_apart(array, operand):
        return False                    # but `x[i] += y` puts back what it has written
    if source is None and target._base is not None:
        refuse_overlap(array)
    if writer.kernel(array, operand) is None:
        return False
    alias = target._alias
    for op, _, _ in steps_of(index if type(index) is tuple else (index,), target._array):
        alias = link_alias(op.name, alias)
    count_write(target._counter, target._storage, array, alias, writer.name, call_site() if runtime.checks else None)
    if source is not None and is_cut(source, word):
        note_cut_of_write(writer, target, source, word)
    return True
