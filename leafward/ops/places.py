"""Refusals about indices, in PyTorch's words, that several ops share."""
from leafward.ops.checks import as_element, scalar_name
from leafward.ops.dims import normalize
from leafward.ops.kinds import is_complex


def check_bounds(xp, index, size, dim, error=IndexError, negative=True, prefix="", said=None):
    """Refuse an index outside ``size``; ``negative``: whether it may count from the end; ``said``: the whole sentence."""
    if index.size == 0:
        return
    lowest = -size if negative else 0
    # Without a sign a negative place is a huge one, which saves a pass.
    if negative:
        outside = (xp.min(index) < lowest) | (xp.max(index) >= size)
    else:
        outside = xp.max(index.view(f"u{index.itemsize}")) >= size
    if xp.to_host(outside):
        bad = next(i for i in xp.to_host(index).reshape(-1).tolist() if not lowest <= i < size)
        raise error(said or f"{prefix}index {bad} is out of bounds for dimension {dim} with size {size}")


def is_index(x):
    """Whether ``x`` is int32 or int64."""
    return x.dtype.kind == "i" and x.itemsize >= 4


def check_vector(xp, index, name):
    """Refuse an index that is not a vector (or a number) of int32 or int64."""
    if index.ndim > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector")
    if not is_index(index):
        raise RuntimeError(f"{name}(): Expected dtype int32 or int64 for index")


def refuse_dim_beyond(name, dim, index, x, source):
    """Raise if the slices along ``dim`` of ``x`` would come from a dim that ``source`` has not."""
    dim = normalize(dim, x.ndim)
    if x.ndim and dim >= max(source.ndim, 1):
        raise RuntimeError(f"{name}_(): Indexing dim {dim} is out of bounds of the source tensor with dim {source.ndim}")
    if not source.ndim and index.size != 1:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")


def refuse_ranks_of_copy(x, source):
    if source.ndim != x.ndim and source.ndim and x.ndim:
        raise IndexError("index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
                         f"dimensionality ({source.ndim}), destination dimensionality ({x.ndim})")


def refuse_source_of_copy(dim, index, x, source):
    """Raise if no slices along ``dim`` of ``source`` could be slices of ``x``."""
    if not source.ndim and index.size != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {index.size})")
    if x.dtype != source.dtype:
        raise RuntimeError("index_copy_(): self and source expected to have the same dtype, but got (self) "
                           f"{scalar_name(x)} and (source) {scalar_name(source)}")
    dim = normalize(dim, x.ndim)
    mine, given = [[*a.shape[:dim], *a.shape[dim + 1:]] for a in (x, source)]
    if mine != given:
        raise RuntimeError("index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
                           f"{mine} at dimension {dim} and source slice shape: {given} at dimension 0.")


def check_gather(xp, name, x, dim, index, src=None):
    """Refuse what gather and scatter cannot do, before anything is written; return ``dim`` counted from the front."""
    from leafward.ops.dims import normalize, size_at
    dim = normalize(dim, x.ndim)
    if index.size == 0:
        return dim
    if not is_index(index):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    shape = x.shape or (1,)
    if len(index.shape or (1,)) != len(shape):
        what = "input" if name == "gather" else "self"
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {what} tensor")
    if src is not None and len(src.shape or (1,)) != len(shape):
        if 0 < src.ndim < index.ndim and index.shape[:src.ndim] <= src.shape:
            size_at(src, src.ndim)
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    places = index.shape or (1,)
    fits = all(n <= m for d, (n, m) in enumerate(zip(places, shape, strict=True)) if d != dim)
    if name == "gather":
        for d, (n, m) in enumerate(zip(places, shape, strict=True)):
            if d != dim and n > m:
                raise RuntimeError(f"Size does not match at dimension {d} expected index {list(places)} to be no "
                                   f"larger than self {list(shape)} apart from dimension {dim}")
    elif src is None and not fits:
        raise RuntimeError(f"Expected index {list(places)} to be no larger than self {list(shape)} apart from "
                           f"dimension {dim}")
    elif src is not None and (not fits or any(n > m for n, m in zip(places, src.shape or (1,), strict=True))):
        raise RuntimeError(f"Expected index {list(places)} to be no larger than self {list(shape)} apart from "
                           f"dimension {dim} and to be no larger size than src {list(src.shape)}")
    check_bounds(xp, index, shape[dim], dim, RuntimeError, negative=False)
    return dim


def refuse_several(value, name):
    """Raise if ``value``, which is to fill, is an array of more than one number."""
    if getattr(value, "ndim", 0):
        raise RuntimeError(f"{name} only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s).")


def refuse_complex(value, x):
    """Raise if ``value``, which is to fill ``x``, is complex and ``x`` is not."""
    if is_complex(value) and x.dtype.kind != "c":
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")


def fill_value(xp, x, value, name):
    """``value`` (a number, or a 0-dim array) as an element of ``x``, or a refusal."""
    refuse_several(value, name)
    if hasattr(value, "ndim"):
        if value.dtype != x.dtype and name != "fill_":
            return as_element(xp.to_host(value).item(), xp.dtype_of(x))
        return xp.astype(value, x.dtype)
    return as_element(value, xp.dtype_of(x))


def check_slices(xp, name, x, dim, index, source, error, said=None):
    """Refuse slices that do not fit: returns dim and a one-dimensional index. ``said``: an IndexError of one outside."""
    dim = normalize(dim, x.ndim)
    size = x.shape[dim] if x.ndim else 1
    given = (source.shape[dim] if source.ndim > dim else 1)
    if index.size != given:
        close = "equal to source.size(dim): (" + str(given) + f"), for dim: {dim}" if error is RuntimeError else (
            f"equal to source.size(dim) ({given})")
        raise error(f"{name}_(): Number of indices ({index.size}) should be {close}")
    if without(x.shape, dim) != without(source.shape, dim) or (name == "index_add" and x.ndim != source.ndim):
        raise RuntimeError("source tensor shape must match self tensor shape, excluding the specified dimension. "
                           f"Got self.shape = {list(x.shape)} source.shape = {list(source.shape)}")
    prefix = "" if error is RuntimeError else f"{name}_(): "
    check_bounds(xp, index, size, dim, IndexError if said else error, negative=False, prefix=prefix, said=said)
    return dim, index.reshape(-1)


def without(shape, dim):
    return shape[:dim] + shape[dim + 1:]
