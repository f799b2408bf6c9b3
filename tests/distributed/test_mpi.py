"""The same cases over MPI, and programs: ranks that are processes of this machine, however they are started."""
import glob
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import leafward as lw
from tests.distributed import training_cases
from tests.distributed.gloo import ROOT, outcomes, run_ranks
from tests.distributed.test_collectives import differences
from tests.distributed.test_sharding import check as check_parts
from tests.distributed.test_training import check
from tests.oracle import torch  # noqa: F401  (without PyTorch there is nothing to compare with)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_mpi_agrees_with_gloo(size, tmp_path, tmp_path_factory):
    theirs = outcomes("tests.distributed.collective_cases", size, tmp_path_factory.getbasetemp().parent)
    ours, said = run_ranks("tests.distributed.collective_cases", size, tmp_path, library="leafward")
    assert differences(ours, theirs) == []
    assert said == [""] * size                                  # nothing complains at the end


def test_training(tmp_path, tmp_path_factory):
    theirs = outcomes("tests.distributed.training_cases", 2, tmp_path_factory.getbasetemp().parent)
    ours, said = run_ranks("tests.distributed.training_cases", 2, tmp_path, library="leafward")
    check(ours, training_cases.run(lw, 0, 1), theirs)
    assert said == ["", ""]


def test_parts(tmp_path, tmp_path_factory):
    theirs = outcomes("tests.distributed.sharding_cases", 2, tmp_path_factory.getbasetemp().parent)
    ours, said = run_ranks("tests.distributed.sharding_cases", 2, tmp_path, library="leafward")
    check_parts(ours, theirs)
    assert said == ["", ""]


# ---- programs that leafward launch starts

PROGRAM = Path(__file__).with_name("program.py")


def launch(*arguments, **environment):
    """``leafward launch -n 2 program.py what``: exit status, what it said, how long it took; nothing of it is left."""
    began = time.monotonic()
    command = [sys.executable, "-m", "leafward", "launch", "-n", "2", *arguments]
    launcher = subprocess.Popen(command, cwd=ROOT, text=True, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, start_new_session=True)
    try:
        said = launcher.communicate(timeout=90)[0]
    finally:
        launcher.kill()
        launcher.wait()
    assert not glob.glob("/dev/shm/mpich_*")
    return launcher.returncode, said, time.monotonic() - began


def test_a_program_for_torchrun():
    code, said, _ = launch(PROGRAM, "well")
    assert code == 0, said
    assert sorted(said.splitlines()) == ["[0] end", "[0] total [1.0, 1.0, 1.0] 0 2 gloo", "[1] end",
                                         "[1] total [1.0, 1.0, 1.0] 1 2 gloo"]


@pytest.mark.parametrize("what, status, told", [
    ("raises", 1, "[1] ValueError: boom"), ("exits", 3, "rank 1 .* ended with exit status 3"),
    ("killed1", 137, "rank 1 .* was ended by SIGKILL")])
def test_a_rank_that_ends_ends_the_others(what, status, told):
    code, said, _ = launch(PROGRAM, what)
    assert code == status and re.search(told.replace("[1]", r"\[1\]"), said), said


@pytest.mark.parametrize("what, told", [
    ("sleeps", r"rank 1: in no collective, after 1 calls; at program.py:\d+  time.sleep\(100\)"),
    ("stopped", r"rank 1: does not answer \(.*, pid \d+\)")])
def test_a_rank_that_hangs_is_named(what, told):
    code, said, _ = launch(PROGRAM, what)
    assert code == 1 and re.search(told, said), said
    assert re.search(r"rank 0: waits in its call 2, all_reduce\(float32 \[3\], SUM\), program.py:\d+  dist.all_reduce\(x\)",
                     said)


def test_calls_that_differ_are_told_before_a_byte_moves():
    code, said, _ = launch(PROGRAM, "differs", TORCH_DISTRIBUTED_DEBUG="DETAIL")
    assert code == 1 and "the ranks do not call the same" in said, said
    assert re.search(r"rank 1: all_reduce\(float32 \[3\], SUM\), program.py:\d+  dist.all_reduce\(torch.ones\(2 \+ rank\)\)",
                     said)


