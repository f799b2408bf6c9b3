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
        if self._array.size != 1:
            raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
        if runtime.checks and (self._cut is not None or requires_grad(self)):
            leave("item", self)
        return python_number(self._array.item())

    def tolist(self):
        """Nested lists of Python numbers; a number for a 0-dim tensor."""
        if runtime.checks and (self._cut is not None or requires_grad(self)):
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
        return float(self._number())

    def __int__(self):
        return int(self._number())

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


def python_number(value):
    """A Python number for what an array's ``item`` gave (bfloat16 gives its own scalar type)."""
    return value if isinstance(value, (bool, int, float, complex)) else float(value)
