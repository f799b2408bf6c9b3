"""The array namespace with nothing but its own names: what a forward or a rule may count on wherever arrays live.

An array of another library, on another device, has no NumPy behind it. Here neither has it: a :class:`StrictArray` knows
what every such array knows, and refuses to become a NumPy array, a Python number or a truth value unasked, each of
which would copy from the device and wait for it. A test runs every op's samples on it: see :func:`strictly`.
"""
import operator
from types import ModuleType

import numpy as np

from leafward.arrays import cpu

#: What an array answers by itself; everything else is a function of the namespace.
ATTRIBUTES = ("shape", "strides", "flags", "ndim", "size", "dtype", "itemsize", "T", "mT", "real", "imag")
METHODS = ("reshape", "transpose", "swapaxes", "view")


class StrictArray:
    """An array that keeps its values to itself."""

    __slots__ = ("_held",)
    __array_ufunc__ = None                          # NumPy's functions do not take it

    def __init__(self, held):
        self._held = held

    def __repr__(self):
        return f"StrictArray({self._held!r})"

    def __len__(self):
        return len(self._held)

    def __getitem__(self, index):
        return wrapped(self._held[unwrapped(index)])

    def __setitem__(self, index, value):
        self._held[unwrapped(index)] = unwrapped(value)


def refusing(what):
    def refuse(self, *args, **kwargs):
        raise TypeError(f"{what} would copy an array to the host unasked: say so with xp.to_host(x)")
    return refuse


def forwarding(name):
    def method(self, *args, **kwargs):
        return wrapped(getattr(self._held, name)(*unwrapped(args), **unwrapped(kwargs)))
    return method


def reading(name):
    return property(lambda self: wrapped(getattr(self._held, name)))


def operating(function):
    def method(self, *others):
        return wrapped(function(self._held, *unwrapped(others)))
    return method


def reflected(function):
    def method(self, other):
        return wrapped(function(unwrapped(other), self._held))
    return method


for _name in ("array", "float", "int", "bool", "index", "complex", "iter", "contains"):
    setattr(StrictArray, f"__{_name}__", refusing(f"__{_name}__"))
for _name in ATTRIBUTES:
    setattr(StrictArray, _name, reading(_name))
for _name in METHODS:
    setattr(StrictArray, _name, forwarding(_name))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift"):
    _function, _bare = getattr(operator, _name), _name.strip("_")
    setattr(StrictArray, f"__{_bare}__", operating(_function))
    setattr(StrictArray, f"__r{_bare}__", reflected(_function))
for _name in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "iand", "ior", "ixor",
              "neg", "pos", "abs", "invert", "eq", "ne", "lt", "le", "gt", "ge"):
    setattr(StrictArray, f"__{_name}__", operating(getattr(operator, _name)))
StrictArray.__hash__ = None


class StrictNamespace:
    """The names of a module, its functions taking and giving strict arrays."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        if name == "to_host":
            return unwrapped
        return strict(getattr(self._module, name))


class StrictFunction:
    """A function of the namespace, or a ufunc with its methods."""

    def __init__(self, function):
        self._function = function

    def __call__(self, *args, **kwargs):
        return wrapped(self._function(*unwrapped(args), **unwrapped(kwargs)))

    def __getattr__(self, name):
        return strict(getattr(self._function, name))


def strict(value):
    """The strict form of what a namespace holds."""
    if isinstance(value, ModuleType):
        return StrictNamespace(value)
    if callable(value) and not isinstance(value, type):
        return StrictFunction(value)
    return wrapped(value)


def wrapped(value):
    """``value`` with its arrays kept strictly."""
    if isinstance(value, (np.ndarray, np.generic)):
        return StrictArray(value)
    if isinstance(value, (tuple, list)):
        parts = [wrapped(v) for v in value]
        return parts if isinstance(value, list) else type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def unwrapped(value):
    """And back."""
    if isinstance(value, StrictArray):
        return value._held
    if isinstance(value, dict):
        return {name: unwrapped(v) for name, v in value.items()}
    if isinstance(value, (tuple, list)):
        parts = [unwrapped(v) for v in value]
        return parts if isinstance(value, list) else type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, slice):
        return slice(unwrapped(value.start), unwrapped(value.stop), unwrapped(value.step))
    return value


xp = StrictNamespace(cpu)


def strictly(function):
    """``function``, a forward or a rule, run on the strict namespace and strict arrays; its results as they come."""
    def run(*args, **kwargs):
        if args and args[0] is xp:                      # asked by another op that runs strictly
            return function(*args, **kwargs)
        swapped = [xp if a is cpu else wrapped(a) for a in args]
        return unwrapped(function(*swapped, **{name: wrapped(v) for name, v in kwargs.items()}))
    return run
