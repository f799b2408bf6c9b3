"""What nodes keep, storage by storage: who saved, who wrote, in which order, and whether a write came too late."""
import gc

from leafward.core.node import Node, behind
from leafward.core.runtime import runtime
from leafward.core.saved import Saved
from leafward.core.seals import is_restored, written_outside
from leafward.core.slot_codes import INPUT
from leafward.core.storage import writes_since
from leafward.core.tensor import TensorBase
from leafward.trust.facts import chain, is_untracked, short_type

#: How a saved value is now, and what that means.
FRESH, RESTORED, STALE, OUTSIDE = "fresh", "restored", "stale", "outside"


class KeptValue:
    """One value that a node keeps: ``saved``, or only an ``array`` or a tensor that the core does not watch."""

    def __init__(self, node, what, value):
        self.node, self.what = node, what
        self.saved = value if isinstance(value, Saved) else None
        self.storage = value.storage if self.saved is not None else value._storage if isinstance(value, TensorBase) else None
        self.array = value.array if self.saved is not None else value._array if isinstance(value, TensorBase) else value
        self.packed = self.saved is not None and self.saved.packed is not None
        if self.saved is not None:
            self.dtype = self.saved.dtype
        else:
            self.dtype = value._dtype if isinstance(value, TensorBase) else runtime.dtype_of[value.dtype]
        self.late = []                  # the writes after it that reach it

    @property
    def is_parameter(self):
        """Whether it is a leaf that requires grad: it is in memory anyway."""
        return self.saved is not None and self.saved.leaf is not None and self.saved.leaf._requires_grad

    def type(self):
        """``f32[2, 3]``."""
        if self.array is None:
            return short_type(self.dtype)
        return f"{short_type(self.dtype)}{list(self.array.shape)}"

    def key(self):
        """The same for two values in one memory."""
        return id(self.storage if self.storage is not None else self.array)

    def nbytes(self):
        """How much memory stays for it: all of what it is a part of."""
        if self.packed:
            parts = self.saved.packed[0]
            parts = parts if isinstance(parts, (tuple, list)) else (parts,)
            return sum(part._array.nbytes for part in parts if isinstance(part, TensorBase))
        owner = None if self.storage is None else self.storage.owner
        return self.array.nbytes if owner is None else owner.nbytes

    def state(self):
        """How the value is now. The writes that reach it are in ``late``."""
        saved = self.saved
        if saved is None or saved.array is None:
            return FRESH
        writes = writes_since(saved.storage, saved.writes)
        self.late = [] if writes is None else [w for w in writes if runtime.overlap(w.region, saved.array)]
        if writes is None or self.late or (saved.counter.version != saved.version and saved.moved()):
            counted = saved.counter.version != saved.version and not all(map(is_untracked, self.late))
            return RESTORED if not counted and is_restored(saved, self.late) else STALE
        if saved.storage.escaped is not None and not self.packed and written_outside(saved):
            return OUTSIDE
        return FRESH

    def is_finite(self):
        if self.array is None or not (self.dtype.is_floating_point or self.dtype.is_complex):
            return True
        return bool(runtime.xp.is_finite(runtime.xp.resolved(self.array)))


def kept_values(node):
    """What a node keeps: saved values, residuals, and tensors that a custom function put on its ``ctx``."""
    found = []
    plan = getattr(node, "_plan", None)
    for number, value in enumerate(node._values or ()):
        what = "" if plan is None or number >= len(plan.slots) else named(plan, plan.slots[number])
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, Saved):
                found.append(KeptValue(node, "its output" if part.is_output else what or "a saved tensor", part))
            elif type(part) is runtime.ndarray and part.ndim:
                found.append(KeptValue(node, "computed beside the result", part))
    for name, value in getattr(node, "__dict__", {}).items():
        if isinstance(value, TensorBase) and not name.startswith("_"):
            found.append(KeptValue(node, f"ctx.{name}", value))
    return found


def named(plan, slot):
    """What the documentation of the op calls the input that a slot keeps."""
    kind, position = slot
    return f"its input {plan.op.inputs[position]}" if kind == INPUT and len(plan.op.inputs) > 1 else "its input"


def timeline(values):
    """What happened to one storage since the first of ``values`` was saved in it: ``(count, save or write)`` in order."""
    saves = [value for value in values if value.saved is not None]
    if not saves:
        return []
    first = min(value.saved.writes for value in saves)
    events = [(value.saved.writes, 0, value.node._sequence, value) for value in saves]
    events += [(write.writes, -1, 0, write) for write in saves[0].storage.log or () if write.writes > first]
    return [event[-1] for event in sorted(events, key=lambda event: event[:3])]


def through(write):
    """The first alias that a write went through; None where it wrote to the tensor itself."""
    links = chain(write.alias)
    return links[0] if links else None


def live_nodes(roots):
    """Every node behind ``roots``; without any, all that are alive."""
    if roots:
        return [end for end in behind(roots) if isinstance(end, Node)]
    if runtime.track_nodes is not None:
        runtime.track_nodes()
    return [thing for thing in gc.get_objects() if issubclass(type(thing), Node)]
