"""The backend whose ranks are threads of one process: the last to come does a collective for all.

Tests, examples and debuggers need no MPI with it. Whoever calls leaves its arrays in the :class:`Exchange` of the group; nobody
waits before it asks its :class:`Work`, so that an order of calls that would not deadlock with other backends does not here.
"""
import sys
import threading

from leafward.arrays import reducing
from leafward.distributed import report
from leafward.distributed.errors import DistBackendError

#: A message of so many bytes is taken from its sender at once; a longer one waits for its receiver.
EAGER = 1 << 16


def total_of(arrays, op):
    """All of one array of each rank, in the order of ranks."""
    total = arrays[0].copy()
    for array in arrays[1:]:
        reducing.combine(op, total, array)
    return total


def allreduce(calls):
    total = total_of([call.data for call in calls], calls[0].op)
    for call in calls:
        call.data[...] = total


def to_root(calls):
    root = calls[calls[0].root]
    root.data[...] = total_of([call.data for call in calls], root.op)


def broadcast(calls):
    for call in calls:
        call.data[...] = calls[call.root].data


def allgather(calls):
    whole = reducing.together([call.data for call in calls], calls[0].data.dtype)
    for call in calls:
        call.out[...] = whole


def gather(calls):
    calls[calls[0].root].out[...] = reducing.together([call.data for call in calls], calls[0].data.dtype)


def scatter(calls):
    size = calls[0].out.size
    for rank, call in enumerate(calls):
        call.out[...] = calls[call.root].data[rank * size:(rank + 1) * size]


def reduce_scatter(calls):
    total, size = total_of([call.data for call in calls], calls[0].op), calls[0].out.size
    for rank, call in enumerate(calls):
        call.out[...] = total[rank * size:(rank + 1) * size]


def alltoall(calls):
    for receiver, call in enumerate(calls):
        here = 0
        for sender, count in enumerate(call.counts[1]):
            sent = calls[sender].counts[0]
            if sent[receiver] != count:
                raise DistBackendError(f"rank {sender} sends {sent[receiver]} elements to rank {receiver}, which expects "
                                       f"{count}")
            start = sum(sent[:receiver])
            call.out[here:here + count] = calls[sender].data[start:start + count]
            here += count


PERFORMED = {"allreduce": allreduce, "reduce": to_root, "broadcast": broadcast, "allgather": allgather, "gather": gather,
             "scatter": scatter, "reduce_scatter": reduce_scatter, "alltoall": alltoall, "barrier": lambda calls: None}


class Exchange:
    """Where the ranks of one group leave their calls."""

    def __init__(self, size):
        self.size = size
        self.lock = threading.Lock()
        self.slots = {}                                 # number of the call -> {rank: call}
        self.sent, self.wanted = [], []                 # (sender, receiver, call); (receiver, sender or None, call)
        self.failure = None

    def join(self, rank, call):
        """One rank's call; the last one's does the work."""
        with self.lock:
            if self.failure is not None:
                call.work.finish(self.failure)
                return
            slot = self.slots.setdefault(call.number, {})
            slot[rank] = call
            if len(slot) < self.size:
                return
            del self.slots[call.number]
        calls = [slot[r] for r in range(self.size)]
        error = report.disagreement(calls)
        if error is None:
            try:
                PERFORMED[call.kind](calls)
            except Exception as problem:
                error = problem
        if error is not None:
            self.failure = error
        for one in calls:
            one.work.finish(error)

    def send(self, rank, call):
        """A message for ``call.root``."""
        if call.data.nbytes <= EAGER:
            call.data = call.data.copy()
            call.work.finish()
        with self.lock:
            for position, (receiver, sender, want) in enumerate(self.wanted):
                if receiver == call.root and sender in (None, rank) and want.tag == call.tag:
                    del self.wanted[position]
                    break
            else:
                self.sent.append((rank, call.root, call))
                return
        self.hand_over(rank, call, want)

    def receive(self, rank, call):
        """Wait for a message from ``call.root``, or from anyone."""
        with self.lock:
            for position, (sender, receiver, given) in enumerate(self.sent):
                if receiver == rank and call.root in (None, sender) and given.tag == call.tag:
                    del self.sent[position]
                    break
            else:
                self.wanted.append((rank, call.root, call))
                return
        self.hand_over(sender, given, call)

    def hand_over(self, sender, given, want):
        error = None
        if given.data.nbytes != want.out.nbytes:
            error = DistBackendError(f"rank {sender} sends {given}, where {want} is expected")
        else:
            want.out[...] = given.data if given.data.dtype == want.out.dtype else given.data.view(want.out.dtype)
            want.work.source = sender
        given.work.finish(error)
        want.work.finish(error)

    def fail(self, error):
        """Nobody will come any more: end what waits."""
        with self.lock:
            self.failure = error
            left = [call for slot in self.slots.values() for call in slot.values()]
            left += [call for *_, call in self.sent + self.wanted]
            self.slots, self.sent, self.wanted = {}, [], []
        for call in left:
            call.work.finish(error)


