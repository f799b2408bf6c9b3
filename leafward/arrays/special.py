"""Special functions that NumPy lacks: the error function, the gamma function and their families, on plain arrays.

The tables are made by ``tools/coefficients.py``; their accuracy is stated where they are used. Everything but ``erf`` is
computed in float64 and rounded once.
"""
import math

import numpy as np

from leafward.arrays.layout import empty_in_order

SQRT_PI = math.sqrt(math.pi)

#: erf(x) / x on [-1, 1], a polynomial in 2 x^2 - 1, to 1e-16.
ERF_NEAR = (
    0.9654687386698673, -0.1405360890227171, 0.019852496688983708, -0.0022854855611441132, 0.00021751715604160108,
    -1.7537169441124826e-05, 1.223382738352401e-06, -7.51156928660089e-08, 4.11580059766496e-09, -2.035228404899467e-10,
    9.167606746069445e-12, -3.8078827395263415e-13, 1.454817075960679e-14,
)
#: log(erfc(z) / t) + z^2 for z >= 0, where t = 2 / (2 + z), a polynomial in 2 t - 1, to 1e-16.
ERFC_TAIL = (
    -0.6717940840566922, 0.6726432239776583, 0.047343306841863525, -0.04689561023132892, -0.009872689364099222,
    0.008824938561312326, 0.0017589335074028032, -0.002345812552995894, -0.00014624628742128406, 0.0006736791352568864,
    -9.373894767667295e-05, -0.00017430412986925938, 7.141810433422301e-05, 3.174693542327236e-05,
    -3.023784054007137e-05, 1.3989370477611051e-07, 8.662535397475538e-06, -2.963484230959699e-06,
    -1.409445991433531e-06, 1.283394915356199e-06, -4.146853754663641e-08, -2.895626567435524e-07,
    7.745572408758512e-08, 2.980513364515168e-08, -1.2776086554968677e-08,
)
#: erf(x) / x on [-4, 4], a quotient of polynomials in x^2, to 2.1e-9: enough for float32.
ERF_ABOVE = (
    1.12837916937862, 0.18520300625280217, 0.05431690200735765, 0.003849605059983921, 0.0003796094843620228,
    4.684800302960991e-06, -1.3202338498649452e-08,
)
ERF_BELOW = (
    1.0, 0.49746530468588757, 0.11395834407790158, 0.015462079206884725, 0.0013075693483052537, 6.311078892518792e-05,
)
#: B(2k) / (2k)! of the Bernoulli numbers B, for the remainder of a sum that stops early.
BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600)
#: Further below zero than this, zeta does not go up step by step.
FAR = 30


def in_float64(function):
    """Compute ``function`` in float64, and give the result the dtype of its (last) array."""
    def wide(*args, out=None):
        dtype = args[-1].dtype
        result = function(*[np.asarray(a, dtype=np.float64) for a in args])
        if out is None:
            if args[-1].shape != result.shape:
                return result.astype(dtype)
            out = empty_in_order(args[-1], dtype)
        out[...] = result
        return out
    wide.__name__ = function.__name__
    wide.__doc__ = function.__doc__
    return wide


def polynomial(x, coefficients):
    """``coefficients[0] + coefficients[1] x + ...`` by Horner's rule, in the dtype of ``x``."""
    result = x * coefficients[-1]
    for c in coefficients[-2:0:-1]:
        result += c
        result *= x
    return result + coefficients[0]


# --- the error function ----------------------------------------------------------------------------------------------

def erf(x, out=None):
    """``2 / sqrt(pi)`` times the integral of ``exp(-t ** 2)`` from 0 to x."""
    x = np.asarray(x)
    result = erf_float64(x) if x.dtype == np.float64 else erf_float32(x.astype(np.float32, copy=False)).astype(x.dtype)
    if out is None:
        return result
    out[...] = result
    return out


def erf_float32(x):
    bounded = np.clip(x, -4, 4)                        # beyond, erf is 1 to the last bit
    square = bounded * bounded
    result = np.divide(polynomial(square, ERF_ABOVE), polynomial(square, ERF_BELOW))
    return np.where(np.abs(bounded) == 4, np.copysign(np.float32(1), x), np.clip(result * bounded, -1, 1))


