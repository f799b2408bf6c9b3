"""``torch.backends.mkldnn``: not there; its switches can be set."""
from contextlib import nullcontext

enabled = False


def is_available():
    """False."""
    return False


def flags(*args, **kwargs):
    """A context that changes nothing."""
    return nullcontext()
