"""The graph as users see it: nodes, edges, hooks on several tensors, and what is saved."""
from collections import namedtuple

from ..core import modes
from ..core.call import wants_grad
from ..core.node import Node, node_of

__all__ = ["GradientEdge", "Node", "disable_saved_tensors_hooks", "get_gradient_edge", "increment_version",
           "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks"]

GradientEdge = namedtuple("GradientEdge", ("node", "output_nr"))


def get_gradient_edge(tensor):
    """Where the gradient of ``tensor`` enters the graph."""
    if not wants_grad(tensor):
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(node_of(tensor if tensor._node is None else tensor._node), tensor._output_nr)


class saved_tensors_hooks:
    """Inside, ``pack(tensor)`` replaces what nodes save, and ``unpack`` brings it back in backward."""

    def __init__(self, pack_hook, unpack_hook):
        self.hooks = (pack_hook, unpack_hook)

    def __enter__(self):
        state = modes.current()
        if state.saved_hooks is None:
            state.saved_hooks = []
        state.saved_hooks.append(self.hooks)
        state.changed()

    def __exit__(self, *exc):
        state = modes.current()
        state.saved_hooks.pop()
        state.changed()


class save_on_cpu(saved_tensors_hooks):
    """Keep saved tensors on the CPU: where they already are."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(lambda tensor: tensor.detach().clone(), lambda tensor: tensor)


class disable_saved_tensors_hooks:
    """Inside, entering :class:`saved_tensors_hooks` and saving raises ``RuntimeError(message)``."""

    def __init__(self, error_message):
        def refuse(tensor):
            raise RuntimeError(error_message)
        self.inner = saved_tensors_hooks(refuse, refuse)

    def __enter__(self):
        self.inner.__enter__()

    def __exit__(self, *exc):
        self.inner.__exit__()


def increment_version(tensors):
    """Say that ``tensors`` were written by something that does not say so itself."""
    from ..core.storage import record_write
    for tensor in (tensors if isinstance(tensors, (list, tuple)) else [tensors]):
        record_write(tensor, "increment_version")


class register_multi_grad_hook:
    """Call ``fn`` with the gradients of several tensors once all (``mode="all"``) or the first (``"any"``) are known."""

    def __init__(self, tensors, fn, *, mode="all"):
        if mode not in ("all", "any"):
            raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
        self.tensors = [t for t in tensors if wants_grad(t)]
        self.places = [place for place, t in enumerate(tensors) if wants_grad(t)]
        self.count = len(tensors)
        self.fn, self.mode = fn, mode
        self.seen = {}
        self.handles = [t.register_hook(self.hook_for(place)) for t, place in zip(self.tensors, self.places, strict=True)]

    def hook_for(self, place):
        def hook(grad):
            if self.mode == "any":
                if not self.seen:
                    self.seen[place] = grad
                    self.fn(grad)
                return
            self.seen[place] = grad
            if len(self.seen) == len(self.tensors):
                grads = [self.seen.get(i) for i in range(self.count)]
                self.seen = {}
                self.fn(grads)
        return hook

    def remove(self):
        for handle in self.handles:
            handle.remove()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()
