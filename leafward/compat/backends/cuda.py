"""``torch.backends.cuda``: not built; its switches can be set."""
from types import SimpleNamespace

matmul = SimpleNamespace(allow_tf32=False)


def is_built():
    """False."""
    return False
