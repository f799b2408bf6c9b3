"""The uniform distribution."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.distribution import Distribution
from leafward.distributions.utils import broadcast_all

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.distributions.constraints import Constraint
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["Uniform"]


class Uniform(Distribution):
    """``p(x) = 1 / (high - low)`` on ``[low, high)``.

    low, high: the bounds, the lower one below the upper one
    {validate_args}

    >>> Uniform(0.0, lw.tensor(4.0)).mean
    tensor(2.)
    """

    has_rsample = True

    @property
    def arg_constraints(self) -> dict[str, Constraint]:
        """Each bound is on its side of the other."""
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    def __init__(self, low: Tensor | Number, high: Tensor | Number, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Constraint:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        return float("nan") * self.high

    @property
    def stddev(self) -> Tensor:
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Tensor:
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        u = lw.rand(self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + u * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        inside = (self.low <= value) & (value < self.high)
        return lw.log(inside.type_as(self.low)) - lw.log(self.high - self.low)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return lw.log(self.high - self.low)
