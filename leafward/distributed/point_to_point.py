"""Messages from one rank to another."""
from leafward.distributed import checks
from leafward.distributed.calls import Call, Written, flat_to_read
from leafward.distributed.collectives import member, rank_in
from leafward.distributed.world import get_global_rank, get_rank, group_or_default, is_member


def check_other(rank, group, word):
    """Refuse a message to oneself, and to ranks that do not exist."""
    if rank == group.rank():
        raise RuntimeError(f"Invalid {word} rank: a rank does not send to itself")
    if not 0 <= rank < group.size():
        raise ValueError(f"Invalid {word} rank: {rank}: the group has {group.size()} ranks")


def check_whole(tensor):
    """Refuse what gloo refuses: tensors whose elements do not lie in order."""
    if not tensor.is_contiguous():
        raise RuntimeError("input tensor has to be contiguous")


def isend(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Send a tensor: a ``Work``, until whose end it must not be written.

    tensor: what is sent
    dst, group_dst: to which rank, counted among all or in the group
    group: None: all ranks
    tag: a number that the receiver asks for

    >>> def message(rank):
    ...     x = lw.ones(1) * rank
    ...     work = lw.distributed.isend(x, 0) if rank else lw.distributed.irecv(x, 1)
    ...     work.wait()
    ...     return x.item()
    >>> lw.distributed.run_ranks(message, 2)
    [1.0, 1.0]
    """
    checks.check_tensor(tensor, "tensor")
    group = member(group, "isend")
    if group is None:
        return None
    root = rank_in(group, None, dst, group_dst)
    check_other(root, group, "destination")
    check_whole(tensor)
    flat = flat_to_read(tensor)
    return group.start(Call("send", "send", data=flat, root=root, tag=tag, shape=tensor.shape, size=flat.size))


def irecv(tensor, src=None, group=None, tag=0, group_src=None):
    """Receive a tensor: a ``Work``, after whose end it is there.

    tensor: where it comes
    src, group_src: from which rank, counted among all or in the group; None: any
    group, tag: as for :func:`isend`

    >>> def message(rank):
    ...     x = lw.ones(1) * rank
    ...     work = lw.distributed.isend(x, 0) if rank else lw.distributed.irecv(x)
    ...     return work.wait(), x.item()
    >>> lw.distributed.run_ranks(message, 2)
    [(True, 1.0), (True, 1.0)]
    """
    checks.check_tensor(tensor, "tensor")
    group = member(group, "irecv")
    if group is None:
        return None
    root = None
    if src is not None or group_src is not None:
        root = rank_in(group, None, src, group_src)
        check_other(root, group, "source")
    check_whole(tensor)
    flat = flat_to_read(tensor)
    call = Call("recv", "recv", out=flat, root=root, tag=tag, shape=tensor.shape, size=flat.size)
    return group.start(call, Written(call, [tensor], [flat]).fill)


def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Send a tensor, and wait until it may be written again.

    tensor, dst, group, tag, group_dst: as for :func:`isend`

    >>> def message(rank):
    ...     x = lw.ones(1) * rank
    ...     return lw.distributed.send(x, 0) if rank else lw.distributed.recv(x, 1)
    >>> lw.distributed.run_ranks(message, 2)
    [1, None]
    """
    if is_member(group) and rank_in(group_or_default(group), None, dst, group_dst) == get_rank(group):
        raise ValueError("Invalid destination rank: destination rank should not be the same as the rank of the current "
                         "process.")
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    """Receive a tensor: the rank that sent it; -1 outside the group.

    tensor, src, group, tag, group_src: as for :func:`irecv`

    >>> def message(rank):
    ...     x = lw.zeros(1)
    ...     return lw.distributed.recv(x) if rank == 0 else lw.distributed.send(x + rank, 0)
    >>> lw.distributed.run_ranks(message, 2)
    [1, None]
    """
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return get_global_rank(group_or_default(group), work.source_rank())


class P2POp:
    """One message of :func:`batch_isend_irecv`.

    op: ``isend`` or ``irecv``
    tensor: what is sent, or where it comes
    peer, group_peer: the other rank, counted among all or in the group
    group, tag: as for :func:`isend`

    >>> lw.distributed.run_ranks(lambda rank: lw.distributed.P2POp(lw.distributed.isend, lw.ones(1), 1 - rank).peer, 2)
    [1, 0]
    """

    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise ValueError("Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                             "``torch.distributed.irecv``.")
        checks.check_tensor(tensor, "tensor")
        self.op, self.tensor, self.group, self.tag = op, tensor, group_or_default(group), tag
        self.group_peer = rank_in(self.group, None, peer, group_peer)
        self.peer = get_global_rank(self.group, self.group_peer)

    def __repr__(self):
        return f"P2POp({self.op.__name__}, {tuple(self.tensor.shape)}, rank {get_rank()} with {self.peer})"


def batch_isend_irecv(p2p_op_list):
    """Several messages at once: a list of ``Work``.

    p2p_op_list: of :class:`P2POp`

    >>> def ring(rank):
    ...     x, y, dist = lw.ones(1) * rank, lw.zeros(1), lw.distributed
    ...     ops = [dist.P2POp(dist.isend, x, (rank + 1) % 3), dist.P2POp(dist.irecv, y, (rank + 2) % 3)]
    ...     for work in dist.batch_isend_irecv(ops):
    ...         _ = work.wait()
    ...     return y.item()
    >>> lw.distributed.run_ranks(ring, 3)
    [2.0, 0.0, 1.0]
    """
    if not isinstance(p2p_op_list, list) or not all([isinstance(one, P2POp) for one in p2p_op_list]):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    first = p2p_op_list[0].group
    if any([one.group is not first for one in p2p_op_list]):
        raise ValueError("All ops need to use the same group.")
    return [one.op(one.tensor, group=one.group, tag=one.tag, **{
        "group_dst" if one.op is isend else "group_src": one.group_peer}) for one in p2p_op_list]
