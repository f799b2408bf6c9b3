"""Gradients added up: into ``.grad``, and on the way there; and whether an array can be someone else's."""
from leafward.locks import new_lock

from leafward.errors import broadcast_error, shape_of_gradient_error
from leafward.core.history import wants_grad
from leafward.core.runtime import quietly, runtime
from leafward.core.saved import Saved
from leafward.core.storage import record_write
from leafward.core.tensor import TensorBase, array_of
from leafward.core.from_array import new_tensor, tensor_from_array

#: Threads may send gradients to one leaf at the same time.
accumulating = new_lock()


def add_into(total, grad):
    """``total += grad``, for arrays."""
    if type(grad) is not runtime.ndarray and runtime.xp.is_sparse(grad):
        runtime.xp.sparse.add_at(total, grad)
        return
    kernel = runtime.kernels.get("add_into")
    if kernel is None or kernel(total, grad) is None:
        runtime.xp.add_into(total, grad)


def sum_of(a, b):
    """The sum of two gradients, for arrays."""
    if (type(a) is not runtime.ndarray and runtime.xp.is_sparse(a)) or (
            type(b) is not runtime.ndarray and runtime.xp.is_sparse(b)):
        return runtime.xp.sparse.added(a, b)
    kernel = runtime.derived.get(("add", ""))
    total = kernel(a, b) if kernel is not None else None
    return runtime.asarray(runtime.xp.add(a, b)) if total is None else total


def fitted(grad, shape, dtype, source, position):
    """``grad`` summed back to the shape of an input and cast back to its dtype, for arrays: see ``match_input``."""
    if type(grad) is not runtime.ndarray:
        if runtime.xp.is_sparse(grad):
            return grad if grad.dtype is runtime.array_dtype[dtype] else grad.astype(dtype)
        grad = runtime.asarray(grad)
    if grad.shape != shape:
        kernel = runtime.kernels.get("sum_to")
        total = kernel(grad, shape) if kernel is not None else None
        if total is None:
            if not runtime.xp.reducible(grad.shape, shape):
                raise shape_of_gradient_error(source, position, grad.shape, shape)
            total = runtime.xp.sum_to(grad, shape)
        grad = total
    if grad.dtype is not runtime.array_dtype[dtype]:
        grad = runtime.xp.cast_gradient(grad, dtype)
    return grad


def refuse_interior(tensor):
    """Refuse a gradient for what was a leaf and has been given a history since: its base was written, or it was itself."""
    wants_grad(tensor)                                      # which brings a view up to date
    if tensor._node is not None:
        raise RuntimeError("leaf variable has been moved into the graph interior")


def accumulate(leaf, grad, recorded):
    """``leaf.grad += grad``: in place, unless backward itself is being recorded. A first gradient is copied."""
    existing = leaf._grad
    if recorded:
        runtime.cycles = True
    array = grad._array if recorded else grad
    if (type(array) is not runtime.ndarray and runtime.xp.is_sparse(array)) or (
            existing is not None and type(existing._array) is not runtime.ndarray and runtime.xp.is_sparse(existing._array)):
        accumulate_sparse(leaf, grad, recorded)
    elif existing is None:
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


def accumulate_sparse(leaf, grad, recorded):
    """The same where one of the two is sparse: two sparse gradients stay sparse, dense and sparse make a dense one."""
    existing = leaf._grad
    grad = grad if recorded else tensor_from_array(grad)
    if existing is None:
        leaf._grad = grad if recorded else grad.detach()
    elif recorded:
        leaf._grad = existing + grad
    elif runtime.xp.is_sparse(existing._array):
        leaf._grad = tensor_from_array(runtime.xp.sparse.added(existing._array, grad._array))
    else:
        quietly(add_into, (existing._array, grad._array))
        record_write(existing, "add_")


def holds_part(kept, whole):
    """Whether ``whole``, or a part of it, is among what a node ``kept``; where a user's hooks keep it instead, it may be."""
    for value in kept:
        if isinstance(value, Saved):
            if value.packed is not None or is_part(value.array, whole) or (
                    value.leaf is not None and is_part(value.leaf._array, whole)):
                return True
        elif isinstance(value, TensorBase):
            if is_part(value._array, whole):
                return True
        elif is_part(value, whole) or (isinstance(value, list) and holds_part(value, whole)):
            return True
    return False


def is_part(grad, whole):
    """Whether ``grad`` is the array ``whole``, or in its memory."""
    if grad is whole:
        return True
    if not isinstance(grad, runtime.ndarray) or grad.base is None:
        return False
    return grad.base is whole or grad.base is whole.base
