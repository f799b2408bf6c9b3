"""Automatic mixed precision: products in bfloat16 or float16, losses in float32, gradients scaled against underflow."""
from leafward.amp.autocast_mode import (
    autocast, custom_bwd, custom_fwd, get_autocast_cpu_dtype, get_autocast_dtype, is_autocast_available,
    is_autocast_cpu_enabled, is_autocast_enabled, set_autocast_dtype, set_autocast_enabled,
)
from leafward.amp.grad_scaler import GradScaler
from leafward.tensor.missing import names_missing_from

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

__getattr__ = names_missing_from("torch.amp", globals())
