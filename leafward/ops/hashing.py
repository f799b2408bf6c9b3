"""A number that tells tensors apart."""
from leafward import dtypes
from leafward.core.op import op

from leafward.ops.dims import axes
from leafward.ops.kinds import unsupported


@op("hash_tensor", nondifferentiable="x",
    batch="dims",
    samples=["3 4", "3 4 ; dim=1", "2 3 4 ; dim=(0, -1), keepdim=True", "", " ; dim=0", "0 3 ; dim=1", "3 ; dim=()",
             "+0.0 -0.0 +nan"],
    errors=[("3 ; mode=1", RuntimeError, "Unknown hash_tensor mode: 1"),
            ("3 4 ; dim=2", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
            ("3 4 ; dim=(0, 0)", RuntimeError, "dim 0 appears multiple times in the list of dims"),
            ("0 ; dim=None", RuntimeError, "hash_tensor: Expected reduction dim to be specified for input.numel() == 0."),
            ("0 3 ; dim=0", IndexError, "hash_tensor: Expected reduction dim 0 to have non-zero size.")])
def hash_tensor(xp, x, dim=None, *, keepdim=False, mode: object = 0):
    """The exclusive or of all elements along ``dim``, as the 64 bits of a float64 or an int64: a uint64.

    Args:
        mode: 0: the exclusive or; there is no other

    >>> leafward.hash_tensor(leafward.tensor([[1, 2], [3, 4]]), 1).tolist()
    [3, 7]
    """
    along = axes(dim, x.ndim)
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    if dim in (None, (), []) and not x.size:
        raise RuntimeError("hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the "
                           "reduction dim with the 'dim' argument.")
    for d in along:
        if x.shape[d] == 0:
            raise IndexError(f"hash_tensor: Expected reduction dim {d} to have non-zero size.")
    if x.dtype.kind == "c" and x.size:
        raise unsupported(x, "xor_sum_cpu")
    wide = xp.astype(xp.real(x), dtypes.int64 if x.dtype.kind in "biu" else dtypes.float64)
    return xp.bitwise_xor.reduce(xp.copy(wide).view("uint64"), along, keepdims=keepdim)
