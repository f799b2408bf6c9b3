"""Which implementation ``scaled_dot_product_attention`` may use. Here there is one, so the choice changes nothing."""
from contextlib import contextmanager
from enum import IntEnum
from leafward.tensor.missing import names_missing_from

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(IntEnum):
    """PyTorch's implementations by name."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Allow only these ``backends`` inside the block. leafward's own computes what all of them do."""
    if isinstance(backends, SDPBackend):
        backends = [backends]
    if not isinstance(backends, list):
        raise AssertionError("Backend must be an instance of SDPBackend or a list of SDPBackend instances")
    yield {}


_missing = names_missing_from("torch.nn.attention", globals())


def __getattr__(name):
    if name in ("bias", "flex_attention"):              # which need the whole package
        from importlib import import_module
        return import_module(f"leafward.nn.attention.{name}")
    return _missing(name)
