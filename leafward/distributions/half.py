"""What the half-normal and the half-Cauchy distribution share."""
from __future__ import annotations

import math
from typing import Any, TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.transformed_distribution import TransformedDistribution
from leafward.distributions.transforms import AbsTransform
from leafward.distributions.utils import taken_from

if TYPE_CHECKING:
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor


class Half(TransformedDistribution):
    """The absolute value of a number from ``whole``, a distribution around zero: twice its density at and above zero."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, scale: Tensor | Number, validate_args: bool | None = None) -> None:
        super().__init__(self.whole(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    scale = taken_from("base_dist", "scale", "The scale of the whole distribution.")

    @property
    def mode(self) -> Tensor:
        return lw.zeros_like(self.scale)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return lw.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: Any) -> Tensor:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)
