"""Rounding, signs, and the bits around a number: all flat almost everywhere, so most gradients here are zero.

Args:
    decimals: the number of digits behind the point; below 0, before it
    values: the result where `input` is 0
    nan: what NaN becomes; None: 0
    posinf: what inf becomes; None: the largest number
    neginf: what -inf becomes; None: the smallest number
"""
import math

from leafward.core.op import op
from leafward.errors import OptionError

from leafward.ops.checks import scalar_name
from leafward.ops.kinds import common_dtype, is_complex, is_number, refuse_kinds, without_derivative


def zero(xp, g):
    return xp.zeros_like(g)


# --- rounding --------------------------------------------------------------------------------------------------------

def refuse_rounding(x, name):
    if x.dtype.kind == "c":
        raise NotImplementedError(f"{name} is not supported for complex inputs")
    refuse_kinds(x, "b", f"{name}_vml_cpu")


@op("floor", elementwise=True, inplace="method, function", foreach=True, samples=["3 4", "", "-1.5 -0.5 +0. +0.5 +2."])
def floor(xp, x, out=None):
    """The greatest integer that is not greater: ``out <= x < out + 1``."""
    refuse_rounding(x, "floor")
    return xp.floor(x, out=out)


@op("ceil", elementwise=True, inplace="method, function", foreach=True, samples=["3 4", "", "-1.5 -0.5 +0. +0.5 +2."])
def ceil(xp, x, out=None):
    """The smallest integer that is not smaller: ``out - 1 < x <= out``."""
    refuse_rounding(x, "ceil")
    return xp.ceil(x, out=out)


@op("trunc", "fix", elementwise=True, inplace="method, function", foreach=True, samples=["3 4", "", "-1.5 -0.5 +0. +0.5 +2."])
def trunc(xp, x, out=None):
    """Drop what stands behind the point: ``out = sign(x) * floor(abs(x))``."""
    refuse_rounding(x, "trunc")
    return xp.trunc(x, out=out)


for flat in (floor, ceil, trunc):
    flat.vjp("x")(zero)


@op("frac", elementwise=True, inplace="method, function", foreach=True, samples=["3 4", "", "-1.5 -0.5 +0. +0.5 +2."])
def frac(xp, x, out=None):
    """What stands behind the point: ``out = x - trunc(x)``."""
    refuse_kinds(x, "biuc", "frac_cpu")
    return xp.subtract(x, xp.trunc(x), out=out)


@frac.vjp("x")
def frac_dx(g):
    return g


@op("round", elementwise=True, node=lambda given: "RoundBackward1" if given["decimals"] else "RoundBackward0",
    inplace="method, function", foreach=True,
    samples=["3 4", "", "-1.5 -0.5 +0.5 +1.5 +2.5", "3 4 ; decimals=2", "+1234.5 -1250. ; decimals=-2"])
def round_(xp, x, *, decimals: int = 0, out=None):
    """The nearest number with ``decimals`` digits behind the point, the even one of two."""
    if decimals == 0:
        refuse_rounding(x, "round")
        return xp.rint(x, out=out) if x.dtype.kind not in "iu" else xp.positive(x, out=out)
    refuse_kinds(x, "biuc", "round_cpu")
    scale = 10.0 ** abs(decimals) if abs(decimals) <= 308 else float("inf")
    if decimals > 0:
        return xp.divide(xp.rint(x * scale), scale, out=out)
    return xp.multiply(xp.rint(x / scale), scale, out=out)


round_.vjp("x")(zero)

@op("special.round", elementwise=True, inplace=False, node="RoundBackward1", samples=["3 4", "3 4 ; decimals=2"])
def special_round(xp, x, *, decimals: int = 0, out=None):
    """The nearest number with ``decimals`` digits behind the point, the even one of two; no integers."""
    refuse_kinds(x, "biuc", "round_vml_cpu")
    return round_.forward(xp, x, decimals=decimals, out=out)


