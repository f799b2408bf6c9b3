"""Collectives with gradients: the loss that backward begins with on each rank is a part of one sum over all ranks.

They give a new tensor and write to none; every rank has to run backward through them, in one order.
"""
from leafward.autograd.function import Function
from leafward.derive.functions import fns
from leafward.distributed import collectives
from leafward.distributed.reduce_op import ReduceOp, kind_of
from leafward.distributed.world import get_group_rank, group_or_default


class Total(Function):
    """A sum over ranks: what comes back to each is the sum of all gradients."""

    @staticmethod
    def forward(ctx, group, x):
        ctx.group = group
        total = x.detach().clone().contiguous()
        collectives.all_reduce(total, ReduceOp.SUM, group)
        return total

    @staticmethod
    def backward(ctx, g):
        return None, Total.apply(ctx.group, g)


class Gathered(Function):
    """All ranks' tensors one behind the other: what comes back is the sum of all gradients of one's own part."""

    @staticmethod
    def forward(ctx, group, x):
        ctx.group = group
        out = x.new_empty((group.size() * x.shape[0], *x.shape[1:]))
        collectives.all_gather_single(out, x.detach().contiguous(), group)
        return out

    @staticmethod
    def backward(ctx, g):
        return None, Scattered.apply(ctx.group, g)


class Scattered(Function):
    """A part of the sum over ranks for each: what comes back is all gradients, one behind the other."""

    @staticmethod
    def forward(ctx, group, x):
        ctx.group = group
        out = x.new_empty((x.shape[0] // group.size(), *x.shape[1:]))
        collectives.reduce_scatter_single(out, x.detach().contiguous(), ReduceOp.SUM, group)
        return out

    @staticmethod
    def backward(ctx, g):
        return None, Gathered.apply(ctx.group, g)


class Exchanged(Function):
    """Rows to each rank and rows from each: the gradients go back the same way."""

    @staticmethod
    def forward(ctx, group, came, went, x):
        ctx.group, ctx.came, ctx.went = group, came, went
        rows = x.shape[0] if came is None else sum(came)
        out = x.new_empty((rows, *x.shape[1:]))
        collectives.all_to_all_single(out, x.detach().contiguous(), came, went, group)
        return out

    @staticmethod
    def backward(ctx, g):
        return None, None, None, Exchanged.apply(ctx.group, ctx.went, ctx.came, g)


class Given(Function):
    """One rank's tensor on all: what comes back to it is the sum of all gradients, and nothing to the others."""

    @staticmethod
    def forward(ctx, group, root, x):
        ctx.group, ctx.root = group, root
        out = x.detach().clone().contiguous()
        collectives.broadcast(out, group=group, group_src=root)
        return out

    @staticmethod
    def backward(ctx, g):
        total = Total.apply(ctx.group, g)
        return None, None, total if ctx.group.rank() == ctx.root else total * 0


class Reduced(Function):
    """A sum over ranks on one of them: what comes back to each is the gradient there."""

    @staticmethod
    def forward(ctx, group, root, x):
        ctx.group, ctx.root = group, root
        total = x.detach().clone().contiguous()
        collectives.reduce(total, group=group, group_dst=root)
        return total

    @staticmethod
    def backward(ctx, g):
        return None, None, Given.apply(ctx.group, ctx.root, g)


class Collected(Function):
    """All ranks' tensors, stacked, on one of them, and zeros elsewhere: each gets the gradient of its own back."""

    @staticmethod
    def forward(ctx, group, root, x):
        ctx.group, ctx.root = group, root
        out = x.new_zeros((group.size(), *x.shape))
        collectives.gather(x.detach().contiguous(), list(out.unbind(0)) if group.rank() == root else None, group=group,
                           group_dst=root)
        return out

    @staticmethod
    def backward(ctx, g):
        return None, None, Dealt.apply(ctx.group, ctx.root, g)


class Dealt(Function):
    """One of one rank's stacked tensors for each: the gradients are collected there."""

    @staticmethod
    def forward(ctx, group, root, stacked):
        ctx.group, ctx.root = group, root
        out = stacked.new_empty(stacked.shape[1:])
        collectives.scatter(out, list(stacked.detach().contiguous().unbind(0)) if group.rank() == root else None, group=group,
                            group_src=root)
        return out

    @staticmethod
    def backward(ctx, g):
        return None, None, Collected.apply(ctx.group, ctx.root, g)


def all_reduce(tensor, op=ReduceOp.SUM, group=None):
    """The sum, or the mean, of the tensors of all ranks.

    tensor: what this rank gives
    op: ``SUM`` or ``AVG``
    group: which ranks; None: all

    >>> def gradient(rank):
    ...     x = lw.tensor([1.0 + rank], requires_grad=True)
    ...     (all_reduce(x) * (rank + 1)).sum().backward()
    ...     return x.grad.item()
    >>> lw.distributed.run_ranks(gradient, 2)
    [3.0, 3.0]
    """
    group, kind = group_or_default(group), kind_of(op)
    if kind.name not in ("SUM", "AVG"):
        raise NotImplementedError(f"{kind} over ranks has no gradient here: use SUM or AVG")
    total = Total.apply(group, tensor)
    return total / group.size() if kind.name == "AVG" else total


def all_gather(tensor, group=None):
    """The tensors of all ranks, as a tuple.

    tensor: what this rank gives
    group: which ranks; None: all

    >>> lw.distributed.run_ranks(lambda rank: all_gather(lw.ones(1) * rank)[1].item(), 2)
    [1.0, 1.0]
    """
    group = group_or_default(group)
    return Gathered.apply(group, tensor.unsqueeze(0)).unbind(0)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None):
    """The sum over ranks of one tensor of each one's list: rank k gets that of the k-th.

    output: what the result is like; it is not written
    input_list: what this rank gives, a tensor for each rank
    op: ``SUM`` or ``AVG``
    group: which ranks; None: all

    >>> lw.distributed.run_ranks(lambda rank: reduce_scatter(lw.ones(1), [lw.ones(1), lw.ones(1) * 2]).item(), 2)
    [2.0, 4.0]
    """
    group, kind = group_or_default(group), kind_of(op)
    if kind.name not in ("SUM", "AVG"):
        raise NotImplementedError(f"{kind} over ranks has no gradient here: use SUM or AVG")
    whole = fns.stack(input_list)
    part = Scattered.apply(group, whole).squeeze(0)
    return part / group.size() if kind.name == "AVG" else part


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None):
    """Some rows of this rank's tensor to each rank, and some from each.

    output: what the result is like; it is not written
    input: what this rank gives
    output_split_sizes: how many rows come from each rank; None: equally many
    input_split_sizes: how many rows go to each rank; None: equally many
    group: which ranks; None: all

    >>> lw.distributed.run_ranks(lambda rank: all_to_all_single(lw.ones(2), lw.arange(2.0) + 10 * rank).tolist(), 2)
    [[0.0, 10.0], [1.0, 11.0]]
    """
    return Exchanged.apply(group_or_default(group), output_split_sizes, input_split_sizes, input)


