"""Batches from items: tensors are stacked, containers are followed."""
from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import leafward as lw
from leafward.arrays import cpu
from leafward.arrays.workers import SCALARS, holds_text
from leafward.tensor.tensor import Tensor

WRONG = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def collate_tensors(batch, *, collate_fn_map=None):
    return lw.stack(batch, 0)


def collate_arrays(batch, *, collate_fn_map=None):
    if holds_text(batch[0]):
        raise TypeError(WRONG.format(batch[0].dtype))
    return collate([lw.as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numbers(batch, *, collate_fn_map=None):
    return lw.tensor(batch)


def collate_floats(batch, *, collate_fn_map=None):
    return lw.tensor(batch, dtype=lw.float64)


def collate_texts(batch, *, collate_fn_map=None):
    return batch


#: How items of each type become a batch; a key may be a tuple of types. Add types of your own, or pass a map.
default_collate_fn_map = {
    Tensor: collate_tensors, cpu.ndarray: collate_arrays, SCALARS: collate_numbers, float: collate_floats,
    int: collate_numbers, str: collate_texts, bytes: collate_texts,
}


def stacks_tensors():
    """Whether :func:`default_collate` makes a batch of tensors as it did at first."""
    return default_collate_fn_map.get(Tensor) is collate_tensors


def collate(batch, *, collate_fn_map=None):
    """``batch``, a list of items of one kind, as one item; ``collate_fn_map`` says how, by type."""
    first = batch[0]
    kind = type(first)
    if collate_fn_map is not None:
        if kind in collate_fn_map:
            return collate_fn_map[kind](batch, collate_fn_map=collate_fn_map)
        for known, function in collate_fn_map.items():
            if isinstance(first, known):
                return function(batch, collate_fn_map=collate_fn_map)

    def of(items):
        return collate(items, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        return like_mapping(first, {key: of([item[key] for item in batch]) for key in first})
    if is_named_tuple(first):
        return kind(*(of(column) for column in zip(*batch)))
    if isinstance(first, Sequence):
        items = list(batch)
        if any(len(item) != len(first) for item in items):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [of(column) for column in zip(*items)]
        return columns if isinstance(first, tuple) else like_sequence(first, columns)
    raise TypeError(WRONG.format(kind))


def is_named_tuple(value):
    return isinstance(value, tuple) and hasattr(value, "_fields")


def like_mapping(first, values):
    """``values`` in a mapping of the class of ``first``, or a dict where that class cannot be made."""
    try:
        if isinstance(first, MutableMapping):
            clone = copy.copy(first)             # keeps what a subclass carries, such as a default factory
            clone.update(values)
            return clone
        return type(first)(values)
    except TypeError:
        return values


def like_sequence(first, values):
    """``values`` in a sequence of the class of ``first``, or a list where that class cannot be made."""
    try:
        if isinstance(first, MutableSequence):
            clone = copy.copy(first)
            for position, value in enumerate(values):
                clone[position] = value
            return clone
        return type(first)(values)
    except TypeError:
        return values


def default_collate(batch: Any) -> Any:
    """A list of items as one item with a first dim more: what a loader does with its batches.

    batch: items of one kind: tensors, arrays and numbers are stacked, within dicts, tuples and lists too; texts stay a list

    >>> default_collate([{"x": 1, "name": "a"}, {"x": 2, "name": "b"}])
    {'x': tensor([1, 2]), 'name': ['a', 'b']}
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)


def default_convert(data: Any) -> Any:
    """NumPy arrays and numbers within ``data`` as tensors; what a loader does with items that it does not batch.

    data: an item; what is neither, nor a container of such, stays as it is

    >>> default_convert({"x": 1, "name": "a"})
    {'x': 1, 'name': 'a'}
    """
    if isinstance(data, Tensor):
        return data
    if isinstance(data, cpu.ndarray):
        return data if holds_text(data) else lw.as_tensor(data)
    if isinstance(data, SCALARS):
        return lw.as_tensor(data)
    if isinstance(data, Mapping):
        return like_mapping(data, {key: default_convert(value) for key, value in data.items()})
    if is_named_tuple(data):
        return type(data)(*map(default_convert, data))
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        values = [default_convert(value) for value in data]
        return values if isinstance(data, tuple) else like_sequence(data, values)
    return data


# PyTorch's names, which custom maps are built from.
collate_tensor_fn, collate_numpy_array_fn, collate_numpy_scalar_fn = collate_tensors, collate_arrays, collate_numbers
collate_float_fn, collate_int_fn, collate_str_fn = collate_floats, collate_numbers, collate_texts
