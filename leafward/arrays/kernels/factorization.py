"""Solving and factorizing: in C (``factors_loops.c``) for float32 and float64, else by LAPACK through NumPy.

That stops at the first matrix of a batch that it cannot factorize; these say which, and why.
"""
from math import factorial

import numpy as np

from leafward.arrays.kernels import lapack
from leafward.arrays.kernels.products import matmul
from leafward.arrays.kernels.spectra import svd

try:
    from leafward.arrays.kernels import factors_entry as compiled
except ImportError:                       # not compiled: LAPACK
    compiled = None
else:
    compiled = None if compiled.obstacle else compiled


def transpose(x):
    return np.swapaxes(x, -1, -2)


def adjoint(x):
    return np.conj(transpose(x)) if x.dtype.kind == "c" else transpose(x)


def zero_pivot(matrix):
    """The number of the first pivot that is exactly zero, counted from 1; the last where rounding hides it."""
    pivots = pivots_of(matrix)
    return pivots.index(0) + 1 if 0 in pivots else len(pivots)


def pivots_of(matrix):
    """The diagonal of Gaussian elimination with row exchange."""
    matrix = np.array(matrix)
    found = []
    for k in range(len(matrix)):
        best = k + int(np.argmax(np.abs(matrix[k:, k])))
        matrix[[k, best]] = matrix[[best, k]]
        found.append(matrix[k, k])
        if matrix[k, k] != 0:
            matrix[k + 1:, k:] -= np.outer(matrix[k + 1:, k] / matrix[k, k], matrix[k, k:])
    return found


def invert(a):
    """The inverses, and for each matrix 0, or the number of its zero pivot: then there is none but NaN."""
    found = compiled and compiled.solve(a, None)
    if found and found[0] is not None:
        return found
    rows = np.zeros(a.shape[:-2], np.int32)
    try:
        return np.linalg.inv(a), rows
    except np.linalg.LinAlgError:
        out = np.full_like(a, np.nan)
        for at in np.ndindex(rows.shape):
            try:
                out[at] = np.linalg.inv(a[at])
            except np.linalg.LinAlgError:
                rows[at] = zero_pivot(a[at])
        return out, rows


def solve(a, b):
    """``x`` with ``a @ x = b``, all of two or more dimensions; or None where a matrix is singular."""
    try:
        x = solve_by_elimination(a, b)
        return np.linalg.solve(a, b) if x is None else x
    except np.linalg.LinAlgError:
        return None


def solve_by_elimination(a, b):
    """``x`` with ``a @ x = b``; None where there are no kernels for that, or NumPy has to say what is wrong."""
    found = compiled and compiled.solve(a, b)
    if found:
        return found[0]
    found = compiled and a.dtype == b.dtype and a.ndim > 1 and a.shape[-1] == a.shape[-2] == b.shape[-2] and compiled.lu(a)
    if not found or found[2].any():
        return None
    factors, pivots, _ = found
    order = compiled.order_of(pivots, a.shape[-1])
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if a.ndim == 2:
        x = b[..., order, :] if b.ndim > 2 else b[order]
    else:
        order = np.broadcast_to(order, (*shape, a.shape[-1]))[..., None]
        x = np.take_along_axis(np.broadcast_to(b, (*shape, *b.shape[-2:])), order, -2)
    return solve_triangle(factors, solve_triangle(factors, x, False, True), True, False)


def cholesky(a):
    """Lower triangular ``l`` with ``l @ l^H = a``; or None. The upper triangle of ``a`` is not read."""
    found = compiled and compiled.cholesky(a)
    if found is not None:
        return None if found[1].any() else found[0]
    try:
        return np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return None


def not_positive_at(a):
    """``(batch number, order)`` of the first leading minor that is not positive definite."""
    for number, matrix in enumerate(a.reshape(-1, *a.shape[-2:])):
        for order in range(1, len(matrix) + 1):
            if cholesky(matrix[:order, :order]) is None:
                return number, order
    return 0, 1


def determinant(a):
    if a.dtype.itemsize == 2:                  # of size 0: there is no kernel for half types
        return np.ones(a.shape[:-2], a.dtype)
    found = compiled and compiled.determinants(a, False)
    return np.asarray(np.linalg.det(a), a.dtype) if found is None else found


