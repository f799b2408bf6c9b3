"""Recipes on top of the factorizations: equations of tensors, Vandermonde's matrix, approximations of low rank.

Args:
    q: how many singular values; None: the smallest of 6, rows and columns
    niter: how often the basis is improved
    M: what is subtracted from `A` first; None: nothing
    center: True: subtract the mean row first
    x: the numbers whose powers are taken
    N: how many powers; None: as many as numbers
    ind: how many of the dims count as rows
    some: True: Q has `min(m, n)` columns. False: it is square
    other: the right-hand side
"""
from leafward.core.op import composite

from leafward.ops.checks import scalar_name, warn_of_older_name
from leafward.ops.dims import count


@composite("linalg.vander", samples=["3 ; N=4", "2 3", "3 ; N=2", " ; N=3"],
           errors=[("3 ; N=1", RuntimeError, "N must be greater than 1."),
                   ("bool: 3", RuntimeError,
                    "linalg.vander supports floating point, complex, and integer tensors, but got Bool")])
def vander(fns, x, N: int = None):
    """The powers 0 to ``N - 1`` of each element, as rows: ``out[..., i, j] = x[..., i] ** j``."""
    if x.dtype.name in ("bool", "float16", "bfloat16"):
        raise RuntimeError(f"linalg.vander supports floating point, complex, and integer tensors, but got {scalar_name(x)}")
    if N is None:
        N = x.shape[-1] if x.ndim else 1
    if N <= 1:
        raise RuntimeError("N must be greater than 1.")
    x = x if x.ndim else x.reshape(1)
    repeated = x.unsqueeze(-1).expand(*x.shape, N - 1)
    powers = repeated.cumprod(-1)
    return fns.cat((fns.ones_like(powers[..., :1]), powers), -1)


@composite("linalg.tensorinv", records_out=True, autocast="float32",
           samples=["distinct: 4 6 8 3 ; ind=2", "distinct: 2 3 6", "distinct: 6 3 2 ; ind=1"],
           errors=[("2 3 ; ind=0", RuntimeError, "Expected a strictly positive integer for 'ind', but got 0"),
                   ("", RuntimeError, "ArrayRef: invalid slice, N = 2; size = 0"),
                   ("2 3 ; ind=1", RuntimeError, "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
                    "prod(self.shape[:ind]), but got 3 != 2")], tolerance=(1e-3, 1e-3))     # by the condition number
