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
    """The absolute value of a normal number around zero: ``p(x) = sqrt(2 / pi) exp(-(x / scale)**2 / 2) / scale``.

    scale: standard deviation of the whole distribution, positive
    {validate_args}

    >>> HalfNormal(1.0).mean
    tensor(0.7979)
    """

    whole = Normal

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)
