"""What users' pack hooks keep in place of a saved value: whether it is still what they kept when it is unpacked.

A hook may lose digits on purpose, so what it gives back need not be what it was given. But what it *kept* stays as it is
until then: the tensors and arrays in what it returned, and those that it put into a list, a dict or an array from which the
other hook reads, under the key that it returned.
"""
from collections import deque

from leafward.core.native import call_site
from leafward.core.reads import read_by
from leafward.core.runtime import runtime
from leafward.core.storage import is_after
from leafward.errors import trust

#: How deep tensors are looked for in what a hook kept.
DEPTH = 3
CONTAINERS = (dict, list, deque)
KEYS = (int, str)


def is_users(hook):
    """Whether a hook is none of leafward's own, which know what they do."""
    return not (getattr(hook, "__module__", None) or "").startswith("leafward")


class Packing:
    """One saved value that a user's hook packs: what was kept of it, and what the value was like."""

    def __init__(self, hooks):
        self.site = line_of_hook(hooks[0])
        self.containers = [(container, size_of(container)) for container in read_by(hooks[1], is_container)]
        self.places, self.kept, self.samples = [], [], None

    def note(self, saved, packed):
        """Look at what was kept; whether it is the very memory of ``saved``, which may then be written to as any other."""
        array = saved.array
        self.samples = runtime.xp.some_of(array)
        keys = [key for key in (*packed, packed) if isinstance(key, (*KEYS, tuple))] if type(packed) is tuple else [packed]
        for container, before in self.containers:
            for key in keys if size_of(container) else ():
                value = looked_up(container, key)
                if value is not None and (size_of(container) != before or self.holds(value)):
                    self.places.append((container, key))
        self.containers = None
        parts = self.parts(packed)
        self.kept = [described(part) for part in parts]
        return any([runtime.overlap(memory(part), array) for part in parts])

    def holds(self, value):
        """Whether ``value``, in a place that was there before, is what was packed."""
        return any([same(runtime.xp.some_of(memory(part)), self.samples) for part in tensors_in(value)])

    def parts(self, packed):
        """The tensors and arrays in all that was kept."""
        values = [packed, *[looked_up(container, key) for container, key in self.places]]
        return [part for value in values for part in tensors_in(value)]

    def changed(self, packed):
        """The parts that are no longer what was kept; none where they were brought elsewhere, or into another dtype."""
        parts = self.parts(packed)
        if len(parts) != len(self.kept):
            return []
        return [part for part, was in zip(parts, self.kept, strict=True)
                if memory(part).dtype == was[0] and described(part) != was]

    def tell(self, node, saved, tensor, changed, written):
        """Tell if ``tensor``, just unpacked, is not what was packed: the hook's memory was written after ``node`` kept it.

        ``changed``: the parts that are no longer what was kept; ``written``: how many writes there were before unpacking.
        """
        array = tensor._array
        if type(array) is not runtime.ndarray or tensor._batch is not None or same(runtime.xp.some_of(array), self.samples):
            return
        writes = [write for part in (tensor, *changed) if isinstance(part, runtime.tensor) for write in part._storage.log or ()
                  if is_after(write, node) and write.number < written and runtime.overlap(write.region, part._array)]
        if changed or writes:
            first = min(writes, key=lambda write: write.number, default=None)
            trust("tell_repacked")(node, saved, tensor, self, first, call_site())


def line_of_hook(hook):
    """The place of a hook; None where it has no source."""
    code = getattr(getattr(hook, "__func__", hook), "__code__", None) or getattr(
        getattr(type(hook), "__call__", None), "__code__", None)                                    # noqa: B004
    return None if code is None else (code, -1)


def is_container(value):
    """Whether a hook may keep tensors in ``value``, each under a key."""
    return isinstance(value, (*CONTAINERS, runtime.tensor, runtime.ndarray))


def size_of(container):
    """How many places a container has."""
    return len(container) if isinstance(container, CONTAINERS) else memory(container).size


def looked_up(container, key):
    """What stands under ``key``; None for nothing."""
    try:
        if isinstance(container, CONTAINERS):
            return container[key]
        return memory(container)[key] if memory(container).ndim > 1 else None
    except (LookupError, TypeError, ValueError):
        return None


def tensors_in(value, depth=0):
    """The tensors and arrays in what was kept."""
    if isinstance(value, (runtime.tensor, runtime.ndarray)):
        return [value] if type(memory(value)) is runtime.ndarray and memory(value).size else []
    if depth == DEPTH:
        return []
    if isinstance(value, CONTAINERS) or isinstance(value, tuple):
        parts = value.values() if isinstance(value, dict) else value
    else:
        fields = getattr(value, "__dict__", None)
        parts = fields.values() if type(fields) is dict and not isinstance(value, type) else ()
    return [tensor for part in list(parts) for tensor in tensors_in(part, depth + 1)]


def memory(part):
    return part._array if isinstance(part, runtime.tensor) else part


def described(part):
    """The type, the shape and a fingerprint of a part: what it is now."""
    array = memory(part)
    return array.dtype, array.shape, runtime.xp.fingerprint(array)


def same(x, y):
    """Whether samples of two values are the same, whatever their shapes are."""
    return x.size == y.size and x.dtype == y.dtype and x.tobytes() == y.tobytes()
