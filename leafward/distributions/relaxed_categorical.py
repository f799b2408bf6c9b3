"""The relaxed one-hot categorical distribution (Gumbel-softmax)."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.categorical import Categorical
from leafward.distributions.distribution import Distribution
from leafward.distributions.transformed_distribution import TransformedDistribution
from leafward.distributions.transforms import ExpTransform
from leafward.distributions.utils import broadcast_all, clamp_probs, taken_from

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Distribution):
    """The logarithm of a relaxed one-hot vector: the log-softmax of ``(logits + Gumbel noise) / temperature``."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector           # log-probabilities, in fact
    has_rsample = True

    def __init__(self, temperature: Tensor | Number, probs: Tensor | Number | None = None,
                 logits: Tensor | Number | None = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        new.temperature = self.temperature
        new._categorical = self._categorical.expand(batch_shape)

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)

    param_shape = taken_from("_categorical", "param_shape", "The shape of the parameter that was given.")
    logits = taken_from("_categorical", "logits", "Log-probabilities.")
    probs = taken_from("_categorical", "probs", "Probabilities.")

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        u = clamp_probs(lw.rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        gumbel = -((-(u.log())).log())
        scores = (self.logits + gumbel) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        k = self._categorical._num_events
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        log_scale = lw.full_like(self.temperature, float(k)).lgamma() - self.temperature.log().mul(-(k - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + log_scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """A point of the simplex that is nearly a unit vector for a small ``temperature``: (*, K) -> samples (*, K).

    temperature: positive; towards 0 it becomes :class:`OneHotCategorical`
    probs: probabilities along the last dimension, normalized here; None: ``logits`` are given
    logits: their logarithms, but for a common term; None: ``probs`` are given
    {validate_args}
    Source: Maddison, Mnih and Teh, The Concrete Distribution, 2017; Jang, Gu and Poole, 2017.

    >>> RelaxedOneHotCategorical(lw.tensor(0.5), probs=lw.tensor([0.1, 0.9])).rsample().shape
    torch.Size([2])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, temperature: Tensor | Number, probs: Tensor | Number | None = None,
                 logits: Tensor | Number | None = None, validate_args: bool | None = None) -> None:
        super().__init__(ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args), ExpTransform(),
                         validate_args=validate_args)

    temperature = taken_from("base_dist", "temperature", "The temperature.")
    logits = taken_from("base_dist", "logits", "Log-probabilities.")
    probs = taken_from("base_dist", "probs", "Probabilities.")
