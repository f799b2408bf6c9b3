"""Triangular factors kept for later use: LU and Cholesky, what they solve, and least squares.

Args:
    LU_data: the factors as `lu_factor` packs them
    LU_pivots: the exchanges of rows that it returned
    LU: the factors as `lu_factor` packs them
    input: the matrix, or a batch of matrices `(*, m, n)`
    upper: True: the factor is upper triangular. False: lower
Source: Golub and Van Loan, Matrix Computations, 4th edition
"""
from leafward import dtypes
from leafward.core.op import Meta, composite, op

from leafward.ops.checks import scalar_name, warn_of_older_name
from leafward.ops.dims import count
from leafward.ops.decompositions import is_vector, no_convergence, solve_d
from leafward.ops.matrices import LinAlgError, adjoint, batch_element, check_matrix, check_solved, in_float32
from leafward.ops.kinds import unsupported
from leafward.ops.matrix_functions import pseudoinverse_dx

# --- LU --------------------------------------------------------------------------------------------------------------

def refuse_no_pivot(pivot, x):
    if not pivot and x.size:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def refuse_singular(xp, x, info):
    if xp.to_host(xp.any(info)):
        number, row = [(int(n), int(row)) for n, row in enumerate(xp.to_host(info).reshape(-1)) if row][0]
        raise RuntimeError(f"torch.linalg.lu_factor: {batch_element(x, number)}U[{row},{row}] is zero and using it on lu_solve "
                           "would result in a division by zero. If you still want to perform the factorization, consider "
                           "calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)")


@op("linalg.lu_factor_ex", argument_aliases={"A": "x"}, outputs="LU, pivots, info", no_grad_outputs="pivots, info",
    kernel="factors_and_exchanges",
    autocast="float32", batch="leading",
    samples=["3 3", "2 3 3", "4 3", "3 4"], tolerance=(1e-4, 1e-5),          # divided by pivots
    errors=[("3", RuntimeError, "torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: [3] instead"),
            ("3 3 ; pivot=False", RuntimeError, "linalg.lu_factor: LU without pivoting is not implemented on the CPU")])
def lu_factor_ex(xp, x, *, pivot=True, check_errors=False):
    """``x = P @ L @ U`` with both triangles in one matrix; the exchanged rows, and the first zero pivot or 0."""
    if x.ndim < 2:
        raise RuntimeError(f"torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: {list(x.shape)} instead")
    check_matrix(x, "torch.lu_factor", square=False, kernel="lu_cpu")
    refuse_no_pivot(pivot, x)
    factors, pivots, info = in_float32(xp, xp.kernels.lu, x)
    if check_errors:
        refuse_singular(xp, x, info)
    return factors, pivots, info


def unit_lower(xp, LU):
    k = min(LU.shape[-2:])
    return xp.tril(LU, k=-1)[..., :k] + xp.eye(LU.shape[-2], k, dtype=LU.dtype)


def upper_part(xp, LU):
    return xp.triu(LU)[..., :min(LU.shape[-2:]), :]


@lu_factor_ex.vjp("x")
def lu_factor_ex_dx(xp, g_LU, LU, pivots):
    P = xp._permutation_matrix(pivots, LU.shape[-2], LU.dtype)
    k = min(LU.shape[-2:])
    return factors_dx(xp, g_LU[..., :k], g_LU[..., :k, :], P, unit_lower(xp, LU), upper_part(xp, LU))


