"""PyTorch's answers: its ranks are started once for each number of them, and their outcomes are kept for the run."""
import fcntl
import hashlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from datetime import timedelta
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def run_ranks(program, size, folder, seconds=120, library="torch"):
    """``python -m program rank size folder library`` for each rank: what each left in ``folder``, and what it said."""
    ranks = [subprocess.Popen([sys.executable, "-m", program, str(rank), str(size), str(folder), library], cwd=ROOT,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
             for rank in range(size)]
    said, end = [], time.monotonic() + seconds
    try:
        for rank in ranks:
            said.append(rank.communicate(timeout=max(0.1, end - time.monotonic()))[0])
    finally:
        for rank in ranks:
            try:
                os.killpg(rank.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass                                    # nothing of it is left
            rank.communicate()
    assert not any([rank.returncode for rank in ranks]), "\n".join(said)
    return [pickle.loads((folder / str(rank)).read_bytes()) for rank in range(size)], said


def gloo_again(start, tries=3):
    """What ``start()`` returns, which starts PyTorch's ranks anew where gloo itself failed.

    On a busy machine it gives up to connect the ranks, and now and then one of its threads ends a rank by std::terminate.
    """
    for _ in range(tries - 1):
        try:
            return start()
        except AssertionError as error:
            if not any([said in str(error) for said in ("connectFullMesh failed", "terminate called")]):
                raise
    return start()


def connected(program, size, folder):
    """What PyTorch's ranks found, who meet elsewhere each time they start.

    Some of them end badly after they have left what they found, by std::terminate or because a call that they were
    refused is still on its way when they meet for the last time: that is its own affair.
    """
    def start():
        fresh = Path(tempfile.mkdtemp(dir=folder))
        try:
            return run_ranks(program, size, fresh)[0]
        except AssertionError:
            left = [fresh / str(rank) for rank in range(size)]
            if not all([path.exists() for path in left]):
                raise
            return [pickle.loads(path.read_bytes()) for path in left]

    return gloo_again(start)


def outcomes(program, size, shared):
    """What PyTorch's ranks found, from the first test that asks on; anew where the cases have changed since."""
    cases = Path(import_module(program).__file__).read_bytes()
    folder = shared / f"{program}.{size}.{hashlib.sha1(cases).hexdigest()[:12]}"
    folder.mkdir(exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "all").exists():
            (folder / "all").write_bytes(pickle.dumps(connected(program, size, folder)))
        return pickle.loads((folder / "all").read_bytes())


def main(run, arguments):
    """One rank, PyTorch's or leafward's: keep what ``run(library, rank, size)`` finds."""
    warnings.simplefilter("ignore")
    rank = int(os.environ["OMPI_COMM_WORLD_RANK"] if arguments[1] == "launched" else arguments[1])
    size, folder, library = int(arguments[2]), Path(arguments[3]), import_module(arguments[4])
    library.set_num_threads(1)
    library.distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=size,
                                           timeout=timedelta(seconds=20))
    found = pickle.dumps(run(library, rank, size))
    (folder / f"{rank}.part").write_bytes(found)
    (folder / f"{rank}.part").rename(folder / str(rank))            # there once it is whole
    library.distributed.barrier()
    library.distributed.destroy_process_group()
