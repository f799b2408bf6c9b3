"""Every collective gives what it gives over PyTorch's gloo, on 2 to 4 ranks, wrong arguments included."""
import gc
import math
import re
import threading
import time
import traceback
import warnings
import weakref
from datetime import timedelta

import pytest

import leafward as lw
from leafward.distributed import report, work
from tests.distributed import collective_cases as cases
from tests.distributed import later_cases
from tests.distributed.gloo import outcomes
from tests.oracle import torch  # noqa: F401  (without PyTorch there is nothing to compare with)

#: gloo takes the memory behind the first element, holes included, where a tensor has holes: its answer is wrong there.
HOLES = {name for name in [*cases.CASES, *later_cases.CASES] if name.endswith("-strided")
         and name.split("-")[0] in ("all_reduce_layout", "broadcast", "scatter", "reductions_of_layouts")}


def same(ours, theirs):
    """Equal; floats to the rounding of a few additions."""
    if isinstance(ours, (list, tuple)):
        return len(ours) == len(theirs) and all([same(a, b) for a, b in zip(ours, theirs)])
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all([same(ours[k], theirs[k]) for k in ours])
    if isinstance(ours, (float, complex)):
        return ours == theirs or math.isclose(abs(ours - theirs), 0, abs_tol=1e-6 * abs(theirs))
    return ours == theirs


def differences(ours, theirs):
    """Cases in which a rank gives something else than PyTorch's, with both."""
    return [(name, rank, mine[name], other[name]) for rank, (mine, other) in enumerate(zip(ours, theirs, strict=True))
            for name in other if name not in HOLES
            and not (mine[name][:2] == other[name][:2] if mine[name][0] == other[name][0] == "raises"
                     else same(mine[name], other[name]))]


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("program, least", [(cases, 250), (later_cases, 70)])
def test_threads_agree_with_gloo(program, least, size, tmp_path_factory):
    theirs = outcomes(program.__name__, size, tmp_path_factory.getbasetemp().parent)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")                 # ranks outside a group are warned
        ours = lw.distributed.run_ranks(lambda rank: program.run(lw, rank, size), size, timeout=20)
    assert differences(ours, theirs) == []
    assert sum([outcome[0] == "gives" for outcome in ours[0].values()]) >= least


def test_differences_are_seen():
    name = next(iter(cases.CASES))
    given = [{case: ("gives", 1.0) for case in cases.CASES}]
    other = [{**given[0], name: ("gives", 1.1)}]
    assert differences(given, given) == [] and [d[0] for d in differences(given, other)] == [name]


@pytest.mark.parametrize("wrong", [0, 5, 21])
def test_calls_that_differ_in_silence_are_told_soon_after(wrong, monkeypatch):
    """As over MPI, which compares nothing: a minimum on one rank, where the other has a sum."""
    monkeypatch.setattr(report, "disagreement", lambda calls: None)
    done = {}

    def of(rank):
        x = lw.ones(3)
        for number in range(40):
            if number == wrong:
                lw.distributed.all_reduce(x, op=lw.distributed.ReduceOp.MIN if rank else lw.distributed.ReduceOp.SUM)
            else:
                lw.distributed.broadcast(x, 0) if number % 3 == 1 else lw.distributed.all_reduce(x.fill_(1))
            done[rank] = number
    with pytest.raises(lw.distributed.DistBackendError) as told:
        lw.distributed.run_ranks(of, 2)
    lines = str(told.value).split("\n  ")
    assert lines[0] == f"the ranks do not call the same, since call {wrong + 1} of their group"
    for line, op, rank in zip(lines[1:], ("SUM", "MIN"), (0, 1), strict=True):
        assert re.match(rf"rank {rank}: all_reduce\(float32 \[3\], {op}\), test_collectives.py:\d+  lw.distributed.all_red",
                        line), line
    assert max(done.values(), default=0) <= {0: 0, 5: 8, 21: 32}[wrong]   # after 1, 2, 4, 8, 16, 32, or the next all_reduce


def test_comparisons_are_no_calls_and_wait_for_nobody():
    def of(rank):
        one = lw.distributed.new_group([0, 2])
        x = lw.ones(2)
        for _ in range(20):
            if rank != 1:
                lw.distributed.all_reduce(x, group=one)
            lw.distributed.broadcast(x, 1)
        whole = lw.distributed.group.WORLD
        return whole._get_sequence_number_for_group(), whole.asides, 0 if rank == 1 else one.asides
    # Who only sends a broadcast waits for nobody, so that it takes no comparison along.
    assert lw.distributed.run_ranks(of, 3) == [(20, 0, 5), (20, 0, 0), (20, 0, 5)]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64"])
def test_tensors_with_holes(dtype):
    def of(rank):
        r = cases.Rank(lw, rank, 3)
        whole = r.tensor(dtype).reshape(-1)
        x, dense = whole[::2], whole[::2].clone()
        rest = whole[1::2].clone()
        lw.distributed.all_reduce(x)
        lw.distributed.all_reduce(dense)
        assert x.equal(dense) and whole[1::2].equal(rest)
        lw.distributed.broadcast(x, 1)
        part = r.tensor(dtype).reshape(-1)[::2]
        lw.distributed.scatter(part, [dense * k for k in range(3)] if rank == 0 else None)
        return x.tolist(), part.equal(dense * rank)
    found = lw.distributed.run_ranks(of, 3)
    assert found[0] == found[1] == found[2] and found[0][1]


