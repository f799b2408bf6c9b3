"""Orthogonal polynomials of degree ``n``. PyTorch has no derivatives of these: what they return is a constant.

Args:
    input: where to evaluate
    n: the degree: a tensor or a number
Source: DLMF 18.3, and 18.9 for the recurrences
"""
from leafward.core.op import op

from leafward.ops.kinds import both_arrays, refuse_kinds

#: Degrees from below 0 to beyond 9, one that is cut; the ends of the interval, outside of it, what overflows.
SAMPLES = [
    "3 4 | int9: 3 4", "3 1 | 4", " | int9: ", "0 3 | 3", "unit: 3 4 | = 5", "= 0.3 | int9: 3 4", "unit: 6 | = 40",
    "-1. +1. +0. +0.5 -0.5 +1.5 | = 3", "-1. +1. +0. +0.5 -0.5 +0.9 | = 17", "+0.3 +0.3 +0.3 | -1. +0. +2.7",
    "+3. -3. | = 1000",
]


@op("special.chebyshev_polynomial_t", numbers="x, n", elementwise=True, dtype="floating",
    nondifferentiable="x, n", no_grad_outputs="out", samples=SAMPLES)
def chebyshev_polynomial_t(xp, x, n):
    """Chebyshev polynomial of the first kind: ``out = cos(n * acos(x))``."""
    x, n = both_arrays(xp, x, n)
    refuse_kinds(x, "c", "chebyshev_polynomial_t_cpu")
    return xp.polynomials.chebyshev_polynomial_t(x, n)


@op("special.chebyshev_polynomial_u", numbers="x, n", elementwise=True, dtype="floating",
    nondifferentiable="x, n", no_grad_outputs="out", samples=SAMPLES)
def chebyshev_polynomial_u(xp, x, n):
    """Chebyshev polynomial of the second kind: ``out = sin((n + 1) * a) / sin(a)``, where ``x = cos(a)``."""
    x, n = both_arrays(xp, x, n)
    refuse_kinds(x, "c", "chebyshev_polynomial_u_cpu")
    return xp.polynomials.chebyshev_polynomial_u(x, n)


@op("special.chebyshev_polynomial_v", numbers="x, n", elementwise=True, dtype="floating",
    nondifferentiable="x, n", no_grad_outputs="out", samples=SAMPLES)
def chebyshev_polynomial_v(xp, x, n):
    """Chebyshev polynomial of the third kind: ``out = cos((n + 1/2) * a) / cos(a / 2)``, where ``x = cos(a)``."""
    x, n = both_arrays(xp, x, n)
    refuse_kinds(x, "c", "chebyshev_polynomial_v_cpu")
    return xp.polynomials.chebyshev_polynomial_v(x, n)


@op("special.chebyshev_polynomial_w", numbers="x, n", elementwise=True, dtype="floating",
    nondifferentiable="x, n", no_grad_outputs="out", samples=SAMPLES)
def chebyshev_polynomial_w(xp, x, n):
    """Chebyshev polynomial of the fourth kind: ``out = sin((n + 1/2) * a) / sin(a / 2)``, where ``x = cos(a)``."""
    x, n = both_arrays(xp, x, n)
    refuse_kinds(x, "c", "chebyshev_polynomial_w_cpu")
    return xp.polynomials.chebyshev_polynomial_w(x, n)


@op("special.shifted_chebyshev_polynomial_t", numbers="x, n", elementwise=True, dtype="floating",
    nondifferentiable="x, n", no_grad_outputs="out", samples=SAMPLES)
def shifted_chebyshev_polynomial_t(xp, x, n):
    """Chebyshev polynomial of the first kind on [0, 1]: ``out = chebyshev_polynomial_t(2 * x - 1, n)``."""
    x, n = both_arrays(xp, x, n)
    refuse_kinds(x, "c", "shifted_chebyshev_polynomial_t_cpu")
    return xp.polynomials.shifted_chebyshev_polynomial_t(x, n)


