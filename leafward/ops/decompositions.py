"""Inverses, determinants, solutions and factorizations of batches of matrices.

Args:
    input: the matrix, or a batch of matrices `(*, m, n)`
    mode: `"reduced"`: Q has `min(m, n)` columns. `"complete"`: Q is square. `"r"`: R only, Q is empty
    full_matrices: True: U and Vh are square. False: they have `min(m, n)` columns and rows
Source: Golub and Van Loan, Matrix Computations, 4th edition; LAPACK computes them
"""
from leafward import dtypes
from leafward.core.op import Meta, composite, op

from leafward.ops.checks import scalar_name, warn_of_older_name
from leafward.ops.matrices import LinAlgError, adjoint, batch_element, check_matrix, check_solved, diagonal_matrix, in_float32

# --- inverse and solutions -------------------------------------------------------------------------------------------

@op("linalg.inv", "inverse", argument_aliases={"A": "x"}, node="LinalgInvExBackward0", autocast="float32", batch="leading",
    samples=["spd: 3 3", "spd: 2 3 3", "0 0"],
    errors=[("2 3", RuntimeError, "linalg.inv: A must be batches of square matrices, but they are 2 by 3 matrices"),
            ("3", RuntimeError, "linalg.inv: The input tensor A must have at least 2 dimensions."),
            ("int1: 2 2", RuntimeError, "linalg.inv: Expected a floating point or complex tensor as input. Got Long")],
    tolerance=(1e-4, 1e-4))                    # amplified by the condition number
def inv(xp, x):
    """The inverse: ``x @ out = eye``."""
    check_matrix(x, "linalg.inv")
    out, rows = xp.kernels.invert(x)
    if xp.to_host(xp.any(rows)):
        number, row = [(int(n), int(row)) for n, row in enumerate(xp.to_host(rows).reshape(-1)) if row][0]
        raise LinAlgError(f"linalg.inv: {batch_element(x, number)}The diagonal element {row} is zero, the inversion could "
                          "not be completed because the input matrix is singular.")
    return out


@inv.vjp("x")
def inv_dx(xp, g, out):
    back = adjoint(xp, out)
    return -xp.matmul(back, xp.matmul(g, back))


@op("linalg.inv_ex", argument_aliases={"A": "x"}, outputs="inverse, info", no_grad_outputs="info", autocast="float32",
    batch="leading",
    samples=["spd: 3 3", "spd: 2 3 3", "0 0"],
    errors=[("2 3", RuntimeError, "linalg.inv: A must be batches of square matrices, but they are 2 by 3 matrices")],
    tolerance=(1e-4, 1e-4))                    # as above
def inv_ex(xp, x, *, check_errors=False):
    """The inverse, and 0 where there is one: otherwise the number of the row at which the elimination ended."""
    check_matrix(x, "linalg.inv")
    if check_errors:
        return xp.linalg_inv(x), xp.zeros(x.shape[:-2], dtype=dtypes.int32)
    return xp.kernels.invert(x)


@inv_ex.vjp("x")
def inv_ex_dx(xp, g_inverse, inverse):
    return inv_dx(xp, g_inverse, inverse)


def is_vector(a, b):
    """A right-hand side of ``solve`` that is a batch of vectors."""
    return b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])


@op("linalg.solve", node="LinalgSolveExBackward0",
    autocast="float32", batch="solve",
    samples=["spd: 3 3 | 3 2", "spd: 3 3 | 3", "spd: 2 3 3 | 2 3", "spd: 2 3 3 | 3 2", "spd: 3 3 | 2 3 ; left=False"],
    errors=[("2 3 | 2", RuntimeError, "linalg.solve: A must be batches of square matrices, but they are 2 by 3 matrices"),
            ("2 2 | 3 1", RuntimeError,
             "linalg.solve: Incompatible shapes of A and B for the equation AX = B (2x2 and 3x1)")],
    tolerance=(1e-4, 1e-4))                    # amplified by the condition number
