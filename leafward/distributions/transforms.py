"""Transformations of random values, with the logarithm of the determinant of their Jacobian.

The elementwise ones are here; those of vectors and matrices in ``matrix_transforms``; all go by the names here.
"""
from __future__ import annotations

import math
from typing import Any, Self, TYPE_CHECKING

import leafward as lw
from leafward.nn.functional import softplus

from leafward.distributions import constraints
from leafward.distributions.matrix_transforms import (
    CorrCholeskyTransform, LowerCholeskyTransform, PositiveDefiniteTransform, ReshapeTransform, SoftmaxTransform,
    StickBreakingTransform,
)
from leafward.distributions.split_transforms import CatTransform, StackTransform
from leafward.distributions.transform_base import (  # noqa: F401  (PyTorch's name for an inverse is here)
    ComposeTransform, IndependentTransform, Transform, _InverseTransform, identity_transform, of_events,
)
from leafward.distributions.utils import _clipped_sigmoid, _sum_rightmost, broadcast_all

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.distributions.constraints import Constraint
    from leafward.distributions.distribution import Distribution
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
           "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform", "LowerCholeskyTransform",
           "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftplusTransform",
           "TanhTransform", "SoftmaxTransform", "StackTransform", "StickBreakingTransform", "Transform",
           "identity_transform"]


# --- elementwise -----------------------------------------------------------------------------------------------------

class Elementwise(Transform):
    """A bijective, increasing map of single numbers; all of its kind are equal."""

    domain = constraints.real
    bijective = True
    sign = +1

    def __eq__(self, other):
        return isinstance(other, type(self))

    __hash__ = object.__hash__


class ExpTransform(Elementwise):
    """``y = exp(x)``.

    {cache_size}

    >>> ExpTransform()(lw.tensor(0.0))
    tensor(1.)
    """

    codomain = constraints.positive

    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """``y = x ** exponent`` of positive numbers.

    exponent: not zero
    {cache_size}

    >>> PowerTransform(lw.tensor(2.0)).inv(lw.tensor(9.0))
    tensor(3.)
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Tensor | Number, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def with_cache(self, cache_size: int = 1) -> Self:
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size=cache_size)

    @property
    def sign(self) -> Any:
        return self.exponent.sign()

    def __eq__(self, other):
        return isinstance(other, PowerTransform) and self.exponent.eq(other.exponent).all().item()

    __hash__ = object.__hash__

    def _call(self, x):
        return x.pow(self.exponent)

    def _inverse(self, y):
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return lw.broadcast_shapes(shape, self.exponent.shape)

    inverse_shape = forward_shape


class SigmoidTransform(Elementwise):
    """``y = 1 / (1 + exp(-x))``, kept off 0 and 1.

    {cache_size}

    >>> SigmoidTransform()(lw.tensor(0.0))
    tensor(0.5000)
    """

    codomain = constraints.unit_interval

    def _call(self, x):
        return _clipped_sigmoid(x)

    def _inverse(self, y):
        limits = lw.finfo(y.dtype)
        y = y.clamp(min=limits.tiny, max=1.0 - limits.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x) - softplus(x)


class SoftplusTransform(Elementwise):
    """``y = log(1 + exp(x))``.

    {cache_size}

    >>> SoftplusTransform()(lw.tensor(0.0))
    tensor(0.6931)
    """

    codomain = constraints.positive

    def _call(self, x):
        return softplus(x)

    def _inverse(self, y):
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x)


class TanhTransform(Elementwise):
    """``y = tanh(x)``.

    {cache_size}

    >>> TanhTransform()(lw.tensor(0.0))
    tensor(0.)
    """

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return y.atanh()            # nothing is clamped: a cache is the way to stay off -1 and 1

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(Transform):
    """``y = abs(x)``; its inverse is the positive one.

    {cache_size}

    >>> AbsTransform()(lw.tensor(-2.0))
    tensor(2.)
    """

    domain = constraints.real
    codomain = constraints.positive

    def __eq__(self, other):
        return isinstance(other, AbsTransform)

    __hash__ = object.__hash__

    def _call(self, x):
        return x.abs()

    def _inverse(self, y):
        return y


class AffineTransform(Transform):
    """``y = loc + scale x``.

    loc: what is added
    scale: what x is multiplied by, not zero
    event_dim: how many last dimensions make up one event; 0: numbers
    {cache_size}

    >>> AffineTransform(1.0, 2.0)(lw.tensor(3.0))
    tensor(7.)
    """

    bijective = True

    def __init__(self, loc: Tensor | Number, scale: Tensor | Number, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        return of_events(constraints.real, self.event_dim)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        return of_events(constraints.real, self.event_dim)

    def with_cache(self, cache_size: int = 1) -> Self:
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self.event_dim, cache_size=cache_size)

    def __eq__(self, other):
        return isinstance(other, AffineTransform) and all(
            (ours == theirs) if isinstance(ours, (int, float)) and isinstance(theirs, (int, float))
            else bool(lw.as_tensor(ours == theirs).all().item())
            for ours, theirs in ((self.loc, other.loc), (self.scale, other.scale)))

    __hash__ = object.__hash__

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, (int, float)):
            return 1 if self.scale > 0 else -1 if self.scale < 0 else 0
        return self.scale.sign()

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if isinstance(self.scale, (int, float)):
            result = lw.full_like(x, math.log(abs(self.scale)))
        else:
            result = lw.abs(self.scale).log()
        return _sum_rightmost(result.expand(x.shape), self.event_dim)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return lw.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


class CumulativeDistributionTransform(Transform):
    """``y = distribution.cdf(x)``: uniform on [0, 1] for an ``x`` of that distribution.

    distribution: one with ``cdf`` and ``icdf``
    {cache_size}

    >>> CumulativeDistributionTransform(lw.distributions.Normal(0.0, 1.0))(lw.tensor(0.0))
    tensor(0.5000)
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Constraint:
        return self.distribution.support

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size: int = 1) -> Self:
        if self._cache_size == cache_size:
            return self
        return CumulativeDistributionTransform(self.distribution, cache_size=cache_size)