def broadcast(tensor, src, group=None):
    """The tensor of rank ``src``, on all ranks.

    tensor: what ``src`` gives; elsewhere what it is like
    src: which rank, counted among all
    group: which ranks; None: all

    >>> lw.distributed.run_ranks(lambda rank: broadcast(lw.ones(1) * rank, 1).item(), 2)
    [1.0, 1.0]
    """
    group = group_or_default(group)
    return Given.apply(group, get_group_rank(group, src), tensor)


def reduce(tensor, dst, op=ReduceOp.SUM, group=None):
    """The sum of the tensors of all ranks, on rank ``dst``; elsewhere what was given.

    tensor: what this rank gives
    dst: which rank gets the sum, counted among all
    op: ``SUM``
    group: which ranks; None: all

    >>> lw.distributed.run_ranks(lambda rank: reduce(lw.ones(1) * (rank + 1), 0).item(), 2)
    [3.0, 2.0]
    """
    group = group_or_default(group)
    if kind_of(op).name != "SUM":
        raise NotImplementedError(f"{kind_of(op)} over ranks to one of them has no gradient here: use SUM")
    return Reduced.apply(group, get_group_rank(group, dst), tensor)


def gather(tensor, dst=0, group=None):
    """The tensors of all ranks on rank ``dst``, as a tuple; elsewhere zeros.

    tensor: what this rank gives
    dst: which rank gets them, counted among all
    group: which ranks; None: all

    >>> lw.distributed.run_ranks(lambda rank: [x.item() for x in gather(lw.ones(()) * (rank + 1))], 2)
    [[1.0, 2.0], [0.0, 0.0]]
    """
    group = group_or_default(group)
    return Collected.apply(group, get_group_rank(group, dst), tensor).unbind(0)


def scatter(tensors, src=0, group=None):
    """One of the tensors of rank ``src`` for each rank.

    tensors: on ``src``, a tensor for each rank; elsewhere what they are like
    src: which rank has them, counted among all
    group: which ranks; None: all

    >>> lw.distributed.run_ranks(lambda rank: scatter([lw.ones(()) * (rank + k) for k in range(2)]).item(), 2)
    [0.0, 1.0]
    """
    group = group_or_default(group)
    return Dealt.apply(group, get_group_rank(group, src), fns.stack(tensors))


def all_to_all(output_tensor_list, input_tensor_list, group=None):
    """One tensor to each rank, and one from each, as a tuple.

    output_tensor_list: what the results are like; they are not written
    input_tensor_list: what this rank gives, a tensor for each rank
    group: which ranks; None: all

    >>> def exchanged(rank):
    ...     return [x.item() for x in all_to_all([lw.ones(()), lw.ones(())], [lw.tensor(10.0 * rank + k) for k in range(2)])]
    >>> lw.distributed.run_ranks(exchanged, 2)
    [[0.0, 10.0], [1.0, 11.0]]
    """
    come, go = ([tensor.numel() for tensor in tensors] for tensors in (output_tensor_list, input_tensor_list))
    flat = Exchanged.apply(group_or_default(group), come, go, fns.cat([tensor.reshape(-1) for tensor in input_tensor_list]))
    return tuple([part.reshape(like.shape) for part, like in zip(flat.split(come), output_tensor_list, strict=True)])