def solve(xp, A, B, *, left=True):
    """The ``out`` with ``A @ out = B``, or ``out @ A = B`` with ``left=False``."""
    check_solved(A, B)
    if A.dtype != B.dtype:
        raise RuntimeError("linalg.solve: Expected A and B to have the same dtype, but found A of type "
                           f"{scalar_name(A)} and B of type {scalar_name(B)} instead")
    vector = is_vector(A, B)
    right = xp.expand_dims(B, axis=-1) if vector else B
    if right.shape[-2 if left else -1] != A.shape[-1]:
        sides = "AX = B" if left else "XA = B"
        raise RuntimeError(f"linalg.solve: Incompatible shapes of A and B for the equation {sides} "
                           f"({A.shape[-2]}x{A.shape[-1]} and {right.shape[-2]}x{right.shape[-1]})")
    if left:
        out = in_float32(xp, xp.kernels.solve, A, right)
    else:
        out = in_float32(xp, xp.kernels.solve, xp.matrix_transpose(A), xp.matrix_transpose(right))
    if out is None:
        raise LinAlgError("torch.linalg.solve: The solver failed because the input matrix is singular.")
    out = out if left else xp.matrix_transpose(out)
    return out[..., 0] if vector else out


@solve.vjp("A, B")
def solve_d(xp, g, A, B: Meta, out, left):
    dB = xp.linalg_solve(adjoint(xp, A), g, left=left)
    if is_vector(A, B):
        return -xp.expand_dims(dB, axis=-1) * xp.expand_dims(xp.conj(out), axis=-2), dB
    dA = xp.matmul(dB, adjoint(xp, out)) if left else xp.matmul(adjoint(xp, out), dB)
    return -dA, dB


@op("linalg.solve_triangular",
    batch="leading",
    samples=["spd: 3 3 | 3 2 ; upper=True", "spd: 2 3 3 | 3 2 ; upper=False", "spd: 3 3 | 2 3 ; upper=True, left=False",
             "3 3 | 3 2 ; upper=False, unitriangular=True"],
    errors=[("2 2 | 2 ; upper=True", RuntimeError,
             "linalg.solve_triangular: The input tensor B must have at least 2 dimensions."),
            ("2 2 | 3 1 ; upper=True", RuntimeError, "Incompatible shapes of A and B for the equation AX = B (2x2 and 3x1)")],
    tolerance=(1e-4, 1e-4))                    # amplified by the condition number
def solve_triangular(xp, x, B, *, upper: bool, left=True, unitriangular=False):
    """The ``out`` with ``x @ out = B`` for a triangular ``x``, whose other triangle is not read."""
    check_matrix(x, "linalg.solve_triangular", kernel="triangular_solve_cpu", empty=False)
    if B.ndim < 2:
        raise RuntimeError("linalg.solve_triangular: The input tensor B must have at least 2 dimensions.")
    if B.shape[-2 if left else -1] != x.shape[-1]:
        raise RuntimeError(f"linalg.solve_triangular: Incompatible shapes of A and B for the equation "
                           f"{'AX = B' if left else 'XA = B'} ({x.shape[-2]}x{x.shape[-1]} and {B.shape[-2]}x{B.shape[-1]})")
    if B.dtype != x.dtype:                          # PyTorch casts, whatever is lost
        B = xp.astype(B.real if x.dtype.kind != "c" == B.dtype.kind else B, x.dtype)
    if left:
        return xp.kernels.solve_triangle(x, B, upper, unitriangular)
    turned = xp.kernels.solve_triangle(xp.matrix_transpose(x), xp.matrix_transpose(B), not upper, unitriangular)
    return xp.matrix_transpose(turned)


@solve_triangular.vjp("x, B")
def solve_triangular_d(xp, g, x, out, upper, left, unitriangular):
    dB = xp.linalg_solve_triangular(adjoint(xp, x), g, upper=not upper, left=left, unitriangular=unitriangular)
    dx = xp.matmul(dB, adjoint(xp, out)) if left else xp.matmul(adjoint(xp, out), dB)
    k = int(unitriangular)
    return -(xp.triu(dx, k=k) if upper else xp.tril(dx, k=-k)), dB