def test_versions_stay_and_the_write_is_told():
    def of(rank):
        w = lw.ones(2, requires_grad=True)
        h = w * 2
        y = (h * h).sum()
        lw.distributed.all_reduce(h)
        assert h._version == 0
        return y, w
    for y, w in lw.distributed.run_ranks(of, 2):
        with pytest.warns(lw.SilentGradientWarning, match=r"changed by +lw.distributed.all_reduce\(h\)"):
            y.backward()
        assert w.grad is not None


def test_a_leaf_that_requires_grad_may_be_reduced():
    def of(rank):
        w = lw.full((2,), float(rank), requires_grad=True)
        lw.distributed.all_reduce(w)
        return w.is_leaf, w.requires_grad, w.tolist()
    assert lw.distributed.run_ranks(of, 2) == [(True, True, [1.0, 1.0])] * 2


def test_a_conjugate_is_read_and_not_written():
    def of(rank):
        z = lw.tensor([1 + 2j])
        found = [lw.zeros(1, dtype=lw.complex64) for _ in range(2)]
        lw.distributed.all_gather(found, z.conj())
        with pytest.raises(NotImplementedError, match="resolve_conj"):
            lw.distributed.all_reduce(z.conj())
        return found[1].item()
    assert lw.distributed.run_ranks(of, 2) == [1 - 2j] * 2


def test_ranks_that_call_different_things_are_told_so():
    def of(rank):
        if rank:
            lw.distributed.all_reduce(lw.ones(3))
        else:
            lw.distributed.broadcast(lw.ones(3), 0)
    with pytest.raises(lw.distributed.DistBackendError, match=(
            r"(?s)do not call the same.*rank 0: broadcast\(float32 \[3\], rank 0\), "
            r"test_collectives.py:\d+ .*rank 1: all_reduce\(float32")):
        lw.distributed.run_ranks(of, 2)


def test_a_wait_ends_at_its_timeout_and_says_who_is_where():
    def of(rank):
        if rank:
            lw.distributed.barrier()
        else:
            with pytest.raises(lw.distributed.DistBackendError):
                lw.distributed.recv(lw.ones(1), 1)
    with pytest.raises(lw.distributed.DistBackendError, match=r"waiting 500ms for (.|\n)*rank [01]: waits in its call 1"):
        lw.distributed.run_ranks(of, 2, timeout=0.5)


def test_a_rank_that_has_left_is_not_waited_for(monkeypatch):
    """Whatever the timeout. Who left after as many calls as this one's number is not missed: its last may still go on."""
    monkeypatch.setattr(work, "LONG", 0.1)
    dist, left = lw.distributed, threading.Event()

    def of(rank, alone):
        dist.all_reduce(lw.ones(2))
        pair = dist.new_group([1, 2])
        if rank == 0:
            left.set()
            return
        left.wait()
        time.sleep(0.3 * (rank - 1))                    # a wait that lasts, and is not in vain
        dist.barrier(pair)
        if alone:
            dist.all_reduce(lw.ones(3))                 # there
    dist.run_ranks(of, 3, False)
    with pytest.raises(dist.DistBackendError) as raised:
        dist.run_ranks(of, 3, True, timeout=100.0)
    assert re.fullmatch(r"in vain all_reduce\(float32 \[3\], SUM\) waits for ranks that have left, "
                        r"test_collectives.py:\d+  .*# there\n  rank 0: has left \(a thread\), after 1 call\n"
                        r"  Every rank makes the same calls. Where some have fewer batches: with model.join\(\):",
                        str(raised.value)), raised.value


@pytest.mark.parametrize("buffers", [True, False])
def test_no_rank_takes_part_in_a_trial(buffers):
    """What a layer would take is found by trying: not where it has to do with other ranks, nor where its inputs are right."""
    def of(rank):
        layers = lw.nn.Linear(4, 4), lw.nn.Linear(2, 2), lw.nn.BatchNorm1d(4) if buffers else lw.nn.Tanh()
        model = lw.nn.parallel.DistributedDataParallel(lw.nn.ModuleList(layers))
        model.module.forward = lambda x: model.module[2](model.module[0](x))
        model(lw.ones(2, 4)).sum().backward()
        before = lw.distributed.group.WORLD.numbers
        with pytest.raises(RuntimeError) as raised:
            model(lw.ones(2, 4))
        return "\n".join(traceback.format_exception_only(raised.value)), lw.distributed.group.WORLD.numbers - before
    for said, calls in lw.distributed.run_ranks(of, 2):
        assert calls == 0 and "1.weight, 1.bias. Where that is meant" in said and "in layer    DistributedDataParallel" in said
        assert "repair" not in said, said