def tensorinv(fns, input, ind: int = 2):
    """The inverse of ``input`` as a matrix whose rows are its first ``ind`` dimensions.

    >>> lw.linalg.tensorinv(lw.eye(4).reshape(2, 2, 4)).shape
    torch.Size([4, 2, 2])
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if ind > input.ndim:
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {input.ndim}")
    first, last = tuple(input.shape[:ind]), tuple(input.shape[ind:])
    if count(first) != count(last):
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but "
                           f"got {count(last)} != {count(first)}")
    return fns.linalg_inv(input.reshape(count(last), count(first))).reshape(*last, *first)


@composite("linalg.tensorsolve", records_out=True,
           autocast="float32",
           samples=["distinct: 2 3 6 | 2 3", "distinct: 3 6 2 | 3 2 ; dims=(1,)", "distinct: 2 6 3 | 2 3 ; dims=(1,)"],
           errors=[("2 3 | 2", RuntimeError, "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
                    "prod(self.shape[:other.ndim]), but got 3 != 2")], tolerance=(1e-3, 1e-3))        # as above
def tensorsolve(fns, input, other, dims=None):
    """The ``out`` with ``tensordot(input, out, out.ndim) = other``; ``dims`` of ``input`` are moved to the right first.

    Args:
        dims: the dims to move to the end first; None: none

    >>> lw.linalg.tensorsolve(lw.eye(4).reshape(2, 2, 4), lw.ones(2, 2))
    tensor([1., 1., 1., 1.])
    """
    if dims is not None:
        input = input.movedim(tuple(dims), tuple(range(input.ndim - len(dims), input.ndim)))
    last = tuple(input.shape[other.ndim:])
    if count(last) != other.numel():
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
                           f"prod(self.shape[:other.ndim]), but got {count(last)} != {other.numel()}")
    return fns.linalg_solve(input.reshape(count(last), count(last)), other.reshape(-1)).reshape(last)


@composite("torch.qr", "Tensor.qr", outputs="Q, R", autocast="float32",
           samples=["distinct: 4 3", "distinct: 3 3 ; some=False"], tolerance=(1e-4, 1e-5))
def qr(fns, input, some=True) -> tuple:
    """The older form of ``linalg.qr``.

    >>> A = lw.tensor([[3., 1.], [4., 2.]])
    >>> Q, R = lw.qr(A)
    >>> lw.allclose(Q @ R, A)
    True
    """
    warn_of_older_name("qr", "torch.linalg.qr")
    return fns.qr_result(fns.linalg_qr(input, "reduced" if some else "complete"))


# --- low rank --------------------------------------------------------------------------------------------------------

def approximate_basis(fns, A, q, niter):
    """Orthonormal columns that nearly span the range of ``A``, by subspace iteration from random vectors."""
    if niter > 1000:
        raise NotImplementedError(f"niter={niter}: each one costs two factorizations, and leafward goes up to 1000; singular "
                                  "values that are not found by then are in linalg.svd")
    Q = fns.linalg_qr(fns.matmul(A, fns.randn(A.shape[-1], q, dtype=A.dtype)))[0]
    for _ in range(niter):
        Q = fns.linalg_qr(fns.matmul(A.mH, Q))[0]
        Q = fns.linalg_qr(fns.matmul(A, Q))[0]
    return Q


@composite("torch.svd_lowrank", random=True, samples=["5 4 ; q=2", "4 5 ; q=3, niter=1", "2 5 4 ; q=2"])
def svd_lowrank(fns, A, q: "int" = 6, niter: "int" = 2, M=None) -> tuple:
    """The ``q`` largest singular values with their vectors, nearly: ``A = U @ diag(S) @ V^H``. Random: see ``manual_seed``.

    Args:
        q: how many singular values: 6 unless given
    Source: Halko, Martinsson and Tropp, 2009, arXiv:0909.4061

    >>> _ = lw.manual_seed(0)
    >>> U, S, V = lw.svd_lowrank(lw.tensor([[3., 0.], [0., 4.]]), q=2)
    >>> S.round(decimals=4)
    tensor([4., 3.])
    """
    if M is not None:
        A = A - M
    rows, columns = A.shape[-2:]
    if rows < columns:
        A = A.mH
    Q = approximate_basis(fns, A, q, niter)
    U, S, Vh = fns.linalg_svd(fns.matmul(Q.mH, A), False)
    U, V = fns.matmul(Q, U), Vh.mH
    return (V, S, U) if rows < columns else (U, S, V)


@composite("torch.pca_lowrank", random=True, samples=["5 4 ; q=2", "4 5 ; q=3, center=False"],
           errors=[("3 4 ; q=9", ValueError, "q(=9) must be non-negative integer and not greater than min(m, n)=3"),
                   ("3 4 ; q=2, niter=-1", ValueError, "niter(=-1) must be non-negative integer")])
def pca_lowrank(fns, A, q=None, center: "bool" = True, niter: "int" = 2) -> tuple:
    """The principal components of the rows of ``A``, nearly: :func:`svd_lowrank` of ``A`` less its mean row.

    Source: Halko, Martinsson and Tropp, 2009, arXiv:0909.4061

    >>> _ = lw.manual_seed(0)
    >>> U, S, V = lw.pca_lowrank(lw.tensor([[0., 0.], [2., 0.], [4., 0.]]), q=1)
    >>> S
    tensor([2.8284])
    """
    rows, columns = A.shape[-2:]
    if q is None:
        q = min(6, rows, columns)
    elif not 0 <= q <= min(rows, columns):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(rows, columns)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return fns.svd_lowrank(A - A.mean(-2, keepdim=True) if center else A, q, niter)
