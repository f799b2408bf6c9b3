"""Locks between threads that stay usable after a fork: in the child, nobody else is left to open them."""
import os
from threading import RLock
from weakref import ref

#: How long a fork waits for a lock. Whoever holds one is done sooner, or waits for the thread that forks.
PATIENCE = 1.0

#: References to all locks, the oldest first.
every = []

#: The locks that a fork asked for, and whether it got them; and what two threads that fork at once take in turn.
asked = []
forking = RLock()


def new_lock():
    """A re-entrant lock that a fork waits for, so that the child also finds what it guards whole.

    It guards a piece of work on memory, and not a wait for another thread.
    """
    lock = RLock()
    every.append(ref(lock, every.remove))
    return lock


def hold_all():
    """Take every lock, the newest first: what guards the most basic things is made first, and held inside others."""
    forking.acquire()
    for reference in reversed(list(every)):
        lock = reference()
        if lock is not None:
            asked.append((lock, lock.acquire(timeout=PATIENCE)))


def in_parent():
    """Open them again."""
    while asked:
        lock, got = asked.pop()
        if got:
            lock.release()
    forking.release()


def in_child():
    """Open them again; nobody ever will those that another thread holds."""
    for lock, got in asked:
        if not got:
            lock._at_fork_reinit()
    in_parent()


if hasattr(os, "register_at_fork"):                 # not on Windows, which has no fork
    os.register_at_fork(before=hold_all, after_in_parent=in_parent, after_in_child=in_child)