def test_what_has_ended_holds_no_memory_and_is_still_told():
    """Reports are made of facts: arrays of past calls are nobody's any more, and those of a call that waits are held."""
    def of(rank):
        dist, arrays = lw.distributed, []

        def tensors(count):
            made = [lw.full((1000,), float(rank)) for _ in range(count)]
            arrays.extend([weakref.ref(x._array) for x in made])
            return made
        for _ in range(3):
            dist.all_reduce(*tensors(1))
            dist.all_gather(tensors(2), *tensors(1))
            dist.broadcast_object_list([rank] * 1000, 1)
            dist.all_reduce_coalesced(tensors(2), async_op=True).wait()
            dist.send(*tensors(1), 1 - rank) if rank else dist.recv(*tensors(1), 1 - rank)
        dist.barrier()
        left = [ref() for ref in arrays].count(None) - len(arrays)
        ledger = dist.group.WORLD.ledger
        told = [str(facts) for facts in ledger.calls if facts.kind == "allreduce"]
        arrays.clear()
        if rank:
            work = dist.irecv(*tensors(1), 0)
            assert ledger.waiting().name == "recv" and arrays[0]() is not None
        dist.barrier()
        if rank == 0:
            dist.send(lw.full((1000,), 7.0), 1)
        elif work.wait():
            assert arrays[0]()[0] == 7 and ledger.waiting() is None
        return left, told
    gc.collect()
    gc.disable()                                                            # nothing waits for the collector, either
    try:
        found = lw.distributed.run_ranks(of, 2)
    finally:
        gc.enable()
    assert found == 2 * [(0, 3 * ["all_reduce(float32 [1000], SUM)", "all_reduce_coalesced(float32 [2000], SUM)"])]


def test_a_rank_that_raises_ends_the_waiting_of_others():
    def of(rank):
        if rank == 1:
            raise KeyError("this")
        try:
            lw.distributed.barrier()
        except lw.distributed.DistBackendError as error:
            told.append(str(error))
            raise
    told = []
    with pytest.raises(KeyError, match="this"):
        lw.distributed.run_ranks(of, 3)
    assert len(told) == 2 and "rank 1 raised KeyError: 'this', test_collectives.py:" in told[0]


def test_works():
    def of(rank):
        x = lw.ones(2)
        if rank:
            lw.distributed.recv(lw.ones(1), 0)
        work = lw.distributed.all_reduce(x, async_op=True)
        if rank == 0:
            assert not work.is_completed()
            lw.distributed.send(lw.ones(1), 1)
        later = work.get_future().then(lambda future: future.value()[0] / 2)
        assert later.wait().tolist() == [1.0, 1.0] and work.is_success() and work.exception() is None
        return x.tolist()
    assert lw.distributed.run_ranks(of, 2) == [[2.0, 2.0]] * 2


def test_eight_ranks():
    def of(rank):
        x = lw.arange(1000.0) + rank
        lw.distributed.all_reduce(x)
        return x[0].item()
    assert lw.distributed.run_ranks(of, 8) == [28.0] * 8


def test_monitored_barrier_names_who_is_missing():
    from datetime import timedelta
    short = timedelta(seconds=0.3)

    def of(rank):
        if rank == 2:
            return None
        with pytest.raises(RuntimeError) as raised:
            lw.distributed.monitored_barrier(timeout=short)
        return str(raised.value)
    found = lw.distributed.run_ranks(of, 3)
    assert found[0] == "Rank 2 failed to pass monitoredBarrier in 300 ms" and "check rank 0" in found[1]


def test_without_mpi_it_says_what_to_install(monkeypatch):
    import sys
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    dist, store = lw.distributed, lw.distributed.HashStore()
    # As in PyTorch stores and ranks that are threads are there all the same.
    assert dist.is_available() and not dist.is_mpi_available() and not dist.is_gloo_available()
    assert [dist.is_backend_available(name) for name in ("mpi", "gloo", "threads", "fake", "nccl")] == [
        False, False, True, True, False]
    assert dist.run_ranks(lambda rank: dist.get_world_size(), 2) == [2, 2]
    with pytest.raises(RuntimeError, match=r"pip install 'leafward\[mpi\]'"):
        dist.init_process_group("gloo", store=store, rank=0, world_size=2)
    assert not dist.is_initialized()


def test_nccl_is_refused_as_by_pytorch():
    told = []
    for library in lw, torch:
        dist = library.distributed
        with pytest.raises(RuntimeError) as raised:
            dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1, timeout=timedelta(seconds=5))
        told.append(str(raised.value))
        assert not dist.is_initialized()
    assert told[0] == told[1]


def test_a_running_job_keeps_its_ranks():
    def of(rank):
        with pytest.raises(NotImplementedError, match="neither grows nor shrinks: let it end, and start it again"):
            lw.distributed.shrink_group([1])
        return lw.distributed.get_world_size()
    assert lw.distributed.run_ranks(of, 2) == [2, 2]


def test_a_world_of_one_needs_no_mpi(monkeypatch):
    import sys
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    dist = lw.distributed
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    x = lw.ones(2)
    dist.all_reduce(x)
    assert x.tolist() == [1.0, 1.0] and dist.get_backend() == "gloo"
    dist.destroy_process_group()
    assert not dist.is_initialized()
