"""Exponential families: ``log p(x) = <t(x), natural parameters> - log_normalizer + carrier``."""
import leafward as lw

from .distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """A distribution given by its ``_natural_params`` and its ``_log_normalizer`` of them."""

    @property
    def _natural_params(self):
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self):
        raise NotImplementedError

    def entropy(self):
        """``A - <natural parameters, grad A> - carrier``, ``A`` being the log-normalizer."""
        result = -self._mean_carrier_measure
        params = [p.detach().requires_grad_() for p in self._natural_params]
        log_normalizer = self._log_normalizer(*params)
        gradients = lw.autograd.grad(log_normalizer.sum(), params, create_graph=True)
        result = result + log_normalizer
        for param, gradient in zip(params, gradients, strict=True):
            result = result - (param * gradient).reshape(self._batch_shape + (-1,)).sum(-1)
        return result
