"""The Kumaraswamy distribution."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.by_probability import with_nan_at
from leafward.distributions.transformed_distribution import TransformedDistribution
from leafward.distributions.transforms import AffineTransform, PowerTransform
from leafward.distributions.uniform import Uniform
from leafward.distributions.utils import broadcast_all, euler_constant

if TYPE_CHECKING:
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["Kumaraswamy"]


class Kumaraswamy(TransformedDistribution):
    """``P(X <= x) = 1 - (1 - x**a)**b`` on [0, 1].

    concentration1, concentration0: a and b, positive
    {validate_args}

    >>> Kumaraswamy(lw.tensor(1.0), lw.tensor(3.0)).mean
    tensor(0.2500)
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Tensor | Number, concentration0: Tensor | Number,
                 validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base = Uniform(lw.full_like(self.concentration0, 0), lw.full_like(self.concentration0, 1),
                       validate_args=validate_args)
        transforms = [PowerTransform(exponent=self.concentration0.reciprocal()), AffineTransform(loc=1.0, scale=-1.0),
                      PowerTransform(exponent=self.concentration1.reciprocal())]
        super().__init__(base, transforms, validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        Kumaraswamy.__init__(new, self.concentration1.expand(batch_shape), self.concentration0.expand(batch_shape),
                             validate_args=False)

    def _moment(self, n):
        """``E[X**n] = b B(1 + n / a, b)``."""
        a, b = self.concentration1, self.concentration0
        first = 1 + n / a
        return b * lw.exp(lw.lgamma(first) + lw.lgamma(b) - lw.lgamma(first + b))

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        return with_nan_at(((a - 1) / (a * b - 1)) ** (1 / a), (a < 1) | (b < 1))

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - self._moment(1).pow(2)

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = lw.digamma(b + 1) + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - lw.log(a) - lw.log(b)