@op("special.shifted_chebyshev_polynomial_u", numbers="x, n", elementwise=True, dtype="floating",
    nondifferentiable="x, n", no_grad_outputs="out", samples=SAMPLES)
def shifted_chebyshev_polynomial_u(xp, x, n):
    """Chebyshev polynomial of the second kind on [0, 1]: ``out = chebyshev_polynomial_u(2 * x - 1, n)``."""
    x, n = both_arrays(xp, x, n)
    refuse_kinds(x, "c", "shifted_chebyshev_polynomial_u_cpu")
    return xp.polynomials.shifted_chebyshev_polynomial_u(x, n)


@op("special.shifted_chebyshev_polynomial_v", numbers="x, n", elementwise=True, dtype="floating",
    nondifferentiable="x, n", no_grad_outputs="out", samples=SAMPLES)
def shifted_chebyshev_polynomial_v(xp, x, n):
    """Chebyshev polynomial of the third kind on [0, 1]: ``out = chebyshev_polynomial_v(2 * x - 1, n)``."""
    x, n = both_arrays(xp, x, n)
    refuse_kinds(x, "c", "shifted_chebyshev_polynomial_v_cpu")
    return xp.polynomials.shifted_chebyshev_polynomial_v(x, n)


@op("special.shifted_chebyshev_polynomial_w", numbers="x, n", elementwise=True, dtype="floating",
    nondifferentiable="x, n", no_grad_outputs="out", samples=SAMPLES)
def shifted_chebyshev_polynomial_w(xp, x, n):
    """Chebyshev polynomial of the fourth kind on [0, 1]: ``out = chebyshev_polynomial_w(2 * x - 1, n)``."""
    x, n = both_arrays(xp, x, n)
    refuse_kinds(x, "c", "shifted_chebyshev_polynomial_w_cpu")
    return xp.polynomials.shifted_chebyshev_polynomial_w(x, n)


@op("special.hermite_polynomial_h", numbers="x, n", elementwise=True, dtype="floating",
    nondifferentiable="x, n", no_grad_outputs="out", samples=SAMPLES)
def hermite_polynomial_h(xp, x, n):
    """Physicists' Hermite polynomial: ``out = (-1)**n exp(x**2) * (d/dx)**n exp(-x**2)``."""
    x, n = both_arrays(xp, x, n)
    refuse_kinds(x, "c", "hermite_polynomial_h_cpu")
    return xp.polynomials.hermite_polynomial_h(x, n)


@op("special.hermite_polynomial_he", numbers="x, n", elementwise=True, dtype="floating",
    nondifferentiable="x, n", no_grad_outputs="out", samples=SAMPLES)
def hermite_polynomial_he(xp, x, n):
    """Probabilists' Hermite polynomial: ``out = (-1)**n exp(x**2 / 2) * (d/dx)**n exp(-x**2 / 2)``."""
    x, n = both_arrays(xp, x, n)
    refuse_kinds(x, "c", "hermite_polynomial_he_cpu")
    return xp.polynomials.hermite_polynomial_he(x, n)


@op("special.laguerre_polynomial_l", numbers="x, n", elementwise=True, dtype="floating",
    nondifferentiable="x, n", no_grad_outputs="out", samples=SAMPLES)
def laguerre_polynomial_l(xp, x, n):
    """Laguerre polynomial: ``out = exp(x) / n! * (d/dx)**n (exp(-x) x**n)``."""
    x, n = both_arrays(xp, x, n)
    refuse_kinds(x, "c", "laguerre_polynomial_l_cpu")
    return xp.polynomials.laguerre_polynomial_l(x, n)


@op("special.legendre_polynomial_p", numbers="x, n", elementwise=True, dtype="floating",
    nondifferentiable="x, n", no_grad_outputs="out", samples=SAMPLES)
def legendre_polynomial_p(xp, x, n):
    """Legendre polynomial: ``out = (d/dx)**n (x**2 - 1)**n / (2**n n!)``."""
    x, n = both_arrays(xp, x, n)
    refuse_kinds(x, "c", "legendre_polynomial_p_cpu")
    return xp.polynomials.legendre_polynomial_p(x, n)
