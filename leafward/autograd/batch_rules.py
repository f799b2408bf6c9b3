"""Batch rules: those that follow from a declaration (``batch_calls``), the few others, and which op has which.

``RULES`` holds ops with a rule of their own, ``DECOMPOSED`` ops that are put together from batchable ones.
"""
from math import prod

from leafward.core.tensor import TensorBase
from leafward.derive.functions import fns
from leafward.ops.dims import broadcast
from leafward.autograd.batch_calls import (
    DIMS, LEADING, LOSSES, OTHER_DIMS, ROWS, aligned, dynamic, elementwise, leading, loss, one_by_one, rows, shift,
    shifted,
)


def run(call):
    """The outputs of a call on values, with the batch as first dim of each."""
    op = call.op
    if op.name in RULES:
        found = RULES[op.name](call)
    elif op.name in LOSSES:
        found = loss(call)
    elif op.elementwise:
        found = elementwise(call)
    elif op.random or op.name in LEADING:
        found = leading(call)
    elif op.name in ROWS:
        found = rows(call)
    elif op.name not in OTHER_DIMS and any(name in DIMS for name in op.options):
        found = shifted(call)
    else:
        found = None
    if found is None:
        found = one_by_one(call)
    return found if isinstance(found, list) else [found]


# -- shapes --------------------------------------------------------------------------------------------------------


