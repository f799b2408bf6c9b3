"""``leafward launch -n 4 train.py``: one program as several processes of this machine, which end together.

Each rank is told what ``torchrun`` tells it, in the environment; the store is the launcher's. A line of output begins with
the rank that wrote it. The first rank that fails ends the others, and its exit status is the launcher's.
"""
import argparse
import ctypes
import glob
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid

from leafward.distributed.tcp_store import TCPStore

#: How long ranks have to end by themselves when they are asked to, in seconds.
GRACE = 5.0
#: What libraries read how many threads to use from.
THREADS = "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"
#: prctl's option: a signal for the process whose parent ends.
PR_SET_PDEATHSIG = 1


def arguments_of(given, program="leafward launch"):
    """What ``leafward launch`` and ``torchrun`` are told."""
    parser = argparse.ArgumentParser(program, description="Start a program as several ranks on this machine.")
    parser.add_argument("-n", "--nproc-per-node", "--nproc_per_node", default="1",
                        help="how many ranks; auto: one for each core")
    parser.add_argument("--max-restarts", "--max_restarts", type=int, default=0,
                        help="how often the whole job is started again after a failure")
    parser.add_argument("--threads", type=int, default=None, help="threads of each rank; without it the cores are shared out")
    parser.add_argument("-m", "--module", action="store_true", help="the program is the name of a module")
    parser.add_argument("--nnodes", default="1", help="1: this machine")
    parser.add_argument("--node-rank", "--node_rank", "--master-addr", "--master_addr", "--master-port", "--master_port",
                        "--rdzv-backend", "--rdzv_backend", "--rdzv-endpoint", "--rdzv_endpoint", "--rdzv-id", "--rdzv_id",
                        "--start-method", "--start_method", help="for command lines of torchrun: not used on one machine")
    parser.add_argument("--standalone", action="store_true", help="the same")
    parser.add_argument("program", help="the program: a file, or with -m a module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    told = parser.parse_args(given)
    if told.nnodes not in ("1", "1:1"):
        parser.error("ranks on several machines are started by MPI's own launcher: mpiexec -n N leafward run train.py")
    cores = len(os.sched_getaffinity(0))
    told.size = cores if told.nproc_per_node in ("auto", "cpu") else int(told.nproc_per_node)
    if told.size < 1:
        parser.error("there has to be a rank")
    return told


def shares(cores, size):
    """Which cores each rank has: its own where there are enough of them, otherwise all."""
    each = len(cores) // size
    return [cores[rank * each:(rank + 1) * each] if each else cores for rank in range(size)]


class Job:
    """The ranks, from their start until all have ended."""

    def __init__(self, told, attempt):
        self.told, self.attempt, self.ranks, self.readers = told, attempt, [], []
        self.store = TCPStore("localhost", 0, is_master=True)
        self.before = set(glob.glob("/dev/shm/mpich_*"))
        self.identity = os.environ.get("TORCHELASTIC_RUN_ID", uuid.uuid4().hex)

    def environment(self, rank, threads):
        """What a rank is told."""
        size = self.told.size
        mine = dict(RANK=rank, WORLD_SIZE=size, LOCAL_RANK=rank, LOCAL_WORLD_SIZE=size, GROUP_RANK=0, GROUP_WORLD_SIZE=1,
                    ROLE_RANK=rank, ROLE_WORLD_SIZE=size, MASTER_ADDR="localhost", MASTER_PORT=self.store.port,
                    TORCHELASTIC_RUN_ID=self.identity, TORCHELASTIC_RESTART_COUNT=self.attempt,
                    TORCHELASTIC_MAX_RESTARTS=self.told.max_restarts, TORCHELASTIC_USE_AGENT_STORE=True)
        threaded = {name: threads for name in THREADS if self.told.threads is not None or name not in os.environ}
        return {**os.environ, **{name: str(value) for name, value in {**mine, **threaded}.items()}, "PYTHONUNBUFFERED": "1"}

    def start(self):
        """Start every rank, in a session of its own and bound to its cores."""
        cores = sorted(os.sched_getaffinity(0))
        libc = ctypes.CDLL(None)

        def bound(mine):
            def prepare():
                libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
                os.sched_setaffinity(0, mine)
            return prepare
        threads = self.told.threads or max(1, len(cores) // self.told.size)
        if threads * self.told.size > len(cores):
            print(f"leafward launch: {self.told.size} ranks of {threads} threads share {len(cores)} cores", file=sys.stderr)
        command = [sys.executable, "-m", "leafward", "run", *(["-m"] if self.told.module else []), self.told.program,
                   *self.told.arguments]
        for rank, mine in enumerate(shares(cores, self.told.size)):
            process = subprocess.Popen(command, env=self.environment(rank, threads), stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, start_new_session=True, preexec_fn=bound(mine))
            self.ranks.append(process)
            for pipe, out in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
                reader = threading.Thread(target=self.pass_on, args=(rank, pipe, out), daemon=True)
                reader.start()
                self.readers.append(reader)

    def pass_on(self, rank, pipe, out):
        """What a rank writes, line by line."""
        for line in pipe:
            out.write(f"[{rank}] {line.decode(errors='replace').rstrip(chr(10))}\n")
            out.flush()

    def wait(self):
        """Wait until all have ended well, or one has not: ``(rank, its exit status)``, or None."""
        while True:
            codes = [process.poll() for process in self.ranks]
            failed = [(rank, code) for rank, code in enumerate(codes) if code]
            if failed:
                return failed[0]
            if None not in codes:
                return None
            time.sleep(0.02)

    def end(self):
        """Leave nothing behind: no process, and no memory that killed ranks shared."""
        for signs, patience in (((signal.SIGTERM, signal.SIGCONT), GRACE), ((signal.SIGKILL,), GRACE)):
            for process in self.ranks:
                try:
                    for sign in signs:              # one that was stopped has to go on to end
                        os.killpg(process.pid, sign)
                except ProcessLookupError:
                    pass                            # all of its processes have ended
            until = time.monotonic() + patience
            while time.monotonic() < until and any([process.poll() is None for process in self.ranks]):
                time.sleep(0.02)
        for reader in self.readers:
            reader.join(1)
        self.store.close()
        for path in set(glob.glob("/dev/shm/mpich_*")) - self.before:
            try:
                if os.stat(path).st_uid == os.getuid():
                    os.unlink(path)
            except OSError:
                pass                                # gone already


def status_of(code):
    """An exit status as a shell has it."""
    return code if code >= 0 else 128 - code


def named(code):
    """An exit status in words."""
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit status {code}"


def main(given, program="leafward launch"):
    """Start the ranks, and again after a failure if that was asked for: the exit status."""
    told = arguments_of(given, program)

    def stop(number, frame):
        raise SystemExit(128 + number)
    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        for attempt in range(told.max_restarts + 1):
            job = Job(told, attempt)
            try:
                job.start()
                failed = job.wait()
            finally:
                job.end()
            if failed is None:
                return 0
            rank, code = failed
            print(f"leafward launch: rank {rank} (pid {job.ranks[rank].pid} on {socket.gethostname()}) {named(code)}; the "
                  "others were ended", file=sys.stderr)
        return status_of(code)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