def erf_float64(x):
    near = np.abs(x) < 1
    inside = np.where(near, x, 0)
    close = inside * polynomial(2 * inside * inside - 1, ERF_NEAR)
    return np.where(near, close, np.copysign(1 - erfc_positive(np.abs(x)), x))


def scaled_erfc(z):
    """``exp(z ** 2) * erfc(z)`` for z >= 0."""
    t = 2 / (2 + z)
    return t * np.exp(polynomial(2 * t - 1, ERFC_TAIL))


def erfc_positive(z):
    return scaled_erfc(z) * np.exp(-z * z)


@in_float64
def erfc(x):
    """``1 - erf(x)``, exact where that is tiny."""
    tail = erfc_positive(np.abs(x))
    return np.where(np.abs(x) < 1, 1 - erf_float64(x), np.where(x < 0, 2 - tail, tail))


@in_float64
def erfcx(x):
    """``exp(x ** 2) * erfc(x)``."""
    tail = scaled_erfc(np.abs(x))
    return np.where(x < 0, 2 * np.exp(x * x) - tail, tail)


def inverse_erfc(q):
    """The z >= 0 with ``erfc(z) = q``, for 0 < q <= 1."""
    # Abramowitz and Stegun 26.2.23 is within 5e-4; each of Halley's steps triples the digits.
    t = np.sqrt(-2 * np.log(q / 2))
    z = (t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))) \
        / math.sqrt(2)
    for _ in range(3):
        # The error relative to the density, so that nothing underflows far out.
        error = (scaled_erfc(z) - q * np.exp(z * z)) * (SQRT_PI / 2)
        z = z + error / (1 + z * error)
    return z


@in_float64
def erfinv(x):
    """The y with ``erf(y) = x``."""
    size = np.abs(x)
    y = x * (SQRT_PI / 2) * (1 + math.pi / 12 * x * x)
    for _ in range(4):
        error = (erf_float64(y) - x) * np.exp(y * y) * (SQRT_PI / 2)
        y = y - error / (1 + y * error)
    result = np.where(size < 0.5, y, np.copysign(inverse_erfc(1 - size), x))
    return np.where(size == 1, np.copysign(np.inf, x), result)


@in_float64
def ndtri(x):
    """The y with ``ndtr(y) = x``: quantiles of the normal distribution."""
    tail = math.sqrt(2) * inverse_erfc(2 * np.minimum(x, 1 - x))
    result = np.where(x < 0.5, -tail, tail)
    return np.where(x == 0, -np.inf, np.where(x == 1, np.inf, result))


@in_float64
def log_ndtr(x):
    """``log(ndtr(x))``, exact where ndtr is tiny."""
    z = np.abs(x) / math.sqrt(2)
    low = np.log(scaled_erfc(z) / 2) - z * z
    return np.where(x < -1, low, np.where(x < 1, np.log(erfc(-x / math.sqrt(2)) / 2), np.log1p(-erfc_positive(z) / 2)))


# --- the gamma function ----------------------------------------------------------------------------------------------

def log_gamma_positive(x):
    # Stirling's series needs x >= 8: below, log(x (x + 1) ... (x + 7)) leads up to it.
    low = x < 8
    start = np.where(low, x, 1)
    product = start
    for k in range(1, 8):
        product = product * (start + k)
    z = np.where(low, x + 8, x)
    r = 1 / (z * z)
    series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * 691 / 360360))))) / z
    # Written so that infinity minus infinity does not occur.
    stirling = (z - 0.5) * (np.log(z) - 1) + (0.5 * math.log(2 * math.pi) - 0.5) + series
    return np.where(low, stirling - np.log(product), stirling)


@in_float64
def lgamma(x):
    """Logarithm of the absolute value of the gamma function."""
    reflected = np.where(x < 0.5, 1 - x, x)
    value = log_gamma_positive(reflected)
    reflected = math.log(math.pi) - np.log(np.abs(np.sin(math.pi * (x - np.round(x))))) - value
    result = np.where(x < 0.5, reflected, value)
    return np.where(np.isinf(x), np.inf, result)


