"""The negative binomial distribution."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.nn.functional import logsigmoid

from leafward.distributions import constraints
from leafward.distributions.by_probability import ByProbability
from leafward.distributions.distribution import Distribution
from leafward.distributions.gamma import Gamma
from leafward.distributions.utils import lazy_property

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["NegativeBinomial"]


class NegativeBinomial(ByProbability, Distribution):
    """The number of successes before ``total_count`` failures: ``p(k) ~ probs**k (1 - probs)**total_count``.

    total_count: failures, not negative; it needn't be whole
    {probs, logits, validate_args}

    >>> NegativeBinomial(3.0, probs=lw.tensor(0.5)).mean
    tensor(3.)
    """

    arg_constraints = {"total_count": constraints.greater_than_eq(0),
                       "probs": constraints.half_open_interval(0.0, 1.0), "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, total_count: Tensor | Number, probs: Tensor | Number | None = None,
                 logits: Tensor | Number | None = None, validate_args: bool | None = None) -> None:
        (total_count,) = self._take(probs, logits, total_count)
        self.total_count = total_count.type_as(self._param)
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.total_count * lw.exp(self.logits)

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / lw.sigmoid(-self.logits)

    @lazy_property
    def _gamma(self):
        # A Poisson distribution with a gamma rate. No validation: the rate may round to zero.
        return Gamma(concentration=self.total_count, rate=lw.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with lw.no_grad():
            return lw.poisson(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        log_unnormalized = self.total_count * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        log_norm = -lw.lgamma(self.total_count + value) + lw.lgamma(1.0 + value) + lw.lgamma(self.total_count)
        return log_unnormalized - log_norm.masked_fill(self.total_count + value == 0.0, 0.0)
