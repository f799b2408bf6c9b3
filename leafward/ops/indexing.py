"""Reading and writing at indices: whole slices along one dim, flat places, and advanced indexing.

Args:
    indices: an index tensor for each of the first dims; None leaves a dim whole
    values: what is put there; broadcast
    source: the values that are put in, in order
    index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
"""
from leafward import dtypes
from leafward.core.op import Meta, composite, op

from leafward.ops import batched_indexing as batched, dims
from leafward.ops.checks import as_element, scalar_name
from leafward.ops.dims import normalize
from leafward.ops.masks import LEADING, as_filling, as_places, is_filling, mask_to_fill, only_places
from leafward.ops.kinds import is_number
from leafward.ops.places import (
    check_bounds, check_slices, check_vector, fill_value, is_index, refuse_complex, refuse_dim_beyond, refuse_ranks_of_copy,
    refuse_several, refuse_source_of_copy,
)


def target(xp, x, out, in_order=False):
    """The array to write into: ``out`` holding what ``x`` held, or a copy of ``x``, row-major unless ``in_order`` of ``x``."""
    if out is None:
        return xp.copy_in_order(x) if in_order else xp.copy(x)
    if out is not x:
        out[...] = x
    return out


# --- advanced indexing: x[index, :, index] ---------------------------------------------------------------------------
# `at` names the dim that each index tensor stands in; leafward/tensor/indexing.py brings every x[...] into this form.

def full_index(indices, at, ndim):
    index = [slice(None)] * ndim
    for position, dim in zip(indices, at, strict=True):
        index[dim] = position
    return tuple(index)


def refuse_nothing(x, indices, at):
    """Raise if places are asked for in a dim that has none."""
    if x.size == 0 and all([i.size for i in indices]) and 0 in [x.shape[dim] for dim in at]:
        raise IndexError("index is out of bounds for dimension with size 0")


def checked_indices(xp, x, indices, at):
    """``indices``, or PyTorch's refusal. Where nothing is read any place will do, even one that does not exist."""
    try:
        shape = dims.broadcast(*[i.shape for i in indices])
    except RuntimeError:
        shapes = ", ".join([str(list(i.shape)) for i in indices])
        raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                         + shapes) from None
    refuse_nothing(x, indices, at)
    if x.size == 0 or 0 in shape:
        return [xp.zeros_like(i) for i in indices]
    for index, dim in zip(indices, at, strict=True):
        check_bounds(xp, index, x.shape[dim], dim)
    return indices


@op("torch._index", node="IndexBackward0", variadic="indices", nondifferentiable="indices", kernel="look_up",
    batch=batched.index_batch,
    samples=["3 4 | [int3: 2] ; at=(0,)", "3 4 5 | [int3: 2 1, int5: 3] ; at=(0, 2)", "3 4 | [int3: 2, int4: 2] ; at=(0, 1)",
             "3 4 | [int4: 2] ; at=(1,)", "2 3 4 | [int3: 2, int4: 2] ; at=(1, 2)", "5 | [int5: 3] ; at=(0,)",
             "3 2 | [int3: 2 2] ; at=(0,)"],
    errors=[("3 4 | [int5: 40] ; at=(0,)", IndexError, "is out of bounds for dimension 0 with size 3")],
    reference=lambda torch, x, indices, at: x[full_index(indices, at, x.ndim)])
def index(xp, x, indices, at):
    """``x[..., indices, ...]`` with index tensors in the dims ``at``."""
    try:
        return xp.look_up(x, full_index(indices, at, x.ndim))
    except IndexError:                                      # NumPy's own check: twice as fast as one before it
        return xp.look_up(x, full_index(checked_indices(xp, x, indices, at), at, x.ndim))

@index.onnx
def index_onnx(onnx, x, indices, at):
    if len(at) == 1:
        return onnx.take(x, indices[0], at[0])
    found = onnx.GatherND(*in_front(onnx, x, indices, at))
    rank = max(i.ndim for i in indices)
    if at[0] == 0 or at != tuple(range(at[0], at[0] + len(at))):
        return found
    rest = x.ndim - len(at)                     # neighbours: the dims of the places stay where these were
    return onnx.Transpose(found, perm=[*range(rank, rank + at[0]), *range(rank), *range(rank + at[0], rank + rest)])


