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
