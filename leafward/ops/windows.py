"""Windows: weights by which a signal is faded in and out.

Args:
    window_length: the number of points
    periodic: True: for spectra, as if one point longer. False: symmetric
    alpha: the weight of the constant
    beta: the weight of the cosine
Source: Harris, 1978, Proceedings of the IEEE 66
"""
from leafward import dtypes

from leafward.ops.creation import creation, floating, integer


def checked(name, length, dtype):
    """The length and the dtype of a window, if they can be those of one."""
    length, dtype = integer(name, "window_length", 1, length), floating(dtype)
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    if not dtype.is_floating_point:
        raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}")
    return length, dtype


def cosine_window(xp, name, length, periodic, dtype, weights):
    """``w[i] = sum over k of (-1)**k weights[k] cos(2 pi k i / n)``, ``n`` the period."""
    length, dtype = checked(name, length, dtype)
    if length < 2 or len(weights) == 1:
        return xp.ones((length,), dtype)
    step = 2 * xp.pi / (length if periodic else length - 1)
    if length > WIDE * 4:
        return long_window(xp, length, step, dtype, weights)
    angle = step * xp.arange(length, dtype=dtypes.float64)
    window = sum(((-1)**k * weight * xp.cos(k * angle) for k, weight in enumerate(weights[1:], 1)), weights[0])
    return xp.astype(window, dtype)


#: Points in a row of a long window.
WIDE = 1024

#: Rows that are computed at a time, which the cache holds until they are rounded.
ROWS = 32


def long_window(xp, length, step, dtype, weights):
    """The same from few cosines, by ``cos(a + b) = cos(a) cos(b) - sin(a) sin(b)``: a product of two narrow matrices."""
    window = xp.empty((length,), dtype)                     # which refuses what no memory holds
    rows = length // WIDE
    a = step * WIDE * xp.arange(rows + 1, dtype=dtypes.float64)
    b = step * xp.arange(WIDE, dtype=dtypes.float64)
    left, right = [xp.ones_like(a)], [weights[0] * xp.ones_like(b)]
    for k, weight in enumerate(weights[1:], 1):
        weight = (-1)**k * weight
        left += [weight * xp.cos(k * a), -weight * xp.sin(k * a)]
        right += [xp.cos(k * b), xp.sin(k * b)]
    left, right = xp.stack(left, axis=1), xp.stack(right, axis=0)
    whole = window[:rows * WIDE].reshape((rows, WIDE))
    for row in range(0, rows, ROWS):
        whole[row:row + ROWS] = xp.astype(xp.matmul(left[row:min(row + ROWS, rows)], right), dtype)
    window[rows * WIDE:] = xp.astype(xp.matmul(left[rows:], right)[0, :length - rows * WIDE], dtype)
    return window


WINDOWS = ["5", "5, False", "5, periodic=False, dtype=t.float64", "1", "0", "16"]


@creation("hann_window", samples=WINDOWS)
def hann_window(xp, window_length, periodic=True, *, dtype=None):
    """``w[i] = 0.5 - 0.5 cos(2 pi i / n)``."""
    return cosine_window(xp, "hann_window", window_length, periodic, dtype, (0.5, 0.5))


@creation("hamming_window", samples=[*WINDOWS, "5, True, 0.6, 0.4"])
def hamming_window(xp, window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None):
    """``w[i] = alpha - beta cos(2 pi i / n)``."""
    return cosine_window(xp, "hamming_window", window_length, periodic, dtype, (alpha, beta))


@creation("blackman_window", samples=WINDOWS)
def blackman_window(xp, window_length, periodic=True, *, dtype=None):
    """``w[i] = 0.42 - 0.5 cos(2 pi i / n) + 0.08 cos(4 pi i / n)``."""
    return cosine_window(xp, "blackman_window", window_length, periodic, dtype, (0.42, 0.5, 0.08))


@creation("bartlett_window", samples=WINDOWS)
def bartlett_window(xp, window_length, periodic=True, *, dtype=None):
    """``w[i] = 1 - abs(2 i / n - 1)``."""
    length, dtype = checked("bartlett_window", window_length, dtype)
    if length < 2:
        return xp.ones((length,), dtype)
    window, step = xp.empty((length,), dtype), 2 / (length if periodic else length - 1)
    for start in range(0, length, WIDE * ROWS):             # which the cache holds until they are rounded
        i = xp.arange(start, min(start + WIDE * ROWS, length), dtype=dtypes.float64)
        window[start:start + WIDE * ROWS] = xp.astype(1 - abs(step * i - 1), dtype)
    return window


@creation("kaiser_window", samples=[*WINDOWS, "5, True, 3.0", "6, periodic=False, beta=5.0"])
def kaiser_window(xp, window_length, periodic=True, beta=12.0, *, dtype=None):
    """``w[i] = i0(beta sqrt(1 - (2 i / n - 1) ** 2)) / i0(beta)``."""
    ones = cosine_window(xp, "kaiser_window", window_length, periodic, dtype, (1,))
    if window_length < 2:
        return ones
    i = xp.arange(window_length, dtype=dtypes.float64)
    ramp = 2 / (window_length if periodic else window_length - 1) * i - 1
    scale = xp.i0(xp.asarray(float(beta)))
    return xp.astype(xp.i0(beta * xp.sqrt(xp.maximum(1 - ramp * ramp, 0))) / scale, floating(dtype))
