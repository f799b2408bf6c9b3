# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

from leafward.devices import device as _device
from leafward.dtypes import dtype as _dtype
from leafward.random import Generator
from leafward.tensor import Tensor

_Number = _int | _float | _complex

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
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of order 0."""
def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Scaled: ``out = exp(-abs(x)) * i0(x)``."""
def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of order 1."""
def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Scaled: ``out = exp(-abs(x)) * i1(x)``."""
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of one more: ``out = log(1 + x)``, exact near 0."""
def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the normal distribution function: ``out = log(ndtr(x))``."""
def log_softmax(input: Tensor, dim: _int | Sequence[_int], dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of softmax: ``out = x - log(sum(exp(x)))`` along ``dim``."""
def logit(input: Tensor, eps: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Log-odds: ``out = log(x / (1 - x))``, with x first brought within [eps, 1 - eps]."""
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
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sine by its angle: ``out = sin(pi x) / (pi x)``, and 1 at 0."""
def softmax(input: Tensor, dim: _int | Sequence[_int], dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """Exponentials as shares of their sum: ``out = exp(x) / sum(exp(x))`` along ``dim``."""
def xlog1py(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of one more, times: ``out = x * log(1 + y)``, and 0 where x is 0."""
def xlogy(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Logarithm times: ``out = x * log(y)``, and 0 where x is 0."""
def zeta(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Hurwitz zeta function: ``out = sum((y + k) ** -x for k = 0, 1, ...)``."""
