"""The incomplete gamma functions, and how gamma and beta quantiles move with their parameters.

All but those of large shapes are sums of positive terms that are summed until the largest no longer counts; arrays are
float64 inside.
"""
import numpy as np

from leafward.arrays.special import digamma, erfc, in_float64, lgamma

EPS = 2.0**-53
#: From this shape on the sums have too many terms, and an expansion for large shapes is exact.
LARGE = 1e6
#: More terms than any sum needs; nothing here runs forever.
MOST_TERMS = 400_000
#: Below this shape ``Q(a, x)`` may be far smaller than ``P(a, x)``, and has a sum of its own.
SMALL = 0.2
#: ``(-1)**k (zeta(k) - 1) / k`` for k from 2 on: ``lgamma(1 + a)`` by powers of a (DLMF 5.7.3).
LGAMMA_OF_ONE_AND = (0.3224670334241132, -0.0673523010531981, 0.020580808427784546, -0.007385551028673986,
                     0.0028905103307415234, -0.001192753911703261, 0.0005096695247430425, -0.00022315475845357939,
                     9.945751278180853e-05, -4.492623673813314e-05, 2.050721277567069e-05, -9.439488275268397e-06,
                     4.374866789907488e-06)
#: The expansion's first coefficient, by powers of eta, and the constant of its second: DLMF 8.12.11 to 8.12.14.
FIRST, SECOND = (-1 / 3, 1 / 12, -2 / 135, 1 / 864, 1 / 2835, -139 / 777600), -1 / 540


def density_times_x(a, x):
    """``x**a exp(-x) / gamma(a)``."""
    # For large `a` the logarithm of the ratio to the mode keeps the digits that x**a and gamma(a) would cancel.
    plain = a * np.log(x) - x - lgamma(a)
    t = (x - a) / a
    stirling = 1 / (12 * a) - 1 / (360 * a**3)
    centred = a * (np.log1p(t) - t) + 0.5 * np.log(a / (2 * np.pi)) - stirling
    return np.exp(np.where((a > 100) & (np.abs(t) < 0.5), centred, plain))


def lower_series(a, x):
    """``P(a, x)`` where ``x < a + 1``: ``sum over n of x**(a + n) exp(-x) / gamma(a + n + 1)``."""
    term = density_times_x(a, x) / a
    total = term
    for n in range(1, MOST_TERMS):
        term = term * (x / (a + n))
        total = total + term
        if not np.any(term > EPS * total):
            break
    return total


def upper_fraction(a, x):
    """``Q(a, x)`` where ``x >= a + 1``: Legendre's continued fraction, evaluated forwards (Lentz)."""
    b = x + 1 - a
    c = np.full_like(x, 1 / 1e-300)
    d = 1 / b
    h = d
    for n in range(1, MOST_TERMS):
        numerator = -n * (n - a)
        b = b + 2
        d = 1 / (numerator * d + b)
        c = b + numerator / c
        change = c * d
        h = h * change
        if not np.any(np.abs(change - 1) > EPS * 4):
            break
    return density_times_x(a, x) * h


def upper_of_small(a, x):
    """``Q(a, x)`` of shapes below :data:`SMALL` where ``x < a + 1``, to its own last digits: ``1 - P`` has none of them.

    ``P = r (1 + a s)`` with ``r = x**a / gamma(1 + a)``, ``s = sum over k > 0 of (-x)**k / (k! (a + k))`` (DLMF 8.7.1), so
    that ``Q = (1 - r) - r a s``.
    """
    log_gamma = a * (1 - np.euler_gamma) - np.log1p(a) + a * a * np.polyval(LGAMMA_OF_ONE_AND[::-1], a)
    log_r = a * np.log(x) - log_gamma
    power, total = np.ones_like(x), np.zeros_like(x)
    for k in range(1, 25):                                  # x is below 1.2
        power = power * (-x / k)
        total = total + power / (a + k)
    return -np.expm1(log_r) - np.exp(log_r) * a * total


def shares_of_large(a, x):
    """``P(a, x), Q(a, x)`` of shapes from :data:`LARGE` on: Temme's expansion, uniform in ``x`` (DLMF 8.12.3 to 8.12.8).

    ``Q = erfc(eta sqrt(a / 2)) / 2 + R``, ``eta**2 / 2 = m - log(1 + m)``, ``m = (x - a) / a``, where ``R`` has a factor
    ``exp(-a eta**2 / 2)``: it counts near ``m = 0`` alone.
    """
    m = (x - a) / a
    half_square = m - np.log1p(m)
    near = np.abs(m) < 0.05                                 # there that cancels: its series, to the last digit
    small = m[near]
    half_square[near] = small**2 * np.polyval([(-1) ** k / (k + 2) for k in range(13, -1, -1)], small)
    eta = np.copysign(np.sqrt(2 * half_square), m)
    rest = np.exp(-a * half_square) / np.sqrt(2 * np.pi * a) * (np.polyval(FIRST[::-1], eta) + SECOND / a)
    rest[~near] = 0.0
    z = np.copysign(np.sqrt(a * half_square), m)
    return erfc(-z) / 2 - rest, erfc(z) / 2 + rest


