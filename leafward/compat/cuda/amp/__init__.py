"""The older names of ``torch.amp`` for ``"cuda"``: they warn, and are switched off where there is no such device."""
import functools

from leafward import amp
from leafward.errors import warn

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


def deprecated(name):
    warn(f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cuda', args...)` "
         "instead.", FutureWarning)


class autocast(amp.autocast):  # noqa: N801  (PyTorch's name)
    """``torch.amp.autocast("cuda", ...)``."""

    def __init__(self, enabled=True, dtype=None, cache_enabled=True):
        deprecated("autocast")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """``torch.amp.GradScaler("cuda", ...)``."""

    def __init__(self, init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        deprecated("GradScaler")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


custom_fwd = functools.partial(amp.custom_fwd, device_type="cuda")
custom_bwd = functools.partial(amp.custom_bwd, device_type="cuda")
