"""``L D L^T`` of symmetric matrices that need not be definite (Bunch and Kaufman, 1977), which LAPACK has and NumPy does not.

``D`` has blocks of size one and two on its diagonal. As in LAPACK, both factors are kept in one lower triangle, and the
pivot of a row says with which row it was exchanged, counted from 1; it is negative for the two rows of a larger block.
"""
import numpy as np

from leafward.arrays.kernels import lapack
from leafward.arrays.kernels.factorization import compiled
from leafward.arrays.triangles import tril

#: Which share of its column's largest element a pivot may be, so that the factors grow least: (1 + sqrt(17)) / 8.
ENOUGH = 0.6403882032022076


def size(x):
    return np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)      # as in BLAS


def ldl(a, hermitian):
    """The factors, the pivots, and for each matrix the number of the first pivot that is zero, or 0."""
    found = compiled and compiled.symmetric(a)
    if found is not None:
        return found
    batch, n = a.shape[:-2], a.shape[-1]
    found = lapack.routine("hetrf" if hermitian else "sytrf", a)
    if found:
        out = lapack.columns(tril(a))
        pivots = np.empty((len(out), n), np.int64)
        info = lapack.call(found, b"L", n, out, n, pivots, lapack.workspace(lapack.BLOCK * n, a), lapack.BLOCK * n)
        return lapack.rows(out, batch), pivots.astype(np.int32).reshape(a.shape[:-1]), info.astype(np.int32).reshape(batch)
    factors = np.zeros_like(a)
    pivots = np.zeros(a.shape[:-1], np.int32)
    info = np.zeros(a.shape[:-2], np.int32)
    for at in np.ndindex(info.shape):
        info[at] = factorize(from_lower(a[at], hermitian), factors[at], pivots[at], hermitian)
    return factors, pivots, info


def from_lower(x, hermitian):
    """The symmetric matrix with the lower triangle of ``x``."""
    lower = np.tril(x, -1)
    return lower + (lower.conj().T if hermitian else lower.T) + np.diag(np.diag(x).real if hermitian else np.diag(x))


def factorize(rest, factors, pivots, hermitian):
    """Factorize one matrix, ``rest``, which is overwritten by what remains of it."""
    k, first_zero = 0, 0
    while k < len(rest):
        row, pair = choose_pivot(rest, k)
        last = k + 1 if pair else k
        if row != last:
            rest[[last, row], k:] = rest[[row, last], k:]
            rest[k:, [last, row]] = rest[k:, [row, last]]
        pivots[k:last + 1] = -(row + 1) if pair else row + 1
        block, below = rest[k:last + 1, k:last + 1], rest[last + 1:, k:last + 1]
        factors[k:last + 1, k:last + 1] = np.tril(block)
        if not pair and not size(block[0, 0]) > 0:                    # 0 or NaN
            first_zero = first_zero or k + 1
        else:
            lower = below @ np.linalg.inv(block) if pair else below / block
            factors[last + 1:, k:last + 1] = lower
            product = lower @ (below.conj().T if hermitian else below.T)
            rest[last + 1:, last + 1:] = from_lower(rest[last + 1:, last + 1:] - product, hermitian)
        k = last + 1
    return first_zero


def choose_pivot(rest, k):
    """The row to bring to the front of what remains, and whether it comes second, in a block of two with row ``k``."""
    column = size(rest[k + 1:, k])
    here, largest = size(rest[k, k]), column.max(initial=0)
    if here >= ENOUGH * largest or np.isnan(here):
        return k, False
    row = k + 1 + int(column.argmax())
    across = size(rest[row, k:])
    across[row - k] = 0
    widest = across.max()
    if here >= ENOUGH * largest * (largest / widest):
        return k, False
    return row, not size(rest[row, row]) >= ENOUGH * widest


def solve_ldl(factors, pivots, b, hermitian):
    """``x`` with ``L @ D @ L^T @ x = b``, or ``L^H`` for ``hermitian`` factors."""
    shape = np.broadcast_shapes(factors.shape[:-2], b.shape[:-2])
    n = factors.shape[-1]
    x = np.array(np.broadcast_to(b, (*shape, *b.shape[-2:])))
    factors = np.broadcast_to(factors, (*shape, n, n))
    pivots = np.broadcast_to(pivots, (*shape, n))
    for at in np.ndindex(shape):
        substitute(factors[at], pivots[at], x[at], hermitian)
    return x


def substitute(factors, pivots, x, hermitian):
    """Overwrite ``x`` with the solution for one matrix."""
    blocks, k = [], 0
    while k < len(x):
        blocks.append((k, k + 1 if pivots[k] > 0 else k + 2))
        k = blocks[-1][1]
    for begin, end in blocks:
        exchange(x, end - 1, pivots[begin])
        x[end:] -= factors[end:, begin:end] @ x[begin:end]
        x[begin:end] = divided(factors[begin:end, begin:end], x[begin:end], hermitian)
    for begin, end in reversed(blocks):
        lower = factors[end:, begin:end]
        x[begin:end] -= (lower.conj().T if hermitian else lower.T) @ x[end:]
        exchange(x, end - 1, pivots[begin])


def exchange(x, row, pivot):
    other = abs(pivot) - 1
    x[[row, other]] = x[[other, row]]


def divided(block, b, hermitian):
    """``x`` with ``block @ x = b`` for a block of ``D``, of which the lower triangle is there."""
    if len(block) == 1:
        return b / block
    beside = block[1, 0]
    above = beside.conj() if hermitian else beside
    top, bottom = block[0, 0] / above, block[1, 1] / beside           # scaled: neither product overflows
    first, second = b[0] / above, b[1] / beside
    determinant = top * bottom - 1
    return np.stack([(bottom * first - second) / determinant, (top * second - first) / determinant])
