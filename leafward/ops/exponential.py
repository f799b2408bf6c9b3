"""Exponentials, logarithms and what is made of them. Sines and cosines are in ``trigonometric.py``."""
import math

from leafward.core.op import op

from leafward.ops.kinds import both_arrays, floating, is_number, refuse_kinds
from leafward.ops.powers import logarithm

LOG_2, LOG_10 = math.log(2), math.log(10)


# --- exponentials ----------------------------------------------------------------------------------------------------

@op("exp", elementwise=True, dtype="floating", inplace="method, function", foreach=True,
    samples=["3 4", "", "0 3", "-90 +80"])
def exp(xp, x, out=None):
    """Exponential function: ``out = e ** x``."""
    return xp.exp(x, out=out)


@exp.vjp("x")
def exp_dx(xp, g, out):
    return g * xp.conj(out)


@op("exp2", "special.exp2", elementwise=True, dtype="floating", inplace="method, function", samples=["3 4", "", "-9. +9."])
def exp2(xp, x, out=None):
    """Power of two: ``out = 2 ** x``."""
    return xp.exp2(x, out=out) if x.dtype.kind != "c" else xp.exp(x * LOG_2)


@exp2.vjp("x")
def exp2_dx(xp, g, out):
    return g * xp.conj(out * LOG_2)


@op("expm1", "special.expm1", elementwise=True, dtype="floating", inplace="method, function", foreach=True,
    samples=["3 4", "", "+1e-9 -1e-9"])
def expm1(xp, x, out=None):
    """Growth: ``out = exp(x) - 1``, exact near 0."""
    return xp.expm1(x, out=out)


@expm1.vjp("x")
def expm1_dx(xp, g, out):
    return g * (xp.conj(out) + 1)


# --- logarithms ------------------------------------------------------------------------------------------------------

@op("log", elementwise=True, dtype="floating", domain="pos", inplace="method, function", foreach=True,
    samples=["3 4", "", "+0. +1. -1."])
def log(xp, x, out=None):
    """Natural logarithm: ``exp(out) = x``."""
    return xp.log(x, out=out)


@log.vjp("x")
def log_dx(xp, g, x):
    return g / xp.conj(x)


@op("log2", elementwise=True, dtype="floating", domain="pos", inplace="method, function", foreach=True,
    samples=["3 4", "", "+0. +8. -1."])
def log2(xp, x, out=None):
    """Logarithm to base 2: ``2 ** out = x``."""
    return xp.log2(x, out=out)


@log2.vjp("x")
def log2_dx(xp, g, x):
    return g / xp.conj(x * LOG_2)


@op("log10", elementwise=True, dtype="floating", domain="pos", inplace="method, function", foreach=True,
    samples=["3 4", "", "+0. +100. -1."])
def log10(xp, x, out=None):
    """Logarithm to base 10: ``10 ** out = x``."""
    return xp.log10(x, out=out)


@log10.vjp("x")
def log10_dx(xp, g, x):
    return g / xp.conj(x * LOG_10)


@op("log1p", "special.log1p", elementwise=True, dtype="floating", node="Log1PBackward0", domain="pos",
    inplace="method, function", foreach=True, samples=["3 4", "", "+1e-9 -1. -2."])
def log1p(xp, x, out=None):
    """Logarithm of one more: ``out = log(1 + x)``, exact near 0."""
    if x.dtype.kind == "c":                               # NumPy's loses the real part near 0
        near = xp.where(abs(x) < 0.5, x, 0)
        real = xp.log1p(near.real * (2 + near.real) + near.imag * near.imag) / 2
        return xp.where(abs(x) < 0.5, real + 1j * xp.atan2(near.imag, 1 + near.real), xp.log(1 + x))
    return xp.log1p(x, out=out)


@log1p.vjp("x")
def log1p_dx(xp, g, x):
    return g / xp.conj(x + 1)


@op("logaddexp", numbers="", elementwise=True, samples=["3 4 | 3 4", "3 1 | 1 4", "+900. -900. | +900. -901."])
def logaddexp(xp, x, y, out=None):
    """Addition of numbers given as logarithms: ``out = log(exp(x) + exp(y))``."""
    refuse_kinds(x, "biu", "logaddexp_cpu")
    if x.dtype.kind == "c":
        largest = xp.where(x.real >= y.real, x, y)
        largest = xp.where(largest.real == -math.inf, 0, largest)       # nothing added to nothing
        return largest + xp.log(xp.exp(x - largest) + xp.exp(y - largest))
    return xp.logaddexp(x, y, out=out)


@logaddexp.vjp("x")
def logaddexp_dx(xp, g, x, y):
    return g / xp.conj(1 + xp.exp(y - x))


@logaddexp.vjp("y")
def logaddexp_dy(xp, g, x, y):
    return g / xp.conj(1 + xp.exp(x - y))


@op("logaddexp2", numbers="", elementwise=True, samples=["3 4 | 3 4", "3 1 | 1 4", "+900. -900. | +900. -901."])
def logaddexp2(xp, x, y, out=None):
    """Addition of numbers given as logarithms to base 2: ``out = log2(2 ** x + 2 ** y)``."""
    refuse_kinds(x, "biuc", "logaddexp2_cpu")
    return xp.logaddexp2(x, y, out=out)


