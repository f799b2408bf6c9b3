"""``multiprocessing`` of the standard library, whose queues and pipes pass tensors on without copying them.

A tensor that is sent moves to shared memory, where sender and receiver see each other's writes.
"""
import multiprocessing as standard
import sys

from leafward.multiprocessing import children, reductions  # noqa: F401  (reductions teaches the queues about tensors)
from leafward.multiprocessing.spawn import (
    ProcessContext, ProcessException, ProcessExitedException, ProcessRaisedException, SpawnContext, spawn,
    start_processes,
)
from leafward.tensor.missing import names_missing_from

globals().update({name: getattr(standard, name) for name in standard.__all__})

if sys.modules.get("torch") is sys.modules["leafward"]:
    children.follow()

#: What PyTorch calls its two ways on Linux. Here both are one: anonymous files, known by their descriptors.
STRATEGIES = {"file_descriptor", "file_system"}
strategy = "file_descriptor"


def get_all_sharing_strategies():
    """The names that :func:`set_sharing_strategy` accepts."""
    return set(STRATEGIES)


def get_sharing_strategy():
    """The name that :func:`set_sharing_strategy` was given."""
    return strategy


def set_sharing_strategy(new_strategy):
    """Accepted for PyTorch's programs: memory is shared in one way whatever the name."""
    global strategy
    if new_strategy not in STRATEGIES:
        raise AssertionError(f"invalid sharing strategy {new_strategy!r}, expected one of {sorted(STRATEGIES)}")
    strategy = new_strategy


__getattr__ = names_missing_from("torch.multiprocessing", globals())