# --- determinants ----------------------------------------------------------------------------------------------------

@op("linalg.det", "det", argument_aliases={"A": "x"}, autocast="float32", batch="leading",
    samples=["3 3", "2 3 3", "0 0", "1 1"],
    errors=[("2 3", RuntimeError, "linalg.det: A must be batches of square matrices, but they are 2 by 3 matrices")],
    tolerance=(1e-4, 1e-5))                    # a sum of products of opposite sign
def det(xp, x):
    """The determinant."""
    check_matrix(x, "linalg.det", kernel="lu_cpu")
    return xp.kernels.determinant(x)


@det.vjp("x")
def det_dx(xp, g, x):
    return xp.expand_dims(g, axis=(-1, -2)) * adjoint(xp, xp._adjugate(x))


@op("torch._adjugate", batch="leading", samples=["3 3", "2 3 3"], tolerance=(1e-4, 1e-5))             # as above
def adjugate(xp, x):
    """Cofactors, transposed: ``x @ out = det(x) * eye``, for singular ``x`` too."""
    return xp.kernels.adjugate(x)


@adjugate.vjp("x")
def adjugate_dx(xp, g, x):
    if x.shape[-1] == 1:                            # the cofactor of a number is 1
        return xp.zeros_like(g)
    # out = det(x) * inv(x), and so is its derivative where the inverse exists.
    back = adjoint(xp, xp.linalg_inv(x))
    size = xp.expand_dims(xp.conj(xp.linalg_det(x)), axis=(-1, -2))
    along = xp.sum(g * xp.matrix_transpose(back), axis=(-1, -2), keepdims=True)
    return size * (along * back - xp.matmul(back, xp.matmul(g, back)))


@op("linalg.slogdet", "slogdet", argument_aliases={"A": "x"}, outputs="sign, logabsdet", takes_none=True,
    node="LinalgSlogdetBackward0", batch="leading", samples=["spd: 3 3", "spd: 2 3 3", "3 3"],
    errors=[("2 3", RuntimeError, "linalg.slogdet: A must be batches of square matrices, but they are 2 by 3 matrices")],
    tolerance=(1e-4, 1e-5))                    # as above
def slogdet(xp, x):
    """Sign and logarithm of the determinant: ``det(x) = sign * exp(logabsdet)``, where the determinant would overflow."""
    check_matrix(x, "linalg.slogdet")
    return xp.kernels.sign_and_log(x)


@slogdet.vjp("x")
def slogdet_dx(xp, g_sign, g_logabsdet, x, sign):
    g = 0 * xp.conj(sign) if g_logabsdet is None else g_logabsdet
    if g_sign is not None:                     # a real sign is constant, a complex one turns
        turn = xp.conj(g_sign) * sign
        g = g - 0.5 * (turn - xp.conj(turn))
    return xp.expand_dims(g, axis=(-1, -2)) * adjoint(xp, xp.linalg_inv_ex(x)[0])       # of a singular matrix: not finite


@composite("logdet", samples=["spd: 3 3", "spd: 2 3 3"], tolerance=(1e-4, 1e-5))     # as above
def logdet(fns, input):
    """Logarithm of the determinant; NaN where it is negative."""
    check_matrix(input, "logdet")
    sign, log = fns.linalg_slogdet(input)
    if input.dtype.is_complex:
        return sign.log() + log
    return fns.where(sign == -1, float("nan"), log)


# --- triangular factors ----------------------------------------------------------------------------------------------

@op("linalg.cholesky", node="LinalgCholeskyExBackward0", kernel="lower_factor", autocast="float32", batch="leading",
    samples=["spd: 3 3", "spd: 2 3 3 ; upper=True"],
    reference="linalg.cholesky",
    errors=[("2 3", RuntimeError, "linalg.cholesky: A must be batches of square matrices, but they are 2 by 3 matrices"),
            ("-1. ; upper=False", RuntimeError, "linalg.cholesky: The input tensor A must have at least 2 dimensions.")],
    tolerance=(1e-4, 1e-5))                    # amplified by the condition number