@logaddexp2.vjp("x")
def logaddexp2_dx(g, x, y):
    return g / (1 + 2 ** (y - x))


@logaddexp2.vjp("y")
def logaddexp2_dy(g, x, y):
    return g / (1 + 2 ** (x - y))


def numbered(name):
    """PyTorch's three forms of a function: of two tensors, with a number first, with a number last."""
    def node(given):
        if is_number(given["x"]):
            return f"{name}Backward1"
        return f"{name}Backward2" if is_number(given["y"]) else f"{name}Backward0"
    return node


@op("xlogy", "special.xlogy", numbers="x, y", elementwise=True, inplace="method, function", dtype="floating",
    node=numbered("Xlogy"),
    samples=["3 4 | pos: 3 4", "3 1 | pos: 1 4", "3 4 | = 2.5", "= 2.5 | pos: 3 4",
             "+0. +0. +0. +1. | +0. +nan -1. +0."])
def xlogy(xp, x, y):
    """Logarithm times: ``out = x * log(y)``, and 0 where x is 0."""
    x, y = both_arrays(xp, x, y)
    refuse_kinds(x, "c", "xlogy_cpu")
    return xp.where((x == 0) & ~xp.isnan(y), 0, x * xp.log(y))


def no_slope(g, x, y, pole):
    """Where a gradient is 0 although the logarithm has no value: ``x`` is 0, or nothing is asked for."""
    below = not y > pole if is_number(y) else y <= pole         # NaN, as a number, counts as below
    return ((x == 0) & below) | ((g == 0) & ((y <= pole) | (y == math.inf)))


@xlogy.vjp("x")
def xlogy_dx(xp, g, x, y):
    log = logarithm(y) if is_number(y) else xp.log(floating(xp, y))
    return xp.where(no_slope(g, x, y, 0), 0, g * log)


@xlogy.vjp("y")
def xlogy_dy(g, x, y):
    return g * x / y


@op("special.xlog1py", numbers="x, y", elementwise=True, dtype="floating", node=numbered("SpecialXlog1Py"),
    samples=["3 4 | pos: 3 4", "3 1 | pos: 1 4", "3 4 | = 2.5", "+0. +0. +1. | +0. -2. -1."])
def xlog1py(xp, x, y):
    """Logarithm of one more, times: ``out = x * log(1 + y)``, and 0 where x is 0."""
    x, y = both_arrays(xp, x, y)
    refuse_kinds(x, "c", "xlog1py_cpu")
    return xp.where((x == 0) & ~xp.isnan(y), 0, x * xp.log1p(y))


@xlog1py.vjp("x")
def xlog1py_dx(xp, g, x, y):
    log = xp.log1p(floating(xp, y)) if not is_number(y) else math.log1p(y) if y > -1 else logarithm(1 + y)
    return xp.where(no_slope(g, x, y, -1), 0, g * log)


@xlog1py.vjp("y")
def xlog1py_dy(g, x, y):
    return g * x / (y + 1)


@op("special.entr", elementwise=True, dtype="floating", domain="pos", samples=["3 4", "", "+0. -1. +nan"])
def entr(xp, x):
    """Entropy of one outcome: ``out = -x * log(x)``, 0 at 0, and -inf below."""
    refuse_kinds(x, "c", "entr_cpu")
    return xp.where(x == 0, 0, xp.where(x < 0, -math.inf, -x * xp.log(x)))


@entr.vjp("x")
def entr_dx(xp, g, x):
    return g * (-xp.log(x) - 1)


# --- the logistic curve ----------------------------------------------------------------------------------------------

@op("sigmoid", "special.expit", "nn.functional.sigmoid", elementwise=True, dtype="floating",
    inplace="method, function", foreach=True, samples=["3 4", "", "-90 +90", "0 3"])
def sigmoid(xp, x, out=None):
    """Squash to (0, 1): ``out = 1 / (1 + exp(-x))``.

    Exact at both ends: no exponential overflows.
    """
    return xp.sigmoid(x, out=out)


@sigmoid.vjp("x")
def sigmoid_dx(xp, g, out):
    return g * xp.conj((1 - out) * out)


@op("logit", "special.logit", elementwise=True, inplace="method, function", dtype="floating", domain="unit",
    samples=["3", "3 4 ; eps=0.2", "+0. +1. -1. +2. +0.5", "+0. +1. -1. +2. +0.5 ; eps=0.1",
             "+0.2 +0.5 +0.8 ; eps=0.7"])
def logit(xp, x, eps: float = None):
    """Log-odds: ``out = log(x / (1 - x))``, with x first brought within [eps, 1 - eps].

    Args:
        eps: `input` is kept in [eps, 1 - eps] first; None: it isn't
    """
    refuse_kinds(x, "c", "logit_cpu")
    if eps is not None:
        x = xp.where(x < eps, eps, xp.where(x > 1 - eps, 1 - eps, x))      # (an eps above 0.5 counts from below)
    return xp.log(x / (1 - x))


@logit.vjp("x")
def logit_dx(xp, g, x, eps):
    slope = g / (x * (1 - x))
    if eps is None:
        return xp.where((x < 0) | (x > 1), math.nan, slope)
    return xp.where((x < eps) | (x > 1 - eps), 0, slope)
