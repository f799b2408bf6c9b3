"""Python objects from rank to rank, as pickles: only among ranks of one program, for a pickle can run anything."""
import io
import pickle

from leafward.arrays import reducing
from leafward.core.from_array import tensor_from_array
from leafward.distributed import collectives, point_to_point
from leafward.distributed.collectives import check_list_on_root, member, rank_or_first


def pickled(value):
    """A value as a tensor of bytes."""
    file = io.BytesIO()
    pickle.Pickler(file).dump(value)
    return tensor_from_array(reducing.from_bytes(file.getvalue()))


def unpickled(tensor):
    """And back."""
    return pickle.loads(tensor._array.tobytes())


def number(value=0):
    return tensor_from_array(reducing.numbers([value]))


def buffer(size):
    return tensor_from_array(reducing.empty_flat(int(size), "uint8"))


def joined(parts):
    """Tensors of bytes one behind the other."""
    return tensor_from_array(reducing.together([part._array for part in parts], "uint8"))


def sizes_of(tensor, group):
    """How many bytes each rank has."""
    sizes = [number() for _ in range(group.size())]
    collectives.all_gather(sizes, number(tensor.numel()), group)
    return [size.item() for size in sizes]


def padded(tensor, size):
    """A tensor of bytes, with whatever behind it."""
    longer = buffer(size)
    longer._array[:tensor.numel()] = tensor._array
    return longer


def all_gather_object(object_list, obj, group=None):
    """Give the objects of all ranks to all ranks.

    object_list: a list as long as there are ranks, which is filled
    obj: what this rank gives
    group: which ranks; None: all

    >>> def gathered(rank):
    ...     found = [None, None]
    ...     lw.distributed.all_gather_object(found, {"rank": rank})
    ...     return found
    >>> lw.distributed.run_ranks(gathered, 2)[1]
    [{'rank': 0}, {'rank': 1}]
    """
    group = member(group, "all_gather_object")
    if group is None:
        return
    mine = pickled(obj)
    sizes = sizes_of(mine, group)
    parts = [buffer(max(sizes)) for _ in sizes]
    collectives.all_gather(parts, padded(mine, max(sizes)), group)
    for rank, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        object_list[rank] = unpickled(part[:size])


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    """Give the objects of all ranks to rank ``dst``.

    obj: what this rank gives
    object_gather_list: on ``dst``, a list as long as there are ranks, which is filled
    dst, group_dst: which rank, counted among all or in the group; None: the first
    group: which ranks; None: all

    >>> def gathered(rank):
    ...     found = [None, None] if rank == 0 else None
    ...     lw.distributed.gather_object("of " + str(rank), found)
    ...     return found
    >>> lw.distributed.run_ranks(gathered, 2)
    [['of 0', 'of 1'], None]
    """
    group = member(group, "gather_object")
    if group is None:
        return
    root = rank_or_first(group, dst, group_dst)
    here = root == group.rank()
    check_list_on_root("gather", object_gather_list, here)
    mine = pickled(obj)
    sizes = sizes_of(mine, group)
    parts = [buffer(max(sizes)) for _ in sizes] if here else None
    collectives.gather(padded(mine, max(sizes)), parts, group=group, group_dst=root)
    for rank in range(len(sizes) if here else 0):
        object_gather_list[rank] = unpickled(parts[rank][:sizes[rank]])


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """Give the objects of rank ``src`` to all ranks.

    object_list: what goes out on ``src``; elsewhere a list of the same length, which is filled
    src, group_src: which rank, counted among all or in the group; None: the first
    group: which ranks; None: all
    device: for PyTorch's programs

    >>> def given(rank):
    ...     found = ["a", 1] if rank == 0 else [None, None]
    ...     lw.distributed.broadcast_object_list(found)
    ...     return found
    >>> lw.distributed.run_ranks(given, 2)[1]
    ['a', 1]
    """
    group = member(group, "broadcast_object_list")
    if group is None:
        return
    root = rank_or_first(group, src, group_src)
    here = root == group.rank()
    mine = [pickled(value) for value in object_list] if here else None
    sizes = tensor_from_array(reducing.numbers([part.numel() for part in mine] if here else [0] * len(object_list)))
    collectives.broadcast(sizes, group=group, group_src=root)
    whole = joined(mine) if here else buffer(sum(sizes.tolist()))
    collectives.broadcast(whole, group=group, group_src=root)
    if not here:
        for position, part in enumerate(whole.split(sizes.tolist())):
            object_list[position] = unpickled(part)