def cholesky(xp, x, *, upper=False):
    """Lower triangular ``out`` with ``out @ out^H = x``, or with ``upper`` its adjoint; one triangle of ``x`` is read."""
    check_matrix(x, "linalg.cholesky", kernel="cholesky_cpu")
    lower = in_float32(xp, xp.kernels.cholesky, adjoint(xp, x) if upper else x)
    if lower is None:
        number, order = xp.kernels.not_positive_at(adjoint(xp, x) if upper else x)
        raise LinAlgError(f"linalg.cholesky: {batch_element(x, number)}The factorization could not be completed because the "
                          f"input is not positive-definite (the leading minor of order {order} is not positive-definite).")
    return adjoint(xp, lower) if upper else lower


@cholesky.vjp("x")
def cholesky_dx(xp, g, out, upper):
    lower, g = (adjoint(xp, out), adjoint(xp, g)) if upper else (out, g)
    back = adjoint(xp, lower)
    inner = xp.tril(xp.matmul(back, g))
    inner = 0.5 * (inner + adjoint(xp, xp.tril(inner, k=-1)))
    half = xp.linalg_solve_triangular(back, inner, upper=True)
    return xp.linalg_solve_triangular(lower, half, upper=False, left=False)


@op("cholesky", casts_out=True, kernel="lower_factor", autocast="float32",
    samples=["spd: 3 3 ; upper=True", "spd: 2 3 3"], tolerance=(1e-4, 1e-5))
def cholesky_of(xp, x, upper=False):
    """:func:`linalg.cholesky` under its first name, which takes ``upper`` by position, and whatever is empty."""
    return xp.zeros_like(x) if x.size == 0 else cholesky.forward(xp, x, upper=upper)


@cholesky_of.check
def cholesky_is_older(x):
    warn_of_older_name("cholesky", "torch.linalg.cholesky")


@cholesky_of.vjp("x")
def cholesky_of_dx(xp, g, out, upper):
    if g.ndim < 2:                                          # an empty one, of which the forward refuses no shape
        raise RuntimeError(f"tensor.mH is only supported on matrices or batches of matrices. Got {g.ndim}-D tensor.")
    return cholesky_dx(xp, g, out, upper)


@op("linalg.qr", argument_aliases={"A": "x"}, outputs="Q, R", takes_none=True, node="LinalgQrBackward0",
    kernel="orthonormal_and_triangle",
    autocast="float32", batch="leading",
    samples=["distinct: 4 3", "distinct: 3 3", "distinct: 2 4 3", "distinct: 3 3 ; mode='complete'", "distinct: 3 5",
             "distinct: 2 2 3 ; mode='complete'"],
    errors=[("3 2 ; mode='q'", RuntimeError, "qr received unrecognized mode 'q' but expected one of 'reduced' (default), "
             "'r', or 'complete'")],
    tolerance=(1e-4, 1e-5))                    # amplified by the condition number
def qr(xp, x, mode: str = "reduced"):
    """Orthonormal columns and an upper triangle: ``x = Q @ R``."""
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or "
                           "'complete'")
    check_matrix(x, "linalg.qr", square=False, kernel="geqrf_cpu", empty=False)
    if mode == "r":
        return xp.zeros((0,), x.dtype), xp.linalg.qr(x, mode)
    return xp.kernels.factorized(x, mode)


