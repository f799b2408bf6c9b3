"""Functions of whole matrices that are built on the factorizations: pseudoinverse, exponential, norms, ranks.

Args:
    rcond: the older name of `rtol`
    tol: the older name of `atol`
    atol: singular values up to this count as zero; None: 0
    rtol: ... or up to this share of the largest; None: `max(m, n)` times the dtype's `eps`, or 0 where `atol` is given
    input: the matrix, or a batch of matrices `(*, m, n)`
    dim: the two dims of the matrix
    ord: the order of the norm: `"fro"`, `"nuc"` (the sum of the singular values), 2 and -2 (the largest and the smallest), 1,
        -1, inf, -inf (sums of columns, of rows)
    p: the order of the norm, as in `linalg.norm`; None: 2
"""
import math

from leafward import dtypes
from leafward.core.op import composite, op

from leafward.ops.checks import scalar_name
from leafward.ops.decompositions import singular_vectors
from leafward.ops.matrices import adjoint, check_matrix
from leafward.ops.dims import normalize_all
from leafward.ops.kinds import is_half, is_number, refuse_gradient
from leafward.ops.reduction import refuse_narrowing

# --- pseudoinverse and least squares ---------------------------------------------------------------------------------

def smallest_kept(xp, sizes, atol, rtol):
    """``max(atol, rtol * largest)`` for each row of singular values, ``(..., 1)``; numbers or batches of them."""
    atol, rtol = (xp.expand_dims(bound, axis=-1) if hasattr(bound, "ndim") else bound for bound in (atol, rtol))
    relative = rtol * xp.max(sizes, axis=-1, keepdims=True)
    return xp.maximum(relative, xp.full_like(relative, 0) + atol)


@op("torch._pinv", nondifferentiable="atol, rtol", node="LinalgPinvBackward0",
    samples=["4 3 | = 0.0 | = 1e-5", "2 3 4 | = 0.0 | = 1e-5", "3 3 | = 0.0 | = 1e-5",
             "sym: 3 3 | = 0.0 | = 1e-5 ; hermitian=True", "2 3 4 | +0.1 +9. | = 0.0"], tolerance=(1e-4, 1e-4))
def pseudoinverse(xp, x, atol, rtol, hermitian=False):
    """``V @ diag(1 / S) @ U^H`` for the singular values that are large enough."""
    if not x.size:
        return xp.zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]), dtype=xp.dtype_of(x))
    if hermitian:
        values, left = xp.kernels.eigenvectors(x, True)
        right = left
    else:
        left, values, right = singular_vectors(xp, x, full_matrices=False)
        right = adjoint(xp, right)
    sizes = xp.abs(values)
    kept = sizes > smallest_kept(xp, sizes, atol, rtol)
    inverse = xp.where(kept, 1 / xp.where(kept, values, 1), 0)
    return xp.astype(xp.matmul(right * xp.expand_dims(inverse, axis=-2), adjoint(xp, left)), x.dtype)


@pseudoinverse.vjp("x")
def pseudoinverse_dx(xp, g, x, out):
    # Golub and Pereyra's formula; the shorter side is multiplied first.
    back, g = adjoint(xp, out), adjoint(xp, g)
    if x.shape[-2] <= x.shape[-1]:
        k = xp.matmul(g, out)
        turned = xp.matmul(k, back)
        return (turned - adjoint(xp, xp.matmul(out, k)) - xp.matmul(xp.matmul(x, out), turned)
                + xp.matmul(xp.matmul(back, out), g - xp.matmul(k, x)))
    k = xp.matmul(out, g)
    turned = xp.matmul(back, k)
    return (turned - adjoint(xp, xp.matmul(k, out)) + xp.matmul(xp.matmul(g - xp.matmul(x, k), out), back)
            - xp.matmul(xp.matmul(turned, out), x))