@in_float64
def digamma(x):
    """Slope of the logarithm of the gamma function."""
    positive = np.where(x <= 0, 1 - x, x)
    low = positive < 8
    below = np.zeros_like(positive)
    for k in range(8):
        below = below + 1 / (positive + k)
    z = np.where(low, positive + 8, positive)
    r = 1 / (z * z)
    series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * 691 / 32760)))))
    value = np.log(z) - 0.5 / z - series - np.where(low, below, 0)
    fraction = x - np.round(x)
    result = np.where(x <= 0, value - math.pi / np.tan(math.pi * fraction), value)
    result = np.where((x < 0) & (fraction == 0), np.nan, result)
    return np.where(x == 0, np.copysign(np.inf, -x), result)


@in_float64
def zeta(s, q):
    """Hurwitz: ``sum((q + k) ** -s for k = 0, 1, ...)``."""
    s, q = np.broadcast_arrays(s, q)
    if np.any(far := (q < -FAR) & np.isfinite(q)):
        # Two sums with as few terms as any: from above zero on, and what lies below it, mirrored.
        near = q - np.floor(q)
        sign = np.where(s % 2 == 0, 1.0, -1.0)
        below = sign * (zeta(s, 1 - near) - zeta(s, 1 - q))
        beyond = np.where(near == 0, np.inf, np.where(s == np.floor(s), zeta(s, np.where(near == 0, 1, near)) + below, np.nan))
        return np.where(far & (s > 1), beyond, zeta(s, np.where(far, 1, q)))
    a = q
    total = a ** -s
    # Euler and Maclaurin take over from a > 9 on.
    for k in range(1, 10):
        a = q + k
        total = total + a ** -s
    while np.any(more := np.isfinite(a) & (a <= 9)):
        a = np.where(more, a + 1, a)
        total = np.where(more, total + a ** -s, total)
    total = total + a ** (1 - s) / (s - 1) - 0.5 * a ** -s
    term = s * a ** (-s - 1)
    for j, b in enumerate(BERNOULLI):
        total = total + b * term
        term = term * (s + 2 * j + 1) * (s + 2 * j + 2) / (a * a)
    pole = (q <= 0) & (q == np.floor(q))
    result = np.where(pole, np.inf, np.where((q <= 0) & (s != np.floor(s)), np.nan, total))
    return np.where(s == 1, np.inf, np.where(s < 1, np.nan, result))


def polygamma(n, x):
    """The ``n``-th derivative of digamma."""
    if n == 0:
        return digamma(x)
    if n == 1:
        return trigamma(x)
    sign = 1 if n % 2 else -1
    factorial = float(math.factorial(n)) if n <= 170 else math.inf
    out = empty_in_order(x)
    out[...] = sign * factorial * zeta(np.asarray(n + 1.0), x.astype(np.float64))
    return out


@in_float64
def trigamma(x):
    reflected = np.where(x < 0.5, 1 - x, x)
    value = zeta(np.asarray(2.0), reflected)
    return np.where(x < 0.5, (math.pi / np.sin(math.pi * x)) ** 2 - value, value)


# --- modified Bessel functions ---------------------------------------------------------------------------------------

def scaled_bessel(x, order):
    """``exp(-x) * I_order(x)`` for x >= 0 and order 0 or 1."""
    # All terms of the power series are positive, so it loses nothing; beyond 20 the asymptotic series is as exact.
    inside = np.minimum(x, 20)
    quarter = inside * inside / 4
    term = np.ones_like(x) if order == 0 else inside / 2
    total = term
    for k in range(1, 60):
        term = term * quarter / (k * (k + order))
        total = total + term
    z = np.maximum(x, 20)
    term = np.ones_like(x)
    far = term
    for k in range(1, 30):
        term = term * ((2 * k - 1) ** 2 - 4 * order * order) / (8 * k * z)
        far = far + term
    return np.where(x <= 20, total * np.exp(-inside), far / np.sqrt(2 * math.pi * z))


@in_float64
def i0(x):
    return scaled_bessel(np.abs(x), 0) * np.exp(np.abs(x))


@in_float64
def i0e(x):
    return scaled_bessel(np.abs(x), 0)


@in_float64
def i1(x):
    return np.copysign(scaled_bessel(np.abs(x), 1), x) * np.exp(np.abs(x))


@in_float64
def i1e(x):
    return np.copysign(scaled_bessel(np.abs(x), 1), x)
