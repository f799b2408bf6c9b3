"""Exponential families: ``log p(x) = <t(x), natural parameters> - log_normalizer + carrier``."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions.distribution import Distribution, undefined

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor

__all__ = ["ExponentialFamily"]


NEEDED = "the entropy of an exponential family follows from it, so define it, or `entropy` itself"


class ExponentialFamily(Distribution):
    """``log p(x) = t(x) . theta - F(theta) + k(x)``, given by its ``_natural_params`` theta and ``_log_normalizer`` F.

    Its entropy and the divergence of two of a kind come from F and its gradient.

    batch_shape: how many, each with parameters of its own; (): one
    event_shape: shape of a value; (): a number
    {validate_args}
    Source: Nielsen and Nock, Entropies and Cross-entropies of Exponential Families, 2010.

    >>> isinstance(lw.distributions.Normal(0.0, 1.0), ExponentialFamily)
    True
    """

    @property
    def _natural_params(self):
        raise undefined(self, "_natural_params", NEEDED)

    def _log_normalizer(self, *natural_params):
        raise undefined(self, "_log_normalizer", NEEDED)

    @property
    def _mean_carrier_measure(self):
        raise undefined(self, "_mean_carrier_measure", NEEDED)

    def entropy(self) -> Tensor:
        """``A - <natural parameters, grad A> - carrier``, ``A`` being the log-normalizer."""
        result = -self._mean_carrier_measure
        params = [p.detach().requires_grad_() for p in self._natural_params]
        log_normalizer = self._log_normalizer(*params)
        gradients = lw.autograd.grad(log_normalizer.sum(), params, create_graph=True)
        result = result + log_normalizer
        for param, gradient in zip(params, gradients, strict=True):
            result = result - (param * gradient).reshape(self._batch_shape + (-1,)).sum(-1)
        return result
