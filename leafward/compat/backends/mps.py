"""``torch.backends.mps``: not built."""


def is_available():
    """False."""
    return False


def is_built():
    """False."""
    return False
