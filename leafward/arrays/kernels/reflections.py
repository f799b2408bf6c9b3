"""Products of Householder reflections, as LAPACK's QR decomposition leaves them; None where there is none of its routines."""
import numpy as np

from leafward.arrays.kernels import lapack


def name_of(x, routine):
    return ("un" if x.dtype.kind == "c" else "or") + routine


def leading_columns(x, tau):
    """The columns of the product that ``x`` has room for."""
    found = lapack.routine(name_of(x, "gqr"), x)
    if not found:
        return None
    (rows, columns), k = x.shape[-2:], tau.shape[-1]
    out = lapack.columns(x)
    size = lapack.BLOCK * columns
    lapack.call(found, rows, columns, k, out, rows, factors(tau, len(out)), lapack.workspace(size, x), size)
    return lapack.rows(out, x.shape[:-2])


def reflected(x, tau, c, left, transpose):
    """The product times ``c``, or ``c`` times it; or its adjoint."""
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