def factors_dx(xp, g_L, g_U, P, L, U):
    """The gradient of ``x = P @ L @ U`` for those of its factors, of which only the triangles count."""
    rows, columns = L.shape[-2], U.shape[-1]
    k = min(rows, columns)
    square_L, square_U = L[..., :k, :], U[..., :k]
    g_L, g_U = xp.tril(g_L, k=-1), xp.triu(g_U)
    beside = below = None
    if columns > k:                                 # U = [U1, L^-1 @ P^T @ x2]
        beside = solved(xp, adjoint(xp, square_L), g_U[..., k:], upper=True, unit=True)
        g_L = g_L - xp.tril(xp.matmul(beside, adjoint(xp, U[..., k:])), k=-1)
        g_U = g_U[..., :k]
    if rows > k:                                    # L = [L1; (P^T @ x)2 @ U^-1]
        below = solved(xp, adjoint(xp, square_U), g_L[..., k:, :], upper=False, left=False)
        g_U = g_U - xp.triu(xp.matmul(adjoint(xp, L[..., k:, :]), below))
        g_L = g_L[..., :k, :]
    inner = xp.tril(xp.matmul(adjoint(xp, square_L), g_L), k=-1) + xp.triu(xp.matmul(g_U, adjoint(xp, square_U)))
    inner = solved(xp, adjoint(xp, square_U), inner, upper=False, left=False)
    total = solved(xp, adjoint(xp, square_L), inner, upper=True, unit=True)
    if beside is not None:
        total = xp.concat([total, beside], axis=-1)
    if below is not None:
        total = xp.concat([total, below], axis=-2)
    return xp.matmul(P, total)


def solved(xp, triangle, b, upper, left=True, unit=False):
    return xp.linalg_solve_triangular(triangle, b, upper=upper, left=left, unitriangular=unit)


@op("torch._permutation_matrix", nondifferentiable="pivots", samples=["int1: 3 ; rows=3, dtype=t.float32"],
    reference=lambda torch, pivots, rows, dtype: torch.lu_unpack(
        torch.eye(rows, dtype=dtype), pivots.int() + 1, unpack_data=False)[0])
def permutation_matrix(xp, pivots, rows, dtype):
    """The matrix of the row exchanges that ``lu_factor`` lists."""
    return xp.astype(xp.kernels.permutation_matrix(pivots, rows, bool), dtype)


@composite("linalg.lu_factor", outputs="LU, pivots", autocast="float32", samples=["3 3", "2 3 3", "4 3", "3 4"],
           tolerance=(1e-4, 1e-5))                  # as above
def lu_factor(fns, A, *, pivot=True):
    """:func:`lu_factor_ex`, with an error for a singular matrix instead of a number."""
    LU, pivots, _ = fns.linalg_lu_factor_ex(A, pivot=pivot, check_errors=True)
    return fns.linalg_lu_factor_result((LU, pivots))


@composite("torch.lu", "Tensor.lu", autocast="float32", samples=["distinct: 3 3", "distinct: 2 3 3 ; get_infos=True"],
           tolerance=(1e-4, 1e-5))                  # as above
def old_lu(fns, A, pivot=True, get_infos: "bool" = False, out=None) -> tuple:
    """The older form of ``linalg.lu_factor``.

    Args:
        get_infos: True: also whether each factorization succeeded
    """
    warn_of_older_name("lu", "torch.linalg.lu_factor / torch.linalg.lu_factor_ex")
    LU, pivots, info = fns.linalg_lu_factor_ex(A, pivot=pivot)
    results = (LU, pivots, info) if get_infos else (LU, pivots)
    if out is None:
        return results
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    if len(out) != len(results):
        raise TypeError(f"expected tuple of {len(results)} elements but got {len(out)}")
    for buffer, result in zip(out, results, strict=True):
        buffer.resize_(result.shape).copy_(result)
    return out


@op("linalg.lu", argument_aliases={"A": "x"}, outputs="P, L, U", no_grad_outputs="P", takes_none=True,
    kernel="permuted_triangles",
    autocast="float32", batch="leading",
    samples=["3 3", "2 3 3", "4 3", "3 4"], tolerance=(1e-4, 1e-5),
    errors=[("3 3 ; pivot=False", RuntimeError, "linalg.lu_factor: LU without pivoting is not implemented on the CPU")])
def lu(xp, x, *, pivot=True):
    """``x = P @ L @ U``: a permutation, a lower triangle with ones on its diagonal, and an upper triangle."""
    check_matrix(x, "linalg.lu", square=False, kernel="lu_cpu")
    refuse_no_pivot(pivot, x)
    factors, pivots, _ = in_float32(xp, xp.kernels.lu, x)
    rows = xp.kernels.permutation_matrix(pivots, x.shape[-2], x.dtype) if pivot else xp.zeros((0,), dtype=x.dtype)
    return rows, *xp.kernels.unpack(factors)


