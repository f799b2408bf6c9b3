"""The error function, the gamma function, the Bessel functions and their families.

Args:
    p: the number of dimensions
    n: the order of the derivative
"""
import math

from leafward.core.op import composite, op

from leafward.ops.checks import scalar_name
from leafward.ops.kinds import both_arrays, is_bool, is_whole, refuse_kinds, without_derivative

SQRT_PI = math.sqrt(math.pi)


# --- the error function ----------------------------------------------------------------------------------------------

@op("erf", "special.erf", elementwise=True, dtype="floating", inplace="method, function", foreach=True,
    samples=["3 4", "", "-9. +9. +0. +1e-5"])
def erf(xp, x, out=None):
    """Error function: ``out = 2 / sqrt(pi) * integral of exp(-t ** 2) from 0 to x``.

    Source: DLMF 7.2.1
    """
    refuse_kinds(x, "c", "erf_vml_cpu")
    return xp.erf(x, out=out)


@erf.vjp("x")
def erf_dx(xp, g, x):
    return g * (2 / SQRT_PI * xp.exp(-(x * x)))


@op("erfc", "special.erfc", elementwise=True, dtype="floating", inplace="method, function", foreach=True,
    samples=["3 4", "", "-9. +9. +0."])
def erfc(xp, x, out=None):
    """What the error function leaves: ``out = 1 - erf(x)``.

    Source: DLMF 7.2.2
    """
    refuse_kinds(x, "c", "erfc_vml_cpu")
    return xp.erfc(x, out=out)


@erfc.vjp("x")
def erfc_dx(xp, g, x):
    return g * (-2 / SQRT_PI * xp.exp(-(x * x)))


@op("special.erfcx", elementwise=True, dtype="floating", samples=["3 4", "", "-3. +30. +0."])
def erfcx(xp, x, out=None):
    """Scaled: ``out = exp(x ** 2) * erfc(x)``.

    Source: DLMF 7.2, 7.7
    """
    refuse_kinds(x, "c", "erfcx_cpu")
    return xp.erfcx(x, out=out)


@erfcx.vjp("x")
def erfcx_dx(g, x, out):
    return g * (2 * x * out - 2 / SQRT_PI)


@op("erfinv", "special.erfinv", elementwise=True, dtype="floating", domain="unit",
    samples=["3 4", "", "-1. +1. +0. +2."])
def erfinv(xp, x, out=None):
    """Inverse of the error function: ``erf(out) = x``.

    Source: DLMF 7.17
    """
    refuse_kinds(x, "c", "erfinv_vml_cpu")
    return xp.erfinv(x, out=out)


@erfinv.vjp("x")
def erfinv_dx(xp, g, x):
    y = xp.erfinv(x)
    return g * (SQRT_PI / 2 * xp.exp(y * y))


# --- the normal distribution -----------------------------------------------------------------------------------------

@op("torch._half_of_one_plus_erf", elementwise=True, dtype="floating", node="MulBackward1", samples=["3"])
def half_of_one_plus_erf(xp, x):
    """The error function on the scale of probabilities: ``out = (1 + erf(x)) / 2``."""
    refuse_kinds(x, "c", "erf_vml_cpu")
    return (1 + xp.erf(x)) * 0.5


@half_of_one_plus_erf.vjp("x")
def half_of_one_plus_erf_dx(xp, g, x):
    return g * (xp.exp(-(x * x)) / SQRT_PI)


@composite("special.ndtr", samples=["3", "-9. +9. +0."])
def ndtr(fns, input, *, out=None):
    """Distribution function of the normal distribution: ``out = P(X <= x)``."""
    return fns._ndtr(input) if out is None else fns._ndtr(input, out=out)


@composite("torch._ndtr", records_out=True, reference="special.ndtr", samples=["3", "-9. +9. +0."])
def normal_distribution(fns, input):
    """``ndtr``."""
    return fns._half_of_one_plus_erf(input * math.sqrt(0.5))


@op("special.ndtri", elementwise=True, dtype="floating", domain="unit", samples=["3 4", "", "+0. +1. +2. +0.5"])
def ndtri(xp, x, out=None):
    """Quantiles of the normal distribution: ``ndtr(out) = x``."""
    refuse_kinds(x, "c", "ndtri_cpu")
    return xp.ndtri(x, out=out)


