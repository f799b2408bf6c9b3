"""``leafward.multiprocessing``: tensors in queues, pipes and forked processes are one memory."""
import os
import signal
import subprocess
import sys
import time

import pytest

import leafward as lw
from leafward import multiprocessing as mp

fork = mp.get_context("fork")
FINDABLE = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(lw.__file__))}


def run(target, *args):
    process = fork.Process(target=target, args=args)
    process.start()
    return process


def finish(process):
    process.join(20)
    assert process.exitcode == 0


def add_one(tensor):
    tensor += 1


def test_a_forked_process_writes_into_shared_memory():
    alone, shared = lw.zeros(3), lw.zeros(3).share_memory_()
    assert shared.is_shared() and not alone.is_shared() and shared.untyped_storage().is_shared()
    finish(run(add_one, alone))
    finish(run(add_one, shared))
    assert alone.tolist() == [0, 0, 0] and shared.tolist() == [1, 1, 1]


def test_views_follow():
    base = lw.arange(12.).reshape(3, 4)
    part, turned, bits, detached = base[1:, ::2], base.t(), base.view(lw.int32), base.detach()
    address = base.data_ptr()
    assert turned.share_memory_() is turned
    assert base.data_ptr() != address and all(x.is_shared() for x in (base, part, turned, bits, detached))
    finish(run(add_one, turned))
    assert base.tolist() == detached.tolist() == (lw.arange(12.).reshape(3, 4) + 1).tolist()
    assert part.tolist() == [[5, 7], [9, 11]] and part.stride() == (4, 2) and part.storage_offset() == 4
    assert bits.view(lw.float32)[0, 0] == 1
    assert base.share_memory_().data_ptr() == turned.data_ptr()


@pytest.mark.parametrize("make", [
    lambda: lw.zeros(0, 3), lambda: lw.tensor(2.5), lambda: lw.ones(2, dtype=lw.bfloat16), lambda: lw.ones(1).expand(3),
    lambda: lw.from_numpy(lw.arange(6).reshape(2, 3).numpy().T), lambda: lw.arange(9)[::4], lambda: lw.ones(3)[:0],
])
def test_every_geometry_moves(make):
    there, before = make(), make()
    there.share_memory_()
    assert there.is_shared() and there.tolist() == before.tolist() and there.stride() == before.stride()
    assert there.storage_offset() == before.storage_offset() and there.dtype is before.dtype


def train(model, steps):
    optimizer = lw.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        model(lw.ones(4, 3)).square().sum().backward()
        optimizer.step()


def test_a_shared_module_is_trained_by_others():
    model = lw.nn.Sequential(lw.nn.Linear(3, 4), lw.nn.BatchNorm1d(4), lw.nn.Linear(4, 2))
    before = [p.clone() for p in model.parameters()]
    assert model.share_memory() is model and all(p.is_shared() and p.is_leaf for p in model.parameters())
    finish(run(train, model, 2))
    assert any(not p.equal(q) for p, q in zip(model.parameters(), before))
    assert model[1].num_batches_tracked == 2


def answer(questions, answers, finished):
    tensor, parameter = questions.get()
    tensor.mul_(10)
    answers.put({"sum": tensor.sum(), "part": tensor[1:], "kind": type(parameter).__name__,
                 "grad": parameter.requires_grad, "note": parameter.note})
    finished.wait(20)


def test_queues_send_the_memory():
    questions, answers, finished = fork.Queue(), fork.SimpleQueue(), fork.Event()
    process = run(answer, questions, answers, finished)
    sent, parameter = lw.arange(3.), lw.nn.Parameter(lw.ones(2))
    parameter.note = "mine"
    questions.put((sent, parameter))
    got = answers.get()
    assert got["sum"] == 30 and sent.tolist() == [0, 10, 20]
    got["part"][0] = 7
    assert sent.tolist() == [0, 7, 20]
    assert (got["kind"], got["grad"], got["note"]) == ("Parameter", True, "mine")
    finished.set()
    finish(process)
    questions.close()
    questions.join_thread()
    answers.close()


def echo(end):
    end.send(end.recv())
    end.recv()


def test_pipes_send_the_memory():
    ours, theirs = fork.Pipe()
    process = run(echo, theirs)
    sent = lw.zeros(2, 2, dtype=lw.int16)
    ours.send(sent.t())
    back = ours.recv()
    back[0, 1] = 5
    assert sent.tolist() == [[0, 0], [5, 0]]
    ours.send(None)
    finish(process)
    ours.close()
    theirs.close()


def test_history_is_refused():
    ours, theirs = fork.Pipe()
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor which requires_grad"):
        ours.send(lw.ones(1, requires_grad=True) * 2)
    ours.close()
    theirs.close()


def test_strategies_are_accepted():
    assert mp.get_all_sharing_strategies() == {"file_descriptor", "file_system"}
    mp.set_sharing_strategy("file_system")
    assert mp.get_sharing_strategy() == "file_system"
    mp.set_sharing_strategy("file_descriptor")
    with pytest.raises(AssertionError, match="invalid sharing strategy 'x', expected one of"):
        mp.set_sharing_strategy("x")
    assert mp.cpu_count() == os.cpu_count() and mp.Process is not None


# --- spawn ------------------------------------------------------------------------------------------------------


def work(number, what):
    if number == 1 and what == "raise":
        raise ValueError("bad")
    if number == 1 and what == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 1 and what == "exit":
        sys.exit(3)
    if what != "nothing":
        time.sleep(60)


@pytest.mark.parametrize("what, error, text", [
    ("raise", mp.ProcessRaisedException, "\n\n-- Process 1 terminated with the following error:\nTraceback (most recent"),
    ("kill", mp.ProcessExitedException, "process 1 terminated with signal SIGKILL"),
    ("exit", mp.ProcessExitedException, "process 1 terminated with exit code 3"),
])
def test_the_first_failure_ends_all(what, error, text):
    start = time.monotonic()
    with pytest.raises(error) as caught:
        mp.start_processes(work, args=(what,), nprocs=2, start_method="fork")
    assert str(caught.value).startswith(text) and caught.value.error_index == 1 and caught.value.pid > 0
    assert what != "raise" or "ValueError: bad" in str(caught.value)
    assert time.monotonic() - start < 20 and not mp.active_children()


def test_processes_that_end_well():
    assert mp.start_processes(work, args=("nothing",), nprocs=2, start_method="fork") is None
    running = mp.start_processes(work, args=("nothing",), nprocs=2, join=False, start_method="fork")
    assert len(running.pids()) == 2
    while not running.join():
        pass
    assert running.join() is True
    with pytest.raises(ValueError, match="use start_processes for start_method='fork'"):
        mp.spawn(work, start_method="fork")


SPAWN = """
import torch
import torch.multiprocessing as mp

def fill(number, shared):
    shared[number] = number + 1

if __name__ == "__main__":
    shared = torch.zeros(2)
    mp.spawn(fill, args=(shared,), nprocs=2)
    print(shared.tolist())
"""


def test_spawn_under_the_name_torch(tmp_path):
    script = tmp_path / "spawning.py"
    script.write_text(SPAWN)
    done = subprocess.run([sys.executable, "-m", "leafward", "run", str(script)], capture_output=True, text=True,
                          timeout=60, env=FINDABLE)
    assert (done.stdout, done.stderr) == ("[1.0, 2.0]\n", "")
