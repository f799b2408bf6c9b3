"""Reductions among the processes of one machine, each of which may read and write the others' memory.

MPI would copy what is reduced from process to process, add it in memory of its own, and copy the sum back. Here whoever has
time takes a share of the numbers, reads what all have of it, and writes the sum to all: in the order of ranks, so that all have
the same bits. No rank needs the others to be awake for it once they have begun the call. What is shared is a board without a
name, on which ranks say where their arrays lie: it is gone when they are.
"""
import errno
import mmap
import os
import secrets
import socket
import threading

from leafward.arrays.nearby import compiled
from leafward.distributed import report
from leafward.distributed.agreement import told_by_all
from leafward.distributed.errors import DistBackendError, DistError
from leafward.distributed.stores import PrefixStore

#: Reductions of fewer bytes are MPI's, where latency counts.
LEAST = 1 << 16
#: What is added here, and of which kinds.
OPS, DTYPES = {"SUM", "AVG"}, {"float32", "float64"}


def connect(comm, MPI, store):
    """What reduces among the ranks of a communicator; None where they are on several machines, or may not reach each other.

    All ranks of the communicator call it.
    """
    here = comm.Split_type(MPI.COMM_TYPE_SHARED)
    together = here.Get_size() == comm.Get_size()
    here.Free()
    rank, size, secret = comm.Get_rank(), comm.Get_size(), bytearray(secrets.token_bytes(16))
    if not comm.allreduce(int(together and compiled is not None), MPI.MIN):
        return None
    every = comm.allgather((socket.gethostname(), os.getpid(), compiled.place_of(secret), bytes(secret)))
    if len({host for host, *_ in every}) > 1:
        return None
    board, fd = new_board(size) if rank == 0 else (None, None)
    fd = comm.bcast(fd)
    reached = fd is not None and all([reaches(*one) for one in every])
    if reached and board is None:
        board = board_of(every[0][1], fd, size)
    reached = comm.allreduce(int(reached and board is not None), MPI.MIN)
    if rank == 0 and fd is not None:
        os.close(fd)
    return Nearby(compiled.Group(board, rank, [pid for _, pid, *_ in every]), rank, size, store) if reached else None


def new_board(size):
    """``(memory, descriptor)`` of a new board: it has no name, and ends with the last process that has it."""
    try:
        fd = os.memfd_create("leafward", os.MFD_CLOEXEC)
        os.ftruncate(fd, compiled.board_size(size))
        board = mmap.mmap(fd, compiled.board_size(size))
    except OSError:
        return None, None
    compiled.begin_board(board, size)
    return board, fd


def board_of(pid, fd, size):
    """The board that another process made; None where it may not be opened."""
    try:
        with open(f"/proc/{pid}/fd/{fd}", "r+b") as file:
            return mmap.mmap(file.fileno(), compiled.board_size(size))
    except OSError:
        return None


def reaches(host, pid, address, secret):
    """Whether this process may read another's memory, and it is that of the rank that said so."""
    found = bytearray(len(secret))
    return compiled.read(pid, address, found) == 0 and bytes(found) == secret


class Nearby:
    """The reductions of one group."""

    def __init__(self, group, rank, size, store):
        self.group, self.store = group, PrefixStore("nearby", store)
        self.rank, self.size = (lambda: rank), (lambda: size)

    def takes(self, call):
        """Whether a call is one of these: on all ranks alike."""
        return call.kind == "allreduce" and call.op in OPS and call.dtype in DTYPES and (
            call.parts is not None or call.nbytes >= LEAST)

    def begin(self, call):
        """A call that begins, to be asked: the others may do all of it from now on.

        None of it is done here. Ranks that come one after the other would have the last of them do all, while the others
        compute and wait for it later; so whoever waits first works, and the others join in.
        """
        sum = compiled.Sum(self.group, call.parts or [call.data], 1 / call.divisor)
        sum.begin()
        return Reduction(self, call, sum)


class Reduction:
    """One call, and how far it is."""

    def __init__(self, nearby, call, sum):
        self.nearby, self.call, self.sum = nearby, call, sum

    def ask(self):
        """Do what can be done now: None, or what to end the call with."""
        answer = self.sum.ask()
        # Where a rank is gone, whoever watches over the ranks says more of it.
        return None if answer in (compiled.WAITS, -errno.ESRCH) else answer

    def end(self, answer):
        """End the call's work."""
        if answer == compiled.OVER:
            self.call.nans = self.sum.with_nan() if self.sum.nan else None
            self.call.work.finish()
        elif answer == compiled.DIFFERS:
            threading.Thread(target=self.tell, daemon=True, name="leafward nearby").start()
        else:
            self.call.work.finish(DistBackendError(f"{self.call}: {os.strerror(-answer)}, in the memory of another rank"))

    def tell(self):
        """The ranks came for different things: say each rank's."""
        call = self.call
        parts = None if call.parts is None else [part.size for part in call.parts]
        mine = f"{call.signature()} {parts}", f"{call}, {report.at(call.site)}"
        try:
            told = told_by_all(self.nearby, f"{call.number}", mine)
        except (DistError, OSError):
            told = [None]
        known = [one or ("", "does not tell its call") for one in told]
        call.work.finish(report.disagreeing([signature for signature, _ in known], [text for _, text in known])
                         or DistBackendError(f"the ranks do not call the same: {mine[1]}"))
