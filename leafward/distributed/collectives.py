"""The collectives: all ranks of a group call the same one, in one order, with tensors that fit together.

With ``async_op=True`` each gives a :class:`~leafward.distributed.work.Work` at once; the tensors are whole after its
``wait()``. Ranks outside the group are warned and do nothing. None of them is recorded for backward.
"""
import math

from leafward.arrays import reducing
from leafward.distributed import checks
from leafward.distributed.calls import Call, Written, flat_to_read
from leafward.distributed.reduce_op import ReduceOp
from leafward.distributed.work import Together
from leafward.distributed.world import get_group_rank, group_or_default, is_member, warn_not_in_group


def member(group, name):
    """The group; None, with a warning, where this rank is outside it."""
    if not is_member(group):
        warn_not_in_group(name)
        return None
    return group_or_default(group)


def rank_in(group, name, of_all, of_group):
    """A rank of the group, given as a rank of all or of the group."""
    if of_all is None and of_group is None:
        raise ValueError("Must specify global_rank or group_rank")
    if of_all is not None and of_group is not None:
        raise ValueError("Can't specify both group_rank and global_rank")
    rank = of_group if of_group is not None else get_group_rank(group, of_all)
    if name is not None:
        checks.check_root(name, rank, group.size())
    return rank


def rank_or_first(group, of_all, of_group):
    """A rank of the group, as :func:`rank_in` takes it; the first where none is given."""
    return 0 if of_all is None and of_group is None else rank_in(group, None, of_all, of_group)


#: How a collective's list of tensors is called where one rank alone has it: its argument, that rank's end, its direction.
LISTS = {"gather": ("gather_list", "destination", "output"), "scatter": ("scatter_list", "source", "input")}


def check_list_on_root(name, tensors, here):
    """Refuse a list on another rank than the root, and none there."""
    argument, end, _ = LISTS[name]
    if here and not tensors:
        raise ValueError(f"Argument ``{argument}`` must be specified on {end} rank.")
    if not here and tensors:
        raise ValueError(f"Argument ``{argument}`` must NOT be specified on non-{end} ranks.")


def with_list_on_root(name, tensor, tensors, group, of_all, of_group):
    """``(group, root, tensors)`` of a collective whose root has a tensor for each rank; outside the group it is None."""
    argument, _, way = LISTS[name]
    tensors = tensors or []
    checks.check_tensor(tensor, "tensor")
    checks.check_tensors(tensors, argument)
    checks.check_one_dtype(tensor, tensors)
    group = member(group, name)
    if group is None:
        return None, None, tensors
    root, size = rank_or_first(group, of_all, of_group), group.size()
    here = root == group.rank()
    check_list_on_root(name, tensors, here)
    checks.check_root(name, root, size)
    if here and len(tensors) != size:
        raise RuntimeError(f"ProcessGroupGloo::{name}: Incorrect {way} list size {len(tensors)}. {way.capitalize()} list size "
                           f"should be {size}, same as size of the process group.")
    checks.check_like(name, tensor, tensors)
    return group, root, tensors


def averaging(kind, flat, size, filled):
    """What ends a reduction: the division of an average, then the copy to where the tensor lies."""
    def finish():
        if kind == "AVG":
            flat[...] = flat / size
        filled.fill()
    return finish


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """Combine the tensors of all ranks; each rank's becomes the result.

    tensor: what goes in, and where the result comes
    op: how they are combined
    group: which ranks; None: all
    async_op: give a ``Work`` at once

    >>> def mean(rank):
    ...     x = lw.tensor([1.0, 2.0]) * rank
    ...     lw.distributed.all_reduce(x, lw.distributed.ReduceOp.AVG)
    ...     return x
    >>> lw.distributed.run_ranks(mean, 3)[0]
    tensor([1., 2.])
    """
    checks.check_tensor(tensor, "tensor")
    group = member(group, "all_reduce")
    if group is None:
        return None
    kind = checks.checked_reduction(op, tensor.dtype, "all_reduce")
    flat = flat_to_read(tensor)
    call = Call("allreduce", "all_reduce", data=flat, op=kind, shape=tensor.shape, size=flat.size)
    filled = Written(call, [tensor], [flat], counted=kind == "AVG")
    return group.run(call, async_op, averaging(kind, flat, group.there, filled))


