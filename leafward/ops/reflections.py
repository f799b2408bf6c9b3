"""Householder reflections, as LAPACK keeps the factor ``Q`` of a matrix: below the diagonal, and a number for each.

Args:
    input: the reflections, below the diagonal, as `geqrf` leaves them
    tau: the factor of each reflection
    other: the matrix to multiply
    left: True: `Q @ other`. False: `other @ Q`
    transpose: True: with Q's adjoint. False: with Q
Source: Golub and Van Loan, Matrix Computations, 4th edition, 5.1
"""
from leafward.core.op import op

from leafward.ops.checks import scalar_name
from leafward.ops.matrices import adjoint
from leafward.ops.kinds import unsupported
from leafward.ops.sorting import no_derivative


def check_reflections(name, x, tau):
    if x.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if tau.ndim != x.ndim - 1:
        raise RuntimeError(f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to "
                           f"{tau.ndim} and input.ndim is equal to {x.ndim}")
    if tau.shape[:-1] != x.shape[:-2]:
        raise RuntimeError(f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
                           f"{list(tau.shape[:-1])}")


def refuse_kind(x, kernel):
    if x.dtype.kind not in "fc" or x.dtype.itemsize == 2:
        raise unsupported(x, kernel)


# --- from a matrix ---------------------------------------------------------------------------------------------------

@op("geqrf", outputs="a, tau", casts_out=True, kernel="reflections_and_factors",
    autocast="float32", samples=["distinct: 4 3", "distinct: 2 3 3", "distinct: 2 4", "0 3", "2 0 3"],
    errors=[("3", RuntimeError, "torch.geqrf: input must have at least 2 dimensions."),
            ("int1: 3 2", NotImplementedError, "\"geqrf_cpu\" not implemented for 'Long'")],
    tolerance=(1e-4, 1e-5))                    # amplified by the condition number
def geqrf(xp, x):
    """``R`` of the QR decomposition on and above the diagonal of ``a``, the reflections below it, a ``tau`` for each."""
    if x.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    refuse_kind(x, "geqrf_cpu")
    return xp.kernels.reflections_of(x)


@geqrf.vjp("x", refuses=True)
def geqrf_dx():
    raise no_derivative("geqrf")


# --- products --------------------------------------------------------------------------------------------------------

def columns_of(xp, x, tau, transpose):
    """``v`` and ``tau`` of each reflection ``1 - tau * v @ v^H``; of those whose product is ``Q^H`` with ``transpose``.

    Of ``v``, zeros and a one on the diagonal are not kept. ``Q^H`` is the product of their adjoints in the other order.
    """
    below = xp.tril(x, k=-1)[..., :tau.shape[-1]]
    V = below + xp.eye(*below.shape[-2:], dtype=below.dtype)
    return (xp.flip(V, axis=-1), xp.conj(xp.flip(tau, axis=-1))) if transpose else (V, tau)


def unit_triangle(xp, V, tau):
    """``M = 1 + S @ diag(tau)`` without its ones, and ``S``: ``Q = 1 - V @ diag(tau) @ M^-1 @ V^H`` (Schreiber and Van Loan,
    1989). Unlike the inverse of a reflection, the inverse of ``M`` exists for every ``tau``.
    """
    S = xp.triu(xp.matmul(adjoint(xp, V), V), k=1)
    return S * xp.expand_dims(tau, axis=-2), S


def unit_solve(xp, M, b, upper=True):
    return xp.linalg_solve_triangular(M, b, upper=upper, unitriangular=True)


def turned(xp, x, tau, C, transpose):
    """``Q @ C``, or ``Q^H @ C``: products of whole matrices instead of one reflection after the other."""
    V, tau = columns_of(xp, x, tau, transpose)
    Y = unit_solve(xp, unit_triangle(xp, V, tau)[0], xp.matmul(adjoint(xp, V), C))
    return C - xp.matmul(V, xp.expand_dims(tau, axis=-1) * Y)


