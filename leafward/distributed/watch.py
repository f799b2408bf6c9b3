"""A thread of each rank that answers when the roll is called: nothing is sent before something hangs.

A rank that has waited too long writes ``alarm`` to the store, and the store does where a rank's connection closes; each rank's
thread then writes what its rank does, even while that sleeps, and one of them makes the report, which ends the waiting of all.
"""
import json
import os
import socket
import sys
import threading
import time
from datetime import timedelta

from leafward.distributed import report
from leafward.distributed.errors import DistBackendError, DistError, DistStoreError
from leafward.distributed.stores import PrefixStore

#: How long a rank has to answer, in seconds, and how long the thread waits before it asks the store anew.
ANSWER, AGAIN = 2.0, timedelta(hours=1)
#: How long ranks go on when one is gone, in seconds.
GRACE = 0.5
#: What an alarm says beside the number of the rank that raised it: that one is gone, and that whoever has the store ends well.
GONE, OVER = b"gone ", b"over"


class Watch:
    """One rank's thread, and the calling of the roll."""

    def __init__(self, store, ledger, size):
        self.ledger, self.size = ledger, size
        self.store = PrefixStore("watch", store.clone())
        self.hosts = getattr(store, "_underlying_non_prefix_store", store).server is not None
        self.held = store                               # with the table, where this process has it
        self.main = threading.get_ident()
        self.over = False
        self.lock = threading.Lock()
        self.who = f"{socket.gethostname()}, pid {os.getpid()}"
        self.store.set(f"who/{ledger.rank}", self.told_of())
        self.store.leave_will("compare_set", "alarm", b"", GONE + str(ledger.rank).encode())
        threading.Thread(target=self.watch, daemon=True, name="leafward watch").start()

    def told_of(self, **left):
        """Who this rank is, and (``left``) after how many calls of each of its groups it has left."""
        return json.dumps({"who": self.who, **left}).encode()

    def told(self, rank):
        """What a rank said of itself."""
        key = f"who/{rank}"
        return json.loads(self.store.get(key)) if self.store.check([key]) else {"who": "never joined"}

    def in_vain(self, call):
        """The error of a call that ranks which left take no part in; None where there are none, as far as can be known."""
        try:
            if call.number is None or not self.store.check(["left"]):
                return None
            told = [self.told(rank) for rank in range(self.size)]
        except (DistError, OSError):
            return None                                 # the store went with whoever had it: its watch knows what that means
        return report.in_vain(call, [report.row_of_left(rank, one["who"], one["left"]) for rank, one in enumerate(told)
                                     if call.never_with(one.get("left", {}))])

    def watch(self):
        """Wait for an alarm; answer it; tell this rank what came of it."""
        try:
            self.until("alarm")
            alarm = self.store.get("alarm")
            if alarm == OVER:
                return
            if alarm.startswith(GONE):
                time.sleep(GRACE)                       # what it sent before may still arrive, and a launcher may end all
            self.store.set(f"row/{self.ledger.rank}", report.row(self.ledger, sys._current_frames().get(self.main)))
            mine = str(self.ledger.rank)
            if alarm.startswith(GONE) and not self.over and self.store.compare_set("judge", "", mine) == mine.encode():
                rank = int(alarm.removeprefix(GONE))
                self.store.set("verdict", str(report.gone(rank, self.rows(gone=rank))))
            self.until("verdict")
            error = DistBackendError(self.store.get("verdict").decode())
            self.store.add("read", 1)
            self.let_all_read()
        except (DistError, OSError) as problem:
            if self.over:
                return                                  # the store went with whoever had it, when all was done
            error = DistBackendError(f"the rank that has the store is gone: {problem}")
        self.ledger.end(error)

    def until(self, key):
        """Wait for a key, however long."""
        while not self.store.check([key]):
            try:
                self.store.wait([key], AGAIN)
            except DistStoreError:
                pass                                    # nobody raised one for an hour

    def call_the_roll(self, call, patience):
        """The error of a call that waited too long, with what each rank does."""
        with self.lock:
            try:
                if self.store.compare_set("alarm", "", str(self.ledger.rank)) != str(self.ledger.rank).encode():
                    self.store.wait(["verdict"], timedelta(seconds=3 * ANSWER))
                    return DistBackendError(self.store.get("verdict").decode())
                error = report.late(call, patience, self.rows())
                self.store.set("verdict", str(error))
                self.let_all_read()
                return error
            except (DistError, OSError) as problem:
                return report.late(call, patience, [f"the other ranks cannot be asked: {problem}"])

    def let_all_read(self):
        """Whoever has the store stays until all that answered know what came of it."""
        if self.hosts:
            end = time.monotonic() + ANSWER
            there = sum([self.store.check([f"row/{rank}"]) for rank in range(self.size)])
            while self.store.add("read", 0) < there and time.monotonic() < end:
                time.sleep(0.01)

    def rows(self, gone=None):
        """What each rank answers, or that it does not."""
        end = time.monotonic() + ANSWER
        return [self.row_of(rank, end, rank == gone) for rank in range(self.size)]

    def row_of(self, rank, end, gone):
        """What a rank answers, or that it does not."""
        told = self.told(rank)
        if "left" in told:
            return report.row_of_left(rank, told["who"], told["left"])
        if not gone:
            try:
                self.store.wait([f"row/{rank}"], timedelta(seconds=max(0.05, end - time.monotonic())))
                return self.store.get(f"row/{rank}").decode()
            except DistError:
                pass                                    # then who it is
        if gone:
            return f"rank {rank}: gone ({told['who']}): its connection closed before it left the group"
        return f"rank {rank}: does not answer ({told['who']}): killed, stopped, or busy without letting go of the interpreter"

    def close(self):
        """This rank ends well: nobody need miss it."""
        if not self.over:
            self.over = True
            try:
                self.store.leave_will("nothing")
                # Whoever has the store may wait for this process already, and answer nothing.
                self.store.leave_word("set", f"who/{self.ledger.rank}", self.told_of(left=self.ledger.numbers))
                self.store.leave_word("set", "left", b"")
                if self.hosts:
                    self.store.compare_set("alarm", "", OVER)
            except (DistError, OSError):
                pass                                    # whoever had the store has ended already
