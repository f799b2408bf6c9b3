"""One value per dimension, from one value or from several."""
from collections.abc import Iterable
from itertools import repeat


def ntuple(n, name="parse"):
    """A function that makes an n-tuple: of n copies of one value, or of what an iterable holds."""
    def parse(x):
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, n))
    parse.__name__ = name
    return parse


_single = ntuple(1, "_single")
_pair = ntuple(2, "_pair")
_triple = ntuple(3, "_triple")
_quadruple = ntuple(4, "_quadruple")


def _list_with_default(out_size, defaults):
    """``out_size`` with the last ``defaults`` where it has None; one number stays as it is."""
    if isinstance(out_size, (int, float)):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    return [size if size is not None else default
            for size, default in zip(out_size, defaults[-len(out_size):], strict=True)]
