"""Cutting images into windows, and adding windows up to an image."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.nn import functional as F
from leafward.nn.modules.module import Module

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.nn.common_types import _size_any_t
    from leafward.tensor.tensor import Tensor


class Unfold(Module):
    """The windows of an image as columns: (n, c, h, w) -> (n, c * kh * kw, windows).

    {kernel_size, dilation}
    padding: zeros around the image on both sides, a number or a pair
    {stride}

    >>> lw.nn.Unfold(2)(lw.ones(1, 3, 4, 4)).shape
    torch.Size([1, 12, 9])
    """

    __constants__ = ["kernel_size", "dilation", "padding", "stride"]

    def __init__(self, kernel_size: _size_any_t, dilation: _size_any_t = 1, padding: _size_any_t = 0,
                 stride: _size_any_t = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
                f"stride={self.stride}")


class Fold(Module):
    """Add windows up to an image: (n, c * kh * kw, windows) -> (n, c, *output_size). Where windows overlap, they are summed.

    output_size: height and width of the image, a number or a pair
    {kernel_size, dilation}
    padding: zeros that stood around the image on both sides, a number or a pair
    {stride}

    >>> lw.nn.Fold((4, 4), 2)(lw.ones(1, 12, 9)).shape
    torch.Size([1, 3, 4, 4])
    """

    __constants__ = ["output_size", "kernel_size", "dilation", "padding", "stride"]

    def __init__(self, output_size: int | Sequence[int | None], kernel_size: _size_any_t, dilation: _size_any_t = 1,
                 padding: _size_any_t = 0, stride: _size_any_t = 1) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
                f"padding={self.padding}, stride={self.stride}")
