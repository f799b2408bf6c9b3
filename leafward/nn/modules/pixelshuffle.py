"""Moving values between channels and space."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.nn import functional as F
from leafward.nn.modules.module import Module

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor


class PixelShuffle(Module):
    """Channels into space: (*, c * r * r, h, w) -> (*, c, h * r, w * r).

    upscale_factor: r
    Source: Shi et al., Real-Time Single Image and Video Super-Resolution, 2016.

    >>> lw.nn.PixelShuffle(2)(lw.ones(1, 8, 3, 3)).shape
    torch.Size([1, 2, 6, 6])
    """

    __constants__ = ["upscale_factor"]

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Space into channels: (*, c, h * r, w * r) -> (*, c * r * r, h, w).

    downscale_factor: r

    >>> lw.nn.PixelUnshuffle(2)(lw.ones(1, 2, 6, 6)).shape
    torch.Size([1, 8, 3, 3])
    """

    __constants__ = ["downscale_factor"]

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"
