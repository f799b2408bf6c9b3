"""Channels dealt out over groups."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.nn import functional as F
from leafward.nn.modules.module import Module

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor


class ChannelShuffle(Module):
    """Deal the channels out over ``groups``: (n, g * c, *) -> (n, c * g, *)."""

    __constants__ = ["groups"]

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