def all_reduce_coalesced(tensors, op=ReduceOp.SUM, group=None, async_op=False):
    """:func:`all_reduce` of several tensors of one dtype at once.

    tensors: what goes in, and where the results come
    op, group: as for :func:`all_reduce`
    async_op: give a ``Future`` at once

    >>> def total(rank):
    ...     xs = [lw.ones(1), lw.ones(2)]
    ...     lw.distributed.all_reduce_coalesced(xs)
    ...     return xs
    >>> lw.distributed.run_ranks(total, 2)[0]
    [tensor([2.]), tensor([2., 2.])]
    """
    tensors = [tensors] if checks.is_tensor(tensors) else tensors
    checks.check_tensors(tensors, "tensors")
    checks.check_one_dtype(tensors)
    group = member(group, "all_reduce_coalesced")
    if group is None:
        return None
    if not tensors:
        raise NotImplementedError("There were no tensor arguments to this function: all_reduce_coalesced needs a list that is "
                                  "not empty")
    kind = checks.checked_reduction(op, tensors[0].dtype, "all_reduce")
    whole = reducing.together([flat_to_read(tensor) for tensor in tensors], tensors[0]._array.dtype)
    call = Call("allreduce", "all_reduce_coalesced", data=whole, op=kind, shape=whole.shape, size=whole.size)
    filled = Written(call, tensors, parts_of(whole, tensors), counted=kind == "AVG")
    work = group.run(call, async_op, averaging(kind, whole, group.there, filled))
    return work.get_future() if async_op else None          # as in PyTorch: no work


def parts_of(whole, tensors):
    """A flat array cut into parts as long as tensors."""
    parts, start = [], 0
    for tensor in tensors:
        parts.append(whole[start:start + tensor._array.size])
        start += tensor._array.size
    return parts


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    """Combine the tensors of all ranks; the tensor of rank ``dst`` becomes the result.

    tensor: what goes in, and on ``dst`` where the result comes
    dst, group_dst: which rank gets it, counted among all or in the group
    op, group, async_op: as for :func:`all_reduce`

    >>> def total(rank):
    ...     x = lw.tensor([float(rank)])
    ...     lw.distributed.reduce(x, dst=1)
    ...     return x.item()
    >>> lw.distributed.run_ranks(total, 3)[1]
    3.0
    """
    checks.check_tensor(tensor, "tensor")
    group = member(group, "reduce")
    if group is None:
        return None
    root = rank_in(group, "reduce", dst, group_dst)
    kind = checks.checked_reduction(op, tensor.dtype, "reduce")
    flat = flat_to_read(tensor)
    call = Call("reduce", "reduce", data=flat, op=kind, root=root, shape=tensor.shape, size=flat.size)
    here = root == group.rank()
    filled = Written(call, [tensor] if here else [], [flat] if here else [])
    return group.run(call, async_op, averaging(kind if here else None, flat, group.there, filled))


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    """Give the tensor of rank ``src`` to all ranks.

    tensor: what goes out on ``src``, and where it comes elsewhere
    src, group_src: which rank has it, counted among all or in the group
    group, async_op: as for :func:`all_reduce`

    >>> def given(rank):
    ...     x = lw.tensor([float(rank)])
    ...     lw.distributed.broadcast(x, src=1)
    ...     return x.item()
    >>> lw.distributed.run_ranks(given, 3)
    [1.0, 1.0, 1.0]
    """
    checks.check_tensor(tensor, "tensor")
    group = member(group, "broadcast")
    if group is None:
        return None
    root = rank_in(group, "broadcast", src, group_src)
    checks.check_taken(tensor.dtype)
    flat = flat_to_read(tensor)
    call = Call("broadcast", "broadcast", data=flat, root=root, shape=tensor.shape, size=flat.size)
    there = root != group.rank()
    filled = Written(call, [tensor] if there else [], [flat] if there else [])
    call.tensors = [tensor]
    return group.run(call, async_op, filled.fill)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """Give the tensors of all ranks to all ranks.

    tensor_list: where they come, one for each rank, in the order of ranks
    tensor: what this rank gives
    group, async_op: as for :func:`all_reduce`

    >>> def gathered(rank):
    ...     xs = [lw.zeros(1) for _ in range(2)]
    ...     lw.distributed.all_gather(xs, lw.tensor([float(rank)]))
    ...     return xs
    >>> lw.distributed.run_ranks(gathered, 2)[0]
    [tensor([0.]), tensor([1.])]
    """
    checks.check_tensors(tensor_list, "tensor_list")
    checks.check_tensor(tensor, "tensor")
    checks.check_one_dtype(tensor_list, tensor)
    group = member(group, "all_gather")
    if group is None:
        return None
    size = group.size()
    if len(tensor_list) != size:
        raise RuntimeError("ProcessGroupGloo::allgather: invalid output tensor list at index 0 (expected length "
                           f"{size}, got {len(tensor_list)})")
    checks.check_like("allgather", tensor, tensor_list)
    checks.check_taken(tensor.dtype)
    flat = flat_to_read(tensor)
    out = reducing.empty_flat(size * flat.size, flat.dtype)
    call = Call("allgather", "all_gather", data=flat, out=out, shape=tensor.shape, size=flat.size)
    return group.run(call, async_op, Written(call, tensor_list, parts_of(out, tensor_list)).fill)