def sizes(given):
    """Sizes as a user gave them: one after the other, or in a tuple."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], (tuple, list)) else tuple(given)


def to_shape(call):
    x, shape = call.front(0), call.option(call.op.options[0])
    if shape is None:
        return None                                         # view(dtype)
    return x.reshape(call.size, *sizes(shape))


def expand(call):
    size = sizes(call.option("size"))
    x = aligned(call.inputs[0], call.dims[0], len(size))
    return x.expand(call.size, *size)


def repeat(call):
    repeats = sizes(call.option("repeats"))
    return aligned(call.inputs[0], call.dims[0], len(repeats)).repeat(1, *repeats)


def squeeze(call):
    x, dim = call.front(0), call.option("dim")
    rank = call.rank(0)
    dims = range(rank) if dim is None else dim if isinstance(dim, (tuple, list)) else (dim,)
    places = tuple([p for p in (shift(d, max(rank, 1)) for d in dims) if p < x.ndim])
    return fns.squeeze(x, places) if places else fns.alias(x)


def transpose_matrix(call):
    x = call.front(0)
    return x.transpose(1, 2) if x.ndim == 3 else fns.alias(x)


def permute(call):
    return call.front(0).permute((0, *shift(sizes(call.option("dims")), call.rank(0))))


def roll(call):
    x, dims = call.front(0), call.option("dims")
    if dims is None or dims == ():
        return fns.roll(x.reshape(call.size, -1), call.option("shifts"), 1).reshape(x.shape)
    return fns.roll(x, call.option("shifts"), shift(dims, max(call.rank(0), 1)))


# -- products ------------------------------------------------------------------------------------------------------


def matmul(call, first=0, second=1):
    """Batches of matrices or vectors, or one for all."""
    rank = max(call.rank(first), call.rank(second))
    x = aligned(call.inputs[first], call.dims[first], rank - (call.rank(first) == 1))
    y = aligned(call.inputs[second], call.dims[second], rank - (call.rank(second) == 1))
    x = x.unsqueeze(-2) if call.rank(first) == 1 else x
    y = y.unsqueeze(-1) if call.rank(second) == 1 else y
    out = fns.matmul(x, y)
    out = out.squeeze(-2) if call.rank(first) == 1 else out
    return out.squeeze(-1) if call.rank(second) == 1 else out


def mv(call, first=0, second=1):
    vector = aligned(call.inputs[second], call.dims[second], 1)
    return fns.matmul(aligned(call.inputs[first], call.dims[first], 2), vector.unsqueeze(-1)).squeeze(-1)


def vecmat(call):
    x, mat = (aligned(call.inputs[k], call.dims[k], call.rank(k)) for k in (0, 1))
    return fns.matmul(x.unsqueeze(-2), mat).squeeze(-2) if call.rank(0) == 1 else None


def dot(call):
    x, y = (aligned(call.inputs[k], call.dims[k], 1) for k in (0, 1))
    return ((x.conj() if call.op.name == "vdot" else x) * y).sum(-1)


def linear(call):
    x, weight, bias = call.inputs
    if call.is_batched(0) and not call.is_batched(1) and not call.is_batched(2):
        return call.run([call.front(0), weight, bias])
    lead = call.rank(0) - 1
    x, weight = (aligned(call.inputs[k], call.dims[k], call.rank(k)) for k in (0, 1))
    if call.rank(1) == 1:
        out = fns.matmul(x, weight.unsqueeze(-1)).squeeze(-1) if not call.is_batched(1) else (
            (x * aligned(weight, 0, call.rank(0))).sum(-1))
        return out if bias is None else out + aligned(bias, call.dims[2], lead)
    shape = tuple(x.shape[1 if call.is_batched(0) else 0:-1])
    flat = x.reshape(*([x.shape[0]] if call.is_batched(0) else []), prod(shape), x.shape[-1])
    out = fns.matmul(flat, weight.transpose(-2, -1))
    out = out.reshape(*([out.shape[0]] if out.ndim == 3 else []), *shape, out.shape[-1])
    if bias is not None:
        out = out + aligned(bias, call.dims[2], lead + 1)
    return out


def added(call, product, rank):
    """``beta * x + alpha * product``."""
    beta, alpha = call.option("beta"), call.option("alpha")
    product = product if alpha == 1 else alpha * product
    if beta == 0:
        return product if product.ndim > rank else product.expand(call.size, *product.shape)
    x = aligned(call.inputs[0], call.dims[0], rank)
    return product + (x if beta == 1 else beta * x)


def addr(call):
    first, second = (aligned(call.inputs[k], call.dims[k], 1) for k in (1, 2))
    return added(call, first.unsqueeze(-1) * second.unsqueeze(-2), 2)


# -- convolutions --------------------------------------------------------------------------------------------------


def convolution(call):
    """The batch beside the rows; or, where each example has its own weight, in the groups."""
    x, weight, bias = call.inputs
    if not call.is_batched(1) and not call.is_batched(2):
        x = call.front(0)
        return call.run([x.flatten(0, 1), weight, bias])[0].unflatten(0, x.shape[:2])
    x = in_channels(call.front(0))
    weight = call.front(1).flatten(0, 1)
    bias = None if bias is None else call.front(2).flatten(0, 1)
    call.set_option("groups", call.option("groups") * call.size)
    return out_of_channels(call.run([x, weight, bias])[0], call.size)


def convolution_input_grad(call):
    if call.is_batched(0) and not call.is_batched(1):
        grad = call.front(0)
        return call.run([grad.flatten(0, 1), call.inputs[1]])[0].unflatten(0, grad.shape[:2])
    call.set_option("groups", call.option("groups") * call.size)
    return out_of_channels(call.run([in_channels(call.front(0)), call.front(1).flatten(0, 1)])[0], call.size)


def convolution_weight_grad(call):
    call.set_option("groups", call.option("groups") * call.size)
    return call.run([in_channels(call.front(0)), in_channels(call.front(1))])[0].unflatten(0, (call.size, -1))


def in_channels(x):
    """(batch, rows, channels, ...) -> (rows, batch * channels, ...)"""
    return fns.movedim(x, 0, 1).flatten(1, 2)


def out_of_channels(x, size):
    return fns.movedim(x.unflatten(1, (size, -1)), 1, 0)


# -- lookups -------------------------------------------------------------------------------------------------------


def along(x, rank, position):
    """The numbers of the batch, shaped to stand in dim 0 of an index of ``rank`` more dims."""
    return fns.arange(x).reshape(x, *[1] * rank) + position


def index(call):
    """``x[indices]``: the numbers of the batch are one more index in front, where an index is batched."""
    at = tuple(call.option("at"))
    if not any(d is not None for d in call.dims[1]):
        call.set_option("at", tuple([a + 1 for a in at]))
        out = call.run([call.front(0), call.inputs[1]])[0]
        return first_is_batch(out, at, max([i.ndim for i in call.inputs[1]]))
    found, rank = numbered(call, at)
    return fns.movedim(call.run([indexed_first(call.front(0), at), found])[0], *places_of_indices(at, rank, back=True))


def index_put(call):
    """``x[indices] = values``, in the same way."""
    at = tuple(call.option("at"))
    found, rank = numbered(call, at)
    values = aligned(call.front(2), 0, rank + call.rank(0) - len(at))
    if values.ndim > rank:
        values = fns.movedim(values, *places_of_indices(at, rank))
    return indexed_back(call.run([indexed_first(call.front(0), at), found, values])[0], at)


def index_backward(call):
    """The gradient of :func:`index`, added up in the same way."""
    at, shape = tuple(call.option("at")), list(call.option("shape"))
    found, rank = numbered(call, at)
    rest = [size for dim, size in enumerate(shape) if dim not in at]
    call.set_option("shape", (call.size, *[shape[a] for a in at], *rest))
    return indexed_back(call.run([fns.movedim(call.front(0), *places_of_indices(at, rank)), found])[0], at)


def numbered(call, at):
    """The indices with the numbers of the batch in front of them, for the first dims; and of how many dims they are."""
    indices, dims = call.inputs[1], call.dims[1]
    rank = max([i.ndim - (d is not None) for i, d in zip(indices, dims, strict=True)])
    call.set_option("at", tuple(range(len(at) + 1)))
    return [along(call.size, rank, 0), *[aligned(i, d, rank) for i, d in zip(indices, dims, strict=True)]], rank


def indexed_first(x, at):
    """A batch with the dims ``at`` of its examples before the others."""
    return fns.movedim(x, [a + 1 for a in at], list(range(1, len(at) + 1)))


def indexed_back(x, at):
    """And with those dims where they were."""
    return fns.movedim(x, list(range(1, len(at) + 1)), [a + 1 for a in at])


def places_of_indices(at, rank, back=False):
    """From where to where the dims of what ``at`` selects move, to stand in front; ``back``: to stand where they belong."""
    first = 0 if is_apart(at) else at[0]
    inside, front = [[start + k for k in range(rank)] for start in (first + 1, 1)]
    return (front, inside) if back else (inside, front)


def is_apart(at):
    """Whether index dims are not neighbours: then what they select comes first."""
    return any(b - a != 1 for a, b in zip(at, at[1:], strict=False))


def first_is_batch(out, at, rank):
    """Where the index dims are not neighbours, what they select stands before the batch."""
    return fns.movedim(out, rank, 0) if is_apart(at) else out


def embedding(call):
    if call.is_batched(1) and not call.is_batched(0):
        return call.run([call.inputs[0], call.front(1)])
    weight, indices = call.front(0), call.front(1)
    many = weight.shape[1]
    if call.option("padding_idx") != -1 and call.option("padding_idx") is not None:
        return None
    return call.run([weight.flatten(0, 1), indices + along(call.size, indices.ndim - 1, 0) * many])


def embedding_backward(call):
    if call.option("padding_idx") >= 0 or call.option("scale_grad_by_freq"):
        return None
    g, indices, many = call.front(0), call.front(1), call.option("num_weights")
    call.set_option("num_weights", many * call.size)
    return call.run([g, indices + along(call.size, indices.ndim - 1, 0) * many])[0].unflatten(0, (call.size, many))


def index_select(call):
    if call.is_batched(1):
        x, index, rank = call.front(0), call.front(1), call.rank(0)
        if rank == 0:
            return None
        position = shift(call.option("dim"), rank)
        index = index.reshape(call.size, -1)
        shape = [call.size, *[1] * rank]
        shape[position] = index.shape[1]
        wide = list(x.shape)
        wide[position] = index.shape[1]
        return x.gather(position, index.reshape(shape).expand(wide))
    if call.rank(0) == 0:
        return None
    call.set_option("dim", shift(call.option("dim"), call.rank(0)))
    return call.run([call.front(0), call.inputs[1]])


def with_plain_index(call):
    """``index_add`` and its like, where the index is the same for all."""
    if call.is_batched(1) or call.rank(0) == 0:
        return None
    if call.op.name == "index_fill":
        if call.is_batched(2):
            return None
    elif call.rank(2) != call.rank(0):
        return None
    call.set_option("dim", shift(call.option("dim"), call.rank(0)))
    last = call.inputs[2] if call.op.name == "index_fill" else call.front(2)
    return call.run([call.front(0), call.inputs[1], last])


def scatter(call):
    inputs = [None if x is None else call.in_front(x, d) for x, d in zip(call.inputs, call.dims, strict=True)]
    if call.rank(0) == 0 or any(isinstance(x, TensorBase) and x.ndim != inputs[0].ndim for x in inputs):
        return None
    rank = call.rank(0)
    if "shape" in call.op.options:
        rank = len(call.option("shape"))
        call.set_option("shape", (call.size, *call.option("shape")))
    call.set_option("dim", shift(call.option("dim"), rank))
    return call.run(inputs)


def masked_fill(call):
    rank = max(call.rank(0), call.rank(1))
    x, mask = (aligned(call.inputs[k], call.dims[k], rank) for k in (0, 1))
    value = call.inputs[2]
    if isinstance(value, TensorBase):
        value = aligned(value.to(x.dtype), call.dims[2], rank)
        return fns.where(mask, value, x)
    return fns.masked_fill(x, mask, value)


def masked_select(call):
    if not call.is_batched(1):
        x, mask = aligned(call.inputs[0], call.dims[0], max(call.rank(0), call.rank(1))), call.inputs[1]
        shape = broadcast(tuple(x.shape[1:]), tuple(mask.shape))
        return x.expand(call.size, *shape)[:, mask.expand(shape)]
    raise RuntimeError("vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because "
                       "for each batch this would return a differently shaped Tensor. Please file an issue at "
                       "https://github.com/pytorch/pytorch/issues if you need this feature.")


def nonzero(call):
    raise dynamic("nonzero")


def max_of_all(call):
    x = call.front(0).reshape(call.size, -1)
    return x.amax(1) if call.op.name == "_max_all" else x.amin(1)


def median_of_all(call):
    x = call.front(0).reshape(call.size, -1)
    return (x.median(1) if call.op.name == "_median_all" else x.nanmedian(1))[0]


def fill(call):
    x, value = call.front(0), call.inputs[1]
    if not isinstance(value, TensorBase):
        return call.run([x, value])
    return aligned(value.to(x.dtype), call.dims[1], call.rank(0)).expand(x.shape).clone()


def trace(call):
    return fns.diagonal(call.front(0), 0, -2, -1).sum(-1)


def pad_adjoint(call):
    call.set_option("size", (call.size, *call.option("size")))
    return call.run([call.front(0)])


def as_strided(call):
    raise RuntimeError("vmap: as_strided names places in memory, which each example has in common with the others. Use the "
                       "views that it stands for: select, narrow, transpose, unfold.")


RULES = {
    "trace": trace, "_pad_by_position_adjoint": pad_adjoint, "_as_strided": as_strided, "_move_strided": as_strided,
    "index_reduce": with_plain_index,
    "view": to_shape, "_reshape_alias": to_shape, "_unsafe_view": to_shape, "expand": expand, "repeat": repeat,
    "squeeze": squeeze, "t": transpose_matrix, "permute": permute, "roll": roll,
    "mm": matmul, "bmm": matmul, "_matmul_batched": matmul, "mv": mv, "_vecmat": vecmat, "dot": dot, "vdot": dot,
    "linear": linear, "addmm": lambda call: added(call, matmul(call, 1, 2), 2),
    "baddbmm": lambda call: added(call, matmul(call, 1, 2), 3),
    "addbmm": lambda call: added(call, matmul(call, 1, 2).sum(-3), 2),
    "addmv": lambda call: added(call, mv(call, 1, 2), 1), "addr": addr,
    "convolution": convolution, "_convolution_input_grad": convolution_input_grad,
    "_convolution_weight_grad": convolution_weight_grad,
    "_index": index, "_index_put": index_put, "_index_backward": index_backward,
    "_embedding": embedding, "embedding_dense_backward": embedding_backward,
    "index_select": index_select, "index_add": with_plain_index, "index_copy": with_plain_index,
    "index_fill": with_plain_index, "gather": scatter, "_gather_backward": scatter, "scatter": scatter,
    "scatter_add": scatter, "scatter_reduce": scatter, "masked_fill": masked_fill, "masked_select": masked_select,
    "_nonzero": nonzero, "_max_all": max_of_all, "_min_all": max_of_all, "_median_all": median_of_all,
    "_nanmedian_all": median_of_all, "fill": fill,
}


# -- put together from other ops -----------------------------------------------------------------------------------


def max_pool(x, places, kernel, stride, padding, dilation):
    positions = fns._max_pool_positions(x, places, kernel, stride, padding, dilation)
    return fns._pool_gather(x, positions, len(kernel))


def nll(x, target, weight, reduction, ignore_index):
    dim = 1 if x.ndim > 1 else 0
    valid = target != ignore_index
    target = fns.where(valid, target, 0)
    share = valid.to(x.dtype) if weight is None else weight.detach()[target] * valid
    losses = -x.gather(dim, target.unsqueeze(dim)).squeeze(dim) * share
    if reduction == "none":
        return losses
    return losses.sum() / share.sum() if reduction == "mean" else losses.sum()


def standardized(x, weight, bias, view, grid, affine, eps):
    """``(out, mean, variance)`` of ``_normalize``."""
    groups = x.reshape(view)
    mean = groups.mean((0, 2), keepdim=True)
    variance = ((groups - mean) ** 2).mean((0, 2), keepdim=True)
    out = ((groups - mean) * (variance + eps).rsqrt()).reshape(grid)
    if weight is not None:
        out = out * weight.reshape(affine)
    if bias is not None:
        out = out + bias.reshape(affine)
    return out.reshape(x.shape), mean.detach().reshape(-1), variance.detach().reshape(-1)


def normalize(x, weight, bias, view, grid, affine, eps, by_channel):
    return standardized(x, weight, bias, view, grid, affine, eps)[0]


DECOMPOSED = {"_max_pool": max_pool, "_nll_loss": nll, "_normalize": normalize, "_normalize_images": normalize,
              "_normalize_with_moments": standardized}
