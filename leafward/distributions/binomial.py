"""The binomial distribution."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.by_probability import ByProbability, enumerated
from leafward.distributions.distribution import Distribution

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.distributions.constraints import Constraint
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["Binomial"]


def positive_part(x):
    """``max(x, 0)``, whose slope at 0 is 1/2."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


class Binomial(ByProbability, Distribution):
    """The number of successes in ``total_count`` trials: ``p(k) = C(n, k) probs**k (1 - probs)**(n - k)``.

    total_count: n, a number or a tensor of them
    {probs, logits, validate_args}

    >>> Binomial(10, probs=lw.tensor(0.5)).mean
    tensor(5.)
    """

    arg_constraints = {"total_count": constraints.nonnegative_integer, "probs": constraints.unit_interval,
                       "logits": constraints.real}
    has_enumerate_support = True

    def __init__(self, total_count: Tensor | Number = 1, probs: Tensor | Number | None = None,
                 logits: Tensor | Number | None = None, validate_args: bool | None = None) -> None:
        (total_count,) = self._take(probs, logits, total_count)
        self.total_count = total_count.type_as(self._param)
        super().__init__(self._param.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Constraint:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with lw.no_grad():
            return lw.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        n, logits = self.total_count, self.logits
        # log(1 - p) = -log(1 + exp(logits)), without overflow
        log_failure = -positive_part(logits) - lw.log1p(lw.exp(-lw.abs(logits)))
        log_choices = lw.lgamma(n + 1) - lw.lgamma(value + 1) - lw.lgamma(n - value + 1)
        return value * logits + n * log_failure + log_choices

    def entropy(self) -> Tensor:
        self._common_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(lw.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        count = self._common_count("enumerate_support")
        return enumerated(lw.arange(1 + count, dtype=self._param.dtype), self._batch_shape, expand)

    def _common_count(self, name):
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{name}`.")
        return count
