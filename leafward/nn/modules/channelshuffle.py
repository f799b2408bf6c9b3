"""Channels dealt out over groups."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.nn import functional as F
from leafward.nn.modules.module import Module

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor


class ChannelShuffle(Module):
    """Deal the channels out over ``groups``: (n, g * c, *) -> (n, c * g, *).

    groups: g, a divisor of the number of channels
    Source: Zhang et al., ShuffleNet, 2018.

    >>> lw.nn.ChannelShuffle(2)(lw.arange(4.0).view(1, 4, 1)).flatten()
    tensor([0., 2., 1., 3.])
    """

    __constants__ = ["groups"]

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