@qr.vjp("x")
def qr_dx(xp, g_Q, g_R, x: Meta, Q, R, mode):
    rows, columns = x.shape[-2:]
    if mode == "r":
        raise RuntimeError("The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
                           "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr.")
    if mode == "complete" and rows > columns:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
    if rows < columns:
        # x = [X, Y] with X = Q @ U square and V = Q^H @ Y, which is differentiated as a product.
        U, V = R[..., :rows], R[..., rows:]
        if g_R is None:
            return xp.concat([qr_square_dx(xp, g_Q, None, Q, U), xp.zeros_like(V)], axis=-1)
        g_V = g_R[..., rows:]
        through = xp.matmul(xp.matmul(Q, V), adjoint(xp, g_V))
        g_Q = through if g_Q is None else g_Q + through
        return xp.concat([qr_square_dx(xp, g_Q, g_R[..., :rows], Q, U), xp.matmul(Q, g_V)], axis=-1)
    return qr_square_dx(xp, g_Q, g_R, Q, R)


def qr_square_dx(xp, g_Q, g_R, Q, R):
    """The gradient of a ``qr`` with at least as many rows as columns."""
    inner = 0
    if g_R is not None:
        inner = xp.matmul(R, adjoint(xp, g_R))
    if g_Q is not None:
        inner = inner - xp.matmul(adjoint(xp, g_Q), Q)
    # The hermitian matrix that agrees with the lower triangle.
    lower = xp.tril(inner, k=-1)
    identity = xp.eye(R.shape[-1], dtype=inner.dtype)
    inner = lower + adjoint(xp, lower) + identity * (0.5 * (inner + adjoint(xp, inner)))
    total = xp.matmul(Q, inner)
    if g_Q is not None:
        total = g_Q + total
    return xp.linalg_solve_triangular(adjoint(xp, R), total, upper=False, left=False)


# --- spectra ---------------------------------------------------------------------------------------------------------

def gaps(xp, values):
    """``values[j] - values[i]``, and 1 on the diagonal."""
    return xp.expand_dims(values, axis=-2) - xp.expand_dims(values, axis=-1) + xp.eye(values.shape[-1], dtype=values.dtype)


def off_diagonal(xp, x):
    return x * (1 - xp.eye(x.shape[-1], dtype=x.dtype))


def diagonal_of(xp, x):
    return xp.sum(x * xp.eye(x.shape[-1], dtype=x.dtype), axis=-1)


def refuse_phase(xp, turn, rule, what):
    """Complex vectors are fixed up to a phase each: a loss that changes with it has no derivative.

    The diagonal of ``turn = v^H g`` is what the loss gains when the vectors are scaled; its imaginary part, when they turn.
    """
    if turn.dtype.name in ("complex64", "complex128") and xp.to_host(
            xp.any(xp.abs(xp.imag(diagonal_of(xp, turn))) > 1e-2)):
        vectors, excess = what
        raise RuntimeError(f"{rule}: The {vectors} in the complex case are specified up to multiplication by e^{{i phi}}. "
                           f"The specified loss function depends on this {excess} ill-defined.")


EIGENVECTORS = "eigenvectors", "quantity, so it is"
SINGULAR_VECTORS = "singular vectors", "phase term, making it"


def no_convergence(xp, name, x, why):
    """PyTorch's error where LAPACK gives up on ``x``, which it does on NaN and infinities."""
    bad = xp.to_host(xp.any(xp.logical_not(xp.isfinite(x)), axis=(-2, -1))).reshape(-1).tolist()
    number = bad.index(True) if True in bad else 0
    return LinAlgError(f"{name}: {batch_element(x, number)}The algorithm failed to converge because the input matrix {why}")


@op("linalg.eigh", outputs="eigenvalues, eigenvectors", takes_none=True, autocast="float32", batch="leading",
    samples=["spd: 3 3"],
    errors=[("2 3", RuntimeError, "linalg.eigh: A must be batches of square matrices, but they are 2 by 3 matrices"),
            ("2 2 ; UPLO='q'", RuntimeError, "Expected UPLO argument to be 'L' or 'U', but got q")],
    tolerance=(1e-4, 1e-4))                    # amplified by close eigenvalues
