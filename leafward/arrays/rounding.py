"""``x y + z`` rounded once, as the processor's fused instruction does it, which NumPy does not offer.

PyTorch's CPU kernels scale their uniforms so, and one rounding more would change half of the last bits.
"""
from math import frexp

import numpy as np

#: Splits a float64 into two halves of 26 bits.
SPLITTER = 2.0**27 + 1


def multiply_add_float32(x, y, z):
    """``x y + z`` for float32 uniforms ``x`` and numbers ``y, z``, rounded once."""
    # 24 by 24 bits fit into the 53 of a float64. So does the sum, unless y and z are of very different size.
    if sum_is_long(float(y), float(z)):
        return multiply_add_wide(x, y, z)
    return (x * np.float64(y) + np.float64(z)).astype(np.float32)


def multiply_add_wide(x, y, z):
    """As :func:`multiply_add_float32`, for any ``x``."""
    return sum_to_odd(x * np.float64(y), np.float64(z)).astype(np.float32)


def sum_is_long(y, z):
    """Might ``x y + z``, for ``x`` in [0, 1) a multiple of 2**-24, need more than 53 bits?"""
    if z == 0:
        return False
    # The last places of a float32 y times 2**-24, and of a float32 z.
    last_place = min(frexp(y)[1] - 48, frexp(z)[1] - 24)
    return abs(y) + abs(z) >= 2.0**(last_place + 53)


#: From here on, splitting a number overflows.
HUGE = 2.0**995


def multiply_add(x, y, z):
    """``x y + z`` for float64, rounded once (Boldo and Melquiond, 2008)."""
    if np.isinf(y).any():
        return x * y + z                # nothing is rounded
    if np.max(np.abs(y)) >= HUGE:
        # What `z` loses where it becomes subnormal is far below the last place of `x y`, unless that is zero.
        return np.where(x == 0, z, multiply_add(x, y * 2.0**-64, z * 2.0**-64) * 2.0**64)
    product, product_error = exact_product(x, y)
    low, low_error = exact_sum(z, product_error)
    high, high_error = exact_sum(product, low)
    return high + sum_to_odd(low_error, high_error)


def exact_sum(x, y):
    """``s, e`` with ``s + e == x + y`` exactly."""
    total = x + y
    back = total - x
    return total, (x - (total - back)) + (y - back)


def exact_product(x, y):
    """``p, e`` with ``p + e == x y`` exactly."""
    product = x * y
    x_high, x_low = halves(x)
    y_high, y_low = halves(y)
    return product, ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


def halves(x):
    high = SPLITTER * x
    high = high - (high - x)
    return high, x - high


def sum_to_odd(x, y):
    """``x + y``, and where that is inexact, the neighbour with an odd last bit: a second rounding is then harmless."""
    total, error = exact_sum(x, y)
    bits = total.view(np.int64)
    upward = (error > 0) == (total > 0)
    wrong = (error != 0) & (bits & 1 == 0)
    return (bits + np.where(wrong, np.where(upward, 1, -1), 0)).view(np.float64)
