# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

from leafward.devices import device as _device
from leafward.dtypes import dtype as _dtype
from leafward.tensor.random import Generator as _Generator
from leafward.tensor.tensor import Tensor

_Number = _int | _float | _complex

def airy_ai(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Airy's function: `out'' = x out`, vanishing for large `x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Bessel function of the first kind of order 0: `x**2 out'' + x out' + x**2 out = 0`, 1 at 0.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def bessel_j1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Bessel function of the first kind of order 1: `out = -d/dx bessel_j0(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def bessel_y0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Bessel function of the second kind of order 0: -inf at 0, nan below.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def bessel_y1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Bessel function of the second kind of order 1: `out = -d/dx bessel_y0(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def chebyshev_polynomial_t(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the first kind: `out = cos(n * acos(x))`.

    Args:
        input: where to evaluate
        n: the degree: a tensor or a number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def chebyshev_polynomial_u(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the second kind: `out = sin((n + 1) * a) / sin(a)`, where `x = cos(a)`.

    Args:
        input: where to evaluate
        n: the degree: a tensor or a number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def chebyshev_polynomial_v(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the third kind: `out = cos((n + 1/2) * a) / cos(a / 2)`, where `x = cos(a)`.

    Args:
        input: where to evaluate
        n: the degree: a tensor or a number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def chebyshev_polynomial_w(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the fourth kind: `out = sin((n + 1/2) * a) / sin(a / 2)`, where `x = cos(a)`.

    Args:
        input: where to evaluate
        n: the degree: a tensor or a number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Slope of lgamma.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Entropy of one outcome: `out = -x * log(x)`, 0 at 0, and -inf below.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Error function: `out = 2 / sqrt(pi) * integral of exp(-t ** 2) from 0 to x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """What the error function leaves: `out = 1 - erf(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Scaled: `out = exp(x ** 2) * erfc(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of the error function: `erf(out) = x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Power of two: `out = 2 ** x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def expit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Squash to (0, 1): `out = 1 / (1 + exp(-x))`.

    Exact at both ends: no exponential overflows.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Growth: `out = exp(x) - 1`, exact near 0.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def gammainc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Lower incomplete gamma function, regularized: `1 / gamma(x) integral of t ** (x - 1) exp(-t) from 0 to y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def gammaincc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Upper incomplete gamma function, regularized: `out = 1 - igamma(x, y)`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def gammaln(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the absolute value of the gamma function.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def hermite_polynomial_h(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Physicists' Hermite polynomial: `out = (-1)**n exp(x**2) * (d/dx)**n exp(-x**2)`.

    Args:
        input: where to evaluate
        n: the degree: a tensor or a number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def hermite_polynomial_he(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Probabilists' Hermite polynomial: `out = (-1)**n exp(x**2 / 2) * (d/dx)**n exp(-x**2 / 2)`.

    Args:
        input: where to evaluate
        n: the degree: a tensor or a number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of order 0.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Scaled: `out = exp(-abs(x)) * i0(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of order 1.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Scaled: `out = exp(-abs(x)) * i1(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def laguerre_polynomial_l(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Laguerre polynomial: `out = exp(x) / n! * (d/dx)**n (exp(-x) x**n)`.

    Args:
        input: where to evaluate
        n: the degree: a tensor or a number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def legendre_polynomial_p(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Legendre polynomial: `out = (d/dx)**n (x**2 - 1)**n / (2**n n!)`.

    Args:
        input: where to evaluate
        n: the degree: a tensor or a number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of one more: `out = log(1 + x)`, exact near 0.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the normal distribution function: `out = log(ndtr(x))`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def log_softmax(input: Tensor, dim: _int | Sequence[_int], dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of softmax: `out = x - log(sum(exp(x)))` along `dim`.

    More exact than `log(softmax(x))`, which is -inf where the share underflows.

    Args:
        input: the tensor to compute on
        dim: the dim whose shares add up to one
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def logit(input: Tensor, eps: _Number | None = None, *, out: Tensor | None = None) -> Tensor:
    """Log-odds: `out = log(x / (1 - x))`, with x first brought within [eps, 1 - eps].

    Args:
        input: the tensor to compute on
        eps: `input` is kept in [eps, 1 - eps] first; None: it isn't
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def logsumexp(input: Tensor, dim: _int | Sequence[_int], keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """`out = log(sum(exp(x)))` along `dim`.

    Computed relative to the largest element, so that no exponential overflows.

    Args:
        input: the numbers to reduce
        dim: the dim, or several, to reduce
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def modified_bessel_i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of the first kind of order 0: `out = i0(x)`, as a constant.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def modified_bessel_i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of the first kind of order 1: `out = i1(x)`, as a constant.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of the second kind of order 0: inf at 0, nan below.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of the second kind of order 1: `out = -d/dx modified_bessel_k0(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def multigammaln(input: Tensor, p: Any, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the multivariate gamma function: `out = p (p - 1) / 4 log(pi) + sum(lgamma(x - j / 2))`, j < p.

    Args:
        input: the tensor to compute on
        p: the number of dimensions
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def ndtr(input: Tensor, *, out: Any = None) -> Tensor:
    """Distribution function of the normal distribution: `out = P(X <= x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Quantiles of the normal distribution: `ndtr(out) = x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The `n`-th derivative of digamma.

    Args:
        n: the order of the derivative
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def psi(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Slope of lgamma.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest number with `decimals` digits behind the point, the even one of two; no integers.

    Args:
        input: the tensor to compute on
        decimals: the number of digits behind the point; below 0, before it
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def scaled_modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Scaled: `out = exp(x) * modified_bessel_k0(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def scaled_modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Scaled: `out = exp(x) * modified_bessel_k1(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def shifted_chebyshev_polynomial_t(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the first kind on [0, 1]: `out = chebyshev_polynomial_t(2 * x - 1, n)`.

    Args:
        input: where to evaluate
        n: the degree: a tensor or a number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def shifted_chebyshev_polynomial_u(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the second kind on [0, 1]: `out = chebyshev_polynomial_u(2 * x - 1, n)`.

    Args:
        input: where to evaluate
        n: the degree: a tensor or a number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def shifted_chebyshev_polynomial_v(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the third kind on [0, 1]: `out = chebyshev_polynomial_v(2 * x - 1, n)`.

    Args:
        input: where to evaluate
        n: the degree: a tensor or a number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def shifted_chebyshev_polynomial_w(input: Tensor | _Number, n: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Chebyshev polynomial of the fourth kind on [0, 1]: `out = chebyshev_polynomial_w(2 * x - 1, n)`.

    Args:
        input: where to evaluate
        n: the degree: a tensor or a number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sine by its angle: `out = sin(pi x) / (pi x)`, and 1 at 0.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def softmax(input: Tensor, dim: _int | Sequence[_int], dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """Exponentials as shares of their sum: `out = exp(x) / sum(exp(x))` along `dim`.

    The shares are positive and add up to one. The largest element is subtracted first, so that nothing overflows.

    Args:
        input: the tensor to compute on
        dim: the dim whose shares add up to one
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def spherical_bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Spherical Bessel function of the first kind of order 0: `out = sin(x) / x`, 1 at 0.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def xlog1py(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of one more, times: `out = x * log(1 + y)`, and 0 where x is 0.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def xlogy(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Logarithm times: `out = x * log(y)`, and 0 where x is 0.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def zeta(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Hurwitz zeta function: `out = sum((y + k) ** -x for k = 0, 1, ...)`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
