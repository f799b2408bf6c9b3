"""Powers, roots, reciprocals and powers of two.

Args:
    other: the second operand, broadcast with `input`
    exponent: the power, a tensor or a number
"""
import math

from leafward.core.op import composite, op
from leafward.dtypes import complex128, float32, float64, get_default_dtype, int64

from leafward.ops.checks import as_element, refuse_beyond
from leafward.ops.kinds import (
    as_default_float, both_arrays, common_dtype, floating, is_bool, is_complex, is_half, is_number, is_whole, refuse_kinds,
)

LOG_2 = math.log(2)


# --- powers ----------------------------------------------------------------------------------------------------------

def pow_node(given):
    if is_number(given["exponent"]):
        return "PowBackward0"
    return "PowBackward2" if is_number(given["x"]) else "PowBackward1"


def power_of_integers(xp, x, exponent, out):
    """Integers to integer powers, where a negative exponent gives the integer part of the quotient: 1, -1 or 0."""
    negative = exponent < 0
    if not xp.to_host(xp.any(negative)):
        return xp.power(x, exponent, out=out)
    reciprocal = xp.where(abs(x) == 1, xp.where(exponent % 2 == 0, x * x, x), xp.zeros_like(x))
    return xp.where(negative, reciprocal, xp.power(x, xp.where(negative, xp.zeros_like(exponent), exponent)))


@op("pow", numbers="x, exponent", elementwise=True, node=pow_node,
    operator="pow", array_api="power", foreach=True,
    samples=["3 4 | = 2", "3 4 | = 3", "pos: 3 4 | = 2.5", "pos: 3 4 | = -1", "pos: 3 4 | = 0.5", "3 4 | = 0",
             "pos: 3 1 | 1 4", "= 2.5 | 3 4", "pos: | 2", "+0. +0. +0. | +0. +1. +2.", "+0. +2. | = 0", "+0. +2. | = 1",
             "= 0. | +0. +2.", "int5: 3 | int5: 3", "+0. -2. +2. | = 2"],
    errors=[("int5: 3 | = -1", RuntimeError, "Integers to negative integer powers are not allowed.")])
def pow(xp, x, exponent, out=None):
    """Raise to a power: ``out = x ** exponent``.

    >>> lw.pow(lw.tensor([1., 2., 3.]), 2), 2 ** lw.tensor([1., 2., 3.])
    (tensor([1., 4., 9.]), tensor([2., 4., 8.]))
    """
    if is_number(exponent) and not hasattr(exponent, "shape"):      # some powers have a quicker way
        if exponent == 2:
            return xp.multiply(x, x, out=out)
        if exponent == 3:
            return xp.multiply(x, x * x, out=out)
        if exponent == 0.5:
            return xp.sqrt(x, out=out)
        if exponent == -0.5 and x.dtype.kind in "fc":
            return xp.divide(1, xp.sqrt(x, out=out), out=out)     # -inf at -0, as in PyTorch
        if exponent in (-1, -2) and x.dtype.kind == "c":
            return xp.divide(1, x if exponent == -1 else x * x, out=out)    # a power of 0 would be NaN in both parts
    is_one_number = is_number(exponent) and not hasattr(exponent, "shape")
    x, exponent = both_arrays(xp, x, exponent)
    if x.dtype.kind == "b":
        return xp.logical_or(x, xp.logical_not(exponent), out=out)
    if x.dtype.kind in "iu":
        return power_of_integers(xp, x, exponent, out)
    if x.dtype.kind == "c" and not is_one_number:
        # The logarithm of 0 makes 0 ** 0 nan, unless the exponent is known to be 0 beforehand.
        return xp.where((x == 0) & (exponent == 0), complex(math.nan, math.nan), xp.power(x, exponent))
    if not is_one_number and exponent.size == 1 and x.dtype.kind == "f" and abs(float(xp.to_host(exponent).item())) == 0.5:
        # NumPy takes a root, whose sign and NaN are others at -0 and -inf than those of a power.
        return xp.where(x == -math.inf, xp.power(abs(x), exponent), xp.power(x, exponent)) + 0
    return xp.power(x, exponent, out=out)


