"""``torch.backends.cpu``."""


def get_cpu_capability():
    """``"DEFAULT"``: NumPy chooses for itself."""
    return "DEFAULT"
