"""Index tensors: which dtypes they may have, and masks turned into the places that they mark."""

from leafward import dtypes
from leafward.errors import OptionError, element_error, warn
from leafward.ops.checks import as_element

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


def is_filling(indices, values, accumulate):
    """Whether one value is written where one mask is true."""
    masks = [i for i in indices if i is not None]
    return not accumulate and values.numel() == 1 and len(masks) == 1 and is_mask(masks[0])


def as_filling(input, indices, values, accumulate):
    """One value for one mask: a filling, which takes any dtype that holds the value. Otherwise ``values`` as they are."""
    if not isinstance(indices, (tuple, list)):
        raise OptionError(indices, "tuple of Tensors")
    if not indices:
        raise RuntimeError("index_put(): expected one index or more, but there is none")
    for number, index in enumerate(indices):
        if index is not None and not hasattr(type(index), "requires_grad"):
            raise element_error(number, index)
    if not is_filling(indices, values, accumulate):
        return values
    masks = [i for i in indices if i is not None]
    check_mask(input, masks[0], next(k for k, i in enumerate(indices) if i is not None))
    refuse_byte_mask(masks, values)
    if values.ndim > 1:
        values = values.reshape(())
    if values.dtype is input.dtype:
        return values.clone() if values._storage is input._storage else values
    as_element(values.item(), input.dtype)
    return (values.real if values.dtype.is_complex and not input.dtype.is_complex else values).to(input.dtype)


def mask_to_fill(fns, x, indices, values):
    """The one mask by which one value is written, lined up with the dims of ``x``; None where it is not all that simple."""
    given = [index for index in indices if index is not None]
    if len(given) != 1 or values.ndim > 1 or values.numel() != 1:
        return None
    mask = given[0]
    if mask.dtype is not dtypes.bool or not mask.ndim:
        return None
    dim = next(number for number, index in enumerate(indices) if index is mask)
    check_mask(x, mask, dim)
    behind = x.ndim - dim - mask.ndim
    return fns.view(mask, (*mask.shape, *(1,) * behind)) if behind else mask


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