def shares(a, x):
    """``P(a, x), Q(a, x)``: the shares of the gamma function's integral below and above ``x``."""
    a, x = np.broadcast_arrays(a, x)
    lower, upper = np.full(a.shape, np.nan), np.full(a.shape, np.nan)
    with np.errstate(all="ignore"):
        everything = ((a == 0) & (x > 0)) | ((a >= 0) & (a < np.inf) & (x == np.inf))
        nothing = ((a > 0) & (x == 0)) | ((a == np.inf) & (x >= 0) & (x < np.inf))
        for where, share in (everything, 1.0), (nothing, 0.0):
            lower[where], upper[where] = share, 1 - share
        inside = (a > 0) & (x > 0) & (a < np.inf) & (x < np.inf)
        large = inside & (a >= LARGE)
        lower[large], upper[large] = shares_of_large(a[large], x[large])
        inside &= ~large
        below = inside & (x < a + 1)
        lower[below] = lower_series(a[below], x[below])
        upper[below] = 1 - lower[below]
        small = below & (a < SMALL)
        upper[small] = upper_of_small(a[small], x[small])
        above = inside & (x >= a + 1)
        upper[above] = upper_fraction(a[above], x[above])
        lower[above] = 1 - upper[above]
    return lower, upper


@in_float64
def igamma(a, x):
    """Regularized lower incomplete gamma function."""
    return np.where((x == 0) & ~(a <= 0), 0, shares(a, x)[0])


@in_float64
def igammac(a, x):
    """Regularized upper incomplete gamma function."""
    return np.where((x == 0) & ~(a <= 0), 1, shares(a, x)[1])


# --- derivatives of samples by parameters ----------------------------------------------------------------------------
# A sample x(a) that keeps its share F(x(a); a) moves by dx/da = -(dF/da) / density.

@in_float64
def standard_gamma_grad(a, x):
    """``dx/da`` of a gamma number ``x`` of shape ``a``.

    ``P(a, x)`` over the density is ``sum s[n]``, ``s[n] = x**(n + 1) gamma(a) / gamma(a + n + 1)``, and the derivative
    by ``a`` multiplies each term by ``log(x) - digamma(a + n + 1)``. Only terms near ``n = x - a`` count.
    """
    with np.errstate(all="ignore"):
        width = 10 * np.sqrt(x) + 40
        n = np.maximum(np.floor(x - a - width), 0)
        log_x = np.log(x)
        term = np.where(n == 0, x / a, np.exp((n + 1) * log_x + lgamma(a) - lgamma(a + n + 1)))
        slope = digamma(a + n + 1)
        total, size = np.zeros_like(x), np.zeros_like(x)
        for _ in range(int(np.nanmax(2 * width, initial=0)) + 40):
            total = total - term * (log_x - slope)
            size = size + term
            if not np.any(term > EPS * size):
                break
            n = n + 1
            slope = slope + 1 / (a + n)
            term = term * (x / (a + n))
    return total


@in_float64
def dirichlet_grad(x, alpha, total):
    """``dx/dalpha / (1 - x)`` of a beta number ``x`` of parameters ``alpha`` and ``total - alpha``.

    From the series of the incomplete beta function in ``x`` or in ``1 - x``, whichever converges sooner.
    """
    x, alpha, total = np.broadcast_arrays(x, alpha, total)
    out = np.empty(x.shape)
    beta, y = total - alpha, 1 - x
    with np.errstate(all="ignore"):
        in_x = np.maximum(x, x * total / (alpha + 1)) < np.maximum(y, y * total / (beta + 1))
        for chosen, series in ((in_x, series_in_x), (~in_x, series_in_y)):
            out[chosen] = series(x[chosen], y[chosen], alpha[chosen], beta[chosen])
    return out


def series_in_x(x, y, alpha, beta):
    return -beta_series(x, alpha, alpha + beta, x / alpha, np.log(x), digamma(alpha + 1), moving=True)


def series_in_y(x, y, alpha, beta):
    return beta_series(y, beta, alpha + beta, x / beta, np.log(x), digamma(alpha), moving=False)


def beta_series(z, first, both, term, log_x, lost, moving):
    """``sum over n of s[n] (log_x + digamma(both + n) - lost)``, ``s[n + 1] = s[n] z (both + n) / (first + n + 1)``.

    ``lost`` is ``digamma(first + n + 1)`` where it is ``moving``.
    """
    gained = digamma(both)
    total, size = np.zeros_like(z), np.zeros_like(z)
    for n in range(MOST_TERMS):
        total = total + term * (log_x + gained - lost)
        size = size + term
        if not np.any(term > EPS * size):
            break
        gained = gained + 1 / (both + n)
        if moving:
            lost = lost + 1 / (first + n + 1)
        term = term * (z * ((both + n) / (first + n + 1)))
    return total
