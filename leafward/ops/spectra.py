"""Eigenvalues and singular values alone: a third of the work where no gradient needs the vectors.

Args:
    input: the matrix, or a batch of matrices `(*, n, n)`, for singular values `(*, m, n)`
Source: Golub and Van Loan, Matrix Computations, 4th edition; LAPACK computes them
"""
from leafward.core.op import composite, op, recorded

from leafward.ops.decompositions import check_decomposed, check_general, converged, eig_dx, eigh_dx, spectrum, svd_dx
from leafward.ops.matrices import in_float32


# The rules compute the vectors after all: such a call is part of no graph, but a transform may differentiate it.

@op("torch._eigvalsh", node="LinalgEighBackward0", autocast="float32", batch="leading",
    reference=lambda torch, x, UPLO="L": torch.linalg.eigvalsh(x, UPLO), samples=["spd: 3 3", "spd: 2 3 3 ; UPLO='U'"],
    tolerance=(1e-4, 1e-4))                    # amplified by close eigenvalues
def symmetric_values(xp, x, UPLO="L"):
    """Eigenvalues of a hermitian matrix in ascending order, without vectors."""
    return spectrum(xp, lambda a: xp.kernels.eigenvalues(a, UPLO in "lL"), x, UPLO)


@symmetric_values.vjp("x")
def symmetric_values_dx(xp, g, x, UPLO):
    return eigh_dx(xp, g, None, *xp.linalg_eigh(x, UPLO))


@op("torch._svdvals", node="LinalgSvdBackward0", autocast="float32", batch="leading",
    reference=lambda torch, x, driver=None: torch.linalg.svdvals(x, driver=driver),
    samples=["distinct: 4 3", "distinct: 2 3 4"], tolerance=(1e-4, 1e-4))
def singular_values(xp, x, driver=None):
    """Singular values in descending order, without vectors."""
    check_decomposed(x, driver)
    return in_float32(xp, lambda a: converged(xp, lambda: xp.kernels.singular_values(a), a), x)


@singular_values.vjp("x")
def singular_values_dx(xp, g, x):
    return svd_dx(xp, None, g, None, x, *xp.linalg_svd(x, False))


@op("torch._eigvals", node="LinalgEigBackward0", autocast="float32", batch="leading",
    reference=lambda torch, x: torch.linalg.eigvals(x), samples=["spd: 3 3"], tolerance=(1e-3, 1e-3))
def general_values(xp, x):
    """Complex eigenvalues of a square matrix, without vectors."""
    check_general(xp, x)
    return xp.astype(xp.kernels.general_eigenvalues(x), xp.dtype_of(x).to_complex())


@general_values.vjp("x")
def general_values_dx(xp, g, x):
    return eig_dx(xp, g, None, *xp.linalg_eig(x))


@composite("linalg.eigvalsh", autocast="float32", samples=["spd: 3 3", "spd: 2 3 3"], tolerance=(1e-4, 1e-4))     # as above
def eigvalsh(fns, input, UPLO: str = "L"):
    """Eigenvalues of a hermitian matrix in ascending order."""
    return fns.linalg_eigh(input, UPLO)[0] if recorded(input) else fns._eigvalsh(input, UPLO)


@composite("linalg.svdvals", autocast="float32", samples=["4 3", "2 3 4"], tolerance=(1e-4, 1e-4))                # as above
def svdvals(fns, A, *, driver: str = None):
    """Singular values in descending order.

    Args:
        driver: a GPU's routine; None is all that a CPU takes
    """
    return fns.linalg_svd(A, False, driver=driver)[1] if recorded(A) else fns._svdvals(A, driver)


@composite("linalg.eigvals", records_out="linalg_eigvals", autocast="float32", samples=["spd: 3 3"],
           tolerance=(1e-3, 1e-3))                  # as above
def eigvals(fns, input):
    """Complex eigenvalues of a square matrix."""
    return fns.linalg_eig(input)[0] if recorded(input) else fns._eigvals(input)