@ndtri.vjp("x")
def ndtri_dx(xp, g, out):
    return g * (math.sqrt(2 * math.pi) * xp.exp(0.5 * (out * out)))


@op("special.log_ndtr", elementwise=True, dtype="floating", samples=["3 4", "", "-30. +9. +0."])
def log_ndtr(xp, x, out=None):
    """Logarithm of the normal distribution function: ``out = log(ndtr(x))``."""
    refuse_kinds(x, "c", "log_ndtr_cpu")
    return xp.log_ndtr(x, out=out)


@log_ndtr.vjp("x")
def log_ndtr_dx(xp, g, x):
    return g / xp.special_erfcx(x * -math.sqrt(0.5)) * (math.sqrt(2) / SQRT_PI)


# --- the gamma function ----------------------------------------------------------------------------------------------

@op("lgamma", "special.gammaln", elementwise=True, dtype="floating", domain="pos",
    foreach=True, samples=["3 4", "", "-0.5 -2.5 +0. -1. +9."])
def lgamma(xp, x, out=None):
    """Logarithm of the absolute value of the gamma function.

    Source: DLMF 5.2.1
    """
    refuse_kinds(x, "c", "lgamma_vml_cpu")
    return xp.lgamma(x, out=out)


@lgamma.vjp("x")
def lgamma_dx(xp, g, x):
    return g * xp.digamma(x)


@op("digamma", "special.digamma", "special.psi", elementwise=True, dtype="floating", domain="pos",
    samples=["3 4", "", "-0.5 -2.5 +0. +9."])
def digamma(xp, x, out=None):
    """Slope of lgamma.

    Source: DLMF 5.2.2
    """
    refuse_kinds(x, "c", "digamma")
    return xp.digamma(x, out=out)


@digamma.vjp("x")
def digamma_dx(xp, g, x):
    return g * xp.polygamma(1, x)


@op("polygamma", "special.polygamma", elementwise=True, dtype="floating", self_name="x", domain="pos", inplace=False,
    samples=["3 4 ; n=0", "3 4 ; n=1", "3 4 ; n=2", "-0.5 +9. ; n=1"],
    errors=[("3 ; n=-1", RuntimeError, "polygamma(n, x) does not support negative n.")])
def polygamma(xp, n: int, x):
    """The ``n``-th derivative of digamma.

    Source: DLMF 5.15
    """
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    refuse_kinds(x, "c", "polygamma")
    return xp.polygamma(n, x)


@polygamma.vjp("x")
def polygamma_dx(xp, g, x, n):
    return g * xp.polygamma(n + 1, x)


@composite("Tensor.polygamma_", samples=["pos: 3 ; n=1"])
def polygamma_(fns, input, n: int):
    """:func:`polygamma`, in place."""
    if is_whole(input):
        raise RuntimeError(f"result type Float can't be cast to the desired output type {scalar_name(input)}")
    return input.copy_(fns.polygamma(n, input.clone()))     # the gradient needs what was there


@op("mvlgamma", "special.multigammaln", elementwise=True, dtype="floating", inplace=True,
    samples=["+1.5 +2.5 +9. ; p=2", "+3. +4. ; p=3", "+1. +0.5 ; p=1", "+5. +3.5 ; p=4", "+5. +3.5 ; p=5", "+9.5 +12. ; p=17"])
def mvlgamma(xp, x, p):
    """Logarithm of the multivariate gamma function: ``out = p (p - 1) / 4 log(pi) + sum(lgamma(x - j / 2))``, j < p.

    Source: DLMF 35.3
    """
    refuse_kinds(x, "c", "arange_cpu")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    if p > 1024 and p * math.prod(x.shape) > MOST_TERMS:
        raise NotImplementedError(f"mvlgamma adds up p terms for each element, and {p} of them for {math.prod(x.shape)} "
                                  f"elements take too long: leafward goes up to {MOST_TERMS} in all")
    return p * (p - 1) / 4 * math.log(math.pi) + sum_of_halves(xp, xp.lgamma, x, 0, p)


#: How many terms mvlgamma adds up, where they are many for each element: less than a second's work.
MOST_TERMS = 1 << 22


