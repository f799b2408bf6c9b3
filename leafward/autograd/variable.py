"""``Variable``, the name that tensors with a gradient had before PyTorch 0.4."""
from leafward.core import modes
from leafward.core.history import wants_grad
from leafward.core.runtime import runtime
from leafward.errors import warn

__all__ = ["Variable", "VariableMeta"]


def queue_callback(callback):
    """Call ``callback()`` at the end of the backward that is going on, when every gradient has arrived."""
    task = modes.current().backward
    if task is None:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    if task.after is None:
        task.after = []
    task.after.append(callback)


class Engine:
    """What programs reach as ``Variable._execution_engine``."""

    queue_callback = staticmethod(queue_callback)


class VariableMeta(type):
    """The type of ``Variable``: every tensor is one."""

    def __instancecheck__(cls, value):
        return isinstance(value, runtime.tensor)


class Variable(metaclass=VariableMeta):
    """The old name of Tensor: ``Variable(tensor)`` returns a Tensor."""

    _execution_engine = Engine

    def __new__(cls, data, requires_grad=False, volatile=None):
        if volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        tensor = data.detach() if requires_grad or not wants_grad(data) else data
        return tensor.requires_grad_(True) if requires_grad else tensor
