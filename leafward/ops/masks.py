"""Index tensors: which dtypes they may have, and masks turned into the places that they mark."""

from leafward import dtypes
from leafward.errors import warn

BYTE_MASK = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
INDEX_DTYPES = (dtypes.int64, dtypes.int32, dtypes.bool, dtypes.uint8)

#: The leading dims, by how many they are.
LEADING = [tuple(range(count)) for count in range(9)]


def only_places(input, indices, values):
    """Whether ``indices`` are places in leading dims of ``input``, one tensor of int64 for each, as they mostly are."""
    kind, count = type(input), len(indices) if type(indices) in (tuple, list) else 0
    if not 0 < count < len(LEADING) or count > input.ndim or type(values) is not kind:
        return False
    for index in indices:
        if type(index) is not kind or index.dtype is not dtypes.int64:
            return False
    return True


def is_mask(tensor):
    return tensor.dtype is dtypes.bool or tensor.dtype is dtypes.uint8


def refuse_byte_mask(indices, values):
    """PyTorch fills where one mask is given for one value, and then takes no mask of bytes."""
    if len(indices) == 1 and indices[0].dtype is dtypes.uint8 and values.numel() == 1:
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")


def too_many(x):
    return IndexError(f"too many indices for tensor of dimension {x.ndim}")


def check_mask(x, mask, dim):
    """Raise if ``mask`` has another shape than the dims of ``x`` from ``dim`` on."""
    if dim + mask.ndim > x.ndim:
        raise too_many(x)
    for d, size in enumerate(mask.shape):
        if size != x.shape[dim + d]:
            raise IndexError(f"The shape of the mask {list(mask.shape)} at index {d} does not match the shape of "
                             f"the indexed tensor {list(x.shape)} at index {dim + d}")


def as_places(fns, x, indices):
    """Index tensors of places only, and the dims that they stand in: a mask becomes one tensor per dim of its own."""
    tensors, at = [], []
    dim = 0
    for number, index in enumerate(indices):
        if index is None:
            dim = max(dim, number + 1)
            continue
        dim = max(dim, number)
        if not is_mask(index):
            if index.dtype not in INDEX_DTYPES:
                raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
            if dim >= x.ndim:
                raise too_many(x)
            tensors.append(index)
            at.append(dim)
            dim += 1
            continue
        if index.dtype is dtypes.uint8:
            warn(BYTE_MASK)
        check_mask(x, index, dim)
        tensors.extend(fns.unbind(fns._nonzero(index), 1))
        at.extend(range(dim, dim + index.ndim))
        dim += index.ndim
    return tensors, tuple(at)
