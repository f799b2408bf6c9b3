"""The older form of solving with a triangular matrix, which also hands that matrix out.

Args:
    transpose: True: solve with the transpose. False: with the matrix
    input: the right-hand side
"""
from leafward.core.op import op

from leafward.ops.checks import scalar_name, warn_of_older_name
from leafward.ops.decompositions import solve_triangular_d
from leafward.ops.reflections import refuse_kind


@op("triangular_solve", outputs="solution, cloned_coefficient", takes_none=True, kernel="triangular_solution",
    autocast="float32", samples=["3 2 | spd: 3 3", "3 2 | spd: 2 3 3 ; upper=False", "3 2 | spd: 3 3 ; transpose=True",
             "2 1 3 2 | spd: 4 3 3 ; upper=False, transpose=True", "3 2 | 3 3 ; unitriangular=True"],
    errors=[("3 | 3 3", RuntimeError, "torch.triangular_solve: Expected b to have at least 2 dimensions, but it has 1"),
            ("3 1 | 3", RuntimeError, "torch.triangular_solve: Expected A to have at least 2 dimensions, but it has 1"),
            ("3 2 | 2 2", RuntimeError, "Incompatible matrix sizes for triangular_solve: each A matrix is 2 by 2 but each b "
             "matrix is 3 by 2"),
            ("3 2 | 3 4", RuntimeError, "A must be batches of square matrices, but they are 3 by 4 matrices"),
            ("int1: 3 2 | int1: 3 3", NotImplementedError, "\"triangular_solve_cpu\" not implemented for 'Long'")],
    tolerance=(1e-4, 1e-4))                    # amplified by the condition number
def triangular_solve(xp, x, A, upper=True, transpose=False, unitriangular=False):
    """The ``solution`` with ``A @ solution = x``, or ``A^T @ solution = x``; one triangle of ``A`` is read. And ``A``."""
    for name, a in (("b", x), ("A", A)):
        if a.ndim < 2:
            raise RuntimeError(f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {a.ndim} "
                               "dimensions instead")
    if x.dtype != A.dtype:
        raise RuntimeError(f"Expected b and A to have the same dtype, but found b of type {scalar_name(x)} and A of type "
                           f"{scalar_name(A)} instead.")
    if A.shape[-2] != A.shape[-1]:
        raise RuntimeError(f"A must be batches of square matrices, but they are {A.shape[-2]} by {A.shape[-1]} matrices")
    if x.shape[-2] != A.shape[-1]:
        raise RuntimeError(f"Incompatible matrix sizes for triangular_solve: each A matrix is {A.shape[-1]} by {A.shape[-1]} "
                           f"but each b matrix is {x.shape[-2]} by {x.shape[-1]}")
    refuse_kind(x, "triangular_solve_cpu")
    turned = xp.matrix_transpose(A) if transpose else A
    solution = xp.kernels.solve_triangle(turned, x, upper != transpose, unitriangular)
    return solution, xp.copy(xp.broadcast_to(A, (*solution.shape[:-2], *A.shape[-2:])))


@triangular_solve.check
def triangular_solve_is_older(x, A):
    warn_of_older_name("triangular_solve", "torch.linalg.solve_triangular")


@triangular_solve.vjp("x, A")
def triangular_solve_d(xp, g_solution, g_cloned_coefficient, A, solution, upper, transpose, unitriangular):
    if g_solution is None:
        return None, g_cloned_coefficient
    turned = xp.matrix_transpose(A) if transpose else A
    dA, dx = solve_triangular_d(xp, g_solution, turned, solution, upper != transpose, True, unitriangular)
    dA = xp.matrix_transpose(dA) if transpose else dA
    return dx, dA if g_cloned_coefficient is None else dA + g_cloned_coefficient