def all_gather_single(output_tensor, input_tensor, group=None, async_op=False):
    """:func:`all_gather` into one tensor, one part behind the other.

    output_tensor: where they come, as many rows as all have together
    input_tensor: what this rank gives
    group, async_op: as for :func:`all_reduce`

    >>> def gathered(rank):
    ...     x = lw.zeros(4)
    ...     lw.distributed.all_gather_single(x, lw.tensor([1.0, 2.0]) * rank)
    ...     return x
    >>> lw.distributed.run_ranks(gathered, 2)[0]
    tensor([0., 0., 1., 2.])
    """
    checks.check_tensor(input_tensor, "input_tensor")
    checks.check_tensor(output_tensor, "output_tensor")
    group = member(group, "all_gather_single")
    if group is None:
        return None
    size = group.size()
    checks.check_taken(input_tensor.dtype)
    if output_tensor.dim() == 0 or output_tensor.shape[0] % size:
        raise RuntimeError("output tensor size must be equal to world_size times input tensor size")
    checks.check_like("allgather", input_tensor if input_tensor.dim() else input_tensor.reshape(1),
                      output_tensor.chunk(size)[:1])
    flat = flat_to_read(input_tensor)
    out = flat_to_read(output_tensor)
    call = Call("allgather", "all_gather_single", data=flat, out=out, shape=input_tensor.shape, size=flat.size)
    return group.run(call, async_op, Written(call, [output_tensor], [out]).fill)


#: The older name.
all_gather_into_tensor = all_gather_single


def all_gather_coalesced(output_tensor_lists, input_tensor_list, group=None, async_op=False):
    """:func:`all_gather` of several tensors at once.

    output_tensor_lists: where they come: a list for each rank
    input_tensor_list: what this rank gives
    group, async_op: as for :func:`all_reduce`

    >>> def gathered(rank):
    ...     xs = [[lw.zeros(1), lw.zeros(())] for _ in range(2)]
    ...     lw.distributed.all_gather_coalesced(xs, [lw.ones(1) * rank, lw.tensor(3.0)])
    ...     return xs
    >>> lw.distributed.run_ranks(gathered, 2)[0]
    [[tensor([0.]), tensor(3.)], [tensor([1.]), tensor(3.)]]
    """
    if not isinstance(output_tensor_lists, list):
        raise TypeError("Invalid function argument: output_tensor_lists should be a list")
    checks.check_tensors(input_tensor_list, "input_tensor_list")
    for outs in output_tensor_lists:
        checks.check_tensors(outs, "output_tensor_lists")
    group = member(group, "all_gather_coalesced")
    if group is None:
        return None
    works = []
    for position, tensor in enumerate(input_tensor_list):
        works.append(all_gather([outs[position] for outs in output_tensor_lists], tensor, group, async_op=True))
    together = all_of(works, async_op)
    return together.get_future() if async_op else None