def in_front(onnx, x, indices, at):
    """``x`` with the dims ``at`` in front, and the places in them side by side, for ONNX."""
    rank = max(i.ndim for i in indices)
    shape = [1] * rank
    for i in indices:
        for d, n in enumerate(i.shape, rank - i.ndim):
            shape[d] = n if shape[d] == 1 else shape[d]
    places = [onnx.expand_dims(onnx.broadcast_to(i, tuple(shape)), rank) for i in indices]
    return onnx.permute_dims(x, (*at, *[d for d in range(x.ndim) if d not in at])), onnx.concat(places, rank)


@index.vjp("x")
def index_dx(xp, g, x: Meta, indices, at):
    return xp._index_backward(g, indices, x.shape, at)


@op("torch._index_backward", variadic="indices", nondifferentiable="indices", batch=batched.index_backward_batch,
    samples=["2 4 | [int3: 2] ; shape=(3, 4), at=(0,)"],
    reference=lambda torch, g, indices, shape, at: torch.zeros(shape, dtype=g.dtype).index_put(
        tuple(full_index(indices, at, 1)), g, accumulate=True))
def index_backward(xp, g, indices, shape, at):
    """Zeros of ``shape`` with ``g`` added at the indices."""
    out = xp.zeros(shape, dtype=g.dtype)
    if 0 in g.shape:                                        # nor does the forward look where nothing lies
        return out
    return xp.add_at_places(out, full_index(indices, at, len(shape)), g)

@index_backward.vjp("g")
def index_backward_dg(xp, g, indices, at):
    return xp._index(g, indices, at)


@op("torch._index_put", node="IndexPutBackward0", kernel="put_places", nondifferentiable="indices", variadic="indices",
    inplace=True, overwrites=("values", "accumulate", None), writes_repeated=True, no_overlap="indices, values",
    memory_first=True,
    batch=batched.index_put_batch,
    samples=["3 4 | [int3: 2] | 2 4 ; at=(0,), accumulate=True", "3 4 | [int3: 1] |  ; at=(0,), accumulate=False",
             "3 4 | [int3: 5, int4: 5] | 5 ; at=(0, 1), accumulate=True"],
    errors=[("3 4 | [int3: 2] | 2 ; at=(0,), accumulate=False", RuntimeError, "shape mismatch: value tensor of shape [2] "
             "cannot be broadcast to indexing result of shape [2, 4]")],
    reference=lambda torch, x, indices, values, at, accumulate: x.index_put(
        tuple(full_index(indices, at, max(at) + 1)), values, accumulate))
def index_put_(xp, x, indices, values, at, accumulate: bool, out=None):
    """``x`` with ``values`` written, or added, at the index tensors in the dims ``at``.

    Args:
        at: the dims; or what is wrong with the index tensors, which is told once the memory was looked at
    """
    if isinstance(at, Exception):
        raise at
    if values.dtype != x.dtype:
        refuse_nothing(x, indices, at)
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{scalar_name(x)} for the destination and {scalar_name(values)} for the source.")
    out = target(xp, x, out, in_order=True)
    if not accumulate and indices and values.size and values.ndim <= max([i.ndim for i in indices]) + x.ndim - len(at):
        try:                                                # NumPy refuses before it writes; its sentences are not ours
            return xp.put_at_places(out, full_index(indices, at, x.ndim), values)
        except (IndexError, ValueError, TypeError):
            pass
    try:
        position = full_index(checked_indices(xp, x, indices, at), at, x.ndim)
    except IndexError as error:
        if x.size and "out of bounds" in str(error):        # what does not fit is told before what is not there
            refuse_misfit(values, x[full_index([xp.zeros_like(i) for i in indices], at, x.ndim)].shape)
        raise
    refuse_misfit(values, x[position].shape)
    if accumulate:
        return xp.add_at_places(out, position, values)
    return xp.put_at_places(out, position, values)


def refuse_misfit(values, shape):
    """Raise if ``values`` do not broadcast to ``shape``."""
    if not fits(values.shape, shape):
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing "
                           f"result of shape {list(shape)}")

