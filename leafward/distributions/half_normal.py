"""The half-normal distribution."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

from leafward.distributions.half import Half
from leafward.distributions.normal import Normal

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor

__all__ = ["HalfNormal"]


class HalfNormal(Half):
    """The absolute value of a normal number around zero."""

    whole = Normal

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)
