"""``torch.accelerator`` where there is none."""
from leafward.tensor.missing import names_missing_from

MISSING = "Cannot access accelerator device when none is available."


def is_available():
    """False: leafward computes on the CPU."""
    return False


def device_count():
    """0."""
    return 0


def current_accelerator(check_available=False):
    """None."""
    return None


def current_device_index():
    """Refused: there is no device."""
    raise RuntimeError(MISSING)


def set_device_index(device):
    """Refused: there is no device."""
    raise RuntimeError(MISSING)


def synchronize(device=None):
    """Refused: there is no device."""
    raise RuntimeError(MISSING)


__getattr__ = names_missing_from("torch.accelerator", globals())