@index_put_.onnx
def index_put_onnx(onnx, x, indices, values, at, accumulate):
    rows, places = in_front(onnx, x, indices, at)
    values = onnx.broadcast_to(values, (*places.shape[:-1], *rows.shape[len(at):]))
    found = onnx.ScatterND(rows, places, values, reduction="add" if accumulate else "none")
    order = (*at, *[d for d in range(x.ndim) if d not in at])
    return found if order == tuple(range(x.ndim)) else onnx.Transpose(found, perm=[order.index(d) for d in range(x.ndim)])


@index_put_.vjp("x")
def index_put_dx(xp, g, indices, at, accumulate):
    return g if accumulate else xp._index_put(g, indices, xp.zeros((), dtype=g.dtype), at, False)

@index_put_.vjp("values")
def index_put_dvalues(xp, g, indices, at):
    return xp._index(g, indices, at)


def fits(shape, target):
    """Whether ``shape`` broadcasts to ``target``."""
    return len(shape) <= len(target) and all(
        n in (1, m) for n, m in zip(shape[::-1], target[::-1], strict=False))


@composite("index_put", samples=["3 4 | [int3: 1] | 1 4", "3 4 | [bool: 3 4] |  "])
def index_put(fns, input, indices, values, accumulate=False):
    """A copy of ``input`` with ``values`` written, or added, at the ``indices`` of its leading dims."""
    if only_places(input, indices, values):
        return fns._index_put(input, list(indices), values, LEADING[len(indices)], accumulate)
    values = as_filling(input, indices, values, accumulate)
    mask = None if accumulate else mask_to_fill(fns, input, indices, values)
    if mask is not None:
        return fns._mask_put(input, mask, values)
    indices, at = as_places(fns, input, indices)
    return fns._index_put(input, indices, values, at, accumulate)


@composite("torch.index_put_", "Tensor.index_put_", samples=["3 4 | [int3: 1] | 1 4"])
def index_put_in_place(fns, input, indices, values, accumulate=False):
    """Write, or add, ``values`` into ``input`` at the ``indices`` of its leading dims."""
    if only_places(input, indices, values):
        return fns._index_put_(input, list(indices), values, LEADING[len(indices)], accumulate)
    try:
        values = as_filling(input, indices, values, accumulate)
        mask = None if accumulate else mask_to_fill(fns, input, indices, values)
        if mask is not None:
            return fns._mask_put_(input, mask, values)
        indices, at = as_places(fns, input, indices)
    except (IndexError, RuntimeError) as error:
        if is_filling(indices, values, accumulate):
            values = values.detach().clone()
        indices, at = [i for i in indices if i is not None], error
    return fns._index_put_(input, indices, values, at, accumulate)


# --- whole slices along one dim --------------------------------------------------------------------------------------

@op("index_select", kernel="picked_slices", nondifferentiable="index", no_overlap="x, index",
    batch=batched.index_select_batch,
    samples=["3 4 | int3: 5 ; dim=0", "3 4 | int4: 2 ; dim=-1", " | int1: 1 ; dim=0", "3 4 | int3:  ; dim=0"],
    errors=[("3 4 | int5: 2 2 ; dim=0", IndexError, "index_select(): Index is supposed to be a vector"),
            ("3 4 | 2 ; dim=0", RuntimeError, "index_select(): Expected dtype int32 or int64 for index"),
            ("2 4 | int9: 40 ; dim=0", IndexError, "index out of range in self"),
            ("4 2 | int9: 40 ; dim=1", RuntimeError, "INDICES element is out of DATA bounds, id=")])
def index_select(xp, x, dim, index):
    """The slices of ``x`` at ``index`` along ``dim``."""
    dim = normalize(dim, x.ndim)
    check_vector(xp, index, "index_select")
    size = x.shape[dim] if x.ndim else 1
    if x.ndim == 0 and index.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)")
    if index.size and xp.to_host((xp.min(index) < 0) | (xp.max(index) >= size)):
        if x.ndim > 1 and not size:
            raise RuntimeError("index_select(): self indexing axis dim should be positive")
        if dim == 1 or (x.ndim > 1 and not x.size):
            outside = next(n for n in xp.to_host(index).reshape(-1).tolist() if not 0 <= n < size)
            raise RuntimeError(f"INDICES element is out of DATA bounds, id={outside} axis_dim={size}")
        raise IndexError("index out of range in self")
    if x.ndim == 0:
        return xp.copy(x)
    return xp.pick_rows(x, index.reshape(-1), dim)

