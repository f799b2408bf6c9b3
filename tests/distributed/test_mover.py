"""The thread that looks after MPI's requests, over an MPI that does what the test says: how often it wakes, what it ends."""
import time

import pytest

from leafward.arrays import reducing
from leafward.distributed.calls import Call
from leafward.distributed.errors import DistBackendError
from leafward.distributed.mover import EASY, LONGEST, SHORTEST, SPIN, Mover
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
        self.started = []
        self.Request = self                         # whose Testany is asked

    def Status(self):
        return self

    def Iallreduce(self, in_place, buffer, op):
        self.started.append(Request())
        return self.started[-1]

    def Testany(self, requests, status):
        for position, request in enumerate(requests):
            if request.error is not None:
                requests[position] = self.REQUEST_NULL
                raise request.error
            if request.done:
                return position, True
        return -1, False


@pytest.fixture
def mpi():
    MPI = PretendMPI()
    MPI.mover = Mover(MPI)
    yield MPI
    assert MPI.mover.stop()


def given(MPI, size=1, wanted=False):
    """A call that the thread has begun: its work, and its request."""
    call = Call("allreduce", "all_reduce", data=reducing.zeros(size, "float32"), op="SUM", size=size)
    call.work = Work(call.facts(), 20.0)
    call.work.hurry, call.work.wanted = MPI.mover.hurry, wanted
    before = len(MPI.started)
    MPI.mover.start(MPI, call)
    end = time.monotonic() + 20
    while len(MPI.started) == before and time.monotonic() < end:
        time.sleep(0.001)
    return call.work, MPI.started[before]


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


@pytest.mark.parametrize("wanted, size", [(False, 1), (True, 1 << 20)])
def test_how_often_it_wakes(mpi, wanted, size):
    """Seldom while nobody waits, and for large calls whoever waits: it never spins for those."""
    began = time.perf_counter()
    work, request = given(mpi, size, wanted)
    time.sleep(0.1)
    taken, woken, asked = time.perf_counter() - began, mpi.mover.woken, mpi.mover.asked
    first = SHORTEST if wanted else EASY
    growing = 30 if wanted else 10                  # pauses until the longest; those before the first is over count as well
    assert SPIN / first + growing + taken / LONGEST >= woken >= 2 and asked <= woken + 1
    request.done = True
    assert work.wait()


def test_whoever_waits_is_waited_for_without_a_pause(mpi):
    work, request = given(mpi)
    woken = mpi.mover.woken
    assert not work.ends_within(0.02) and work.wanted
    assert mpi.mover.asked > mpi.mover.woken > woken            # it asked between pauses too
    request.done = True
    assert work.wait()


def test_many_pauses_end(mpi):
    """A queue that was asked to wait for microseconds could wait for ever."""
    for _ in range(300):
        work, request = given(mpi, 1 << 20, wanted=True)
        request.done = True
        assert work.wait()
