"""The backend that MPI carries (mpi4py): a thread of each process, or whoever waits, asks each request in turn.

MPI starts when the first group of several processes is made, never at import. Under ``mpiexec`` or ``srun`` the launcher brings
the ranks together; without one, ranks on one machine that share a store are brought together by
:mod:`leafward.distributed.pmi`, whose protocol MPICH speaks.
"""
import atexit
import json
import os
import socket
import subprocess
import sys
import time
import zlib
from datetime import timedelta
from multiprocessing.util import Finalize

from leafward.distributed import nearby, report
from leafward.distributed.errors import DistBackendError
from leafward.distributed.mover import Mover
from leafward.distributed.stores import DistStoreError, PrefixStore
from leafward.distributed.tcp_store import TCPStore
from leafward.distributed.watch import Watch

#: What launchers set for each rank that they start.
LAUNCHED = "PMI_FD", "PMI_PORT", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"
#: How the names of memory that ranks share begin.
SHARED = "/dev/shm/mpich_", "/dev/shm/sm_segment", "/dev/shm/vader_segment"
#: Set where ``leafward launch`` started the rank through MPI's launcher.
STARTED = "LEAFWARD_STARTED"
#: How long a launcher has to pass on what a rank said last, before it is told to end all, in seconds.
HEARD = 0.3
#: Every message tag that MPI promises to know.
TAGS = 32767


def library():
    """``mpi4py.MPI``, which is not imported before."""
    try:
        import mpi4py
    except ImportError:
        raise RuntimeError("MPI moves tensors between processes: pip install 'leafward[mpi]'; ranks that are threads of one "
                           "process (torch.distributed.run_ranks) need no MPI") from None
    if "mpi4py.MPI" not in sys.modules:
        mpi4py.rc.initialize = mpi4py.rc.finalize = False
    from mpi4py import MPI
    return MPI


#: MPICH's ranks that may not read each other's memory (Ubuntu forbids it) pass it on in cells of 8 KiB, one each time that a
#: rank asks. In larger and fewer ones it goes as fast as by reading; they take 1 MiB of a rank's shared memory.
CELLS = {"MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE": 1 << 16, "MPIR_CVAR_CH4_PACK_BUFFER_SIZE": 1 << 16,
         "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_NUM_CELLS": 16}


def begin(MPI, size):
    """Let MPI start."""
    if not any([name in os.environ for name in CELLS]):
        os.environ.update({name: str(value) for name, value in CELLS.items()})
    # Open MPI's reduce would pass parts of 32 KiB along a chain of ranks, each when it is asked: a thousand times as slow.
    os.environ.setdefault("OMPI_MCA_coll_libnbc_ireduce_algorithm", "2")
    # With one link, its default, Open MPI's sending and receiving over TCP take turns: twice the time.
    os.environ.setdefault("OMPI_MCA_btl_tcp_links", "2")
    if size in (2, 3):
        # Of so few ranks Open MPI has one add up all and give it back, one way after the other: twice the time of a ring.
        os.environ.setdefault("OMPI_MCA_coll_libnbc_iallreduce_algorithm", "1")
    MPI.Init_thread(MPI.THREAD_MULTIPLE)


def leave_store(store, rank, size, patience):
    """Return when nobody needs the store any more: while MPI starts in the first rank, that cannot answer those who ask it."""
    ready, end = store.add("ranks that start MPI", 1), time.monotonic() + patience
    while rank == 0 and ready < size:
        if time.monotonic() > end:
            raise DistStoreError(f"{ready} of {size} ranks came to start MPI within {patience:.0f} s: look at what the others "
                                 "said, or give init_process_group a longer timeout=")
        time.sleep(0.002)
        ready = store.add("ranks that start MPI", 0)
    if rank == 0:
        store.add("ranks that start MPI", 0)           # answered after the others: what came before has been by then


def launched_size():
    """How many ranks ``mpiexec`` or ``srun`` started; 1 where there is no launcher."""
    # Of Slurm's variables the one that a step of several tasks has: a batch script has others, and is one process.
    names = "PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_SIZE", "SLURM_STEP_NUM_TASKS"
    return int(next((os.environ[name] for name in names if name in os.environ), 1))


def untold(size):
    """The error where a launcher started more ranks than MPI knows of."""
    MPI = library()
    mine, known = MPI.Get_library_version(), MPI.COMM_WORLD.Get_size()
    if known == 1:
        forget_shared_files(MPI.COMM_WORLD)
        MPI.Finalize()
    way = "--mpi=pmix" if "open mpi" in mine.lower() else "--mpi=pmi2"
    return RuntimeError(f"MPI has {known} rank{'s' * (known != 1)}, and world_size is {size}: " + (
        f"this MPI's ranks meet by srun {way} leafward run train.py, or leafward launch -n {size} train.py"
        if "SLURM_STEP_NUM_TASKS" in os.environ else
        f"start it with leafward launch -n {size} train.py, or with the mpiexec of the MPI that mpi4py loads"))