special_round.vjp("x")(zero)


# --- signs -----------------------------------------------------------------------------------------------------------

@op("abs", "torch.absolute", "Tensor.absolute", elementwise=True, operator="abs",
    inplace="method, function", foreach=True, samples=["3 4", "", "+0. -0. -2."])
def abs_(xp, x, out=None):
    """Distance from zero: ``out = abs(x)``."""
    refuse_kinds(x, "b", "abs_cpu")
    return xp.abs(x) if x.dtype.kind == "c" else xp.abs(x, out=out)


@abs_.vjp("x")
def abs_dx(xp, g, x):
    return g * xp.sgn(x)


@op("sign", elementwise=True, foreach=True, samples=["3 4", "", "+0. -0. -2.", "+nan -inf"])
def sign(xp, x, out=None):
    """Which side of zero: ``out = -1, 0 or 1``."""
    if x.dtype.kind == "c":
        raise NotImplementedError("Unlike NumPy, torch.sign is not intended to support complex numbers. "
                                  "Please use torch.sgn instead.")
    return side(xp, x, out)


sign.vjp("x")(zero)


def side(xp, x, out):
    """-1, 0 or 1; of complex numbers the direction."""
    return xp.logical_or(x, x, out=out) if x.dtype.kind == "b" else xp.sgn(x, out=out)


@op("sgn", elementwise=True, array_api="sign", samples=["3 4", "", "+0. -2."])
def sgn(xp, x, out=None):
    """Direction from zero: ``out = x / abs(x)``, and 0 at 0."""
    return side(xp, x, out)


@sgn.vjp("x")
def sgn_dx(xp, g, x, out):
    if not is_complex(x):
        return xp.zeros_like(g)
    # Along the direction itself, sgn does not change.
    turn = g - xp.real(g * xp.conj(out)) * out
    size = xp.abs(x)
    return xp.where(size == 0, 0, turn / xp.where(size == 0, 1, size))


@op("signbit", elementwise=True, dtype="bool", nondifferentiable="x", samples=["3 4", "", "+0. -2."])
def signbit(xp, x, out=None):
    """Whether the sign bit is set: true for negative numbers and for -0."""
    if x.dtype.kind == "c":
        raise RuntimeError("signbit is not implemented for complex tensors.")
    return xp.signbit(x, out=out) if x.dtype.kind not in "biu" else xp.less(x, 0, out=out)


@op("copysign", elementwise=True, dtype="floating",
    node=lambda given: "CopysignBackward1" if is_number(given["y"]) else "CopysignBackward0",
    samples=["3 4 | 3 4", "3 1 | 1 4", "3 4 | = -1", "+0. +1. -1. | -1. -1. +1."])
def copysign(xp, x, y, out=None):
    """The size of one with the sign of the other: ``out = abs(x) * sign(y)``."""
    refuse_kinds(x, "c", "copysign_cpu")
    return xp.copysign(x, y, out=out)


@copysign.vjp("x")
def copysign_dx(xp, g, x, out):
    return g * xp.where(x == 0, 0, out / xp.where(x == 0, 1, x))


copysign.vjp("y")(zero)


@op("nextafter", elementwise=True, numbers="", dtype=None,      # None: each half type has its own neighbours
    samples=["3 4 | 3 4", "3 1 | 1 4", "+1. +2. +0. -0. +inf | +2. +2. -1. +0. +0."])
def nextafter(xp, x, y, out=None):
    """The number next to ``x`` on the way to ``y``: ``x`` itself where they are equal."""
    dtype = common_dtype(xp, x, y)
    x, y = xp.astype(x, dtype), xp.astype(y, dtype)
    refuse_kinds(x, "biuc", "nextafter_cpu")
    if out is not None and out.dtype.kind in "biu":
        raise RuntimeError(f"result type {scalar_name(x)} can't be cast to the desired output type {scalar_name(out)}")
    return xp.nextafter(x, y, out=out)


