# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

from leafward.devices import device as _device
from leafward.dtypes import dtype as _dtype
from leafward.tensor.random import Generator
from leafward.tensor.tensor import Tensor

_Number = _int | _float | _complex

def airy_ai(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Airy's function: ``out'' = x out``, vanishing for large ``x``."""
def bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Bessel function of the first kind of order 0: ``x**2 out'' + x out' + x**2 out = 0``, 1 at 0."""
def bessel_j1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Bessel function of the first kind of order 1: ``out = -d/dx bessel_j0(x)``."""
def bessel_y0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Bessel function of the second kind of order 0: -inf at 0, nan below."""
def bessel_y1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Bessel function of the second kind of order 1: ``out = -d/dx bessel_y0(x)``."""
def chebyshev_polynomial_t(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the first kind: ``out = cos(n * acos(x))``."""
def chebyshev_polynomial_u(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the second kind: ``out = sin((n + 1) * a) / sin(a)``, where ``x = cos(a)``."""
def chebyshev_polynomial_v(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the third kind: ``out = cos((n + 1/2) * a) / cos(a / 2)``, where ``x = cos(a)``."""
def chebyshev_polynomial_w(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the fourth kind: ``out = sin((n + 1/2) * a) / sin(a / 2)``, where ``x = cos(a)``."""
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Slope of lgamma."""
def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Entropy of one outcome: ``out = -x * log(x)``, 0 at 0, and -inf below."""
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Error function: ``out = 2 / sqrt(pi) * integral of exp(-t ** 2) from 0 to x``."""
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """What the error function leaves: ``out = 1 - erf(x)``."""
def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Scaled: ``out = exp(x ** 2) * erfc(x)``."""
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of the error function: ``erf(out) = x``."""
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Power of two: ``out = 2 ** x``."""
def expit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Squash to (0, 1): ``out = 1 / (1 + exp(-x))``."""
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Growth: ``out = exp(x) - 1``, exact near 0."""
def gammainc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Lower incomplete gamma function, regularized: ``1 / gamma(x) integral of t ** (x - 1) exp(-t) from 0 to y``."""
def gammaincc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Upper incomplete gamma function, regularized: ``out = 1 - igamma(x, y)``."""
def gammaln(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the absolute value of the gamma function."""
def hermite_polynomial_h(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Physicists' Hermite polynomial: ``out = (-1)**n exp(x**2) * (d/dx)**n exp(-x**2)``."""
def hermite_polynomial_he(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Probabilists' Hermite polynomial: ``out = (-1)**n exp(x**2 / 2) * (d/dx)**n exp(-x**2 / 2)``."""
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of order 0."""
def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Scaled: ``out = exp(-abs(x)) * i0(x)``."""
def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of order 1."""
def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Scaled: ``out = exp(-abs(x)) * i1(x)``."""
def laguerre_polynomial_l(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Laguerre polynomial: ``out = exp(x) / n! * (d/dx)**n (exp(-x) x**n)``."""
def legendre_polynomial_p(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Legendre polynomial: ``out = (d/dx)**n (x**2 - 1)**n / (2**n n!)``."""
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of one more: ``out = log(1 + x)``, exact near 0."""
def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the normal distribution function: ``out = log(ndtr(x))``."""
def log_softmax(input: Tensor, dim: _int | Sequence[_int], dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of softmax: ``out = x - log(sum(exp(x)))`` along ``dim``."""
def logit(input: Tensor, eps: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Log-odds: ``out = log(x / (1 - x))``, with x first brought within [eps, 1 - eps]."""
def logsumexp(input: Tensor, dim: _int | Sequence[_int], keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """``out = log(sum(exp(x)))`` along ``dim``."""
def modified_bessel_i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of the first kind of order 0: ``out = i0(x)``, as a constant."""
def modified_bessel_i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of the first kind of order 1: ``out = i1(x)``, as a constant."""
def modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of the second kind of order 0: inf at 0, nan below."""
def modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of the second kind of order 1: ``out = -d/dx modified_bessel_k0(x)``."""
def multigammaln(input: Tensor, p: Any, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the multivariate gamma function: ``out = p (p - 1) / 4 log(pi) + sum(lgamma(x - j / 2))``, j < p."""
def ndtr(input: Tensor, *, out: Any = None) -> Tensor:
    """Distribution function of the normal distribution: ``out = P(X <= x)``."""
def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Quantiles of the normal distribution: ``ndtr(out) = x``."""
def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The ``n``-th derivative of digamma."""
def psi(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Slope of lgamma."""
def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest number with ``decimals`` digits behind the point, the even one of two; no integers."""
def scaled_modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Scaled: ``out = exp(x) * modified_bessel_k0(x)``."""
def scaled_modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Scaled: ``out = exp(x) * modified_bessel_k1(x)``."""
def shifted_chebyshev_polynomial_t(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the first kind on [0, 1]: ``out = chebyshev_polynomial_t(2 * x - 1, n)``."""
def shifted_chebyshev_polynomial_u(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the second kind on [0, 1]: ``out = chebyshev_polynomial_u(2 * x - 1, n)``."""
def shifted_chebyshev_polynomial_v(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the third kind on [0, 1]: ``out = chebyshev_polynomial_v(2 * x - 1, n)``."""
def shifted_chebyshev_polynomial_w(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the fourth kind on [0, 1]: ``out = chebyshev_polynomial_w(2 * x - 1, n)``."""
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sine by its angle: ``out = sin(pi x) / (pi x)``, and 1 at 0."""
def softmax(input: Tensor, dim: _int | Sequence[_int], dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """Exponentials as shares of their sum: ``out = exp(x) / sum(exp(x))`` along ``dim``."""
def spherical_bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Spherical Bessel function of the first kind of order 0: ``out = sin(x) / x``, 1 at 0."""
def xlog1py(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of one more, times: ``out = x * log(1 + y)``, and 0 where x is 0."""
def xlogy(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Logarithm times: ``out = x * log(y)``, and 0 where x is 0."""
def zeta(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Hurwitz zeta function: ``out = sum((y + k) ** -x for k = 0, 1, ...)``."""
