"""The log-normal distribution."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.distributions import constraints
from leafward.distributions.normal import Normal
from leafward.distributions.transformed_distribution import TransformedDistribution
from leafward.distributions.transforms import ExpTransform
from leafward.distributions.utils import taken_from

if TYPE_CHECKING:
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["LogNormal"]


class LogNormal(TransformedDistribution):
    """The exponential of a normal number.

    loc, scale: mean and standard deviation of the logarithm; scale is positive
    {validate_args}

    >>> LogNormal(lw.tensor(0.0), lw.tensor(1.0)).mean
    tensor(1.6487)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc: Tensor | Number, scale: Tensor | Number, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    loc = taken_from("base_dist", "loc", "The mean of the logarithm.")
    scale = taken_from("base_dist", "scale", "The standard deviation of the logarithm.")

    @property
    def mean(self) -> Tensor:
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Tensor:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Tensor:
        squared = self.scale.pow(2)
        return squared.expm1() * (2 * self.loc + squared).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc
