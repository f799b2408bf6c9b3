"""What distributions around a ``loc`` share."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.distributions import constraints
from leafward.distributions.distribution import Distribution
from leafward.distributions.utils import broadcast_all

if TYPE_CHECKING:
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor


class Located:
    """The mean and the mode are ``loc``."""

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc


class LocationScale(Distribution):
    """Numbers ``loc + scale * z``, where only the distribution of z differs."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Tensor | Number, scale: Tensor | Number, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)
