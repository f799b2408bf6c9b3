"""What was in memory when it mattered, so that what is said of a write is true.

Two kinds of writes are found by comparing bytes. Those through ``.data`` and the like are known, but may have been undone:
before them, a fingerprint of what they write to is taken. Those of other libraries are not known at all: memory that was
handed out (``numpy()``), or came from elsewhere (``from_numpy``), is *escaped*. A value that is saved while that lasts gets
a fingerprint of its own; for values that were saved before, what was in the memory is kept when it is handed out.
"""
from weakref import ref

from leafward.core import modes
from leafward.core.mode_bits import GUARD
from leafward.core.native import call_site
from leafward.core.runtime import runtime
from leafward.errors import ReadOnlyTensorError

#: How many copies of what was handed out a storage keeps.
REMEMBERED_ESCAPES = 4


class Escape:
    """Memory was handed out, or came, from ``site``; ``kind`` says how. ``array``: what others hold; None: for ever."""

    def __init__(self, kind, array, held):
        self.kind, self.site, self.held = kind, call_site(), held
        self.array = None if array is None else ref(array)

    def alive(self):
        return self.array is None or self.array() is not None


class Escapes:
    """All times that one storage escaped: their number, and the last few of them."""

    def __init__(self):
        self.count = 0
        self.recent = []

    def alive(self):
        for escape in self.recent:
            if escape.array is None or escape.array() is not None:
                return True
        return False

    def after(self, count):
        """The first remembered one after the first ``count``."""
        later = self.since(count)
        return later[0] if later else None

    def since(self, count):
        """Those remembered after the first ``count``."""
        return self.recent[-(self.count - count):] if self.count > count else []


def escape(storage, kind, array=None):
    """Note that others see the memory of ``storage`` through ``array``."""
    if modes.word() & GUARD:
        modes.current().guard.before_escape(storage)
    if not runtime.checks:
        return
    if hasattr(storage, "hand_out"):                        # a gradient that a user's function was shown
        storage.hand_out()
    if storage.escaped is None:
        storage.escaped = Escapes()
    escapes = storage.escaped
    escapes.count += 1
    if len(escapes.recent) >= REMEMBERED_ESCAPES:
        ended = [e for e in escapes.recent if not e.alive()] or escapes.recent[1:]
        escapes.recent.remove(ended[0])
    escapes.recent.append(Escape(kind, array, runtime.xp.Held(storage.owner) if storage.kept else None))


def seal(saved):
    """Note what a value on escaped memory is when it is saved."""
    escapes = saved.storage.escaped
    if escapes.alive():
        saved.seal = runtime.xp.fingerprint(saved.array, runtime.strict)
    saved.escapes = escapes.count


def written_outside(saved):
    """Whether the bytes of a value on escaped memory are no longer those that were saved."""
    if saved.seal is not None:
        return runtime.xp.fingerprint(saved.array, runtime.strict) != saved.seal
    later = saved.storage.escaped.after(saved.escapes)
    return later is not None and later.held is not None and later.held.differs(saved.array)


def before_write(tensor, region=None):
    """Take a fingerprint of what is about to be written through a counter that others do not look at."""
    storage = tensor._storage
    if storage.frozen is not None:                          # by `trust.freeze_`, or it came so
        at, came_by = storage.frozen
        raise ReadOnlyTensorError(frozen=at, came_by=came_by, site=call_site())
    if modes.word() & GUARD:                                # by `trust.keep_saved`
        modes.current().guard.before_escape(storage)
    if hasattr(storage, "separate"):                        # a gradient that a user's function was shown
        storage.separate()
    if storage.kept and runtime.checks:
        region = tensor._array if region is None else region
        storage.before = region, runtime.xp.fingerprint(region, True)


class Marked:
    """Stands in the place of a write's fingerprint where the user said that the write is safe, and why."""

    def __init__(self, reason):
        self.reason = reason


def is_marked(writes):
    """Whether some of the writes to a value are marked as safe."""
    return any([type(write.before) is Marked for write in writes])


def is_restored(saved, writes):
    """Whether a value that was written to (``writes``; None: they are forgotten) has the bytes again that were saved."""
    if writes and is_marked(writes):
        writes = [write for write in writes if type(write.before) is not Marked]
        if not writes:
            return True
    elif saved.seal is not None:
        return not written_outside(saved)
    if not writes:
        return False
    seen = set()
    for write in writes:
        where = (write.region.__array_interface__["data"][0], write.region.shape, write.region.strides)
        if where not in seen:                              # before the first of them it was as it was saved
            seen.add(where)
            if write.before is None or runtime.xp.fingerprint(write.region, True) != write.before:
                return False
    return True
