"""Resizing images."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.nn import functional as F
from leafward.nn.modules.module import Module

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.tensor import Tensor


class Upsample(Module):
    """Resize to ``size``, or by ``scale_factor``: (n, c, l), (n, c, h, w) or (n, c, d, h, w) -> (n, c, *size).

    size: sizes of the output, a number or one per dimension; None: ``scale_factor`` says them
    scale_factor: output size over input size, a number or one per dimension; None: ``size`` says it
    mode: "nearest", "linear" (of l), "bilinear", "bicubic" (of h, w) or "trilinear" (of d, h, w)
    align_corners: whether the centres of the corner elements are kept rather than the outer edges; None: the edges
    recompute_scale_factor: whether the factor is computed anew from the rounded sizes; None: no

    >>> lw.nn.Upsample(scale_factor=2)(lw.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])
    """

    __constants__ = ["size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor"]

    def __init__(self, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None,
                 mode: str = "nearest", align_corners: bool | None = None, recompute_scale_factor: bool | None = None) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners,
                             self.recompute_scale_factor)

    def extra_repr(self) -> str:
        how = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        return f"{how}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Resize by repeating the nearest pixel: (n, c, h, w) -> (n, c, *size).

    size: height and width of the output, a number or a pair; None: ``scale_factor`` says them
    scale_factor: output size over input size, a number or a pair; None: ``size`` says it

    >>> lw.nn.UpsamplingNearest2d(scale_factor=2)(lw.ones(1, 1, 2, 3)).shape
    torch.Size([1, 1, 4, 6])
    """

    def __init__(self, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Resize by linear interpolation in both directions, corner on corner: (n, c, h, w) -> (n, c, *size).

    size: height and width of the output, a number or a pair; None: ``scale_factor`` says them
    scale_factor: output size over input size, a number or a pair; None: ``size`` says it

    >>> lw.nn.UpsamplingBilinear2d(size=(1, 3))(lw.tensor([[[[1.0, 3.0]]]]))
    tensor([[[[1., 2., 3.]]]])
    """

    def __init__(self, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
