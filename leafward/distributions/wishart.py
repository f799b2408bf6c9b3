"""The Wishart distribution of covariance matrices."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import leafward as lw

from leafward.errors import warn
from leafward.distributions import constraints
from leafward.distributions.chi2 import Chi2
from leafward.distributions.exp_family import ExponentialFamily
from leafward.distributions.multivariate_normal import require_one, triangle_of
from leafward.distributions.utils import lazy_property

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.distributions.constraints import Constraint
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["Wishart"]


def _mvdigamma(x, p):
    """The slope of the logarithm of the multivariate gamma function."""
    return lw.digamma(x.unsqueeze(-1) - lw.arange(p, dtype=x.dtype).div(2).expand(x.shape + (-1,))).sum(-1)


def _clamp_above_eps(x):
    return x.clamp(min=lw.finfo(x.dtype).eps)


class Wishart(ExponentialFamily):
    """``p(X) ~ det(X)**((df - p - 1) / 2) exp(-trace(V^-1 X) / 2)`` on positive definite ``p x p`` matrices.

    One of the three matrices (*, p, p) is given.

    df: degrees of freedom, more than ``p - 1``
    covariance_matrix: V, positive definite; None: not given
    precision_matrix: its inverse; None: not given
    scale_tril: its Cholesky factor, with a positive diagonal; None: not given
    {validate_args}
    Source: Sawyer, Wishart Distributions and Inverse-Wishart Sampling, 2007.

    >>> Wishart(lw.tensor(3.0), lw.eye(2)).mean
    tensor([[3., 0.],
            [0., 3.]])
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self) -> dict[str, Constraint]:
        """``df`` exceeds ``p - 1``."""
        return {"covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
                "scale_tril": constraints.lower_cholesky,
                "df": constraints.greater_than(self.event_shape[-1] - 1)}

    def __init__(self, df: Tensor | Number, covariance_matrix: Tensor | None = None, precision_matrix: Tensor | None = None,
                 scale_tril: Tensor | None = None, validate_args: bool | None = None) -> None:
        require_one(covariance_matrix, precision_matrix, scale_tril)
        given = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        name, matrix = next((name, matrix) for name, matrix in given.items() if matrix is not None)
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if not isinstance(df, lw.Tensor):
            df = lw.tensor(df, dtype=matrix.dtype)
        batch, event_shape = lw.broadcast_shapes(df.shape, matrix.shape[:-2]), matrix.shape[-2:]
        self.df = df.expand(tuple(batch))
        if self.df.le(event_shape[-1] - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {event_shape[-1] - 1}.")
        setattr(self, name, matrix.expand(tuple(batch) + tuple(event_shape)))
        super().__init__(batch, event_shape, validate_args=validate_args)
        if self.df.lt(event_shape[-1]).any():
            warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.")
        self._unbroadcasted_scale_tril = triangle_of(covariance_matrix, precision_matrix, scale_tril)
        # Bartlett: the squared diagonal of the factor is chi-squared, with one degree less from row to row.
        rows = lw.arange(event_shape[-1], dtype=matrix.dtype)
        self._chi2 = Chi2(df=self.df.unsqueeze(-1) - rows)

    def _expand_into(self, new, batch_shape):
        # The constraints are an instance's here, and `new` has no shape yet to read them from.
        event = tuple(self.event_shape)
        for name in ("covariance_matrix", "precision_matrix", "scale_tril"):
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(tuple(batch_shape) + event))
        new.df = self.df.expand(batch_shape)
        new._chi2 = self._chi2.expand(tuple(batch_shape) + event[:1])
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril.expand(tuple(batch_shape) + event)

    def _full(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of ``V``."""
        return self._full(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """``V``."""
        tril = self._unbroadcasted_scale_tril
        return self._full(tril @ tril.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of ``V``."""
        return self._full(lw.cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def mean(self) -> Tensor:
        return self.df.reshape(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = lw.where(factor <= 0, float("nan"), factor)
        return factor.reshape(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        V = self.covariance_matrix
        diagonal = V.diagonal(dim1=-2, dim2=-1)
        return self.df.reshape(self._batch_shape + (1, 1)) * (
            V.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def _bartlett_sampling(self, sample_shape):
        p = self._event_shape[-1]
        noise = _clamp_above_eps(self._chi2.rsample(sample_shape).sqrt()).diag_embed(dim1=-2, dim2=-1)
        rows, columns = lw.tril_indices(p, p, offset=-1)
        noise[..., rows, columns] = lw.randn((*sample_shape, *self._batch_shape, p * (p - 1) // 2), dtype=noise.dtype)
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    def rsample(self, sample_shape: Sequence[int] = (), max_try_correction: int | None = None) -> Tensor:
        """Draw ``L A A^T L^T``, ``A`` of Bartlett's decomposition; what rounds to a singular matrix is drawn again."""
        if max_try_correction is None:
            max_try_correction = 3 if self.event_shape[-1] > 1 else 0
        sample_shape = lw.Size(sample_shape)
        sample = self._bartlett_sampling(sample_shape)
        is_singular = ~self.support.check(sample)
        for _ in range(max_try_correction if is_singular.any() else 0):
            warn("Singular sample detected.")
            sample = lw.where(is_singular[..., None, None], self._bartlett_sampling(sample_shape), sample)
            is_singular = ~self.support.check(sample)
            if not is_singular.any():
                break
        return sample

    def _half_log_det(self):
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        nu, p = self.df, self._event_shape[-1]
        tril = self._unbroadcasted_scale_tril
        whitened = lw.cholesky_solve(value, tril)
        return (-nu * (p * math.log(2) / 2 + self._half_log_det()) - lw.mvlgamma(nu / 2, p=p)
                + (nu - p - 1) / 2 * lw.linalg.slogdet(value).logabsdet
                - whitened.diagonal(dim1=-2, dim2=-1).sum(dim=-1) / 2)

    def entropy(self) -> Tensor:
        nu, p = self.df, self._event_shape[-1]
        return ((p + 1) * (p * math.log(2) / 2 + self._half_log_det()) + lw.mvlgamma(nu / 2, p=p)
                - (nu - p - 1) / 2 * _mvdigamma(nu / 2, p=p) + nu * p / 2)

    @property
    def _natural_params(self):
        return 0.5 * self.df, -0.5 * self.precision_matrix

    def _log_normalizer(self, x, y):
        p = self._event_shape[-1]
        return x * (-lw.linalg.slogdet(-2 * y).logabsdet + math.log(2) * p) + lw.mvlgamma(x, p=p)
