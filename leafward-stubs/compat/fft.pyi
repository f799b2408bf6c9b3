# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

from leafward.devices import device as _device
from leafward.dtypes import dtype as _dtype
from leafward.tensor.random import Generator as _Generator
from leafward.tensor.tensor import Tensor

_Number = _int | _float | _complex

def fft(input: Tensor, n: _int | None = None, dim: _int | Sequence[_int] = -1, norm: _str | None = None) -> Tensor:
    """The transform along `dim`: `out[k] = sum_j input[j] exp(-2 pi i j k / n)`.

    `n` cuts the input, or continues it by zeros. `norm="backward"` leaves the scale to `ifft`, `"forward"`
    divides here, `"ortho"` by `sqrt(n)` in both.

    Args:
        input: the signal, or its spectrum
        n: the length of the signal along `dim`: longer ones are cut, shorter ones continued by zeros; None: as it is
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def fft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] = ..., norm: _str | None = None) -> Tensor:
    """`fft` along two dimensions, the last ones by default.

    Args:
        input: the signal, or its spectrum
        s: the length along each dim, as `n`; None: as they are
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def fftfreq(n: _int, d: _Number = 1.0, *, out: Any = None, dtype: _dtype | None = None, layout: Any | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The frequency of each point of an `fft` of `n` samples, `d` apart, in its order.

    Args:
        n: the number of samples
        d: the time between two samples
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
    """
def fftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None) -> Tensor:
    """`fft` along several dimensions: all, those in `dim`, or the last ones that `s` gives a size.

    Args:
        input: the signal, or its spectrum
        s: the length along each dim, as `n`; None: as they are
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def fftshift(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """Move frequency zero to the middle.

    Args:
        input: the tensor to compute on
        dim: the dims to reorder; None: all
    """
def hfft(input: Tensor, n: _int | None = None, dim: _int | Sequence[_int] = -1, norm: _str | None = None) -> Tensor:
    """The real spectrum of `n` points of a signal whose halves mirror each other: `input` is the first half.

    Args:
        input: the signal, or its spectrum
        n: the length of the signal along `dim`: longer ones are cut, shorter ones continued by zeros; None: as it is
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def hfft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] = ..., norm: _str | None = None) -> Tensor:
    """`hfftn` along two dimensions, the last ones by default.

    Args:
        input: the signal, or its spectrum
        s: the length along each dim, as `n`; None: as they are
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def hfftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None) -> Tensor:
    """`hfft` along the last of several dimensions, `fft` along the others.

    Args:
        input: the signal, or its spectrum
        s: the length along each dim, as `n`; None: as they are
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def ifft(input: Tensor, n: _int | None = None, dim: _int | Sequence[_int] = -1, norm: _str | None = None) -> Tensor:
    """The inverse of `fft`: `out[j] = 1 / n sum_k input[k] exp(2 pi i j k / n)`.

    Args:
        input: the signal, or its spectrum
        n: the length of the signal along `dim`: longer ones are cut, shorter ones continued by zeros; None: as it is
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def ifft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] = ..., norm: _str | None = None) -> Tensor:
    """`ifft` along two dimensions, the last ones by default.

    Args:
        input: the signal, or its spectrum
        s: the length along each dim, as `n`; None: as they are
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def ifftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None) -> Tensor:
    """`ifft` along several dimensions.

    Args:
        input: the signal, or its spectrum
        s: the length along each dim, as `n`; None: as they are
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def ifftshift(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """The inverse of `fftshift`.

    Args:
        input: the tensor to compute on
        dim: the dims to reorder; None: all
    """
def ihfft(input: Tensor, n: _int | None = None, dim: _int | Sequence[_int] = -1, norm: _str | None = None) -> Tensor:
    """The inverse of `hfft`: half a signal, from a real spectrum.

    Args:
        input: the signal, or its spectrum
        n: the length of the signal along `dim`: longer ones are cut, shorter ones continued by zeros; None: as it is
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def ihfft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] = ..., norm: _str | None = None) -> Tensor:
    """`ihfftn` along two dimensions, the last ones by default.

    Args:
        input: the signal, or its spectrum
        s: the length along each dim, as `n`; None: as they are
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def ihfftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None) -> Tensor:
    """The inverse of `hfftn`.

    Args:
        input: the signal, or its spectrum
        s: the length along each dim, as `n`; None: as they are
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def irfft(input: Tensor, n: _int | None = None, dim: _int | Sequence[_int] = -1, norm: _str | None = None) -> Tensor:
    """The inverse of `rfft`: the real signal of `n` points (`2 (size - 1)` by default) of half a spectrum.

    Args:
        input: the signal, or its spectrum
        n: the length of the signal along `dim`: longer ones are cut, shorter ones continued by zeros; None: as it is
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def irfft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] = ..., norm: _str | None = None) -> Tensor:
    """`irfftn` along two dimensions, the last ones by default.

    Args:
        input: the signal, or its spectrum
        s: the length along each dim, as `n`; None: as they are
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def irfftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None) -> Tensor:
    """The inverse of `rfftn`.

    Args:
        input: the signal, or its spectrum
        s: the length along each dim, as `n`; None: as they are
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def rfft(input: Tensor, n: _int | None = None, dim: _int | Sequence[_int] = -1, norm: _str | None = None) -> Tensor:
    """The first `n // 2 + 1` points of the transform of a real signal: the others are their conjugates.

    Args:
        input: the signal, or its spectrum
        n: the length of the signal along `dim`: longer ones are cut, shorter ones continued by zeros; None: as it is
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def rfft2(input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] = ..., norm: _str | None = None) -> Tensor:
    """`rfftn` along two dimensions, the last ones by default.

    Args:
        input: the signal, or its spectrum
        s: the length along each dim, as `n`; None: as they are
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
def rfftfreq(n: _int, d: _Number = 1.0, *, out: Any = None, dtype: _dtype | None = None, layout: Any | None = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The frequency of each point of an `rfft` of `n` samples, `d` apart.

    Args:
        n: the number of samples
        d: the time between two samples
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
    """
def rfftn(input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None) -> Tensor:
    """`rfft` along several dimensions: half a spectrum along the last of them, a whole one along the others.

    Args:
        input: the signal, or its spectrum
        s: the length along each dim, as `n`; None: as they are
        dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
        norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform; `"ortho"`, half to each
    """
