"""The shape of a tensor."""
from math import prod

from leafward.ops.dims import index


class Size(tuple):
    """A tuple of dimension lengths.

    >>> Size([2, 3]) + (4,), Size([2, 3, 4])[1:], Size([2, 3]).numel()
    (torch.Size([2, 3, 4]), torch.Size([3, 4]), 6)
    """

    __slots__ = ()
    __module__ = "leafward"

    def __new__(cls, lengths=(), /):
        lengths = tuple(lengths)
        for position, length in enumerate(lengths):
            if type(length) is not int:
                return tuple.__new__(cls, as_ints(lengths, position))
        return tuple.__new__(cls, lengths)

    def __init_subclass__(cls):
        raise TypeError("type 'torch.Size' is not an acceptable base type")

    def numel(self):
        """The number of elements of a tensor of this shape: the product of the lengths."""
        return prod(self)

    def __repr__(self):
        return f"torch.Size({list(self)})"

    def __getitem__(self, key):
        found = tuple.__getitem__(self, key)
        return tuple.__new__(Size, found) if isinstance(key, slice) else found

    def __add__(self, other):
        if not isinstance(other, tuple):
            if hasattr(other, "__array__"):
                return NotImplemented              # an array adds itself element by element
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size(tuple.__add__(self, other))

    def __radd__(self, other):
        return Size(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times):
        return tuple.__new__(Size, tuple.__mul__(self, times))

    __rmul__ = __mul__

    def __reduce__(self):
        return Size, (tuple(self),)


def as_ints(lengths, first):
    """``lengths`` as plain ints, or the reason why the one at ``first`` or a later one cannot be."""
    made = list(lengths)
    for position in range(first, len(made)):
        try:
            made[position] = index(made[position])
        except TypeError:
            raise TypeError(f"torch.Size() takes an iterable of 'int' (item {position} is "
                            f"'{type(made[position]).__name__}')") from None
    return made
