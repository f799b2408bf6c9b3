"""Attributes of modules that are assigned while a checkpointed function waits to run again, which may read them."""
from collections import deque
from weakref import ref

from leafward.core.native import call_site

#: How many assignments are remembered.
REMEMBERED = 256


class Assigned:
    """One assignment: which attribute of which module, and from where."""

    def __init__(self, number, owner, name):
        self.number, self.owner, self.name, self.site = number, ref(owner), name, call_site()


class Log:
    """How many functions wait (``waiting``), how many assignments there were meanwhile, and the last of them."""

    waiting = count = 0
    recent: deque = deque(maxlen=REMEMBERED)


def note_assigned(owner, name):
    """Remember that ``owner.name`` was assigned."""
    Log.recent.append(Assigned(Log.count, owner, name))
    Log.count += 1


def wait():
    Log.waiting += 1


def waits_no_longer():
    Log.waiting -= 1
    if not Log.waiting:
        Log.recent.clear()
