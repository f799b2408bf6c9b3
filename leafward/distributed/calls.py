"""One collective as a backend sees it: flat arrays, and what to do with them."""
from collections import deque

from leafward.arrays import reducing
from leafward.core.native import call_site
from leafward.core.seals import before_write
from leafward.core.storage import VersionCounter, count_write, record_write
from leafward.core.runtime import runtime
from leafward.core.tensor import array_of

#: How many calls a rank remembers.
REMEMBERED = 64


class Call:
    """``kind`` of collective on ``data`` (what goes in, or both ways) and ``out`` (what comes), with its plan.

    ``root``: a rank of the group; ``counts``: how many elements go to and come from each rank; ``number``: the how-manieth
    call of this rank in this group it is, of those that all ranks take part in.
    """

    def __init__(self, kind, name, *, data=None, out=None, op=None, root=None, counts=None, tag=0, shape=(), size=None):
        self.kind, self.name, self.data, self.out, self.op, self.root = kind, name, data, out, op, root
        self.counts, self.tag, self.shape, self.size = counts, tag, shape, size
        self.tensors = []
        self.number = self.group = None
        self.site = call_site()
        self.work = None

    def array(self):
        """The array that says the dtype."""
        return self.out if self.data is None else self.data

    def results(self):
        """The tensors that it writes."""
        return list(self.tensors)

    def signature(self):
        """What has to be the same on all ranks."""
        array = self.array()
        return self.kind, self.op, self.root, None if array is None or self.kind == "barrier" else array.dtype.name, self.size

    def __str__(self):
        array = self.array()
        what = [] if array is None else [f"{array.dtype} {list(self.shape)}"]
        what += [] if self.op is None else [self.op]
        what += [] if self.root is None else [f"rank {self.root}"]
        return f"{self.name}({', '.join(what)})"


class Ledger:
    """What one rank did last, and what it waits for: read when something hangs, and by nobody before."""

    def __init__(self, rank):
        self.rank = rank
        self.calls = deque(maxlen=REMEMBERED)
        self.count = 0

    def add(self, call):
        """Note a call that begins."""
        self.count += 1
        self.calls.append((self.count, call))

    def waiting(self):
        """The oldest remembered call that has not ended: ``(its place among all, the call)``; None where there is none."""
        return next(((n, call) for n, call in list(self.calls) if call.work is not None and not call.work.is_completed()), None)


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