@index_select.onnx
def index_select_onnx(onnx, x, dim, index):
    return onnx.take(x, index, normalize(dim, x.ndim)) if x.ndim else None


@index_select.vjp("x")
def index_select_dx(xp, g, x: Meta, dim, index):
    if x.ndim == 0:
        return g.reshape(())
    return xp._index_backward(g, [index.reshape((-1,))], x.shape, (normalize(dim, x.ndim),))


@op("index_add", kernel="added_slices", nondifferentiable="index", inplace=True, no_overlap="index, source",
    batch=batched.index_add_batch,
    samples=["3 4 | int3: 5 | 5 4 ; dim=0", "3 4 | int4: 2 | 3 2 ; dim=1, alpha=2", " | int1: 1 |  ; dim=0"],
    errors=[("3 4 | int3: 2 | 3 4 ; dim=0", RuntimeError, "index_add_(): Number of indices (2) should be equal to "
             "source.size(dim): (3), for dim: 0"),
            ("3 4 | int3: 1 | int5: 1 4 ; dim=0", RuntimeError,
             "index_add_(): self (Float) and source (Long) must have the same scalar type"),
            ("3 4 | int3: 1 | 1 2 ; dim=0", RuntimeError, "source tensor shape must match self tensor shape, excluding "
             "the specified dimension. Got self.shape = [3, 4] source.shape = [1, 2]")])
def index_add(xp, x, dim, index, source, *, alpha=1, out=None):
    """``x`` with ``alpha * source`` added to its slices at ``index`` along ``dim``; repeated places add up.

    Args:
        alpha: the factor of `source`: 1 unless given
    """
    normalize(dim, x.ndim)
    if index.ndim > 1:
        raise IndexError(f"index_add_(): Index is supposed to be a vector, but got dim: {index.ndim} with type: "
                         f"{scalar_name(index)} and size: {list(index.shape)}")
    if not is_index(index):
        raise RuntimeError(f"index_add_(): Expected dtype int32/int64 for index but got: {scalar_name(index)}")
    if x.dtype != source.dtype:
        raise RuntimeError(f"index_add_(): self ({scalar_name(x)}) and source ({scalar_name(source)}) must have the "
                           "same scalar type")
    refuse_dim_beyond("index_add", dim, index, x, source)
    by_slices = x.ndim < 2 or 0 < dim % x.ndim < x.ndim - 1 or index.itemsize != 8 or alpha != 1        # in PyTorch
    said = "index out of range in self" if by_slices else None
    dim, index = check_slices(xp, "index_add", x, dim, index, source, RuntimeError, said)
    if alpha != 1:
        source = source * xp.asarray(as_element(alpha, xp.dtype_of(x)), dtype=x.dtype)
    out = target(xp, x, out)
    if x.ndim == 0:
        out[...] += source.reshape(())
        return out
    return xp.add_rows(out, dim, index, source.reshape((*x.shape[:dim], index.size, *x.shape[dim + 1:])))

@index_add.vjp("x")
def index_add_dx(g):
    return g

@index_add.vjp("source")
def index_add_dsource(xp, g, source: Meta, dim, index, alpha):
    chosen = xp.index_select(g, dim, index).reshape(source.shape)
    return chosen if alpha == 1 else chosen * alpha


@op("index_copy", kernel="copied_slices", nondifferentiable="index", inplace=True,
    no_overlap="index, source", memory_first=True, overwrites=("source", None, "index_add"),
    batch=batched.index_add_batch, samples=["3 4 | int1: 1 | 1 4 ; dim=0", "3 4 | int4: 1 | 3 1 ; dim=1"],
    errors=[("3 4 | int3: 2 | 1 4 ; dim=0", IndexError,
             "index_copy_(): Number of indices (2) should be equal to source.size(dim) (1)"),
            ("3 4 | int3: 1 | int5: 1 4 ; dim=0", RuntimeError, "index_copy_(): self and source expected to have the "
             "same dtype, but got (self) Float and (source) Long")])
