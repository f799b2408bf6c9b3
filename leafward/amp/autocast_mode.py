"""``autocast``: a mode that sees every call and casts its float32 tensors as the op's declaration says."""
from __future__ import annotations

import functools
import threading
from typing import Any, Self, TYPE_CHECKING

import leafward as lw
from leafward.core import modes
from leafward.core.bind import NUMPY_NAMES
from leafward.core.check import check_composite
from leafward.core.nested import carried
from leafward.core.op import Composite
from leafward.derive.functions import declarations, fns as functions
from leafward.errors import warn, warn_once

if TYPE_CHECKING:
    from leafward.tensor.annotations import DType, F

HALVES = (lw.bfloat16, lw.float16)
DEVICES = ("cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy",
           "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone")


class Setting(threading.local):
    """What holds in this thread: whether calls are cast, and to which dtype."""

    enabled = False
    dtype = lw.bfloat16


setting = Setting()
carried.append(setting)


class Casting:
    """The mode that casts, on the stack of function modes while any ``autocast`` is open.

    What a declaration's ``autocast`` says: ``"low"`` is computed in the lower precision (products, which gain most and whose
    sums are kept wide inside), ``"float32"`` in float32 (what loses too much otherwise, or has no kernel in half precision).
    A composite without the fact is looked into for its parts; ``"closed"`` ones are not.
    """

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        declared = declarations.get(function)
        if declared is None or not setting.enabled or kwargs.get("out") is not None:       # that has a dtype already
            return function(*args, **kwargs)
        word = declared.autocast
        if callable(word):
            word = word(*args, **kwargs)
        if word == "low" or word == "float32":
            target = setting.dtype if word == "low" else lw.float32
            return function(*cast(args, target), **cast(kwargs, target))
        if word == "closed" or not isinstance(declared, Composite) or not kwargs.keys().isdisjoint(("out", *NUMPY_NAMES)):
            return function(*args, **kwargs)
        state = modes.current()
        state.function_modes.append(self)
        state.changed()
        try:
            return declared.function(functions, *check_composite(declared, args, kwargs), **kwargs)
        finally:
            state.function_modes.remove(self)
            state.changed()


def cast(value, dtype):
    """``value`` with its float32, float16 and bfloat16 tensors in ``dtype``; containers are followed."""
    if isinstance(value, lw.Tensor):
        narrow = value.dtype is lw.float32 or value.dtype in HALVES
        return value.to(dtype) if narrow and value.dtype is not dtype else value
    if isinstance(value, (list, tuple)):
        return type(value)([cast(item, dtype) for item in value])
    if isinstance(value, dict):
        return {name: cast(item, dtype) for name, item in value.items()}
    return value


casting = Casting()


class autocast:  # noqa: N801  (PyTorch's name)
    """Inside, matrix products and convolutions run in ``dtype`` (bfloat16 by default), and losses in float32.

    It is a context manager and a decorator. Parameters stay as they are; their gradients have their own dtype.

    >>> import leafward as lw
    >>> with autocast("cpu", dtype=lw.bfloat16):
    ...     (lw.ones(2, 2) @ lw.ones(2, 2)).dtype
    torch.bfloat16
    """

    def __init__(self, device_type: str, dtype: DType | None = None, enabled: bool = True,
                 cache_enabled: bool | None = None) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if device_type not in DEVICES:
            raise RuntimeError(f"Expected one of {', '.join(DEVICES)} device type at start of device string: {device_type}")
        self.device = device_type
        self.fast_dtype = (lw.bfloat16 if device_type == "cpu" else lw.float16) if dtype is None else dtype
        if enabled and device_type == "cuda":
            warn("CUDA is not available or torch_xla is imported. Disabling autocast.")
            enabled = False
        elif enabled and device_type == "cpu" and self.fast_dtype not in HALVES:
            warn("In CPU autocast, but the target dtype is not supported. Disabling autocast.\nCPU Autocast only "
                 "supports dtypes of torch.bfloat16, torch.float16 currently.")
            enabled = False
        self._enabled = enabled
        self._before = []

    def __enter__(self) -> Self:
        self._before.append((setting.enabled, setting.dtype))
        if self.device == "cpu":
            set_setting(self._enabled, self.fast_dtype)
        return self

    def __exit__(self, *exception: Any) -> None:
        set_setting(*self._before.pop())
        return False

    def __call__(self, function: F) -> F:
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return wrapped


def set_setting(enabled, dtype):
    """Set what holds in this thread, and have calls seen only while they are cast."""
    state = modes.current()
    on_stack = state.function_modes or []
    if enabled and casting not in on_stack:
        state.function_modes = [casting, *on_stack]
    elif not enabled and casting in on_stack:
        state.function_modes = [mode for mode in on_stack if mode is not casting] or None
    setting.enabled, setting.dtype = enabled, dtype
    state.changed()


def is_autocast_available(device_type: str) -> bool:
    """Whether there is an autocast for this kind of device: for ``"cpu"``."""
    return device_type == "cpu"


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Whether calls on the CPU are being cast."""
    return device_type == "cpu" and setting.enabled


def is_autocast_cpu_enabled() -> bool:
    """Whether calls are being cast."""
    warn_once("torch.is_autocast_cpu_enabled() is deprecated. Please use torch.is_autocast_enabled('cpu') instead.",
              DeprecationWarning)
    return setting.enabled


def get_autocast_dtype(device_type: str) -> DType:
    """What products are computed in: bfloat16 unless set."""
    return setting.dtype if device_type == "cpu" else lw.float16


def get_autocast_cpu_dtype() -> DType:
    """As ``get_autocast_dtype("cpu")``."""
    warn_once("torch.get_autocast_cpu_dtype() is deprecated. Please use torch.get_autocast_dtype('cpu') instead.",
              DeprecationWarning)
    return setting.dtype


def set_autocast_enabled(device_type: str, enabled: bool) -> None:
    """Switch casting on the CPU on or off for the rest of the thread."""
    if device_type == "cpu":
        set_setting(enabled, setting.dtype)


def set_autocast_dtype(device_type: str, dtype: DType) -> None:
    """What products on the CPU are to be computed in."""
    if device_type == "cpu":
        set_setting(setting.enabled, dtype)


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """Decorate the forward of an ``autograd.Function``: with ``cast_inputs``, it runs in that dtype without casting."""
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(*args, **kwargs):
        args[0]._fwd_used_autocast = is_autocast_enabled(device_type) and cast_inputs is None
        args[0]._dtype = get_autocast_dtype(device_type)
        if cast_inputs is None or not is_autocast_enabled(device_type):
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*cast(args, cast_inputs), **cast(kwargs, cast_inputs))
    return decorated


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """Decorate the backward of such a function: it casts where its forward did."""
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(*args, **kwargs):
        with autocast(device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)
    return decorated