@pow.check
def pow_check(x, exponent):
    if type(exponent) is int and exponent < 0 and is_whole(x):
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    refuse_beyond(exponent, x)
    if type(exponent) in (int, float) and not is_number(x) and is_half(x):
        as_element(exponent, x.dtype)
    if not (is_number(x) or is_number(exponent)) and is_bool(x) and is_bool(exponent):
        raise NotImplementedError("\"pow\" not implemented for 'Bool'")


@pow.vjp("x")
def pow_dx(xp, g, x, exponent):
    if is_number(exponent):                               # d(x ** 0) = 0, even at x = 0
        if exponent == 2:
            return g * xp.conj(2 * x)
        return xp.zeros_like(g) if exponent == 0 else g * xp.conj(exponent * xp.pow(x, exponent - 1))
    return xp.where(exponent == 0, 0, g * xp.conj(exponent * xp.pow(x, exponent - 1)))


@pow.vjp("exponent")
def pow_dexponent(xp, g, x, exponent, out):
    # A negative base has a complex logarithm, where the exponent is complex.
    if is_number(x):
        log = xp.conj(out * logarithm(complex(x) if is_complex(exponent) else x))
    else:
        log = xp.conj(out * xp.log(x + 0 * exponent if is_complex(exponent) else floating(xp, x)))
    # 0 ** t is 0 for every t > 0, so its slope is 0 there, not 0 * log(0).
    above = (exponent.imag == 0) & (exponent.real >= 0) if is_complex(exponent) else exponent >= 0
    at_zero = (x == 0) & above
    return g * xp.where(at_zero, 0, log)


def logarithm(x):
    if x == 0:
        return -math.inf
    if isinstance(x, complex):
        return complex(math.log(abs(x)), math.atan2(x.imag, x.real))
    return math.log(x) if x > 0 else math.nan


@composite("float_power", samples=["pos: 3 4 | pos: 3 4", "3 4 | = 2", "= 2.5 | 3 4"])
def float_power(fns, input, exponent, *, out=None):
    """Raise to a power in float64 or complex128: ``out = input ** exponent``.

    >>> lw.float_power(lw.tensor([1, 2, 3]), 2)
    tensor([1., 4., 9.], dtype=torch.float64)
    """
    wide = wide_dtype(input, exponent)
    return fns.pow(widened(input, wide), widened(exponent, wide), out=out)


@composite("Tensor.float_power_", samples=["pos: 3 4 | = 2"])
def float_power_(fns, input, exponent):
    """:func:`float_power`, in place; ``input`` is float64 or complex128.

    >>> lw.tensor([2., 3.], dtype=lw.float64).float_power_(2)
    tensor([4., 9.], dtype=torch.float64)
    """
    wide = wide_dtype(input, exponent)
    if input.dtype is not wide:
        given, needed = (d.tensor_type.removesuffix("Tensor") for d in (input.dtype, wide))
        raise RuntimeError(f"the base given to float_power_ has dtype {given} but the operation's result requires "
                           f"dtype {needed}")
    return fns.pow_(input, widened(exponent, wide))


def wide_dtype(input, exponent):
    return complex128 if is_complex(input) or is_complex(exponent) else float64


def widened(x, wide):
    return (complex(x) if wide is complex128 else float(x)) if is_number(x) else x.to(wide)


@op("square", elementwise=True, node="PowBackward0", inplace="method, function", samples=["3 4", "", "+0."])
def square(xp, x, out=None):
    """Multiply by itself: ``out = x ** 2``."""
    if x.dtype.kind != "b":
        return xp.multiply(x, x, out=out)
    if out is not None:
        raise RuntimeError("result type Long can't be cast to the desired output type Bool")
    return xp.astype(x, int64)


@square.vjp("x")
def square_dx(xp, g, x):
    return g * xp.conj(2 * x)


# --- roots -----------------------------------------------------------------------------------------------------------

@op("sqrt", elementwise=True, dtype="floating", domain="pos", inplace="method, function", foreach=True,
    samples=["3 4", "", "+0. +4. -1."])
def sqrt(xp, x, out=None):
    """Square root: ``out * out = x``, not negative."""
    return xp.sqrt(x, out=out)


