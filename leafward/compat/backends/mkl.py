"""``torch.backends.mkl``: not there."""


def is_available():
    """False."""
    return False
