"""Copies in another arrangement: joined, repeated, turned.

Args:
    repeats: how often, for each dim or each element
    shifts: how many places to move, for each of `dims`; below 0 backwards
    k: how many quarter turns
    dims: the dims to work along
    output_size: the size of the result, if it is known; None: it is computed
"""

from leafward import dtypes
from leafward.core.op import Meta, composite, op

from leafward.ops import dims
from leafward.ops.dims import index as as_index, normalize
from leafward.ops.views import listed, sizes


# --- joining ---------------------------------------------------------------------------------------------------------

@op("torch.cat", "torch.concat", "torch.concatenate", kernel="joined", variadic="tensors", keeps_format="tensors",
    dtype="promote", linear=True, casts_out=True,
    no_overlap="tensors",
    batch="dims", samples=["[3 4, 2 4]", "[3 4, 3 1] ; dim=-1", "[3 4, 0]", "[3, int5: 2]"],
    errors=[("[3 4, 3]", RuntimeError, "Tensors must have same number of dimensions: got 2 and 1"),
            ("[3 4, 2 3]", RuntimeError, "Sizes of tensors must match except in dimension 0. Expected size 4 but got "
             "size 3 for tensor number 1 in the list."),
            ("[3, ]", RuntimeError, "zero-dimensional tensor (at position 1) cannot be concatenated"),
            ("[3 4, 3 4] ; dim=2", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)")])
def cat(xp, tensors, dim=0):
    """The ``tensors`` one after the other along ``dim``.

    Their sizes agree in all dims but ``dim``, and are added up there.

    Args:
        dim: the dim to join along: the first unless given

    >>> lw.cat([lw.zeros(1, 2), lw.ones(2, 2)])
    tensor([[0., 0.],
            [1., 1.],
            [1., 1.]])
    >>> lw.cat([lw.zeros(2, 1), lw.ones(2, 2)], dim=1)
    tensor([[0., 1., 1.],
            [0., 1., 1.]])
    """
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    shape = tensors[0].shape
    if shape and shape != (0,) and all([x.shape == shape for x in tensors]):
        return xp.concat(tensors, axis=normalize(dim, len(shape)))
    for i, x in enumerate(tensors):
        if x.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    kept = [x for x in tensors if x.shape != (0,)]          # an empty vector joins with anything
    if not kept:
        normalize(dim, 1)
        return xp.copy(tensors[0])
    shape = kept[0].shape
    dim = normalize(dim, len(shape))
    for i, x in enumerate(tensors):
        if x.shape == (0,):
            continue
        if x.ndim != len(shape):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(shape)} and {x.ndim}")
        for d, (n, m) in enumerate(zip(shape, x.shape, strict=True)):
            if n != m and d != dim:
                raise RuntimeError(f"Sizes of tensors must match except in dimension {dim}. Expected size {n} but got "
                                   f"size {m} for tensor number {i} in the list.")
    return xp.concat(kept, axis=dim)

@cat.vjp("tensors")
def cat_dtensors(xp, g, tensors: Meta, dim):
    if g.ndim:
        dim = normalize(dim, g.ndim)
    grads, start = [], 0
    for x in tensors:
        if tuple(x.shape) == (0,):
            grads.append(xp.zeros((0,), dtype=g.dtype))
            continue
        grads.append(g[(slice(None),) * dim + (slice(start, start + x.shape[dim]),)])
        start += x.shape[dim]
    return grads


@op("torch.stack", kernel="stacked", variadic="tensors", dtype="promote", linear=True, casts_out=True,
    batch="new dim", samples=["[3 4, 3 4]", "[3 4, 3 4, 3 4] ; dim=-1", "[, ]", "[3, int5: 3]"],
    errors=[("[3 4, 4]", RuntimeError,
             "stack expects each tensor to be equal size, but got [3, 4] at entry 0 and [4] at entry 1"),
            ("[3 4, 3 4] ; dim=3", IndexError, "Dimension out of range (expected to be in range of [-3, 2], but got 3)")])
def stack(xp, tensors, dim=0):
    """The ``tensors``, all of one shape, along a new ``dim``.

    The new dim has as many places as there are tensors.

    Args:
        dim: where the new dim is to be: in front unless given

    >>> lw.stack([lw.tensor([1, 2]), lw.tensor([3, 4])], dim=1)
    tensor([[1, 3],
            [2, 4]])
    """
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0].shape
    dim = normalize(dim, len(first) + 1)
    for i, x in enumerate(tensors):
        if x.shape != first:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                               f"{list(x.shape)} at entry {i}")
    if dim < len(first):                                    # one behind the other, and then told apart: so their order stays
        joined = xp.creation.in_format_of([list(tensors)], xp.concat(tensors, axis=dim))
        return joined.reshape((*first[:dim], len(tensors), *first[dim:]))
    new = (slice(None),) * dim + (None,)
    return xp.concat([x[new] for x in tensors], axis=dim)

