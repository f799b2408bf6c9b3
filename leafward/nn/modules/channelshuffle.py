"""Channels dealt out over groups."""
from leafward.nn import functional as F
from leafward.nn.modules.module import Module


class ChannelShuffle(Module):
    """Deal the channels out over ``groups``: (n, g * c, *) -> (n, c * g, *)."""

    __constants__ = ["groups"]

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, input):
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self):
        return f"groups={self.groups}"
