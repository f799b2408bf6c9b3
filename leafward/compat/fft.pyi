# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

from leafward.devices import device as _device
from leafward.dtypes import dtype as _dtype
from leafward.tensor.random import Generator
from leafward.tensor.tensor import Tensor

_Number = _int | _float | _complex

def fft(input: Tensor, n: _int | None = None, dim: _int | Sequence[_int] = -1, norm: Any = None) -> Tensor:
    """The transform along ``dim``: ``out[k] = sum_j input[j] exp(-2 pi i j k / n)``."""
def fft2(input: Tensor, s: Any = None, dim: _int | Sequence[_int] = ..., norm: Any = None) -> Tensor:
    """:func:`fft` along two dimensions, the last ones by default."""
def fftfreq(n: _int, d: _Number = 1.0, *, out: Any = None, dtype: _dtype | None = None, layout: Any | None = None, device: _device | _str | _int | None = None, requires_grad: _bool = False) -> Tensor:
    """The frequency of each point of an :func:`fft` of ``n`` samples, ``d`` apart, in its order."""
def fftn(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: Any = None) -> Tensor:
    """:func:`fft` along several dimensions: all, those in ``dim``, or the last ones that ``s`` gives a size."""
def fftshift(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """Move frequency zero to the middle."""
def hfft(input: Tensor, n: _int | None = None, dim: _int | Sequence[_int] = -1, norm: Any = None) -> Tensor:
    """The real spectrum of ``n`` points of a signal whose halves mirror each other: ``input`` is the first half."""
def hfft2(input: Tensor, s: Any = None, dim: _int | Sequence[_int] = ..., norm: Any = None) -> Tensor:
    """:func:`hfftn` along two dimensions, the last ones by default."""
def hfftn(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: Any = None) -> Tensor:
    """:func:`hfft` along the last of several dimensions, :func:`fft` along the others."""
def ifft(input: Tensor, n: _int | None = None, dim: _int | Sequence[_int] = -1, norm: Any = None) -> Tensor:
    """The inverse of :func:`fft`: ``out[j] = 1 / n sum_k input[k] exp(2 pi i j k / n)``."""
def ifft2(input: Tensor, s: Any = None, dim: _int | Sequence[_int] = ..., norm: Any = None) -> Tensor:
    """:func:`ifft` along two dimensions, the last ones by default."""
def ifftn(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: Any = None) -> Tensor:
    """:func:`ifft` along several dimensions."""
def ifftshift(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """The inverse of :func:`fftshift`."""
def ihfft(input: Tensor, n: _int | None = None, dim: _int | Sequence[_int] = -1, norm: Any = None) -> Tensor:
    """The inverse of :func:`hfft`: half a signal, from a real spectrum."""
def ihfft2(input: Tensor, s: Any = None, dim: _int | Sequence[_int] = ..., norm: Any = None) -> Tensor:
    """:func:`ihfftn` along two dimensions, the last ones by default."""
def ihfftn(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: Any = None) -> Tensor:
    """The inverse of :func:`hfftn`."""
def irfft(input: Tensor, n: _int | None = None, dim: _int | Sequence[_int] = -1, norm: Any = None) -> Tensor:
    """The inverse of :func:`rfft`: the real signal of ``n`` points (``2 (size - 1)`` by default) of half a spectrum."""
def irfft2(input: Tensor, s: Any = None, dim: _int | Sequence[_int] = ..., norm: Any = None) -> Tensor:
    """:func:`irfftn` along two dimensions, the last ones by default."""
def irfftn(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: Any = None) -> Tensor:
    """The inverse of :func:`rfftn`."""
def rfft(input: Tensor, n: _int | None = None, dim: _int | Sequence[_int] = -1, norm: Any = None) -> Tensor:
    """The first ``n // 2 + 1`` points of the transform of a real signal: the others are their conjugates."""
def rfft2(input: Tensor, s: Any = None, dim: _int | Sequence[_int] = ..., norm: Any = None) -> Tensor:
    """:func:`rfftn` along two dimensions, the last ones by default."""
def rfftfreq(n: _int, d: _Number = 1.0, *, out: Any = None, dtype: _dtype | None = None, layout: Any | None = None, device: _device | _str | _int | None = None, requires_grad: _bool = False) -> Tensor:
    """The frequency of each point of an :func:`rfft` of ``n`` samples, ``d`` apart."""
def rfftn(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: Any = None) -> Tensor:
    """:func:`rfft` along several dimensions: half a spectrum along the last of them, a whole one along the others."""