def tolerances(input, atol, rtol):
    """Zero for an absolute bound that is not given, and for a relative one unless there is no other."""
    if rtol is None:
        absolute = atol is not None and bool((atol > 0).any() if hasattr(atol, "ndim") else atol > 0)
        rtol = 0.0 if absolute else dtypes.finfo(input.dtype).eps * max(input.shape[-2:])
    return 0.0 if atol is None else atol, rtol


def with_number(input, rcond=None, hermitian=False, *, atol=None, rtol=None):
    """Whether the tolerance is given as PyTorch's form of :func:`pinv` that is made of others takes it."""
    return rcond is not None or is_number(atol) or is_number(rtol)


@composite("linalg.pinv", "pinverse", records_out=with_number,
           samples=["4 3", "2 3 4", "3 3 ; rcond=0.1", "3 4 ; rtol=0.1", "3 4 ; atol=0.01, rtol=0.01", "0 3", "2 3 0",
                    "sym: 3 3 ; hermitian=True", "2 3 4 ; atol=t.tensor([0.1, 9.0])"],
           errors=[("3", RuntimeError, "expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble")],
           tolerance=(1e-4, 1e-4))                  # amplified by the condition number
def pinv(fns, input, rcond=None, hermitian=False, *, atol: "float" = None, rtol: "float" = None):
    """The pseudoinverse: the inverse where there is one, and the shortest least-squares solution otherwise.

    Singular values up to ``max(atol, rtol * largest)`` count as zero; ``rcond`` is the older name of ``rtol``.
    """
    if input.ndim < 2 or input.dtype.name not in ("float32", "float64", "complex64", "complex128"):
        raise RuntimeError(f"linalg.pinv({scalar_name(input)}{{{list(input.shape)}}}): expected a tensor with 2 or more "
                           "dimensions of float, double, cfloat or cdouble types")
    atol, rtol = tolerances(input, atol, rtol if rcond is None else rcond)
    refuse_gradient("linalg_pinv", atol=atol, rtol=rtol)
    if hermitian and input.numel() and input.shape[-1] != input.shape[-2]:
        raise RuntimeError(f"linalg.eigh: A must be batches of square matrices, but they are {input.shape[-2]} by "
                           f"{input.shape[-1]} matrices")
    return fns._pinv(input, atol, rtol, hermitian)


# --- exponential -----------------------------------------------------------------------------------------------------

@op("linalg.matrix_exp", "matrix_exp", batch="leading", samples=["3 3", "2 3 3", "1 1"],
    errors=[("2 3", RuntimeError, "linalg.matrix_exp: A must be batches of square matrices, but they are 2 by 3")],
    tolerance=(1e-4, 1e-5))                         # PyTorch adds up the series in float32
def matrix_exp(xp, x):
    """``sum_k x^k / k!``: the exponential of a matrix. That of a turn by an angle is the rotation.

    >>> lw.linalg.matrix_exp(lw.tensor([[0., 1.], [-1., 0.]]))
    tensor([[ 0.5403,  0.8415],
            [-0.8415,  0.5403]])
    """
    check_matrix(x, "linalg.matrix_exp", half=True)
    return xp.kernels.exponential(x)


@matrix_exp.vjp("x")
def matrix_exp_dx(xp, g, x):
    # The upper right block of exp([[a, g], [0, a]]) is the derivative of exp at a in the direction g.
    back = adjoint(xp, x)
    n = x.shape[-1]
    above, below = xp.concat([back, g], axis=-1), xp.concat([xp.zeros_like(back), back], axis=-1)
    return xp.linalg_matrix_exp(xp.concat([above, below], axis=-2))[..., :n, n:]


# --- norms -----------------------------------------------------------------------------------------------------------

