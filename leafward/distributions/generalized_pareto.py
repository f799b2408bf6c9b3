"""The generalized Pareto distribution: what exceeds a high threshold."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.by_probability import with_nan_at
from leafward.distributions.distribution import Distribution
from leafward.distributions.utils import broadcast_all

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.distributions.constraints import Constraint
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """``P(X > x) = (1 + k z) ** (-1 / k)``, ``z = (x - loc) / scale``.

    For ``k = 0`` it is the exponential distribution of ``z``; for ``k < 0`` it ends at ``loc - scale / k``.

    loc: where it begins
    scale: positive
    concentration: k, the weight of the tail
    {validate_args}

    >>> GeneralizedPareto(0.0, 1.0, 0.5).mean
    tensor(2.)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc: Tensor | Number, scale: Tensor | Number, concentration: Tensor | Number,
                 validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def _choose(self, at_zero, elsewhere):
        """``elsewhere(k)``, but ``at_zero`` where the concentration ``k`` is (nearly) zero."""
        is_zero = lw.isclose(self.concentration, lw.zeros_like(self.concentration))
        return lw.where(is_zero, at_zero, elsewhere(lw.where(is_zero, 1.0, self.concentration)))

    def _z(self, value):
        return (value - self.loc) / self.scale

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.icdf(lw.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        return self._choose(-z, lambda k: -(1 + 1 / k) * lw.log1p(k * z)) - self.scale.log()

    def log_survival_function(self, value: Tensor) -> Tensor:
        """``log(P(X > value))``."""
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        return self._choose(-z, lambda k: -lw.log1p(k * z) / k)

    def log_cdf(self, value: Tensor) -> Tensor:
        """``log(P(X <= value))``."""
        return lw.log1p(-lw.exp(self.log_survival_function(value)))

    def cdf(self, value: Tensor) -> Tensor:
        return lw.exp(self.log_cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        log_left = lw.log1p(-lw.as_tensor(value, dtype=self.loc.dtype))
        return self.loc + self.scale * self._choose(-log_left, lambda k: lw.expm1(-k * log_left) / k)

    @property
    def mean(self) -> Tensor:
        return with_nan_at(self.loc + self.scale / (1 - self.concentration), self.concentration >= 1)

    @property
    def variance(self) -> Tensor:
        k = self.concentration
        return with_nan_at(self.scale**2 / ((1 - k) ** 2 * (1 - 2 * k)), k >= 0.5)

    @property
    def mode(self) -> Tensor:
        return self.loc

    def entropy(self) -> Tensor:
        return lw.log(self.scale) + self.concentration + 1

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Constraint:
        end = lw.where(self.concentration < 0, self.loc - self.scale / self.concentration, float("inf"))
        return constraints.interval(self.loc, end)
