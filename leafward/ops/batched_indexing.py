"""Indexing of batches: the numbers of the examples are one more index in front."""
from leafward.ops.dims import broadcast


def index_batch(fns, call):
    """``x[indices]``: the numbers of the batch are one more index in front, where an index is batched."""
    at = tuple(call.option("at"))
    if not any(d is not None for d in call.dims[1]):
        call.set_option("at", tuple([a + 1 for a in at]))
        out = call.run([call.front(0), call.inputs[1]])[0]
        return first_is_batch(fns, out, at, max([i.ndim for i in call.inputs[1]]))
    found, rank = numbered(call, at)
    return fns.movedim(call.run([indexed_first(fns, call.front(0), at), found])[0], *places_of_indices(at, rank, back=True))


def index_put_batch(fns, call):
    """``x[indices] = values``, in the same way."""
    at = call.option("at")
    if isinstance(at, Exception):
        raise at
    found, rank = numbered(call, at)
    values = call.align(call.front(2), 0, rank + call.rank(0) - len(at))
    if values.ndim > rank:
        values = fns.movedim(values, *places_of_indices(at, rank))
    return indexed_back(fns, call.run([indexed_first(fns, call.front(0), at), found, values])[0], at)


def index_backward_batch(fns, call):
    """The gradient of :func:`index_batch`, added up in the same way."""
    at, shape = tuple(call.option("at")), list(call.option("shape"))
    found, rank = numbered(call, at)
    rest = [size for dim, size in enumerate(shape) if dim not in at]
    call.set_option("shape", (call.size, *[shape[a] for a in at], *rest))
    return indexed_back(fns, call.run([fns.movedim(call.front(0), *places_of_indices(at, rank)), found])[0], at)


def numbered(call, at):
    """The indices with the numbers of the batch in front of them, for the first dims; and of how many dims they are."""
    indices, dims = call.inputs[1], call.dims[1]
    rank = max([i.ndim - (d is not None) for i, d in zip(indices, dims, strict=True)])
    call.set_option("at", tuple(range(len(at) + 1)))
    return [call.numbers(rank), *[call.align(i, d, rank) for i, d in zip(indices, dims, strict=True)]], rank


def indexed_first(fns, x, at):
    """A batch with the dims ``at`` of its examples before the others."""
    return fns.movedim(x, [a + 1 for a in at], list(range(1, len(at) + 1)))


def indexed_back(fns, x, at):
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


def first_is_batch(fns, out, at, rank):
    """Where the index dims are not neighbours, what they select stands before the batch."""
    return fns.movedim(out, rank, 0) if is_apart(at) else out


def index_select_batch(fns, call):
    """By ``gather``, where each example has indices of its own."""
    rank = call.rank(0)
    if rank == 0:
        return None
    dim = call.shift(call.option("dim"), rank)
    if not call.is_batched(1):
        call.set_option("dim", dim)
        return call.run([call.front(0), call.inputs[1]])
    x, index = call.front(0), call.front(1).reshape(call.size, -1)
    shape, wide = [call.size, *[1] * rank], list(x.shape)
    shape[dim] = wide[dim] = index.shape[1]
    return x.gather(dim, index.reshape(shape).expand(wide))


def index_add_batch(fns, call):
    """``index_add`` and its like, where the index is the same for all."""
    if call.is_batched(1) or call.rank(0) == 0 or call.rank(2) != call.rank(0):
        return None
    call.set_option("dim", call.shift(call.option("dim"), call.rank(0)))
    return call.run([call.front(0), call.inputs[1], call.front(2)])


def index_fill_batch(fns, call):
    """The same, with one value for all."""
    if call.is_batched(1) or call.rank(0) == 0 or call.is_batched(2):
        return None
    call.set_option("dim", call.shift(call.option("dim"), call.rank(0)))
    return call.run([call.front(0), call.inputs[1], call.inputs[2]])


def masked_fill_batch(fns, call):
    """A choice, where the value is a tensor."""
    rank = max(call.rank(0), call.rank(1))
    x, mask = (call.aligned(k, rank) for k in (0, 1))
    if call.is_tensor(2):
        return fns.where(mask, call.align(call.inputs[2].to(x.dtype), call.dims[2], rank), x)
    return fns.masked_fill(x, mask, call.inputs[2])


def masked_select_batch(fns, call):
    """The same places of each example; masks of their own would select another number of them in each."""
    if not call.is_batched(1):
        x, mask = call.aligned(0, max(call.rank(0), call.rank(1))), call.inputs[1]
        shape = broadcast(tuple(x.shape[1:]), tuple(mask.shape))
        return x.expand(call.size, *shape)[:, mask.expand(shape)]
    raise RuntimeError("vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because "
                       "for each batch this would return a differently shaped Tensor. Please file an issue at "
                       "https://github.com/pytorch/pytorch/issues if you need this feature.")


def nonzero_batch(fns, call):
    """As many places as each example has."""
    raise call.dynamic()
