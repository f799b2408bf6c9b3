"""``autocast``: a mode that sees every call and casts its float32 tensors by the function's name."""
import functools
import threading

import leafward as lw
from leafward.core import modes
from leafward.core.bind import NUMPY_NAMES
from leafward.core.nested import carried
from leafward.core.op import Composite, registry
from leafward.derive.functions import fns as functions
from leafward.errors import warn

#: Computed in the lower precision: products, which gain most and whose sums are kept wide inside.
LOWERED = frozenset({
    "mm", "bmm", "addmm", "addbmm", "baddbmm", "matmul", "__matmul__", "linear", "vecdot", "multi_dot", "chain_matmul", "prelu",
    "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "scaled_dot_product_attention",
    "lstm", "rnn_tanh", "rnn_relu", "rnn_tanh_cell", "rnn_relu_cell"})
#: Computed in float32: what loses too much otherwise, or has no kernel in half precision.
RAISED = frozenset({
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "nll_loss", "cross_entropy", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "kl_div", "cosine_embedding_loss", "triplet_margin_loss", "poisson_nll_loss",
    "multilabel_margin_loss", "multi_margin_loss", "ctc_loss", "hinge_embedding_loss", "margin_ranking_loss",
    "soft_margin_loss", "prod", "trace", "cdist", "quantile", "nanquantile", "polar", "view_as_complex",
    "grid_sample", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d", "avg_pool3d", "max_pool3d", "adaptive_avg_pool3d",
    "adaptive_max_pool3d", "fractional_max_pool2d", "fractional_max_pool3d",
    "inv", "inv_ex", "inverse", "solve", "solve_ex", "det", "svd", "svdvals", "eigh", "eigvalsh", "eigvals", "eig", "qr",
    "cholesky", "cholesky_ex", "cholesky_solve", "cholesky_inverse", "cond", "matrix_rank", "lstsq", "lu", "lu_factor",
    "lu_factor_ex", "lu_solve", "geqrf", "orgqr", "householder_product", "ormqr", "triangular_solve", "tensorinv",
    "tensorsolve",
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn", "hfft",
    "ihfft", "stft"})
#: Not looked into: their states stay as they are, however their products are computed.
CLOSED = frozenset({"gru", "gru_cell", "lstm_cell", "bilinear"})
HALVES = (lw.bfloat16, lw.float16)
DEVICES = ("cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy",
           "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone")


class Setting(threading.local):
    """What holds in this thread: whether calls are cast, and to which dtype."""

    enabled = False
    dtype = lw.bfloat16


setting = Setting()
carried.append(setting)


#: What composites are made of, by the function that users call: the casts are looked up for their parts.
composites = {declared.public_function: declared.function for declared in registry.values() if isinstance(declared, Composite)}


class Casting:
    """The mode that casts, on the stack of function modes while any ``autocast`` is open."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(function, "__name__", "")
        target = target_of(name)
        if name == "pad" and setting.enabled and pads_by_reading(*args, **kwargs):
            target = lw.float32
        if target is not None:
            return function(*cast(args, target), **cast(kwargs, target))
        parts = composites.get(function)
        if parts is None or name in CLOSED or not setting.enabled or not kwargs.keys().isdisjoint(("out", *NUMPY_NAMES)):
            return function(*args, **kwargs)
        state = modes.current()
        state.function_modes.append(self)
        state.changed()
        try:
            return parts(functions, *args, **kwargs)
        finally:
            state.function_modes.remove(self)
            state.changed()


def pads_by_reading(input, pad, mode="constant", value=None):
    """Whether it is one of the paddings that are computed in float32."""
    return mode == "replicate" or mode == "reflect" and len(pad) <= 4


def target_of(name):
    if not setting.enabled:
        return None
    return setting.dtype if name in LOWERED else lw.float32 if name in RAISED else None


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

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
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

    def __enter__(self):
        self._before.append((setting.enabled, setting.dtype))
        if self.device == "cpu":
            set_setting(self._enabled, self.fast_dtype)
        return self

    def __exit__(self, *exception):
        set_setting(*self._before.pop())
        return False

    def __call__(self, function):
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


def is_autocast_available(device_type):
    """Whether there is an autocast for this kind of device: for ``"cpu"``."""
    return device_type == "cpu"


def is_autocast_enabled(device_type=None):
    """Whether calls on the CPU are being cast."""
    return device_type == "cpu" and setting.enabled


def is_autocast_cpu_enabled():
    """Whether calls are being cast."""
    return setting.enabled


def get_autocast_dtype(device_type):
    """What products are computed in: bfloat16 unless set."""
    return setting.dtype if device_type == "cpu" else lw.float16


def get_autocast_cpu_dtype():
    """As ``get_autocast_dtype("cpu")``."""
    return setting.dtype


def set_autocast_enabled(device_type, enabled):
    """Switch casting on the CPU on or off for the rest of the thread."""
    if device_type == "cpu":
        set_setting(enabled, setting.dtype)


def set_autocast_dtype(device_type, dtype):
    """What products on the CPU are to be computed in."""
    if device_type == "cpu":
        set_setting(setting.enabled, dtype)


def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
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


def custom_bwd(bwd=None, *, device_type):
    """Decorate the backward of such a function: it casts where its forward did."""
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(*args, **kwargs):
        with autocast(device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)
    return decorated
