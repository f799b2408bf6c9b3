"""The graph as users see it: nodes, edges, hooks on several tensors, and what is saved."""
from __future__ import annotations

from collections import namedtuple
from typing import Any, Self, TYPE_CHECKING

from leafward.autograd.mutation import allow_mutation_on_saved_tensors  # noqa: F401
from leafward.autograd.saved_hooks import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from leafward.core import modes
from leafward.core.introspection import node_of
from leafward.core.history import wants_grad
from leafward.core.node import Node
from leafward.core.storage import record_write
from leafward.core.tensor import TensorBase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from leafward.tensor.tensor import Tensor

__all__ = ["GradientEdge", "Node", "disable_saved_tensors_hooks", "get_gradient_edge", "increment_version",
           "region_activation_memory_budget", "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks",
           "set_override_stale_capture_stream", "set_warn_on_accumulate_grad_stream_mismatch"]

GradientEdge = namedtuple("GradientEdge", ("node", "output_nr", "ownership_token"), defaults=(None,))


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Where the gradient of ``tensor`` enters the graph."""
    if not wants_grad(tensor):
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(node_of(tensor if tensor._node is None else tensor._node), tensor._output_nr)


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Say that ``tensor``, or each of a list of them, was written by something that does not say so itself."""
    if not hasattr(tensor, "__iter__"):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    several = [tensor] if isinstance(tensor, TensorBase) else list(tensor)
    if not all(isinstance(x, TensorBase) for x in several):
        raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
    for written in several:
        record_write(written, "increment_version")


class register_multi_grad_hook:
    """Call ``fn`` with the gradients of several tensors: of all that one backward reaches, or of the first.

    With ``mode="all"``, ``fn`` gets a list with None for tensors that the backward does not reach; with ``"any"``, the
    first gradient. What this returns has ``remove()``.
    """

    def __init__(self, tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: str = "all") -> None:
        if mode not in ("all", "any"):
            raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
        self.fn, self.mode = fn, mode
        if mode == "all" and not all(wants_grad(t) for t in tensors):
            raise AssertionError("Expected gradient function to be set")
        tensors = [t for t in tensors if wants_grad(t)]
        self.targets = [t if t._node is None else t._node for t in tensors]
        self.backward = None                                # the run that `grads` belongs to
        self.handles = [t.register_hook(self.hook_for(position)) for position, t in enumerate(tensors)]

    def hook_for(self, position):
        def hook(grad):
            running = modes.current().backward
            if running is None:
                raise AssertionError("expected this hook to be called inside a backward call")
            first = running is not self.backward
            if first:
                self.backward = running
                self.grads = [None] * len(self.targets)
                self.missing = sum([is_expected(running, target, self.targets[position]) for target in self.targets])
            if self.mode == "any":
                if first:
                    self.fn(grad)
                return
            self.grads[position] = grad
            self.missing -= 1
            if not self.missing:
                self.fn(self.grads)
        return hook

    def remove(self) -> None:
        """Take the hook out again."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.remove()


def is_expected(running, target, current):
    """Whether the backward ``running`` is at ``target``, or will be."""
    if target is current:
        return True
    return target in running.tasks and (running.needed is None or running.needed[target])


def region_activation_memory_budget(budget: float) -> Iterator[None]:
    """How much of its activations a compiled region may keep: refused, as in PyTorch outside of ``torch.compile``."""
    name = "torch.autograd.graph.region_activation_memory_budget"
    if not isinstance(budget, (int, float)) or isinstance(budget, bool):
        raise TypeError(f"{name}: expects a float, got {type(budget).__name__}")
    if not 0 <= budget <= 1:
        raise ValueError(f"{name}: must be in [0, 1], got {budget}")
    raise RuntimeError(f"{name} can only be used inside a torch.compile region; it has no effect in eager mode. "
                       "Use torch.utils.checkpoint to keep less.")


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Nothing to warn of: there are no streams on a CPU."""


def set_override_stale_capture_stream(enabled: bool) -> None:
    """Nothing to override: there are no streams on a CPU."""


def __getattr__(name):
    from leafward.tensor.missing import MissingNameError
    raise MissingNameError(name, globals(), "torch.autograd.graph")
