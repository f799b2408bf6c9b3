"""The Gumbel distribution: the largest of many."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.transformed_distribution import TransformedDistribution
from leafward.distributions.transforms import AffineTransform, ExpTransform
from leafward.distributions.uniform import Uniform
from leafward.distributions.utils import broadcast_all, euler_constant

if TYPE_CHECKING:
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """``P(X <= x) = exp(-exp(-(x - loc) / scale))``: ``loc - scale log(-log(u))`` for a uniform ``u``.

    loc: the mode
    scale: positive
    {validate_args}

    >>> Gumbel(lw.tensor(0.0), lw.tensor(1.0)).mean
    tensor(0.5772)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Tensor | Number, scale: Tensor | Number, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = lw.finfo(self.loc.dtype)
        low, high = lw.full_like(self.loc, limits.tiny), lw.full_like(self.loc, 1 - limits.eps)
        transforms = [ExpTransform().inv, AffineTransform(loc=0, scale=-lw.ones_like(self.scale)), ExpTransform().inv,
                      AffineTransform(loc=self.loc, scale=-self.scale)]
        super().__init__(Uniform(low, high, validate_args=validate_args), transforms, validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        Gumbel.__init__(new, self.loc.expand(batch_shape), self.scale.expand(batch_shape), validate_args=False)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)
