"""Values that are kept for backward, whatever is written to them afterwards: each is copied just before its first write."""
from __future__ import annotations

import threading
import weakref

from leafward.autograd.saved_hooks import saved_tensors_hooks
from leafward.core import modes
from leafward.core.from_array import tensor_from_array
from leafward.core.native import call_site
from leafward.core.runtime import runtime
from leafward.core.saved import without_history
from leafward.core.storage import writes_since
from leafward.trust.source import place

POLICIES = ("share", "copy_on_write")


class KeptValue:
    """Stands for one saved tensor in the node that saved it: its memory, or a copy of what that was."""

    def __init__(self, tensor):
        self.tensor, self.writes = without_history(tensor), tensor._storage.writes
        self.copied_at = None

    def copy(self):
        """Copy it now: it is about to be written, by what runs."""
        dtype = self.tensor._dtype
        self.tensor, self.copied_at = tensor_from_array(runtime.xp.copy(self.tensor._array)), call_site()
        self.tensor._dtype = dtype


class Keeper:
    """What one thread keeps: all values whose nodes are still there, by the memory that they lie in.

    As a guard of the thread it is asked before each write. It stays so until the last of the values is gone.
    """

    def __init__(self):
        self.by_storage = {}
        self.for_ever = (self.pack, self.unpack)            # for `set_saved_policy`

    def pack(self, tensor):
        kept = KeptValue(tensor)
        storage = tensor._storage
        if storage.escaped is not None and storage.escaped.alive():
            kept.copy()                                     # others may write to it, and nobody would say so
        else:
            weakref.finalize(kept, self.forget, id(storage)).atexit = False         # before the set's own: called after it
            self.by_storage.setdefault(id(storage), weakref.WeakSet()).add(kept)
        self.watch()
        return kept

    def watch(self):
        """See this thread's writes, beside ``allow_mutation_on_saved_tensors`` where that does, too."""
        state = modes.current()
        if state.guard is None:
            state.guard = self
            state.changed()
        elif state.guard is not self:
            state.guard.previous = self

    def unpack(self, kept):
        if kept.copied_at is None:
            writes = writes_since(kept.tensor._storage, kept.writes)
            changed = [w for w in writes or () if runtime.overlap(w.region, kept.tensor._array)]
            if writes is None or changed:
                by = f" by {changed[0].op} at {place(changed[0].site).where()}" if changed and changed[0].site else ""
                raise RuntimeError("one of the variables needed for gradient computation has been modified by an inplace "
                                   f"operation{by}, in another thread than the one that keeps it, or after freeze_()")
        return kept.tensor

    def forget(self, key):
        """One of the values is gone. With the last of all, writes are no longer looked at."""
        if not self.by_storage.get(key):
            self.by_storage.pop(key, None)
        state = modes.current()
        if not self.by_storage and state.guard is self:
            state.guard = None
            state.changed()

    def before_write(self, target):
        """Copy what is kept of the bytes that are about to be written."""
        self.before_escape(target._storage, target._array)

    def before_escape(self, storage, region=None):
        """Copy what is kept of memory that others are about to see, and of a ``region`` that is about to be written."""
        for kept in list(self.by_storage.get(id(storage), ())):
            if kept.tensor._storage is storage and (region is None or runtime.overlap(region, kept.tensor._array)):
                kept.copy()
                self.by_storage[id(storage)].discard(kept)


local = threading.local()


def keeper():
    """This thread's keeper."""
    if not hasattr(local, "keeper"):
        local.keeper = Keeper()
    return local.keeper


class keep_saved(saved_tensors_hooks):
    """Inside, what is saved for backward is kept as it is, whatever is written to it later: also behind the block.

    A value is copied just before its first write, so it costs nothing where there is none. A write to what backward needs
    is then no error, and the gradient is that of the values in forward. (PyTorch: ``allow_mutation_on_saved_tensors``,
    whose backward must run inside.) :func:`explain` says what was copied, and because of which line.

    >>> import leafward as lw
    >>> x = lw.tensor([0.0, 1.0], requires_grad=True)
    >>> with lw.keep_saved():
    ...     y = x.exp()
    >>> _ = y.detach().zero_()
    >>> y.sum().backward()
    >>> x.grad
    tensor([1.0000, 2.7183])
    """

    def __init__(self) -> None:
        super().__init__(keeper().pack, keeper().unpack)


def set_saved_policy(policy: str) -> None:
    """Say what happens to values that backward needs when they are written, in this thread, from now on.

    policy: ``"copy_on_write"``: as inside of :class:`keep_saved`; ``"share"``, the default: backward refuses, or warns

    >>> import leafward as lw
    >>> x = lw.tensor([0.0, 1.0], requires_grad=True)
    >>> lw.set_saved_policy("copy_on_write")
    >>> y = x.exp()
    >>> lw.set_saved_policy("share")
    >>> _ = y.detach().zero_()
    >>> y.sum().backward()
    >>> x.grad
    tensor([1.0000, 2.7183])
    """
    if policy not in POLICIES:
        raise ValueError(f"policy should be one of {list(POLICIES)}, but got {policy!r}")
    state, hooks = modes.current(), keeper().for_ever
    if state.saved_refusal is not None and policy == "copy_on_write":
        raise RuntimeError(state.saved_refusal)
    others = [one for one in state.saved_hooks or () if one is not hooks]
    state.saved_hooks = [hooks, *others] if policy == "copy_on_write" else others
    state.changed()
