"""Padding: constants, mirror images, repeated edges or the other end."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

from leafward.nn import functional as F
from leafward.nn.modules.module import Module
from leafward.nn.modules.utils import _pair, _quadruple, ntuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.tensor import Tensor

_sextuple = ntuple(6, "_sextuple")


class _Padding(Module):
    """One amount for all sides, or (left, right, top, bottom, front, back) from the last dimension on."""

    __constants__ = ["padding"]

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPadNd(_Padding):
    __constants__ = ["padding", "value"]

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Pad the last dimension with ``value``.

    Shape: (*, l) -> (*, left + l + right)

    {padding}
    value: what the padding holds

    >>> lw.nn.ConstantPad1d(1, 7.0)(lw.tensor([[1.0, 2.0, 3.0]]))
    tensor([[7., 1., 2., 3., 7.]])
    """

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(value)
        self.padding = _pair(padding)


class ConstantPad2d(_ConstantPadNd):
    """Pad the last two dimensions with ``value``.

    Shape: (*, h, w) -> (*, top + h + bottom, left + w + right)

    {padding}
    value: what the padding holds

    >>> lw.nn.ConstantPad2d((1, 1, 0, 2), 7.0)(lw.ones(1, 3, 4, 4)).shape
    torch.Size([1, 3, 6, 6])
    """

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(value)
        self.padding = _quadruple(padding)


class ConstantPad3d(_ConstantPadNd):
    """Pad the last three dimensions with ``value``.

    Shape: (*, d, h, w) -> (*, front + d + back, top + h + bottom, left + w + right)

    {padding}
    value: what the padding holds

    >>> lw.nn.ConstantPad3d(1, 7.0)(lw.ones(1, 3, 2, 2, 2)).shape
    torch.Size([1, 3, 4, 4, 4])
    """

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(value)
        self.padding = _sextuple(padding)


class ZeroPad1d(ConstantPad1d):
    """Pad the last dimension with zeros.

    Shape: (*, l) -> (*, left + l + right)

    {padding}

    >>> lw.nn.ZeroPad1d(1)(lw.tensor([[1.0, 2.0, 3.0]]))
    tensor([[0., 1., 2., 3., 0.]])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Pad the last two dimensions with zeros.

    Shape: (*, h, w) -> (*, top + h + bottom, left + w + right)

    {padding}

    >>> lw.nn.ZeroPad2d((1, 1, 0, 2))(lw.ones(1, 3, 4, 4)).shape
    torch.Size([1, 3, 6, 6])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Pad the last three dimensions with zeros.

    Shape: (*, d, h, w) -> (*, front + d + back, top + h + bottom, left + w + right)

    {padding}

    >>> lw.nn.ZeroPad3d(1)(lw.ones(1, 3, 2, 2, 2)).shape
    torch.Size([1, 3, 4, 4, 4])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ReflectionPadNd(_Padding):
    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "reflect")


class ReflectionPad1d(_ReflectionPadNd):
    """Pad the last dimension with its mirror image, the edge not repeated.

    Shape: (n, c, l) or (c, l) -> (n, c, left + l + right)

    {padding}
    Raises: RuntimeError where the padding is not smaller than the input

    >>> lw.nn.ReflectionPad1d(1)(lw.tensor([[1.0, 2.0, 3.0]]))
    tensor([[2., 1., 2., 3., 2.]])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _pair(padding)


class ReflectionPad2d(_ReflectionPadNd):
    """Pad the last two dimensions with their mirror image, the edge not repeated.

    Shape: (n, c, h, w) or (c, h, w) -> (n, c, top + h + bottom, left + w + right)

    {padding}
    Raises: RuntimeError where the padding is not smaller than the input

    >>> lw.nn.ReflectionPad2d((1, 1, 0, 2))(lw.ones(1, 3, 4, 4)).shape
    torch.Size([1, 3, 6, 6])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _quadruple(padding)


class ReflectionPad3d(_ReflectionPadNd):
    """Pad the last three dimensions with their mirror image, the edge not repeated.

    Shape: (n, c, d, h, w) or (c, d, h, w) -> (n, c, front + d + back, top + h + bottom, left + w + right)

    {padding}
    Raises: RuntimeError where the padding is not smaller than the input

    >>> lw.nn.ReflectionPad3d(1)(lw.ones(1, 3, 2, 2, 2)).shape
    torch.Size([1, 3, 4, 4, 4])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _sextuple(padding)


class _ReplicationPadNd(_Padding):
    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "replicate")


class ReplicationPad1d(_ReplicationPadNd):
    """Pad the last dimension with its edges.

    Shape: (n, c, l) or (c, l) -> (n, c, left + l + right)

    {padding}

    >>> lw.nn.ReplicationPad1d(1)(lw.tensor([[1.0, 2.0, 3.0]]))
    tensor([[1., 1., 2., 3., 3.]])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _pair(padding)


class ReplicationPad2d(_ReplicationPadNd):
    """Pad the last two dimensions with their edges.

    Shape: (n, c, h, w) or (c, h, w) -> (n, c, top + h + bottom, left + w + right)

    {padding}

    >>> lw.nn.ReplicationPad2d((1, 1, 0, 2))(lw.ones(1, 3, 4, 4)).shape
    torch.Size([1, 3, 6, 6])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _quadruple(padding)


class ReplicationPad3d(_ReplicationPadNd):
    """Pad the last three dimensions with their edges.

    Shape: (n, c, d, h, w) or (c, d, h, w) -> (n, c, front + d + back, top + h + bottom, left + w + right)

    {padding}

    >>> lw.nn.ReplicationPad3d(1)(lw.ones(1, 3, 2, 2, 2)).shape
    torch.Size([1, 3, 4, 4, 4])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _sextuple(padding)


class _CircularPadNd(_Padding):
    spatial_dims = None

    def _check_input_dim(self, input):
        low = self.spatial_dims + 1
        if input.dim() not in (low, low + 1):
            raise ValueError(f"expected {low}D or {low + 1}D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        return F.pad(input, self.padding, "circular")


class CircularPad1d(_CircularPadNd):
    """Pad the last dimension with what stands at its other end.

    Shape: (n, c, l) or (c, l) -> (n, c, left + l + right)

    {padding}

    >>> lw.nn.CircularPad1d(1)(lw.tensor([[1.0, 2.0, 3.0]]))
    tensor([[3., 1., 2., 3., 1.]])
    """

    spatial_dims = 1

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _pair(padding)


class CircularPad2d(_CircularPadNd):
    """Pad the last two dimensions with what stands at their other ends.

    Shape: (n, c, h, w) or (c, h, w) -> (n, c, top + h + bottom, left + w + right)

    {padding}

    >>> lw.nn.CircularPad2d((1, 1, 0, 2))(lw.ones(1, 3, 4, 4)).shape
    torch.Size([1, 3, 6, 6])
    """

    spatial_dims = 2

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _quadruple(padding)


class CircularPad3d(_CircularPadNd):
    """Pad the last three dimensions with what stands at their other ends.

    Shape: (n, c, d, h, w) or (c, d, h, w) -> (n, c, front + d + back, top + h + bottom, left + w + right)

    {padding}

    >>> lw.nn.CircularPad3d(1)(lw.ones(1, 3, 2, 2, 2)).shape
    torch.Size([1, 3, 4, 4, 4])
    """

    spatial_dims = 3

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _sextuple(padding)