def all_of(works, async_op):
    """Several works as one, waited for unless ``async_op``."""
    work = Together(works)
    if async_op:
        return work
    work.wait()
    return None


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    """Give the tensors of all ranks to rank ``dst``.

    tensor: what this rank gives
    gather_list: on ``dst``, where they come, one for each rank; None elsewhere
    dst, group_dst: which rank gets them, counted among all or in the group; None: the first
    group, async_op: as for :func:`all_reduce`

    >>> def gathered(rank):
    ...     xs = [lw.zeros(1) for _ in range(2)] if rank == 0 else None
    ...     lw.distributed.gather(lw.tensor([float(rank)]), xs)
    ...     return xs
    >>> lw.distributed.run_ranks(gathered, 2)
    [[tensor([0.]), tensor([1.])], None]
    """
    group, root, outs = with_list_on_root("gather", tensor, gather_list, group, dst, group_dst)
    if group is None:
        return None
    checks.check_taken(tensor.dtype, complex_too=False)
    flat = flat_to_read(tensor)
    out = reducing.empty_flat(len(outs) * flat.size, flat.dtype)
    call = Call("gather", "gather", data=flat, out=out, root=root, shape=tensor.shape, size=flat.size)
    return group.run(call, async_op, Written(call, outs, parts_of(out, outs)).fill)


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    """Give each rank one of the tensors of rank ``src``.

    tensor: where this rank's comes
    scatter_list: on ``src``, what goes out, one for each rank; None elsewhere
    src, group_src: which rank has them, counted among all or in the group; None: the first
    group, async_op: as for :func:`all_reduce`

    >>> def part(rank):
    ...     x = lw.zeros(1)
    ...     lw.distributed.scatter(x, [lw.ones(1), lw.ones(1) * 2] if rank == 0 else None)
    ...     return x.item()
    >>> lw.distributed.run_ranks(part, 2)
    [1.0, 2.0]
    """
    group, root, parts = with_list_on_root("scatter", tensor, scatter_list, group, src, group_src)
    if group is None:
        return None
    checks.check_taken(tensor.dtype)
    out = flat_to_read(tensor)
    data = reducing.together([flat_to_read(part) for part in parts], out.dtype)
    call = Call("scatter", "scatter", data=data, out=out, root=root, shape=tensor.shape, size=out.size)
    return group.run(call, async_op, Written(call, [tensor], [out]).fill)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    """Combine lists of tensors of all ranks; each rank gets the result for one place of the list.

    output: where this rank's comes
    input_list: what goes in, one tensor for each rank
    op, group, async_op: as for :func:`all_reduce`

    >>> def part(rank):
    ...     x = lw.zeros(1)
    ...     lw.distributed.reduce_scatter(x, [lw.ones(1), lw.ones(1) * 2])
    ...     return x.item()
    >>> lw.distributed.run_ranks(part, 2)
    [2.0, 4.0]
    """
    checks.check_tensor(output, "output")
    checks.check_tensors(input_list, "input_list")
    checks.check_one_dtype(output, input_list)
    group = member(group, "reduce_scatter")
    if group is None:
        return None
    if len(input_list) != group.size():
        raise RuntimeError("invalid input tensor list size, must be world size")
    for tensor in input_list:
        if tensor.numel() != output.numel():
            raise RuntimeError("ProcessGroupGloo::reduce_scatter: input tensors must have the size of the output")
    data = reducing.together([flat_to_read(tensor) for tensor in input_list], output._array.dtype)
    return scattered(output, data, op, group, async_op, "reduce_scatter")


def scattered(output, data, op, group, async_op, name):
    """What :func:`reduce_scatter` and :func:`reduce_scatter_single` have in common."""
    kind = checks.checked_reduction(op, output.dtype, name)
    out = flat_to_read(output)
    call = Call("reduce_scatter", name, data=data, out=out, op=kind, shape=output.shape, size=out.size)
    filled = Written(call, [output], [out])
    return group.run(call, async_op, averaging(kind, out, group.there, filled))


