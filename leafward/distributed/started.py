"""One rank that an MPI's launcher or ``srun`` started: ``python started.py TOLD PROGRAM...``, as ``leafward launch`` says.

It stands between the launcher and the program: tells the program its rank and its cores, puts the rank before each line that it
writes, and ends it when the connection to ``leafward launch`` closes. The first of them on a machine has that connection, for
all (:mod:`leafward.distributed.relay`), and stays for the others. It imports nothing else of leafward.
"""
import ctypes
import json
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import threading
from itertools import accumulate

#: prctl's option: a signal for the process whose parent ends.
PR_SET_PDEATHSIG = 1
#: Where each MPI's launcher says which rank this is, which of those on its machine, and how many are there.
RANK, LOCAL, HERE = (
    ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"), ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"),
    ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"))


def told_by_launcher(names):
    """A number that the launcher left in the environment."""
    return int(next(os.environ[name] for name in names if name in os.environ))


def tasks_of(text):
    """``[2, 2, 2, 1]``, the ranks on each machine, of Slurm's ``2(x3),1``."""
    found = []
    for part in text.split(","):
        number, _, times = part.partition("(x")
        found += int(times.rstrip(")") or 1) * [int(number)]
    return found


def standing(dealt):
    """``(rank, which on its machine, how many there, which machine, how many machines)``; ``dealt``: None where Slurm says."""
    if dealt is None:
        rank, local, machine = [int(os.environ[name]) for name in ("SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID")]
        dealt = tasks_of(os.environ["SLURM_STEP_TASKS_PER_NODE"])
        return rank, local, dealt[machine], machine, len(dealt)
    rank, local, here = told_by_launcher(RANK), told_by_launcher(LOCAL), told_by_launcher(HERE)
    machine = next(number for number, until in enumerate(accumulate(dealt)) if rank < until)
    return rank, local, here, machine, len(dealt)


def shares(cores, size):
    """Which cores each rank has: its own where there are enough of them, otherwise all."""
    each = len(cores) // size
    return [cores[rank * each:(rank + 1) * each] if each else cores for rank in range(size)]


def crowded(ranks, threads, cores):
    """The warning where threads of ranks wait for each other's cores."""
    name = socket.gethostname()
    return f"leafward launch: on {name} {ranks} ranks with {threads} thread{'s' * (threads > 1)} each share {cores} cores"


def bound(cores):
    """What a rank does before its program: it ends with whoever started it, and stays on its cores."""
    libc = ctypes.CDLL(None)

    def prepare():
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.sched_setaffinity(0, cores)
    return prepare


def pass_on(rank, pipe, out):
    """What a rank writes, line by line."""
    for line in pipe:
        out.write(b"[%d] " % rank + line.rstrip(b"\n") + b"\n")
        out.flush()


class Started:
    """The program of one rank, from its start to its end."""

    def __init__(self, told, program, relay):
        self.rank, local, here, machine, machines = standing(told["dealt"])
        cores = sorted(os.sched_getaffinity(0))
        threads = told["threads"] or max(1, len(cores) // here)
        if local == 0 and threads * here > len(cores):
            print(crowded(here, threads, len(cores)), file=sys.stderr, flush=True)
        mine = dict(told["environment"], RANK=self.rank, LOCAL_RANK=local, LOCAL_WORLD_SIZE=here, ROLE_RANK=self.rank,
                    GROUP_RANK=machine, GROUP_WORLD_SIZE=machines, PYTHONUNBUFFERED=1, LEAFWARD_STARTED=1)
        mine.update({name: threads for name in told["threaded"] if told["threads"] or name not in os.environ})
        name = f"{told['relay']}-{machine}"
        self.relay, self.control = relay.attach(name, (told["address"], told["port"]))
        mine[relay.VARIABLE] = f"{told['address']}:{told['port']} {name}"
        self.asked, self.over, self.answered = False, False, threading.Event()
        signal.signal(signal.SIGTERM, self.end)
        self.child = subprocess.Popen(program, env={**os.environ, **{name: str(value) for name, value in mine.items()}},
                                      cwd=told["folder"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, start_new_session=True,
                                      pass_fds=[int(os.environ[name]) for name in ("PMI_FD",) if name in os.environ],
                                      preexec_fn=bound(shares(cores, here)[local]))
        self.readers = [threading.Thread(target=pass_on, args=(self.rank, pipe, out), daemon=True) for pipe, out in (
            (self.child.stdout, sys.stdout.buffer), (self.child.stderr, sys.stderr.buffer))]
        for thread in [*self.readers, threading.Thread(target=self.watch, daemon=True)]:
            thread.start()

    def signal(self, *signs):
        """Send signals to the program, and to what it started; not once it has ended, and its number may be another's."""
        if self.over:
            return
        try:
            for sign in signs:
                os.killpg(self.child.pid, sign)
        except ProcessLookupError:
            pass                                    # it has ended

    def end(self, number, frame):
        """The launcher ends the job; one that was stopped has to go on to end."""
        self.asked = True
        self.signal(signal.SIGTERM, signal.SIGCONT)

    def watch(self):
        """Read what ``leafward launch`` answers; when it is gone, so is this rank."""
        try:
            while self.control.recv(1 << 16):
                self.answered.set()
        except OSError:
            pass                                    # the same
        self.signal(signal.SIGKILL)
        self.answered.set()

    def leave(self):
        """Where the relay is here, wait until the others of this machine need it no more."""
        self.over = True
        try:
            self.control.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass                                    # the launcher is gone
        self.relay.thread.join()

    def wait(self):
        """Wait for the end of the program, and say how it failed, if it did: the exit status."""
        code = self.child.wait()
        for reader in self.readers:
            reader.join(1)
        if code and not (self.asked and code == -signal.SIGTERM):
            how = json.dumps([self.rank, code, self.child.pid, socket.gethostname()])
            data = pickle.dumps((0, 5.0, "compare_set", ("failed", b"", how.encode())))
            try:
                self.control.sendall(struct.pack("<I", len(data)) + data)
                self.answered.wait(2)
            except OSError:
                pass                                # nobody is left to be told
        if self.relay is not None:
            self.leave()
        return code if code >= 0 else 128 - code


if __name__ == "__main__":
    import relay                                    # it lies beside this file
    sys.exit(Started(json.loads(sys.argv[1]), sys.argv[2:], relay).wait())
