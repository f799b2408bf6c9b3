"""``load``: what is in a checkpoint, however many ranks saved it, into the tensors that are there."""
import math

from leafward.autograd.grad_mode import no_grad
from leafward.distributed.checkpoint.filesystem import FileSystemReader
from leafward.distributed.checkpoint.flat import flattened, put, states_of
from leafward.distributed.checkpoint.metadata import TensorStorageMetadata
from leafward.distributed.checkpoint.stateful import Stateful
from leafward.distributed.checkpoint.state_dict_saver import check_planner
from leafward.distributed.checkpoint.together import Ranks
from leafward.distributed.shards import InParts
from leafward.tensor.tensor import Tensor


def check(entries, metadata, partly):
    """Refuse what does not fit, before anything is read: the entries that there are."""
    wanted = {}
    for name, (path, value) in entries.items():
        about = metadata.state_dict_metadata.get(name)
        if about is None:
            if not partly:
                raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
            continue
        if isinstance(value, Tensor):
            if not isinstance(about, TensorStorageMetadata):
                raise ValueError(f"{name} is no tensor in the checkpoint")
            shape = value.part.shape if isinstance(value, InParts) else tuple(value.shape)
            if tuple(about.size) != shape:
                raise ValueError(f"Size mismatch between saved {about.size} and current: {shape} for {name}")
        wanted[name] = path, value, about
    return wanted


def stored_part(chunk, name, read):
    """A stored part, if it is what the manifest says."""
    found = read(chunk.offsets)
    if not isinstance(found, Tensor) or tuple(found.shape) != tuple(chunk.sizes):
        raise ValueError(f"{name} is damaged: its part at {tuple(chunk.offsets)} is not the tensor of shape "
                         f"{tuple(chunk.sizes)} that the manifest tells of")
    return found.detach()


def pieces(shape, begin, about, name, read):
    """``(where in a tensor, its values)``: whatever of a tensor, which begins at ``begin`` in the whole, stored parts have."""
    found, count = [], 0
    for chunk in about.chunks:
        starts = [max(a, b) for a, b in zip(begin, chunk.offsets, strict=True)]
        stops = [min(a + n, b + m) for a, n, b, m in zip(begin, shape, chunk.offsets, chunk.sizes, strict=True)]
        if any([stop <= start for start, stop in zip(starts, stops, strict=True)]):
            continue
        stored = stored_part(chunk, name, read)
        here = tuple([slice(start - a, stop - a) for start, stop, a in zip(starts, stops, begin, strict=True)])
        there = tuple([slice(start - a, stop - a) for start, stop, a in zip(starts, stops, chunk.offsets, strict=True)])
        needed = stored[there]
        # Of a part that others share only what is needed is kept until all has been read.
        found.append((here, needed if needed.numel() == stored.numel() else needed.clone()))
        count += needed.numel()
    if count < math.prod(shape):
        raise ValueError(f"{name} is damaged: the manifest tells of {count} of the {math.prod(shape)} elements that are needed")
    return found


def read_all(wanted, reader, metadata):
    """What is written when all ranks have read theirs: ``(tensor, its pieces)``, and ``(path, value)`` for the dict."""
    filling, putting = [], []
    for name, (path, value, about) in wanted.items():
        def read(offset, name=name):
            return reader.read(metadata, name, offset)
        if isinstance(value, Tensor):
            part = value.part if isinstance(value, InParts) else None
            target = (value if part is None else value.to_local()).detach()
            begin = (0,) * value.dim() if part is None else (part.start, *[0] * (value.dim() - 1))
            filling.append((target, pieces(tuple(target.shape), begin, about, name, read)))
        elif isinstance(about, TensorStorageMetadata):
            putting.append((path, whole(about, name, read)))
        else:
            putting.append((path, reader.read(metadata, name)))
    return filling, putting


def whole(about, name, read):
    """A new tensor, of all its stored parts."""
    shape = tuple(about.size)
    parts = pieces(shape, (0,) * len(shape), about, name, read)
    found = (parts[0][1] if parts else stored_part(about.chunks[0], name, read)).new_empty(shape)
    for here, part in parts:
        found[here] = part
    return found


def load(state_dict, *, checkpoint_id=None, storage_reader=None, planner=None, process_group=None, no_dist=False):
    """Fill the tensors of a dict from a checkpoint, in place; other values are replaced.

    Each rank reads what it needs of its parts, whoever wrote them. If something is missing, damaged or has another shape,
    nothing is changed on any rank, and all are told: nothing is written before every rank has read all of its part.
    Pickles in it are loaded as by ``torch.load(weights_only=True)``.

    state_dict: tensors, dicts and lists of them, values, and objects with a ``state_dict()``, which get theirs
    checkpoint_id: the folder, leafward's or PyTorch's
    storage_reader: a :class:`FileSystemReader`, in place of it
    planner: a ``DefaultLoadPlanner(allow_partial_load=True)`` leaves what the checkpoint lacks as it is
    process_group: which ranks; None: all
    no_dist: whether this process loads alone

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = lw.distributed.checkpoint.save({"model": {"w": lw.arange(4.0)}}, checkpoint_id=folder.name)
    >>> model = {"w": lw.zeros(4)}
    >>> load({"model": model}, checkpoint_id=folder.name)
    >>> model["w"]
    tensor([0., 1., 2., 3.])
    >>> folder.cleanup()
    """
    check_planner(planner)
    reader, ranks = FileSystemReader.chosen(checkpoint_id, storage_reader), Ranks(process_group, no_dist)
    state, found = states_of(state_dict), {}

    def look():
        metadata = reader.read_metadata()
        found["wanted"] = check(flattened(state), metadata, getattr(planner, "allow_partial_load", False)), metadata
    ranks.each("reading the manifest", look)
    wanted, metadata = found["wanted"]

    def read():
        found["read"] = read_all(wanted, reader, metadata)
    ranks.each("reading", read)
    filling, putting = found["read"]
    with no_grad():
        for target, parts in filling:
            for here, values in parts:
                target[here].copy_(values)
    for path, value in putting:
        put(state, path, value)
    for key, value in state_dict.items():
        if isinstance(value, Stateful):
            value.load_state_dict(state[key])
        else:
            state_dict[key] = state[key]


load_state_dict = load
