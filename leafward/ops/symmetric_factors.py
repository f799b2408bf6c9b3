"""Factors of symmetric matrices that need not be positive definite, and what they solve.

Args:
    LD: the factors as `ldl_factor` packs them
    input: the symmetric matrix, or a batch of them
Source: Bunch and Kaufman, 1977, Mathematics of Computation 31
"""
from leafward.core.op import op

from leafward.ops import dims
from leafward.ops.checks import scalar_name
from leafward.ops.matrices import LinAlgError, batch_element, check_matrix
from leafward.ops.kinds import without_derivative
from leafward.ops.reflections import refuse_kind


@op("linalg.ldl_factor_ex", outputs="LD, pivots, info", no_grad_outputs="pivots, info", node="NotImplemented",
    kernel="symmetric_factors_and_info",
    samples=["sym: 3 3", "sym: 2 5 5", "sym: 5 5 ; hermitian=True", "0 0", "sym: 2 0 0"],
    errors=[("3", RuntimeError, "torch.linalg.ldl_factor_ex: The input tensor A must have at least 2 dimensions."),
            ("3 2", RuntimeError, "torch.linalg.ldl_factor_ex: A must be batches of square matrices, but they are 3 by 2")],
    tolerance=(1e-4, 1e-5))                    # divided by pivots
def ldl_factor_ex(xp, x, *, hermitian=False, check_errors=False):
    """``x = P @ L @ D @ L^T @ P^T`` for a symmetric ``x`` (``L^H`` for a hermitian one), of which the lower triangle is read.

    ``LD`` holds ``L`` below the blocks of ``D``, which are of size one and two; the two rows of a larger block have a
    negative number in ``pivots``. ``info`` is the number of the first pivot that is zero, or 0.
    """
    return factors(xp, "torch.linalg.ldl_factor_ex", x, hermitian, check_errors)


def factors(xp, name, x, hermitian, check_errors):
    check_matrix(x, name, half=True)
    if x.size:
        refuse_kind(x, "ldl_factor_kernel_cpu")
    LD, pivots, info = xp.kernels.ldl(x, hermitian and x.dtype.kind == "c")
    if check_errors and xp.to_host(xp.any(info)):
        number, row = [(int(n), int(row)) for n, row in enumerate(xp.to_host(info).reshape(-1)) if row][0]
        raise LinAlgError(f"{name}: {batch_element(x, number)}The diagonal element {row} of D is zero: its inverse, and "
                          "with it the solution of a system of equations, does not exist.")
    return LD, pivots, info


without_derivative(ldl_factor_ex, "x", "linalg_ldl_factor_ex")


@op("linalg.ldl_factor", outputs="LD, pivots", no_grad_outputs="pivots", node="NotImplemented", kernel="symmetric_factors",
    samples=["sym: 3 3", "sym: 2 5 5", "sym: 5 5 ; hermitian=True"], tolerance=(1e-4, 1e-5))             # as above
def ldl_factor(xp, x, *, hermitian=False):
    """The factors of :func:`ldl_factor_ex`, with an error for a singular matrix instead of a number."""
    return factors(xp, "torch.linalg.ldl_factor", x, hermitian, True)[:2]


without_derivative(ldl_factor, "x", "linalg_ldl_factor_ex")


@op("linalg.ldl_solve", nondifferentiable="pivots", node="NotImplemented",
    samples=["spd: 3 3 | 3 2 ; pivots=t.tensor([2, 3, 3], dtype=t.int32)",
             "spd: 3 3 | 3 2 ; pivots=t.tensor([-3, -3, 3], dtype=t.int32)",
             "spd: 2 3 3 | 3 2 ; pivots=t.tensor([[2, 3, 3], [1, -3, -3]], dtype=t.int32), hermitian=True",
             "spd: 3 3 | 2 3 2 ; pivots=t.tensor([3, -3, -3], dtype=t.int32)"],
    errors=[("spd: 3 3 | 2 2 ; pivots=t.tensor([1, 2, 3], dtype=t.int32)", RuntimeError,
             "Incompatible matrix sizes for torch.linalg.ldl_solve: each A matrix is 3 by 3 but each b matrix is 2 by 2"),
            ("spd: 3 3 | 3 ; pivots=t.tensor([1, 2, 3], dtype=t.int32)", IndexError,
             "Dimension out of range (expected to be in range of [-1, 0], but got -2)"),
            ("spd: 3 3 | 3 2 ; pivots=t.tensor([1, 2], dtype=t.int32)", RuntimeError, "torch.linalg.ldl_solve: Expected "
             "LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape [2] instead"),
            ("spd: 3 3 | 3 2 ; pivots=t.tensor([1., 2., 3.])", RuntimeError, "torch.linalg.ldl_solve: Expected pivots to be "
             "integers. Got Float"),
            ("spd: 3 3 | 3 2 ; pivots=t.tensor([1, 5, 9], dtype=t.int32)", RuntimeError, "Pivots given to ldl_solve must all "
             "satisfy |pivot| <= LD.size(-2). Did you properly pass the result of ldl_factor?")],
    tolerance=(1e-4, 1e-4))                    # amplified by the condition number
def ldl_solve(xp, LD, pivots, B, *, hermitian=False):
    """The ``out`` with ``x @ out = B`` for the ``x`` that ``ldl_factor`` factorized."""
    name = "torch.linalg.ldl_solve"
    check_matrix(LD, name, half=True)
    dims.normalize(-2, B.ndim)
    if B.shape[-2] != LD.shape[-1]:
        raise RuntimeError(f"Incompatible matrix sizes for {name}: each A matrix is {LD.shape[-1]} by {LD.shape[-1]} but "
                           f"each b matrix is {B.shape[-2]} by {B.shape[-1]}")
    if pivots.shape != LD.shape[:-1]:
        raise RuntimeError(f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
                           f"{list(pivots.shape)} instead")
    if pivots.dtype.kind not in "iu":
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {scalar_name(pivots)}")
    if LD.dtype != B.dtype:
        raise RuntimeError(f"Expected b and A to have the same dtype, but found b of type {scalar_name(B)} and A of type "
                           f"{scalar_name(LD)} instead.")
    refuse_kind(LD, "ldl_solve_kernel_cpu")
    if pivots.size and xp.to_host(xp.max(xp.abs(pivots)) > LD.shape[-2]):
        raise RuntimeError("Pivots given to ldl_solve must all satisfy |pivot| <= LD.size(-2). Did you properly pass the "
                           "result of ldl_factor?")
    return xp.kernels.solve_ldl(LD, pivots, B, hermitian and LD.dtype.kind == "c")


without_derivative(ldl_solve, "LD, B", "linalg_ldl_solve")
