"""Integers bit by bit, and their divisors."""
from leafward.core.op import op

from leafward.ops.kinds import both_arrays, unsupported


def only_integers(x, kernel):
    if x.dtype.kind not in "iu":
        raise unsupported(x, kernel)


def bits_only(x, kernel):
    if x.dtype.kind not in "iub":
        raise unsupported(x, kernel)


@op("bitwise_and", numbers="x, y", elementwise=True, nondifferentiable="x, y",
    operator="and, rand", samples=["int9: 3 4 | int9: 4", "bool: 3 | bool: 3", "int9: 3 | = 5"])
def bitwise_and(xp, x, y, out=None):
    """Bits that both have set: ``out = x & y``."""
    x, y = both_arrays(xp, x, y)
    bits_only(x, "bitwise_and_cpu")
    return xp.bitwise_and(x, y, out=out)


@op("bitwise_or", numbers="x, y", elementwise=True, nondifferentiable="x, y",
    operator="or, ror", samples=["int9: 3 4 | int9: 4", "bool: 3 | bool: 3", "int9: 3 | = 5"])
def bitwise_or(xp, x, y, out=None):
    """Bits that at least one has set: ``out = x | y``."""
    x, y = both_arrays(xp, x, y)
    bits_only(x, "bitwise_or_cpu")
    return xp.bitwise_or(x, y, out=out)


@op("bitwise_xor", numbers="x, y", elementwise=True, nondifferentiable="x, y",
    operator="xor, rxor", samples=["int9: 3 4 | int9: 4", "bool: 3 | bool: 3", "int9: 3 | = 5"])
def bitwise_xor(xp, x, y, out=None):
    """Bits that exactly one has set: ``out = x ^ y``."""
    x, y = both_arrays(xp, x, y)
    bits_only(x, "bitwise_xor_cpu")
    return xp.bitwise_xor(x, y, out=out)


@op("bitwise_not", elementwise=True, nondifferentiable="x", operator="invert", array_api="bitwise_invert",
    samples=["int9: 3 4", "bool: 3"])
def bitwise_not(xp, x, out=None):
    """Every bit the other way: ``out = ~x``."""
    bits_only(x, "bitwise_not_cpu")
    return xp.bitwise_invert(x, out=out)


@op("bitwise_left_shift", numbers="x, y", elementwise=True, nondifferentiable="x, y",
    operator="lshift", samples=["int9: 3 4 | int9: 4", "int9: 3 | = 2", "int9: 3 | = 70"])
def bitwise_left_shift(xp, x, y, out=None):
    """Move the bits up: ``out = x << y``."""
    x, y = both_arrays(xp, x, y)
    only_integers(x, "lshift_cpu")
    return xp.bitwise_left_shift(x, y, out=out)


@op("bitwise_right_shift", numbers="x, y", elementwise=True, nondifferentiable="x, y",
    operator="rshift", samples=["int9: 3 4 | int9: 4", "int9: 3 | = 2", "int9: 3 | = 70"])
def bitwise_right_shift(xp, x, y, out=None):
    """Move the bits down, keeping the sign: ``out = x >> y``."""
    x, y = both_arrays(xp, x, y)
    only_integers(x, "rshift_cpu")
    return xp.bitwise_right_shift(x, y, out=out)


@op("gcd", numbers="", elementwise=True, nondifferentiable="x, y", inplace="method, function",
    samples=["int9: 3 4 | int9: 4", "int9: 3 | int1: 3"])
def gcd(xp, x, y, out=None):
    """Greatest common divisor, not negative."""
    only_integers(x, "gcd_cpu")
    return xp.gcd(x, y, out=out)


@op("lcm", numbers="", elementwise=True, nondifferentiable="x, y", inplace="method, function",
    samples=["int9: 3 4 | int9: 4", "int9: 3 | int1: 3"])
def lcm(xp, x, y, out=None):
    """Least common multiple, not negative."""
    only_integers(x, "lcm_cpu")
    return xp.lcm(x, y, out=out)
