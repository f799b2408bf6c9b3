"""Incomplete gamma functions.

Source: DLMF 8.2.4
"""
from leafward.core.op import op

from leafward.ops.kinds import refuse_kinds, without_derivative


def density(xp, x, y):
    """``y ** (x - 1) exp(-y) / gamma(x)``: the slope of the lower function in ``y``."""
    x = xp.astype(x, y.dtype) if x.dtype.kind in "biu" else x
    return xp.exp((x - 1) * xp.log(y) - y - xp.lgamma(x))


@op("igamma", "special.gammainc", numbers="", elementwise=True, domain="pos",
    samples=["3 4 | 3 4", "3 1 | 4", "+1. +2. +30. | +0.5 +9. +30.", "+0. +0. +2. | +0. +1. +0."])
def igamma(xp, x, y, out=None):
    """Lower incomplete gamma function, regularized: ``1 / gamma(x) integral of t ** (x - 1) exp(-t) from 0 to y``."""
    refuse_kinds(x, "biuc", "igamma_cpu")
    return xp.incomplete.igamma(x, y, out=out)


without_derivative(igamma, "x", "igamma", "igamma: input")


@igamma.vjp("y")
def igamma_dy(xp, g, x, y):
    return g * density(xp, x, y)


@op("igammac", "special.gammaincc", numbers="", elementwise=True, domain="pos",
    samples=["3 4 | 3 4", "3 1 | 4", "+1. +2. +30. | +0.5 +9. +30.", "+0. +0. +2. | +0. +1. +0."])
def igammac(xp, x, y, out=None):
    """Upper incomplete gamma function, regularized: ``out = 1 - igamma(x, y)``."""
    refuse_kinds(x, "biuc", "igammac_cpu")
    return xp.incomplete.igammac(x, y, out=out)


without_derivative(igammac, "x", "igammac", "igammac: input")


@igammac.vjp("y")
def igammac_dy(xp, g, x, y):
    return g * -density(xp, x, y)
