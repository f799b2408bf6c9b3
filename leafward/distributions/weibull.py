"""The Weibull distribution."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.exponential import Exponential
from leafward.distributions.transformed_distribution import TransformedDistribution
from leafward.distributions.transforms import AffineTransform, PowerTransform
from leafward.distributions.utils import broadcast_all, euler_constant

if TYPE_CHECKING:
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """``P(X > x) = exp(-(x / scale)**k)`` for ``x >= 0``.

    scale: positive
    concentration: k, positive; 1: exponential
    {validate_args}

    >>> Weibull(lw.tensor(2.0), lw.tensor(1.0)).mean
    tensor(2.)
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale: Tensor | Number, concentration: Tensor | Number, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(lw.ones_like(self.scale), validate_args=validate_args)
        transforms = [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        Weibull.__init__(new, self.scale.expand(batch_shape), self.concentration.expand(batch_shape),
                         validate_args=False)

    @property
    def mean(self) -> Tensor:
        return self.scale * lw.exp(lw.lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self) -> Tensor:
        k = self.concentration
        return self.scale * ((k - 1) / k) ** self.concentration_reciprocal

    @property
    def variance(self) -> Tensor:
        once, twice = lw.lgamma(1 + self.concentration_reciprocal), lw.lgamma(1 + 2 * self.concentration_reciprocal)
        return self.scale.pow(2) * (lw.exp(twice) - lw.exp(2 * once))

    def entropy(self) -> Tensor:
        return (euler_constant * (1 - self.concentration_reciprocal)
                + lw.log(self.scale * self.concentration_reciprocal) + 1)
