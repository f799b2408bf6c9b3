"""Workers: the same batches, seeds and errors as PyTorch's; and nothing left when a worker, or the program, dies."""
import gc
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import leafward as lw
from leafward.utils.data import DataLoader, get_worker_info
from tests.oracle import torch


#: For programs that this one starts, wherever it was started itself.
FINDABLE = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(lw.__file__))}


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


def children():
    """The living child processes of this one, zombies included."""
    with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children") as file:
        return file.read().split()


@pytest.fixture(scope="module", autouse=True)
def short_collections():
    """PyTorch alone has half a million objects, which need not be looked through after each test."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def nothing_is_left(request):
    """After each test: no process, no descriptor, no file in shared memory more than before."""
    theirs = "pytorchs" in request.node.name     # PyTorch's queues keep descriptors for a while
    gc.collect()
    before = len(os.listdir("/proc/self/fd")), set(os.listdir("/dev/shm")), set(children())
    yield
    sys.last_value = sys.last_traceback = None
    gc.collect()
    assert set(children()) <= before[2]
    assert theirs or len(os.listdir("/proc/self/fd")) <= before[0]
    end = time.monotonic() + 10
    while (more := set(os.listdir("/dev/shm")) - before[1]) and time.monotonic() < end:
        time.sleep(0.05)                         # the folder is everybody's: what others put there goes again
    assert not more


class Items:
    """``count`` items that a function makes of their numbers."""

    def __init__(self, function, count=8):
        self.function, self.count = function, count

    def __getitem__(self, i):
        return self.function(i)

    def __len__(self):
        return self.count

    def __repr__(self):
        return "Items"


def stream(t, counts):
    class Stream(t.utils.data.IterableDataset):
        def __iter__(self):
            me = t.utils.data.get_worker_info().id
            return (me * 10 + i for i in range(counts[me]))
    return Stream()


def batches(t, dataset, epochs=1, **how):
    t.manual_seed(0)
    loader = t.utils.data.DataLoader(dataset, **how)
    made = [[batch.tolist() if hasattr(batch, "tolist") else batch for batch in loader] for _ in range(epochs)]
    return made, t.rand(1).item()


@pytest.mark.parametrize("how", [
    {"num_workers": 2, "batch_size": 3}, {"num_workers": 2, "batch_size": 3, "shuffle": True, "epochs": 2},
    {"num_workers": 1, "batch_size": 3, "shuffle": True, "persistent_workers": True, "epochs": 3},
    {"num_workers": 2, "batch_size": None},
    {"num_workers": 2, "prefetch_factor": 1, "drop_last": True, "batch_size": 3},
    {"num_workers": 2, "collate_fn": tuple}, {"num_workers": 2, "batch_sampler": [[1, 2], [7]], "prefetch_factor": 5},
], ids=str)
def test_batches_and_draws_are_pytorchs(how):
    assert batches(lw, range(8), **how) == batches(torch, range(8), **how)


@pytest.mark.parametrize("counts", [(3, 6), (0, 2), (4, 4)])
@pytest.mark.parametrize("how", [{"batch_size": 2}, {"batch_size": 2, "drop_last": True}, {"batch_size": None},
                                 {"batch_size": 2, "persistent_workers": True, "epochs": 2}], ids=str)
def test_streams_are_pytorchs(counts, how):
    assert batches(lw, stream(lw, counts), num_workers=2, **how) == batches(torch, stream(torch, counts), num_workers=2,
                                                                            **how)


def test_seeds_are_pytorchs():
    def drawn(t):
        def draw(i):
            info = t.utils.data.get_worker_info()
            return (info.id, info.num_workers, info.seed, t.initial_seed(), random.getrandbits(64),
                    int(np.random.randint(0, 2**31)), t.rand(1).item(), t.get_num_threads())
        t.manual_seed(3)
        return list(t.utils.data.DataLoader(Items(draw, 4), batch_size=None, num_workers=2))
    assert drawn(lw) == drawn(torch)


def test_worker_info():
    def look(i):
        info = get_worker_info()
        with pytest.raises(AttributeError, match="cannot assign to field 'id'"):
            info.id = 3
        return repr(info)

    dataset = Items(look, 1)
    told, = DataLoader(dataset, num_workers=1, batch_size=None, generator=lw.Generator().manual_seed(0))
    seed = lw.empty((), dtype=lw.int64).random_(generator=lw.Generator().manual_seed(0)).item()
    assert told == (f"WorkerInfo(id=0, num_workers=1, seed={seed}, dataset=Items, rng=None, "
                    "worker_method='multiprocessing')")
    assert get_worker_info() is None


def test_what_a_batch_may_hold():
    kept = {}

    def make(i):
        base = lw.arange(100_000.) + i
        kept["parameter"] = lw.nn.Parameter(lw.ones(3))
        kept["parameter"].tag = "x"
        return {"large": base, "part": base[10:20].view(2, 5).t(), "same": base, "array": np.full((300, 300), i),
                "text": "a" * 100_000, "bool": lw.tensor([True]), "bf16": lw.ones(2, dtype=lw.bfloat16), "none": None,
                "parameter": kept["parameter"], "empty": lw.zeros(0, 3), "strided": lw.arange(20.)[::7],
                "wide": lw.ones(1).expand(1000, 1000), "generator": lw.Generator().manual_seed(i),
                "size": (i,), "scalar": lw.tensor(2.5)}

    for i, item in enumerate(DataLoader(Items(make, 3), batch_size=None, num_workers=2)):
        assert item["large"].equal(lw.arange(100_000.) + i)
        assert item["part"].stride() == (1, 5) and item["part"][0, 0] == 10 + i
        assert item["same"] is item["large"] and (item["array"] == i).all() and len(item["text"]) == 100_000
        assert type(item["parameter"]) is lw.nn.Parameter and item["parameter"].requires_grad
        assert item["parameter"].tag == "x" and item["bf16"].tolist() == [1, 1] and item["none"] is None
        assert item["empty"].shape == (0, 3) and item["strided"].tolist() == [0, 7, 14]
        assert item["wide"].stride() == (0, 0) and item["generator"].initial_seed() == i
        assert item["size"] == [i] and item["scalar"].item() == 2.5
        item["large"].zero_()
        item["array"][0] = 5


def test_a_part_of_something_large_is_sent_alone():
    whole = lw.zeros(50_000_000)
    start = time.perf_counter()
    for item in DataLoader(Items(lambda i: whole[i], 200), batch_size=None, num_workers=1):
        assert item.untyped_storage().nbytes() == 4
    assert time.perf_counter() - start < 5      # 200 MB a time would take a minute


def test_history_does_not_travel():
    dataset = Items(lambda i: lw.ones(1, requires_grad=True) * 2, 1)
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor which requires_grad"):
        list(DataLoader(dataset, num_workers=1, batch_size=None))


# --- errors -----------------------------------------------------------------------------------------------------


class Picky(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)


def failing(error):
    def make(i):
        if i == 3:
            raise error
        return i
    return make


def fail_to_start(worker):
    raise ValueError("at the start")


def failure(t, dataset, **how):
    """Type and message, without the lines that say where in the library it was."""
    reading = iter(t.utils.data.DataLoader(dataset, num_workers=2, **how))
    try:
        list(reading)
    except Exception as error:
        lines = str(error).splitlines()
        return type(error), [line for line in lines if not line.startswith("  ")]
    finally:
        if t is torch:
            reading._shutdown_workers()         # left to the garbage collector this takes 5 seconds a worker


@pytest.mark.parametrize("case", [
    (Items(failing(ValueError("bad item"))), {}), (Items(failing(KeyError("bad\nkey"))), {}),
    (Items(failing(Picky(1, 2))), {}), (range(4), {"worker_init_fn": fail_to_start}),
    (range(4), {"collate_fn": len, "sampler": [0, 9]}), (Items(failing(StopIteration())), {"batch_size": None}),
], ids=["error", "key", "constructor", "start", "index", "stop"])
def test_errors_are_pytorchs(case):
    dataset, how = case
    assert failure(lw, dataset, **how) == failure(torch, dataset, **how)


def test_an_error_shows_the_line():
    with pytest.raises(ValueError) as caught:
        list(DataLoader(Items(failing(ValueError("bad item"))), num_workers=1))
    text = str(caught.value)
    assert text.startswith("Caught ValueError in DataLoader worker process 0.\nOriginal Traceback (most recent call ")
    assert __file__ in text and "raise error" in text and text.endswith("ValueError: bad item\n")


def test_after_an_error_the_rest_can_be_read():
    rest = iter(DataLoader(Items(failing(ValueError("bad item")), 5), num_workers=1, batch_size=None))
    assert [next(rest) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="bad item"):
        next(rest)
    assert list(rest) == [4]


def test_what_cannot_be_pickled_is_told():
    class Local(Exception):
        pass

    with pytest.raises(AttributeError, match="Can't pickle local object"):      # PyTorch waits for ever
        list(DataLoader(Items(lambda i: lambda: 1), num_workers=1, batch_size=None))
    with pytest.raises(RuntimeError, match="Caught Local in DataLoader worker process 0.(.|\n)*Local: here"):
        list(DataLoader(Items(failing(Local("here"))), num_workers=1))


@pytest.mark.parametrize("end, told", [
    (lambda: os.kill(os.getpid(), signal.SIGKILL), "is killed by signal: Killed. "),
    (lambda: os.kill(os.getpid(), signal.SIGTERM), "is killed by signal: Terminated. "),
    (lambda: os._exit(3), "exited unexpectedly with exit code 3. Details are lost due to multiprocessing. Rerunning "
     "with num_workers=0 may give better error trace."),
    (lambda: sys.exit(4), "exited unexpectedly with exit code 4."),
], ids=["kill", "terminate", "_exit", "exit"])
def test_a_worker_that_dies_is_an_error(end, told):
    loader = DataLoader(Items(lambda i: end() if i == 5 else i, 9), num_workers=2, batch_size=None)
    seen = []
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly$") as caught:
        for item in loader:
            seen.append(item)
    assert told in str(caught.value.__cause__)
    assert seen == list(range(len(seen))) and len(seen) <= 5


def test_a_worker_killed_from_outside_while_idle():
    loader = DataLoader(range(100), num_workers=2, batch_size=None, persistent_workers=True)
    reading = iter(loader)
    next(reading)
    os.kill(reading._workers[0].process.pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(reading)
    assert list(loader) == list(range(100))     # new ones
    loader._iterator = None


def test_a_slow_worker_times_out():
    loader = DataLoader(Items(lambda i: time.sleep(60 * (i == 2)), 4), num_workers=2, batch_size=None, timeout=0.5)
    with pytest.raises(RuntimeError, match="DataLoader timed out after 0.5 seconds"):
        list(loader)
    reading = iter(loader)
    started = [worker.process.pid for worker in reading._workers]
    stop_now(reading)
    assert not any(map(alive, started))


def stop_now(reading):
    from leafward.utils.data._utils.parallel import stop
    stop(reading._workers, os.getpid(), grace=0.0)


# --- epochs left in the middle, order, blocking -----------------------------------------------------------------


def test_an_epoch_left_in_the_middle():
    loader = DataLoader(range(50), num_workers=2, batch_size=5, persistent_workers=True)
    first = iter(loader)
    pids = {worker.process.pid for worker in first._workers}
    assert next(first).tolist() == [0, 1, 2, 3, 4]
    for _ in range(2):
        assert [batch[0].item() for batch in loader] == list(range(0, 50, 5))
    assert {worker.process.pid for worker in loader._iterator._workers} == pids
    assert len(first) == 10
    loader._iterator = None
    del first
    reading = iter(DataLoader(range(50), num_workers=2, batch_size=5))
    next(reading)
    pids = [worker.process.pid for worker in reading._workers]
    del reading
    assert not any(map(alive, pids))


def test_first_come_first_served():
    dataset = Items(lambda i: time.sleep(0.3 * (i == 0)) or i, 10)
    how = {"num_workers": 2, "batch_size": None}
    assert list(DataLoader(dataset, **how)) == list(range(10))
    free = list(DataLoader(dataset, in_order=False, **how))
    assert sorted(free) == list(range(10)) and free[0] != 0


def test_long_lists_of_indices_do_not_block_both_ends():
    sampler = [list(range(i, i + 20_000)) for i in range(40)]
    batches = list(DataLoader(Items(lambda i: i, 50_000), batch_sampler=sampler, num_workers=1, prefetch_factor=40,
                              collate_fn=list))
    assert batches == sampler


def test_many_small_messages_do_not_block_both_ends():
    assert list(DataLoader(range(3000), num_workers=1, prefetch_factor=3000, batch_size=None)) == list(range(3000))


def test_two_loaders_at_once():
    one, two = (DataLoader(range(20), num_workers=1, batch_size=4) for _ in range(2))
    expected = lw.arange(20).reshape(5, 4).tolist()
    assert [(a.tolist(), b.tolist()) for a, b in zip(one, two)] == list(zip(expected, expected))


def test_workers_do_not_stumble_over_the_parents_threads():
    a = lw.ones(500, 500)
    (a @ a).sum()
    loader = DataLoader(Items(lambda i: (a @ a)[0, 0], 4), num_workers=2, batch_size=None)
    assert [item.item() for item in loader] == [500] * 4


# --- Ctrl-C, and programs that die ------------------------------------------------------------------------------

PROGRAM = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)      # a shell's background job starts with Ctrl-C ignored
import leafward as torch
from leafward.utils.data import DataLoader, Dataset

class Slow(Dataset):
    def __getitem__(self, i):
        time.sleep({sleep})
        return i
    def __len__(self):
        return 1000

reading = iter(DataLoader(Slow(), num_workers=2))
next(reading)
print(*[worker.process.pid for worker in reading._workers], flush=True)
{then}
"""


