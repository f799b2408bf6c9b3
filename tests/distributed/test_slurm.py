"""Ranks in a job of Slurm's: ``leafward launch`` starts them by ``srun``, and programs under a bare ``srun`` find each other.

No Slurm runs here: :mod:`tests.distributed.srun` stands in its place, with MPI's launcher underneath.
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

from leafward.distributed import slurm
from leafward.distributed.launching import arguments_of
from leafward.distributed.started import tasks_of
from tests.distributed.relays import relays_among
from tests.distributed.test_mpi import (
    MPI, PROGRAM, ROOT, SURROUNDINGS, away_with_what_is_left, ended, launch, mpiexec, nothing_is_left,  # noqa: F401
    running_after, started_by,
)
from tests.oracle import torch  # noqa: F401  (without PyTorch there is nothing to compare with)

OFFERS = {"mpich": "pmi2", "openmpi": "pmix"}[MPI]


@pytest.fixture
def job(tmp_path):
    """The environment of a job on the nodes a and b, with an ``srun``."""
    srun = tmp_path / "srun"
    srun.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{PROGRAM.with_name("srun.py")}" "$@"\n')
    srun.chmod(0o755)
    command = [part for part in mpiexec(0) if part not in ("-n", "0")]
    return {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "MPIEXEC": json.dumps(command), "SRUN_OFFERS": OFFERS,
            "SRUN_ASKED": f"{tmp_path / 'asked'}", "SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "a,b", "SLURM_JOB_NUM_NODES": "2",
            "SLURM_NTASKS": "3", "SLURM_CPUS_PER_TASK": "1", "SLURMD_NODENAME": socket.gethostname(), "SLURM_PROCID": "0"}


def asked(job):
    """What ``srun`` was asked, call by call."""
    with open(job["SRUN_ASKED"]) as file:
        return [line.split() for line in file]


#: Where each rank stands: which on its machine, of how many; which machine, of how many; after how many failures.
BLOCKS = {0: "0 2 0 2 0", 1: "1 2 0 2 0", 2: "0 1 1 2 0"}


@pytest.mark.parametrize("arguments, stands", [
    ([], BLOCKS),                                       # as many as the job was asked for
    (["-n", "3", "--hosts", "b:1,a:2"], {0: "0 1 0 2 0", 1: "0 2 1 2 0", 2: "1 2 1 2 0"})])
def test_srun_starts_the_ranks(arguments, stands, job):
    said, code = ended([sys.executable, "-m", "leafward", "launch", *arguments, PROGRAM, "stands"], **job)
    assert code == 0 and said.count("[3.0, 3.0, 3.0]") == 3, said
    assert {int(rank): where for rank, where in re.findall(r"^\[(\d)\] stands (.*)$", said, re.MULTILINE)} == stands, said
    (options,) = asked(job)
    assert options[:7] == ["--ntasks=3", "--cpu-bind=none", "--kill-on-bad-exit=1", "--wait=0", "--export=ALL",
                           f"--mpi={OFFERS}", "--cpus-per-task=1"]
    assert options[7:] == (["--nodes=2", "--distribution=arbitrary"] if arguments else [])


def test_a_failure_is_srun_s_too_and_the_job_starts_again(job):
    code, said, _ = launch("--max-restarts", "1", PROGRAM, "exits", 100, **job)
    assert code == 3 and len(re.findall(r"rank 1 \(pid \d+ on .*\) ended with exit status 3; the others", said)) == 2, said
    assert len(asked(job)) == 2


def test_a_machine_has_one_connection(job):
    """However many ranks it has."""
    code, said, _ = launch(PROGRAM, "connects", 100, size=5, **job)
    assert code == 0 and said.count("connections 2\n") == 5, said


@pytest.fixture
def waiting(job):
    """``(launcher, the processes that it started, the ranks)`` of a job with three ranks on two nodes."""
    launcher = subprocess.Popen([sys.executable, "-m", "leafward", "launch", PROGRAM, "waits", "100"], text=True,
                                env={**os.environ, **SURROUNDINGS, **job}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                start_new_session=True, cwd=PROGRAM.parent.parent.parent)
    try:
        said = ""
        while said.count("waiting") < 3:
            line = launcher.stdout.readline()
            assert line, said
            said += line
        ranks = {int(rank): int(pid) for rank, pid in re.findall(r"^\[(\d)\] waiting (\d+)$", said, re.MULTILINE)}
        yield launcher, started_by(launcher.pid), ranks
    finally:
        launcher.kill()
        launcher.wait()
        launcher.stdout.close()


def test_a_launcher_that_is_killed_leaves_nothing_of_srun(waiting):
    launcher, all_of_it, _ = waiting
    launcher.send_signal(signal.SIGKILL)
    assert len(all_of_it) >= 7 and running_after(2, all_of_it) == []


@pytest.mark.parametrize("what", ["relay", 0, 1])
def test_what_is_killed_ends_the_job(what, waiting):
    """A rank is named, whether what started it is the relay or not; with that, its machine's ranks end. Nothing is left."""
    launcher, all_of_it, ranks = waiting
    relays = relays_among(all_of_it)
    assert len(relays) == 2
    began = time.monotonic()
    os.kill(relays[0] if what == "relay" else ranks[what], signal.SIGKILL)
    said = launcher.communicate(timeout=30)[0]
    assert time.monotonic() - began < 5 and running_after(2, all_of_it) == [] and nothing_is_left(), said
    # MPI's launchers, which stand below here, tell a killed process by 9 or 137.
    who = r"srun \(.*\) ended with exit status \d+" if what == "relay" else (
        rf"rank {what} \(pid {ranks[what]} on .*\) was ended by SIGKILL")
    assert launcher.returncode in ((9, 137) if what == "relay" else (137,)), said
    assert re.search(f"leafward launch: {who}; the others were ended", said), said


