"""``torch.profiler.itt``: marks for Intel's VTune, which is not there: use ``torch.profiler.record_function``."""
from contextlib import contextmanager

__all__ = ["is_available", "mark", "range", "range_pop", "range_push"]


def is_available():
    """False."""
    return False


def refuse(*args):
    """RuntimeError, as in a PyTorch that was built without it."""
    raise RuntimeError("ITT functions not installed. Are you sure you have a ITT build? leafward has none: use "
                       "torch.profiler.record_function")


range_push = range_pop = mark = refuse


@contextmanager
def range(msg, *args, **kwargs):
    """Refused as well, where the block begins."""
    range_push(msg.format(*args, **kwargs))
    yield
