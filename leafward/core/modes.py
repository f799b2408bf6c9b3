"""The switches of a thread: gradients on or off, inference, anomaly, saved-tensor hooks.

While every thread has the defaults ``runtime.special`` is 0, and no call looks any further.
"""
import threading

from leafward.locks import new_lock
from leafward.core.runtime import runtime


#: Held while a thread changes ``runtime.special``. Re-entrant: a collection inside may end a thread's state.
counting = new_lock()


class State:
    """One thread's switches."""

    def __init__(self):
        self.grad = True
        self.inference = False
        self.anomaly = False
        self.check_nan = True
        self.saved_hooks = None         # a stack of (pack, unpack), or None
        self.saved_refusal = None       # why no such hooks may be set, or None
        self.guard = None               # copies what is saved before it is written, or None
        self.levels = None              # a stack of forward-mode and vmap levels, or None
        self.backward = None            # the backward that runs
        self.profiler = None            # times what nodes do, or None
        self.function_modes = None      # a stack of TorchFunctionMode, or None
        self.function_disabled = False
        self.counted = False

    def is_default(self):
        """Whether this thread needs no look at its state at all."""
        return (self.grad and not self.inference and not self.anomaly
                and not self.saved_hooks and not self.function_modes and not self.function_disabled
                and self.levels is None and self.guard is None and self.profiler is None)

    def changed(self):
        """Keep ``runtime.special`` right after a switch was turned."""
        special = not self.is_default()
        if special != self.counted:
            with counting:
                runtime.special += 1 if special else -1
                self.counted = special

    def __del__(self):
        if self.counted:                # a thread that ended inside a mode
            with counting:
                runtime.special -= 1


class Local(threading.local):
    """Gives each thread its own :class:`State`."""

    def __init__(self):
        self.state = State()


local = Local()


def current():
    """This thread's switches."""
    return local.state


def grad_enabled():
    """Whether operations are recorded in this thread."""
    if runtime.special == 0:
        return True
    state = local.state
    return state.grad and not state.inference


def set_grad_enabled(enabled):
    """Turn recording on or off in this thread."""
    state = local.state
    state.grad = enabled
    state.changed()


class recording:
    """In a ``with`` block, operations of this thread are recorded, or not; afterwards all is as it was."""

    def __init__(self, enabled):
        self.enabled = enabled

    def __enter__(self):
        self.was = local.state.grad
        set_grad_enabled(self.enabled)

    def __exit__(self, *exc):
        set_grad_enabled(self.was)
