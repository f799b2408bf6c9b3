"""``ProcessGroup``: some ranks, and the backend that carries what they say."""
from leafward.arrays import reducing
from leafward.core.runtime import runtime
from leafward.distributed.agreement import Agreement
from leafward.distributed.calls import Call
from leafward.distributed.work import Work
from leafward.errors import trial


class GroupMember:
    """What ``new_group`` gives to ranks that are not members.

    >>> lw.distributed.run_ranks(lambda rank: lw.distributed.new_group([0]) == lw.distributed.GroupMember.NON_GROUP_MEMBER, 2)
    [False, True]
    """

    NON_GROUP_MEMBER = -100


class ProcessGroup:
    """Several ranks that exchange tensors. :func:`init_process_group` and :func:`new_group` make them.

    ranks: which of all
    rank: this one, counted in the group
    backend: what carries the tensors
    ledger: where this rank's calls are noted
    name, asked, store, timeout, desc: as :func:`new_group` was asked

    >>> lw.distributed.run_ranks(lambda rank: lw.distributed.group.WORLD.size(), 2)
    [2, 2]
    """

    def __init__(self, ranks, rank, backend, ledger, *, name, asked, store, timeout, desc=None):
        self.ranks, self.own_rank, self.backend, self.ledger = ranks, rank, backend, ledger
        self.group_name, self.group_desc = name, desc or "undefined"
        self.asked, self.store, self.timeout = asked, store, timeout
        self.there = 1 if asked == "fake" else len(ranks)       # how many ranks there really are: whose values a sum is of
        self.numbers = self.monitored = self.asides = 0
        self.agreement = Agreement(self)
        self.closed = False
        ledger.numbers[name] = 0

    def rank(self):
        """This process's rank in the group."""
        return self.own_rank

    def size(self):
        """How many ranks there are."""
        return len(self.ranks)

    def name(self):
        """What the backend was asked for by."""
        return self.asked

    _get_backend_name = name

    def _get_sequence_number_for_group(self):
        return self.numbers

    def get_group_store(self):
        """The store of the group."""
        return self.store

    def set_timeout(self, timeout):
        """Let collectives wait so long from now on."""
        self.timeout = timeout

    def __repr__(self):
        return f"<torch.distributed.ProcessGroup {self.group_name}: ranks {self.ranks}, {self.asked}>"

    def reduces_in_place(self, dtype):
        """Whether gradients of a dtype (its name) are best reduced where they lie: by a call of many arrays."""
        return self.backend.reduces_in_place(dtype)

    def start(self, call, finishing=None, wanted=False):
        """Begin a call: its work. ``wanted``: whether that is waited for at once."""
        if self.closed:
            raise ValueError("Invalid process group specified")
        if trial.going_on:
            raise RuntimeError("other ranks take no part in a trial")
        call.group_name = self.group_name
        if call.kind not in ("send", "recv"):
            call.number = self.numbers
            self.numbers = self.ledger.numbers[self.group_name] = call.number + 1
        work = self.work_of(call)
        work.finishing, work.wanted = finishing, wanted
        self.ledger.add(call)
        if call.number is not None:
            self.agreement.note(call)
        if not work.is_completed():
            self.backend.start(call)
        return work

    def beside(self, numbers):
        """Begin to find the greatest of a few whole numbers of each rank, on a way of its own: it counts as no call."""
        data = reducing.numbers(numbers)
        call = Call("allreduce", "agreement", data=data, op="MAX", shape=data.shape, size=data.size)
        call.number, call.group_name = self.asides, self.group_name
        self.asides += 1
        work = self.work_of(call)
        work.numbers = data
        self.backend.beside(call)
        return work

    def work_of(self, call):
        """A work for a call, of which it knows the facts alone: in a circle of both, arrays would wait for the collector."""
        call.work = Work(call.facts(), self.timeout.total_seconds(), self.backend.why)
        call.work.tensors = call.tensors
        return call.work

    def run(self, call, async_op, finishing=None):
        """Begin a call, and wait for it unless ``async_op``: then its work."""
        work = self.start(call, finishing, not async_op)
        if async_op:
            return work
        work.wait()
        return None

    def close(self):
        """The group is used no more."""
        if not self.closed:
            self.closed = True
            self.backend.close()


def is_tensor(value):
    """Whether it is one of ours."""
    return isinstance(value, runtime.tensor)
