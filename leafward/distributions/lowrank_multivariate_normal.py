"""Multivariate normal distributions whose covariance is a diagonal and a few factors."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.distribution import Distribution
from leafward.distributions.location_scale import Located
from leafward.distributions.multivariate_normal import _batch_mahalanobis, _batch_mv
from leafward.distributions.utils import _standard_normal, lazy_property

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["LowRankMultivariateNormal"]


def _batch_capacitance_tril(W, D):
    """The Cholesky factor of ``I + W^T D^-1 W``."""
    product = lw.matmul(W.mT / D.unsqueeze(-2), W)
    return lw.linalg.cholesky(product + lw.eye(W.shape[-1], dtype=W.dtype))


def _batch_lowrank_logdet(W, D, capacitance_tril):
    """``log(det(W W^T + D)) = log(det(I + W^T D^-1 W)) + log(det(D))``."""
    return 2 * capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1) + D.log().sum(-1)


def _batch_lowrank_mahalanobis(W, D, x, capacitance_tril):
    """``x^T (W W^T + D)^-1 x``, by Woodbury's identity."""
    weighted = _batch_mv(W.mT / D.unsqueeze(-2), x)
    return (x.pow(2) / D).sum(-1) - _batch_mahalanobis(capacitance_tril, weighted)


class LowRankMultivariateNormal(Located, Distribution):
    """A normal distribution of covariance ``cov_factor cov_factor^T + diag(cov_diag)``, cheap where factors are few.

    loc: the mean, (*, k)
    cov_factor: (*, k, factors)
    cov_diag: (*, k), positive
    {validate_args}

    >>> d = LowRankMultivariateNormal(lw.zeros(2), lw.tensor([[1.0], [0.0]]), lw.ones(2))
    >>> d.covariance_matrix
    tensor([[2., 0.],
            [0., 1.]])
    """

    arg_constraints = {"loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
                       "cov_diag": constraints.independent(constraints.positive, 1)}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Tensor | Number, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            batch = lw.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as error:
            raise ValueError(f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, "
                             f"cov_diag {cov_diag.shape}") from error
        self.loc = loc.expand(tuple(batch) + tuple(event_shape))
        self.cov_factor = cov_factor.expand(tuple(batch) + tuple(cov_factor.shape[-2:]))
        self.cov_diag = cov_diag.expand(tuple(batch) + tuple(event_shape))
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)
        super().__init__(batch, event_shape, validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        super()._expand_into(new, batch_shape)
        for name in ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"):
            setattr(new, name, getattr(self, name))

    def _full(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def variance(self) -> Tensor:
        found = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return found.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance, through that of ``D^-1/2 W W^T D^-1/2 + I``, which is better scaled."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        eye = lw.eye(self._event_shape[0], dtype=scaled.dtype)
        return self._full(root * lw.linalg.cholesky(lw.matmul(scaled, scaled.mT) + eye))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        factor = self._unbroadcasted_cov_factor
        return self._full(lw.matmul(factor, factor.mT) + lw.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance, by Woodbury's identity."""
        weighted = self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)
        a = lw.linalg.solve_triangular(self._capacitance_tril, weighted, upper=False)
        return self._full(lw.diag_embed(self._unbroadcasted_cov_diag.reciprocal()) - lw.matmul(a.mT, a))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        of_factors = _standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc.dtype)
        of_diagonal = _standard_normal(shape, self.loc.dtype)
        return (self.loc + _batch_mv(self._unbroadcasted_cov_factor, of_factors)
                + self._unbroadcasted_cov_diag.sqrt() * of_diagonal)

    def _log_det(self):
        return _batch_lowrank_logdet(self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag,
                                     self._capacitance_tril)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = _batch_lowrank_mahalanobis(self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag,
                                              value - self.loc, self._capacitance_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + distance)

    def entropy(self) -> Tensor:
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
