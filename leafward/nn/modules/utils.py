"""Small helpers that several layers share."""
from leafward.nn.ntuple import ntuple

_single = ntuple(1, "_single")
_pair = ntuple(2, "_pair")
_triple = ntuple(3, "_triple")
_quadruple = ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t, n):
    """``(1, 2), 2`` -> ``(2, 2, 1, 1)``: paddings per axis, in the order that ``pad`` reads them."""
    return tuple(x for x in reversed(t) for _ in range(n))


def typename(value):
    """The name by which error texts call a value: a tensor's type, or its class with its module."""
    from leafward.tensor import Tensor

    if isinstance(value, Tensor):
        return value.type()
    kind = type(value)
    module = kind.__module__
    return kind.__qualname__ if module in ("builtins", None) else f"{module}.{kind.__qualname__}"


def add_indent(text, spaces):
    """Indent every line but the first."""
    return text.replace("\n", "\n" + " " * spaces)
