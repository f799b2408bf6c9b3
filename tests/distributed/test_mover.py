"""What looks after MPI's requests, over an MPI that does what the test says: how often it asks and wakes, what it ends."""
import threading
import time

import pytest

from leafward.arrays import reducing
from leafward.distributed import mover
from leafward.distributed.calls import Call
from leafward.distributed.errors import DistBackendError
from leafward.distributed.mover import LAZIEST, LONGEST, ROUNDS, Mover
from leafward.distributed.work import Work


class Request:
    """Done, or failed, once it was told so."""

    def __init__(self):
        self.done = self.error = None


class PretendMPI:
    """As much of MPI as the thread calls."""

    VERSION, IN_PLACE, SUM, FLOAT = 4, None, "sum", "float"
    UINT8_T = UINT16_T = UINT32_T = UINT64_T = C_DOUBLE_COMPLEX = DOUBLE = INT8_T = INT32_T = INT64_T = None
    REQUEST_NULL = "null"

    def __init__(self):
        self.started, self.taking = [], 0.0
        self.Request = self                         # whose Testany is asked

    def Status(self):
        return self

    def Iallreduce(self, in_place, buffer, op):
        self.started.append(Request())
        return self.started[-1]

    def Testany(self, requests, status):
        time.sleep(self.taking)
        for position, request in enumerate(requests):
            if request.error is not None:
                requests[position] = self.REQUEST_NULL
                raise request.error
            if request.done:
                return position, True
        return -1, False


@pytest.fixture
def mpi(monkeypatch):
    for name in "MOVED", "FIRST_MOVED":             # what only seems to take long, on a machine that does more than this
        monkeypatch.setattr(mover, name, 0.002)
    MPI = PretendMPI()
    MPI.mover = Mover(MPI)
    yield MPI
    assert MPI.mover.stop()


def given(MPI, size=1, wanted=False):
    """A call that has begun: its work, and its request. ``wanted``: whether the thread may leave it to whoever waits."""
    call = Call("allreduce", "all_reduce", data=reducing.zeros(size, "float32"), op="SUM", size=size)
    call.work = Work(call.facts(), 20.0)
    call.work.help, call.work.wanted = MPI.mover.help, wanted
    MPI.mover.start(MPI, call, not wanted)
    return call.work, MPI.started[-1]


def ends(work):
    """Whether a work ends without anybody who waits for it."""
    end = time.monotonic() + 20
    while not work.is_completed() and time.monotonic() < end:
        time.sleep(0.001)
    return work.is_completed()


def test_calls_end_in_any_order_and_one_that_fails_ends_alone(mpi):
    works = [given(mpi) for _ in range(4)]
    works[2][1].done = True
    assert works[2][0].wait()
    works[1][1].error = ValueError("broken")
    with pytest.raises(DistBackendError, match=r"all_reduce\(float32 \[\], SUM\): broken"):
        works[1][0].wait()
    assert not works[0][0].is_completed() and not works[3][0].is_completed()
    for work, request in works[::3]:
        request.done = True
        assert work.wait() and work.is_success()
    # Nothing is held, nobody wakes.
    before = mpi.mover.asked
    time.sleep(0.02)
    assert mpi.mover.asked == before


def test_how_often_the_thread_wakes(mpi):
    """Seldom, while nobody waits; and never for a call that is waited for."""
    began = time.perf_counter()
    work, request = given(mpi)
    time.sleep(0.1)
    taken, woken, asked = time.perf_counter() - began, mpi.mover.woken, mpi.mover.asked
    assert 10 + taken / LAZIEST >= woken >= 2 and asked <= 2 * (woken + 1)     # the shorter pauses, and those as long as any
    request.done = True
    assert ends(work)
    time.sleep(0.02)
    woken = mpi.mover.woken
    work, request = given(mpi, wanted=True)
    later = threading.Timer(0.05, lambda: setattr(request, "done", True))
    later.start()
    assert work.wait() and mpi.mover.woken == woken
    later.join()


