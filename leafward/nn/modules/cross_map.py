"""Response normalization across channels, as Torch7 had it."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.autograd import Function
from leafward.nn.modules.normalization import LocalResponseNorm

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor


def band(channels, first, last, dtype):
    """(channels, channels): 1 where ``first <= j - i <= last``."""
    ones = lw.ones(channels, channels, dtype=dtype)
    return ones.triu(first).tril(last)


def across(matrix, x):
    """``matrix`` applied to the channels of (n, c, h, w)."""
    return lw.einsum("cd,ndhw->nchw", matrix, x)


class CrossMapLRN2dFunction(Function):
    """``out = x / (k + alpha / size * sum(x ** 2 over neighbouring channels)) ** beta``.

    PyTorch's windows are kept as they are: from the ``reach``-th channel on, the first channel stays in the sum, and
    the backward's window lies one channel lower than the forward's.
    """

    @staticmethod
    def forward(ctx, input, size, alpha, beta, k):
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        channels, reach = input.size(1), int((size - 1) / 2 + 1)
        window = band(channels, 1 - reach, reach - 1, input.dtype)
        window[reach:, 0] = 1
        ctx.scale = across(window, input * input) * (alpha / size) + k
        output = input * ctx.scale ** -beta
        ctx.save_for_backward(input, output)
        ctx.options = size, alpha, beta
        return output

    @staticmethod
    def backward(ctx, g):
        input, output = ctx.saved_tensors
        size, alpha, beta = ctx.options
        behind = int(size - (size - 1) / 2)
        window = band(input.size(1), -behind, size - 1 - behind, input.dtype)
        pulled = across(window, g * output / ctx.scale)
        return g * ctx.scale ** -beta - (2 * alpha * beta / size) * input * pulled, None, None, None, None


class CrossMapLRN2d(LocalResponseNorm):
    """``out = input / (k + alpha / size * sum(input ** 2 over size neighbouring channels)) ** beta``: (n, c, h, w) -> the same.

    size: neighbouring channels in the sum
    alpha, beta, k: the constants of the formula

    >>> lw.nn.CrossMapLRN2d(2)(lw.ones(1, 4, 3, 3)).shape
    torch.Size([1, 4, 3, 3])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)

    def forward(self, input: Tensor) -> Tensor:
        return CrossMapLRN2dFunction.apply(input, self.size, self.alpha, self.beta, self.k)
