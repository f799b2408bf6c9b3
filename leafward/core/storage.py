"""Who owns the bytes, how often they were written, and the last few writes and where."""
from leafward.core.native import allocate, call_site
from leafward.core.runtime import runtime

#: How many writes a storage remembers, and how many of them if they write to parts, as a loop over rows does. Older ones
#: count, but no longer say which region they touched.
REMEMBERED = 32
REMEMBERED_PARTS = 1024
#: How many steps of a chain of aliases are remembered.
REMEMBERED_ALIASES = 16


class VersionCounter:
    """Counts the tracked writes to one alias family: a tensor, its views and its ``detach()``es."""

    def __init__(self):
        self.version = 0


class Storage(VersionCounter):
    """The owner of some memory. It is also the version counter of the family that it was made for.

    ``writes`` counts every write by whatever family: ``.data`` opens a new family on the same storage,
    whose writes the first family's ``version`` does not see, as in PyTorch. ``kept``: a value in it was saved for
    backward; ``escaped``: others see the memory, see ``seals.py``; ``before``: what the next write will overwrite;
    ``frozen``: nobody may write it (the place where that was said; the function that the memory came by, if it came so).
    """

    def __init__(self, owner=None):
        self.version = 0
        self.writes = 0
        self.owner = owner
        self.log = None


if __file__.endswith(".py"):            # interpreted; compiled, storage.pxd gives the layout
    VersionCounter.version = 0
    Storage.writes = 0
    Storage.owner = Storage.log = Storage.escaped = Storage.before = Storage.frozen = None
    Storage.kept = False


class Write:
    """One write: what wrote, from where, to which region, through which alias, and the counts after it.

    ``before``: a fingerprint of the region before it, for writes that the version counter does not see. ``sequence``: how
    many nodes there were, and ``number``: how many writes, to whatever storage. See :func:`is_after`.
    """


class Alias:
    """How a tensor came to share memory with another: ``detach``, ``view`` or ``data``, and where.

    ``parent`` is how that other one came to share it in turn, ``depth`` how many links lie behind; ``options`` are
    those of the view op where autograd does not know that it made a view, so that no chain of views has them.
    """


if __file__.endswith(".py"):
    Write.op = Write.site = Write.region = Write.alias = Write.before = None
    Write.version = Write.writes = Write.sequence = Write.number = 0
    Alias.kind = Alias.site = Alias.parent = Alias.options = None
    Alias.depth = 0


def record_write(tensor, op, region=None):
    """Note that ``op`` (a name) wrote into ``tensor``: every writer goes through here, differentiable or not."""
    count_write(tensor._counter, tensor._storage, tensor._array if region is None else region, tensor._alias, op,
                call_site() if runtime.checks else None)


def record_writes(tensors, op):
    """The same for several tensors that one call wrote into."""
    site = call_site() if runtime.checks else None
    for tensor in tensors:
        count_write(tensor._counter, tensor._storage, tensor._array, tensor._alias, op, site)


def count_write(counter, storage, region, alias, op, site):
    """Count one write into ``region``, and remember it."""
    # Never tied to derivative metadata: that once made PyTorch miss writes declared non-differentiable (#14571).
    counter.version += 1
    storage.writes += 1
    if not runtime.checks:
        return
    log = storage.log
    if log is None:
        storage.log = log = []
    if len(log) >= REMEMBERED and (region is storage.owner or len(log) >= REMEMBERED_PARTS
                                   or region.nbytes >= storage.owner.nbytes):
        del log[0]
    write = allocate(Write)
    write.op = op
    write.site = site
    write.region = region
    if storage.before is not None:
        if storage.before[0] is region:
            write.before = storage.before[1]
        storage.before = None
    write.alias = alias
    write.version = counter.version
    write.writes = storage.writes
    write.sequence = runtime.sequence
    write.number = runtime.written
    runtime.written += 1
    log.append(write)


def writes_since(storage, writes):
    """The writes after the count ``writes``, oldest first; None if some of them are no longer remembered."""
    missing = storage.writes - writes
    if missing == 0:
        return []
    if storage.log is None or missing > len(storage.log):
        return None
    return storage.log[-missing:]


def is_after(write, node):
    """Whether a write was made after ``node`` had saved its values, to whatever storage."""
    return write.sequence > node._sequence
