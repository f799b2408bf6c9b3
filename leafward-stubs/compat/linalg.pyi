# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

from leafward.devices import device as _device
from leafward.dtypes import dtype as _dtype
from leafward.tensor.random import Generator as _Generator
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
    """Lower triangular `out` with `out @ out^H = x`, or with `upper` its adjoint; one triangle of `x` is read.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        upper: True: the upper triangle. False: the lower one
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def cholesky_ex(input: Tensor, *, upper: _bool = False, check_errors: _bool = False, out: Sequence[Tensor] | None = None) -> _LInfo:
    """The factor of `linalg.cholesky` and 0, or as far as it goes and the order of the first minor that is not positive.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        upper: True: the factor is upper triangular. False: lower
        check_errors: True: raise where the algorithm fails. False: say it in `info`, where 0 is success
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def cond(input: Tensor, p: Any = None) -> Tensor:
    """Condition number: `norm(input) * norm(inverse)`, by default the ratio of the extreme singular values.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        p: the order of the norm, as in `linalg.norm`; None: 2
    """
def cross(input: Tensor, other: Tensor, *, dim: _int | Sequence[_int] = -1, out: Tensor | None = None) -> Tensor:
    """Cross product along `dim`: `out[i] = x[i+1] * y[i+2] - x[i+2] * y[i+1]`, counted modulo 3.

    Args:
        input: what the product is added to
        other: the second tensor
        dim: the dim to work along: the last unless given
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def det(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _Number = -1) -> Tensor:
    """A diagonal of each matrix: `out[..., i] = A[..., i, i + offset]`, a view.

    Args:
        A: the matrix, or a batch of matrices `(*, m, n)`
        offset: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
        dim1: the first of the two dims that the diagonal runs through: the last but one unless given
        dim2: the second of them: the last unless given
    """
def eig(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _EigenvaluesEigenvectors:
    """Complex eigenvalues and eigenvectors of length one: `x @ eigenvectors = eigenvectors * eigenvalues`.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def eigh(input: Tensor, UPLO: _str = 'L', *, out: Sequence[Tensor] | None = None) -> _EigenvaluesEigenvectors:
    """Eigenvalues in ascending order and orthonormal eigenvectors of a hermitian `x`, one triangle of which is read.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        UPLO: the triangle that is read: `"L"` the lower, `"U"` the upper
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def eigvals(input: Tensor) -> Tensor:
    """Complex eigenvalues of a square matrix.

    Args:
        input: the matrix, or a batch of matrices `(*, n, n)`, for singular values `(*, m, n)`
    """
def eigvalsh(input: Tensor, UPLO: _str = 'L') -> Tensor:
    """Eigenvalues of a hermitian matrix in ascending order.

    Args:
        input: the matrix, or a batch of matrices `(*, n, n)`, for singular values `(*, m, n)`
        UPLO: the triangle that is read: `"L"` the lower, `"U"` the upper
    """
def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first columns of the `Q` whose reflections `geqrf` keeps in `x` and `tau`, as many as `x` has.

    Args:
        input: the reflections, below the diagonal, as `geqrf` leaves them
        tau: the factor of each reflection
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def inv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse: `x @ out = eye`.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def inv_ex(input: Tensor, *, check_errors: _bool = False, out: Sequence[Tensor] | None = None) -> _InverseInfo:
    """The inverse, and 0 where there is one: otherwise the number of the row at which the elimination ended.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        check_errors: True: raise where the algorithm fails. False: say it in `info`, where 0 is success
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def ldl_factor(input: Tensor, *, hermitian: _bool = False, out: Sequence[Tensor] | None = None) -> _LdPivots:
    """The factors of `ldl_factor_ex`, with an error for a singular matrix instead of a number.

    Args:
        input: the symmetric matrix, or a batch of them
        hermitian: True: the matrix is taken to be hermitian (symmetric, if real), which is faster; it isn't checked
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def ldl_factor_ex(input: Tensor, *, hermitian: _bool = False, check_errors: _bool = False, out: Sequence[Tensor] | None = None) -> _LdPivotsInfo:
    """`x = P @ L @ D @ L^T @ P^T` for a symmetric `x` (`L^H` for a hermitian one), of which the lower triangle is read.

    `LD` holds `L` below the blocks of `D`, which are of size one and two; the two rows of a larger block have a
    negative number in `pivots`. `info` is the number of the first pivot that is zero, or 0.

    Args:
        input: the symmetric matrix, or a batch of them
        hermitian: True: the matrix is taken to be hermitian (symmetric, if real), which is faster; it isn't checked
        check_errors: True: raise where the algorithm fails. False: say it in `info`, where 0 is success
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: _bool = False, out: Tensor | None = None) -> Tensor:
    """The `out` with `x @ out = B` for the `x` that `ldl_factor` factorized.

    Args:
        LD: the factors as `ldl_factor` packs them
        pivots: the exchanges of rows that a factorization returned with its factors
        B: the right-hand side: `(*, n, k)`, or one vector for each matrix
        hermitian: True: the matrix is taken to be hermitian (symmetric, if real), which is faster; it isn't checked
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def lstsq(input: Tensor, b: Tensor, rcond: _Number | None = None, *, driver: _str | None = None, out: Sequence[Tensor] | None = None) -> _SolutionResidualsRankSingularValues:
    """Least squares: the shortest solution, the squared distances that remain, the rank and the singular values.

    As in PyTorch, the distances are there where `x` has full rank and more rows than columns, but not with the default
    driver, the rank unless `driver` is `"gels"`, and the singular values for `"gelsd"` and `"gelss"`. All drivers
    but the default use the SVD here.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        b: the right-hand sides, `(*, m, k)` or `(*, m)`
        rcond: singular values up to this share of the largest count as zero, but for `"gels"`; None: `max(m, n)` times the dtype's `eps`
        driver: `"gelsy"` (None), `"gels"`, `"gelsd"` or `"gelss"`: which of the results below are there
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def lu(input: Tensor, *, pivot: _bool = True, out: Sequence[Tensor] | None = None) -> _PLU:
    """`x = P @ L @ U`: a permutation, a lower triangle with ones on its diagonal, and an upper triangle.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        pivot: True: exchange rows for accuracy, as a general matrix needs. False is refused on the CPU
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def lu_factor(A: Tensor, *, pivot: _bool = True) -> _LuPivots:
    """`lu_factor_ex`, with an error for a singular matrix instead of a number.

    Args:
        A: the matrix, or a batch of matrices `(*, m, n)`
        pivot: True: exchange rows for accuracy, as a general matrix needs. False is refused on the CPU
    """
def lu_factor_ex(input: Tensor, *, pivot: _bool = True, check_errors: _bool = False, out: Sequence[Tensor] | None = None) -> _LuPivotsInfo:
    """`x = P @ L @ U` with both triangles in one matrix; the exchanged rows, and the first zero pivot or 0.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        pivot: True: exchange rows for accuracy, as a general matrix needs. False is refused on the CPU
        check_errors: True: raise where the algorithm fails. False: say it in `info`, where 0 is success
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: _bool = True, adjoint: _bool = False, out: Tensor | None = None) -> Tensor:
    """The `out` with `A @ out = B` for the factorized `A`; `left` and `adjoint` as the names say.

    Args:
        LU: the factors as `lu_factor` packs them
        pivots: the exchanges of rows that a factorization returned with its factors
        B: the right-hand side: `(*, n, k)`, or one vector for each matrix
        left: True: solve `A X = B`. False: `X A = B`
        adjoint: True: solve with the adjoint of A
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def matmul(input: Tensor, other: _Number | Tensor, *, out: Any = None) -> Tensor:
    """Product of vectors, matrices or batches of them: `out = input @ other`.

    Two matrices: their product. A vector counts as a row on the left and as a column on the right, and that dimension
    is dropped from the result. With three or more dimensions, the leading ones are batches and broadcast.

    Args:
        input: the tensor to compute on
        other: the second factor
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def matrix_exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`sum_k x^k / k!`: the exponential of a matrix. That of a turn by an angle is the rotation.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def matrix_norm(input: Tensor, ord: _str = 'fro', dim: _int | Sequence[_int] = ..., keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
    """Size of a matrix: `"fro"` (root of the sum of squares), `"nuc"` (sum of singular values), 2 (the largest),
    1 (largest column sum) or inf (largest row sum); -2, -1 and -inf the smallest.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        ord: the order of the norm: `"fro"`, `"nuc"` (the sum of the singular values), 2 and -2 (the largest and the smallest), 1, -1, inf, -inf (sums of columns, of rows)
        dim: the two dims of the matrix
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
    """
def matrix_power(input: Tensor, n: _int) -> Tensor:
    """The product of `n` copies of a square matrix; of its inverse for negative `n`.

    Args:
        input: the square matrix, or a batch of them
        n: the power; below 0, of the inverse
    """
def matrix_rank(input: Tensor, tol: Any = None, hermitian: _bool = False, *, atol: Tensor | None = None, rtol: Tensor | None = None) -> Tensor:
    """How many singular values exceed `max(atol, rtol * largest)`; `tol` is the older name of `atol`.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        tol: the older name of `atol`
        hermitian: True: the matrix is taken to be hermitian (symmetric, if real), which is faster; it isn't checked
        atol: singular values up to this count as zero; None: 0
        rtol: ... or up to this share of the largest; None: `max(m, n)` times the dtype's `eps`, or 0 where `atol` is given
    """
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """Product of several matrices, multiplied in the cheapest order; the first and last may be vectors.

    Args:
        tensors: the tensors to put together, in order
    """
def norm(input: Tensor, ord: Any = None, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
    """A matrix norm over two dimensions if `ord` asks for one, and otherwise a vector norm, by default of all elements.

    Args:
        input: the vectors or matrices
        ord: the order of the norm, as in `vector_norm` or `matrix_norm`; None: the root of the sum of squares
        dim: one dim: a norm of vectors; two: of matrices; None: of all elements, or with `ord` of a vector or matrix
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
    """
def pinv(input: Tensor, rcond: Any = None, hermitian: _bool = False, *, atol: Tensor | None = None, rtol: Tensor | None = None) -> Tensor:
    """The pseudoinverse: the inverse where there is one, and the shortest least-squares solution otherwise.

    Singular values up to `max(atol, rtol * largest)` count as zero; `rcond` is the older name of `rtol`.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        rcond: the older name of `rtol`
        hermitian: True: the matrix is taken to be hermitian (symmetric, if real), which is faster; it isn't checked
        atol: singular values up to this count as zero; None: 0
        rtol: ... or up to this share of the largest; None: `max(m, n)` times the dtype's `eps`, or 0 where `atol` is given
    """
def qr(input: Tensor, mode: _str = 'reduced', *, out: Sequence[Tensor] | None = None) -> _QR:
    """Orthonormal columns and an upper triangle: `x = Q @ R`.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        mode: `"reduced"`: Q has `min(m, n)` columns. `"complete"`: Q is square. `"r"`: R only, Q is empty
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _SignLogabsdet:
    """Sign and logarithm of the determinant: `det(x) = sign * exp(logabsdet)`, where the determinant would overflow.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def solve(A: Tensor, B: Tensor, *, left: _bool = True, out: Tensor | None = None) -> Tensor:
    """The `out` with `A @ out = B`, or `out @ A = B` with `left=False`.

    Args:
        A: the matrix, or a batch of matrices `(*, m, n)`
        B: the right-hand side: `(*, n, k)`, or one vector for each matrix
        left: True: solve `A X = B`. False: `X A = B`
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def solve_ex(A: Tensor, B: Tensor, *, left: _bool = True, check_errors: _bool = False, out: Sequence[Tensor] | None = None) -> _ResultInfo:
    """The solution of `linalg.solve`, and 0 or the number of the first zero pivot: then the solution is NaN.

    Args:
        A: the matrix, or a batch of matrices `(*, m, n)`
        B: the right-hand side: `(*, n, k)`, or one vector for each matrix
        left: True: solve `A X = B`. False: `X A = B`
        check_errors: True: raise where the algorithm fails. False: say it in `info`, where 0 is success
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def solve_triangular(input: Tensor, B: Tensor, *, upper: _bool, left: _bool = True, unitriangular: _bool = False, out: Tensor | None = None) -> Tensor:
    """The `out` with `x @ out = B` for a triangular `x`, whose other triangle is not read.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        B: the right-hand side: `(*, n, k)`, or one vector for each matrix
        upper: True: the upper triangle. False: the lower one
        left: True: solve `A X = B`. False: `X A = B`
        unitriangular: True: the diagonal is taken to be ones and not read. False: it is read
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def svd(input: Tensor, full_matrices: _bool = True, *, driver: _str | None = None, out: Sequence[Tensor] | None = None) -> _USVh:
    """Orthonormal columns, descending singular values and orthonormal rows: `x = U @ diag(S) @ Vh`.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        full_matrices: True: U and Vh are square. False: they have `min(m, n)` columns and rows
        driver: a GPU's routine; None is all that a CPU takes
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def svdvals(A: Tensor, *, driver: _str | None = None) -> Tensor:
    """Singular values in descending order.

    Args:
        A: the matrix, or a batch of matrices `(*, m, n)`
        driver: a GPU's routine; None is all that a CPU takes
    """
def tensorinv(input: Tensor, ind: _int = 2) -> Tensor:
    """The inverse of `input` as a matrix whose rows are its first `ind` dimensions.

    Args:
        input: the tensor to compute on
        ind: how many of the dims count as rows
    """
def tensorsolve(input: Tensor, other: _Number | Tensor, dims: _int | Sequence[_int] | None = None) -> Tensor:
    """The `out` with `tensordot(input, out, out.ndim) = other`; `dims` of `input` are moved to the right first.

    Args:
        input: the tensor to compute on
        other: the right-hand side
        dims: the dims to move to the end first; None: none
    """
def vander(x: Any, N: _int | None = None) -> Tensor:
    """The powers 0 to `N - 1` of each element, as rows: `out[..., i, j] = x[..., i] ** j`.

    Args:
        x: the numbers whose powers are taken
        N: how many powers; None: as many as numbers
    """
def vecdot(x: Any, y: Any, *, dim: _int | Sequence[_int] = -1) -> Tensor:
    """Products of the vectors along `dim`: `out = sum_i conj(x[i]) * y[i]`.

    Args:
        x: the first vectors
        y: the second vectors
        dim: the dim to work along: the last unless given
    """
def vector_norm(input: Tensor, ord: _Number = 2, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """`out = sum(|x| ** ord) ** (1 / ord)` along `dim`; inf and -inf: the largest and smallest; 0: how many.

    Args:
        input: the numbers to reduce
        ord: the order of the norm: any number, inf and -inf
        dim: the dim, or several, to reduce; None: all of them
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