class Process:
    """What this process has of MPI: once it has started, it stays."""

    def __init__(self):
        self.world = self.spare = self.mover = self.server = self.connection = self.watch = None
        self.launched = False
        self.asides = []                                    # comparisons on their way
        self.failed = 0                                     # the status that this rank ends with, where that is a failure

    def start(self, store, rank, size, patience):
        """Let this process be one of MPI's, unless it is."""
        MPI = library()
        if self.world is None:
            self.launched = any([name in os.environ for name in LAUNCHED])
            if not MPI.Is_initialized():
                if not self.launched:
                    self.join(MPI, store, rank, size, patience)
                leave_store(store, rank, size, patience)
                begin(MPI, size)
            if MPI.COMM_WORLD.Get_size() < size:
                raise untold(size)
            self.world = MPI.COMM_WORLD.Split(0, rank)
            self.spare = self.world.Dup()
            forget_shared_files(self.world)
            self.mover = Mover(MPI)
            atexit.register(self.end)
            Finalize(None, self.farewell, exitpriority=0)       # at the end of a forked child nothing else runs
            self.hook, sys.excepthook = sys.excepthook, self.raised
        return self.world.Dup()

    def join(self, MPI, store, rank, size, patience):
        """Meet the others without a launcher."""
        if "mpich" not in MPI.Get_library_version().lower():
            raise RuntimeError("only MPICH's ranks can meet without a launcher: pip install mpich, or let a launcher start "
                               f"them in place of the program itself:\n  leafward launch -n {size} {' '.join(sys.argv)}")
        waiting = timedelta(seconds=patience)
        if rank == 0:
            script = os.path.join(os.path.dirname(__file__), "pmi.py")
            self.server = subprocess.Popen([sys.executable, "-S", "-E", script, str(size)], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, text=True)
            port = self.server.stdout.readline().strip()
            store.set("pmi", port)
            store.set("machine", socket.gethostname())
        store.wait(["pmi", "machine"], waiting)
        if store.get("machine") != socket.gethostname().encode():
            raise RuntimeError("ranks on several machines need MPI's launcher: mpiexec, srun or leafward launch --hosts")
        port = int(store.get("pmi"))
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=patience)
        self.connection.settimeout(None)
        os.environ.update(PMI_FD=str(self.connection.fileno()), PMI_RANK=str(rank), PMI_SIZE=str(size))

    def raised(self, kind, error, trace):
        """An error ended this rank: the others would wait for it for ever."""
        self.failed = 1
        self.hook(kind, error, trace)

    def farewell(self):
        """The process ends: nobody need miss this rank, unless an error ends it."""
        error = sys.exc_info()[1]
        if not self.failed and (error is None or isinstance(error, SystemExit) and not error.code):
            self.watch.close()

    def end(self):
        """The process ends: nothing waits for a rank that may be gone."""
        MPI = library()
        for work in self.asides if not self.failed else []:
            work.ends_within(2)
        self.farewell()
        idle = self.mover.stop()
        if self.launched:
            if self.failed or not idle:
                sys.stdout.flush()
                sys.stderr.flush()
                if STARTED in os.environ:
                    os._exit(self.failed or 1)                  # whoever started it ends the others
                time.sleep(HEARD)
                MPI.COMM_WORLD.Abort(self.failed or 1)
            MPI.Finalize()
        if self.server is not None:
            self.server.stdin.close()


def forget_shared_files(world):
    """Remove the names of the memory that ranks of a machine share, once all have it: none is left, however they end."""
    here = world.Split_type(library().COMM_TYPE_SHARED)
    # Open MPI's ranks look for each other's when they first meet.
    here.Alltoall(bytearray(here.Get_size()), bytearray(here.Get_size()))
    world.Barrier()
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if line.split()[-1].startswith(SHARED)}
    for path in paths:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass                                    # another rank was first


process = Process()


