"""A thread of each rank that answers when the roll is called: nothing is sent before something hangs.

A rank that has waited too long writes ``alarm`` to the store; each rank's thread then writes what its rank does, even while
that sleeps, and the one that called makes the report, which ends the waiting of all.
"""
import os
import socket
import sys
import threading
import time
from datetime import timedelta

from leafward.distributed import report
from leafward.distributed.errors import DistBackendError, DistError
from leafward.distributed.stores import PrefixStore

#: How long a rank has to answer, in seconds, and how long the thread waits before it asks the store anew.
ANSWER, AGAIN = 2.0, timedelta(hours=1)


class Watch:
    """One rank's thread, and the calling of the roll."""

    def __init__(self, store, ledger, size):
        self.ledger, self.size = ledger, size
        self.mine, self.theirs = PrefixStore("watch", store.clone()), PrefixStore("watch", store.clone())
        self.main = threading.get_ident()
        self.over = False
        self.lock = threading.Lock()
        self.mine.set(f"who/{ledger.rank}", f"{socket.gethostname()}, pid {os.getpid()}")
        threading.Thread(target=self.watch, daemon=True, name="leafward watch").start()

    def watch(self):
        """Wait for an alarm; answer it; tell this rank what came of it."""
        try:
            self.until("alarm")
            row = report.row(self.ledger, sys._current_frames().get(self.main))
            self.theirs.set(f"row/{self.ledger.rank}", row)
            self.until("verdict")
            error = DistBackendError(self.theirs.get("verdict").decode())
        except (DistError, OSError):
            return                                  # the store went with whoever had it
        self.ledger.end(error)

    def until(self, key):
        """Wait for a key, however long."""
        while not self.over:
            try:
                self.theirs.wait([key], AGAIN)
                return
            except DistError:
                if not self.theirs.check([key]):
                    continue
                return

    def call_the_roll(self, call, patience):
        """The error of a call that waited too long, with what each rank does."""
        with self.lock:
            try:
                if self.mine.compare_set("alarm", "", str(self.ledger.rank)) != str(self.ledger.rank).encode():
                    self.mine.wait(["verdict"], timedelta(seconds=3 * ANSWER))
                    return DistBackendError(self.mine.get("verdict").decode())
                end = time.monotonic() + ANSWER
                error = report.late(call, patience, [self.row_of(rank, end) for rank in range(self.size)])
                self.mine.set("verdict", str(error))
                return error
            except (DistError, OSError) as problem:
                return report.late(call, patience, [f"the other ranks cannot be asked: {problem}"])

    def row_of(self, rank, end):
        """What a rank answers, or that it does not."""
        try:
            self.mine.wait([f"row/{rank}"], timedelta(seconds=max(0.05, end - time.monotonic())))
            return self.mine.get(f"row/{rank}").decode()
        except DistError:
            who = self.mine.get(f"who/{rank}").decode() if self.mine.check([f"who/{rank}"]) else "never joined"
            return f"rank {rank}: does not answer ({who}): killed, stopped, or busy without letting go of the interpreter"