@nextafter.vjp("x")
def nextafter_dx(xp, g, x, y):
    return xp.where(x == y, 0, g)


nextafter.vjp("y")(zero)


@op("heaviside", numbers="", elementwise=True, node="NotImplemented", samples=["3 4 | 3 4", "+0. +1. -1. | +0.5 +0.5 +0.5"],
    errors=[("3 | int5: 3", RuntimeError,
             "heaviside is not yet implemented for tensors with different dtypes.")], dtype=None)
def heaviside(xp, x, values, out=None):
    """The unit step: 0 below zero, ``values`` at zero, 1 above."""
    if x.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    if x.dtype.kind == "c":
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    return xp.where(x == 0, values, xp.astype(x > 0, x.dtype))


without_derivative(heaviside, "x, values", "heaviside")


# --- what is not a number --------------------------------------------------------------------------------------------

@op("nan_to_num", elementwise=True, inplace="method, function", dtype=None,        # None: each half type has its own limits
    samples=["3 4", "+inf -inf +nan +1.", "+inf -inf +nan ; nan=2., posinf=3., neginf=-4."],
    errors=[("3 ; nan='a'", TypeError, "nan_to_num(): argument 'nan' must be float, not str"),
            ("3 ; posinf=1j", TypeError, "nan_to_num(): argument 'posinf' must be float, not complex")])
def nan_to_num(xp, x, nan=None, posinf=None, neginf=None):
    """Finite stand-ins for nan (0) and the infinities (the largest and smallest number).

    >>> lw.nan_to_num(lw.tensor([float("nan"), float("inf"), 1.]), nan=0., posinf=9.)
    tensor([0., 9., 1.])
    """
    for value in (nan, posinf, neginf):
        if not (value is None or isinstance(value, (int, float)) or hasattr(value, "__float__")):
            raise OptionError(value, "float")
    if x.dtype.kind in "biu":
        return xp.bitwise_or(x, x)              # a copy in the order of x
    if x.dtype.kind != "c":
        return finite(xp, x, nan, posinf, neginf)
    return xp.creation.complex_from(finite(xp, x.real, nan, posinf, neginf), finite(xp, x.imag, nan, posinf, neginf))


def finite(xp, x, nan, posinf, neginf):
    limits = xp.finfo(x.dtype)
    result = xp.where(x == math.inf, limits.max if posinf is None else posinf, x)
    result = xp.where(x == -math.inf, limits.min if neginf is None else neginf, result)
    return xp.astype(xp.where(xp.isnan(x), 0 if nan is None else nan, result), x.dtype)


@nan_to_num.vjp("x")
def nan_to_num_dx(xp, g, x):
    return xp.where(xp.isfinite(x), g, 0)


# --- angles in degrees -----------------------------------------------------------------------------------------------

@op("deg2rad", elementwise=True, linear=True, dtype="floating", node="Deg2RadBackward0", inplace="method, function",
    samples=["3 4", "+180."])
def deg2rad(xp, x, out=None):
    """Degrees to radians: ``out = x * pi / 180``."""
    refuse_degrees(x, "deg2rad")
    return xp.multiply(x, math.pi / 180, out=out)


@deg2rad.vjp("x")
def deg2rad_dx(g):
    return g * (math.pi / 180)


@op("rad2deg", elementwise=True, linear=True, dtype="floating", node="Rad2DegBackward0", inplace="method, function",
    samples=["3 4", "+3.14159"])
def rad2deg(xp, x, out=None):
    """Radians to degrees: ``out = x * 180 / pi``."""
    refuse_degrees(x, "rad2deg")
    return xp.multiply(x, 180 / math.pi, out=out)


@rad2deg.vjp("x")
def rad2deg_dx(g):
    return g * (180 / math.pi)


def refuse_degrees(x, name):
    if x.dtype.kind == "c":
        raise RuntimeError(f"{name} is not supported for complex tensors.")
