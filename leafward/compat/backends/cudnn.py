"""``torch.backends.cudnn``: not there; its switches can be set."""
benchmark = deterministic = False
enabled = allow_tf32 = True


def is_available():
    """False."""
    return False


def version():
    """None."""
    return None
