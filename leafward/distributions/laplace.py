"""The Laplace distribution."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions.location_scale import Located, LocationScale

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.tensor import Tensor

__all__ = ["Laplace"]


class Laplace(Located, LocationScale):
    """``p(x) = exp(-abs(x - loc) / scale) / (2 scale)``.

    loc: the mean
    scale: positive; the variance is ``2 scale**2``
    {validate_args}

    >>> Laplace(0.0, 1.0).log_prob(lw.tensor(0.0))
    tensor(-0.6931)
    """

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Tensor:
        return 2**0.5 * self.scale

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        # Above -1, so that log1p(-abs(u)) stays finite.
        u = self.loc.new(self._extended_shape(sample_shape)).uniform_(lw.finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * lw.log1p(-u.abs())

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return -lw.log(2 * self.scale) - lw.abs(value - self.loc) / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = value - self.loc
        return 0.5 - 0.5 * distance.sign() * lw.expm1(-distance.abs() / self.scale)

    def icdf(self, value: Tensor) -> Tensor:
        centred = value - 0.5
        return self.loc - self.scale * centred.sign() * lw.log1p(-2 * centred.abs())

    def entropy(self) -> Tensor:
        return 1 + lw.log(2 * self.scale)
