"""leafward: PyTorch's tensors and gradients in readable Python. ``import leafward as torch``."""
from . import interpreted  # noqa: F401  (before anything that may be compiled)
from . import startup  # noqa: F401, I001  (first: it wires the core)
from . import autograd, dtypes, errors
from .arrays import cpu
from .arrays.threads import get_num_threads, set_num_threads
from .as_torch import install_as_torch
from .autograd.anomaly_mode import is_anomaly_enabled
from .autograd.grad_mode import (
    enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad, set_grad_enabled,
)
from .construct import (
    as_tensor, asarray, from_dlpack, from_numpy, frombuffer, legacy_classes, scalar_tensor, tensor, to_dlpack,
)
from .derive.functions import public
from .devices import device
from .dtypes import (
    channels_last, channels_last_3d, contiguous_format, finfo, get_default_dtype, iinfo, layout, memory_format,
    preserve_format, promote_types, set_default_dtype, strided,
)
from .errors import (
    GradientError, GraphFreedError, InplaceGradientError, LeafOverwriteError, NoHistoryError, SilentGradientError,
    SilentGradientWarning,
)
from .printing import get_printoptions, set_printoptions
from .random import (
    Generator, default_generator, fork_rng, get_rng_state, initial_seed, manual_seed, seed, set_rng_state,
)
from .size import Size
from .tensor import Tensor

__version__ = "0.1.0"

globals().update(public["torch"])
for _dtype in ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "short", "int32", "int", "int64", "long",
               "float16", "half", "bfloat16", "float32", "float", "float64", "double", "complex64", "cfloat",
               "complex128", "cdouble"):
    globals()[_dtype] = getattr(dtypes, _dtype)
globals().update(legacy_classes())

inf, nan, pi, e = cpu.inf, cpu.nan, cpu.pi, cpu.e
newaxis = None
dtype = dtypes.dtype
#: Modules that load when first asked for.
LAZY = ("nn", "optim", "utils", "linalg", "special", "trust", "serialization", "io", "multiprocessing")
#: Functions that come with such a module.
LAZY_FUNCTIONS = {"save": "serialization", "load": "serialization", "strict": "trust", "hide_frames": "trust"}


def __getattr__(name):
    if name in LAZY:
        from importlib import import_module
        return import_module(f"leafward.{name}")
    if name in LAZY_FUNCTIONS:
        return getattr(__getattr__(LAZY_FUNCTIONS[name]), name)
    raise AttributeError(f"module 'torch' has no attribute '{name}' in leafward")


def is_tensor(obj):
    """Whether ``obj`` is a Tensor."""
    return isinstance(obj, Tensor)
