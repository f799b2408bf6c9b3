"""Sines, cosines and tangents, of circles and of hyperbolas, and their inverses."""
import math

from leafward.core.op import op

from leafward.ops.kinds import is_complex, refuse_kinds


# --- the circle ------------------------------------------------------------------------------------------------------

@op("sin", elementwise=True, dtype="floating", inplace="method, function", foreach=True, samples=["3 4", ""])
def sin(xp, x, out=None):
    """Sine: ``out = sin(x)``."""
    return xp.sin(x, out=out)


@sin.vjp("x")
def sin_dx(xp, g, x):
    return g * xp.conj(xp.cos(x))


@op("cos", elementwise=True, dtype="floating", inplace="method, function", foreach=True, samples=["3 4", ""])
def cos(xp, x, out=None):
    """Cosine: ``out = cos(x)``."""
    return xp.cos(x, out=out)


@cos.vjp("x")
def cos_dx(xp, g, x):
    return g * -xp.conj(xp.sin(x))


@op("tan", elementwise=True, dtype="floating", inplace="method, function", foreach=True, samples=["3 4", ""])
def tan(xp, x, out=None):
    """Tangent: ``out = sin(x) / cos(x)``."""
    return xp.tan(x, out=out)


@tan.vjp("x")
def tan_dx(xp, g, out):
    return g * xp.conj(1 + out * out)


@op("asin", "arcsin", elementwise=True, dtype="floating", domain="unit", inplace="method, function", foreach=True,
    samples=["3 4", "", "+0. +1. -1. +2."])
def asin(xp, x, out=None):
    """Angle whose sine is x, in [-pi/2, pi/2]."""
    return xp.asin(x, out=out)


@asin.vjp("x")
def asin_dx(xp, g, x):
    return g * xp.conj((1 - x * x) ** -0.5)


@op("acos", "arccos", elementwise=True, dtype="floating", domain="unit", inplace="method, function", foreach=True,
    samples=["3 4", "", "+0. +1. -1. +2."])
def acos(xp, x, out=None):
    """Angle whose cosine is x, in [0, pi]."""
    return xp.acos(x, out=out)


@acos.vjp("x")
def acos_dx(xp, g, x):
    return g * -xp.conj((1 - x * x) ** -0.5)


@op("atan", "arctan", elementwise=True, dtype="floating", inplace="method, function", foreach=True, samples=["3 4", ""])
def atan(xp, x, out=None):
    """Angle whose tangent is x, in (-pi/2, pi/2)."""
    return xp.atan(x, out=out)


@atan.vjp("x")
def atan_dx(xp, g, x):
    return g / xp.conj(x * x + 1)


@op("atan2", "arctan2", numbers="", elementwise=True, dtype="floating",
    samples=["3 4 | 3 4", "3 1 | 1 4", "+0. +1. -1. | -1. +0. -1."])
def atan2(xp, x, y, out=None):
    """Angle of the point with abscissa y and ordinate x, in [-pi, pi]: ``tan(out) = x / y``."""
    refuse_kinds(x, "c", "atan2_cpu")
    return xp.atan2(x, y, out=out)


def square_of_distance(xp, x, y):
    """From the origin; there it is taken for infinite, so that the slope of the angle is 0."""
    square = x * x + y * y
    return xp.where(square == 0, math.inf, square)


@atan2.vjp("x")
def atan2_dx(xp, g, x, y):
    return g * (y / square_of_distance(xp, x, y))


@atan2.vjp("y")
def atan2_dy(xp, g, x, y):
    return g * -(x / square_of_distance(xp, x, y))


@op("sinc", "special.sinc", elementwise=True, inplace="method, function", dtype="floating", samples=["3 4", "", "+0. +1. +0.5"])
def sinc(xp, x):
    """Sine by its angle: ``out = sin(pi x) / (pi x)``, and 1 at 0.

    >>> lw.sinc(lw.tensor([0., 0.5, 1.5]))
    tensor([ 1.0000,  0.6366, -0.2122])
    """
    angle = math.pi * x
    return xp.where(x == 0, 1, xp.sin(angle) / xp.where(x == 0, 1, angle))


@sinc.vjp("x")
def sinc_dx(xp, g, x):
    angle = math.pi * x
    below = angle * x                                       # 0 long before x is
    slope = (xp.cos(angle) * angle - xp.sin(angle)) / xp.where(below == 0, 1, below)
    return xp.where(below == 0, 0, g * xp.conj(slope))


# --- the hyperbola ---------------------------------------------------------------------------------------------------

@op("sinh", elementwise=True, dtype="floating", inplace="method, function", foreach=True, samples=["3 4", ""])
def sinh(xp, x, out=None):
    """Hyperbolic sine: ``out = (exp(x) - exp(-x)) / 2``."""
    return xp.sinh(x, out=out)


@sinh.vjp("x")
def sinh_dx(xp, g, x):
    return g * xp.conj(xp.cosh(x))


@op("cosh", elementwise=True, dtype="floating", inplace="method, function", foreach=True, samples=["3 4", ""])
def cosh(xp, x, out=None):
    """Hyperbolic cosine: ``out = (exp(x) + exp(-x)) / 2``."""
    return xp.cosh(x, out=out)


@cosh.vjp("x")
def cosh_dx(xp, g, x):
    return g * xp.conj(xp.sinh(x))


@op("tanh", "nn.functional.tanh", elementwise=True, dtype="floating", inplace="method, function", foreach=True,
    samples=["3 4", "", "-90 +90"])
def tanh(xp, x, out=None):
    """Hyperbolic tangent: ``out = sinh(x) / cosh(x)``."""
    return xp.tanh(x, out=out)


@tanh.vjp("x")
def tanh_dx(xp, g, out):
    return g * xp.conj(1 - out * out)


@op("asinh", "arcsinh", elementwise=True, dtype="floating", inplace="method, function", samples=["3 4", ""])
def asinh(xp, x, out=None):
    """Inverse of sinh: ``out = log(x + sqrt(x ** 2 + 1))``."""
    return xp.asinh(x, out=out)


@asinh.vjp("x")
def asinh_dx(xp, g, x):
    return g * xp.conj((x * x + 1) ** -0.5)


@op("acosh", "arccosh", elementwise=True, dtype="floating", inplace="method, function", samples=["+1.5 +2. +9.", "+1. +0. -2."])
def acosh(xp, x, out=None):
    """Inverse of cosh: ``out = log(x + sqrt(x ** 2 - 1))``."""
    return xp.acosh(x, out=out)


@acosh.vjp("x")
def acosh_dx(xp, g, x):
    if is_complex(x):                       # one root of the product would have the wrong sign on the left half-plane
        return g * xp.conj((x + 1) ** -0.5 * (x - 1) ** -0.5)
    return g * (x * x - 1) ** -0.5


@op("atanh", "arctanh", elementwise=True, dtype="floating", domain="unit", inplace="method, function",
    samples=["3 4", "", "+0. +1. -1. +2."])
def atanh(xp, x, out=None):
    """Inverse of tanh: ``out = log((1 + x) / (1 - x)) / 2``."""
    return xp.atanh(x, out=out)


@atanh.vjp("x")
def atanh_dx(xp, g, x):
    return g / xp.conj(1 - x * x)
