"""The Pareto distribution."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.distributions import constraints
from leafward.distributions.exponential import Exponential
from leafward.distributions.transformed_distribution import TransformedDistribution
from leafward.distributions.transforms import AffineTransform, ExpTransform
from leafward.distributions.utils import broadcast_all

if TYPE_CHECKING:
    from leafward.distributions.constraints import Constraint
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["Pareto"]


class Pareto(TransformedDistribution):
    """``P(X > x) = (scale / x)**alpha`` for ``x >= scale``.

    scale: the smallest value, positive
    alpha: the larger, the lighter the tail; positive
    {validate_args}

    >>> Pareto(lw.tensor(1.0), lw.tensor(3.0)).mean
    tensor(1.5000)
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale: Tensor | Number, alpha: Tensor | Number, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        super().__init__(Exponential(self.alpha, validate_args=validate_args),
                         [ExpTransform(), AffineTransform(loc=0, scale=self.scale)], validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        Pareto.__init__(new, self.scale.expand(batch_shape), self.alpha.expand(batch_shape), validate_args=False)

    @property
    def mean(self) -> Tensor:
        a = self.alpha.clamp(min=1)                 # infinite from there down
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Constraint:
        return constraints.greater_than_eq(self.scale)

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())
