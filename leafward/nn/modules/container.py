"""Modules that hold modules: in a row, in a list, by name. For parameters see ``parameter_container.py``."""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from itertools import islice
import operator
from typing import Any, Self, TYPE_CHECKING

from leafward.core.tracebacks import short
from leafward.errors import warn
from leafward.nn.modules.module import Module
from leafward.nn.modules.parameter_container import ParameterDict, ParameterList, pairs_of
from leafward.nn.modules.utils import add_indent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def position(index, length):
    """``index`` counted from the start, or IndexError."""
    index = operator.index(index)
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


class Container(Module):
    """Children by name. Deprecated: a plain :class:`Module` does the same, without the warning.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     lw.nn.Container(act=lw.nn.ReLU())
    Container(
      (act): ReLU()
    )
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        warn("`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. "
             "Subclass that instead.", FutureWarning)
        for name, module in kwargs.items():
            self.add_module(name, module)


class _Numbered(Module):
    """Children named "0", "1", "2", ... in order."""

    def _name_at(self, index):
        return next(islice(self._modules, position(index, len(self)), None))

    def _renumber(self):
        object.__setattr__(self, "_modules", {str(i): m for i, m in enumerate(self._modules.values())})

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._slice(index)
        return self._modules[self._name_at(index)]

    def __setitem__(self, index: Any, module: Module) -> None:
        setattr(self, self._name_at(index), module)

    def __delitem__(self, index: Any) -> None:
        names = list(self._modules)[index] if isinstance(index, slice) else [self._name_at(index)]
        for name in names:
            delattr(self, name)
        self._renumber()

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Self:
        """Add ``module`` at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Module:
        """Take out the module at ``key`` and return it."""
        module = self[key]
        del self[key]
        return module

    def _insert(self, index, module):
        after = list(self._modules.values())
        after.insert(index, module)
        self._modules.clear()
        for i, m in enumerate(after):
            self._modules[str(i)] = m


class Sequential(_Numbered):
    """Modules in a row: each takes what the one before returned. Given one by one, or as an ``OrderedDict`` of names.

    >>> from leafward import nn
    >>> nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def _slice(self, index):
        return type(self)(OrderedDict(list(self._modules.items())[index]))

    def insert(self, index: int, module: Module) -> Self:
        """Put ``module`` before position ``index``."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        self._insert(index if index >= 0 else index + len(self), module)
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Add every module of ``sequential`` at the end."""
        for module in sequential:
            self.append(module)
        return self

    def _check_addable(self, other):
        if not isinstance(other, Sequential):
            raise ValueError("add operator supports only objects of Sequential class, "
                             f"but {type(other)} is given.")

    def __add__(self, other: Any) -> Sequential:
        self._check_addable(other)
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Self:
        self._check_addable(other)
        return self.extend(list(other))

    def _check_factor(self, other):
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")

    def __mul__(self, other):
        self._check_factor(other)
        return Sequential(*list(self) * other)

    __rmul__ = __mul__

    def __imul__(self, other):
        self._check_factor(other)
        return self.extend(list(self) * (other - 1))


class ModuleList(_Numbered):
    """Modules in a list. It registers them and has no forward of its own.

    modules: an iterable of modules; None: none yet

    >>> from leafward import nn
    >>> nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()])
    ModuleList(
      (0-1): 2 x ReLU()
      (2): Tanh()
    )
    """

    @short
    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def _name_at(self, index):
        return str(position(index, len(self)))

    def _slice(self, index):
        return type(self)(list(self._modules.values())[index])

    def insert(self, index: int, module: Module) -> None:
        """Put ``module`` before position ``index``."""
        self._insert(index, module)

    @short
    def extend(self, modules: Iterable[Module]) -> Self:
        """Add every one of ``modules`` at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in list(modules):
            self.append(module)
        return self

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Any) -> ModuleList:
        return ModuleList([*self, *other])

    def __repr__(self) -> str:
        """The modules, runs of equal ones in one line."""
        runs = []                             # [first, last, text]
        for i, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i, text])
        if not runs:
            return f"{self._get_name()}()"
        lines = [add_indent(f"({first}): {text}" if first == last else
                            f"({first}-{last}): {last - first + 1} x {text}", 2) for first, last, text in runs]
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """Modules by name, in order of insertion. It registers them and has no forward of its own.

    modules: a mapping of names to modules, or pairs of them; None: none yet

    >>> lw.nn.ModuleDict({"act": lw.nn.ReLU()})["act"]
    ReLU()
    """

    @short
    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Take all modules out."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Take out the module ``key`` and return it."""
        module = self[key]
        del self[key]
        return module

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Module]]:
        """The names with their modules."""
        return self._modules.items()

    def values(self) -> Iterable[Module]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None) -> None:
        """Add modules from a mapping or from pairs, replacing those of the same name."""
        for key, module in pairs_of(modules, "ModuleDict.update", "ModuleDict"):
            self[key] = module