def index_copy(xp, x, dim, index, source, out=None):
    """``x`` with its slices at ``index`` along ``dim`` replaced by ``source``."""
    normalize(dim, x.ndim)
    if index.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})")
    refuse_ranks_of_copy(x, source)
    if index.dtype.kind != "i" or index.itemsize != 8:
        raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {scalar_name(index)}")
    refuse_source_of_copy(dim, index, x, source)
    dim, index = check_slices(xp, "index_copy", x, dim, index, source, IndexError)
    out = target(xp, x, out)
    if x.ndim == 0:
        out[...] = source.reshape(())
        return out
    return xp.put_at_places(out, (slice(None),) * dim + (index,),
                            source.reshape((*x.shape[:dim], index.size, *x.shape[dim + 1:])))

@index_copy.vjp("x")
def index_copy_dx(xp, g, dim, index):
    return xp.index_fill(g, dim, index, 0)

@index_copy.vjp("source")
def index_copy_dsource(xp, g, source: Meta, dim, index):
    return xp.index_select(g, dim, index).reshape(source.shape)


@op("index_fill", kernel="fill_slices", nondifferentiable="index", inplace=True, writes_repeated=True,
    node=lambda given: "IndexFillBackward0" if is_number(given["value"]) else "IndexFillBackward1",
    batch=batched.index_fill_batch, samples=["3 4 | int3: 2 | = 2.5 ; dim=0", "3 4 | int4: 1 |  ; dim=-1"],
    errors=[("3 4 | int9: 40 | = 1.0 ; dim=0", IndexError, "is out of bounds for dimension 0 with size 3"),
            ("3 4 | 1 | = 1.0 ; dim=0", IndexError, "index_fill_(): Expected dtype int64 for index."),
            ("3 4 | int3: 1 | 1 ; dim=0", RuntimeError, "index_fill_ only supports a 0-dimensional value tensor, but got "
             "tensor with 1 dimension(s).")])
def index_fill(xp, x, dim, index, value, out=None):
    """``x`` with its slices at ``index`` along ``dim`` filled with ``value``."""
    refuse_several(value, "index_fill_")
    if index.dtype.kind != "i" or index.itemsize != 8:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    dim = normalize(dim, x.ndim)
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    refuse_complex(value, x)
    value = fill_value(xp, x, value, "index_fill_")
    check_bounds(xp, index, x.shape[dim] if x.ndim else 1, dim)
    out = target(xp, x, out, in_order=True)
    if x.ndim:
        out[(slice(None),) * dim + (index,)] = value
    elif index.size:
        out[...] = value
    return out

@index_fill.vjp("x")
def index_fill_dx(xp, g, dim, index):
    return xp.index_fill(g, dim, index, 0)

@index_fill.vjp("value")
def index_fill_dvalue(xp, g, dim, index):
    filled = xp.index_fill(xp.zeros_like(g), dim, index, 1)             # an index that comes twice counts once
    return xp.sum(xp.where(filled != 0, g, xp.zeros_like(g)))


# --- flat places -----------------------------------------------------------------------------------------------------

def check_long(index, name):
    if index.dtype.kind != "i" or index.itemsize != 8:
        raise RuntimeError(f"{name}(): Expected a long tensor for index, but got {scalar_name(index)}")


def check_flat(xp, index, size, name):
    check_long(index, name)
    if index.size and xp.to_host((xp.min(index) < -size) | (xp.max(index) >= size)):
        bad = next(i for i in xp.to_host(index).reshape(-1).tolist() if not -size <= i < size)
        if name == "take" and not size:
            raise IndexError("take(): tried to take from an empty tensor")
        raise IndexError(f"out of range: tried to access index {bad} on a tensor of {size} elements.")


@op("take", kernel="taken", row_major=True, nondifferentiable="index", no_overlap="x, index",
    samples=["3 4 | int12: 5", "3 4 | int12: 2 2", " | int1: 1"],
    errors=[("2 3 | int20: 50", IndexError, "on a tensor of 6 elements."),
            ("3 4 | 2", RuntimeError, "take(): Expected a long tensor for index, but got Float")])
def take(xp, x, index):
    """The elements of ``x``, seen as flat, at ``index``."""
    check_flat(xp, index, x.size, "take")
    return xp.look_up(x.reshape(-1), (index,))

@take.vjp("x")
def take_dx(xp, g, x: Meta, index):
    return xp._take_backward(g, index, x.shape)


