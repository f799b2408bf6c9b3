"""Gradients added up: into ``.grad``, and on the way there; and whether an array can be someone else's."""
from leafward.locks import new_lock

from leafward.errors import broadcast_error
from leafward.core.runtime import quietly, runtime
from leafward.core.saved import Saved
from leafward.core.storage import record_write
from leafward.core.tensor import TensorBase, array_of
from leafward.core.from_array import new_tensor, tensor_from_array

#: Threads may send gradients to one leaf at the same time.
accumulating = new_lock()


def add_into(total, grad):
    """``total += grad``, for arrays."""
    kernel = runtime.kernels.get("add_into")
    if kernel is None or kernel(total, grad) is None:
        runtime.xp.add_into(total, grad)


def accumulate(leaf, grad, recorded):
    """``leaf.grad += grad``: in place, unless backward itself is being recorded. A first gradient is copied."""
    existing = leaf._grad
    if existing is None:
        if recorded:
            copy = runtime.xp.laid_out_like(array_of(grad), leaf._array)
            fresh = tensor_from_array(copy)
            leaf._grad = fresh if grad._node is None and not grad._requires_grad else fresh.copy_(grad)
        else:
            leaf._grad = new_tensor(runtime.xp.laid_out_like(grad, leaf._array), leaf._dtype)
    elif recorded:
        leaf._grad = existing + grad
    elif existing._array.dtype is not grad.dtype:
        leaf._grad = (existing + tensor_from_array(grad)).detach()
    else:
        try:
            quietly(add_into, (existing._array, grad))
        except ValueError:                                  # x.data = a tensor of another shape, beside an old x.grad
            error = broadcast_error(existing._array.shape, grad.shape)
            if error is None:
                raise
            raise error from None
        record_write(existing, "add_")


def holds_array(kept, array):
    """Whether ``array`` is among what a node ``kept``; where a user's hooks keep it instead, it may be."""
    for value in kept:
        if isinstance(value, Saved):
            if value.packed is not None or value.array is array or (value.leaf is not None and value.leaf._array is array):
                return True
        elif value is array or (isinstance(value, TensorBase) and value._array is array) or (
                isinstance(value, list) and holds_array(value, array)):
            return True
    return False
