"""``torch.backends.openmp``: not there."""


def is_available():
    """False."""
    return False