def turned_d(xp, g, x, tau, C, transpose):
    """The gradients of :func:`turned` for ``x``, ``tau`` and ``C``; None where there is nothing to turn."""
    if 0 in (*x.shape, *tau.shape):
        return None, None, g
    rest = x.shape[-1] - tau.shape[-1]
    V, tau = columns_of(xp, x, tau, transpose)
    M, S = unit_triangle(xp, V, tau)
    Y = unit_solve(xp, M, xp.matmul(adjoint(xp, V), C))
    back, across = xp.conj(tau), xp.matmul(adjoint(xp, V), g)
    dW = unit_solve(xp, adjoint(xp, M), -xp.expand_dims(back, axis=-1) * across, upper=False)        # of W = V^H @ C
    dM = -xp.triu(xp.matmul(dW, adjoint(xp, Y)), k=1)
    dS = dM * xp.expand_dims(back, axis=-2)
    dtau = xp.sum(dM * xp.conj(S), axis=-2) - xp.sum(across * xp.conj(Y), axis=-1)
    dV = (xp.matmul(C, adjoint(xp, dW)) + xp.matmul(V, dS + adjoint(xp, dS))
          - xp.matmul(g, adjoint(xp, xp.expand_dims(tau, axis=-1) * Y)))
    if transpose:
        dV, dtau = xp.flip(dV, axis=-1), xp.conj(xp.flip(dtau, axis=-1))
    dx = xp.tril(dV, k=-1)
    if rest:
        dx = xp.concat([dx, xp.zeros((*dx.shape[:-1], rest), dtype=dx.dtype)], axis=-1)
    return dx, dtau, g + xp.matmul(V, dW)


def leading_columns(xp, x):
    """The columns of the identity that a product of reflections with as many columns as ``x`` begins with."""
    return xp.zeros(tuple(x.shape), dtype=x.dtype) + xp.eye(*x.shape[-2:], dtype=x.dtype)


@op("linalg.householder_product", "orgqr", argument_aliases={"input2": "tau"}, casts_out=True,
    kernel="product_of_reflections",
    autocast="float32", samples=["4 3 | 3", "3 3 | 2", "2 4 3 | 2 3", "0 0 | 0", "3 2 | 0", "0 3 2 | 0 2"],
    errors=[("3 | 3", RuntimeError, "torch.linalg.householder_product: input must have at least 2 dimensions."),
            ("2 3 | 2", RuntimeError, "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to "
             "input.shape[-1]"),
            ("3 2 | 3", RuntimeError, "torch.linalg.householder_product: input.shape[-1] must be greater than or equal to "
             "tau.shape[-1]"),
            ("3 2 | 1 2", RuntimeError, "torch.linalg.householder_product: Expected tau to have one dimension less than "
             "input, but got tau.ndim equal to 2 and input.ndim is equal to 2"),
            ("2 3 2 | 3 2", RuntimeError, "torch.linalg.householder_product: Expected batch dimensions of tau to be equal "
             "to input.shape[:-2], but got [3]")],
    tolerance=(1e-4, 1e-4))                    # reflections of random numbers: the products grow
def householder_product(xp, x, tau):
    """The first columns of the ``Q`` whose reflections ``geqrf`` keeps in ``x`` and ``tau``, as many as ``x`` has."""
    name = "torch.linalg.householder_product"
    check_reflections(name, x, tau)
    if x.shape[-2] < x.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if x.shape[-1] < tau.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if x.dtype != tau.dtype:
        raise RuntimeError(f"{name}: tau dtype {scalar_name(tau)} does not match input dtype {scalar_name(x)}")
    refuse_kind(x, "orgqr_cpu")
    found = xp.kernels.leading_columns(x, tau)
    return found if found is not None else turned(xp, x, tau, leading_columns(xp, x), False)


@householder_product.vjp("x, tau")
def householder_product_d(xp, g, x, tau):
    dx, dtau, _ = turned_d(xp, g, x, tau, leading_columns(xp, x), False)
    return dx, dtau


