"""The Dirichlet distribution."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.exp_family import ExponentialFamily

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """``p(x) = prod x[i]**(c[i] - 1) / B(c)`` on the simplex: (*, K) -> samples (*, K) that add up to 1.

    concentration: c, positive
    {validate_args}

    >>> Dirichlet(lw.tensor([1.0, 3.0])).mean
    tensor([0.2500, 0.7500])
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor | Number, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0)
        mode = above / above.sum(-1, True)
        # With no weight above one, the density is largest at a corner.
        no_inside = (self.concentration < 1).all(dim=-1, keepdim=True)
        corner = lw.nn.functional.one_hot(mode.argmax(-1), self.concentration.shape[-1]).to(mode)
        return lw.where(no_inside, corner, mode)

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return lw._sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return (lw.xlogy(self.concentration - 1, value).sum(-1) + lw.lgamma(self.concentration.sum(-1))
                - lw.lgamma(self.concentration).sum(-1))

    def entropy(self) -> Tensor:
        k = self.concentration.shape[-1]
        total = self.concentration.sum(-1)
        return (lw.lgamma(self.concentration).sum(-1) - lw.lgamma(total) - (k - total) * lw.digamma(total)
                - ((self.concentration - 1) * lw.digamma(self.concentration)).sum(-1))

    @property
    def _natural_params(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return x.lgamma().sum(-1) - lw.lgamma(x.sum(-1))
