"""What holds every request of a process: a thread asks each in turn whether it is done, and sleeps between.

MPI moves a large message only while somebody calls it, and its blocking calls spin. Here no call waits behind another's, a wait
can time out, and the processor is left to backward. Whoever waits asks in the thread's place: to wake that, and to be woken by
it, would take longer than a small message.
"""
import threading
import time
from copy import copy

from leafward.arrays import reducing
from leafward.distributed.errors import DistBackendError

#: For how long whoever waits for a small call asks without a pause, how long its first pause is, how long the thread's first,
#: while nobody waits, in seconds.
SPIN, SHORTEST, EASY = 50e-6, 20e-6, 200e-6
#: Each pause in vain is so many times as long as the one before. The longest of whoever waits; and of the thread, and after a
#: long wait: such a part of it.
GROWING, LONGEST, LAZIEST, PATIENT = 1.5, 1e-3, 4e-3, 1 / 8
#: How many times as short it is where ranks near each other reduce: there is work to do as soon as all have come, and to look
#: whether they have costs next to nothing.
NEARER = 4
#: Calls of more bytes take longer than ``SPIN``.
SMALL = 1 << 16
#: An answer that takes so many times as long as the shortest so far, and so many seconds, has moved bytes: there may be more.
#: (Where a rank may not read the other's memory, MPICH moves no more than a cell each time it is asked.) The first answer after
#: a pause takes longer in any case: of it so many seconds say so.
MOVING, MOVED, FIRST_MOVED = 4, 1.5e-6, 50e-6
#: How often in a row whoever asks for all is answered so, before it looks at what else there is to do.
ROUNDS = 64
#: How many elements MPI counted to before its fourth version, where a complex number is two; how many a part has that is cut
#: off what has more, and which calls are cut. (The others move elements: those of a rank are one, of a type made for them.)
COUNTED, PART = 2**30 - 1, 2**29
CUT = {"allreduce", "reduce", "broadcast"}
#: How a reduction is called for numbers, and for bools.
NUMBERS = {"SUM": "SUM", "AVG": "SUM", "PRODUCT": "PROD", "MIN": "MIN", "MAX": "MAX", "BAND": "BAND", "BOR": "BOR",
           "BXOR": "BXOR"}
BOOLS = {"SUM": "LOR", "PRODUCT": "LAND", "MIN": "LAND", "MAX": "LOR", "BAND": "LAND", "BOR": "LOR", "BXOR": "LXOR"}


