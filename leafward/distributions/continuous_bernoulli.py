"""The continuous Bernoulli distribution, on all of [0, 1]."""
from __future__ import annotations

import math
from typing import Any, TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.by_probability import ByProbability
from leafward.distributions.exp_family import ExponentialFamily
from leafward.distributions.utils import broadcast_all, clamp_probs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(ByProbability, ExponentialFamily):
    """``p(x) = C probs**x (1 - probs)**(1 - x)`` on [0, 1], ``C = 2 atanh(1 - 2 probs) / (1 - 2 probs)``.

    {probs, logits}
    lims: between these, where numerator and denominator of C vanish, series in ``probs - 1/2`` are used
    {validate_args}
    Source: Loaiza-Ganem and Cunningham, The Continuous Bernoulli, 2019.

    >>> ContinuousBernoulli(probs=lw.tensor(0.5)).mean
    tensor(0.5000)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, probs: Tensor | Number | None = None, logits: Tensor | Number | None = None, lims: Any = (0.499, 0.501),
                 validate_args: bool | None = None) -> None:
        self._take(probs, logits)
        if probs is not None:
            # Clamping hides what is wrong, unless it is asked for.
            if validate_args and not self.arg_constraints["probs"].check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(self._param.shape, validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        super()._expand_into(new, batch_shape)
        new._lims = self._lims

    def _outside_unstable_region(self):
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self):
        return lw.where(self._outside_unstable_region(), self.probs, self._lims[0])

    def _by_region(self, formula, series):
        """``formula(probs)``, or ``series(t)`` with ``t = probs - 1/2`` near one half."""
        return lw.where(self._outside_unstable_region(), formula(self._cut_probs()), series(self.probs - 0.5))

    def _cont_bern_log_norm(self):
        """``log(C)``."""
        def formula(p):
            log_slope = lw.log(lw.abs(lw.log1p(-p) - lw.log(p)))
            below, above = lw.where(p <= 0.5, p, 0), lw.where(p >= 0.5, p, 1)
            return log_slope - lw.where(p <= 0.5, lw.log1p(-2 * below), lw.log(2 * above - 1))
        return self._by_region(formula, lambda t: math.log(2) + (4 / 3 + 104 / 45 * t**2) * t**2)

    @property
    def mean(self) -> Tensor:
        return self._by_region(lambda p: p / (2 * p - 1) + 1 / (lw.log1p(-p) - lw.log(p)),
                               lambda t: 0.5 + (1 / 3 + 16 / 45 * t**2) * t)

    @property
    def stddev(self) -> Tensor:
        return lw.sqrt(self.variance)

    @property
    def variance(self) -> Tensor:
        return self._by_region(
            lambda p: p * (p - 1) / (1 - 2 * p) ** 2 + 1 / (lw.log1p(-p) - lw.log(p)) ** 2,
            lambda t: 1 / 12 - (1 / 15 - 128 / 945 * t**2) * t**2)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with lw.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.icdf(lw.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        cross_entropy = lw.nn.functional.binary_cross_entropy_with_logits(logits, value, reduction="none")
        return -cross_entropy + self._cont_bern_log_norm()

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        p = self._cut_probs()
        formula = (lw.pow(p, value) * lw.pow(1 - p, 1 - value) + p - 1) / (2 * p - 1)
        inside = lw.where(self._outside_unstable_region(), formula, value)
        return lw.where(value <= 0, 0.0, lw.where(value >= 1, 1.0, inside))

    def icdf(self, value: Tensor) -> Tensor:
        p = self._cut_probs()
        formula = (lw.log1p(-p + value * (2 * p - 1)) - lw.log1p(-p)) / (lw.log(p) - lw.log1p(-p))
        return lw.where(self._outside_unstable_region(), formula, value)

    def entropy(self) -> Tensor:
        log_zero, log_one = lw.log1p(-self.probs), lw.log(self.probs)
        return self.mean * (log_zero - log_one) - self._cont_bern_log_norm() - log_zero

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        """``log((exp(x) - 1) / x)``, and its series near zero."""
        near = (x > self._lims[0] - 0.5) & (x <= self._lims[1] - 0.5)
        away = lw.where(near, self._lims[0] - 0.5, x)
        return lw.where(near, 0.5 * x + x**2 / 24 - x**4 / 2880, lw.log(lw.abs(lw.special.expm1(away)))
                        - lw.log(lw.abs(away)))
