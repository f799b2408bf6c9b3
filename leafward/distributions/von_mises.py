"""The von Mises distribution: a normal distribution of angles."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.distribution import Distribution
from leafward.distributions.location_scale import Located
from leafward.distributions.utils import broadcast_all, lazy_property

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import Number
    from leafward.tensor.tensor import Tensor

__all__ = ["VonMises"]


class VonMises(Located, Distribution):
    """``p(x) = exp(k cos(x - loc)) / (2 pi I0(k))`` on the circle; the mean is the circular one.

    loc: an angle
    concentration: k, positive; towards 0 it becomes uniform
    {validate_args}
    Source: Best and Fisher, Efficient Simulation of the von Mises Distribution, 1979, for the samples.

    >>> VonMises(lw.tensor(0.5), lw.tensor(4.0)).mean
    tensor(0.5000)
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Tensor | Number, concentration: Tensor | Number, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @lazy_property
    def variance(self) -> Tensor:
        """The circular variance, ``1 - I1(k) / I0(k)``."""
        return 1 - lw.special.i1e(self.concentration) / lw.special.i0e(self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        # log(I0(k)) = log(exp(-k) I0(k)) + k, which does not overflow.
        log_i0 = lw.special.i0e(self.concentration).log() + self.concentration
        return self.concentration * lw.cos(value - self.loc) - math.log(2 * math.pi) - log_i0

    @lazy_property
    def _loc(self):
        return self.loc.to(lw.double)

    @lazy_property
    def _concentration(self):
        return self.concentration.to(lw.double)

    @lazy_property
    def _proposal_r(self):
        """``(1 + rho**2) / (2 rho)`` of the wrapped Cauchy distribution that proposes."""
        kappa = self._concentration
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        by_formula = (1 + rho**2) / (2 * rho)
        return lw.where(kappa < 1e-5, 1 / kappa + kappa, by_formula)        # rho cancels to zero there

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw angles by rejection from a wrapped Cauchy distribution (Best and Fisher, 1979), in float64."""
        with lw.no_grad():
            shape = self._extended_shape(sample_shape)
            loc, kappa, r = (p.expand(shape) for p in (self._loc, self._concentration, self._proposal_r))
            x = lw.empty(shape, dtype=lw.double)
            done = lw.zeros(shape, dtype=lw.bool)
            while not done.all():
                u1, u2, u3 = lw.rand((3, *shape), dtype=lw.double).unbind()
                z = lw.cos(math.pi * u1)
                f = (1 + r * z) / (r + z)
                c = kappa * (r - f)
                accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
                if accept.any():
                    x = lw.where(accept, (u3 - 0.5).sign() * f.acos(), x)
                    done = done | accept
            return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)
