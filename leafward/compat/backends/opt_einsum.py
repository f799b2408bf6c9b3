"""``torch.backends.opt_einsum``: ``einsum`` goes from left to right; its switches can be set."""
enabled = False
strategy = None


def is_available():
    """False."""
    return False
