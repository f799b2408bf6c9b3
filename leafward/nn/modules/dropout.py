"""Dropout: zeros at random while training, nothing in evaluation."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.nn import functional as F
from leafward.nn.modules.module import Module

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor


class _DropoutNd(Module):
    __constants__ = ["p", "inplace"]

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """``out = input * keep / (1 - p)``, ``keep`` 0 with probability p and else 1; in evaluation the input: (*) -> (*).

    p: probability of each element to become zero
    {inplace}
    Source: Srivastava et al., Dropout, 2014.
    Raises: ValueError for a p outside [0, 1]

    >>> dropped = lw.nn.Dropout(p=0.75)(lw.ones(100))
    >>> dropped.unique()
    tensor([0., 4.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Dropout of whole channels: (n, c, l) or (c, l) -> the same shape.

    p: probability of each channel to become zero
    {inplace}

    >>> lw.nn.Dropout1d(p=1.0)(lw.ones(1, 2, 3)).sum()
    tensor(0.)
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Dropout of whole channels: (n, c, h, w) -> (n, c, h, w).

    p: probability of each channel to become zero
    {inplace}
    Source: Tompson et al., Efficient Object Localization Using Convolutional Networks, 2015.

    >>> lw.nn.Dropout2d().eval()(lw.ones(1, 2, 3, 3)).sum()
    tensor(18.)
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Dropout of whole channels: (n, c, d, h, w) or (c, d, h, w) -> the same shape.

    p: probability of each channel to become zero
    {inplace}

    >>> lw.nn.Dropout3d().eval()(lw.ones(1, 2, 3, 3, 3)).sum()
    tensor(54.)
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout to SELU's negative limit, scaled so that mean 0 and variance 1 stay: (*) -> (*).

    p: probability of each element to be dropped
    {inplace}
    Source: Klambauer et al., Self-Normalizing Neural Networks, 2017.

    >>> lw.nn.AlphaDropout(0.1).eval()(lw.ones(2))
    tensor([1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """:class:`AlphaDropout` of whole channels: (n, c, *) -> (n, c, *).

    p: probability of each channel to be dropped
    {inplace}

    >>> lw.nn.FeatureAlphaDropout(0.1).eval()(lw.ones(1, 2, 3)).shape
    torch.Size([1, 2, 3])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
