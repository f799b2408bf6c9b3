"""``torch.profiler``: a profile over several steps of a training loop.

>>> import leafward as lw
>>> with lw.profiler.profile(activities=[lw.profiler.ProfilerActivity.CPU]) as prof:
...     _ = lw.ones(2, 2) @ lw.ones(2, 2)
>>> [average.key for average in prof.key_averages()]
['aten::ones', 'aten::matmul']
"""
import enum
import os

from leafward.autograd.profiler import profile as one_profile
from leafward.autograd.profiler import record_function
from leafward.errors import warn
from leafward.tensor.missing import names_missing_from

__all__ = ["ProfilerAction", "ProfilerActivity", "profile", "record_function", "schedule", "supported_activities",
           "tensorboard_trace_handler"]


class ProfilerActivity(enum.Enum):
    """What can be timed."""

    CPU = 0
    XPU = 1
    CUDA = 2


class ProfilerAction(enum.Enum):
    """What a profile does in one step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities():
    """What can be timed here."""
    return {ProfilerActivity.CPU}


def kineto_available():
    """False: that is PyTorch's profiler of GPUs."""
    return False


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """A function from the number of a step to what to do in it: wait, warm up, record, in cycles."""
    if warmup == 0:
        warn("Profiler won't be using warmup, this can skew profiler results")
    cycle = wait + warmup + active

    def action(step):
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        step -= skip_first
        if step < 0:
            return ProfilerAction.NONE
        if skip_first_wait:
            step += wait                    # the first cycle does not wait
        if repeat > 0 and step // cycle >= repeat:
            return ProfilerAction.NONE
        step %= cycle
        if step < wait:
            return ProfilerAction.NONE
        if step < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if step < cycle - 1 else ProfilerAction.RECORD_AND_SAVE
    return action


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """An ``on_trace_ready`` that writes each trace into a folder."""
    def handler(profile):
        os.makedirs(dir_name, exist_ok=True)
        profile.export_chrome_trace(os.path.join(dir_name, f"{worker_name or 'worker'}.{profile.step_num}.pt.trace.json"))
    return handler


def always(step):
    return ProfilerAction.RECORD


class profile:
    """Time what happens inside a ``with`` block, or in those of its steps that ``schedule`` chooses.

    Call :meth:`step` after each step; ``on_trace_ready(self)`` is called when a recording is complete.
    """

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False,
                 with_stack=False, with_flops=False, with_modules=False, experimental_config=None, acc_events=False,
                 use_cuda=None):
        self.schedule = schedule or always
        self.on_trace_ready, self.record_shapes = on_trace_ready, record_shapes
        self.step_num = 0
        self.profiler = None
        self.running = False

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc):
        self.stop()

    def start(self):
        """Begin with step 0."""
        self.turn(self.schedule(self.step_num))

    def stop(self):
        """End, and hand over what was recorded."""
        if self.running:
            self.end()
            if self.on_trace_ready is not None:
                self.on_trace_ready(self)

    def step(self):
        """Say that the next step begins."""
        before = self.schedule(self.step_num)
        self.step_num += 1
        if self.running and before is ProfilerAction.RECORD_AND_SAVE:
            self.stop()
        self.turn(self.schedule(self.step_num))

    def turn(self, action):
        records = action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if records and not self.running:
            self.profiler = one_profile(record_shapes=self.record_shapes)
            self.profiler.__enter__()
            self.running = True
        elif self.running and not records:
            self.end()

    def end(self):
        self.profiler.__exit__(None, None, None)
        self.running = False

    def finished(self):
        if self.profiler is None or self.running:
            raise AssertionError("Profiler must be initialized before getting key averages")
        return self.profiler

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0):
        """One entry for each name."""
        return self.finished().key_averages(group_by_input_shape)

    def events(self):
        """Every call that was recorded."""
        return self.finished().function_events

    def export_chrome_trace(self, path):
        """Write the events as a trace that browsers show."""
        self.finished().export_chrome_trace(path)


__getattr__ = names_missing_from("torch.profiler", globals())