def test_the_relay_stays_when_its_own_rank_ends_first(job, tmp_path):
    program = tmp_path / "ends.py"
    program.write_text(f"""if True:
        import os, sys, time
        import torch.distributed as dist
        sys.path.insert(0, {str(ROOT)!r})
        from tests.distributed.relays import relays_among
        store = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), is_master=False)
        if not relays_among([os.getppid()]):
            store.wait(["first 0", "first 1"])
            time.sleep(1)
            print("after", store.add("after", 1))
        else:
            store.set("first " + os.environ["GROUP_RANK"], "")
            print("first")
        """)
    code, said, _ = launch(program, size=4, **job)
    assert code == 0 and said.count("first") == said.count("after") == 2 and "after 2" in said, said


def test_a_bare_srun(job):
    command = [str(job["PATH"].partition(os.pathsep)[0]) + "/srun", "--ntasks=2"]
    program = [sys.executable, "-m", "leafward", "run", str(PROGRAM)]
    said, code = ended([*command, *program, "well"], **job)
    assert code == 0 and said.count("total [1.0, 1.0, 1.0]") == 2, said
    # Each would be a world of its own, and say nothing.
    said, code = ended([*command, "--mpi=none", *program, "well"], **job)
    assert code == 1 and said.count("MPI has 1 rank, and world_size is 2: this MPI's ranks meet by "
                                    f"srun --mpi={OFFERS} leafward run train.py, or leafward launch -n 2 train.py") == 2, said
    assert nothing_is_left()


def test_a_batch_script_is_one_process(job, monkeypatch):
    from leafward.distributed import mpi
    for name, value in job.items():
        monkeypatch.setenv(name, value)
    assert mpi.launched_size() == 1


@pytest.mark.parametrize("arguments, environment, size", [
    ("", {}, 3), ("-n 5", {}, 5), ("--nproc-per-node 4", {}, 8), ("--nproc-per-node 4 --nnodes 3", {}, 12),
    ("--hosts a,b", {}, 2), ("", {"SLURM_NTASKS": None}, 2)])
def test_how_many_ranks_a_job_has(arguments, environment, size, job, monkeypatch):
    for name, value in {**job, **environment}.items():
        monkeypatch.delenv(name, raising=False) if value is None else monkeypatch.setenv(name, value)
    told = arguments_of([*arguments.split(), "train.py"])
    assert told.size == size
    options, _ = slurm.command(told.srun, told, None)
    assert f"--ntasks={size}" in options and "--mpi=none" in options
    assert ("--nodes=3" in options) == ("--nnodes" in arguments)
    assert ("--ntasks-per-node=4" in options) == ("--nproc-per-node" in arguments)


def test_what_cannot_be_is_told(job, monkeypatch, capsys):
    for name, value in {**job, "SRUN_OFFERS": "pmi1"}.items():
        monkeypatch.setenv(name, value)
    for version in "open mpi v5.0.11", "mpich version: 5.0.2":
        with pytest.raises(SystemExit, match=r"this Slurm brings no ranks of this MPI together: of pmi.* its srun --mpi=list "
                                             r"names none. By MPI's own launcher: mpiexec -n 8 leafward run train.py"):
            slurm.meeting(slurm.inside(), version)
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "4")
    with pytest.raises(SystemExit):
        arguments_of(["train.py"])
    assert "srun started this launcher more than once" in capsys.readouterr().err


def test_tasks_on_nodes():
    assert tasks_of("2(x3),1") == [2, 2, 2, 1] and tasks_of("4") == [4] and tasks_of("1,2,1(x2)") == [1, 2, 1, 1]