@composite("linalg.matrix_norm", records_out=True, samples=["3 4", "2 3 4 ; ord=1", "2 3 4 ; ord='nuc', keepdim=True",
                                          "3 4 2 ; ord=inf, dim=(0, 1)", "3 3 ; ord=2", "3 3 ; ord=-2"],
           errors=[("2", RuntimeError, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions."),
                   ("2 2 ; ord=3", RuntimeError, "linalg.matrix_norm: Order 3 not supported."),
                   ("2 2 ; ord=1j", RuntimeError,
                    "linalg.matrix_norm: Expected a non-complex scalar as the order of norm.")],
           tolerance=(1e-5, 1e-5))                  # from singular values
def matrix_norm(fns, input, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    """Size of a matrix: ``"fro"`` (root of the sum of squares), ``"nuc"`` (sum of singular values), 2 (the largest),
    1 (largest column sum) or inf (largest row sum); -2, -1 and -inf the smallest."""
    if input.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if isinstance(ord, complex):
        raise RuntimeError("linalg.matrix_norm: Expected a non-complex scalar as the order of norm.")
    if isinstance(ord, str) and ord not in ("fro", "nuc") or not isinstance(ord, str) and abs(ord) not in (1, 2, float("inf")):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if dtype is not None and (input.dtype.is_floating_point or input.dtype.is_complex):
        refuse_narrowing("linalg.matrix_norm", input.dtype, dtype)
        if ord != "fro" and abs(2 if ord == "nuc" else ord) == 2 and is_half(input):
            raise RuntimeError(f"linalg.matrix_norm: Low precision dtypes not supported. Got {scalar_name(input)}")
        input = input.to(dtype)
    if not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise RuntimeError("linalg.matrix_norm: Expected a floating point or complex tensor as input. "
                           f"Got {scalar_name(input)}")
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    if ord == "fro":
        # Of a matrix alone all elements at once, which takes one pass.
        whole = input.ndim == 2 and set(normalize_all(dim, 2)) == {0, 1}
        return fns.linalg_vector_norm(input, 2, None if whole else dim, keepdim)
    rows, columns = normalize_all(dim, input.ndim)
    if ord in ("nuc", 2, -2):
        if is_half(input):
            raise RuntimeError(f"linalg.matrix_norm: Low precision dtypes not supported. Got {scalar_name(input)}")
        order = [d for d in range(input.ndim) if d not in (rows, columns)] + [rows, columns]
        values = fns.linalg_svdvals(input.permute(order))
        out = largest(values, -1, keepdim) if ord == 2 else (values.sum if ord == "nuc" else values.amin)(-1, keepdim=keepdim)
        return out.unsqueeze(-1).permute([order.index(d) for d in range(input.ndim)]) if keepdim else out
    added, chosen = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = input.abs().sum(added, keepdim=keepdim)
    if not keepdim and added < chosen:
        chosen -= 1
    return largest(sums, chosen, keepdim) if ord > 0 else sums.amin(chosen, keepdim=keepdim)


def largest(values, dim, keepdim):
    """The largest along ``dim``; of none it is zero, whatever they are computed from."""
    if values.shape[dim]:
        return values.amax(dim, keepdim=keepdim)
    return values.new_zeros(values.sum(dim, keepdim=keepdim).shape)


@composite("linalg.norm", records_out=True,
           samples=["3 4", "4 ; ord=1", "3 4 ; dim=1", "3 4 ; ord='fro'", "3 4 ; ord=1", "2 3 4 ; dim=(0, 2)",
                    "2 3 4"],
           errors=[("2 2 2 ; ord=2", RuntimeError,
                    "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got 3D.")])
def norm(fns, input, ord=None, dim=None, keepdim=False, *, dtype=None):
    """A matrix norm over two dimensions if ``ord`` asks for one, and otherwise a vector norm, by default of all elements.

    Args:
        input: the vectors or matrices
        dim: one dim: a norm of vectors; two: of matrices; None: of all elements, or with `ord` of a vector or matrix
        ord: the order of the norm, as in `vector_norm` or `matrix_norm`; None: the root of the sum of squares
    """
    if dim is not None:
        dim = (dim,) if isinstance(dim, int) else tuple(dim)
        if len(dim) not in (1, 2):
            raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
    if isinstance(ord, str) and dim is not None and len(dim) == 1:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {dim[0]}")
    if isinstance(ord, str) and dim is None and input.ndim == 1:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if ord is None or (dim is not None and len(dim) == 1) or (dim is None and input.ndim == 1):
        return fns.linalg_vector_norm(input, 2 if ord is None else ord, dim, keepdim, dtype=dtype)
    if dim is None:
        if input.ndim != 2:
            raise RuntimeError("linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
                               f"Got {input.ndim}D.")
        dim = (0, 1)
    return fns.linalg_matrix_norm(input, ord, dim, keepdim, dtype=dtype)


# --- rank and condition ----------------------------------------------------------------------------------------------

@composite("linalg.cond", records_out=True, autocast="float32",
           samples=["spd: 3 3", "spd: 2 3 3 ; p=1"], tolerance=(1e-3, 1e-3))   # as its name says
def cond(fns, input, p=None):
    """Condition number: ``norm(input) * norm(inverse)``, by default the ratio of the extreme singular values."""
    if input.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p is not None and not isinstance(p, str) and abs(p) not in (1, 2, math.inf):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p:g}")
    if not isinstance(p, str) and not input.numel():
        return fns.zeros(input.shape[:-2], dtype=input.dtype.to_real())
    if p in (None, 2, -2):
        values = fns.linalg_svdvals(input)
        largest, smallest = values[..., :1], values[..., -1:]
        return (smallest / largest if p == -2 else largest / smallest).squeeze(-1)
    check_matrix(input, f"linalg.cond(ord={p})")
    if p == "nuc":                                  # of a singular matrix, too, which has no inverse
        values = fns.linalg_svdvals(input)
        return values.sum(-1) * values.reciprocal().sum(-1)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    inverse, info = fns.linalg_inv_ex(input)
    inverse = inverse.masked_fill((info != 0)[..., None, None], float("inf"))
    # The zero matrix: 0 * inf is NaN, and its condition infinite.
    return (fns.linalg_matrix_norm(input, p) * fns.linalg_matrix_norm(inverse, p)).nan_to_num(float("inf"), float("inf"))


@composite("linalg.matrix_rank", differentiable=False,
           autocast="float32",
           samples=["3 4", "2 3 3", "3 4 ; tol=100.0", "sym: 3 3 ; hermitian=True", "2 0 3", "2 3 4 ; rtol=0.5",
                    "2 3 4 ; atol=t.tensor([0.1, 9.0])"],
           errors=[("3", RuntimeError, "torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.")])
def matrix_rank(fns, input, tol=None, hermitian=False, *, atol: "float" = None, rtol: "float" = None):
    """How many singular values exceed ``max(atol, rtol * largest)``; ``tol`` is the older name of ``atol``."""
    if input.ndim < 2:
        raise RuntimeError("torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.")
    if tol is not None:
        atol, rtol = tol, 0.0
    # The type says how exact it is: nobody asks where `rtol` is given, and the routine takes no other types.
    if (rtol is None or input.numel()) and (
            input.dtype.itemsize == 2 or not (input.dtype.is_floating_point or input.dtype.is_complex)):
        raise RuntimeError("This function doesn't handle types other than float and double")
    if not input.numel():
        return fns.zeros(input.shape[:-2], dtype=dtypes.int64)
    input = input.detach()
    values = fns.linalg_eigvalsh(input).abs() if hermitian else fns.linalg_svdvals(input)
    atol, rtol = (t.unsqueeze(-1) if hasattr(t, "ndim") else t for t in tolerances(input, atol, rtol))
    relative = values.amax(-1, keepdim=True) * rtol
    return (values > fns.maximum(relative, fns.zeros_like(relative) + atol)).sum(-1)
