"""Transforms of vectors and matrices: to the simplex, to Cholesky factors, to positive definite matrices."""
from __future__ import annotations

import math
from typing import Self, TYPE_CHECKING

import leafward as lw
from leafward.nn.functional import logsigmoid, pad, softplus

from leafward.distributions import constraints
from leafward.distributions.transform_base import Transform
from leafward.distributions.utils import _clipped_sigmoid, tril_matrix_to_vec, vec_to_tril_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.distributions.constraints import Constraint
    from leafward.tensor.tensor import Tensor


def require_dims(shape, count):
    if len(shape) < count:
        raise ValueError("Too few dimensions on input")


class ReshapeTransform(Transform):
    """An event of ``in_shape`` as one of ``out_shape``.

    in_shape, out_shape: shapes of the event before and after, of as many elements
    {cache_size}

    >>> ReshapeTransform((4,), (2, 2))(lw.ones(3, 4)).shape
    torch.Size([3, 2, 2])
    """

    bijective = True

    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = lw.Size(in_shape), lw.Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self) -> Constraint:
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size: int = 1) -> Self:
        if self._cache_size == cache_size:
            return self
        return ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    def _call(self, x):
        return x.reshape(x.shape[:x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y):
        return y.reshape(y.shape[:y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x.new_zeros(x.shape[:x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return exchanged(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return exchanged(shape, self.out_shape, self.in_shape)


def exchanged(shape, event, other):
    """``shape`` with its last part, which must be ``event``, replaced by ``other``."""
    require_dims(shape, len(event))
    cut = len(shape) - len(event)
    if shape[cut:] != event:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {event}")
    return shape[:cut] + other


class SoftmaxTransform(Transform):
    """``y = exp(x) / sum(exp(x))``: onto the simplex, but not one to one, so that there is no determinant.

    {cache_size}

    >>> SoftmaxTransform()(lw.zeros(2))
    tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def __eq__(self, other):
        return isinstance(other, SoftmaxTransform)

    __hash__ = object.__hash__

    def _call(self, x):
        return lw.softmax(x, -1)

    def _inverse(self, y):
        return y.log()

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        require_dims(shape, 1)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(Transform):
    """``n`` numbers to ``n + 1`` shares: each takes a part of what the ones before it left of a stick.

    {cache_size}

    >>> StickBreakingTransform()(lw.zeros(1))
    tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def __eq__(self, other):
        return isinstance(other, StickBreakingTransform)

    __hash__ = object.__hash__

    @staticmethod
    def _log_left(x):
        """``log(n), ..., log(1)``: with these offsets, zeros become equal shares."""
        return lw.arange(x.shape[-1], 0, -1, dtype=x.dtype).log()

    def _call(self, x):
        z = _clipped_sigmoid(x - self._log_left(x))
        left = (1 - z).cumprod(-1)
        return pad(z, [0, 1], value=1) * pad(left, [1, 0], value=1)

    def _inverse(self, y):
        taken = y[..., :-1]
        left = lw.clamp(1 - taken.cumsum(-1), min=lw.finfo(y.dtype).tiny)
        return taken.log() - left.log() + self._log_left(taken)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        x = x - self._log_left(x)
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        require_dims(shape, 1)
        return shape[:-1] + (shape[-1] + 1,)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        require_dims(shape, 1)
        return shape[:-1] + (shape[-1] - 1,)


class CorrCholeskyTransform(Transform):
    """``n (n - 1) / 2`` numbers to the Cholesky factor of an ``n x n`` correlation matrix.

    Their hyperbolic tangents are partial correlations: row by row, each takes a part of a length of one.

    {cache_size}

    >>> CorrCholeskyTransform()(lw.zeros(3)).shape
    torch.Size([3, 3])
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        x = lw.tanh(x)
        eps = lw.finfo(x.dtype).eps
        r = vec_to_tril_matrix(x.clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - r**2).sqrt().cumprod(-1)
        r = r + lw.eye(r.shape[-1], dtype=r.dtype)
        return r * pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y):
        left = pad((1 - lw.cumsum(y * y, dim=-1))[..., :-1], [1, 0], value=1)
        t = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2                            # atanh, which keeps more digits so

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        left = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        of_stick = 0.5 * left.log().sum(-1)
        of_tanh = -2 * (x + softplus(-2 * x) - math.log(2.0)).sum(dim=-1)
        return of_stick + of_tanh

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        require_dims(shape, 1)
        count = shape[-1]
        n = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != count:
            raise ValueError("Input is not a flattend lower-diagonal number")
        return shape[:-1] + (n, n)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        require_dims(shape, 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        n = shape[-1]
        return shape[:-2] + (n * (n - 1) // 2,)


class LowerCholeskyTransform(Transform):
    """The part below the diagonal as it is, and the exponential of the diagonal: (*, n, n) -> (*, n, n).

    {cache_size}

    >>> LowerCholeskyTransform()(lw.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def __eq__(self, other):
        return isinstance(other, LowerCholeskyTransform)

    __hash__ = object.__hash__

    def _call(self, x):
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y):
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Transform):
    """``y = L L^T``, ``L`` being the :class:`LowerCholeskyTransform` of ``x``: (*, n, n) -> (*, n, n).

    {cache_size}

    >>> PositiveDefiniteTransform()(lw.tensor([[0.0, 5.0], [1.0, 0.0]]))
    tensor([[1., 1.],
            [1., 2.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def __eq__(self, other):
        return isinstance(other, PositiveDefiniteTransform)

    __hash__ = object.__hash__

    def _call(self, x):
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y):
        return LowerCholeskyTransform().inv(lw.linalg.cholesky(y))
