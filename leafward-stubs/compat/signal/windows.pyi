# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

from leafward.devices import device as _device
from leafward.dtypes import dtype as _dtype
from leafward.tensor.random import Generator as _Generator
from leafward.tensor.tensor import Tensor

_Number = _int | _float | _complex

def bartlett(M: Any, *, sym: _bool = True, **options: Any) -> Tensor:
    """`w[i] = 1 - abs(2 i / n - 1)`.

    Args:
        M: the number of points
        sym: True: symmetric, for filters. False: periodic, for spectra
        options: `dtype`, `layout`, `device` and `requires_grad`, as creations take them
    """
def blackman(M: Any, *, sym: _bool = True, **options: Any) -> Tensor:
    """`w[i] = 0.42 - 0.5 cos(2 pi i / n) + 0.08 cos(4 pi i / n)`.

    Args:
        M: the number of points
        sym: True: symmetric, for filters. False: periodic, for spectra
        options: `dtype`, `layout`, `device` and `requires_grad`, as creations take them
    """
def cosine(M: _int, *, sym: _bool = True, **options: Any) -> Tensor:
    """`w[i] = sin(pi (i + 1/2) / (n + 1))`.

    Args:
        M: the number of points
        sym: True: symmetric, for filters. False: periodic, for spectra
        options: `dtype`, `layout`, `device` and `requires_grad`, as creations take them
    """
def exponential(M: _int, *, center: Any = None, tau: _Number = 1.0, sym: _bool = True, **options: Any) -> Tensor:
    """`w[i] = exp(-abs(i - center) / tau)`.

    Args:
        M: the number of points
        center: where the peak is; None: in the middle
        tau: how fast it falls
        sym: True: symmetric, for filters. False: periodic, for spectra
        options: `dtype`, `layout`, `device` and `requires_grad`, as creations take them
    """
def gaussian(M: _int, *, std: _Number = 1.0, sym: _bool = True, **options: Any) -> Tensor:
    """`w[i] = exp(-((i - n / 2) / std) ** 2 / 2)`.

    Args:
        M: the number of points
        std: the standard deviation of the bell
        sym: True: symmetric, for filters. False: periodic, for spectra
        options: `dtype`, `layout`, `device` and `requires_grad`, as creations take them
    """
def general_cosine(M: Any, *, a: Tensor, sym: _bool = True, **options: Any) -> Tensor:
    """`w[i] = sum over k of (-1)**k a[k] cos(2 pi k i / n)`.

    Args:
        M: the number of points
        a: the weights of the cosines
        sym: True: symmetric, for filters. False: periodic, for spectra
        options: `dtype`, `layout`, `device` and `requires_grad`, as creations take them
    """
def general_hamming(M: Any, *, alpha: _Number = 0.54, sym: _bool = True, **options: Any) -> Tensor:
    """`w[i] = alpha - (1 - alpha) cos(2 pi i / n)`.

    Args:
        M: the number of points
        alpha: the weight of the constant
        sym: True: symmetric, for filters. False: periodic, for spectra
        options: `dtype`, `layout`, `device` and `requires_grad`, as creations take them
    """
def hamming(M: Any, *, sym: _bool = True, **options: Any) -> Tensor:
    """`w[i] = 0.54 - 0.46 cos(2 pi i / n)`.

    Args:
        M: the number of points
        sym: True: symmetric, for filters. False: periodic, for spectra
        options: `dtype`, `layout`, `device` and `requires_grad`, as creations take them
    """
def hann(M: Any, *, sym: _bool = True, **options: Any) -> Tensor:
    """`w[i] = 0.5 - 0.5 cos(2 pi i / n)`.

    Args:
        M: the number of points
        sym: True: symmetric, for filters. False: periodic, for spectra
        options: `dtype`, `layout`, `device` and `requires_grad`, as creations take them
    """
def kaiser(M: Any, *, beta: _Number = 12.0, sym: _bool = True, **options: Any) -> Tensor:
    """`w[i] = i0(beta sqrt(1 - (2 i / n - 1) ** 2)) / i0(beta)`.

    Args:
        M: the number of points
        beta: how narrow it is
        sym: True: symmetric, for filters. False: periodic, for spectra
        options: `dtype`, `layout`, `device` and `requires_grad`, as creations take them
    """
def nuttall(M: Any, *, sym: _bool = True, **options: Any) -> Tensor:
    """A sum of four cosines whose side lobes are below -93 dB.

    Args:
        M: the number of points
        sym: True: symmetric, for filters. False: periodic, for spectra
        options: `dtype`, `layout`, `device` and `requires_grad`, as creations take them
    """