def sum_of_halves(xp, function, x, first, stop):
    """``sum(function(x - j / 2))`` for ``first <= j < stop``: few terms one by one, many as many at once as a cache holds."""
    if stop <= 16:
        total, j = function(x - first / 2), first + 1
        while j < stop:                                     # which a derived kernel can follow, and range() not
            total, j = total + function(x - j / 2), j + 1
        return total
    total, step = 0, max(1, (1 << 17) // max(1, math.prod(x.shape)))
    for start in range(first, stop, step):
        shifts = xp.astype(xp.arange(start, min(start + step, stop)), x.dtype) / 2
        total = total + xp.sum(function(x[..., None] - shifts), axis=-1)
    return total


@mvlgamma.check
def mvlgamma_check(x):
    if is_bool(x):
        raise RuntimeError("The input tensor may not be a boolean tensor.")


@mvlgamma.vjp("x")
def mvlgamma_dx(xp, g, x, p):
    return g * sum_of_halves(xp, xp.digamma, x, 0, p)


@op("special.zeta", numbers="x, y", elementwise=True, dtype="floating", samples=["+1.5 +2. +3. | pos: 3", "+2. +3. | +0.5 +9."])
def zeta(xp, x, y):
    """Hurwitz zeta function: ``out = sum((y + k) ** -x for k = 0, 1, ...)``.

    Source: DLMF 25.11.1
    """
    x, y = both_arrays(xp, x, y)
    refuse_kinds(x, "c", "zeta_cpu")
    return xp.zeta(x, y)


without_derivative(zeta, "x", "special_zeta", "zeta")


@zeta.vjp("y")
def zeta_dy(xp, g, x, y):
    return g * (-1 * x) * xp.special_zeta(x + 1, y)          # (of bools, too, which have no negatives)


# --- modified Bessel functions ---------------------------------------------------------------------------------------

@op("i0", "special.i0", elementwise=True, dtype="floating", node="I0Backward0", inplace="method, function",
    samples=["3 4", "", "-9. +30. +0."])
def i0(xp, x, out=None):
    """Modified Bessel function of order 0.

    Source: DLMF 10.25.2
    """
    refuse_kinds(x, "c", "i0_cpu")
    return xp.i0(x, out=out)


@i0.vjp("x")
def i0_dx(xp, g, x):
    return g * xp.special_i1(x)


@op("special.i0e", elementwise=True, dtype="floating", node="SpecialI0EBackward0", samples=["3 4", "", "-9. +30. +0."])
def i0e(xp, x, out=None):
    """Scaled: ``out = exp(-abs(x)) * i0(x)``.

    Source: DLMF 10.25.2
    """
    refuse_kinds(x, "c", "i0e_cpu")
    return xp.i0e(x, out=out)


@i0e.vjp("x")
def i0e_dx(xp, g, x, out):
    return g * (xp.special_i1e(x) - xp.sgn(x) * out)


@op("special.i1", elementwise=True, dtype="floating", node="SpecialI1Backward0", samples=["3 4", "", "-9. +30. +0."])
def i1(xp, x, out=None):
    """Modified Bessel function of order 1.

    Source: DLMF 10.25.2
    """
    refuse_kinds(x, "c", "i1_cpu")
    return xp.i1(x, out=out)


@i1.vjp("x")
def i1_dx(xp, g, x, out):
    return g * half_at_0(xp, x, xp.i0(x) - over(xp, out, x))


@op("special.i1e", elementwise=True, dtype="floating", node="SpecialI1EBackward0", samples=["3 4", "", "-9. +30. +0."])
def i1e(xp, x, out=None):
    """Scaled: ``out = exp(-abs(x)) * i1(x)``.

    Source: DLMF 10.25.2
    """
    refuse_kinds(x, "c", "i1e_cpu")
    return xp.i1e(x, out=out)


@i1e.vjp("x")
def i1e_dx(xp, g, x, out):
    return g * half_at_0(xp, x, xp.special_i0e(x) - over(xp, out, x) - xp.sgn(x) * out)


def over(xp, out, x):
    return out / xp.where(x == 0, 1, x)


def half_at_0(xp, x, slope):
    """``slope``, and 1/2 where there is none: at 0, and where ``x`` is NaN."""
    return xp.where(xp.abs(x) > 0, slope, 0.5)
