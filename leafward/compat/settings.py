"""PyTorch's process-wide settings. What has nothing to change here is remembered, and changes nothing."""
from __future__ import annotations

from typing import Any

from leafward import dtypes
from leafward.errors import warn_once

state = {"deterministic": 0, "precision": "highest", "interop_threads": None, "warn_always": False}
MODES = ("default", "warn", "error")
PRECISIONS = ("highest", "high", "medium")


def set_default_tensor_type(t: Any) -> None:
    """The older form of :func:`set_default_dtype`: takes ``FloatTensor``, ``"torch.DoubleTensor"``."""
    name = t if isinstance(t, str) else f"torch.{getattr(t, '__name__', '')}" if isinstance(t, type) else ""
    for dtype in dtypes.by_name.values():
        if name == f"torch.{dtype.tensor_type}":
            if not dtype.is_floating_point:
                raise TypeError("only floating-point types are supported as the default type")
            warn_once("torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() "
                      "and torch.set_default_device() as alternatives.")
            dtypes.set_default_dtype(dtype)
            return
    raise TypeError("invalid type object: only floating-point types are supported as the default type")


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for algorithms that give the same result each time: all of leafward's do."""
    set_deterministic_debug_mode(0 if not mode else 1 if warn_only else 2)


def are_deterministic_algorithms_enabled() -> bool:
    return state["deterministic"] > 0


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    return state["deterministic"] == 1


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """``"default"``, ``"warn"`` or ``"error"``; 0, 1 or 2."""
    if not isinstance(debug_mode, (str, int)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in MODES:
            raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got "
                               f"{debug_mode}")
        debug_mode = MODES.index(debug_mode)
    if not 0 <= debug_mode <= 2:
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    state["deterministic"] = debug_mode


def get_deterministic_debug_mode() -> int:
    return state["deterministic"]


def set_float32_matmul_precision(precision: str) -> None:
    """``"highest"``, ``"high"`` or ``"medium"``: float32 products are always computed in float32 here."""
    if precision in PRECISIONS:
        state["precision"] = precision


def get_float32_matmul_precision() -> str:
    return state["precision"]


def set_num_interop_threads(num: int) -> None:
    """The number of threads for operations side by side: leafward runs one operation at a time."""
    if not isinstance(num, int):
        raise RuntimeError(f"set_num_interop_threads expects an int, but got {type(num).__name__}")
    if num <= 0:
        raise RuntimeError("set_num_interop_threads expects a positive integer")
    state["interop_threads"] = num


def get_num_interop_threads() -> int:
    return state["interop_threads"] or 1


def set_flush_denormal(mode: bool) -> bool:
    """Treat denormal numbers as zero. Returns whether that could be set: never, since NumPy computes them."""
    return False


def set_warn_always(b: bool) -> None:
    """Remember whether warnings that PyTorch gives once per process should come each time."""
    state["warn_always"] = bool(b)


def is_warn_always_enabled() -> bool:
    return state["warn_always"]
