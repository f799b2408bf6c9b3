"""The switches of a thread: gradients on or off, inference, anomaly, saved-tensor hooks.

They are packed into one word (``mode_bits.py``), which is 0 for the defaults. While it is so in every thread,
``runtime.special`` is 0, and no call looks any further; otherwise a call reads the word once, and each bit concerns only
the stage that it is about.
"""
import threading

from leafward.core.mode_bits import ANOMALY, FUNCTIONS, GUARD, HOOKS, INFERENCE, LEVELS, NO_GRAD, PROFILER, UNRECORDED
from leafward.core.native import count_threads, current_state, forget_state, remember_state
from leafward.core.runtime import runtime


class State:
    """One thread's switches."""

    forget = staticmethod(forget_state)     # at exit, names of a module may be gone before the last state is

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
        self.block = None               # where the user turned recording off: a site, and a Cut once something was cut there
        self.reached = None             # the backward that ended last, and the cuts that backwards have met
        self.profiler = None            # times what nodes do, or None
        self.function_modes = None      # a stack of TorchFunctionMode, or None
        self.function_disabled = False
        self.word = 0                   # most of this, packed

    def packed(self):
        """The word of modes that the switches make now."""
        word = 0
        if not self.grad:
            word |= NO_GRAD
        if self.inference:
            word |= INFERENCE
        if self.anomaly:
            word |= ANOMALY
        if self.saved_hooks:
            word |= HOOKS
        if self.guard is not None:
            word |= GUARD
        if self.profiler is not None:
            word |= PROFILER
        if self.function_modes or self.function_disabled:
            word |= FUNCTIONS
        if self.levels is not None:
            word |= LEVELS
        return word

    def changed(self):
        """Keep the word right after a switch was turned."""
        self.set_word(self.packed())

    def set_word(self, word):
        was, self.word = self.word, word
        if (was == 0) != (word == 0) or (was ^ word) & (LEVELS | INFERENCE):
            count_threads((word != 0) - (was != 0), (word & LEVELS != 0) - (was & LEVELS != 0),
                          (word & INFERENCE != 0) - (was & INFERENCE != 0))

    def __del__(self):
        self.forget(self)
        if self.word != 0:              # a thread that ended inside a mode
            self.set_word(0)


class Local(threading.local):
    """Gives each thread its own :class:`State`."""

    def __init__(self):
        self.state = State()


local = Local()


def current():
    """This thread's switches."""
    state = current_state()
    if state is None:
        state = local.state
        remember_state(state)
    return state


def word():
    """This thread's word of modes. A batch, or a tangent, may be handed to a thread that is in no level: any is one for all."""
    if runtime.special == 0:
        return 0
    state = current()
    return state.word if runtime.levels == 0 else state.word | LEVELS


def in_inference():
    """Whether this thread is in inference mode."""
    return runtime.inference != 0 and word() & INFERENCE != 0


def grad_enabled():
    """Whether operations are recorded in this thread."""
    return runtime.special == 0 or word() & UNRECORDED == 0


def set_grad_enabled(enabled):
    """Turn recording on or off in this thread."""
    exchange_grad(enabled)


def exchange_grad(enabled):
    """The same; whether they were recorded before."""
    state = current()
    was = state.grad
    if was != enabled:
        state.grad = enabled
        state.set_word(state.word ^ NO_GRAD)
    return was


class recording:
    """In a ``with`` block, operations of this thread are recorded, or not; afterwards all is as it was."""

    def __init__(self, enabled):
        self.enabled = enabled

    def __enter__(self):
        self.was = exchange_grad(self.enabled)

    def __exit__(self, *exc):
        set_grad_enabled(self.was)