def eigh(xp, x, UPLO: str = "L"):
    """Eigenvalues in ascending order and orthonormal eigenvectors of a hermitian ``x``, one triangle of which is read.

    >>> values, vectors = lw.linalg.eigh(lw.tensor([[2., 1.], [1., 2.]]))
    >>> values
    tensor([1., 3.])
    """
    return spectrum(xp, lambda a: xp.kernels.eigenvectors(a, UPLO in "lL"), x, UPLO)


def spectrum(xp, compute, x, UPLO):
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    check_matrix(x, "linalg.eigh", kernel="linalg_eigh_cpu")
    try:
        return in_float32(xp, compute, x)
    except ValueError:                                      # NumPy's LinAlgError
        raise no_convergence(xp, "linalg.eigh", x, "is ill-conditioned or has too many repeated eigenvalues "
                             "(error code: 1).") from None


@eigh.vjp("x")
def eigh_dx(xp, g_eigenvalues, g_eigenvectors, eigenvalues, eigenvectors):
    v = eigenvectors
    inner = 0
    if g_eigenvectors is not None:
        turn = xp.matmul(adjoint(xp, v), g_eigenvectors)
        refuse_phase(xp, turn, "linalg_eigh_backward", EIGENVECTORS)
        # What matters is how the hermitian matrix changes: the hermitian part.
        inner = off_diagonal(xp, 0.5 * (turn - adjoint(xp, turn))) / gaps(xp, eigenvalues)
    if g_eigenvalues is not None:
        inner = inner + diagonal_matrix(xp, g_eigenvalues)
    return xp.matmul(v, xp.matmul(xp.astype(inner, v.dtype), adjoint(xp, v)))


@op("linalg.svd", argument_aliases={"A": "x"}, outputs="U, S, Vh", takes_none=True,
    autocast="float32", batch="leading",
    samples=["distinct: 4 3 ; full_matrices=False", "distinct: 2 3 4 ; full_matrices=False", "distinct: 3 3",
             "distinct: 4 3"],
    errors=[("3", RuntimeError, "linalg.svd: The input tensor A must have at least 2 dimensions."),
            ("2 2 ; driver='gesvd'", RuntimeError, "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA")],
    tolerance=(1e-4, 1e-4))                    # amplified by close singular values
def svd(xp, x, full_matrices=True, *, driver: str = None):
    """Orthonormal columns, descending singular values and orthonormal rows: ``x = U @ diag(S) @ Vh``.

    Args:
        driver: a GPU's routine; None is all that a CPU takes

    >>> U, S, Vh = lw.linalg.svd(lw.tensor([[3., 0.], [0., 4.]]))
    >>> S
    tensor([4., 3.])
    """
    check_decomposed(x, driver)
    return in_float32(xp, lambda a: singular_vectors(xp, a, full_matrices), x)


def check_decomposed(x, driver):
    check_matrix(x, "linalg.svd", square=False, kernel="linalg_svd_cpu")
    if driver is not None and x.size:
        raise RuntimeError("torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER "
                           "backend.")


def singular_vectors(xp, x, full_matrices):
    return converged(xp, lambda: xp.kernels.svd(x, full_matrices), x)


def converged(xp, compute, x):
    try:
        return compute()
    except ValueError:
        raise no_convergence(xp, "linalg.svd", x, "contained non-finite values.") from None


