"""Products of matrices, for every dtype: of float32 and float64 in C (``products_loops.c``), or else by NumPy's BLAS.

``ndarray.dot`` costs a third of ``np.matmul`` on small matrices and reads transposed operands in place.
"""
import numpy as np

from leafward.arrays.dtype_map import is_half
from leafward.arrays.sums import add_up

try:
    from leafward.arrays.kernels import products_entry as compiled
except ImportError:                       # not compiled: BLAS
    compiled = None
else:
    compiled = None if compiled.obstacle else compiled
try:
    from leafward.arrays.kernels import small_vectors
except ImportError:                       # not compiled: BLAS
    small_vectors = None

BLAS = "fdFD"

#: BLAS adds up to so many float32 products one after the other; longer sums are split for it. Ours are anyway.
PIECE = 128

#: OpenBLAS does products of so many multiplications with kernels of their own, and of vectors always, where one sum takes all
#: terms: of 30,000 it is off by 6e-6. Larger ones it cuts into blocks itself.
SMALL = 10**6


def is_long(x, y):
    """Whether the sums of ``x @ y`` are to be added up in pieces."""
    if x.ndim == 0 or y.ndim == 0 or x.shape[-1] < 2 * PIECE or x.dtype.char not in "fF" or x.ndim == y.ndim == 1:
        return False
    rows = 1 if x.ndim == 1 else x.shape[-2]
    columns = 1 if y.ndim == 1 else y.shape[-1]
    return rows == 1 or columns == 1 or rows * columns * x.shape[-1] <= SMALL


def in_pieces(x, y):
    """``x @ y`` with its sums cut into pieces of :data:`PIECE` terms."""
    if x.ndim == 1:
        return in_pieces(x[None], y)[..., 0, :]
    if y.ndim == 1:
        return in_pieces(x, y[:, None])[..., 0]
    if x.shape[-1] != y.shape[-2]:
        return np.matmul(x, y)                                      # which refuses it
    count = x.shape[-1] // PIECE
    whole = count * PIECE
    left = x[..., :whole].reshape(*x.shape[:-1], count, PIECE).swapaxes(-2, -3)                    # ... count m piece
    right = y[..., :whole, :].reshape(*y.shape[:-2], count, PIECE, y.shape[-1])                    # ... count piece n
    total = add_up(np.matmul(left, right), -3)
    return total if whole == x.shape[-1] else total + np.matmul(x[..., whole:], y[..., whole:, :])


def dot(x, y, out=None):
    """``x @ y`` for one- and two-dimensional arrays of one dtype; half types are added up in float32."""
    if x.dtype.char not in BLAS and is_half(x.dtype):
        result = dot(x.astype(np.float32), y.astype(np.float32)).astype(x.dtype)
    else:
        free = out is not None and out.flags.c_contiguous and out.dtype == x.dtype and not overlap(out, x, y)
        result = in_tiles(x, y, out if free else None)
        if result is None:
            result = in_pieces(x, y) if is_long(x, y) else x.dot(y, out=out) if free else x.dot(y)
        if free and result is out:
            return out
    if out is None:
        return result
    out[...] = result
    return out


def with_a_vector(function):
    """What a product with a vector comes to where a tape calls it (``tapes.direct``): ``function``, of NumPy's."""
    def direct(x, y, out=None):
        plain = out is None and (x.ndim == 1 or y.ndim == 1) and x.dtype == y.dtype and x.dtype.char in BLAS
        ours = small_vectors is not None and x.dtype.char in "fd" and max(x.ndim, y.ndim) < 3
        return (function, (x, y)) if plain and not ours and not is_long(x, y) else None
    return direct


dot.direct = with_a_vector(np.ndarray.dot)


def in_tiles(x, y, out=None):
    """``x @ y`` on leafward's own threads; None where one is of another kind than these kernels know."""
    if x.ndim > 1 and y.ndim > 1:
        return compiled.product(x, y, out) if compiled else None
    if small_vectors is None:
        return None
    if x.ndim == 1:
        return small_vectors.dot_of_vectors(x, y) if y.ndim == 1 else small_vectors.vector_times_matrix(x, y)
    return small_vectors.matrix_times_vector(x, y)


def overlap(out, x, y):
    return np.may_share_memory(out, x) or np.may_share_memory(out, y)


def matmul(x, y, out=None):
    """``x @ y`` with broadcast batches, as ``np.matmul``; half types are added up in float32."""
    if x.dtype.char not in BLAS and is_half(x.dtype):
        result = matmul(x.astype(np.float32), y.astype(np.float32)).astype(x.dtype)
    else:
        free = out is not None and not overlap(out, x, y)
        result = in_tiles(x, y, out if free else None)
        if result is None:
            result = in_pieces(x, y) if is_long(x, y) else np.matmul(x, y, out=out if free else None)
        if free and result is out:
            return out
    if out is None:
        return result
    out[...] = result
    return out


matmul.direct = with_a_vector(np.matmul)


def affine(x, weight, bias):
    """``x @ weight.T + bias`` for a matrix ``x``."""
    if x.dtype.char not in BLAS and is_half(x.dtype):
        return affine(x.astype(np.float32), weight.astype(np.float32), bias.astype(np.float32)).astype(x.dtype)
    result = dot(x, weight.T)
    result += bias
    return result