@lu.vjp("x")
def lu_dx(xp, g_P, g_L, g_U, P, L, U, pivot):
    if not pivot:                                   # of a matrix without elements
        return xp.zeros((*L.shape[:-1], U.shape[-1]), dtype=L.dtype)
    return factors_dx(xp, 0 * L if g_L is None else g_L, 0 * U if g_U is None else g_U, P, L, U)


def with_pivots(call):
    """Of a batch: whether the dims before a matrix, and before its pivots, are as many."""
    return call.rank(0) == call.rank(1) + 1 and (len(call.inputs) < 3 or call.rank(2) == call.rank(0))


@op("torch.lu_unpack", nondifferentiable="LU_pivots", outputs="P, L, U", no_grad_outputs="P", takes_none=True,
    kernel="unpacked_triangles",
    samples=["3 3 ; LU_pivots=t.tensor([2, 3, 3], dtype=t.int32)", "4 3 ; LU_pivots=t.tensor([2, 3, 3], dtype=t.int32)",
             "2 3 ; LU_pivots=t.tensor([2, 2], dtype=t.int32)",
             "3 3 ; LU_pivots=t.tensor([2, 3, 3], dtype=t.int32), unpack_data=False"],
    errors=[("3 3 ; LU_pivots=t.tensor([2, 3, 3])", RuntimeError,
             "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.")])
