"""The normal distribution."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions.exp_family import ExponentialFamily
from leafward.distributions.location_scale import Located, LocationScale
from leafward.distributions.utils import _standard_normal, drawing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.tensor import Tensor

__all__ = ["Normal"]

LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)


class Normal(Located, LocationScale, ExponentialFamily):
    """``p(x) = exp(-z**2 / 2) / (scale sqrt(2 pi))``, ``z = (x - loc) / scale``.

    loc: the mean
    scale: the standard deviation, positive
    {validate_args}

    >>> import leafward as lw
    >>> Normal(0.0, 1.0).log_prob(lw.tensor(0.0))
    tensor(-0.9189)
    """

    _mean_carrier_measure = 0

    @property
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with drawing():
            return lw.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        noise = _standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + noise * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return -((value - self.loc) ** 2) / (2 * self.scale**2) - self.scale.log() - LOG_ROOT_2PI

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 0.5 * (1 + lw.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * lw.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        return 0.5 + LOG_ROOT_2PI + lw.log(self.scale)

    @property
    def _natural_params(self):
        return self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()

    def _log_normalizer(self, x, y):
        return -0.25 * x.pow(2) / y + 0.5 * lw.log(-math.pi / y)
