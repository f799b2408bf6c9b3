"""``torch.backends.cudnn``: not there; its switches can be set."""
from contextlib import contextmanager

benchmark = deterministic = False
enabled = allow_tf32 = True


def is_available():
    """False."""
    return False


def version():
    """None."""
    return None


@contextmanager
def flags(enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True, fp32_precision="none"):
    """A block with these switches. There is no cuDNN, so they change nothing."""
    yield
