"""How a tensor travels between processes: as the descriptor of the file that its memory is."""
from multiprocessing import reduction

from leafward.arrays import cpu
from leafward.core.history import wants_grad
from leafward.core.storage import Storage
from leafward.core.tensor import TensorBase, allocate_tensor
from leafward.tensor.tensor import Tensor

from leafward.tensor.shared_memory import Segment, move, on_segment, segment_of


def refuse_history(tensor):
    if wants_grad(tensor) and tensor._node is not None:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
            "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor before "
            "serializing (e.g., putting it on the queue).")


def attributes_of(tensor):
    """What the user set on the tensor."""
    return {k: v for k, v in tensor.__dict__.items() if not hasattr(TensorBase, k) and k != "_relocate"}


def reduce_tensor(tensor):
    """What a tensor is sent to another process as: its memory becomes shared, and that is named."""
    refuse_history(tensor)
    move(tensor)
    segment = segment_of(tensor._storage.owner)
    offset = tensor.storage_offset() if tensor._array.size else 0
    return received, (type(tensor), reduction.DupFd(segment.descriptor), len(segment), tensor._dtype, offset,
                      tensor._array.shape, tensor.stride(), type(tensor._array), tensor._requires_grad, attributes_of(tensor))


def received(cls, handle, size, dtype, offset, shape, strides, kind, requires_grad, attributes):
    """The tensor, on the memory where the sender has it."""
    segment = Segment(handle.detach(), size)
    whole = on_segment(segment, size - size % dtype.itemsize).view(cpu.numpy_dtype(dtype))
    storage = Storage(whole)
    tensor = allocate_tensor(cls)
    tensor._array = cpu.strided(whole, shape, strides, offset).view(kind)
    tensor._dtype, tensor._storage, tensor._counter = dtype, storage, storage
    tensor._requires_grad = requires_grad
    tensor.__dict__.update(attributes)
    return tensor


def register(cls):
    """Let queues and pipes send ``cls``, a class of tensors, by :func:`reduce_tensor`."""
    reduction.ForkingPickler.register(cls, reduce_tensor)


register(Tensor)
