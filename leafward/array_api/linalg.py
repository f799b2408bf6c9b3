"""Products and factorizations of vectors and matrices: the extension ``linalg``."""
from leafward.derive.functions import fns
from leafward.derive.recorded import over, recorded
from leafward.array_api.data_types import together
from leafward.array_api.statistics import sum

__all__ = [
    "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power",
    "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot",
    "trace",
    "vecdot", "vector_norm",
]


def __dir__():
    return __all__


# --- products --------------------------------------------------------------------------------------------------------

def matmul(x1, x2, /):
    """The matrix product; a vector is a row on the left and a column on the right."""
    return fns.matmul(*together(x1, x2))


def vecdot(x1, x2, /, *, axis=-1):
    """``out = sum_i conj(x1[i]) * x2[i]`` along ``axis``."""
    x1, x2 = together(x1, x2)
    return fns.sum(fns.mul(recorded.conj(x1), x2), axis, dtype=x1.dtype)


def tensordot(x1, x2, /, *, axes=2):
    """The sum of products over ``axes``: the last of ``x1`` with the first of ``x2``, or a pair of lists."""
    return fns.tensordot(*together(x1, x2), axes)


def outer(x1, x2, /):
    """``out[i, j] = x1[i] * x2[j]``."""
    return fns.outer(*together(x1, x2))


def cross(x1, x2, /, *, axis=-1):
    """The vector product of vectors of three elements along ``axis``."""
    return fns.linalg_cross(*fns.broadcast_tensors(*together(x1, x2)), dim=axis)


def matrix_power(x, n, /):
    """The ``n``-th power of each matrix, of its inverse where ``n`` is negative."""
    return fns.matrix_power(x, n)


def matrix_transpose(x, /):
    """Each matrix with rows and columns exchanged."""
    return recorded.matrix_transpose(x)


# --- numbers of a matrix ---------------------------------------------------------------------------------------------

def diagonal(x, /, *, offset=0):
    """A diagonal of each matrix, a view."""
    return fns.linalg_diagonal(x, offset=offset)


def trace(x, /, *, offset=0, dtype=None):
    """The sum of a diagonal of each matrix."""
    return sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def det(x, /):
    """The determinant of each matrix."""
    return fns.linalg_det(x)


def slogdet(x, /):
    """The sign of each determinant, and the logarithm of its absolute value: ``det = sign * exp(logabsdet)``."""
    return fns.linalg_slogdet(x)


def matrix_rank(x, /, *, rtol=None):
    """How many singular values are larger than ``rtol`` times the largest."""
    return fns.linalg_matrix_rank(x, rtol=rtol)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """A norm of each matrix."""
    return fns.linalg_matrix_norm(x, ord, keepdim=keepdims)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of the elements over ``axis``; None is every one."""
    return over(lambda x, dim, keepdim=False: fns.linalg_vector_norm(x, ord, dim, keepdim), x, axis, keepdims)


# --- factorizations and equations ------------------------------------------------------------------------------------

def cholesky(x, /, *, upper=False):
    """The triangle ``L`` with ``x = L @ conj(L).T`` (or its transposed conjugate, if ``upper``)."""
    return fns.linalg_cholesky(x, upper=upper)


def eigh(x, /):
    """The eigenvalues and eigenvectors of symmetric (Hermitian) matrices, in order."""
    return fns.linalg_eigh(x)


def eigvalsh(x, /):
    """The eigenvalues of symmetric (Hermitian) matrices, in order."""
    return fns.linalg_eigvalsh(x)


def qr(x, /, *, mode="reduced"):
    """``x = Q @ R``: orthonormal columns times an upper triangle."""
    return fns.linalg_qr(x, mode)


def svd(x, /, *, full_matrices=True):
    """``x = U @ diag(S) @ Vh``: orthonormal columns, singular values in descending order, orthonormal rows."""
    return fns.linalg_svd(x, full_matrices)


def svdvals(x, /):
    """The singular values of each matrix in descending order."""
    return fns.linalg_svdvals(x)


def inv(x, /):
    """The inverse of each matrix."""
    return fns.linalg_inv(x)


def pinv(x, /, *, rtol=None):
    """The pseudoinverse of each matrix, in which singular values up to ``rtol`` times the largest count as zero."""
    return fns.linalg_pinv(x, rtol=rtol)


def solve(x1, x2, /):
    """``out`` with ``x1 @ out = x2``; ``x2`` is a vector only if it has one dimension."""
    x1, x2 = together(x1, x2)
    if 1 < x2.ndim < x1.ndim:                           # PyTorch would take some of these for stacks of vectors
        x2 = x2.expand(*x1.shape[:x1.ndim - x2.ndim], *x2.shape)
    return fns.linalg_solve(x1, x2)
