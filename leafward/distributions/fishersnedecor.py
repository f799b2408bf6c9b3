"""The F-distribution of Fisher and Snedecor."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.by_probability import with_nan_at
from leafward.distributions.distribution import Distribution
from leafward.distributions.gamma import Gamma
from leafward.distributions.utils import broadcast_all

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The quotient of two chi-squared numbers, each divided by its degrees of freedom.

    df1, df2: degrees of freedom of numerator and denominator, positive
    {validate_args}

    >>> FisherSnedecor(lw.tensor(1.0), lw.tensor(4.0)).mean
    tensor(2.)
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Tensor | Number, df2: Tensor | Number, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(self.df1.shape, validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        super()._expand_into(new, batch_shape)
        new._gamma1 = self._gamma1.expand(batch_shape)
        new._gamma2 = self._gamma2.expand(batch_shape)

    @property
    def mean(self) -> Tensor:
        return with_nan_at(self.df2 / (self.df2 - 2), self.df2 <= 2)

    @property
    def mode(self) -> Tensor:
        return with_nan_at((self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2), self.df1 <= 2)

    @property
    def variance(self) -> Tensor:
        df1, df2 = self.df1, self.df2
        return with_nan_at(2 * df2.pow(2) * (df1 + df2 - 2) / (df1 * (df2 - 2).pow(2) * (df2 - 4)), df2 <= 4)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        above, below = self._gamma1.rsample(sample_shape), self._gamma2.rsample(sample_shape)
        tiny = lw.finfo(below.dtype).tiny
        below.detach().clamp_(min=tiny)
        quotient = above / below
        quotient.clamp_(min=tiny)
        return quotient

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        return ((a + b).lgamma() - a.lgamma() - b.lgamma() + a * ratio.log() + (a - 1) * lw.log(value)
                - (a + b) * lw.log1p(ratio * value))
