"""Softmax and its relatives as layers."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.nn import functional as F
from leafward.nn.modules.module import Module

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor


class _AlongDim(Module):
    """A softmax along ``dim``."""

    __constants__ = ["dim"]

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_AlongDim):
    """``out = exp(input) / sum(exp(input))`` along ``dim``: (*) -> (*).

    dim: where the results add up to 1; None guesses it, with a warning

    >>> lw.nn.Softmax(dim=0)(lw.tensor([0.0, 0.0]))
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim)


class Softmin(_AlongDim):
    """``out = softmax(-input)`` along ``dim``: (*) -> (*).

    dim: where the results add up to 1; None guesses it, with a warning

    >>> lw.nn.Softmin(dim=0)(lw.tensor([0.0, 1.0]))
    tensor([0.7311, 0.2689])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim)


class LogSoftmax(_AlongDim):
    """``out = log(softmax(input))`` along ``dim``, without overflow: (*) -> (*).

    dim: where the probabilities add up to 1; None guesses it, with a warning

    >>> lw.nn.LogSoftmax(dim=0)(lw.tensor([0.0, 0.0]))
    tensor([-0.6931, -0.6931])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim)


class Softmax2d(Module):
    """Softmax over the channels: (n, c, h, w) or (c, h, w) -> the same shape.

    >>> lw.nn.Softmax2d()(lw.zeros(2, 1, 1)).flatten()
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3)
