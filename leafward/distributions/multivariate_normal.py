"""The multivariate normal distribution."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.distribution import Distribution
from leafward.distributions.location_scale import Located
from leafward.distributions.utils import _standard_normal, lazy_property

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["MultivariateNormal"]


def _batch_mv(matrix, vector):
    """Matrix times vector, batch by batch."""
    return lw.matmul(matrix, vector.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(tril, x):
    """``x^T (L L^T)^-1 x``, the squared distance from the mean in standard deviations, for ``L = tril``."""
    batch = lw.broadcast_shapes(tril.shape[:-2], x.shape[:-1])
    tril = tril.expand(tuple(batch) + tuple(tril.shape[-2:]))
    x = x.expand(tuple(batch) + tuple(x.shape[-1:]))
    return lw.linalg.solve_triangular(tril, x.unsqueeze(-1), upper=False).pow(2).sum((-2, -1))


def _precision_to_scale_tril(precision):
    """The Cholesky factor of the inverse: with both orders turned, the inverse of a factor is lower triangular."""
    turned = lw.linalg.cholesky(lw.flip(precision, (-2, -1)))
    upper = lw.flip(turned, (-2, -1)).mT
    eye = lw.eye(precision.shape[-1], dtype=precision.dtype)
    return lw.linalg.solve_triangular(upper, eye, upper=False)


def triangle_of(covariance_matrix, precision_matrix, scale_tril):
    """The Cholesky factor of a covariance that is given in one of three ways."""
    if scale_tril is not None:
        return scale_tril
    if covariance_matrix is not None:
        return lw.linalg.cholesky(covariance_matrix)
    return _precision_to_scale_tril(precision_matrix)


def require_one(*matrices):
    if sum(matrix is not None for matrix in matrices) != 1:
        raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")


class MultivariateNormal(Located, Distribution):
    """``log p(x) = -(k log(2 pi) + log(det(S)) + (x - loc)^T S^-1 (x - loc)) / 2``, ``S`` being the covariance: samples (*, k).

    One of the three matrices (*, k, k) is given; ``scale_tril`` is the fastest.

    loc: the mean, (*, k)
    covariance_matrix: S, positive definite; None: not given
    precision_matrix: its inverse; None: not given
    scale_tril: its Cholesky factor, with a positive diagonal; None: not given
    {validate_args}

    >>> import leafward as lw
    >>> MultivariateNormal(lw.zeros(2), lw.eye(2)).entropy()
    tensor(2.8379)
    """

    arg_constraints = {"loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
                       "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Tensor | Number, covariance_matrix: Tensor | None = None, precision_matrix: Tensor | None = None,
                 scale_tril: Tensor | None = None, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        require_one(covariance_matrix, precision_matrix, scale_tril)
        for name, matrix in (("scale_tril", scale_tril), ("covariance_matrix", covariance_matrix),
                             ("precision_matrix", precision_matrix)):
            if matrix is None:
                continue
            if matrix.dim() < 2:
                what = name if name != "scale_tril" else "scale_tril matrix"
                raise ValueError(f"{what} must be at least two-dimensional, with optional leading batch dimensions")
            batch = lw.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
            setattr(self, name, matrix.expand(tuple(batch) + tuple(matrix.shape[-2:])))
        self.loc = loc.expand(tuple(batch) + tuple(loc.shape[-1:]))
        super().__init__(batch, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = triangle_of(covariance_matrix, precision_matrix, scale_tril)

    def _expand_into(self, new, batch_shape):
        super()._expand_into(new, batch_shape)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril

    def _full(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return self._full(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        tril = self._unbroadcasted_scale_tril
        return self._full(lw.matmul(tril, tril.mT))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        return self._full(lw.cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def variance(self) -> Tensor:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        noise = _standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, noise)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - self._half_log_det()

    def _half_log_det(self):
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def entropy(self) -> Tensor:
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