@op("put", kernel="put_flat", nondifferentiable="index", inplace=True, overwrites=("source", "accumulate", None),
    samples=["3 4 | int12: 1 | 1", "3 4 | int12: 2 3 | 6 ; accumulate=True"],
    errors=[("3 4 | int12: 2 | 1", IndexError, "put_(): Expected source and index to have the same number of elements, "
             "but got source.numel() = 1, index.numel() = 2"),
            ("3 4 | int12: 1 | int5: 1", RuntimeError, "put_(): self and source expected to have the same dtype, but "
             "got self.dtype = Float and source.dtype = Long")])
def put(xp, x, index, source, accumulate=False, out=None):
    """``x`` with ``source`` written, or added, at the flat places ``index``."""
    check_long(index, "put_")
    if x.dtype != source.dtype:
        raise RuntimeError("put_(): self and source expected to have the same dtype, but got self.dtype = "
                           f"{scalar_name(x)} and source.dtype = {scalar_name(source)}")
    if index.size != source.size:
        raise IndexError("put_(): Expected source and index to have the same number of elements, but got "
                         f"source.numel() = {source.size}, index.numel() = {index.size}")
    check_flat(xp, index, x.size, "put_")
    flat = xp.copy(x.reshape(-1))
    if accumulate:
        xp.add_at_places(flat, (index.reshape(-1),), source.reshape(-1))
    else:
        xp.put_at_places(flat, (index.reshape(-1),), source.reshape(-1))
    out = xp.empty_in_order(x) if out is None else out
    out[...] = flat.reshape(x.shape)
    return out

@put.vjp("x")
def put_dx(xp, g, index, accumulate):
    return g if accumulate else xp.put(g, index, xp.zeros(index.shape, dtype=g.dtype), False)

@put.vjp("source")
def put_dsource(xp, g, index, source: Meta):
    return xp._take_flat(g, index).reshape(source.shape)


@op("torch._take_flat", nondifferentiable="index", samples=["3 4 | int12: 5"], reference="take")
def take_flat(xp, x, index):
    """:func:`take` under a name that the Array API does not use for something else."""
    return xp.look_up(x.reshape(-1), (index,))

@take_flat.vjp("x")
def take_flat_dx(xp, g, x: Meta, index):
    return xp._take_backward(g, index, x.shape)


@op("torch._take_backward", nondifferentiable="index", samples=["5 | int12: 5 ; shape=(3, 4)"],
    reference=lambda torch, g, index, shape: torch.zeros(shape, dtype=g.dtype).put(index, g, True))
def take_backward(xp, g, index, shape):
    """Zeros of ``shape`` with ``g`` added at the flat places ``index``."""
    xp.add_at_places((out := xp.zeros(shape, dtype=g.dtype)).reshape(-1), (index.reshape(-1),), g.reshape(-1))
    return out

@take_backward.vjp("g")
def take_backward_dg(xp, g, index):
    return xp._take_flat(g, index)


# --- where things are ------------------------------------------------------------------------------------------------

@op("torch._nonzero", kernel="true_rows", batch=batched.nonzero_batch, nondifferentiable="x",
    samples=["bool: 3 4", "3 4", "int2: 5", ""], reference="nonzero")
def nonzero_rows(xp, x):
    """One row per nonzero element: its place along each dim."""
    if x.ndim == 0:
        return xp.zeros((int(bool(xp.to_host(x))), 0), dtype=dtypes.int64)
    return xp.stack(xp.nonzero(x), axis=0).T                # the places along one dim side by side, as in PyTorch


@nonzero_rows.onnx
def nonzero_onnx(onnx, x):
    return onnx.Transpose(onnx.NonZero(x), perm=[1, 0]) if x.ndim else None


@composite("nonzero", samples=["bool: 3 4", "int2: 5", "bool: 3 4 ; as_tuple=True"])
def nonzero(fns, input, *, as_tuple=False) -> object:
    """The places of the nonzero elements: one row each, or one tensor per dim.

    Args:
        as_tuple: True: one tensor of places for each dim. False: one row for each element
    """
    if not as_tuple:
        return fns._nonzero(input)
    return fns.unbind(fns._nonzero(input if input.ndim else fns.unsqueeze(input, 0)), 1)


@composite("argwhere", samples=["bool: 3 4", "int2: 5"])
def argwhere(fns, input):
    """One row per nonzero element: its place along each dim."""
    return fns._nonzero(input)
