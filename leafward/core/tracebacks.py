"""Errors as users see them: their own frames, and none of leafward's. ``LEAFWARD_TRACEBACK=full`` keeps them all."""
import os
from types import TracebackType

FULL = os.environ.get("LEAFWARD_TRACEBACK") == "full"


def is_own(frame):
    """Whether a frame is leafward's. Of compiled ones only the module is known; the demo is a user's program."""
    name = frame.f_globals.get("__name__", "")
    return name.startswith("leafward.") and not name.startswith("leafward.app.")


def leave(error):
    """Take leafward's frames out of the traceback of ``error``, which a public function is about to raise again.

    Only a bare ``raise`` may follow: it adds no frame of its own.
    """
    if FULL:
        return
    entries, entry = [], error.__traceback__
    while entry is not None:
        if not is_own(entry.tb_frame):
            entries.append(entry)
        entry = entry.tb_next
    rest = None
    for entry in reversed(entries):
        rest = TracebackType(rest, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    error.__traceback__ = rest


def is_raised_here(error):
    """Whether leafward itself raised ``error``, and not a user's function that it called."""
    entry = error.__traceback__
    while entry.tb_next is not None:
        entry = entry.tb_next
    return is_own(entry.tb_frame)