def test_whoever_waits_asks(mpi, monkeypatch):
    """For a small call at first without a pause, for a large one never so."""
    monkeypatch.setattr(mover, "SPIN", 0.03)
    counts = []
    for size in 1, 1 << 20:
        work, request = given(mpi, size, wanted=True)
        asked, began = mpi.mover.asked, time.perf_counter()
        assert not work.ends_within(0.05)
        counts.append((mpi.mover.asked - asked, 2 * (12 + (time.perf_counter() - began) / LONGEST)))
        request.done = True
        assert work.wait()
    (small, pauses), (large, most) = counts
    assert small > pauses and 2 <= large <= most


def test_long_waits_are_looked_at_seldom(mpi, monkeypatch):
    """Pauses are a part of what was waited already, also where they become longer than the longest of short waits."""
    for name in "MOVED", "FIRST_MOVED":
        monkeypatch.setattr(mover, name, 10.0)
    work, request = given(mpi, 1 << 20, wanted=True)
    assert not work.ends_within(0.5)
    assert mpi.mover.asked < 400                    # it would be a thousand
    request.done = True
    assert work.wait()


def test_what_moves_is_asked_for_at_once(mpi, monkeypatch):
    """Pauses grow while nothing happens; an answer that takes long has moved something, and the next may, too."""
    slept = []
    monkeypatch.setattr(mover.time, "sleep", lambda seconds, sleep=time.sleep: slept.append(seconds) or sleep(seconds))
    work, request = given(mpi, 1 << 20, wanted=True)
    assert not work.ends_within(0.02)
    mpi.taking, asked, before = 1.5 * mover.MOVED, mpi.mover.asked, len(slept)
    assert not work.ends_within(0.1) and mpi.mover.asked - asked > 8
    assert [seconds for seconds in slept[before:] if seconds != mpi.taking] == []
    # Answers that are as slow as any say nothing.
    monkeypatch.setattr(mover, "MOVED", 0.0)
    monkeypatch.setattr(mover, "FIRST_MOVED", 10.0)
    mpi.mover.least, before = mpi.taking, len(slept)
    assert not work.ends_within(0.1) and any([seconds != mpi.taking for seconds in slept[before:]])
    request.done = True
    assert work.wait()


def test_one_that_moves_for_long_does_not_keep_the_others(mpi):
    """Whoever asks looks now and then whether its own work has ended, or its time."""
    work, request = given(mpi, 1 << 20, wanted=True)
    mpi.mover.ask_all()
    mpi.taking, began = 1.5 * mover.MOVED, time.perf_counter()
    assert not work.ends_within(0.01)
    assert time.perf_counter() - began < 5 + 2 * ROUNDS * mpi.taking
    request.done = True
    assert work.wait()


def test_the_thread_takes_over_from_whoever_waited(mpi):
    """What else has begun ends, also where the thread found that somebody else asked, and rested."""
    (first, request), (second, other) = given(mpi, wanted=True), given(mpi)
    waiting = threading.Thread(target=first.wait)
    waiting.start()
    time.sleep(0.05)
    assert mpi.mover.resting
    request.done = True
    waiting.join()
    other.done = True
    assert ends(second) and first.is_success()


def test_several_wait_at_once(mpi):
    """One of them asks for all."""
    begun = [given(mpi, wanted=True) for _ in range(3)]
    threads = [threading.Thread(target=work.wait) for work, _ in begun]
    for thread in threads:
        thread.start()
    for number in 1, 0, 2:
        time.sleep(0.01)
        begun[number][1].done = True
    for thread in threads:
        thread.join(20)
    assert all([work.is_success() for work, _ in begun])


def test_what_a_call_ends_with_may_wait_for_another(mpi):
    (first, request), (second, other) = given(mpi, wanted=True), given(mpi, wanted=True)
    first.then(lambda: second.wait())
    request.done = other.done = True
    assert first.wait() and second.is_success()


def test_many_pauses_end(mpi):
    """A queue that was asked to wait for microseconds could wait for ever."""
    for number in range(300):
        work, request = given(mpi, 1 << 20, wanted=number % 2)
        request.done = True
        assert work.wait()