class Requests:
    """Calls as MPI's requests: which datatype, which operation, which function."""

    def __init__(self, MPI):
        self.MPI, self.counts_far = MPI, MPI.VERSION >= 4
        self.units = {1: MPI.UINT8_T, 2: MPI.UINT16_T, 4: MPI.UINT32_T, 8: MPI.UINT64_T, 16: MPI.C_DOUBLE_COMPLEX}
        self.kinds = {"float32": MPI.FLOAT, "float64": MPI.DOUBLE, "int8": MPI.INT8_T, "uint8": MPI.UINT8_T,
                      "int32": MPI.INT32_T, "int64": MPI.INT64_T}
        self.half = {}
        self.made = []                              # types for the call that begins

    def moved(self, array, ranks=1):
        """A buffer whose bytes are moved, whatever they mean: equally many elements for each of some ranks."""
        if array is None:
            return None
        (buffer, unit), count = self.words(array), array.size // ranks
        return [buffer, unit] if self.counts_far or count <= COUNTED else [buffer, 1, self.of_many(unit, count)]

    def words(self, array):
        """An array as words of so many bits as its elements have, and MPI's type of them."""
        size = array.dtype.itemsize
        return array if size == 16 else array.view(f"u{size}"), self.units[size]

    def of_many(self, unit, count, begin=0):
        """A type of ``count`` elements, the first of them ``begin`` elements behind where a buffer begins."""
        blocks, rest = divmod(count, PART)
        starts = [unit.Get_size() * (begin + passed) for passed in (0, blocks * PART)]
        block = unit.Create_contiguous(PART)
        self.made += [block, self.MPI.Datatype.Create_struct([blocks, rest], starts, [block, unit]).Commit()]
        return self.made[-1]

    def reduced(self, array, op):
        """``(buffer, operation)`` of an array that is reduced."""
        MPI, dtype = self.MPI, array.dtype
        if dtype.kind == "b":
            return [array.view("u1"), MPI.UINT8_T], getattr(MPI, BOOLS[op])
        if dtype.kind == "c":
            part = "f4" if dtype.itemsize == 8 else "f8"
            return [array.view(part), self.kinds["float32" if part == "f4" else "float64"]], MPI.SUM
        if reducing.name_of(dtype) in self.kinds:
            return [array, self.kinds[reducing.name_of(dtype)]], getattr(MPI, NUMBERS[op])
        return [array.view("u2"), MPI.UINT16_T], self.half_op(dtype, op)

    def half_op(self, dtype, op):
        """MPI has no bfloat16, and not always float16: both are words of 16 bits there, added here."""
        key = reducing.name_of(dtype), NUMBERS[op]
        if key not in self.half:
            def combine(given, total, datatype):
                reducing.combine(op, reducing.halves(total, dtype), reducing.halves(given, dtype))
            self.half[key] = self.MPI.Op.Create(combine, commute=True)
        return self.half[key]

    def start(self, comm, call):
        """``[(request, call)]`` of a call: several, each with a part of it, where MPI cannot count so far."""
        try:
            return [(getattr(self, part.kind)(comm, part), part) for part in self.parts(comm, call)]
        finally:
            while self.made:
                self.made.pop().Free()              # MPI keeps them until what has begun with them ends

    def parts(self, comm, call):
        """A call as calls that MPI can count the elements of."""
        if self.counts_far or call.data is None or call.data.size <= COUNTED:
            return [call]
        if call.kind == "reduce_scatter":           # of what each rank gets, a reduction
            size = call.out.size
            return [part for root in range(comm.Get_size()) for part in self.cut(
                call, call.data[root * size:(root + 1) * size], kind="reduce", root=root,
                out=call.out if root == comm.Get_rank() else None)]
        return self.cut(call, call.data) if call.kind in CUT else [call]

    def cut(self, call, data, out=None, **different):
        """Parts of a call, which have parts of its arrays."""
        found = []
        for begin in range(0, data.size, PART):
            found.append(part := copy(call))
            for name, value in different.items():
                setattr(part, name, value)
            part.data, part.out = [None if array is None else array[begin:begin + PART] for array in (data, out)]
        return found

    def allreduce(self, comm, call):
        buffer, op = self.reduced(call.data, call.op)
        return comm.Iallreduce(self.MPI.IN_PLACE, buffer, op)

    def reduce(self, comm, call):
        buffer, op = self.reduced(call.data, call.op)
        if comm.Get_rank() != call.root:
            return comm.Ireduce(buffer, None, op, call.root)
        if call.out is None:
            return comm.Ireduce(self.MPI.IN_PLACE, buffer, op, call.root)
        return comm.Ireduce(buffer, self.reduced(call.out, call.op)[0], op, call.root)

    def broadcast(self, comm, call):
        return comm.Ibcast(self.moved(call.data), call.root)

    def allgather(self, comm, call):
        return comm.Iallgather(self.moved(call.data), self.moved(call.out, comm.Get_size()))

    def gather(self, comm, call):
        here = comm.Get_rank() == call.root
        return comm.Igather(self.moved(call.data), self.moved(call.out, comm.Get_size()) if here else None, call.root)

    def scatter(self, comm, call):
        here = comm.Get_rank() == call.root
        return comm.Iscatter(self.moved(call.data, comm.Get_size()) if here else None, self.moved(call.out), call.root)

    def reduce_scatter(self, comm, call):
        buffer, op = self.reduced(call.data, call.op)
        return comm.Ireduce_scatter_block(buffer, self.reduced(call.out, call.op)[0], op)

    def alltoall(self, comm, call):
        sides = []
        for array, counts in zip((call.data, call.out), call.counts, strict=True):
            starts = [sum(counts[:rank]) for rank in range(len(counts))]
            buffer, unit = self.words(array)
            if self.counts_far:
                sides.append([buffer, counts, starts, unit])
            elif array.size <= COUNTED // array.dtype.itemsize:
                sides.append([buffer, (counts, [start * array.dtype.itemsize for start in starts]), [unit] * len(counts)])
            else:
                types = [self.of_many(unit, count, start) for count, start in zip(counts, starts, strict=True)]
                sides.append([buffer, ([1] * len(counts), [0] * len(counts)), types])
        return comm.Ialltoallv(*sides) if self.counts_far else comm.Ialltoallw(*sides)

    def barrier(self, comm, call):
        return comm.Ibarrier()

    def send(self, comm, call):
        return comm.Isend(self.moved(call.data), call.root, call.tag)

    def recv(self, comm, call):
        return comm.Irecv(self.moved(call.out), self.MPI.ANY_SOURCE if call.root is None else call.root, call.tag)


