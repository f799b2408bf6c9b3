"""What distributions share that are given either by probabilities or by their logits."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits

if TYPE_CHECKING:
    from leafward.tensor.size import Size
    from leafward.tensor.tensor import Tensor


def require_one(probs, logits):
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class ByProbability:
    """One of ``probs`` and ``logits`` is given; the other follows when it is asked for."""

    _is_binary = True

    def _take(self, probs, logits, *others):
        """Store the given one, broadcast with ``others``, which are returned."""
        require_one(probs, logits)
        name, given = ("probs", probs) if logits is None else ("logits", logits)
        given, *others = broadcast_all(given, *others)
        setattr(self, name, given)
        return others

    @property
    def _param(self):
        return self.__dict__["probs"] if "probs" in self.__dict__ else self.__dict__["logits"]

    @lazy_property
    def logits(self) -> Tensor:
        """Log-odds, or unnormalized log-probabilities."""
        return probs_to_logits(self.probs, is_binary=self._is_binary)

    @lazy_property
    def probs(self) -> Tensor:
        """Probabilities."""
        return logits_to_probs(self.logits, is_binary=self._is_binary)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter that was given."""
        return self._param.shape

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)


def enumerated(values, batch_shape, expand):
    """``values`` along the first dimension, and all of ``batch_shape`` after it: of size one without ``expand``."""
    values = values.reshape((-1,) + (1,) * len(batch_shape))
    return values.expand((-1,) + tuple(batch_shape)) if expand else values


def with_nan_at(values, where):
    """``values``, NaN where ``where``."""
    return lw.where(where, values.new_full((), float("nan")), values)
