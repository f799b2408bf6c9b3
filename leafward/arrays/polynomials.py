"""Orthogonal polynomials of degree ``n`` at ``x``, element by element, on plain arrays.

By their three-term recurrences (Abramowitz and Stegun, table 22.7) in the dtype of ``x``, and for Chebyshev polynomials of
high degree on [-1, 1] by their definitions (Mason and Handscomb, "Chebyshev Polynomials", 1.2). As in PyTorch a degree is
cut to an integer, a negative one gives 0, and a polynomial that overflows becomes nan two degrees later.
"""
import numpy as np

from leafward.arrays.layout import empty_in_order

#: The definition by cosines and sines costs the same for every degree, and loses a digit where that grows tenfold.
HIGHEST_BY_RECURRENCE = 8
#: How often to look whether all has become nan: a look costs about as much as a step.
STEPS_BETWEEN_LOOKS = 32
#: As far as that takes less than a second.
HIGHEST_DEGREE = 100_000
#: After how many steps a higher degree is refused, where not all has become nan by then.
STEPS_BEFORE_REFUSAL = 10_000


def whole(n):
    """Degrees as integers; what is none, or beyond the integers, counts as negative."""
    return np.where(np.abs(n) < 2.0**63, n, -1).astype(np.int64)


def by_recurrence(x, n, first, step):
    """``p[n](x)`` from ``p[0] = 1``, ``p[1] = first(x)`` and ``p[k + 1] = step(k, x, p[k], p[k - 1])``."""
    out = np.where(n < 0, 0, 1).astype(x.dtype)
    before, p = np.ones_like(x), first(x)
    highest = int(n.max(initial=0))
    for k in range(1, highest + 1):
        np.copyto(out, p, where=n == k)
        if k % STEPS_BETWEEN_LOOKS == 0 and np.isnan(p).all():
            out[n > k] = np.nan
            break
        if k == STEPS_BEFORE_REFUSAL and highest > HIGHEST_DEGREE:
            raise NotImplementedError(
                f"a polynomial of degree {highest} takes as many steps: leafward goes up to {HIGHEST_DEGREE}")
        before, p = p, step(k, x, p, before)
    return out


def polynomial(first, step, bounded=None, endless=False):
    """``f(x, n)`` by recurrence, or by ``bounded(x, n)`` where the degree is high and ``x`` in [-1, 1].

    ``endless``: it stays finite for some ``x`` whatever the degree, so that a high one has to be refused.
    """
    def at(x, n):
        shape = np.broadcast_shapes(x.shape, n.shape)
        out = empty_in_order(x if x.shape == shape else n if n.shape == shape else np.empty(shape), x.dtype)
        out[...] = values(*np.broadcast_arrays(x, whole(n)))
        return out

    def values(x, n):
        if bounded is None:
            return by_recurrence(x, n, first, step)
        high = (n > HIGHEST_BY_RECURRENCE) & (np.abs(x) <= 1)
        out = np.empty(x.shape, x.dtype)
        out[high] = bounded(x[high].astype(np.float64), n[high])
        out[~high] = by_recurrence(x[~high], n[~high], first, step)
        return out
    at.highest = HIGHEST_DEGREE if endless else None
    return at


def shifted(f):
    """``f`` moved from [-1, 1] to [0, 1]."""
    return lambda x, n: f(2 * x - 1, n)


# --- Chebyshev polynomials -------------------------------------------------------------------------------------------
# All four on [-1, 1], x = cos(angle). The angle of a negative x would be rounded near pi, so that one follows by parity.

def by_parity(x, n, positive, negative):
    """``positive(angle, n)`` for x >= 0, and ``(-1) ** n negative(angle, n)`` of the angle of ``-x`` below."""
    angle = np.arccos(np.abs(x))
    return np.where(x < 0, (1 - 2 * (n % 2)) * negative(angle, n), positive(angle, n))


def t(angle, n):
    return np.cos(n * angle)


def u(angle, n):
    return np.where(angle == 0, n + 1, np.sin((n + 1) * angle) / np.where(angle == 0, 1, np.sin(angle)))


def v(angle, n):
    return np.cos((n + 0.5) * angle) / np.cos(angle / 2)


def w(angle, n):
    return np.where(angle == 0, 2 * n + 1, np.sin((n + 0.5) * angle) / np.where(angle == 0, 1, np.sin(angle / 2)))


def chebyshev_step(k, x, p, before):
    return 2 * x * p - before


chebyshev_polynomial_t = polynomial(lambda x: x, chebyshev_step, lambda x, n: by_parity(x, n, t, t))
chebyshev_polynomial_u = polynomial(lambda x: 2 * x, chebyshev_step, lambda x, n: by_parity(x, n, u, u))
chebyshev_polynomial_v = polynomial(lambda x: 2 * x - 1, chebyshev_step, lambda x, n: by_parity(x, n, v, w))
chebyshev_polynomial_w = polynomial(lambda x: 2 * x + 1, chebyshev_step, lambda x, n: by_parity(x, n, w, v))
shifted_chebyshev_polynomial_t = shifted(chebyshev_polynomial_t)
shifted_chebyshev_polynomial_u = shifted(chebyshev_polynomial_u)
shifted_chebyshev_polynomial_v = shifted(chebyshev_polynomial_v)
shifted_chebyshev_polynomial_w = shifted(chebyshev_polynomial_w)


# --- other families --------------------------------------------------------------------------------------------------

hermite_polynomial_h = polynomial(lambda x: 2 * x, lambda k, x, p, before: 2 * x * p - 2 * k * before)
hermite_polynomial_he = polynomial(lambda x: x, lambda k, x, p, before: x * p - k * before)
laguerre_polynomial_l = polynomial(
    lambda x: 1 - x, lambda k, x, p, before: ((2 * k + 1 - x) * p - k * before) / (k + 1), endless=True)
legendre_polynomial_p = polynomial(
    lambda x: x, lambda k, x, p, before: ((2 * k + 1) * x * p - k * before) / (k + 1), endless=True)
