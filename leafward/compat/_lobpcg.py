"""``torch.lobpcg``: some eigenvalues of a large symmetric matrix. Here they come from all of them, which is exact."""
import leafward as lw


def lobpcg(A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None, method=None, tracker=None,
           ortho_iparams=None, ortho_fparams=None, ortho_bparams=None):
    """The ``k`` largest eigenvalues of a symmetric ``A`` and their vectors as columns: ``A x = e x``, or ``A x = e B x``.

    PyTorch comes nearer step by step; here :func:`linalg.eigh` finds them, so that what steers the steps (``iK``, ``niter``,
    ``tol``, ``method``, the values of ``X``, what ``ortho`` takes) changes nothing. The signs of the vectors are open.

    Args:
        A: (*, m, m), dense or sparse
        k: how many; None: 1, or as many as ``X`` has columns
        B: positive definite; None: the identity
        X: (*, m, n), where PyTorch begins; here only its width is looked at
        n: how many vectors PyTorch goes on with: at most ``m / 3``; None: ``k``
        largest: False: the smallest ones, from below

    >>> values, vectors = lw.lobpcg(lw.diag(lw.tensor([1., 4., 2.])))
    >>> values
    tensor([4.])
    """
    if tracker is not None:
        raise NotImplementedError("leafward's lobpcg takes no steps that a tracker could be shown: leave it out")
    if method not in (None, "basic", "ortho"):
        raise ValueError(f"method must be 'basic' or 'ortho', got {method!r}")
    if A.ndim < 2 or A.shape[-2] != A.shape[-1]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if B is not None and A.shape != B.shape:
        raise AssertionError(f"A and B must have same shape, got {A.shape} vs {B.shape}")
    for matrix in (A,) if B is None else (A, B):
        if matrix.dtype not in (lw.float32, lw.float64) or matrix.dtype is not A.dtype:
            raise RuntimeError(f"lobpcg takes matrices of float32 or of float64, got {matrix.dtype} beside {A.dtype}")
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = (k if n is None else n) if X is None else X.shape[-1]
    if k < 1 or n < 1:
        raise ValueError(f"lobpcg finds one eigenvalue or more, got k={k} and n={n}")
    if A.shape[-1] < 3 * n:
        raise ValueError(f"LOBPCG algorithm is not applicable when the number of A rows (={A.shape[-1]}) is smaller than 3 x "
                         f"the number of requested eigenpairs (={n})")
    values, vectors = eigenpairs(dense(A), None if B is None else dense(B))
    if largest is None or largest:
        values, vectors = values.flip(-1), vectors.flip(-1)
    count = min(k, n)
    return values[..., :count], vectors[..., :count]


def dense(matrix):
    return matrix if matrix.layout is lw.strided else matrix.to_dense()


def eigenpairs(A, B):
    """All eigenvalues from below, and their vectors; with ``B = L @ L.mT``, those of ``L ** -1 @ A @ L.mT ** -1``."""
    A = (A + A.mT) / 2
    if B is None:
        return lw.linalg.eigh(A)
    root = lw.linalg.cholesky(B)
    half = lw.linalg.solve_triangular(root, A, upper=False)
    values, vectors = lw.linalg.eigh(lw.linalg.solve_triangular(root, half.mT, upper=False))
    return values, lw.linalg.solve_triangular(root.mT, vectors, upper=True)
