"""Fourier transforms of powers of two in C (``fft_loops.c``); None where they do not apply, and NumPy's run.

Along several dims it is one after the other, the last first, and of real signals that one alone knows that they are real.
"""
import math
from functools import lru_cache

import numpy as np

try:
    from leafward.arrays.kernels import fft_entry as compiled
except ImportError:                       # not compiled
    compiled = None
else:
    compiled = None if compiled.obstacle else compiled

#: Lines go side by side: of fewer than these NumPy transforms one after the other as fast, unless they are short.
FEW, SHORT = 4, 1024
#: Half a spectrum is made a whole one first, which spreads a NaN or an infinity: NumPy keeps them apart in signals of up to 16.
SHORTEST = 32
REAL = {"F": np.float32, "D": np.float64, "f": np.float32, "d": np.float64}
COMPLEX = {"f": np.complex64, "d": np.complex128}


def unit(part, whole):
    """``exp(2 pi i part / whole)`` as pairs of numbers, exact at quarters."""
    quarter = np.rint(4 * part / whole)
    rest = np.exp(1j * (np.pi / 2 / whole) * (4 * part - quarter * whole))
    turned = rest * np.array([1, 1j, -1, -1j])[quarter.astype(int) % 4]
    return np.stack([turned.real, turned.imag], axis=-1)


@lru_cache(64)
def tables(points, char):
    """What the passes of radix 4 multiply by, and what takes a spectrum of reals apart."""
    turns, n = [np.zeros(6)], points
    while n >= 4:
        steps = np.arange(n // 4)[:, None] * np.arange(1, 4)
        turns.append(unit(-steps, n).ravel())
        n //= 4
    halves = unit(-np.arange(points + 1), 2 * points)
    return [np.ascontiguousarray(table, REAL[char]) for table in (np.concatenate([*turns[1:], turns[0]]), halves.ravel())]


def serves(x, axes, sizes):
    """Whether all of ``sizes``, those of ``axes``, are powers of two, and lines enough."""
    return (compiled is not None and x.dtype.char in REAL and x.size > 0 and x.dtype.isnative
            and all([n > 1 and n & (n - 1) == 0 and (n <= SHORT or x.size // x.shape[a] >= FEW)
                     for a, n in zip(axes, sizes, strict=True)]))


def axes_of(x, dim):
    return [d % x.ndim for d in dim]


def scale_of(sizes, normalization):
    count = math.prod(sizes)
    return (1.0, 1 / count**0.5, 1 / count)[normalization]


def passes(x, axes, backward, scale, char):
    """Complex transforms along ``axes`` of ``x``, which may be overwritten once it is our own; the last pass scales."""
    given = x = np.ascontiguousarray(x)
    for position in range(len(axes) - 1, -1, -1):
        out = np.empty_like(x) if x is given else x
        compiled.along(x, out, axes[position], backward, 1.0 if position else scale, *tables(x.shape[axes[position]], char))
        x = out
    return x


def transform(x, dim, normalization, forward):
    """``_fft_c2c``."""
    if x.dtype.kind == "c":
        axes = axes_of(x, dim)
        sizes = [x.shape[a] for a in axes]
        if serves(x, axes, sizes):
            return passes(x, axes, not forward, scale_of(sizes, normalization), x.dtype.char)
    return None


def transform_real(x, dim, normalization, onesided):
    """``_fft_r2c``."""
    axes = axes_of(x, dim)
    sizes = [x.shape[a] for a in axes]
    if x.dtype.kind != "f" or not serves(x, axes, sizes):
        return None
    char, scale = x.dtype.char, scale_of(sizes, normalization)
    if not onesided:
        return passes(x.astype(COMPLEX[char]), axes, False, scale, char)
    shape = list(x.shape)
    shape[axes[-1]] = sizes[-1] // 2 + 1
    out = np.empty(shape, COMPLEX[char])
    alone = len(axes) == 1
    compiled.along(np.ascontiguousarray(x), out, axes[-1], False, scale if alone else 1.0, *tables(sizes[-1] // 2, char))
    for position in range(len(axes) - 2, -1, -1):
        compiled.along(out, out, axes[position], False, 1.0 if position else scale, *tables(sizes[position], char))
    return out


def transform_to_real(x, dim, normalization, last_dim_size):
    """``_fft_c2r``."""
    axes = axes_of(x, dim)
    sizes = [*[x.shape[a] for a in axes[:-1]], last_dim_size]
    if x.dtype.kind != "c" or last_dim_size < SHORTEST or x.shape[axes[-1]] != last_dim_size // 2 + 1:
        return None
    if not serves(x, axes, sizes):
        return None
    char = REAL[x.dtype.char]().dtype.char
    x = np.ascontiguousarray(passes(x, axes[:-1], True, 1.0, char))
    shape = list(x.shape)
    shape[axes[-1]] = last_dim_size
    out = np.empty(shape, REAL[char])
    compiled.along(x, out, axes[-1], True, scale_of(sizes, normalization), *tables(last_dim_size // 2, char))
    return out
