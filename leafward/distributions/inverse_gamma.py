"""The inverse gamma distribution."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.gamma import Gamma
from leafward.distributions.transformed_distribution import TransformedDistribution
from leafward.distributions.transforms import PowerTransform
from leafward.distributions.utils import taken_from

if TYPE_CHECKING:
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """The reciprocal of a gamma number: ``p(x) = rate**c x**(-c - 1) exp(-rate / x) / gamma(c)`` for ``x > 0``.

    concentration: c, positive
    rate: positive
    {validate_args}

    >>> InverseGamma(lw.tensor(3.0), lw.tensor(2.0)).mean
    tensor(1.)
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Tensor | Number, rate: Tensor | Number, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    concentration = taken_from("base_dist", "concentration", "The gamma distribution's concentration.")
    rate = taken_from("base_dist", "rate", "The gamma distribution's rate.")

    @property
    def mean(self) -> Tensor:
        return lw.where(self.concentration > 1, self.rate / (self.concentration - 1), float("inf"))

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        c = self.concentration
        return lw.where(c > 2, self.rate.square() / ((c - 1).square() * (c - 2)), float("inf"))

    def entropy(self) -> Tensor:
        c = self.concentration
        return c + self.rate.log() + c.lgamma() - (1 + c) * c.digamma()
