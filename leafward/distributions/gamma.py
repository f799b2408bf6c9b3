"""The gamma distribution."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.exp_family import ExponentialFamily
from leafward.distributions.utils import broadcast_all

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """``p(x) = rate**c x**(c - 1) exp(-rate x) / gamma(c)`` for ``x >= 0``.

    concentration: c, positive
    rate: positive, one over the scale
    {validate_args}

    >>> Gamma(lw.tensor(3.0), lw.tensor(2.0)).mean
    tensor(1.5000)
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration: Tensor | Number, rate: Tensor | Number, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = lw._standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=lw.finfo(value.dtype).tiny)       # not zero, where log_prob has no slope
        return value

    def log_prob(self, value: Tensor) -> Tensor:
        value = lw.as_tensor(value, dtype=self.rate.dtype)
        if self._validate_args:
            self._validate_sample(value)
        return (lw.xlogy(self.concentration, self.rate) + lw.xlogy(self.concentration - 1, value) - self.rate * value
                - lw.lgamma(self.concentration))

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return lw.special.gammainc(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        return (self.concentration - lw.log(self.rate) + lw.lgamma(self.concentration)
                + (1 - self.concentration) * lw.digamma(self.concentration))

    @property
    def _natural_params(self):
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x, y):
        return lw.lgamma(x + 1) + (x + 1) * lw.log(-y.reciprocal())
