"""Whether a tensor may be written to, and writes of which the user says that they are safe."""
from __future__ import annotations

from typing import Any, Self, TYPE_CHECKING

from leafward.core import modes
from leafward.core.history import requires_grad
from leafward.core.node import Node, behind
from leafward.core.runtime import runtime
from leafward.core.seals import Marked
from leafward.core.storage import record_write
from leafward.core.tensor import TensorBase
from leafward.trust.facts import Kept
from leafward.trust.memory import saved_values, tensors_there
from leafward.trust.scene import Scene
from leafward.trust.source import place

if TYPE_CHECKING:
    from collections.abc import Iterable
    from leafward.tensor.tensor import Tensor


class Permission:
    """What :func:`can_write` answers: true where nothing speaks against a write; ``reasons`` are the things that do."""

    def __init__(self, reasons: list[str]) -> None:
        self.reasons = reasons

    def __bool__(self) -> bool:
        return not self.reasons

    def __repr__(self) -> str:
        return "no: " + "\n    ".join(self.reasons) if self.reasons else "yes"


def can_write(tensor: Tensor) -> Permission:
    """Tell whether ``tensor`` may be written to now: whether it is frozen, a leaf that trains, or still needed by a backward.

    The graphs behind all of the program's tensors are looked through, so it takes a while in a large program. The answer
    is true or false, and prints as the reasons.

    tensor: what is to be written to

    >>> import leafward as lw
    >>> x = lw.tensor([1.0, 2.0], requires_grad=True)
    >>> h = x.sigmoid()
    >>> print(lw.can_write(h))                           # doctest: +ELLIPSIS
    no: sigmoid at ... still needs it: it saved its own output, f32[2]
    >>> h.sum().backward()
    >>> print(lw.can_write(h))
    yes
    """
    storage, reasons = tensor._storage, []
    if storage.frozen is not None:
        at, came_by = place(storage.frozen[0]), storage.frozen[1]
        where = "" if at is None else at.where()
        reasons.append(f"it is frozen{where and f', by {where}'}: freeze_(x, False) allows writes again" if came_by is None else
                       f"the memory that {came_by}() took{where and f' at {where}'} is read-only: write to a clone() of it")
    base = tensor if tensor._base is None else tensor._base
    if modes.grad_enabled() and requires_grad(tensor) and base._node is None:
        view = "" if base is tensor else "a view of "
        reasons.append(f"{view}a leaf that requires grad: write under no_grad()")
    scene = None
    for node, saved in needed_in(storage, tensor._array):
        scene = scene or Scene()
        kept = Kept(node, saved, scene)
        at = "" if kept.place is None else f" at {kept.place.where()}"
        reasons.append(f"{kept.op}{at} still needs it: it {kept.note().removeprefix(kept.op + ' ')}")
    return Permission(list(dict.fromkeys(reasons)))


def needed_in(storage, array):
    """``(node, saved)`` for each value in the part ``array`` of a storage that some graph of the program keeps for backward."""
    nodes = behind([root._node for root in tensors_there() if root._node is not None])
    for node in dict.fromkeys(node for node in nodes if isinstance(node, Node)):
        for saved in saved_values(node._values):
            if saved.storage is storage and saved.array is not None and runtime.overlap(saved.array, array):
                yield node, saved


def protect(tensor, array):
    """Under ``strict``: make ``array``, the memory of ``tensor`` as others see it, read-only if a backward needs its values."""
    if tensor._storage.kept and next(needed_in(tensor._storage, tensor._array), None) is not None:
        array.flags.writeable = False


class unsafe_write:
    """Inside, writes to ``tensors`` are neither told nor refused where a derivative reads what they wrote: they are safe.

    For layers that write over what they saved and compute it again in their backward (in-place activations that can be
    undone). What a derivative then reads is what is there; PyTorch's ``_unsafe_preserve_version_counter`` is the same.

    tensors: a tensor, or several
    reason: why it is safe, for those who read the program

    >>> import leafward as lw
    >>> x = lw.tensor([1.0, 2.0], requires_grad=True)
    >>> y = x.exp()
    >>> with lw.unsafe_write(y, "the gradient of 2 * exp is wanted"):
    ...     _ = y.detach().mul_(2)
    >>> y.sum().backward()
    >>> x.grad
    tensor([ 5.4366, 14.7781])
    """

    def __init__(self, tensors: Tensor | Iterable[Tensor], reason: str) -> None:
        self.tensors = [tensors] if isinstance(tensors, TensorBase) else list(tensors)
        if not isinstance(reason, str) or not reason:
            raise TypeError("unsafe_write() takes the reason why it is safe, as a text")
        self.reason = reason

    def __enter__(self) -> Self:
        self.before = [(t._counter, t._counter.version, t._storage, t._storage.writes, runtime.xp.fingerprint(t._array, True))
                       for t in self.tensors]
        return self

    def __exit__(self, *exc: Any) -> None:
        mark = Marked(self.reason)
        for tensor, (counter, version, storage, writes, was) in zip(self.tensors, self.before, strict=True):
            if storage.writes == writes and runtime.xp.fingerprint(tensor._array, True) != was:
                record_write(tensor, "unsafe_write")        # by NumPy, say
            for write in (storage.log or [])[-(storage.writes - writes):] if storage.writes > writes else ():
                write.before = mark
            counter.version = version
