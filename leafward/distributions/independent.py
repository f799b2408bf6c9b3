"""Batch dimensions as part of one event."""
from __future__ import annotations


from typing import TYPE_CHECKING

from leafward.distributions import constraints
from leafward.distributions.distribution import Distribution
from leafward.distributions.utils import _sum_rightmost, taken_from

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.distributions.constraints import Constraint
    from leafward.tensor.tensor import Tensor

__all__ = ["Independent"]


class Independent(Distribution):
    """``base_distribution`` with its last batch dimensions counted as event dimensions: log-probabilities add up over them.

    base_distribution: any distribution
    reinterpreted_batch_ndims: how many of its batch dimensions
    {validate_args}

    >>> import leafward as lw
    >>> from leafward.distributions import Normal
    >>> Independent(Normal(lw.zeros(3), 1.0), 1).log_prob(lw.zeros(3))
    tensor(-2.7568)
    """

    arg_constraints = {}

    def __init__(self, base_distribution: Distribution, reinterpreted_batch_ndims: int,
                 validate_args: bool | None = None) -> None:
        if reinterpreted_batch_ndims > len(base_distribution.batch_shape):
            raise ValueError("Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                             f"actual {reinterpreted_batch_ndims} vs {len(base_distribution.batch_shape)}")
        shape = base_distribution.batch_shape + base_distribution.event_shape
        start = len(base_distribution.batch_shape) - reinterpreted_batch_ndims
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(shape[:start], shape[start:], validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        new.base_dist = self.base_dist.expand(batch_shape + self.event_shape[:self.reinterpreted_batch_ndims])
        new.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims

    has_rsample = taken_from("base_dist", "has_rsample")

    @property
    def has_enumerate_support(self) -> bool:
        return self.reinterpreted_batch_ndims <= 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Constraint:
        found = self.base_dist.support
        return constraints.independent(found, self.reinterpreted_batch_ndims) if self.reinterpreted_batch_ndims else found

    mean = taken_from("base_dist", "mean")
    mode = taken_from("base_dist", "mode")
    variance = taken_from("base_dist", "variance")

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
