"""The Bernoulli distribution."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.nn.functional import binary_cross_entropy_with_logits

from leafward.distributions import constraints
from leafward.distributions.by_probability import ByProbability, enumerated, with_nan_at
from leafward.distributions.exp_family import ExponentialFamily
from leafward.distributions.utils import broadcast_all

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["Bernoulli"]


class Bernoulli(ByProbability, ExponentialFamily):
    """1 with probability ``probs``, else 0: ``p(k) = probs**k (1 - probs)**(1 - k)``.

    {probs, logits, validate_args}

    >>> import leafward as lw
    >>> Bernoulli(lw.tensor(0.25)).variance
    tensor(0.1875)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(self, probs: Tensor | Number | None = None, logits: Tensor | Number | None = None,
                 validate_args: bool | None = None) -> None:
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        return with_nan_at((self.probs >= 0.5).to(self.probs), self.probs == 0.5)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with lw.no_grad():
            return lw.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return enumerated(lw.arange(2, dtype=self._param.dtype), self._batch_shape, expand)

    @property
    def _natural_params(self):
        return (lw.logit(self.probs),)

    def _log_normalizer(self, x):
        return lw.log1p(lw.exp(x))