class Carried:
    """One group, on a communicator of its own."""

    def __init__(self, comm, name, store, patience, watch=None):
        self.comm, self.aside, self.watch = comm, comm.Dup(), watch
        self.nearby = nearby.connect(comm, library(), PrefixStore(name, store))
        self.detail = os.environ.get("TORCH_DISTRIBUTED_DEBUG") == "DETAIL"
        self.calls, self.patience = PrefixStore(f"calls/{name}", store), timedelta(seconds=patience)

    def start(self, call):
        """Hand a call to the thread that looks after requests."""
        if self.detail and call.number is not None:
            error = self.disagreement(call)
            if error is not None:
                call.work.finish(error)
                return
        call.work.help = process.mover.help
        alone = not (call.work.wanted or call.attended)
        if self.nearby is not None and self.nearby.takes(call):
            process.mover.start_nearby(self.nearby.begin(call), alone)
        else:
            process.mover.start(self.comm, call, alone)

    def reduces_in_place(self, dtype):
        """Whether gradients of a dtype (its name) are best reduced where they lie: by a call of many arrays."""
        return self.nearby is not None and dtype in nearby.DTYPES

    def beside(self, call):
        """Begin a call of a few numbers that stands in the way of no other."""
        process.asides = [*[work for work in process.asides if not work.is_completed()], call.work]
        call.work.help = process.mover.help
        process.mover.start(self.aside, call, alone=False)

    def disagreement(self, call):
        """Compare a call with those of the other ranks, before a byte is moved: the error where they do not fit together."""
        rank, size = self.comm.Get_rank(), self.comm.Get_size()
        number = call.number
        self.calls.append(f"{number}", json.dumps([rank, str(call.signature()), f"{call}, {report.at(call.site)}"]) + "\n")
        # Each asks a few things, however many there are: the last to come compares, and forgets what all have read.
        if self.calls.add("came", 1) == size * (number + 1):
            told = sorted([json.loads(line) for line in self.calls.get(f"{number}").splitlines()])
            error = report.disagreeing([signature for _, signature, _ in told], [text for *_, text in told])
            self.calls.set(f"{number}/verdict", "" if error is None else str(error))
            self.calls.delete_key(f"{number}")
            self.calls.delete_key(f"{number - 1}/verdict")
            return error
        try:
            self.calls.wait([f"{number}/verdict"], self.patience)
        except DistStoreError:
            return self.why(call.work, self.patience.total_seconds())
        verdict = self.calls.get(f"{number}/verdict").decode()
        return DistBackendError(verdict) if verdict else None

    def why(self, work, patience):
        """The error of a work that waited too long: the roll is called; before that (None), of one that waits in vain."""
        if patience is None:
            return process.watch.in_vain(work.call)
        return process.watch.call_the_roll(work.call, patience)

    def close(self):
        """The communicator stays: to free it would be to wait for the others."""
        if self.watch is not None:
            self.watch.close()


def connect(ranks, rank, name, store, patience, parent, ledger):
    """The backend of a group, once all its ranks are here."""
    if parent is None:
        comm = process.start(store, rank, len(ranks), patience)
        process.watch = Watch(control_plane(store, rank, patience), ledger, len(ranks))
        return Carried(comm, name, store, patience, process.watch)
    meeting = PrefixStore("meeting", store)
    if meeting.add("here", 1) == len(ranks):
        meeting.set("met", b"")
    try:
        meeting.wait(["met"], timedelta(seconds=patience))
    except DistStoreError:
        raise DistBackendError(f"{meeting.get('here').decode()} of the ranks {ranks} came to make a group of them within "
                               f"{patience:.0f} s: every rank calls new_group, in one order") from None
    group = process.world.Get_group().Incl(ranks)
    comm = process.spare.Create_group(group, zlib.crc32(name.encode()) % TAGS)
    return Carried(comm, name, store, patience)


def control_plane(store, rank, patience):
    """A store that sees when a rank is gone, and that can be waited at without asking again and again."""
    root = getattr(store, "_underlying_non_prefix_store", store)
    if isinstance(root, TCPStore):
        return store
    host, waiting = socket.gethostname(), timedelta(seconds=patience)
    if rank == 0:
        found = TCPStore("localhost", 0, is_master=True, timeout=waiting)
        store.set("control", f"{host} {found.port}")
        return found
    there, port = store.get("control").decode().split()
    return TCPStore("localhost" if there == host else there, int(port), timeout=waiting)


def store_of_the_launched(patience):
    """``(store, rank, size)`` of a rank that ``mpiexec`` or ``srun`` started: the first has a store, and MPI tells where."""
    MPI = library()
    if not MPI.Is_initialized():
        begin(MPI, launched_size())
    world = MPI.COMM_WORLD
    rank, size = world.Get_rank(), world.Get_size()
    if size < launched_size():
        raise untold(launched_size())
    store = TCPStore("localhost", 0, is_master=True, timeout=patience) if rank == 0 else None
    host, port = world.bcast((socket.gethostname(), store.port) if rank == 0 else None)
    if rank:
        store = TCPStore("localhost" if host == socket.gethostname() else host, port, timeout=patience)
    here = world.Split_type(MPI.COMM_TYPE_SHARED)
    for name, value in (("RANK", rank), ("WORLD_SIZE", size), ("MASTER_ADDR", host), ("MASTER_PORT", port),
                        ("LOCAL_RANK", here.Get_rank()), ("LOCAL_WORLD_SIZE", here.Get_size())):
        os.environ.setdefault(name, str(value))
    return store, rank, size