def lu_unpack(xp, LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    """The ``P``, ``L`` and ``U`` that ``lu_factor`` packs.

    Args:
        unpack_data: False: L and U are empty
        unpack_pivots: False: P is empty
    """
    if unpack_pivots and LU_pivots.dtype.name != "int32":
        raise RuntimeError("torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
                           "Note: this function is intended to be used with the output produced by torch.linalg.lu_factor")
    if LU_data.ndim < 2:
        raise RuntimeError("torch.lu_unpack: Expected tensor with 2 or more dimensions.")
    P = L = U = xp.zeros((0,), dtype=xp.dtype_of(LU_data))
    if unpack_pivots:
        LU_pivots = LU_pivots[..., :min(LU_data.shape[-2:])]
        if LU_pivots.shape[-1] < min(LU_data.shape[-2:]) or not xp.to_host(
                xp.all((LU_pivots >= 1) & (LU_pivots <= LU_data.shape[-2]))):
            raise RuntimeError("pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
                               "Did you properly pass the result of lu_factor?")
        lead = LU_data.shape[:-2]
        if count(LU_pivots.shape[:-1]) != count(lead):
            raise RuntimeError(f"lu_unpack: there are pivots of {count(LU_pivots.shape[:-1])} matrices for {count(lead)}")
        LU_pivots = LU_pivots.reshape((*lead, LU_pivots.shape[-1]))
        P = xp.kernels.permutation_matrix(LU_pivots, LU_data.shape[-2], LU_data.dtype)
    if unpack_data:
        L, U = xp.kernels.unpack(LU_data)
    return P, L, U


@lu_unpack.vjp("LU_data")
def lu_unpack_dLU_data(xp, g_P, g_L, g_U, LU_data: Meta):
    rows, columns = LU_data.shape[-2:]
    k = min(rows, columns)
    lead = tuple(LU_data.shape[:-2])
    total = None
    if g_L is not None and g_L.ndim > 1:
        total = xp.tril(g_L, k=-1)
        if columns > k:
            total = xp.concat([total, xp.zeros((*lead, rows, columns - k), dtype=g_L.dtype)], axis=-1)
    if g_U is not None and g_U.ndim > 1:
        part = xp.triu(g_U)
        if rows > k:
            part = xp.concat([part, xp.zeros((*lead, rows - k, columns), dtype=g_U.dtype)], axis=-2)
        total = part if total is None else total + part
    return total


@lu_unpack.batch
def lu_unpack_batch(fns, call):
    whole = call.option("unpack_data") and call.option("unpack_pivots")
    return call.run(call.all_in_front()) if whole and with_pivots(call) else None


@op("linalg.lu_solve", nondifferentiable="pivots",
    autocast="float32", samples=["spd: 3 3 | 3 2 ; pivots=t.tensor([2, 3, 3], dtype=t.int32)",
             "spd: 2 3 3 | 3 2 ; pivots=t.tensor([[2, 3, 3], [1, 2, 3]], dtype=t.int32), adjoint=True",
             "spd: 3 3 | 2 3 ; pivots=t.tensor([2, 3, 3], dtype=t.int32), left=False",
             "spd: 3 3 | 2 3 ; pivots=t.tensor([2, 3, 3], dtype=t.int32), left=False, adjoint=True"],
    errors=[("spd: 3 3 | 3 ; pivots=t.tensor([2, 3, 3], dtype=t.int32)", RuntimeError,
             "linalg.lu_solve: The input tensor B must have at least 2 dimensions.")], tolerance=(1e-4, 1e-4))
def lu_solve(xp, LU, pivots, B, *, left=True, adjoint=False):
    """The ``out`` with ``A @ out = B`` for the factorized ``A``; ``left`` and ``adjoint`` as the names say.

    Args:
        adjoint: True: solve with the adjoint of A
    """
    check_matrix(LU, "torch.linalg.lu_solve")
    if B.ndim < 2:
        raise RuntimeError("linalg.lu_solve: The input tensor B must have at least 2 dimensions.")
    if B.dtype != LU.dtype:
        raise RuntimeError("linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type "
                           f"{scalar_name(LU)} and B of type {scalar_name(B)} instead")
    if pivots.dtype.name != "int32":
        raise RuntimeError("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    if B.shape[-2 if left else -1] != LU.shape[-1]:
        raise RuntimeError(f"linalg.lu_solve: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'}"
                           f" ({LU.shape[-2]}x{LU.shape[-1]} and {B.shape[-2]}x{B.shape[-1]})")
    if pivots.shape[-1] != LU.shape[-1]:
        raise RuntimeError("linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix")
    if pivots.shape != LU.shape[:-1]:
        raise RuntimeError("linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
                           f"{list(pivots.shape)} instead")
    for wrong, what in ((pivots > LU.shape[-2], "smaller or equal to LU.size(-2)"), (pivots < 1, "greater or equal to 1")):
        if xp.to_host(xp.any(wrong)):
            raise RuntimeError(f"Pivots given to lu_solve must all be {what}. Did you properly pass the result of "
                               "lu_factor?")
    if not left:                                    # x @ A = B is A^H @ x^H = B^H
        return conjugate_transpose(xp, lu_solve.forward(xp, LU, pivots, conjugate_transpose(xp, B), adjoint=not adjoint))
    P = xp.kernels.permutation_matrix(pivots, LU.shape[-1], LU.dtype)
    if not adjoint:
        B = xp.kernels.solve_triangle(LU, xp.matmul(xp.matrix_transpose(P), B), False, True)
        return xp.kernels.solve_triangle(LU, B, True, False)
    turned = conjugate_transpose(xp, LU)
    B = xp.kernels.solve_triangle(turned, B, False, False)
    return xp.matmul(P, xp.kernels.solve_triangle(turned, B, True, True))


conjugate_transpose = adjoint                       # `adjoint` is also an option's name


@lu_solve.vjp("LU, B")
def lu_solve_d(xp, g, LU, pivots, out, left, adjoint):
    turn = conjugate_transpose
    dB = xp.linalg_lu_solve(LU, pivots, g, left=left, adjoint=not adjoint)
    first, second = (dB, out) if left else (out, dB)
    dA = -xp.matmul(out, turn(xp, dB)) if left and adjoint else -xp.matmul(dB, turn(xp, out)) if left else (
        -xp.matmul(turn(xp, second), first) if adjoint else -xp.matmul(turn(xp, first), second))
    # A = P @ L @ U
    P = xp._permutation_matrix(pivots, LU.shape[-1], LU.dtype)
    dA = xp.matmul(xp.matrix_transpose(P), dA)
    L, U = unit_lower(xp, LU), upper_part(xp, LU)
    dLU = xp.tril(xp.matmul(dA, turn(xp, U)), k=-1) + xp.triu(xp.matmul(turn(xp, L), dA))
    return dLU, dB


@lu_solve.batch
def lu_solve_batch(fns, call):
    return call.run(call.all_in_front()) if with_pivots(call) else None


@composite("lu_solve", autocast="float32",
           samples=["3 2 | spd: 3 3 ; LU_pivots=t.tensor([2, 3, 3], dtype=t.int32)"], tolerance=(1e-4, 1e-4))
def old_lu_solve(fns, input, LU_data, LU_pivots):
    """The older form of ``linalg.lu_solve``.

    Args:
        input: the right-hand side, `(*, n, k)`
    """
    warn_of_older_name("lu_solve", "torch.linalg.lu_solve")
    return fns.linalg_lu_solve(LU_data, LU_pivots, input)


# --- Cholesky --------------------------------------------------------------------------------------------------------

@op("linalg.cholesky_ex", outputs="L, info", no_grad_outputs="info", kernel="lower_factor_and_info",
    autocast="float32", batch="leading",
    samples=["spd: 3 3", "spd: 2 3 3 ; upper=True"],
    tolerance=(1e-4, 1e-5))                         # amplified by the condition number
def cholesky_ex(xp, x, *, upper=False, check_errors=False):
    """The factor of ``linalg.cholesky`` and 0, or as far as it goes and the order of the first minor that is not positive."""
    check_matrix(x, "linalg.cholesky", kernel="cholesky_cpu")
    if check_errors:
        return xp.linalg_cholesky(x, upper=upper), xp.zeros(x.shape[:-2], dtype=dtypes.int32)
    lower, info = in_float32(xp, xp.kernels.partial_cholesky, adjoint(xp, x) if upper else x)
    return (adjoint(xp, lower) if upper else lower), info


@cholesky_ex.vjp("x")
def cholesky_ex_dx(xp, g_L, L, upper):
    from leafward.ops.decompositions import cholesky_dx
    return cholesky_dx(xp, g_L, L, upper)


def check_factor(name, B, L):
    for x, what in ((B, "b"), (L, "u")):
        if x.ndim < 2:
            raise RuntimeError(f"{what} should have at least 2 dimensions, but has {x.ndim} dimensions instead")
    for x in (B, L):
        if x.dtype.kind not in "fc" or x.dtype.itemsize == 2:
            raise unsupported(x, f"{name}_cpu")
    if L.ndim < 2 or L.shape[-1] != L.shape[-2]:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {L.shape[-2]} by {L.shape[-1]} "
                           "matrices")
    if B.dtype != L.dtype:
        raise RuntimeError(f"Expected b and A to have the same dtype, but found b of type {scalar_name(B)} and A of type "
                           f"{scalar_name(L)} instead.")
    if B.shape[-2] != L.shape[-1]:
        raise RuntimeError(f"Incompatible matrix sizes for {name}: each A matrix is {L.shape[-1]} by {L.shape[-1]} but each "
                           f"b matrix is {B.shape[-2]} by {B.shape[-1]}")


@op("cholesky_solve", argument_aliases={"input2": "L"}, casts_out=True, autocast="float32", batch="leading",
    samples=["3 2 | lower: 3 3", "3 2 | upper: 2 3 3 ; upper=True"], tolerance=(1e-4, 1e-4),
    errors=[("2 2 | spd: 3 3", RuntimeError, "Incompatible matrix sizes for cholesky_solve: each A matrix is 3 by 3 but")])
def cholesky_solve(xp, x, L, upper=False):
    """The ``out`` with ``(L @ L^H) @ out = x``, or with ``upper`` ``(L^H @ L) @ out = x``.

    Args:
        L: the factor, as `cholesky` gives it
        input: the right-hand side, `(*, n, k)`
    """
    check_factor("cholesky_solve", x, L)
    lower = adjoint(xp, L) if upper else L
    half = xp.kernels.solve_triangle(lower, x, False, False)
    return xp.kernels.solve_triangle(adjoint(xp, lower), half, True, False)


@cholesky_solve.vjp("x, L")
def cholesky_solve_d(xp, g, L, out, upper):
    dx = xp.cholesky_solve(g, L, upper)
    product = xp.matmul(dx, adjoint(xp, out))
    product = product + adjoint(xp, product)
    # That of L @ L^H wherever L stands, as in PyTorch: the triangle that is not read is 0 in a factor, and counts as such.
    return dx, -xp.matmul(L, product) if upper else -xp.matmul(product, L)


@op("cholesky_inverse", casts_out=True, autocast="float32", batch="leading",
    samples=["lower: 3 3", "upper: 2 3 3 ; upper=True"], tolerance=(1e-4, 1e-4))
def cholesky_inverse(xp, x, upper=False):
    """``(x @ x^H) ^ -1``, or with ``upper`` ``(x^H @ x) ^ -1``.

    Args:
        input: the factor, as `cholesky` gives it
    """
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        check_matrix(x, "cholesky_inverse", half=True)
    if x.dtype.kind not in "fc" or x.dtype.itemsize == 2:
        raise unsupported(x, "cholesky_inverse_out_cpu")
    zero = xp.to_host(xp.linalg.diagonal(x) == 0)
    if zero.any():
        number, row = divmod(int(zero.reshape((-1,)).argmax()), x.shape[-1])
        raise LinAlgError(f"cholesky_inverse: {batch_element(x, number)}The diagonal element {row + 1} is zero, the inversion "
                          "could not be completed because the input matrix is singular.")
    return xp.cholesky_solve(xp.broadcast_to(xp.eye(x.shape[-1], dtype=xp.dtype_of(x)), x.shape), x, upper)


@cholesky_inverse.vjp("x")
def cholesky_inverse_dx(xp, g, x, out, upper):
    g = g + adjoint(xp, g)
    inner = xp.matmul(out, xp.matmul(g, out))
    return -xp.matmul(x, inner) if upper else -xp.matmul(inner, x)


# --- solutions -------------------------------------------------------------------------------------------------------

@op("linalg.solve_ex", outputs="result, info", no_grad_outputs="info", autocast="float32", batch="solve",
    samples=["spd: 3 3 | 3 2", "spd: 2 3 3 | 2 3"],
    tolerance=(1e-4, 1e-4))                         # amplified by the condition number
def solve_ex(xp, A, B, *, left=True, check_errors=False):
    """The solution of ``linalg.solve``, and 0 or the number of the first zero pivot: then the solution is NaN."""
    check_solved(A, B)
    _, _, info = in_float32(xp, xp.kernels.lu, A)
    if check_errors or not xp.to_host(xp.any(info)):
        return xp.linalg_solve(A, B, left=left), info
    whole = xp.where(xp.expand_dims(info, axis=(-1, -2)) != 0, xp.eye(A.shape[-1], dtype=xp.dtype_of(A)), A)
    out = xp.linalg_solve(whole, B, left=left)
    return xp.where(xp.expand_dims(info, axis=tuple(range(info.ndim - out.ndim, 0))) != 0, float("nan"), out), info


@solve_ex.vjp("A, B")
def solve_ex_d(xp, g_result, A, B: Meta, result, left):
    return solve_d(xp, g_result, A, B, result, left)


def check_least_squares(x, b, driver):
    if x.ndim < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    if b.ndim < 1:
        raise RuntimeError("torch.linalg.lstsq: other must have at least 1 dimension.")
    if x.dtype != b.dtype:
        raise RuntimeError("torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype "
                           f"{scalar_name(x)} and other's dtype {scalar_name(b)}")
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    if x.dtype.kind not in "fc" or x.dtype.itemsize == 2:
        raise RuntimeError("This function doesn't handle types other than float and double")
    if not 0 <= x.ndim - b.ndim <= 1:
        raise RuntimeError("torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - "
                           "other.dim()) <= 1")
    vector = is_vector(x, b)
    if b.shape[-1 if vector else -2] != x.shape[-2]:
        raise RuntimeError(f"torch.linalg.lstsq: input.size(-2) should match other.size({-1 if vector else -2})")
    return vector



def cutoff_of(xp, x, rcond):
    """Which share of the largest singular value counts as zero."""
    return dtypes.finfo(xp.dtype_of(x)).eps * max(x.shape[-2:]) if rcond is None else rcond


@op("linalg.lstsq", outputs="solution, residuals, rank, singular_values", no_grad_outputs="rank, singular_values",
    takes_none=True,
    casts_out=True,
    autocast="float32",
    samples=["4 3 | 4 2", "3 4 | 3 2", "4 3 | 4 2 ; driver='gelsd'", "2 4 3 | 2 4", "4 3 | 4", "2 4 3 | 2 4 1 ; driver='gels'"],
    errors=[("4 3 | 4 2 ; driver='q'", RuntimeError, "torch.linalg.lstsq: parameter `driver` should be one of"),
            ("4 | 4", RuntimeError, "torch.linalg.lstsq: input must have at least 2 dimensions."),
            ("4 3 | 3 2", RuntimeError, "torch.linalg.lstsq: input.size(-2) should match other.size(-2)")],
    tolerance=(1e-4, 1e-4))                         # amplified by the condition number
def lstsq(xp, x, b, rcond: float = None, *, driver: str = None):
    """Least squares: the shortest solution, the squared distances that remain, the rank and the singular values.

    As in PyTorch, the distances are there where ``x`` has full rank and more rows than columns, but not with the default
    driver, the rank unless ``driver`` is ``"gels"``, and the singular values for ``"gelsd"`` and ``"gelss"``. All drivers
    but the default use the SVD here.

    Args:
        b: the right-hand sides, `(*, m, k)` or `(*, m)`
        rcond: singular values up to this share of the largest count as zero, but for `"gels"`; None: `max(m, n)` times the
            dtype's `eps`
        driver: `"gelsy"` (None), `"gels"`, `"gelsd"` or `"gelss"`: which of the results below are there
    """
    vector = check_least_squares(x, b, driver)
    right = b[..., None] if vector else b
    try:
        cutoff = cutoff_of(xp, x, None if driver == "gels" else rcond)      # which takes the rank to be full
        found = xp.kernels.least_squares_by_rows(x, right, cutoff) if driver in (None, "gelsy") else None
        solution, rank, values = found or xp.kernels.least_squares(x, right, cutoff)
    except ValueError:
        raise no_convergence(xp, "linalg.lstsq", x, "contained non-finite values.") from None
    if not right.size:
        rank = xp.zeros_like(rank)                          # of nothing to be solved, PyTorch does not say
    residuals = singular_values = xp.zeros((0,), dtype=xp.dtype_of(x.real))
    if driver not in (None, "gelsy") and x.shape[-2] > x.shape[-1] and xp.to_host(xp.all(rank == x.shape[-1])):
        miss = xp.abs(xp.matmul(x, solution) - right)
        residuals = xp.sum(miss * miss, axis=-2)
    if driver in ("gelsd", "gelss"):
        singular_values = values
    rank = xp.zeros((0,), dtype=dtypes.int64) if driver == "gels" else xp.astype(rank, dtypes.int64)
    return solution[..., 0] if vector else solution, residuals, rank, singular_values


@lstsq.vjp("x, b")
def lstsq_d(xp, g_solution, g_residuals, x, b, solution, rcond):
    vector = is_vector(x, b)

    def columns(a):
        return xp.expand_dims(a, axis=-1) if vector else a
    inverse = xp._pinv(x, 0.0, cutoff_of(xp, x, rcond))
    dx = db = 0
    if g_solution is not None:                      # solution = pinv(x) @ b
        dx = pseudoinverse_dx(xp, xp.matmul(columns(g_solution), adjoint(xp, columns(b))), x, inverse)
        db = xp.matmul(adjoint(xp, inverse), columns(g_solution))
    if g_residuals is not None and g_residuals.shape != (0,):
        # At the nearest point a shift of the solution changes no distance.
        pull = 2 * (xp.matmul(x, columns(solution)) - columns(b)) * xp.expand_dims(g_residuals, axis=-2)
        dx = dx + xp.matmul(pull, adjoint(xp, columns(solution)))
        db = db - pull
    if isinstance(dx, int):
        return None, None
    return dx, db[..., 0] if vector else db
