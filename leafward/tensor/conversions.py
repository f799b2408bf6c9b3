"""From a tensor to Python: numbers, lists, truth."""
from leafward.core.cuts import leave
from leafward.core.runtime import runtime
from leafward.core.tensor import requires_grad
from leafward.errors import warn_once


class Conversions:
    """The part of ``Tensor`` that gives Python's own values."""

    __slots__ = ()

    def item(self):
        """The Python number in a tensor of one element."""
        return number_in(self)

    def tolist(self):
        """Nested lists of Python numbers; a number for a 0-dim tensor."""
        if is_told(self):
            leave("tolist", self)
        array = self._array
        return (array if array.dtype.kind in "biufc" else array.astype("float32")).tolist()

    def __bool__(self):
        if self._array.size == 1:
            return bool(self._array.item())
        if self._array.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")

    def _number(self):
        """The one element, for a conversion; :meth:`item` refuses several in other words."""
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self.item()

    def __float__(self):
        if requires_grad(self):
            warn_once("Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                      "Consider using tensor.detach() first.")
        return float(real_number(self._number(), "double"))

    def __int__(self):
        return int(real_number(self._number(), "int64_t"))

    def __complex__(self):
        return complex(self._number())

    def __index__(self):
        if self._array.size != 1 or self._dtype.kind not in ("int", "bool"):
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._array.item())

    def is_nonzero(self):
        """Whether the single element is not zero."""
        if self._array.size != 1:
            raise RuntimeError("Boolean value of Tensor with "
                               f"{'no values' if not self._array.size else 'more than one value'} is ambiguous")
        return bool(self)


def real_number(value, kind):
    """The real part of a number that has no other."""
    if not isinstance(value, complex):
        return value
    if value.imag != 0 or kind == "int64_t" and not -2.0 ** 63 <= value.real < 2.0 ** 63:
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
    return value.real


def number_in(tensor):
    """The one element of ``tensor`` as Python's own; bfloat16 has a scalar type of its own."""
    array = tensor._array
    if array.size != 1:
        raise RuntimeError(f"a Tensor with {array.size} elements cannot be converted to Scalar")
    if is_told(tensor):
        leave("item", tensor)
    value = array.item()
    return value if isinstance(value, (bool, int, float, complex)) else float(value)


def is_told(tensor):
    """Whether it is noted that values of ``tensor`` leave for Python: a history ends there, or did before."""
    return runtime.checks and (tensor._cut is not None or requires_grad(tensor))