@stack.vjp("tensors")
def stack_dtensors(g, tensors: Meta, dim):
    before = (slice(None),) * normalize(dim, g.ndim)
    return [g[(*before, i)] for i in range(len(tensors))]


def refuse_none(tensors, name):
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")


@composite("torch.hstack", samples=["[3, 2]", "[3 4, 3 2]", "[, ]"])
def hstack(fns, tensors):
    """Joined along the columns; vectors end to end."""
    refuse_none(tensors, "hstack")
    tensors = [fns.atleast_1d(t) for t in tensors]
    return fns.cat(tensors, 0 if tensors[0].ndim == 1 else 1)


@composite("torch.vstack", "torch.row_stack", samples=["[3, 3]", "[3 4, 2 4]", "[, ]"])
def vstack(fns, tensors):
    """Joined along the rows; a vector is one row."""
    refuse_none(tensors, "vstack")
    return fns.cat([fns.atleast_2d(t) for t in tensors], 0)


@composite("torch.dstack", samples=["[3, 3]", "[3 4, 3 4]", "[2 3 4, 2 3 1]"])
def dstack(fns, tensors):
    """Joined along the third dim."""
    refuse_none(tensors, "dstack")
    return fns.cat([fns.atleast_3d(t) for t in tensors], 2)


@composite("torch.column_stack", samples=["[3, 3]", "[3 4, 3]", "[, ]"],
           errors=[("[2, 3 2]", RuntimeError, "Sizes of tensors must match except in dimension 1. Expected size 2 but got "
                    "size 3 for tensor number 1 in the list.")])
def column_stack(fns, tensors):
    """Joined along the columns; a vector is one column."""
    refuse_none(tensors, "column_stack")
    return fns.cat([fns.reshape(t, (-1, 1)) if t.ndim <= 1 else t for t in tensors], 1)


# --- repeating -------------------------------------------------------------------------------------------------------

@op("Tensor.repeat", kernel="repeated", row_major=True, linear=True, varargs="repeats",
    samples=["2 3 ; repeats=(2, 2)", "3 ; repeats=(2, 1, 3)", " ; repeats=()", "2 3 ; repeats=(0, 1)", " ; repeats=(2,)"],
    errors=[("2 3 ; repeats=(2,)", RuntimeError,
             "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"),
            ("3 4 ; repeats=(-1, 2)", RuntimeError, "Trying to create tensor with negative dimension -3: [-3, 8]")])
