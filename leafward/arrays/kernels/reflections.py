"""QR decompositions, and products of the Householder reflections that they leave: by LAPACK."""
import numpy as np

from leafward.arrays.kernels import lapack
from leafward.arrays.triangles import triu


def name_of(x, routine):
    return ("un" if x.dtype.kind == "c" else "or") + routine


def reflections_of(x):
    """The reflections below the diagonal, column by column, with ``R``; and their factors."""
    found = lapack.routine("geqrf", x)
    if not found:
        turned, tau = np.linalg.qr(x, "raw")
        return turned.swapaxes(-1, -2), tau
    (rows, columns), batch = x.shape[-2:], x.shape[:-2]
    out, tau = eliminated(found, x)
    return lapack.rows(out, batch), tau.reshape(*batch, min(rows, columns))


def eliminated(found, x):
    """The same, the matrices one after the other, each column by column."""
    rows, columns = x.shape[-2:]
    out = lapack.columns(x)
    tau = np.empty((len(out), min(rows, columns)), x.dtype)
    size = lapack.BLOCK * columns
    lapack.call(found, rows, columns, out, rows, tau, lapack.workspace(size, x), size)
    return out, tau


def factorized(x, mode):
    """``Q`` and ``R``, as ``np.linalg.qr``, which is this where there is no LAPACK."""
    found, product = lapack.routine("geqrf", x), lapack.routine(name_of(x, "gqr"), x)
    if not found or not product:
        q, r = np.linalg.qr(x, mode)
        return q, r
    (rows, columns), batch = x.shape[-2:], x.shape[:-2]
    k = min(rows, columns)
    out, tau = eliminated(found, x)
    wide = rows if mode == "complete" else k
    r = np.ascontiguousarray(triu(lapack.rows(out, batch)[..., :wide, :]))
    q = out
    if wide != columns:
        q = np.zeros((len(out), wide, rows), x.dtype)
        q[:, :k] = out[:, :k]
    size = lapack.BLOCK * wide
    lapack.call(product, rows, wide, k, q, rows, tau, lapack.workspace(size, x), size)
    return np.ascontiguousarray(lapack.rows(q, batch)), r


def leading_columns(x, tau):
    """The columns of the product that ``x`` has room for; None where there is no such routine."""
    found = lapack.routine(name_of(x, "gqr"), x)
    if not found:
        return None
    (rows, columns), k = x.shape[-2:], tau.shape[-1]
    out = lapack.columns(x)
    size = lapack.BLOCK * columns
    lapack.call(found, rows, columns, k, out, rows, factors(tau, len(out)), lapack.workspace(size, x), size)
    return lapack.rows(out, x.shape[:-2])


def reflected(x, tau, c, left, transpose):
    """The product times ``c``, or ``c`` times it; or its adjoint. None as above."""
    found = lapack.routine(name_of(x, "mqr"), c) if x.size and tau.size else None
    if not found:
        return None
    (rows, columns), k = c.shape[-2:], tau.shape[-1]
    out, size = lapack.columns(c), lapack.BLOCK * (lapack.BLOCK + max(rows, columns))
    turn = b"N" if not transpose else b"C" if x.dtype.kind == "c" else b"T"
    lapack.call(found, b"L" if left else b"R", turn, rows, columns, k, lapack.columns(x[..., :k]), x.shape[-2],
                factors(tau, len(out)), out, rows, lapack.workspace(size, x), size)
    return lapack.rows(out, c.shape[:-2])


def factors(tau, count):
    return np.ascontiguousarray(tau).reshape(count, tau.shape[-1])
