"""The logistic normal distribution, on the simplex."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.distributions import constraints
from leafward.distributions.normal import Normal
from leafward.distributions.transformed_distribution import TransformedDistribution
from leafward.distributions.transforms import StickBreakingTransform

if TYPE_CHECKING:
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """Normal numbers (*, K), made K + 1 shares of one by breaking a stick: (*, K) -> samples (*, K + 1).

    loc, scale: means and standard deviations of the normal numbers; scale is positive
    {validate_args}

    >>> LogisticNormal(lw.zeros(3), lw.ones(3)).sample().shape
    torch.Size([4])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Tensor | Number, scale: Tensor | Number, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        """The means of the normal numbers."""
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> Tensor:
        """Their standard deviations."""
        return self.base_dist.base_dist.scale