def started(sleep, then):
    """A running program and the ids of its workers."""
    program = subprocess.Popen([sys.executable, "-c", PROGRAM.format(sleep=sleep, then=then)], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, env=FINDABLE)
    return program, list(map(int, program.stdout.readline().split()))


def all_gone(pids, seconds=5):
    end = time.monotonic() + seconds
    while any(map(alive, pids)) and time.monotonic() < end:
        time.sleep(0.01)
    return not any(map(alive, pids))


@pytest.mark.parametrize("then", ["for batch in reading: pass", "while True: next(reading); time.sleep(0.5)"],
                         ids=["while waiting", "while working"])
def test_ctrl_c(then):
    program, pids = started(0.1, then)
    time.sleep(0.2)
    os.killpg(program.pid, signal.SIGINT)        # as a terminal does: all of them at once
    start = time.monotonic()
    _, told = program.communicate(timeout=20)
    assert program.returncode == -signal.SIGINT and time.monotonic() - start < 5
    assert told.count("Traceback") == 1 and told.strip().endswith("KeyboardInterrupt")
    assert all_gone(pids)


def test_ctrl_c_does_not_wait_for_a_worker_that_is_busy():
    program, pids = started("60 * (i > 2)", "for batch in reading: pass")
    time.sleep(0.2)
    os.killpg(program.pid, signal.SIGINT)
    start = time.monotonic()
    program.communicate(timeout=20)
    assert time.monotonic() - start < 4 and all_gone(pids)


