"""The multinomial distribution."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.binomial import Binomial
from leafward.distributions.categorical import Categorical
from leafward.distributions.distribution import Distribution
from leafward.distributions.utils import broadcast_all, taken_from

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.distributions.constraints import Constraint
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """How often each of ``K`` categories comes in ``total_count`` draws: ``p(x) = n! prod(probs**x / x!)``.

    Probabilities (*, K) -> samples (*, K)

    total_count: n, one number
    probs: probabilities along the last dimension, normalized here; None: ``logits`` are given
    logits: their logarithms, but for a common term; None: ``probs`` are given
    {validate_args}

    >>> Multinomial(4, lw.tensor([1.0, 3.0])).mean
    tensor([1., 3.])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(self, total_count: Tensor | Number = 1, probs: Tensor | Number | None = None,
                 logits: Tensor | Number | None = None, validate_args: bool | None = None) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(batch_shape)
        new._binomial = Binomial(total_count=self.total_count, probs=new._categorical.probs, validate_args=False)

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Constraint:
        return constraints.multinomial(self.total_count)

    logits = taken_from("_categorical", "logits", "Log-probabilities.")
    probs = taken_from("_categorical", "probs", "Probabilities.")
    param_shape = taken_from("_categorical", "param_shape", "The shape of the parameter that was given.")

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        drawn = self._categorical.sample((self.total_count, *sample_shape)).movedim(0, -1)
        counts = drawn.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add_(-1, drawn, lw.ones_like(drawn)).type_as(self.probs)

    def entropy(self) -> Tensor:
        # n H - log(n!) + sum over categories of E[log(x!)], x binomial
        n = self.total_count
        counts = self._binomial.enumerate_support(expand=False)[1:]
        expected = lw.exp(self._binomial.log_prob(counts)) * lw.lgamma(counts + 1)
        log_orders = lw.lgamma(lw.tensor(n + 1, dtype=self.probs.dtype))
        return n * self._categorical.entropy() - log_orders + expected.sum([0, -1])

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -float("inf")), 0)
        return (lw.lgamma(value.sum(-1) + 1) - lw.lgamma(value + 1).sum(-1) + (logits * value).sum(-1))
