"""leafward's own threads: every share is done once, whoever calls, from wherever, and after a fork, too."""
import os
import threading
import time

import pytest

import leafward
from leafward.arrays import threads

pool = threads.pool()


@pytest.fixture(autouse=True)
def as_before():
    before = leafward.get_num_threads()
    yield
    leafward.set_num_threads(before)


def test_numbers_of_threads():
    for number in 3, 1, 2:
        leafward.set_num_threads(number)
        assert leafward.get_num_threads() == number
        assert pool is None or pool.threads() == number
    for wrong, error in (0, RuntimeError), (-1, RuntimeError), (True, RuntimeError), ("2", RuntimeError), (2**31, ValueError):
        with pytest.raises(error, match="set_num_threads expects"):
            leafward.set_num_threads(wrong)
    assert leafward.get_num_threads() == 2


def in_a_child(check):
    """Fork; whether ``check()`` was True in the child. One that hangs is ended."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if check() else 1)
        finally:
            os._exit(2)
    for _ in range(1000):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


def all_are_done(count=500):
    seen = []
    pool.each(seen.append, count)
    return sorted(seen) == list(range(count))


if pool:
    @pytest.mark.parametrize("number", (1, 2, 3, 7))
    @pytest.mark.parametrize("count", (0, 1, 2, 5, 1000))
    def test_each_share_is_done_once(number, count):
        leafward.set_num_threads(number)
        assert all_are_done(count)

    def test_shares_run_side_by_side():
        """Two that wait for each other both get through."""
        leafward.set_num_threads(2)
        barrier, who = threading.Barrier(2, timeout=20), []

        def meet(number):
            barrier.wait()
            who.append(threading.get_ident())
        pool.each(meet, 2)
        assert len(set(who)) == 2 and threading.get_ident() in who

    def test_who_is_late_is_not_waited_for():
        """One share takes long: the others are done meanwhile, by the other thread."""
        leafward.set_num_threads(2)
        rest, seen = threading.Event(), []

        def share(number):
            if number == 0:
                assert rest.wait(20)
            else:
                seen.append(number)
                if len(seen) == 50:
                    rest.set()
        pool.each(share, 51)
        assert sorted(seen) == list(range(1, 51))

    def test_a_job_inside_a_share_runs_there():
        leafward.set_num_threads(2)
        who = {}

        def outer(number):
            inner = []
            pool.each(lambda _: inner.append(threading.get_ident()), 5)
            who[number] = (threading.get_ident(), inner)
        pool.each(outer, 8)
        assert len(who) == 8 and all(inner == [outer] * 5 for outer, inner in who.values())

    def test_several_callers_at_once():
        leafward.set_num_threads(2)
        results = []
        callers = [threading.Thread(target=lambda: results.append(all(all_are_done(50) for _ in range(50)))) for _ in range(4)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        assert results == [True] * 4

    def test_the_first_error_is_raised_and_all_are_called():
        seen = []

        def share(number):
            seen.append(number)
            if number % 3 == 2:
                raise ValueError(f"share {number}")
        for number in 1, 2:
            leafward.set_num_threads(number)
            seen.clear()
            with pytest.raises(ValueError, match="share 2"):
                pool.each(share, 20)
            assert sorted(seen) == list(range(20))

if pool and hasattr(os, "fork"):
    @pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
    def test_a_child_has_threads_of_its_own():
        leafward.set_num_threads(2)
        assert all_are_done()
        assert in_a_child(lambda: all_are_done() and in_a_child(all_are_done))
        assert all_are_done()

    @pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
    def test_a_child_made_in_the_middle_of_a_job():
        leafward.set_num_threads(3)
        started, go_on, results = threading.Event(), threading.Event(), []

        def share(number):
            started.set()
            assert go_on.wait(20)
        busy = threading.Thread(target=lambda: results.append(pool.each(share, 9)))
        busy.start()
        assert started.wait(20)
        in_child = in_a_child(all_are_done)
        go_on.set()
        busy.join()
        assert in_child and results == [None] and all_are_done()
