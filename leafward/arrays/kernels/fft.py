"""Fourier transforms in C (``fft_entry.pyx``) of lengths without large prime factors; None where NumPy's are to run.

Along several dims it is one after the other, the last first, and of real signals that one alone knows that they are real.
"""
import numpy as np

try:
    from leafward.arrays.kernels import fft_entry as compiled
except ImportError:                       # not compiled
    compiled = None
else:
    compiled = None if compiled.obstacle else compiled


def unit(part, whole):
    """``exp(2 pi i part / whole)`` as pairs of numbers, exact at quarters."""
    quarter = np.rint(4 * part / whole)
    rest = np.exp(1j * (np.pi / 2 / whole) * (4 * part - quarter * whole))
    turned = rest * np.array([1, 1j, -1, -1j])[quarter.astype(int) % 4]
    return np.stack([turned.real, turned.imag], axis=-1)


def next_radix(n):
    """The number of parts that a pass takes ``n`` points apart into: 4, a prime, and 2 for the last two points."""
    return 4 if n % 4 == 0 else next((p for p in range(3, compiled.longest_prime + 1, 2) if n % p == 0), 2)


def tables(points, wide):
    """What the passes multiply by, one after the other, and what takes a spectrum of reals apart.

    A pass of radix ``r`` has, for each of ``n / r`` points, the ``r - 1`` factors of its parts; before these, where ``r`` is
    odd, the ``r`` roots of one.
    """
    turns, n = [np.zeros(2)], points
    while n > 2:
        radix = next_radix(n)
        if radix != 4:
            turns.append(unit(np.arange(radix), radix).ravel())
        n //= radix
        turns.append(unit(-np.arange(n)[:, None] * np.arange(1, radix), n * radix).ravel())
    halves = unit(-np.arange(points + 1), 2 * points)
    kind = np.float64 if wide else np.float32
    return tuple([np.ascontiguousarray(table, kind) for table in (np.concatenate([*turns[1:], turns[0]]), halves.ravel())])


def nothing(x, dim, normalization, option):
    """No answer: NumPy's run."""


if compiled is None:
    transform = transform_real = transform_to_real = nothing
else:
    compiled.make_tables = tables
    transform, transform_real, transform_to_real = compiled.transform, compiled.transform_real, compiled.transform_to_real
