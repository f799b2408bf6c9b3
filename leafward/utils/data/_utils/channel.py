"""Messages between a loader and a worker: a pickle, and beside it the bytes of its arrays in shared memory.

A message is a header, a pickle and, in the header's wake, the descriptor of an anonymous file with the arrays. Nothing
has a name, so nothing is left behind whoever dies, and no lock is shared that a killed worker could hold.
"""
import io
import mmap
import os
import pickle
import select
import socket
import struct
import weakref
from multiprocessing import reduction

from leafward.arrays import cpu
from leafward.core.storage import Storage
from leafward.core.tensor import TensorBase, allocate_tensor
from leafward.dtypes import uint8
from leafward.ops.dims import contiguous_strides
from leafward.multiprocessing.reductions import attributes_of, refuse_history
from leafward.tensor.shared_memory import new_file

#: Length of the pickle, length of the file (0: none).
HEADER = struct.Struct("<QQ")
ALIGNMENT = 64
#: A file costs some 20 µs: pickles and arrays below this many bytes go through the socket.
SMALL = 4096

ends = weakref.WeakSet()


def close_in_child():
    # A child that kept a copy of the loader's end would keep its siblings waiting for a loader that is gone.
    for end in list(ends):
        end.close()


os.register_at_fork(after_in_child=close_in_child)


class Memory:
    """A stretch of a storage, which a message holds once however many tensors lie in it."""

    def __init__(self, array):
        self.array = array

    def __reduce__(self):
        return Received, (pickle.PickleBuffer(self.array),)


class Received:
    """A stretch of memory as it arrived; tensors on it share it."""

    def __init__(self, buffer):
        self.array = cpu.from_buffer(buffer, uint8, -1, 0) if len(buffer) else cpu.empty((0,), uint8)
        self.storage = Storage()


class Pickler(pickle.Pickler):
    """Puts the bytes of tensors beside the pickle. Of a storage it takes what the tensor spans, not the whole."""

    dispatch_table = reduction.ForkingPickler(io.BytesIO()).dispatch_table

    def __init__(self, file, buffers):
        super().__init__(file, 5, buffer_callback=buffers.append)
        self.memories = {}

    def reducer_override(self, obj):
        if not isinstance(obj, TensorBase):
            return NotImplemented
        refuse_history(obj)
        array = obj._array
        size = cpu.spans(array.shape, cpu.strides_of(array))
        key = id(obj._storage), obj.data_ptr(), size * array.itemsize
        memory = self.memories.get(key)
        if memory is None:
            flat = cpu.strided(cpu.memory_of(array), (size,), (1,)).view(cpu.numpy_dtype(uint8))
            memory = self.memories[key] = Memory(flat)
        strides = obj.stride() if array.size else contiguous_strides(array.shape)
        return arrived, (type(obj), memory, obj._dtype, array.shape, strides, type(array), obj._requires_grad,
                         attributes_of(obj))


def arrived(cls, memory, dtype, shape, strides, kind, requires_grad, attributes):
    """A tensor on memory that came with a message."""
    whole = memory.array.view(cpu.numpy_dtype(dtype))
    tensor = allocate_tensor(cls)
    tensor._array, tensor._dtype = cpu.strided(whole, shape, strides).view(kind), dtype
    if memory.storage.owner is None:
        memory.storage.owner = whole
    tensor._storage = tensor._counter = memory.storage
    tensor._requires_grad = requires_grad
    tensor.__dict__.update(attributes)
    return tensor


class Message:
    """An encoded object: what goes through the socket, and the descriptor of what does not."""

    def __init__(self, obj):
        file, buffers = io.BytesIO(), []
        Pickler(file, buffers).dump(obj)
        pieces = [memoryview(buffer.raw()) for buffer in buffers]
        pieces.insert(0, memoryview(file.getbuffer()))
        total = sum(len(piece) for piece in pieces)
        table = struct.pack(f"<{len(pieces) + 1}Q", len(pieces), *map(len, pieces))
        self.descriptor = None
        if total <= SMALL:
            self.inline, self.file_size = b"".join(map(padded, (table, *pieces))), 0
            return
        self.inline = table
        self.file_size = sum(aligned(len(piece)) for piece in pieces)
        self.descriptor = new_file(self.file_size)
        try:
            offset = 0
            for piece in pieces:
                write_at(self.descriptor, piece, offset)
                offset += aligned(len(piece))
        except BaseException:
            self.close()
            raise

    def close(self):
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


def aligned(size):
    return -(-size // ALIGNMENT) * ALIGNMENT


def padded(data):
    return bytes(data).ljust(aligned(len(data)), b"\0")


def write_at(descriptor, data, offset):
    while data:
        count = os.pwrite(descriptor, data, offset)
        data, offset = data[count:], offset + count


class Channel:
    """One end of a socket that carries messages. ``EOFError`` and ``OSError`` mean that the other end is gone."""

    def __init__(self, end):
        self.socket = end
        self.fileno = end.fileno

    def close(self):
        self.socket.close()

    def send(self, obj, while_blocked=None):
        """Send ``obj``. While the other end does not read, call ``while_blocked()`` when it has something for us.

        Two ends that both wait until the other reads would wait for ever.
        """
        message = Message(obj)
        try:
            data = memoryview(HEADER.pack(len(message.inline), message.file_size) + message.inline)
            beside = [] if message.descriptor is None else [
                (socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", message.descriptor))]
            while data:
                try:
                    # Not socket.send_fds, which forgets its flags.
                    sent = self.socket.sendmsg([data], beside, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
                except BlockingIOError:
                    self._wait(while_blocked)
                    continue
                data, beside = data[sent:], []
        finally:
            message.close()

    def _wait(self, while_blocked):
        poll = select.poll()
        poll.register(self.socket, select.POLLOUT | (select.POLLIN if while_blocked else 0))
        for _, events in poll.poll():
            if events & select.POLLIN and not events & select.POLLOUT:
                while_blocked()

    def receive(self):
        """The next object."""
        data, descriptors, _, _ = socket.recv_fds(self.socket, HEADER.size, 1)
        try:
            if not data:
                raise EOFError
            header = data + self._exactly(HEADER.size - len(data))
            inline_size, file_size = HEADER.unpack(header)
            inline = memoryview(self._exactly(inline_size))
            count, = struct.unpack_from("<Q", inline)
            lengths = struct.unpack_from(f"<{count}Q", inline, 8)
            if file_size:
                memory, offset = memoryview(mmap.mmap(descriptors[0], file_size, flags=MAP_FLAGS)), 0
            else:
                memory, offset = inline, aligned(8 * (count + 1))
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        parts = []
        for length in lengths:
            parts.append(memory[offset:offset + length])
            offset += aligned(length)
        return pickle.loads(parts[0], buffers=parts[1:])

    def _exactly(self, count):
        data = bytearray(count)
        view = memoryview(data)
        while view:
            got = self.socket.recv_into(view)
            if not got:
                raise EOFError
            view = view[got:]
        return data


#: Populate: one system call instead of a page fault every 4 KiB.
MAP_FLAGS = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)


def pair():
    """The loader's end and the worker's socket."""
    ours, theirs = socket.socketpair()
    end = Channel(ours)
    ends.add(end)
    return end, theirs
