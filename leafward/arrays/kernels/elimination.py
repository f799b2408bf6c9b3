"""Gaussian elimination with row exchange, which LAPACK has and NumPy does not pass on: in C (``factors_loops.c``) for float32
and float64, else on arrays, where batches go through in step."""
from math import prod

import numpy as np

from leafward.arrays.kernels import lapack
from leafward.arrays.kernels.factorization import compiled
from leafward.arrays.kernels.spectra import svd
from leafward.arrays.triangles import tril, triu


def lu(a):
    """``L`` below and ``U`` on and above the diagonal; the row that each step was exchanged with; the first zero pivot.

    Rows and steps are counted from 1, and 0 stands for no zero pivot.
    """
    found = compiled and compiled.lu(a)
    if found is not None:
        return found
    rows, columns = a.shape[-2:]
    steps = min(rows, columns)
    found = lapack.routine("getrf", a)
    if found:
        out = lapack.columns(a)
        pivots = np.empty((len(out), steps), np.int64)
        info = lapack.call(found, rows, columns, out, rows, pivots)
        factors = np.ascontiguousarray(lapack.rows(out, a.shape[:-2]))
        return factors, pivots.astype(np.int32).reshape(*a.shape[:-2], steps), info.astype(np.int32).reshape(a.shape[:-2])
    out = np.array(a)
    pivots = np.empty((*a.shape[:-2], steps), np.int32)
    info = np.zeros(a.shape[:-2], np.int32)
    for k in range(steps):
        size = np.abs(out[..., k:, k])
        if a.dtype.kind == "c":
            size = np.abs(out[..., k:, k].real) + np.abs(out[..., k:, k].imag)           # as in BLAS
        best = size.argmax(-1) + k
        pivots[..., k] = best + 1
        at = best[..., None, None]
        chosen, here = np.take_along_axis(out, at, -2), out[..., k:k + 1, :].copy()
        np.put_along_axis(out, at, here, -2)
        out[..., k:k + 1, :] = chosen
        pivot = out[..., k, k]
        info = np.where((info == 0) & (pivot == 0), k + 1, info)
        factor = out[..., k + 1:, k] / np.where(pivot == 0, 1, pivot)[..., None]
        out[..., k + 1:, k] = factor
        out[..., k + 1:, k + 1:] -= factor[..., :, None] * out[..., None, k, k + 1:]
    return out, pivots, info.astype(np.int32)


def permutation(pivots, rows):
    """The order in which the exchanges leave the rows: row ``i`` of ``P^T @ x`` is row ``order[i]`` of ``x``."""
    found = compiled and compiled.order_of(pivots, rows)
    if found is not None:
        return found
    order = np.broadcast_to(np.arange(rows), (*pivots.shape[:-1], rows)).copy()
    for k in range(pivots.shape[-1]):
        other = pivots[..., k, None].astype(np.int64) - 1
        taken = np.take_along_axis(order, other, -1)
        np.put_along_axis(order, other, order[..., k:k + 1].copy(), -1)
        order[..., k:k + 1] = taken
    return order


def permutation_matrix(pivots, rows, dtype):
    """``P`` with ``P @ L @ U`` the factorized matrix."""
    count = prod(pivots.shape[:-1])
    order = permutation(pivots, rows).reshape(count, rows)
    out = np.zeros((*pivots.shape[:-1], rows, rows), dtype)
    starts = np.arange(count)[:, None] * rows * rows
    out.reshape(-1)[starts + order * rows + np.arange(rows)] = 1
    return out


def unpack(factors):
    """``L`` and ``U`` out of one matrix: a lower triangle with ones on its diagonal, and an upper one."""
    rows, columns = factors.shape[-2:]
    k = min(rows, columns)
    lower = np.ascontiguousarray(tril(factors[..., :k], -1))
    lower.reshape(prod(factors.shape[:-2]), rows * k)[:, :k * k:k + 1] = 1
    return lower, np.ascontiguousarray(triu(factors[..., :k, :]))


def partial_cholesky(a):
    """The lower factors as far as they go, and the order of the first minor that is not positive definite, or 0."""
    found = compiled and compiled.cholesky(a)
    if found is not None and not found[1].any():
        return found
    out = np.tril(a)
    info = np.zeros(a.shape[:-2], np.int32)
    for at in np.ndindex(info.shape):
        matrix = out[at]
        try:
            matrix[...] = np.linalg.cholesky(a[at])
            continue
        except np.linalg.LinAlgError:
            pass
        for k in range(len(matrix)):
            pivot = matrix[k, k].real - (np.abs(matrix[k, :k]) ** 2).sum()
            if not pivot > 0:
                matrix[k, k] = pivot
                info[at] = k + 1
                break
            matrix[k, k] = np.sqrt(pivot)
            matrix[k + 1:, k] = (matrix[k + 1:, k] - matrix[k + 1:, :k] @ matrix[k, :k].conj()) / matrix[k, k]
    return out, info


def least_squares_by_rows(a, b, cutoff):
    """As :func:`least_squares`, without singular values: from a QR decomposition that exchanges columns. None where LAPACK has
    to stand aside.
    """
    found = lapack.routine("gelsy", a)
    if not found or not b.size or b.shape[:-2] != a.shape[:-2] or not (np.isfinite(a).all() and np.isfinite(b).all()):
        return None
    (rows, columns), wanted = a.shape[-2:], b.shape[-1]
    matrices, most = lapack.columns(a), max(rows, columns)
    count, size = len(matrices), lapack.BLOCK * (2 * columns + wanted + 2) + 3 * most
    out = np.zeros((count, wanted, most), a.dtype)
    out[..., :rows] = lapack.columns(b)
    order, rank = np.zeros((count, columns), np.int64), np.zeros(count, np.int64)
    limit = np.full(count, cutoff, a.real.dtype)
    work = [lapack.workspace(size, a), size] + [lapack.workspace(2 * columns, a)] * (a.dtype.kind == "c")
    lapack.call(found, rows, columns, wanted, matrices, rows, out, most, order, limit, rank, *work)
    return np.ascontiguousarray(lapack.rows(out[..., :columns], a.shape[:-2])), rank.reshape(a.shape[:-2]), None


def least_squares(a, b, cutoff):
    """The shortest ``x`` that brings ``a @ x`` nearest to ``b``; the ranks; the singular values."""
    u, s, vh = svd(a, full_matrices=False)
    kept = s > cutoff * s.max(-1, initial=0, keepdims=True)
    inverse = np.where(kept, 1 / np.where(kept, s, 1), 0).astype(s.dtype)
    x = np.swapaxes(vh, -1, -2).conj() @ (inverse[..., None] * (np.swapaxes(u, -1, -2).conj() @ b))
    return x, kept.sum(-1), s
