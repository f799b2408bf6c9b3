"""The chi-squared distribution."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.distributions import constraints
from leafward.distributions.gamma import Gamma

if TYPE_CHECKING:
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The sum of ``df`` squared standard normals: a gamma distribution of concentration ``df / 2`` and rate 1/2.

    df: degrees of freedom, positive
    {validate_args}

    >>> Chi2(lw.tensor(3.0)).mean
    tensor(3.)
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Tensor | Number, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        """Degrees of freedom."""
        return self.concentration * 2
