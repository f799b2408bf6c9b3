"""``torch.backends.cuda``: not built; its switches can be set."""
from contextlib import contextmanager
from types import SimpleNamespace

from leafward.errors import warn

matmul = SimpleNamespace(allow_tf32=False)


def is_built():
    """False."""
    return False


#: Which implementations of attention may be used. leafward has its own, so that the answers are only remembered.
allowed = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


def remembers(name):
    """``enable_..._sdp(enabled)`` and ``..._sdp_enabled()`` for one implementation."""
    def enable(enabled):
        allowed[name] = bool(enabled)

    def is_enabled():
        return allowed[name]
    enable.__name__, enable.__doc__ = f"enable_{name}_sdp", "Remembered: leafward has one implementation of attention."
    is_enabled.__name__, is_enabled.__doc__ = f"{name}_sdp_enabled", "What was set last."
    return enable, is_enabled


enable_flash_sdp, flash_sdp_enabled = remembers("flash")
enable_mem_efficient_sdp, mem_efficient_sdp_enabled = remembers("mem_efficient")
enable_math_sdp, math_sdp_enabled = remembers("math")
enable_cudnn_sdp, cudnn_sdp_enabled = remembers("cudnn")


def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """A block in which only these implementations of attention may be used. Older than ``nn.attention.sdpa_kernel``."""
    warn("`torch.backends.cuda.sdp_kernel()` is deprecated. Please see `torch.nn.attention.sdpa_kernel()`.", FutureWarning)
    return only(enable_flash, enable_math, enable_mem_efficient, enable_cudnn)


@contextmanager
def only(enable_flash, enable_math, enable_mem_efficient, enable_cudnn):
    before = dict(allowed)
    allowed.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield {}
    finally:
        allowed.update(before)