def scatter_object_list(scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None):
    """Give each rank one of the objects of rank ``src``.

    scatter_object_output_list: a list whose first place is filled
    scatter_object_input_list: on ``src``, an object for each rank
    src, group_src: which rank, counted among all or in the group; None: the first
    group: which ranks; None: all

    >>> def part(rank):
    ...     found = [None]
    ...     lw.distributed.scatter_object_list(found, ["a", "b"] if rank == 0 else None)
    ...     return found
    >>> lw.distributed.run_ranks(part, 2)
    [['a'], ['b']]
    """
    group = member(group, "scatter_object_list")
    if group is None:
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    root = rank_or_first(group, src, group_src)
    here = root == group.rank()
    if here and len(scatter_object_input_list or ()) != group.size():
        raise ValueError(f"scatter_object_input_list needs an object for each of {group.size()} ranks")
    mine = [pickled(value) for value in scatter_object_input_list] if here else []
    size, largest = number(), number(max([part.numel() for part in mine], default=0))
    collectives.scatter(size, [number(part.numel()) for part in mine] if here else None, group=group, group_src=root)
    collectives.broadcast(largest, group=group, group_src=root)
    out = buffer(largest.item())
    collectives.scatter(out, [padded(part, largest.item()) for part in mine] if here else None, group=group, group_src=root)
    scatter_object_output_list[0] = unpickled(out[:size.item()])


def send_object_list(object_list, dst=None, group=None, device=None, group_dst=None, use_batch=False):
    """Send objects to one rank.

    object_list: what is sent
    dst, group_dst: to which rank, counted among all or in the group
    group: None: all ranks
    device, use_batch: for PyTorch's programs

    >>> def message(rank):
    ...     found = ["a"] if rank else [None]
    ...     _ = lw.distributed.send_object_list(found, 0) if rank else lw.distributed.recv_object_list(found, 1)
    ...     return found
    >>> lw.distributed.run_ranks(message, 2)
    [['a'], ['a']]
    """
    parts = [pickled(value) for value in object_list]
    sizes = tensor_from_array(reducing.numbers([part.numel() for part in parts]))
    point_to_point.send(sizes, dst, group, 0, group_dst)
    point_to_point.send(joined(parts), dst, group, 0, group_dst)


def recv_object_list(object_list, src=None, group=None, device=None, group_src=None, use_batch=False):
    """Receive objects from one rank: which.

    object_list: a list as long as the one that is sent, which is filled
    src, group_src: from which rank, counted among all or in the group; None: any
    group: None: all ranks
    device, use_batch: for PyTorch's programs

    >>> def message(rank):
    ...     found = [None, None]
    ...     return lw.distributed.send_object_list([1, 2], 0) if rank else lw.distributed.recv_object_list(found, 1), found
    >>> lw.distributed.run_ranks(message, 2)[0]
    (1, [1, 2])
    """
    sizes = tensor_from_array(reducing.numbers([0] * len(object_list)))
    source = point_to_point.recv(sizes, src, group, 0, group_src)
    if source == -1:
        return -1
    whole = buffer(sum(sizes.tolist()))
    point_to_point.recv(whole, source, group, 0)
    for position, part in enumerate(whole.split(sizes.tolist())):
        object_list[position] = unpickled(part)
    return source
