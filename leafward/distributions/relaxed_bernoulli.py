"""The relaxed Bernoulli distribution, on (0, 1)."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.by_probability import ByProbability
from leafward.distributions.distribution import Distribution
from leafward.distributions.transformed_distribution import TransformedDistribution
from leafward.distributions.transforms import SigmoidTransform
from leafward.distributions.utils import broadcast_all, clamp_probs, taken_from

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(ByProbability, Distribution):
    """The logits of a relaxed Bernoulli number: a logistic number around ``logits``, divided by ``temperature``."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real
    has_rsample = True

    def __init__(self, temperature: Tensor | Number, probs: Tensor | Number | None = None,
                 logits: Tensor | Number | None = None, validate_args: bool | None = None) -> None:
        self.temperature = temperature
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        super()._expand_into(new, batch_shape)
        new.temperature = self.temperature

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        probs = clamp_probs(self.probs.expand(self._extended_shape(sample_shape)))
        u = clamp_probs(lw.rand(self._extended_shape(sample_shape), dtype=probs.dtype))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        distance = logits - value.mul(self.temperature)
        return self.temperature.log() + distance - 2 * distance.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """A number in (0, 1) that is nearly 0 or 1 for a small ``temperature``, and moves with its probability.

    temperature: positive; towards 0 it becomes :class:`Bernoulli`
    {probs, logits, validate_args}
    Source: Maddison, Mnih and Teh, The Concrete Distribution, 2017; Jang, Gu and Poole, 2017.

    >>> RelaxedBernoulli(lw.tensor(0.5), probs=lw.tensor([0.1, 0.9])).rsample().shape
    torch.Size([2])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, temperature: Tensor | Number, probs: Tensor | Number | None = None,
                 logits: Tensor | Number | None = None, validate_args: bool | None = None) -> None:
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(),
                         validate_args=validate_args)

    temperature = taken_from("base_dist", "temperature", "The temperature.")
    logits = taken_from("base_dist", "logits", "The log-odds.")
    probs = taken_from("base_dist", "probs", "The probability of one.")
