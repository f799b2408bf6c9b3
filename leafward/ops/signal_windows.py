"""The windows of ``signal.windows``: symmetric unless told otherwise, computed in float64 and rounded once.

Args:
    sym: True: symmetric, for filters. False: periodic, for spectra
    center: where the peak is; None: in the middle
    tau: how fast it falls
    std: the standard deviation of the bell
    beta: how narrow it is
    a: the weights of the cosines
    alpha: the weight of the constant
    M: the number of points
    options: `dtype`, `layout`, `device` and `requires_grad`, as creations take them
Source: Harris, 1978, Proceedings of the IEEE 66
"""
from math import pi

from leafward import dtypes
from leafward.core.op import composite

NUTTALL = (0.3635819, 0.4891775, 0.1365995, 0.0106411)


def window(fns, name, M, sym, options, weights):
    """``weights(places, reach)`` at the places 0 to ``M - 1``; ``reach`` is where the second end lies."""
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    dtype = options.get("dtype") or dtypes.get_default_dtype()
    if dtype.name not in ("float32", "float64"):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    layout = options.get("layout")
    if layout not in (None, dtypes.strided):
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    requires_grad = options.pop("requires_grad", False)
    out = fns.empty(1 if M == 1 else M, **{**options, "dtype": dtype})
    if M == 1:
        out = fns.ones_like(out)
    elif M:
        out = weights(fns.arange(M, dtype=dtypes.float64), M - 1 if sym else M).to(dtype)
    return out.requires_grad_(requires_grad)


@composite("signal.windows.bartlett", differentiable=False, samples=[" ; M=5", " ; M=6, sym=False", " ; M=1"])
def bartlett(fns, M, *, sym: "bool" = True, **options):
    """``w[i] = 1 - abs(2 i / n - 1)``."""
    return window(fns, "bartlett", M, sym, options, lambda i, n: 1 - (2 / n * i - 1).abs())


@composite("signal.windows.cosine", differentiable=False, samples=[" ; M=5", " ; M=6, sym=False", " ; M=0"],
           errors=[(" ; M=-1", ValueError, "cosine requires non-negative window length, got M=-1"),
                   (" ; M=3, layout=7", ValueError, "cosine is implemented for strided tensors only, got: 7")])
def cosine(fns, M: int, *, sym: "bool" = True, **options):
    """``w[i] = sin(pi (i + 1/2) / (n + 1))``."""
    return window(fns, "cosine", M, sym, options, lambda i, n: (pi / (n + 1) * (i + 0.5)).sin())


@composite("signal.windows.exponential", differentiable=False,
           samples=[" ; M=5", " ; M=6, sym=False, center=1.5, tau=2.0"],
           errors=[(" ; M=5, tau=-1.0", ValueError, "Tau must be positive, got: -1.0 instead."),
                   (" ; M=5, center=1.0", ValueError, "Center must be None for symmetric windows")])
def exponential(fns, M: int, *, center=None, tau=1.0, sym: "bool" = True, **options):
    """``w[i] = exp(-abs(i - center) / tau)``."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    return window(fns, "exponential", M, sym, options,
                  lambda i, n: (-(i + (-n / 2 if center is None else float(-center))).abs() / tau).exp())


@composite("signal.windows.gaussian", differentiable=False, samples=[" ; M=5", " ; M=6, std=2.0, sym=False"],
           errors=[(" ; M=5, std=-1.0", ValueError, "Standard deviation must be positive, got: -1.0 instead.")])
def gaussian(fns, M: int, *, std=1.0, sym: "bool" = True, **options):
    """``w[i] = exp(-((i - n / 2) / std) ** 2 / 2)``."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return window(fns, "gaussian", M, sym, options, lambda i, n: (-0.5 * ((i - n / 2) / std) ** 2).exp())


@composite("signal.windows.kaiser", differentiable=False, samples=[" ; M=5", " ; M=6, beta=3.0, sym=False"],
           errors=[(" ; M=5, beta=-3.0", ValueError, "beta must be non-negative, got: -3.0 instead.")])
def kaiser(fns, M, *, beta=12.0, sym: "bool" = True, **options):
    """``w[i] = i0(beta sqrt(1 - (2 i / n - 1) ** 2)) / i0(beta)``."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    scale = fns.i0(fns.full((), float(beta), dtype=dtypes.float64))
    return window(fns, "kaiser", M, sym, options,
                  lambda i, n: fns.i0(beta * (1 - (2 / n * i - 1) ** 2).clamp_min(0).sqrt()) / scale)


@composite("signal.windows.general_cosine", differentiable=False,
           samples=[" ; M=5, a=[0.5, 0.3, 0.2]", " ; M=6, a=[0.4, 0.6], sym=False", " ; M=5, a=[1.0], dtype=t.float64"],
           errors=[(" ; M=5, a=[]", ValueError, "Coefficients cannot be empty"),
                   (" ; M=5, a=3", TypeError, "Coefficients must be a list/tuple"),
                   (" ; M=5, a=[1.0], dtype=t.int64", ValueError,
                    "general_cosine expects float32 or float64 dtypes, got: torch.int64")])
def general_cosine(fns, M, *, a, sym: "bool" = True, **options):
    """``w[i] = sum over k of (-1)**k a[k] cos(2 pi k i / n)``."""
    if not hasattr(a, "__iter__"):
        raise TypeError("Coefficients must be a list/tuple")
    a = list(a)
    if not a:
        raise ValueError("Coefficients cannot be empty")
    return window(fns, "general_cosine", M, sym, options,
                  lambda i, n: sum((-1) ** k * weight * (2 * pi * k / n * i).cos() for k, weight in enumerate(a)))


@composite("signal.windows.general_hamming", differentiable=False, samples=[" ; M=5, alpha=0.6", " ; M=6, sym=False"])
def general_hamming(fns, M, *, alpha: float = 0.54, sym: "bool" = True, **options):
    """``w[i] = alpha - (1 - alpha) cos(2 pi i / n)``."""
    return fns.signal_windows_general_cosine(M, a=(alpha, 1 - alpha), sym=sym, **options)


@composite("signal.windows.hamming", differentiable=False, samples=[" ; M=5", " ; M=6, sym=False"])
def hamming(fns, M, *, sym: "bool" = True, **options):
    """``w[i] = 0.54 - 0.46 cos(2 pi i / n)``."""
    return fns.signal_windows_general_hamming(M, sym=sym, **options)


@composite("signal.windows.hann", differentiable=False, samples=[" ; M=5", " ; M=6, sym=False"])
def hann(fns, M, *, sym: "bool" = True, **options):
    """``w[i] = 0.5 - 0.5 cos(2 pi i / n)``."""
    return fns.signal_windows_general_hamming(M, alpha=0.5, sym=sym, **options)


@composite("signal.windows.blackman", differentiable=False, samples=[" ; M=5", " ; M=6, sym=False"])
def blackman(fns, M, *, sym: "bool" = True, **options):
    """``w[i] = 0.42 - 0.5 cos(2 pi i / n) + 0.08 cos(4 pi i / n)``."""
    return fns.signal_windows_general_cosine(M, a=(0.42, 0.5, 0.08), sym=sym, **options)


@composite("signal.windows.nuttall", differentiable=False, samples=[" ; M=5", " ; M=6, sym=False"])
def nuttall(fns, M, *, sym: "bool" = True, **options):
    """A sum of four cosines whose side lobes are below -93 dB."""
    return fns.signal_windows_general_cosine(M, a=NUTTALL, sym=sym, **options)
