"""Dicts in dicts as one flat dict, as PyTorch names the entries: ``{"model": {"weight": w}}`` is ``{"model.weight": w}``."""
from collections.abc import Mapping

from leafward.distributed.checkpoint.stateful import Stateful
from leafward.tensor.tensor import Tensor


def states_of(state_dict):
    """A dict in which objects that have a state are replaced by it."""
    return {key: value.state_dict() if isinstance(value, Stateful) else value for key, value in state_dict.items()}


def opened(value):
    """Whether the elements of a value are entries of their own: of a mapping, and of a list that has tensors or mappings."""
    if isinstance(value, Mapping):
        return True
    return isinstance(value, list) and any([isinstance(entry, Tensor) or (isinstance(entry, (Mapping, list)) and opened(entry))
                                            for entry in value])


def flattened(value, path=()):
    """``{name: (path, value)}`` of all entries."""
    found = {}
    if path and not opened(value):
        return {".".join(map(str, path)): (path, value)}
    pairs = [(str(key), entry) for key, entry in value.items()] if isinstance(value, Mapping) else enumerate(value)
    for key, entry in pairs:
        inner = flattened(entry, (*path, key))
        if twice := found.keys() & inner.keys():
            raise ValueError(f"duplicated flatten key {sorted(twice)[0]}")
        found.update(inner)
    return found


def put(state, path, value):
    """Write an entry back to where it came from."""
    *outer, last = path
    for key in outer:
        state = state[actual(state, key)]
    state[actual(state, last)] = value


def actual(state, key):
    """The key that a name stands for, which may be no string."""
    if isinstance(state, list) or key in state:
        return key
    return next(known for known in state if str(known) == key)
