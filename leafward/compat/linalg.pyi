# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

from leafward.devices import device as _device
from leafward.dtypes import dtype as _dtype
from leafward.tensor.random import Generator
from leafward.tensor.tensor import Tensor

_Number = _int | _float | _complex

class _EigenvaluesEigenvectors(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor
class _InverseInfo(NamedTuple):
    inverse: Tensor
    info: Tensor
class _LInfo(NamedTuple):
    L: Tensor
    info: Tensor
class _LdPivots(NamedTuple):
    LD: Tensor
    pivots: Tensor
class _LdPivotsInfo(NamedTuple):
    LD: Tensor
    pivots: Tensor
    info: Tensor
class _LuPivots(NamedTuple):
    LU: Tensor
    pivots: Tensor
class _LuPivotsInfo(NamedTuple):
    LU: Tensor
    pivots: Tensor
    info: Tensor
class _PLU(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor
class _QR(NamedTuple):
    Q: Tensor
    R: Tensor
class _ResultInfo(NamedTuple):
    result: Tensor
    info: Tensor
class _SignLogabsdet(NamedTuple):
    sign: Tensor
    logabsdet: Tensor
class _SolutionResidualsRankSingularValues(NamedTuple):
    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor
class _USVh(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor
def cholesky(input: Tensor, *, upper: _bool = False, out: Tensor | None = None) -> Tensor:
    """Lower triangular ``out`` with ``out @ out^H = x``, or with ``upper`` its adjoint; one triangle of ``x`` is read."""
def cholesky_ex(input: Tensor, *, upper: _bool = False, check_errors: _bool = False, out: Sequence[Tensor] | None = None) -> _LInfo:
    """The factor of ``linalg.cholesky`` and 0, or as far as it goes and the order of the first minor that is not positive."""
def cond(input: Tensor, p: Any = None) -> Tensor:
    """Condition number: ``norm(input) * norm(inverse)``, by default the ratio of the extreme singular values."""
def cross(input: Tensor, other: Tensor, *, dim: _int | Sequence[_int] = -1, out: Tensor | None = None) -> Tensor:
    """Cross product along ``dim``: ``out[i] = x[i+1] * y[i+2] - x[i+2] * y[i+1]``, counted modulo 3."""
def det(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant."""
def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _Number = -1) -> Tensor:
    """A diagonal of each matrix: ``out[..., i] = A[..., i, i + offset]``, a view."""
def eig(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _EigenvaluesEigenvectors:
    """Complex eigenvalues and eigenvectors of length one: ``x @ eigenvectors = eigenvectors * eigenvalues``."""
def eigh(input: Tensor, UPLO: _str = 'L', *, out: Sequence[Tensor] | None = None) -> _EigenvaluesEigenvectors:
    """Eigenvalues in ascending order and orthonormal eigenvectors of a hermitian ``x``, one triangle of which is read."""
def eigvals(input: Tensor) -> Tensor:
    """Complex eigenvalues of a square matrix."""
def eigvalsh(input: Tensor, UPLO: _str = 'L') -> Tensor:
    """Eigenvalues of a hermitian matrix in ascending order."""
def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first columns of the ``Q`` whose reflections ``geqrf`` keeps in ``x`` and ``tau``, as many as ``x`` has."""
def inv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse: ``x @ out = eye``."""
def inv_ex(input: Tensor, *, check_errors: _bool = False, out: Sequence[Tensor] | None = None) -> _InverseInfo:
    """The inverse, and 0 where there is one: otherwise the number of the row at which the elimination ended."""
def ldl_factor(input: Tensor, *, hermitian: _bool = False, out: Sequence[Tensor] | None = None) -> _LdPivots:
    """The factors of :func:`ldl_factor_ex`, with an error for a singular matrix instead of a number."""
def ldl_factor_ex(input: Tensor, *, hermitian: _bool = False, check_errors: _bool = False, out: Sequence[Tensor] | None = None) -> _LdPivotsInfo:
    """``x = P @ L @ D @ L^T @ P^T`` for a symmetric ``x`` (``L^H`` for a hermitian one), of which the lower triangle is read."""
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: _bool = False, out: Tensor | None = None) -> Tensor:
    """The ``out`` with ``x @ out = B`` for the ``x`` that ``ldl_factor`` factorized."""
def lstsq(input: Tensor, b: Tensor, rcond: Any = None, *, driver: Any = None, out: Sequence[Tensor] | None = None) -> _SolutionResidualsRankSingularValues:
    """Least squares: the shortest solution, the squared distances that remain, the rank and the singular values."""
def lu(input: Tensor, *, pivot: _bool = True, out: Sequence[Tensor] | None = None) -> _PLU:
    """``x = P @ L @ U``: a permutation, a lower triangle with ones on its diagonal, and an upper triangle."""
def lu_factor(A: Tensor, *, pivot: _bool = True) -> _LuPivots:
    """:func:`lu_factor_ex`, with an error for a singular matrix instead of a number."""
def lu_factor_ex(input: Tensor, *, pivot: _bool = True, check_errors: _bool = False, out: Sequence[Tensor] | None = None) -> _LuPivotsInfo:
    """``x = P @ L @ U`` with both triangles in one matrix; the exchanged rows, and the first zero pivot or 0."""
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: _bool = True, adjoint: _bool = False, out: Tensor | None = None) -> Tensor:
    """The ``out`` with ``A @ out = B`` for the factorized ``A``; ``left`` and ``adjoint`` as the names say."""
def matrix_exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sum_k x^k / k!``."""
def matrix_norm(input: Tensor, ord: _str = 'fro', dim: _int | Sequence[_int] = ..., keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
    """Size of a matrix: ``"fro"`` (root of the sum of squares), ``"nuc"`` (sum of singular values), 2 (the largest),"""
def matrix_power(input: Tensor, n: _int) -> Tensor:
    """The product of ``n`` copies of a square matrix; of its inverse for negative ``n``."""
def matrix_rank(input: Tensor, tol: Any = None, hermitian: _bool = False, *, atol: Tensor | None = None, rtol: Tensor | None = None) -> Tensor:
    """How many singular values exceed ``max(atol, rtol * largest)``; ``tol`` is the older name of ``atol``."""
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """Product of several matrices, multiplied in the cheapest order; the first and last may be vectors."""
def norm(input: Tensor, ord: Any = None, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
    """A matrix norm over two dimensions if ``ord`` asks for one, and otherwise a vector norm, by default of all elements."""
def pinv(input: Tensor, rcond: Any = None, hermitian: _bool = False, *, atol: Tensor | None = None, rtol: Tensor | None = None) -> Tensor:
    """The pseudoinverse: the inverse where there is one, and the shortest least-squares solution otherwise."""
def qr(input: Tensor, mode: _str = 'reduced', *, out: Sequence[Tensor] | None = None) -> _QR:
    """Orthonormal columns and an upper triangle: ``x = Q @ R``."""
def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _SignLogabsdet:
    """Sign and logarithm of the determinant: ``det(x) = sign * exp(logabsdet)``, where the determinant would overflow."""
def solve(A: Tensor, B: Tensor, *, left: _bool = True, out: Tensor | None = None) -> Tensor:
    """The ``out`` with ``A @ out = B``, or ``out @ A = B`` with ``left=False``."""
def solve_ex(A: Tensor, B: Tensor, *, left: _bool = True, check_errors: _bool = False, out: Sequence[Tensor] | None = None) -> _ResultInfo:
    """The solution of ``linalg.solve``, and 0 or the number of the first zero pivot: then the solution is NaN."""
def solve_triangular(input: Tensor, B: Tensor, *, upper: _bool, left: _bool = True, unitriangular: _bool = False, out: Tensor | None = None) -> Tensor:
    """The ``out`` with ``x @ out = B`` for a triangular ``x``, whose other triangle is not read."""
def svd(input: Tensor, full_matrices: _bool = True, *, out: Sequence[Tensor] | None = None) -> _USVh:
    """Orthonormal columns, descending singular values and orthonormal rows: ``x = U @ diag(S) @ Vh``."""
def svdvals(A: Tensor) -> Tensor:
    """Singular values in descending order."""
def tensorinv(input: Tensor, ind: _Number = 2) -> Tensor:
    """The inverse of ``input`` as a matrix whose rows are its first ``ind`` dimensions."""
def tensorsolve(input: Tensor, other: _Number | Tensor, dims: _int | Sequence[_int] | None = None) -> Tensor:
    """The ``out`` with ``tensordot(input, out, out.ndim) = other``; ``dims`` of ``input`` are moved to the right first."""
def vander(x: Any, N: Any = None) -> Tensor:
    """The powers 0 to ``N - 1`` of each element, as rows: ``out[..., i, j] = x[..., i] ** j``."""
def vecdot(x: Any, y: Any, *, dim: _int | Sequence[_int] = -1) -> Tensor:
    """Products of the vectors along ``dim``: ``out = sum_i conj(x[i]) * y[i]``."""
def vector_norm(input: Tensor, ord: _Number = 2, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """``out = sum(|x| ** ord) ** (1 / ord)`` along ``dim``; inf and -inf: the largest and smallest; 0: how many."""
