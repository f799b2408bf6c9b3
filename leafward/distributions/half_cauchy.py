"""The half-Cauchy distribution."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions.cauchy import Cauchy
from leafward.distributions.half import Half
from leafward.distributions.utils import taken_from

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor

__all__ = ["HalfCauchy"]


class HalfCauchy(Half):
    """The absolute value of a Cauchy number around zero: ``p(x) = 2 / (pi scale (1 + (x / scale)**2))``.

    scale: of the whole distribution, positive; the median
    {validate_args}

    >>> HalfCauchy(1.0).cdf(lw.tensor(1.0))
    tensor(0.5000)
    """

    whole = Cauchy

    @property
    def mean(self) -> Tensor:
        return lw.full(self._extended_shape(), math.inf, dtype=self.scale.dtype)

    variance = taken_from("base_dist", "variance")

    def log_prob(self, value: Tensor) -> Tensor:
        # Where nothing is validated, a plain number will do.
        return super().log_prob(value if self._validate_args else lw.as_tensor(value, dtype=self.scale.dtype))