def test_workers_end_with_a_program_that_is_killed():
    program, pids = started(0.01, "time.sleep(60)")
    program.kill()
    program.communicate(timeout=10)
    assert all_gone(pids)


def test_a_program_that_ends_in_the_middle_says_nothing():
    program, pids = started(0.01, "sys.exit(0)")
    assert program.communicate(timeout=20) == ("", "") and program.returncode == 0
    assert all_gone(pids)


OTHER_WAYS = """
import {name} as torch
from {name}.utils.data import DataLoader, TensorDataset

def keep(items):
    return [item.tolist() for item, in items]

if __name__ == "__main__":
    data = TensorDataset(torch.arange(6.))
    for method in ("spawn", "forkserver"):
        print(list(DataLoader(data, batch_size=3, num_workers=1, multiprocessing_context=method, collate_fn=keep)))
"""


@pytest.mark.parametrize("name, command", [("leafward", []), ("torch", ["-m", "leafward", "run"])])
def test_workers_that_begin_anew(tmp_path, name, command):
    script = tmp_path / "train.py"
    script.write_text(OTHER_WAYS.format(name=name))
    done = subprocess.run([sys.executable, *command, str(script)], capture_output=True, text=True, timeout=60,
                          env=FINDABLE)
    assert done.stdout.splitlines() == ["[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]"] * 2, done.stderr
    assert done.stderr == ""
