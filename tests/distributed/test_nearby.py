"""Sums over processes of one machine, where the numbers lie: all ranks in one process, which may read its own memory, too."""
import errno
import mmap
import os
import subprocess
import sys

import numpy as np
import pytest

from leafward.arrays import reducing
from leafward.arrays.nearby import compiled
from leafward.distributed import nearby
from leafward.distributed.calls import Call
from leafward.distributed.errors import DistBackendError
from leafward.distributed.work import Work

pytestmark = pytest.mark.skipif(compiled is None, reason="nothing is compiled, or this is not Linux")
SIZES = {"nothing": [], "empty": [0, 0], "one": [1], "one of many shares": [1_000_003],
         "around shares": [0, 65536, 1, 0, 32767, 131073], "many": [3] * 3000 + [0] + [500] * 700}


def groups(size, pids=None):
    """A group for each of some ranks."""
    board = mmap.mmap(-1, compiled.board_size(size))
    compiled.begin_board(board, size)
    return [compiled.Group(board, rank, pids or [os.getpid()] * size) for rank in range(size)]


def arrays(sizes, dtype, rank):
    """Parts of a rank: numbers whose sum depends on the order of additions."""
    draws = np.random.default_rng(rank)
    return [draws.standard_normal(size).astype(dtype) for size in sizes]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size, scale", [(2, 0.5), (3, 1 / 3), (5, 1.0)])
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_all_ranks_have_the_sum_in_the_order_of_ranks(sizes, size, scale, dtype):
    every = [arrays(sizes, dtype, rank) for rank in range(size)]
    wanted = [sum([part * np.dtype(dtype).type(scale) for part in parts[1:]], parts[0] * np.dtype(dtype).type(scale))
              for parts in zip(*every, strict=True)]
    sums = [compiled.Sum(group, parts, scale) for group, parts in zip(groups(size), every, strict=True)]
    assert [one.ask() for one in sums[:-1]] == [compiled.WAITS] * (size - 1)
    # Once the last has come, any of them does all of it, and the others find it done.
    sums[-1].begin()
    assert [one.ask() for one in sums] == [compiled.OVER] * size
    for parts in every:
        assert [part.tobytes() for part in parts] == [part.tobytes() for part in wanted]
    assert not any([one.nan for one in sums])


def test_more_calls_than_the_board_has_rows():
    (first, second), count = groups(2), 200
    data = [[np.full(4, float(rank)) for _ in range(count)] for rank in (1, 2)]
    ahead = [compiled.Sum(first, [x], 1.0) for x in data[0]]
    for one in ahead:
        one.begin()
    for x in data[1]:
        later = compiled.Sum(second, [x], 1.0)
        assert ahead[0].ask() == compiled.WAITS
        assert later.ask() == ahead.pop(0).ask() == compiled.OVER
    assert all([(x == 3.0).all() for part in data for x in part])


def test_whose_numbers_have_nan_is_told():
    sizes, nan = [10, 40_000, 7], float("nan")
    every = [arrays(sizes, "float32", rank) for rank in range(3)]
    every[1][1][39_999] = every[2][0][3] = every[2][2][0] = nan
    every[0][1][5], every[1][1][5] = np.inf, -np.inf        # their sum is, and neither of them
    three = groups(3)
    sums = [compiled.Sum(group, parts, 1.0) for group, parts in zip(three, every, strict=True)]
    for one in sums:
        one.begin()
    assert [one.ask() for one in sums] == [compiled.OVER] * 3
    assert [(one.nan, one.with_nan()) for one in sums] == [(True, []), (True, [1]), (True, [0, 2])]
    # The row of the board that they had forgets it.
    for _ in range(200):
        sums = [compiled.Sum(group, [np.ones(2)], 1.0) for group in three]
        for one in sums:
            one.begin()
        assert [one.ask() for one in sums] == [compiled.OVER] * 3 and not any([one.nan for one in sums])


@pytest.mark.parametrize("other", [[np.ones(5)], [np.ones(4, "f4")], [np.ones(2), np.ones(2)]])
def test_ranks_that_come_for_different_things_add_nothing(other):
    mine = np.ones(4)
    sums = [compiled.Sum(group, parts, 1.0) for group, parts in zip(groups(2), ([mine], other), strict=True)]
    sums[0].begin()
    assert sums[1].ask() == sums[0].ask() == compiled.DIFFERS
    assert (mine == 1).all() and all([(part == 1).all() for part in other])


def test_a_rank_that_is_gone_and_memory_that_may_not_be_read():
    """Of one that is gone, whoever watches over the ranks says more; what else the system says ends the call."""
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    call = Call("allreduce", "all_reduce", data=np.ones(4), op="SUM", shape=(4,), size=4)
    call.work = Work(call.facts())
    mine, other = [compiled.Sum(group, [call.data], 1.0) for group in groups(2, [os.getpid(), ended.pid])]
    other.begin()
    reduction = nearby.Reduction(None, call, mine)
    assert reduction.ask() is None and mine.ask() == other.ask() == -errno.ESRCH
    reduction.end(-errno.EPERM)
    with pytest.raises(DistBackendError, match=r"all_reduce\(float64 \[4\], SUM\): Operation not permitted, in the mem"):
        call.work.wait()


@pytest.mark.parametrize("wrong", ["secret", "process"])
def test_only_ranks_that_reach_each_other_are_near(wrong):
    secret = bytearray(b"0123456789abcdef")
    told = {"pid": os.getpid(), "address": compiled.place_of(secret), "secret": bytes(secret)}
    assert nearby.reaches("host", **told)
    told |= {"secret": b"x" * 16} if wrong == "secret" else {"pid": 2**22 + 1}
    assert not nearby.reaches("host", **told)


def test_numbers_that_lie_askew_are_copied():
    askew = np.frombuffer(bytearray(17), np.uint8)[1:].view("f4")
    flat = reducing.packed(askew)
    assert not reducing.shares_memory(flat, askew) and flat.flags.carray
    with pytest.raises(ValueError, match="arrays in one piece"):
        compiled.Sum(groups(1)[0], [askew], 1.0)
