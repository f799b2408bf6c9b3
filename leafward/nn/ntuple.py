"""One value per dimension, from one value or from several."""
from collections.abc import Iterable
from itertools import repeat


def ntuple(n, name):
    """A function that makes an n-tuple: of n copies of one value, or of what an iterable holds."""
    def parse(x):
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, n))
    parse.__name__ = name
    return parse
