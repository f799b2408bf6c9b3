"""One collective as a backend sees it: flat arrays, and what to do with them; and what is remembered of it afterwards."""
from collections import deque

from leafward.arrays import reducing
from leafward.core.native import call_site
from leafward.core.seals import before_write
from leafward.core.storage import VersionCounter, count_write, record_write
from leafward.core.runtime import runtime
from leafward.core.tensor import array_of

#: How many calls a rank remembers.
REMEMBERED = 64


class Facts:
    """What is known of a call without its arrays: this is remembered when it has ended.

    ``root``: a rank of the group; ``number``: the how-manieth call of this rank in this group it is, of those that all ranks
    take part in; ``turn``: the same among all calls of the rank.
    """

    FIELDS = "kind", "name", "op", "root", "dtype", "shape", "size", "number", "group_name", "turn", "site"
    __slots__ = FIELDS

    def never_with(self, numbers):
        """Whether a rank that left after so many calls of each of its groups takes no part in this one."""
        return self.number is not None and numbers.get(self.group_name, self.number + 1) <= self.number

    def signature(self):
        """What has to be the same on all ranks."""
        return self.kind, self.op, self.root, None if self.kind == "barrier" else self.dtype, self.size

    def __str__(self):
        what = [] if self.dtype is None else [f"{self.dtype} {list(self.shape)}"]
        what += [] if self.op is None else [self.op]
        what += [] if self.root is None else [f"rank {self.root}"]
        return f"{self.name}({', '.join(what)})"


class Call(Facts):
    """``kind`` of collective on ``data`` (what goes in, or both ways) and ``out`` (what comes), with its plan.

    ``counts``: how many elements go to and come from each rank. ``parts``: flat arrays in place of ``data``, one behind the
    other, and ``divisor``, which this rank's numbers are divided by: for a backend that reduces where they lie; ``nans`` are
    then the positions of those that had NaN, or None where no rank's had. ``attended``: whoever began it waits for it soon.
    """

    __slots__ = "data", "out", "counts", "tag", "tensors", "work", "parts", "divisor", "nans", "attended"

    def __init__(self, kind, name, *, data=None, out=None, op=None, root=None, counts=None, tag=0, shape=(), size=None,
                 parts=None, divisor=1, attended=False):
        array = parts[0] if parts else out if data is None else data
        self.kind, self.name, self.data, self.out, self.op, self.root = kind, name, data, out, op, root
        self.counts, self.tag, self.shape, self.size = counts, tag, shape, size
        self.dtype = None if array is None else reducing.name_of(array.dtype)
        self.tensors, self.nans = [], None
        self.parts, self.divisor, self.attended = parts, divisor, attended
        self.number = self.group_name = self.turn = self.work = None
        self.site = call_site()

    @property
    def nbytes(self):
        """How many bytes go in, or come."""
        if self.parts is not None:
            return sum([part.nbytes for part in self.parts])
        array = self.out if self.data is None else self.data
        return 0 if array is None else array.nbytes

    def facts(self):
        """The same without arrays, tensors and work."""
        found = Facts()
        for field in Facts.FIELDS:
            setattr(found, field, getattr(self, field))
        return found


class Ledger:
    """What one rank did last, and what it waits for: read when something hangs, and by nobody before.

    Of calls that have ended it keeps facts alone: their memory is the program's.
    """

    def __init__(self, rank):
        self.rank = rank
        self.calls = deque(maxlen=REMEMBERED)
        self.count = 0
        self.numbers = {}                               # the name of a group -> calls in it that all its ranks take part in
        self.works = {}                                 # of the calls that have not ended: their turn -> (facts, work)
        self.failure = None                             # why no call of this rank will end well any more

    def add(self, call):
        """Note a call that begins."""
        self.count += 1
        facts, turn = call.work.call, self.count
        facts.turn = call.turn = turn
        self.calls.append(facts)
        self.works[turn] = facts, call.work
        call.work.then(lambda: self.works.pop(turn, None))
        if self.failure is not None:
            call.work.finish(self.failure)

    def waiting(self):
        """The facts of the oldest call that has not ended; None where there is none."""
        return next((facts for facts, _ in list(self.works.values())), None)

    def end(self, error, group_name=None):
        """End all calls that wait with an error, and those to come; ``group_name``: those of one group that wait."""
        if group_name is None:
            self.failure = error
        for facts, work in list(self.works.values()):
            if group_name in (None, facts.group_name):
                work.finish(error)


def lies_plainly(tensor):
    """The tensor's array, to write to."""
    if type(tensor._array) is not runtime.ndarray:
        raise NotImplementedError("a collective writes to memory, and this tensor shows the conjugate or the negative of what "
                                  "is there: give it x.resolve_conj().resolve_neg()")
    return tensor._array


def flat_to_read(tensor):
    """The elements in order."""
    return reducing.packed(array_of(tensor))


class Written:
    """Tensors that a collective writes: noted as written now, and filled from ``flats`` when it has ended."""

    def __init__(self, call, tensors, flats, counted=False):
        self.pairs = [(lies_plainly(tensor), flat) for tensor, flat in zip(tensors, flats, strict=True)]
        call.tensors = tensors
        for tensor in tensors:
            if counted:
                record_write(tensor, call.name)
            else:
                # PyTorch's collectives leave ``_version`` alone: this write is known to the storage only, as one by .data.
                before_write(tensor)
                count_write(VersionCounter(), tensor._storage, tensor._array, tensor._alias, call.name, call.site)

    def fill(self):
        """Copy what came where it did not come by itself."""
        for array, flat in self.pairs:
            if not reducing.shares_memory(flat, array):
                array[...] = flat.reshape(array.shape)
