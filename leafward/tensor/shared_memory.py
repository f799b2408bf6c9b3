"""Memory that processes share: files without a name, which are gone when the last process lets go of them."""
import gc
import mmap
import os
import sys
import tempfile
import weakref

from leafward.arrays import cpu
from leafward.core.tensor import TensorBase
from leafward.dtypes import uint8


def new_file(size):
    """The descriptor of a file of ``size`` bytes in memory."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("leafward", os.MFD_CLOEXEC)
    else:
        descriptor, path = tempfile.mkstemp()
        os.unlink(path)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(descriptor, 0, size)          # no memory left: an error here, not a bus error later
        else:
            os.ftruncate(descriptor, size)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


class Segment(mmap.mmap):
    """A mapped file, with the descriptor by which other processes can map it too."""

    def __new__(cls, descriptor, size):
        made = super().__new__(cls, descriptor, size)
        made.descriptor = descriptor
        weakref.finalize(made, os.close, descriptor)
        return made


def segment_of(array):
    """The segment that ``array`` lies in, or None."""
    while array is not None and not isinstance(array, Segment):
        array = array.obj if isinstance(array, memoryview) else getattr(array, "base", None)
    return array


def is_shared(tensor):
    return segment_of(tensor._storage.owner) is not None


def on_segment(segment, size):
    return cpu.from_buffer(segment, uint8, size, 0) if size else cpu.empty((0,), uint8)


def move(tensor):
    """Let the storage of ``tensor`` lie in a segment; the tensors that see it see it there."""
    storage = tensor._storage
    if is_shared(tensor):
        return
    flat = cpu.flat_bytes(storage.owner)
    segment = Segment(new_file(max(flat.size, 1)), max(flat.size, 1))
    memory = cpu.from_buffer(segment, uint8, -1, 0)
    memory[:flat.size] = flat
    lay_in(storage, users_of(storage, tensor), memory[:flat.size])


def lay_in(storage, tensors, memory):
    """Let ``storage`` and the tensors that lie in it lie in ``memory``, which has their bytes already."""
    moved = []
    for user in tensors:
        own = user._array
        offset = user.storage_offset() if own.size else 0
        moved.append((user, cpu.seen_as(cpu.strided(seen_in(memory, own), own.shape, user.stride(), offset), own)))
    owner = storage.owner
    same = memory.size == cpu.spans(owner.shape, cpu.strides_of(owner)) * owner.itemsize
    whole = seen_in(memory, owner)
    storage.owner = cpu.strided(whole, owner.shape, cpu.strides_of(owner)) if same else whole
    for user, array in moved:
        user._array = array


def seen_in(memory, array):
    """As many elements of the dtype of ``array`` as ``memory`` holds; its bytes where that leaves a rest."""
    rest = memory.size % array.itemsize
    return memory[:memory.size - rest].view(array.dtype) if array.size or not rest else memory


def users_of(storage, tensor):
    """``tensor`` and the other tensors that lie in ``storage``."""
    own = 1 + (tensor._counter is storage)
    # `storage` here and in the caller, and the argument of getrefcount. Looking for the others takes milliseconds.
    if sys.getrefcount(storage) <= own + 3:
        return [tensor]
    found = {id(tensor): tensor}
    for holder in gc.get_referrers(storage):
        for user in gc.get_referrers(holder) if type(holder) is dict else (holder,):
            if issubclass(type(user), TensorBase) and user._storage is storage:
                found[id(user)] = user
    return list(found.values())
