"""What should be the same on all ranks and is not: parameters that drifted apart, gradients that are NaN on some alone."""
import os
import zlib

from leafward.arrays.fingerprints import brought_down
from leafward.core.native import call_site
from leafward.core.tensor import array_of
from leafward.distributed import report
from leafward.distributed.agreement import alike, now_and_then, told_by_all
from leafward.distributed.errors import DistError
from leafward.errors import warn

#: Parameters are compared at the backwards 1, 2, 4, ... and then at each so many; under TORCH_DISTRIBUTED_DEBUG=DETAIL at each.
EVERY = 256
#: How many parameters are named, how many writes each, and how often ranks with NaN are looked for.
NAMED, WRITES, LOOKS = 3, 3, 4


def checksum(tensor):
    """A number of 32 bits that the values have."""
    return zlib.crc32(brought_down(array_of(tensor.detach())))


def last_writes(tensor):
    """Who wrote a tensor last, newest first, each line once."""
    log = tensor._storage.log or []
    found = dict.fromkeys([f"{write.op}, {report.at(write.site)}" for write in reversed(log)])
    return list(found)[:WRITES] or ["never written since it was made"]


def some_of(names):
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


class Alike:
    """What the ranks compare beside the gradients of a :class:`~leafward.distributed.reducer.Reducer`, and tell once."""

    def __init__(self, group, named):
        self.group, self.named = group, named
        self.detail = os.environ.get("TORCH_DISTRIBUTED_DEBUG") == "DETAIL"
        self.backwards, self.looks = 0, LOOKS
        self.told = False
        self.asked = None

    def begin(self):
        """A backward begins to reduce: now and then the parameters' checksums go along."""
        self.backwards += 1
        if not self.told and (self.detail or now_and_then(self.backwards, EVERY)):
            self.asked = self.compare([zlib.crc32(repr([checksum(p) for _, p in self.named]).encode())])

    def compare(self, numbers):
        """Begin to compare some numbers with those of all ranks."""
        return self.group.beside([signed for number in numbers for signed in (number, -number)])

    def end(self):
        """It has reduced: say it where parameters differ."""
        work, self.asked = self.asked, None
        if work is None:
            return
        work.wait()
        if not alike(work):
            self.told = True
            self.tell_drift()

    def tell_drift(self):
        """Which parameters differ, and who wrote them last, on each rank."""
        work = self.compare([checksum(p) for _, p in self.named])
        work.wait()
        numbers = work.numbers.tolist()
        apart = [pair for pair, high, low in zip(self.named, numbers[::2], numbers[1::2], strict=True) if high != -low]
        texts = self.ask("drift", "; ".join([text for _, p in apart[:1] for text in last_writes(p)]))
        warn("\n  ".join([f"parameters are no longer the same on all ranks: {some_of([name for name, _ in apart])}. "
                          f"The last writes to {apart[0][0]}:",
                          *[f"rank {rank}: {text or 'does not answer'}" for rank, text in enumerate(texts)]]))

    def tell_nan(self, names):
        """NaN came out of a reduction: say it where it went in on some ranks alone; ``names``: of this rank's gradients."""
        if not self.looks:
            return
        self.looks -= 1
        texts = self.ask(f"nan {self.looks}", f"{some_of(names)}, in {report.at(call_site())}" if names else "")
        guilty = {rank: text for rank, text in enumerate(texts) if text}
        if 0 < len(guilty) < len(texts):
            self.looks = 0
            warn("\n  ".join([f"gradients are NaN on {len(guilty)} of {len(texts)} ranks, and after their reduction on all:",
                              *[f"rank {rank}: {text}" for rank, text in guilty.items()]]))

    def ask(self, what, text):
        """A text of each rank; None for those that do not answer."""
        try:
            return told_by_all(self.group, f"{what} {self.backwards}", text)
        except (DistError, OSError):
            return [text if rank == self.group.rank() else None for rank in range(self.group.size())]
