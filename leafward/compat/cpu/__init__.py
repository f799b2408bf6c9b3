"""``torch.cpu``: the one device there is, for programs that treat it as they treat a GPU."""
from contextlib import nullcontext

from leafward.tensor.missing import names_missing_from


def is_available():
    """True."""
    return True


is_initialized = is_available


def device_count():
    """1."""
    return 1


def current_device():
    """``"cpu"``."""
    return "cpu"


def synchronize(device=None):
    """Nothing to wait for."""


set_device = synchronize


def stream(stream):
    """A context that does nothing: there are no streams."""
    return nullcontext()


missing = names_missing_from("torch.cpu", globals())


def __getattr__(name):
    if name == "amp":
        from importlib import import_module
        return import_module("leafward.cpu.amp")
    return missing(name)
