"""Errors as users see them: their own frames, and few of leafward's. ``LEAFWARD_TRACEBACK=full`` keeps them all.

A frame joins a traceback when an error leaves it, so each public function takes out those that it called, and can not take
out itself. Ops do so where a call of any kind is finished (``call.py``, ``callables.py``): behind ``x @ y`` there remain the
operator, its function and ``call``. Only an error pays for it. Functions that call many others of leafward's, and that are not
called for each tensor (constructors, ``load``, a loader's ``iter``), are declared :func:`short`.
"""
from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, TypeVar

FULL = os.environ.get("LEAFWARD_TRACEBACK") == "full"
#: What an error has that leafward itself raised: its last frame, which would tell, may be gone.
MARK = "_leafward_raised"


#: Modules whose frames are leafward's where leafward called them: what they do for a user's function is not.
HELPERS = ("numpy.", "pickle", "zipfile", "contextlib")
F = TypeVar("F", bound=Callable[..., Any])


def is_own(frame):
    """Whether a frame is leafward's. Of compiled ones only the module is known; the demo is a user's program."""
    name = frame.f_globals.get("__name__", "")
    return name.startswith("leafward.") and not name.startswith("leafward.app.")


def leave(error):
    """Take leafward's frames out of the traceback of ``error``, which a public function is about to raise again.

    Only a bare ``raise`` may follow, in a module that is not compiled: it adds no frame of its own.
    """
    if FULL:
        return
    entries, own = others(error.__traceback__)
    if own:
        error.__dict__[MARK] = True
        before = error.__context__
        if before is not None and error.__cause__ is None and not others(before.__traceback__)[0]:
            error.__suppress_context__ = True               # leafward handled it, and said something better
    error.__traceback__ = chained(entries)
    if (cause := error.__cause__) is not None:              # it is shown above
        cause.__traceback__ = chained(others(cause.__traceback__)[0])


def chained(entries):
    """A traceback of these entries alone; None if there are none."""
    rest = None
    for entry in reversed(entries):
        rest = TracebackType(rest, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return rest


def others(entry):
    """The entries of a traceback that are not leafward's, and whether its last one is.

    What NumPy, or ``pickle``, does for leafward is leafward's; what it does for a hook is not.
    """
    entries, own = [], False
    while entry is not None:
        own = is_own(entry.tb_frame) or (own and entry.tb_frame.f_globals.get("__name__", "").startswith(HELPERS))
        if not own:
            entries.append(entry)
        entry = entry.tb_next
    return entries, own


def left(error):
    """The same ``error`` after :func:`leave`, to be raised: compiled modules would raise the whole traceback again."""
    leave(error)
    return error


def short(function: F) -> F:
    """``function``, of whose errors only one frame of leafward's is left: that of what is returned here."""
    @wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:
            leave(error)
            raise
    return call                                             # type: ignore[return-value]


def is_raised_here(error):
    """Whether leafward itself raised ``error``, and not a user's function that it called."""
    if MARK in error.__dict__:
        return True
    entry = error.__traceback__
    while entry.tb_next is not None:
        entry = entry.tb_next
    return is_own(entry.tb_frame)
