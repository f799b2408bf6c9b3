"""Whether the ranks of a group still call the same: compared now and then, beside a call that all of them wait for.

MPI adds what has the same length, whatever it is. So every rank keeps a checksum of its calls, and some calls take it along
on a way of its own: nobody waits for the answer. Where it shows a difference, the ranks tell their last calls, which finds the
first that differs.
"""
import functools
import json
import threading
import zlib
from datetime import timedelta

from leafward.distributed import report
from leafward.distributed.errors import DistError
from leafward.distributed.stores import PrefixStore

#: The checksums are compared after the calls 1, 2, 4, 8, and then after each so many.
EVERY = 16
#: Calls that no rank comes back from before all have begun them: a comparison beside one is never left alone.
TOGETHER = {"allreduce", "allgather", "reduce_scatter", "alltoall", "barrier"}
#: How long the others have to tell what they did, in seconds.
ANSWER = 5.0


def now_and_then(count, every):
    """Whether it is the turn of the ``count``-th (from 1 on): often at first, then each ``every`` times."""
    return count % every == 0 or count < every and count & (count - 1) == 0


@functools.lru_cache
def in_bytes(signature):
    """A signature as what is summed up: the same calls come again and again."""
    return repr(signature).encode()


def told_by_all(group, key, value, patience=ANSWER):
    """What every rank says of something, through the store; None for those that say nothing within ``patience`` seconds."""
    store = PrefixStore(key, group.store.clone())
    store.set(str(group.rank()), json.dumps(value))
    ranks = [str(rank) for rank in range(group.size())]
    # Each asks a few things, however many there are: the last to come collects it for the others.
    if store.add("came", 1) == group.size():
        store.set("complete", b"[" + b",".join(store.multi_get(ranks)) + b"]")
    try:
        store.wait(["complete"], timedelta(seconds=patience))
        return json.loads(store.get("complete"))
    except DistError:
        known = set(store.list_keys())
    there = [rank for rank in ranks if rank in known]
    texts = dict(zip(there, store.multi_get(there), strict=True))
    return [json.loads(texts[rank]) if rank in texts else None for rank in ranks]


class Agreement:
    """One rank's checksum of its calls in a group."""

    def __init__(self, group):
        self.group = group
        self.digest, self.due = 0, False
        self.lock, self.known = threading.Lock(), threading.Event()
        self.thread = self.error = None

    def note(self, call):
        """One more call, which begins next. Raises what was found of those before."""
        if self.group.backend.detail:
            return                                          # each call is compared before it begins
        if self.thread is not None:
            self.known.wait(2 * ANSWER)
            call.work.finish(self.error)
            raise self.error
        self.digest = zlib.crc32(in_bytes(call.signature()), self.digest)
        self.due = self.due or now_and_then(call.number + 1, EVERY)
        if self.due and call.kind in TOGETHER and self.group.there > 1:
            self.due = False
            work = self.group.beside([self.digest, -self.digest])
            work.then(lambda: self.judge(work))

    def judge(self, work):
        """Look at the answer, in whichever thread it came: the greatest checksum, and the smallest."""
        if work.error is not None or alike(work):
            return
        with self.lock:
            if self.thread is None:
                self.thread = threading.Thread(target=self.find, daemon=True, name="leafward agreement")
                self.thread.start()

    def find(self):
        """Find the first call that differs, and end what waits with it."""
        calls = [(call.number, str(call.signature()), f"{call}, {report.at(call.site)}")
                 for call in list(self.group.ledger.calls)
                 if call.group_name == self.group.group_name and call.number is not None]
        try:
            told = told_by_all(self.group, "agreement", calls)
        except (DistError, OSError):
            told = [calls if rank == self.group.rank() else None for rank in range(self.group.size())]
        self.error = report.apart(told)
        self.known.set()
        self.group.ledger.end(self.error, self.group.group_name)


def alike(work):
    """Whether all ranks brought the same numbers, each with its negative behind it."""
    numbers = work.numbers.tolist()
    return all([high == -low for high, low in zip(numbers[::2], numbers[1::2], strict=True)])
