"""Modules that hold parameters (and other values): in a list, by name."""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any, Self, TYPE_CHECKING

import leafward as lw
from leafward.nn.modules.module import Module
from leafward.nn.modules.utils import add_indent, typename
from leafward.nn.parameter import Parameter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from leafward.tensor.tensor import Tensor


def as_parameter(value):
    """A tensor becomes a :class:`Parameter`; anything else stays what it is."""
    if isinstance(value, lw.Tensor) and not isinstance(value, Parameter):
        return Parameter(value)
    return value


class ParameterList(Module):
    """Values in a list; tensors become parameters and are registered.

    values: an iterable; None: empty

    >>> from leafward import nn
    >>> nn.ParameterList([leafward.ones(2), leafward.ones(3, 4)])
    ParameterList(
        (0): Parameter containing: [torch.float32 of size 2]
        (1): Parameter containing: [torch.float32 of size 3x4]
    )
    """

    def __init__(self, values: Any = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _position(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return index % len(self)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, str(self._position(index)))

    def __setitem__(self, index: Any, value: Any) -> None:
        setattr(self, str(self._position(index)), as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def __iadd__(self, values: Any) -> Self:
        return self.extend(values)

    def append(self, value: Any) -> Self:
        """Add ``value`` at the end."""
        self._size += 1
        self[len(self) - 1] = value
        return self

    def extend(self, values: Any) -> Self:
        """Add every one of ``values`` at the end."""
        if not isinstance(values, Iterable) or isinstance(values, lw.Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        lines = []
        for i, value in enumerate(self):
            if isinstance(value, lw.Tensor):
                size = "x".join(map(str, value.shape))
                on = "" if value.device.type == "cpu" else f" ({value.device})"
                kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
                lines.append(f"  ({i}): {kind} containing: [{value.dtype} of size {size}{on}]")
            else:
                lines.append(f"  ({i}): Object of type: {type(value).__name__}")
        return "\n".join(lines)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Values by name, in order of insertion; tensors become parameters and are registered.

    parameters: a mapping of names to values, or pairs of them; None: empty

    >>> list(lw.nn.ParameterDict({"scale": lw.ones(2)}).keys())
    ['scale']
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key):
        if not isinstance(key, str):
            raise TypeError("Index given to ParameterDict cannot be used as a key as it is not a string "
                            f"(type is '{type(key).__name__}'). Open an issue on github if you need non-string keys.")
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key: str, value: Any) -> None:
        setattr(self, self._key_to_attr(key), as_parameter(value))
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self):
        return reversed(list(self._keys))

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """Another dict with the same values."""
        return ParameterDict({k: self[k] for k in self._keys})

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value at ``key``, set to ``default`` if there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Take all values out."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Take out the value at ``key`` and return it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Take out the last pair and return it."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value at ``key``, or ``default``."""
        return self[key] if key in self else default

    def fromkeys(self, keys: Any, default: Any = None) -> ParameterDict:
        """A new dict with ``default`` at every key."""
        return ParameterDict((k, default) for k in keys)

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The names with their values."""
        return ((k, self[k]) for k in self._keys)

    def values(self) -> Iterable[Any]:
        """The values."""
        return (self[k] for k in self._keys)

    def update(self, parameters: Any) -> None:
        """Add values from a mapping or from pairs; a plain dict's keys are taken in sorted order."""

        pairs = pairs_of(parameters, "ParametersDict.update", "ParameterDict")
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            pairs.sort(key=lambda pair: pair[0])
        for key, value in pairs:
            self[key] = value

    def extra_repr(self) -> str:
        lines = []
        for key, value in self.items():
            if isinstance(value, lw.Tensor):
                size = "x".join(map(str, value.shape))
                on = "" if value.device.type == "cpu" else f" ({value.device})"
                kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
                lines.append(f"  ({key}): " + add_indent(
                    f"{kind} containing: [{typename(value)} of size {size}{on}]", 2))
            else:
                lines.append(f"  ({key}): Object of type: {type(value).__name__}")
        return "\n".join(lines)

    def __call__(self, input: Tensor) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other):
        return merged(self, other)

    def __ror__(self, other):
        return merged(other, self)

    def __ior__(self, other):
        self.update(other)
        return self


def merged(first, second):
    both = ParameterDict(dict(first.items()))
    both.update(second)
    return both


def pairs_of(entries, caller, owner):
    """The (key, value) pairs of a mapping or of an iterable of pairs, checked before any is used."""
    if not isinstance(entries, Iterable):
        raise TypeError(f"{caller} should be called with an iterable of key/value pairs, "
                        f"but got {type(entries).__name__}")
    if isinstance(entries, Mapping) or (isinstance(entries, Module) and hasattr(entries, "items")):
        return list(entries.items())
    pairs = list(entries)
    for i, pair in enumerate(pairs):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{owner} update sequence element #{i} should be Iterable; is{type(pair).__name__}")
        if len(pair) != 2:
            raise ValueError(f"{owner} update sequence element #{i} has length {len(pair)}; 2 is required")
    return pairs
