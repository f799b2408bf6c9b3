"""Student's t-distribution."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.chi2 import Chi2
from leafward.distributions.distribution import Distribution
from leafward.distributions.utils import _standard_normal, broadcast_all

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["StudentT"]


class StudentT(Distribution):
    """``p(x) ~ (1 + z**2 / df) ** (-(df + 1) / 2) / scale``, ``z = (x - loc) / scale``.

    df: degrees of freedom, positive; the more, the nearer to normal
    loc: the mode, and the mean for ``df > 1``
    scale: positive
    {validate_args}

    >>> StudentT(lw.tensor(4.0)).variance
    tensor(2.)
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Tensor | Number, loc: Tensor | Number = 0.0, scale: Tensor | Number = 1.0,
                 validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.shape, validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        super()._expand_into(new, batch_shape)
        new._chi2 = self._chi2.expand(batch_shape)

    @property
    def mean(self) -> Tensor:
        return lw.where(self.df <= 1, float("nan"), self.loc)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        finite = self.scale.pow(2) * self.df / (self.df - 2)
        return lw.where(self.df > 2, finite, lw.where(self.df > 1, float("inf"), float("nan")).to(finite.dtype))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        normal = _standard_normal(self._extended_shape(sample_shape), self.df.dtype)
        squares = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (normal * lw.rsqrt(squares / self.df))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        z = (value - self.loc) / self.scale
        half = 0.5 * (self.df + 1)
        log_norm = (self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + lw.lgamma(0.5 * self.df)
                    - lw.lgamma(half))
        return -half * lw.log1p(z**2.0 / self.df) - log_norm

    def entropy(self) -> Tensor:
        half = 0.5 * (self.df + 1)
        log_beta = lw.lgamma(0.5 * self.df) + math.lgamma(0.5) - lw.lgamma(half)
        return (self.scale.log() + half * (lw.digamma(half) - lw.digamma(0.5 * self.df)) + 0.5 * self.df.log() + log_beta)