def test_calls_that_differ_in_silence_are_told_soon_after():
    """MPI adds integers to floats of the same length."""
    code, said, _ = launch(PROGRAM, "garbles")
    assert code and "the ranks do not call the same, since call 3 of their group" in said, said
    for rank, dtype in enumerate(("float32", "int32")):
        row = rf"  rank {rank}: all_reduce\({dtype} \[2\], SUM\), program.py:\d+  dist.all_reduce\(garbled\)"
        assert re.search(row, said), said


def test_a_job_starts_again():
    code, said, _ = launch("--max-restarts", "1", PROGRAM, "restarts")
    assert code == 0 and "rank 1" in said and said.count("total") == 4 and said.count("end") >= 2, said


def test_a_launcher_that_is_killed_leaves_nothing():
    launcher = subprocess.Popen([sys.executable, "-m", "leafward", "launch", "-n", "2", PROGRAM, "waits"], cwd=ROOT,
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        ranks = []
        while len(ranks) < 2:
            line = launcher.stdout.readline()
            assert line
            if "waiting" in line:
                ranks.append(int(line.split()[-1]))
        launcher.kill()
        launcher.wait()
        end = time.monotonic() + 10
        while any([os.path.exists(f"/proc/{pid}") for pid in ranks]) and time.monotonic() < end:
            time.sleep(0.05)
        assert not any([os.path.exists(f"/proc/{pid}") for pid in ranks])
    finally:
        launcher.kill()
        launcher.wait()
        launcher.stdout.close()


@pytest.mark.parametrize("gone", [0, 1])
def test_a_rank_that_is_gone_is_told_at_once_whatever_the_timeout(gone):
    """Nobody launched these: the store misses it, or is missed itself."""
    port = free_port()
    command = [sys.executable, "-m", "leafward", "run", PROGRAM, f"killed{gone or ''}", "100"]
    told = {"WORLD_SIZE": "3", "LOCAL_WORLD_SIZE": "3", "MASTER_ADDR": "localhost", "MASTER_PORT": str(port)}
    told |= os.environ
    ranks = [subprocess.Popen(command, cwd=ROOT, text=True, env={**told, "RANK": str(rank), "LOCAL_RANK": str(rank)},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) for rank in range(3)]
    try:
        ranks[gone].wait(60)
        began = time.monotonic()
        said = [rank.communicate(timeout=30)[0] for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
            rank.communicate()
    assert time.monotonic() - began < 5 and [rank.returncode for rank in ranks].count(1) == 2
    waits = r"waits in its call 2, all_reduce\(float32 \[3\], SUM\), program.py:\d+  dist.all_reduce\(x\)"
    report = rf"rank 1 is gone\n  rank 0: {waits}\n  rank 1: gone \(.*, pid \d+\): its connection closed .*\n  rank 2: {waits}"
    for rank in {0, 1, 2} - {gone}:
        assert re.search(f"DistBackendError: {report if gone else 'the rank that has the store is gone'}", said[rank]), said
    assert not glob.glob("/dev/shm/mpich_*")


def free_port():
    """A port of this machine that nobody has."""
    with socket.create_server(("localhost", 0)) as server:
        return server.getsockname()[1]


def ended(command, **environment):
    """Exit status of a command, and what it said."""
    process = subprocess.Popen(command, cwd=ROOT, text=True, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        return process.communicate(timeout=90)[0], process.returncode
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass                                                # nothing of it is left
        process.wait()


def test_a_program_that_spawns_its_ranks(tmp_path):
    said, code = ended([sys.executable, "-m", "leafward", "run", PROGRAM.with_name("spawning.py"), tmp_path / "store"])
    assert code == 0 and said.count("gradient") == said.count("[[0.5, 0.5]]") == 2 and "all ended" in said, said


@pytest.mark.parametrize("what, status", [("well", 0), ("raises", 1), ("exits", 3)])
def test_a_bare_mpiexec(what, status):
    mpiexec = shutil.which("mpiexec", path=os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"])
    said, code = ended([mpiexec, "-n", "2", sys.executable, "-m", "leafward", "run", PROGRAM, what])
    assert code == status and not glob.glob("/dev/shm/mpich_*"), said
    totals = said.count("total [1.0, 1.0, 1.0]")
    if what == "well":
        assert totals == 2, said
    else:
        # The other rank may be ended before it prints.
        assert ("ValueError: boom" in said) == (what == "raises") and totals >= 1, said