def reduce_scatter_single(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """:func:`reduce_scatter` of one tensor, whose parts lie one behind the other.

    output: where this rank's part comes
    input: what goes in, as many elements as all outputs have together
    op, group, async_op: as for :func:`all_reduce`

    >>> def part(rank):
    ...     x = lw.zeros(2)
    ...     lw.distributed.reduce_scatter_single(x, lw.arange(4.0))
    ...     return x.tolist()
    >>> lw.distributed.run_ranks(part, 2)
    [[0.0, 2.0], [4.0, 6.0]]
    """
    checks.check_tensor(output, "output")
    checks.check_tensor(input, "input")
    group = member(group, "reduce_scatter_single")
    if group is None:
        return None
    if input._dtype is not output._dtype:
        raise RuntimeError(f"input and output must have one dtype ({output.dtype} vs. {input.dtype})")
    if input.numel() != group.size() * output.numel():
        raise RuntimeError("input tensor must be the same size as output size times world size "
                           f"({group.size() * output.numel()} vs. {input.numel()})")
    # The group's memory may be the tensor's own: the arithmetic is done in a copy.
    return scattered(output, reducing.together([flat_to_read(input)], input._array.dtype), op, group, async_op,
                     "reduce_scatter_single")


#: The older name.
reduce_scatter_tensor = reduce_scatter_single


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """Give each rank one tensor, and get one from each.

    output_tensor_list: where they come, in the order of ranks
    input_tensor_list: what goes out, in the order of ranks
    group, async_op: as for :func:`all_reduce`

    >>> def exchanged(rank):
    ...     xs = [lw.zeros(1), lw.zeros(1)]
    ...     lw.distributed.all_to_all(xs, [lw.ones(1) * 10 * rank, lw.ones(1) * (10 * rank + 1)])
    ...     return [x.item() for x in xs]
    >>> lw.distributed.run_ranks(exchanged, 2)
    [[0.0, 10.0], [1.0, 11.0]]
    """
    checks.check_tensors(output_tensor_list, "output_tensor_list")
    checks.check_tensors(input_tensor_list, "input_tensor_list")
    checks.check_one_dtype(output_tensor_list, input_tensor_list)
    group = member(group, "all_to_all")
    if group is None:
        return None
    for name, tensors in (("input", input_tensor_list), ("output", output_tensor_list)):
        if len(tensors) != group.size():
            raise RuntimeError(f"ProcessGroupGloo::alltoall: {name} tensor list size {len(tensors)} does not match world size "
                               f"{group.size()}")
        checks.check_like("alltoall", tensors[0], tensors)
    checks.check_taken(input_tensor_list[0].dtype)
    data = reducing.together([flat_to_read(tensor) for tensor in input_tensor_list], input_tensor_list[0]._array.dtype)
    counts = [t.numel() for t in input_tensor_list], [t.numel() for t in output_tensor_list]
    out = reducing.empty_flat(sum(counts[1]), data.dtype)
    call = Call("alltoall", "all_to_all", data=data, out=out, counts=counts, shape=input_tensor_list[0].shape)
    return group.run(call, async_op, Written(call, output_tensor_list, parts_of(out, output_tensor_list)).fill)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    """Give each rank some rows of one tensor, and get some of each.

    output: where they come, one behind the other
    input: what goes out
    output_split_sizes: how many rows come from each rank; None: equally many
    input_split_sizes: how many rows go to each rank; None: equally many
    group, async_op: as for :func:`all_reduce`

    >>> def exchanged(rank):
    ...     x = lw.zeros(2)
    ...     lw.distributed.all_to_all_single(x, lw.tensor([10.0 * rank, 10.0 * rank + 1]))
    ...     return x.tolist()
    >>> lw.distributed.run_ranks(exchanged, 2)
    [[0.0, 10.0], [1.0, 11.0]]
    """
    checks.check_tensor(output, "output")
    checks.check_tensor(input, "input")
    checks.check_one_dtype(output, input)
    group = member(group, "all_to_all_single")
    if group is None:
        return None
    checks.check_taken(input.dtype)
    counts = []
    for tensor, splits in ((input, input_split_sizes), (output, output_split_sizes)):
        row = math.prod(tensor.shape[1:])
        counts.append([rows * row for rows in checks.check_splits(splits, tensor.shape[0], group.size())])
    data, out = flat_to_read(input), flat_to_read(output)
    call = Call("alltoall", "all_to_all_single", data=data, out=out, counts=counts, shape=input.shape)
    return group.run(call, async_op, Written(call, [output], [out]).fill)