def adjugate(a):
    """The matrix of cofactors, transposed, so that ``a @ adjugate(a) = det(a)``: for singular ``a`` from the SVD."""
    if a.shape[-1] == 1:
        return np.ones_like(a)
    found = compiled and compiled.adjugates(a)
    if found is None:
        found = from_inverse(a)
    if found is not None:
        return found
    finite = np.isfinite(a).all(axis=(-2, -1), keepdims=True)
    if not finite.all():                                    # the SVD would not come to an end
        return np.where(finite, adjugate(np.where(finite, a, 0)), np.nan).astype(a.dtype)
    u, s, vh = svd(a)
    rest = np.ones_like(s)                                  # the product of all others
    rest[..., 1:] = np.multiply.accumulate(s[..., :-1], -1)
    rest[..., :-1] *= np.multiply.accumulate(s[..., :0:-1], -1)[..., ::-1]
    turn = np.linalg.det(u) * np.linalg.det(vh)
    return (turn[..., None, None] * (adjoint(vh) * rest[..., None, :]) @ adjoint(u)).astype(a.dtype)


def from_inverse(a):
    """The adjugate as determinant times inverse, where both have digits enough; else None."""
    if not a.size or a.dtype.itemsize == 2:
        return None
    inverse, rows = invert(a)
    size = determinant(a)
    if rows.any() or not (np.abs(size) >= np.finfo(a.dtype).tiny).all() or not np.isfinite(inverse).all():
        return None
    condition = np.abs(a).sum(-2).max(-1) * np.abs(inverse).sum(-2).max(-1)
    return size[..., None, None] * inverse if condition.max() < np.finfo(a.dtype).eps**-0.6 else None


def sign_and_log(a):
    sign, log = compiled and compiled.determinants(a, True) or np.linalg.slogdet(a)
    return np.asarray(sign), np.asarray(log)


def solve_triangle(a, b, upper, unit):
    """``x`` with ``a @ x = b``, reading one triangle of ``a``; a zero on its diagonal gives infinities, as division does."""
    shape, n = b.shape[:-2], a.shape[-1]
    if shape != a.shape[:-2]:
        shape = np.broadcast_shapes(a.shape[:-2], shape)
        b = np.broadcast_to(b, (*shape, *b.shape[-2:]))
    x = np.array(b, order="C")
    many = np.ascontiguousarray(a if a.ndim == 2 or a.shape[:-2] == shape else np.broadcast_to(a, (*shape, n, n)))
    if compiled and compiled.solve_in_place(many, x, upper, unit):
        return x
    found = lapack.routine("trsm", x) if x.dtype == a.dtype else None
    if found:                                   # read column by column it is x^T @ a^T = b^T
        k = x.shape[-1]
        matrices = np.broadcast_to(many, (*shape, n, n)).reshape(-1, n, n)
        lapack.call(found, b"R", b"L" if upper else b"U", b"N", b"U" if unit else b"N", k, n, np.ones(len(matrices), x.dtype),
                    matrices, n, x.reshape(-1, n, k), k)
        return x
    for k in reversed(range(n)) if upper else range(n):
        done = slice(k + 1, n) if upper else slice(0, k)
        x[..., k, :] -= (a[..., k, None, done] @ x[..., done, :])[..., 0, :]
        if not unit:
            x[..., k, :] /= a[..., k, k, None]
    return x


#: Up to which norm the series of degree 16 has the digits of a type.
NEAR = {"f": 1.8, "F": 1.8, "d": 0.78, "D": 0.78}


def exponential(a):
    """``sum_k a^k / k!`` by scaling and squaring: a Taylor series of a matrix of small norm, squared again.

    The series takes six products: its terms four at a time, by the powers up to the fourth (Paterson and Stockmeyer, 1973).
    """
    wide = a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)
    norm, near = np.abs(wide).sum(-2).max(initial=0), NEAR.get(a.dtype.char, 0.78)
    squarings = max(0, int(np.ceil(np.log2(norm / near)))) if 0 < norm < np.inf else 0
    wide = wide / 2.0 ** squarings
    one = np.eye(a.shape[-1], dtype=wide.dtype)
    square = matmul(wide, wide)
    powers = one, wide, square, matmul(square, wide)
    step = matmul(square, square)
    result = step / factorial(16)
    for first in (12, 8, 4, 0):
        for k, power in enumerate(powers):
            result += power / factorial(first + k)
        if first:
            result = matmul(result, step)
    for _ in range(squarings):
        result = matmul(result, result)
    return result.astype(a.dtype)
