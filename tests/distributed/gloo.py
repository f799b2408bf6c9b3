"""PyTorch's answers: its ranks are started once for each number of them, and their outcomes are kept for the run."""
import fcntl
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def run_ranks(program, size, folder, seconds=90):
    """``python -m program rank size folder`` for each rank, all ended after ``seconds``; what each left in ``folder``."""
    ranks = [subprocess.Popen([sys.executable, "-m", program, str(rank), str(size), str(folder)], cwd=ROOT,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
             for rank in range(size)]
    said = []
    try:
        for rank in ranks:
            said.append(rank.communicate(timeout=seconds)[0])
    finally:
        for rank in ranks:
            if rank.poll() is None:
                os.killpg(rank.pid, signal.SIGKILL)
                rank.communicate()
    assert not any([rank.returncode for rank in ranks]), "\n".join(said)
    return [pickle.loads((folder / str(rank)).read_bytes()) for rank in range(size)]


def outcomes(program, size, shared):
    """What PyTorch's ranks found, from the first test that asks on."""
    folder = shared / f"{program}.{size}"
    folder.mkdir(exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "all").exists():
            (folder / "all").write_bytes(pickle.dumps(run_ranks(program, size, folder)))
        return pickle.loads((folder / "all").read_bytes())


def main(run):
    """One of PyTorch's ranks: keep what ``run(torch, rank, size)`` finds."""
    import warnings
    from datetime import timedelta

    import torch
    warnings.simplefilter("ignore")
    rank, size, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=size,
                                         timeout=timedelta(seconds=20))
    (folder / str(rank)).write_bytes(pickle.dumps(run(torch, rank, size)))
    torch.distributed.barrier()