@sqrt.vjp("x")
def sqrt_dx(xp, g, out):
    return g / (2 * xp.conj(out))


@op("rsqrt", elementwise=True, dtype="floating", domain="pos", inplace="method, function", foreach=True,
    samples=["3 4", "", "+0. +4. -1."])
def rsqrt(xp, x, out=None):
    """Reciprocal of the square root: ``out = 1 / sqrt(x)``."""
    return xp.divide(1, xp.sqrt(x, out=out), out=out)


@rsqrt.vjp("x")
def rsqrt_dx(xp, g, out):
    return -0.5 * g * xp.conj(out ** 3)


@op("reciprocal", elementwise=True, dtype="floating", domain="away", inplace="method, function", foreach=True,
    samples=["3 4", "", "+0. +2."])
def reciprocal(xp, x, out=None):
    """One over: ``out = 1 / x``."""
    return xp.divide(1, x, out=out)


@reciprocal.vjp("x")
def reciprocal_dx(xp, g, out):
    return -g * xp.conj(out * out)


@op("hypot", numbers="", elementwise=True, samples=["away: 3 4 | away: 3 4", "away: 3 1 | away: 1 4", "+3. +0. | +4. +2."])
def hypot(xp, x, y, out=None):
    """Length of the vector (x, y): ``out = sqrt(x ** 2 + y ** 2)``."""
    refuse_kinds(x, "biuc", "hypot_cpu")
    return xp.hypot(x, y, out=out)


@hypot.vjp("x")
def hypot_dx(g, x, out):
    return g * (x / out)


@hypot.vjp("y")
def hypot_dy(g, y, out):
    return g * (y / out)


# --- powers of two ---------------------------------------------------------------------------------------------------

@op("ldexp", numbers="", elementwise=True, inplace="method, function", dtype=None,
    samples=["3 4 | 3 4", "3 4 | int5: 4", "+1.5 -1.5 | +3. -2."],
    errors=[("3 | bool: 3", NotImplementedError, "\"ldexp_cpu_exp\" not implemented for 'Bool'")])
def ldexp(xp, x, y):
    """Multiply by a power of two: ``out = x * 2 ** y``, even where ``2 ** y`` alone is too large or too small."""
    if is_whole(y) and not is_whole(x) and not is_complex(x):
        refuse_kinds(y, "b", "ldexp_cpu_exp")
        wide = xp.astype(x, float32) if is_half(x) else x
        return xp.astype(xp.asarray(xp.ldexp(wide, xp.astype(y, int64))), x.dtype)
    if is_whole(y):
        result = x * xp.exp2(as_default_float(xp, y))
        return xp.astype(xp.asarray(result), get_default_dtype() if is_whole(x) else x.dtype)
    common = common_dtype(xp, x, y)
    if is_complex(x) and y.dtype.name == "bfloat16":                    # of which there are no complex numbers
        y = xp.astype(y, float32)
    return xp.astype(x, common) * xp.astype(xp.exp2(y), common)         # 2 ** y is rounded to the dtype of y first


@ldexp.vjp("x")
def ldexp_dx(xp, g, y):
    return g * xp.conj(2 ** (y * 1.0))


@ldexp.vjp("y")
def ldexp_dy(xp, g, out):
    return g * xp.conj(out * LOG_2)


@op("frexp", outputs="mantissa, exponent", no_grad_outputs="exponent", samples=["3 4", "", "+0. +8. -0.3"],
    errors=[("int5: 3", RuntimeError, "torch.frexp() only supports floating-point dtypes")])
def frexp(xp, x):
    """Take a number apart: ``x = mantissa * 2 ** exponent``, with 0.5 <= abs(mantissa) < 1."""
    if x.dtype.kind in "biuc":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    if x.dtype.name == "bfloat16":                        # NumPy's function does not know it
        mantissa, exponent = xp.frexp(xp.astype(x, float32))
        return xp.astype(mantissa, x.dtype), exponent
    return xp.frexp(x)


@frexp.vjp("x")
def frexp_dx(xp, g_mantissa, exponent):
    return g_mantissa * 0.5 ** xp.astype(exponent, g_mantissa.dtype)
