"""``save`` and ``async_save``: every rank writes its part, and the manifest comes last."""
import contextvars
import threading
from concurrent.futures import Future
from copy import deepcopy

from leafward.distributed import world
from leafward.distributed.checkpoint.filesystem import FileSystemWriter
from leafward.distributed.checkpoint.flat import flattened, states_of
from leafward.distributed.checkpoint.metadata import (
    BytesStorageMetadata, ChunkStorageMetadata, Metadata, MetadataIndex, StorageMeta, TensorProperties, TensorStorageMetadata,
)
from leafward.distributed.checkpoint.together import Ranks
from leafward.distributed.shards import InParts
from leafward.tensor.size import Size
from leafward.tensor.tensor import Tensor


def check_planner(planner):
    """Refuse planners of the user's own: what is written where is decided here."""
    from leafward.distributed.checkpoint.default_planner import DefaultLoadPlanner, DefaultSavePlanner
    if planner is not None and type(planner) not in (DefaultSavePlanner, DefaultLoadPlanner):
        raise NotImplementedError(f"a planner of one's own ({type(planner).__name__}) is not asked: change the state_dict "
                                  "before, and leave planner out")


def described(name, path, value):
    """What a rank tells of an entry: ``(index, path, what it is, its bytes)``."""
    if not isinstance(value, Tensor):
        return MetadataIndex(name), path, None, 0
    properties = TensorProperties(value.dtype)
    if isinstance(value, InParts):
        part = value.part
        offset, whole = (part.start, *[0] * (len(part.shape) - 1)), part.shape
    else:
        offset, whole = (0,) * value.dim(), tuple(value.shape)
    chunk = ChunkStorageMetadata(Size(offset), Size(value.shape))
    return MetadataIndex(name, Size(offset)), path, (properties, whole, chunk), value.numel() * value.element_size()


def planned(told):
    """The manifest, without where things lie, and for each rank what it writes: what several have is written once."""
    metadata, paths, owners, loads = {}, {}, {}, [0] * len(told)
    having = {}
    for rank, entries in enumerate(told):
        for index, path, about, nbytes in entries:
            having.setdefault(index, (path, about, nbytes, []))[3].append(rank)
    for index, (path, about, nbytes, ranks) in having.items():
        paths[index.fqn] = path
        if about is None:
            metadata[index.fqn] = BytesStorageMetadata()
        else:
            properties, whole, chunk = about
            found = metadata.setdefault(index.fqn, TensorStorageMetadata(properties, Size(whole), []))
            if not isinstance(found, TensorStorageMetadata) or tuple(found.size) != whole:
                raise ValueError(f"{index.fqn} is not the same on all ranks")
            found.chunks.append(chunk)
            index = MetadataIndex(index.fqn, index.offset, len(found.chunks) - 1)
        owner = min(ranks, key=lambda rank: loads[rank])
        owners[index] = owner
        loads[owner] += nbytes
    return Metadata(metadata, planner_data=paths, version="1.0.0"), owners


def written_by_all(entries, writer, ranks):
    """Save a flat dict: the manifest."""
    # Of parts, those without rows are left to others; replicas tell of the same part, which one of them writes.
    told = ranks.all([described(name, path, value) for name, (path, value) in entries.items()
                      if not (isinstance(value, InParts) and not value.numel() and value.part.shape[0])])

    def plan():
        metadata, owners = planned(told)
        return metadata, owners, writer.generation()
    metadata, owners, generation = ranks.first("planning", plan)
    mine = {index: entries[index.fqn][1] for index, owner in owners.items() if owner == ranks.rank}
    found = ranks.each("writing", lambda: writer.write(ranks.rank, generation, mine))
    metadata.storage_data = {index: info for part in found for index, info in part.items()}
    metadata.storage_meta = StorageMeta(str(writer.path))
    ranks.first("finishing", lambda: writer.finish(metadata))
    return metadata


def save(state_dict, *, checkpoint_id=None, storage_writer=None, planner=None, process_group=None, no_dist=False,
         use_collectives=True):
    """Save a dict on several ranks: each writes its parts of tensors, in parallel, and what all have is written once.

    The checkpoint is there when the manifest is, which is renamed into place last: one that was there before is whole until
    then. PyTorch reads the folder, too. Every rank has to call it.

    state_dict: tensors, dicts and lists of them, values, and objects with a ``state_dict()``
    checkpoint_id: the folder
    storage_writer: a :class:`FileSystemWriter`, in place of it
    process_group: which ranks; None: all
    no_dist: whether this process saves alone
    planner, use_collectives: for PyTorch's programs

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = save({"model": lw.nn.Linear(2, 1), "epoch": 3}, checkpoint_id=folder.name)
    >>> state = {"epoch": 0}
    >>> lw.distributed.checkpoint.load(state, checkpoint_id=folder.name)
    >>> state
    {'epoch': 3}
    >>> folder.cleanup()
    """
    check_planner(planner)
    writer, ranks = FileSystemWriter.chosen(checkpoint_id, storage_writer), Ranks(process_group, no_dist)
    return written_by_all(flattened(states_of(state_dict)), writer, ranks)


def async_save(state_dict, *, checkpoint_id=None, storage_writer=None, planner=None, process_group=None,
               async_checkpointer_type=None, async_stager=None, no_dist=False, use_collectives=True):
    """:func:`save` in a thread, of a copy that is made at once: a ``Future`` of the manifest. Training goes on meanwhile.

    state_dict, checkpoint_id, storage_writer, process_group, no_dist: as for :func:`save`
    planner, async_checkpointer_type, async_stager, use_collectives: for PyTorch's programs

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> x = lw.ones(2)
    >>> future = async_save({"x": x}, checkpoint_id=folder.name)
    >>> _ = x.zero_()
    >>> _ = future.result(), lw.distributed.checkpoint.load(state := {"x": x}, checkpoint_id=folder.name)
    >>> state["x"]
    tensor([1., 1.])
    >>> folder.cleanup()
    """
    check_planner(planner)
    writer, ranks = FileSystemWriter.chosen(checkpoint_id, storage_writer), Ranks(process_group, no_dist)
    entries = {name: (path, value.detach().clone() if isinstance(value, Tensor) and not isinstance(value, InParts)
                      else deepcopy(value)) for name, (path, value) in flattened(states_of(state_dict)).items()}
    if not ranks.alone:
        # The thread's messages must not come between those of training: it has a group of its own.
        ranks.group = world.new_group(ranks.group.ranks, use_local_synchronization=True, sort_ranks=False)
    future = Future()

    def go():
        try:
            found = written_by_all(entries, writer, ranks)
            if not ranks.alone:
                world.destroy_process_group(ranks.group)
            future.set_result(found)
        except BaseException as error:
            future.set_exception(error)
    threading.Thread(target=contextvars.copy_context().run, args=(go,), name="leafward async_save").start()
    return future


save_state_dict = save