@op("torch.ormqr", "Tensor.ormqr", argument_aliases={"input2": "tau", "input3": "y"}, kernel="times_reflections",
    autocast="float32", samples=[
    "4 3 | 3 | 4 2", "4 3 | 3 | 4 2 ; transpose=True", "4 3 | 3 | 2 4 ; left=False",
    "4 3 | 3 | 2 4 ; left=False, transpose=True", "2 3 3 | 2 3 | 2 3 2", "3 4 | 3 | 3 2", "3 0 | 0 | 3 1"],
    errors=[("3 | 3 | 3 4", RuntimeError, "torch.ormqr: input must have at least 2 dimensions."),
            ("3 2 | 2 | 3", RuntimeError, "torch.ormqr: other must have at least 2 dimensions."),
            ("3 2 | 1 | 3 4", RuntimeError, "torch.ormqr: tau.shape[-1] must be equal to min(other.shape[-2], "
             "input.shape[-1])"),
            ("3 2 | 2 | 4 4", RuntimeError, "torch.ormqr: other.shape[-2] must be equal to input.shape[-2]"),
            ("1 3 2 | 1 2 | 3 4", RuntimeError, "torch.ormqr: Expected other to have the same number of dimensions as "
             "input, but got other.ndim equal to 2 and input.ndim is equal to 3"),
            ("2 3 2 | 2 2 | 3 3 4", RuntimeError, "torch.ormqr: Expected batch dimensions of other to be equal to "
             "input.shape[:-2], but got [3]")],
    tolerance=(1e-4, 1e-4))                    # as above
def ormqr(xp, x, tau, y, left=True, transpose=False):
    """``Q @ y`` for the square ``Q`` of ``geqrf``'s reflections; ``y @ Q`` unless ``left``; ``Q^H`` with ``transpose``."""
    check_ormqr(x, tau, y, left)
    found = xp.kernels.reflected(x, tau, y, left, transpose)
    if found is not None:
        return found
    if left:
        return turned(xp, x, tau, y, transpose)
    return adjoint(xp, turned(xp, x, tau, adjoint(xp, y), not transpose))             # y @ Q = (Q^H @ y^H)^H


def check_ormqr(x, tau, y, left):
    for name, a in (("input", x), ("other", y)):
        if a.ndim < 2:
            raise RuntimeError(f"torch.ormqr: {name} must have at least 2 dimensions.")
    dim = -2 if left else -1
    if y.shape[dim] != x.shape[-2]:
        raise RuntimeError(f"torch.ormqr: other.shape[{dim}] must be equal to input.shape[-2]")
    if tau.ndim and tau.shape[-1] != min(y.shape[dim], x.shape[-1]):
        raise RuntimeError(f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{dim}], input.shape[-1])")
    check_reflections("torch.ormqr", x, tau)
    if y.ndim != x.ndim:
        raise RuntimeError("torch.ormqr: Expected other to have the same number of dimensions as input, but got other.ndim "
                           f"equal to {y.ndim} and input.ndim is equal to {x.ndim}")
    if y.shape[:-2] != x.shape[:-2]:
        raise RuntimeError("torch.ormqr: Expected batch dimensions of other to be equal to input.shape[:-2], but got "
                           f"{list(y.shape[:-2])}")
    for name, a in (("tau", tau), ("other", y)):
        if a.dtype != x.dtype:
            raise RuntimeError(f"torch.ormqr: Expected input and {name} to have the same dtype, but input has dtype"
                               f"{scalar_name(x)} and {name} has dtype {scalar_name(a)}")
    refuse_kind(x, "ormqr_cpu")


@ormqr.vjp("x, tau, y")
def ormqr_d(xp, g, x, tau, y, left, transpose):
    if left:
        return turned_d(xp, g, x, tau, y, transpose)
    dx, dtau, dy = turned_d(xp, adjoint(xp, g), x, tau, adjoint(xp, y), not transpose)
    return dx, dtau, adjoint(xp, dy)
