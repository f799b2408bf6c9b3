"""What the files about matrices share: refusals, the error that they raise, the adjoint."""
from leafward.ops.checks import scalar_name
from leafward.ops.kinds import unsupported


class LinAlgError(RuntimeError):
    """A matrix has no inverse, or no factorization of the kind asked for."""


def check_matrix(x, name, square=True, kernel=None, half=False, empty=True):
    """``kernel`` is what PyTorch names when it refuses half types, unless ``empty`` ones pass; with ``half`` all do."""
    if x.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    rows, columns = x.shape[-2:]
    if square and rows != columns:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices")
    if x.dtype.kind in "biu":
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {scalar_name(x)}")
    if x.dtype.itemsize != 2 or half:
        return
    if kernel is None:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {scalar_name(x)}")
    if x.size or not empty:
        raise unsupported(x, kernel)


def check_solved(A, B):
    """The same for a system of equations."""
    check_matrix(A, "linalg.solve", kernel="lu_cpu")
    if B.ndim == 0:
        raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")


def in_float32(xp, compute, *arrays):
    """``compute(*arrays)``; half matrices, of which only empty ones come so far, go through float32."""
    half = xp.half_among(arrays)
    if half is None:
        return compute(*arrays)
    result = compute(*map(xp.widened, arrays))
    return xp.narrowed(tuple(result) if isinstance(result, tuple) else result, half)


def batch_element(x, number):
    return f"(Batch element {number}): " if x.ndim > 2 else ""


def adjoint(xp, x):
    return xp.matrix_transpose(xp.conj(x))


def diagonal_matrix(xp, d):
    """``(..., n) -> (..., n, n)``."""
    return xp.expand_dims(d, axis=-1) * xp.eye(d.shape[-1], dtype=d.dtype)