@svd.vjp("x")
def svd_dx(xp, g_U, g_S, g_Vh, x: Meta, U, S, Vh):
    rows, columns = x.shape[-2:]
    k = min(rows, columns)
    # With full matrices, the further vectors are any basis of what is left: nothing can depend on them.
    U, Vh = U[..., :k], Vh[..., :k, :]
    s_row, s_column = xp.expand_dims(S, axis=-2), xp.expand_dims(S, axis=-1)
    spread = gaps(xp, S * S)
    inner, total, phase = 0, 0, 0
    if g_S is not None:
        inner = diagonal_matrix(xp, g_S)
    if g_U is not None:
        g_U = g_U[..., :k]
        turn = xp.matmul(adjoint(xp, U), g_U)
        phase = turn
        skew = turn - adjoint(xp, turn)
        inner = inner + off_diagonal(xp, skew) / spread * s_row
        if x.dtype.name in ("complex64", "complex128"):
            inner = inner + diagonal_matrix(xp, diagonal_of(xp, skew) / (2 * S))
        if rows > k:                                # the part of g_U outside the columns of U
            total = xp.matmul((g_U - xp.matmul(U, turn)) / s_row, Vh)
    if g_Vh is not None:
        g_V = adjoint(xp, g_Vh[..., :k, :])
        turn = xp.matmul(Vh, g_V)
        phase = phase + turn
        inner = inner + s_column * off_diagonal(xp, turn - adjoint(xp, turn)) / spread
        if columns > k:
            total = total + xp.matmul(U, adjoint(xp, g_V - xp.matmul(adjoint(xp, Vh), turn)) / s_column)
    if g_U is not None or g_Vh is not None:
        refuse_phase(xp, phase, "svd_backward", SINGULAR_VECTORS)
    return xp.matmul(U, xp.matmul(xp.astype(inner, U.dtype), Vh)) + total


@composite("torch.svd", "Tensor.svd", outputs="U, S, V", autocast="float32",
           samples=["distinct: 4 3", "distinct: 3 3"], tolerance=(1e-4, 1e-4))         # as above
def old_svd(fns, input, some=True, compute_uv=True) -> tuple:
    """The older form of ``linalg.svd``: ``input = U @ diag(S) @ V^H``.

    Args:
        some: True: U and V have `min(m, n)` columns. False: they are square
        compute_uv: False: zeros in place of U and V

    >>> U, S, V = lw.svd(lw.tensor([[3., 0.], [0., 4.]]))
    >>> S
    tensor([4., 3.])
    """
    u, s, vh = fns.linalg_svd(input, not some)
    if not compute_uv:
        u, vh = (fns.zeros(*input.shape[:-2], n, n, dtype=input.dtype) for n in input.shape[-2:])
    return fns.svd_result((u, s, vh.mH))


def check_general(xp, x):
    check_matrix(x, "linalg.eig", kernel="linalg_eig_out_cpu", empty=False)
    if not xp.to_host(xp.all(xp.isfinite(x))):
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")


@op("linalg.eig", outputs="eigenvalues, eigenvectors", takes_none=True, casts_out=True, autocast="float32", batch="leading",
    samples=["spd: 3 3"],
    errors=[("2 3", RuntimeError, "linalg.eig: A must be batches of square matrices, but they are 2 by 3 matrices")],
    tolerance=(1e-3, 1e-3))                    # amplified by close eigenvalues
def eig(xp, x):
    """Complex eigenvalues and eigenvectors of length one: ``x @ eigenvectors = eigenvectors * eigenvalues``.

    >>> values, vectors = lw.linalg.eig(lw.tensor([[0., 1.], [-1., 0.]]))
    >>> values
    tensor([0.+1.j, 0.-1.j])
    """
    check_general(xp, x)
    values, vectors = xp.kernels.general_eigenvectors(x)
    kind = xp.dtype_of(x).to_complex()
    return xp.astype(values, kind), xp.astype(vectors, kind)


@eig.vjp("x")
def eig_dx(xp, g_eigenvalues, g_eigenvectors, eigenvalues, eigenvectors):
    v = eigenvectors
    back = adjoint(xp, v)
    inner = 0
    if g_eigenvectors is not None:
        turn = xp.matmul(back, g_eigenvectors)
        refuse_phase(xp, turn, "linalg_eig_backward", EIGENVECTORS)
        size = xp.expand_dims(diagonal_of(xp, turn), axis=-2)
        turn = turn - xp.matmul(back, v) * (0.5 * (size + xp.conj(size)))
        inner = off_diagonal(xp, turn) / xp.conj(gaps(xp, eigenvalues))
    if g_eigenvalues is not None:
        inner = inner + diagonal_matrix(xp, g_eigenvalues)
    return xp.linalg_solve(back, xp.matmul(inner, back))