class Job:
    """What the threads of one job share."""

    def __init__(self):
        self.lock = threading.Lock()
        self.exchanges, self.ledgers, self.threads = {}, {}, {}
        self.left = {}                                  # rank -> its ledger
        self.error = None

    def exchange(self, name, size):
        """The place where the group called ``name`` meets."""
        with self.lock:
            found = self.exchanges.get(name)
            if found is None:
                found = self.exchanges[name] = Exchange(size)
                found.failure = self.error
            return found

    def enter(self, ledger):
        """Make a rank known to the others, for reports."""
        with self.lock:
            if ledger.rank in self.ledgers:
                self.left.clear()                       # of a time before: all enter anew
            self.ledgers[ledger.rank] = ledger
            self.threads[ledger.rank] = threading.get_ident()

    def leave(self, ledger):
        """A rank ends well: it takes part in nothing more."""
        with self.lock:
            self.left[ledger.rank] = ledger

    def fail(self, error):
        """A rank ended with an error: the others need not wait for it."""
        with self.lock:
            self.error = error
            exchanges = list(self.exchanges.values())
        for exchange in exchanges:
            exchange.fail(error)

    def rows(self):
        """What each rank does now, for a report."""
        frames = sys._current_frames()
        return [report.row_of_left(rank, "a thread", ledger.numbers) if rank in self.left
                else report.row(ledger, frames.get(self.threads[rank])) for rank, ledger in sorted(self.ledgers.items())]

    def in_vain(self, call):
        """The error of a call that ranks which left take no part in; None where there are none."""
        with self.lock:
            left = sorted(self.left.items())
        return report.in_vain(call, [report.row_of_left(rank, "a thread", ledger.numbers) for rank, ledger in left
                                     if call.never_with(ledger.numbers)])


class Threads:
    """One group, seen by one rank."""

    detail = False

    def __init__(self, job, name, rank, size):
        self.job, self.rank = job, rank
        self.exchange, self.aside = job.exchange(name, size), job.exchange(f"{name} beside", size)

    def start(self, call):
        """Begin a call; its work ends when everybody has come."""
        if call.kind == "send":
            self.exchange.send(self.rank, call)
        elif call.kind == "recv":
            self.exchange.receive(self.rank, call)
        else:
            self.exchange.join(self.rank, call)

    def reduces_in_place(self, dtype):
        """Whether gradients are best reduced where they lie."""
        return False

    def beside(self, call):
        """Begin a call of a few numbers that stands in the way of no other."""
        self.aside.join(self.rank, call)

    def why(self, work, patience):
        """The error of a work that waited too long; before that (None), of one that waits in vain."""
        return self.job.in_vain(work.call) if patience is None else report.late(work.call, patience, self.job.rows())

    def close(self):
        """Nothing is held."""


def job_of(store, address):
    """The job that threads with this store belong to."""
    root = getattr(store, "_underlying_non_prefix_store", store)
    if address is None:
        with JOBS_LOCK:
            found = getattr(root, "job", None)
            if found is None:
                found = root.job = Job()
            return found
    with JOBS_LOCK:
        return JOBS.setdefault(address, Job())


JOBS = {}
JOBS_LOCK = threading.Lock()
