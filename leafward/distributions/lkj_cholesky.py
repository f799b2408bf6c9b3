"""The LKJ distribution of Cholesky factors of correlation matrices."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.beta import Beta
from leafward.distributions.distribution import Distribution

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Cholesky factors L, (dim, dim), of correlation matrices of density ``~ det(L L^T)**(concentration - 1)``.

    ``p(L) ~ prod L[i, i]**(dim - i + 2 (concentration - 1))``, ``i = 2, ..., dim``

    dim: rows of the matrices, at least 2
    concentration: 1: all matrices are equally likely; above: those near the identity are more so
    {validate_args}
    Source: Lewandowski, Kurowicka and Joe, Generating Random Correlation Matrices, 2009.

    >>> LKJCholesky(3, 0.5).sample().shape
    torch.Size([3, 3])
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Tensor | Number = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        self.concentration = concentration if isinstance(concentration, lw.Tensor) else lw.tensor(float(concentration))
        batch = self.concentration.shape
        # Row i + 1 of the factor has a squared radius of Beta(i / 2, concentration + (dim - i - 2) / 2 + ...).
        offset = lw.arange(dim - 1, dtype=self.concentration.dtype)
        offset = lw.cat([offset.new_zeros((1,)), offset])
        marginal = self.concentration + 0.5 * (dim - 2)
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(batch, (dim, dim), validate_args)

    def _expand_into(self, new, batch_shape):
        super()._expand_into(new, batch_shape)
        new.dim = self.dim
        new._beta = self._beta.expand(tuple(batch_shape) + (self.dim,))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw row after row, a direction and a radius for each (the "onion" method)."""
        with lw.no_grad():
            squared_radius = self._beta.sample(sample_shape).unsqueeze(-1)
            normal = lw.randn(self._extended_shape(sample_shape), dtype=squared_radius.dtype).tril(-1)
            direction = normal / normal.norm(dim=-1, keepdim=True)
            direction[..., 0, :].fill_(0.0)
            rows = lw.sqrt(squared_radius) * direction
            eps = lw.finfo(rows.dtype).tiny
            diagonal = lw.clamp(1 - lw.sum(rows**2, dim=-1), min=eps).sqrt()
            return rows + lw.diag_embed(diagonal)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        i = lw.arange(2, self.dim + 1)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - i
        unnormalized = lw.sum(order * diagonal.log(), dim=-1)
        n = self.dim - 1
        alpha = self.concentration + 0.5 * n
        log_norm = 0.5 * n * math.log(math.pi) + lw.mvlgamma(alpha - 0.5, n) - lw.lgamma(alpha) * n
        return unnormalized - log_norm
