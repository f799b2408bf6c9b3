"""``leafward launch -n 4 train.py``: one program as several processes, which end together.

Each rank is told what ``torchrun`` tells it, in the environment; the store is the launcher's. A line of output begins with
the rank that wrote it. The first rank that fails ends the others, and its exit status is the launcher's.

MPICH's ranks on this machine are started here, and meet in the store. Those of other MPIs, and on several machines, are started
by the MPI's own ``mpiexec``, in a job of Slurm's by ``srun``, each in a :mod:`leafward.distributed.started` that knows this
launcher.
"""
import argparse
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid

from leafward.distributed import mpi, slurm, started
from leafward.distributed.tcp_store import TCPStore

#: How long ranks have to end by themselves when they are asked to, in seconds.
GRACE = 5.0
#: What libraries read how many threads to use from.
THREADS = "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"


def arguments_of(given, program="leafward launch"):
    """What ``leafward launch`` and ``torchrun`` are told."""
    parser = argparse.ArgumentParser(program, description="Start a program as several ranks.")
    parser.add_argument("-n", "--ranks", type=int, default=None, help="how many ranks, on all machines together")
    parser.add_argument("--nproc-per-node", "--nproc_per_node", default=None,
                        help="how many ranks on each machine, 1 unless said; auto: one for each core")
    parser.add_argument("--hosts", default=None, help="machines, as a,b or a:2,b:4 with the ranks of each; MPI's "
                        "mpiexec starts them, by ssh or what the cluster has, in a job of Slurm's srun")
    parser.add_argument("--hostfile", default=None, help="the same from a file, a machine a line")
    parser.add_argument("--master-addr", "--master_addr", default=None, help="by which address the machines reach this one")
    parser.add_argument("--max-restarts", "--max_restarts", type=int, default=0,
                        help="how often the whole job is started again after a failure")
    parser.add_argument("--threads", type=int, default=None, help="threads of each rank; without it the cores are shared out")
    parser.add_argument("-m", "--module", action="store_true", help="the program is the name of a module")
    parser.add_argument("--nnodes", default="1", help="1: this machine; otherwise --hosts says which, or Slurm does")
    parser.add_argument("--node-rank", "--node_rank", "--master-port", "--master_port",
                        "--rdzv-backend", "--rdzv_backend", "--rdzv-endpoint", "--rdzv_endpoint", "--rdzv-id", "--rdzv_id",
                        "--start-method", "--start_method", help="for command lines of torchrun: not used on one machine")
    parser.add_argument("--standalone", action="store_true", help="the same")
    parser.add_argument("program", help="the program: a file, or with -m a module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    told = parser.parse_args(given)
    told.hosts = hosts_of(told.hosts, told.hostfile)
    told.srun, asked = slurm.inside(), told.nproc_per_node
    told.machines = None if told.nnodes in ("1", "1:1") else int(told.nnodes.rpartition(":")[2])
    if told.machines and not told.hosts and not told.srun:
        parser.error("on several machines, say which: leafward launch --hosts a,b -n 8 train.py")
    if told.srun and int(os.environ.get("SLURM_STEP_NUM_TASKS", 1)) > 1:
        parser.error("srun started this launcher more than once; once is enough, and it starts the ranks by srun itself: "
                     "leafward launch -n 8 train.py")
    told.each = len(os.sched_getaffinity(0)) if asked in ("auto", "cpu") else None if asked is None else int(asked)
    told.size = told.ranks if told.ranks is not None else (
        slurm.size_of(told.each, told.machines) if told.srun and not told.hosts else (told.each or 1) * max(1, len(told.hosts)))
    if told.size < 1:
        parser.error("there has to be a rank")
    if told.hosts:
        # As many on each as it was given; the rest is dealt out, the first machines one more where it does not go up.
        free = [name for name, slots in told.hosts if slots is None]
        left = told.size - sum([slots or 0 for _, slots in told.hosts])
        if left < 0 or left and not free:
            parser.error(f"{told.size} ranks do not fit on the hosts")
        dealt = {name: left // len(free) + (number < left % len(free)) for number, name in enumerate(free)}
        told.hosts = [(name, slots or dealt[name]) for name, slots in told.hosts if slots or dealt[name]]
    return told


def hosts_of(given, path):
    """``[(name, how many ranks or None)]`` of ``a:2,b`` or of a file of lines such as ``a:2`` and ``b slots=2``."""
    lines = given.split(",") if given else []
    if path is not None:
        with open(path) as file:
            lines += [line.partition("#")[0].strip() for line in file]
    found = []
    for line in filter(None, lines):
        name, _, slots = line.replace(" slots=", ":").partition(":")
        found.append((name, int(slots) if slots else None))
    return found


class Job:
    """The ranks, from their start until all have ended."""

    def __init__(self, told, attempt):
        self.told, self.attempt, self.ranks, self.readers = told, attempt, [], []
        self.store = TCPStore("localhost", 0, is_master=True)
        self.before = set(glob.glob("/dev/shm/mpich_*"))
        self.identity = os.environ.get("TORCHELASTIC_RUN_ID", uuid.uuid4().hex)

    def environment(self, rank, threads, only_ours=False):
        """What a rank is told; ``only_ours``: and nothing else of the environment."""
        size = self.told.size
        mine = dict(RANK=rank, WORLD_SIZE=size, LOCAL_RANK=rank, LOCAL_WORLD_SIZE=size, GROUP_RANK=0, GROUP_WORLD_SIZE=1,
                    ROLE_RANK=rank, ROLE_WORLD_SIZE=size, MASTER_ADDR="localhost", MASTER_PORT=self.store.port,
                    TORCHELASTIC_RUN_ID=self.identity, TORCHELASTIC_RESTART_COUNT=self.attempt,
                    TORCHELASTIC_MAX_RESTARTS=self.told.max_restarts, TORCHELASTIC_USE_AGENT_STORE=True)
        if only_ours:
            return mine
        threaded = {name: threads for name in THREADS if self.told.threads is not None or name not in os.environ}
        return {**os.environ, **{name: str(value) for name, value in {**mine, **threaded}.items()}, "PYTHONUNBUFFERED": "1"}

    def start(self):
        """Start every rank, in a session of its own and bound to its cores."""
        cores = sorted(os.sched_getaffinity(0))
        threads = self.told.threads or max(1, len(cores) // self.told.size)
        if threads * self.told.size > len(cores):
            print(started.crowded(self.told.size, threads, len(cores)), file=sys.stderr)
        for rank, mine in enumerate(started.shares(cores, self.told.size)):
            process = subprocess.Popen(self.program(), env=self.environment(rank, threads), stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, start_new_session=True, preexec_fn=started.bound(mine))
            self.ranks.append(process)
            self.read(process, rank)

    def program(self):
        """What each rank runs."""
        return [sys.executable, "-m", "leafward", "run", *(["-m"] if self.told.module else []), self.told.program,
                *self.told.arguments]

    def read(self, process, rank=None):
        """Pass on what a process writes; ``rank``: to put before each line."""
        for pipe, out in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
            reader = threading.Thread(target=self.pass_on, args=(rank, pipe, out), daemon=True)
            reader.start()
            self.readers.append(reader)

    def pass_on(self, rank, pipe, out):
        """What a rank writes, line by line."""
        before = "" if rank is None else f"[{rank}] "
        for line in pipe:
            out.write(f"{before}{line.decode(errors='replace').rstrip(chr(10))}\n")
            out.flush()

    def wait(self):
        """Wait until all have ended well, or one has not: ``(rank, exit status, process id, host)`` of that one."""
        while True:
            codes = [process.poll() for process in self.ranks]
            failed = [(rank, code) for rank, code in enumerate(codes) if code]
            if failed:
                rank, code = failed[0]
                return rank, code, self.ranks[rank].pid, socket.gethostname()
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


class Elsewhere(Job):
    """The ranks of a job that an MPI's own launcher or ``srun`` starts: on several machines, or where nobody else can."""

    file = None                                     # of hosts, for the time that the job lasts

    def start(self):
        """Start the launcher, which starts the ranks."""
        # Slurm knows this machine by the name that its nodes know.
        here = os.environ.get("SLURMD_NODENAME") or socket.gethostname()
        told = {"address": self.told.master_addr or (here if self.told.hosts or self.told.srun else "127.0.0.1"),
                "port": self.store.port, "relay": f"leafward-{uuid.uuid4().hex}", "folder": os.getcwd(),
                "threads": self.told.threads, "threaded": THREADS,
                "dealt": None if self.told.srun else [slots for _, slots in self.told.hosts] or [self.told.size]}
        mine = self.environment(0, 1, only_ours=True)
        told["environment"] = {**mine, "MASTER_ADDR": told["address"], "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        if os.geteuid() == 0:
            # Open MPI asks root twice; torchrun, whose place this takes, does not.
            os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        if self.told.srun:
            command, self.file = slurm.command(self.told.srun, self.told, version_of_mpi())
        else:
            command = through(self.told)
        command += [sys.executable, "-S", "-E", started.__file__, json.dumps(told), *self.program()]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True, preexec_fn=started.bound(os.sched_getaffinity(0)))
        self.ranks.append(process)
        self.read(process)

    def wait(self):
        """Wait until all have ended well, or one has not: ``(rank, exit status, process id, host)`` of that one."""
        code = None
        while code is None and not self.store.check(["failed"]):
            code = self.ranks[0].poll()
            time.sleep(0.02)
        if self.store.check(["failed"]):
            return json.loads(self.store.get("failed"))
        return None if code == 0 else (None, code, self.ranks[0].pid, socket.gethostname())

    def end(self):
        super().end()
        if self.file is not None:
            os.unlink(self.file)
            self.file = None


def version_of_mpi():
    """What the MPI that ranks load calls itself, in lower case; None where there is none."""
    try:
        return mpi.library().Get_library_version().lower()
    except RuntimeError:
        return None                                 # programs that start without MPI, or say that it is missing


def through(told):
    """The command of MPI's launcher: the one beside the library that ranks load."""
    version = mpi.library().Get_library_version().lower()
    with open("/proc/self/maps") as maps:
        libraries = {line.split()[-1] for line in maps if "/libmpi.so" in line}
    beside = [os.path.join(os.path.dirname(os.path.dirname(path)), "bin") for path in sorted(libraries)]
    mpiexec = shutil.which("mpiexec", path=os.pathsep.join([*beside, os.path.dirname(sys.executable), os.environ["PATH"]]))
    if mpiexec is None:
        raise SystemExit("leafward launch: the MPI that mpi4py found has no mpiexec beside it, nor on PATH")
    command, hosts = [mpiexec, "-n", str(told.size)], ",".join([f"{name}:{slots}" for name, slots in told.hosts])
    if "open mpi" in version:
        # Ranks bind themselves to their cores, to more than one where there are.
        command += ["--oversubscribe", "--bind-to", "none"]
        return command + (["--host", hosts] if hosts else [])
    return command + (["-hosts", hosts] if hosts else [])


def job_of(told, attempt):
    """A job, started here where that is possible."""
    if told.hosts or told.srun:
        return Elsewhere(told, attempt)
    return Job(told, attempt) if told.size == 1 or "mpich" in (version_of_mpi() or "mpich") else Elsewhere(told, attempt)


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
            job = job_of(told, attempt)
            try:
                job.start()
                failed = job.wait()
            finally:
                job.end()
            if failed is None:
                return 0
            rank, code, pid, host = failed
            who = f"rank {rank}" if rank is not None else "srun" if told.srun else "the MPI's launcher"
            print(f"leafward launch: {who} (pid {pid} on {host}) {named(code)}; the others were ended", file=sys.stderr)
        return status_of(code)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