def repeat(xp, x, repeats):
    """``x`` laid out again and again: ``repeats`` copies along each dim, new dims in front.

    Args:
        repeats: how often along each dim; more than there are dims put new ones in front

    >>> lw.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    repeats = dims.as_sizes(repeats)
    if len(repeats) < x.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    shape = (1,) * (len(repeats) - x.ndim) + x.shape
    sizes = [n * r for n, r in zip(shape, repeats, strict=True)]
    dims.refuse_negative(sizes)
    dims.refuse_overflow(sizes, x.dtype.itemsize)
    return xp.tile(x, repeats)

@repeat.vjp("x")
def repeat_dx(xp, g, x: Meta, repeats):
    repeats = dims.as_sizes(repeats)
    shape = (1,) * (len(repeats) - x.ndim) + tuple(x.shape)
    if 0 in repeats:
        return xp.zeros(x.shape, dtype=g.dtype)
    if not repeats:
        return g
    folded = [n for pair in zip(repeats, shape, strict=True) for n in pair]
    return xp.sum(g.reshape(tuple(folded)), axis=tuple(range(0, len(folded), 2))).reshape(x.shape)


@repeat.batch
def repeat_batch(fns, call):
    repeats = sizes(call.option("repeats"))
    return call.aligned(0, len(repeats)).repeat(1, *repeats)


@composite("tile", samples=["2 3 ; dims=(2,)", "3 ; dims=(2, 2)", "2 3 ; dims=()"],
           reference=lambda torch, x, *dims: torch.tile(x, dims))
def tile(fns, input, *dims):
    """:meth:`repeat`, with missing leading repeats counted as one.

    Args:
        dims: how often along each dim
    """
    repeats = tuple(listed(dims))
    return fns.repeat(input, (1,) * (input.ndim - len(repeats)) + repeats)


@composite("repeat_interleave", samples=["2 3 ; repeats=2", "2 3 ; repeats=2, dim=1", " ; repeats=3"],
           errors=[("3 ; repeats=-1", RuntimeError, "Repeats must be non-negative"),
                   ("3 | int5: 2 ; dim=0", RuntimeError, "repeats must have the same size as input along dim, but got "
                    "repeats.size(0) = 2 and input.size(0) = 3"),
                   ("2 3 | int5: 2 ; dim=0, output_size=99", RuntimeError, "allocated size does not match required size")])
def repeat_interleave(fns, input, repeats=None, dim=None, *, output_size: int = None):
    """Each element (or slice along ``dim``) ``repeats`` times in a row; a lone tensor of counts gives the places.

    Args:
        repeats: how often: an int for all, or a tensor with one for each; None: `input` holds the counts
        dim: the dim to work along; None: all elements in a row

    >>> lw.repeat_interleave(lw.tensor([1, 2]), 2)
    tensor([1, 1, 2, 2])
    >>> lw.repeat_interleave(lw.tensor([1, 2]), lw.tensor([1, 3]))
    tensor([1, 2, 2, 2])
    """
    if repeats is None:
        counts = input
        places = fns.arange(counts.shape[0], device=counts.device) if counts.ndim == 1 else None
        if places is None:
            raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
        return interleaved(fns, places, counts, 0, output_size)
    if dim is None:
        input, dim = fns.flatten(input), 0
    if hasattr(repeats, "ndim") and repeats.ndim == 1 and repeats.shape[0] != 1:
        return interleaved(fns, input, repeats, normalize(dim, input.ndim), output_size)
    if hasattr(repeats, "ndim") and repeats.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    repeats = as_index(repeats)
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    dim = normalize(dim, input.ndim)
    size = input.shape[dim] * repeats
    if output_size is not None and output_size != size:
        raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {size} but got {output_size}")
    shape = tuple(input.shape)
    wide = fns.expand(fns.unsqueeze(input, dim + 1), (*shape[:dim + 1], repeats, *shape[dim + 1:]))
    return fns.flatten(fns.clone(wide, memory_format=dtypes.contiguous_format), dim, dim + 1)


def interleaved(fns, input, counts, dim, output_size):
    if counts.dtype not in (dtypes.int64, dtypes.int32):
        raise NotImplementedError(
            f"\"repeat_interleave_cpu\" not implemented for '{dtypes.scalar_name(counts.dtype)}'")
    if counts.shape[0] != input.shape[dim]:
        raise RuntimeError("repeats must have the same size as input along dim, but got repeats.size(0) = "
                           f"{counts.shape[0]} and input.size({dim}) = {input.shape[dim]}")
    places = fns._repeated_places(counts)
    if output_size is not None and output_size != places.shape[0]:
        raise RuntimeError("allocated size does not match required size")
    return fns.index_select(input, dim, places)


@op("torch._repeated_places", kernel="repeated_numbers", nondifferentiable="counts", samples=["int3: 4"],
    reference=lambda torch, counts: torch.repeat_interleave(counts))
def repeated_places(xp, counts):
    """``0`` as often as ``counts[0]`` says, then ``1``, and so on."""
    if xp.to_host(xp.any(counts < 0)):
        raise RuntimeError("repeats can not be negative")
    return xp.repeat(xp.arange(counts.shape[0]), counts)


@repeated_places.onnx
def repeated_places_onnx(onnx, counts):
    ends = onnx.cumulative_sum(onnx.astype(counts, dtypes.int64))       # how many of them a place has behind it
    places = onnx.Range(0, onnx.ReduceSum(onnx.astype(counts, dtypes.int64), keepdims=0), 1)
    behind = onnx.GreaterOrEqual(onnx.Unsqueeze(places, (1,)), ends)
    return onnx.ReduceSum(onnx.Cast(behind, to=onnx.type_number(dtypes.int64)), (1,), keepdims=0)


# --- turning ---------------------------------------------------------------------------------------------------------

@op("roll", kernel="rolled", linear=True,
    samples=["3 4 ; shifts=1", "3 4 ; shifts=-1, dims=1", "3 4 ; shifts=(1, 2), dims=(0, 1)", "0 3 ; shifts=1, dims=0"],
    errors=[("3 4 ; shifts=(1, 2), dims=0", RuntimeError, "shifts and dimensions must align. shifts: 2, dims:1"),
            ("3 ; shifts=()", RuntimeError, "`shifts` required"),
            (" ; shifts=1, dims=0", IndexError, "Dimension specified as 0 but tensor has no dimensions")])
def roll(xp, x, shifts, dims=()):
    """Move everything ``shifts`` places on along ``dims``; what falls off one end enters at the other.

    Args:
        dims: the dims to roll along; empty: all elements in a row

    >>> lw.roll(lw.tensor([1, 2, 3, 4]), 1)
    tensor([4, 1, 2, 3])
    """
    if not x.size:                                          # dims are counted, and not looked at
        roll_arguments(shifts, dims, None)
        return xp.copy(x)
    shifts, along = roll_arguments(shifts, dims, x.ndim)
    result = xp.roll(x, shifts[0] if along is None else shifts, along)
    result = result if result.flags.c_contiguous else xp.copy(result)
    if along is None or any([shift % x.shape[dim] == 0 for shift, dim in zip(shifts, along, strict=True)]):
        return result
    return xp.creation.in_format_of([x], result)            # as PyTorch: not where something is turned all the way

@roll.vjp("x")
def roll_dx(xp, g, shifts, dims):
    if 0 in g.shape:
        return g
    shifts, along = roll_arguments(shifts, dims, g.ndim)
    back = tuple([-s for s in shifts])
    return xp.roll(g, back[0] if along is None else back, along)


@roll.batch
def roll_batch(fns, call):
    x, dims = call.front(0), call.option("dims")
    if dims is None or dims == ():
        return fns.roll(x.reshape(call.size, -1), call.option("shifts"), 1).reshape(x.shape)
    return fns.roll(x, call.option("shifts"), call.shift(dims, max(call.rank(0), 1)))


def roll_arguments(shifts, along, ndim):
    """Shifts and dims as tuples; dims None: the tensor is rolled as if it were flat."""
    shifts = dims.as_sizes(shifts)
    if not shifts:
        raise RuntimeError("`shifts` required")
    if along is None or isinstance(along, (tuple, list)) and not along:
        if len(shifts) != 1:
            raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:0")
        return shifts, None
    along = dims.as_sizes(along)
    if len(shifts) != len(along):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(along)}")
    if ndim == 0:
        raise IndexError(f"Dimension specified as {along[0]} but tensor has no dimensions")
    return shifts, along if ndim is None else tuple([normalize(d, ndim) for d in along])


@op("flip", kernel="flipped", linear=True, varargs="dims",
    batch="dims", samples=["3 4 ; dims=(0,)", "3 4 ; dims=(0, -1)", "3 4 ; dims=()", " ; dims=(0,)"],
    errors=[("3 4 ; dims=(0, 0)", RuntimeError, "dim 0 appears multiple times in the list of dims")])
def flip(xp, x, dims):
    """The order along ``dims`` reversed.

    >>> lw.flip(lw.tensor([[1, 2], [3, 4]]), (1,))
    tensor([[2, 1],
            [4, 3]])
    """
    along = flipped_dims(dims, x.ndim)
    return xp.copy_in_order(xp.flip(x, axis=along), x) if x.ndim else x

@flip.vjp("x")
def flip_dx(xp, g, dims):
    return xp.flip(g, axis=flipped_dims(dims, g.ndim)) if g.ndim else g


def flipped_dims(along, ndim):
    return dims.normalize_all(dims.as_sizes(along), ndim)


@composite("fliplr", samples=["3 4"], errors=[("3", RuntimeError, "Input must be >= 2-d.")])
def fliplr(fns, input):
    """The columns in reverse order."""
    if input.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return fns.flip(input, (1,))


@composite("flipud", samples=["3 4", "3"], errors=[("", RuntimeError, "Input must be >= 1-d.")])
def flipud(fns, input):
    """The rows in reverse order."""
    if input.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return fns.flip(input, (0,))


@op("rot90", linear=True, batch="dims", samples=["3 4", "3 4 ; k=2", "3 4 ; k=-1", "2 3 4 ; k=1, dims=(0, 2)", "3 4 ; k=4"],
    errors=[("3 4 ; k=1, dims=(0, 0)", RuntimeError,
             "expected rotation dims to be different, but got dim0 = 0 and dim1 = 0"),
            ("3 4 ; k=1, dims=(0,)", RuntimeError, "expected total rotation dims == 2, but got dims = 1")])
def rot90(xp, x, k: int = 1, dims=(0, 1)):
    """Turn the plane of two dims by ``k`` times 90 degrees, from the first towards the second.

    Args:
        dims: the plane to turn in, from the first dim towards the second
    """
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if x.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {x.ndim}")
    first, second = [normalize(d, x.ndim) for d in dims]
    if first == second:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    if k % 4 == 0:
        return xp.copy(x)
    if k % 4 == 2:
        return flip.forward(xp, x, (first, second))
    return xp.swapaxes(flip.forward(xp, x, second if k % 4 == 1 else first), first, second)

@rot90.vjp("x")
def rot90_dx(xp, g, k, dims):
    return xp.rot90(g, -k, tuple([normalize(d, g.ndim) for d in dims]))