class Mover:
    """The requests that have begun, and the thread.

    While nobody waits for any of them, it asks seldom: each time it wakes costs whoever computes the processor, the interpreter
    and what the caches held.
    """

    def __init__(self, MPI):
        self.MPI, self.requests = MPI, Requests(MPI)
        self.held, self.begun = [], 0               # whoever has ``asking`` takes away, others only add behind
        self.reductions = []                        # the same, of what MPI has no part in
        self.asking = threading.RLock()             # a function that a call ends with may wait for another call
        # No condition: in CPython 3.11 one that is asked to wait for some microseconds may wait for ever.
        self.bell, self.resting, self.over = threading.Lock(), False, False
        self.woken = self.asked = 0                 # how often the thread slept and woke, and how often MPI was asked
        self.least = float("inf")                   # the shortest time that MPI took to answer
        self.thread = threading.Thread(target=self.work, daemon=True, name="leafward MPI")
        self.thread.start()

    def start(self, comm, call, alone=True):
        """Begin a call. ``alone``: nobody waits for it now, or begins another soon: the thread looks after it."""
        try:
            requests = self.requests.start(comm, call)
        except Exception as error:
            call.work.finish(as_ours(error, call))
            return
        self.held += requests
        self.begun += len(requests)
        if alone and self.resting:
            self.ring()

    def start_nearby(self, reduction, alone):
        """Begin a reduction among ranks that are near each other, as far as they have come; ``alone``: as above."""
        self.reductions.append(reduction)
        self.begun += 1
        if alone and self.resting:
            self.ring()

    def reduce(self):
        """Ask for each reduction: whether one has ended. Only whoever has ``asking`` does."""
        some = False
        for reduction in list(self.reductions):
            # A function that one ends with may have waited for another.
            answer = reduction.ask() if reduction in self.reductions else None
            if answer is not None:
                self.reductions.remove(reduction)
                reduction.end(answer)
                some = True
        return some

    def left_alone(self):
        """Whether there is something that nobody but the thread looks after."""
        return bool(self.held) or any([not reduction.call.attended for reduction in self.reductions])

    def ring(self):
        """Wake the thread."""
        try:
            self.bell.release()
        except RuntimeError:
            pass                                    # it was rung already

    def work(self):
        """Until the end: ask for what is held, unless somebody who waits does, and pause."""
        pause, begun = EASY, 0
        while not self.over:
            self.resting = True                     # from here on, whoever leaves something to do rings
            if self.left_alone() and self.asking.acquire(blocking=False):
                self.resting = False
                try:
                    news = self.ask_all() or begun != self.begun
                finally:
                    self.asking.release()
                pause, begun = EASY if news else min(2 * pause, LAZIEST), self.begun
            self.bell.acquire(timeout=-1 if self.resting else pause)
            self.woken += 1

    def help(self, work, patience):
        """Ask in the thread's place until a work has ended, ``patience`` seconds or (None) for ever: whether it has."""
        end = time.perf_counter() + (float("inf") if patience is None else patience)
        while not work.done:
            left = min(LONGEST, end - time.perf_counter())
            if left <= 0:
                return False
            if self.asking.acquire(timeout=left):   # otherwise another does, for all
                try:
                    self.ask_for(work, end)
                finally:
                    self.asking.release()
                    if self.resting and self.left_alone():
                        self.ring()
        return True

    def ask_for(self, work, end):
        """Ask until a work has ended, or until ``end``: at first without a pause, where that is a matter of latency."""
        small = any([call.work is work and call.nbytes <= SMALL for _, call in list(self.held)])
        pause, since = SHORTEST, time.perf_counter()
        while not work.done:
            some, now = self.ask_all(), time.perf_counter()
            if now >= end or work.done:
                return
            if some:
                pause = SHORTEST
            elif not (small and now - since < SPIN):
                time.sleep(min(pause, end - now))
                longest = max(LONGEST, PATIENT * (now - since))
                pause = min(GROWING * pause, longest / (NEARER if self.reductions else 1), LAZIEST)

    def ask_all(self):
        """Ask for all that is held, as long as MPI has something to move: whether it had."""
        status, some = self.MPI.Status(), bool(self.reductions) and self.reduce()
        for turn in range(ROUNDS):
            if not self.held:
                break
            self.asked += 1
            requests = [request for request, _ in self.held]
            began = time.perf_counter()
            try:
                position, done = self.MPI.Request.Testany(requests, status)
                if not done:
                    took = time.perf_counter() - began
                    if turn == 0:
                        some = took >= FIRST_MOVED
                        continue
                    self.least = min(self.least, took)
                    if took < max(MOVED, MOVING * self.least):
                        break
                    some = True
                    continue
                request, call = self.held.pop(position)
                error = received(status, call, self.MPI) if call.kind == "recv" else None
            except Exception as problem:
                # MPI forgets the request that failed.
                position = next((number for number, request in enumerate(requests) if request == self.MPI.REQUEST_NULL), 0)
                request, call = self.held.pop(position)
                error = as_ours(problem, call)
            some = True
            if error is not None or not any([other.work is call.work for _, other in self.held]):
                call.work.finish(error)             # its last part, mostly the only one
        return some

    def stop(self):
        """End the thread: whether it had nothing left to do."""
        self.over = True
        self.ring()
        self.thread.join(5)
        return not (self.held or self.reductions)


def received(status, call, MPI):
    """Note who sent a message; the error where it is shorter than expected."""
    call.work.source = status.Get_source()
    count = status.Get_elements(MPI.BYTE)
    if count != call.out.nbytes:
        return DistBackendError(f"rank {call.work.source} sent {count} bytes, where {call} expects {call.out.nbytes}")
    return None


def as_ours(error, call):
    """An error of MPI's, with the call that it came from."""
    if isinstance(error, (NotImplementedError, DistBackendError)):
        return error
    return DistBackendError(f"{call}: {error}")
