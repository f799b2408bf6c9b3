"""Writes to what backward needs: it is copied just before, so that backward sees the old values."""
import weakref

from leafward.core import modes
from leafward.autograd.grad_mode import enable_grad
from leafward.autograd.saved_hooks import saved_tensors_hooks


class Kept:
    """Stands for one saved tensor in the node that saved it."""


class Originals:
    """What nodes saved inside one ``allow_mutation_on_saved_tensors``: tensors as they are, or copies of what they were."""

    def __init__(self):
        self.original = weakref.WeakKeyDictionary()         # Kept -> the tensor
        self.cloned = weakref.WeakKeyDictionary()           # Kept -> its copy, once it was written
        self.by_storage = {}                                # id of a storage -> what was kept of it
        self.previous = modes.current().guard               # who else copies what is written

    def clear(self):
        """Forget everything: what was recorded inside has no backward any more."""
        for kept in self.original, self.cloned, self.by_storage:
            kept.clear()

    def pack(self, tensor):
        kept = Kept()
        self.original[kept] = tensor
        self.by_storage.setdefault(id(tensor._storage), weakref.WeakSet()).add(kept)
        return kept

    def unpack(self, kept):
        tensor = self.cloned.get(kept)
        if tensor is None:
            tensor = self.original.get(kept)
        if tensor is None or modes.current().guard is not self:
            raise AssertionError("Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the "
                                 "graph was originally recorded.")
        return tensor

    def before_write(self, target):
        """Copy what was saved of the bytes that are about to be written."""
        if self.previous is not None:
            self.previous.before_write(target)
        for kept in self.by_storage.pop(id(target._storage), ()):
            with enable_grad():
                self.cloned[kept] = self.original.pop(kept).clone()


    def before_escape(self, storage):
        """Others are about to see the memory: what they write is not copied first, as in PyTorch."""
        if self.previous is not None:
            self.previous.before_escape(storage)


class allow_mutation_on_saved_tensors:
    """Inside, tensors that backward needs may be written: they are copied first. Backward must run inside, too.

    >>> import leafward as lw
    >>> x = lw.ones(2, requires_grad=True)
    >>> with lw.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x.clone()
    ...     z = y.sin()
    ...     _ = y.mul_(2)
    ...     z.sum().backward()
    >>> x.grad
    tensor([0.5403, 0.5403])
    """

    def __enter__(self):
        state = modes.current()
        if isinstance(state.guard, Originals):
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        originals = Originals()
        self.hooks = saved_tensors_hooks(originals.pack, originals.unpack)
        self.hooks.__enter__()
        state.guard = originals
        state.changed()
        return originals

    def __exit__(self, *exc):
        state = modes.current()
        state.guard.clear()
        state.guard = state.guard.previous
        self.hooks.__exit__()
        state.changed()
