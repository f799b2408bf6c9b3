"""Categories as vectors with a single one."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.nn.functional import one_hot

from leafward.distributions import constraints
from leafward.distributions.categorical import Categorical
from leafward.distributions.distribution import Distribution
from leafward.distributions.utils import taken_from

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(Distribution):
    """One of ``K`` categories, as the unit vector of its number: (*, K) -> samples (*, K).

    probs: probabilities along the last dimension, normalized here; None: ``logits`` are given
    logits: their logarithms, but for a common term; None: ``probs`` are given
    {validate_args}

    >>> OneHotCategorical(lw.tensor([0.0, 1.0])).sample()
    tensor([0., 1.])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Tensor | Number | None = None, logits: Tensor | Number | None = None,
                 validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        new._categorical = self._categorical.expand(batch_shape)

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)

    _param = taken_from("_categorical", "_param")
    probs = taken_from("_categorical", "probs", "Probabilities.")
    logits = taken_from("_categorical", "logits", "Log-probabilities.")
    param_shape = taken_from("_categorical", "param_shape", "The shape of the parameter that was given.")

    @property
    def mean(self) -> Tensor:
        return self._categorical.probs

    @property
    def mode(self) -> Tensor:
        probs = self._categorical.probs
        return one_hot(probs.argmax(axis=-1), num_classes=probs.shape[-1]).to(probs)

    @property
    def variance(self) -> Tensor:
        return self._categorical.probs * (1 - self._categorical.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        probs = self._categorical.probs
        return one_hot(self._categorical.sample(sample_shape), self._categorical._num_events).to(probs)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        n = self.event_shape[0]
        values = lw.eye(n, dtype=self._param.dtype).reshape((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n,) + tuple(self.batch_shape) + (n,)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """The same, with the gradient of the probabilities: a sample plus ``probs - probs.detach()``.

    probs: probabilities along the last dimension, normalized here; None: ``logits`` are given
    logits: their logarithms, but for a common term; None: ``probs`` are given
    {validate_args}
    Source: Bengio, Leonard and Courville, Estimating or Propagating Gradients Through Stochastic Neurons, 2013.

    >>> OneHotCategoricalStraightThrough(lw.tensor([0.0, 1.0], requires_grad=True)).rsample().requires_grad
    True
    """

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        probs = self._categorical.probs
        return self.sample(sample_shape) + (probs - probs.detach())
