"""leafward: PyTorch's tensors and gradients in readable Python. ``import leafward as torch``."""
import gc as _gc

# Importing throws hardly anything away: the collector would look through the new objects again and again for nothing.
_collects = _gc.isenabled()
_gc.disable()
try:
    from leafward import startup  # first: it wires the core
finally:
    if _collects:
        if not _gc.get_freeze_count():          # what was made stays: as old objects, without being looked through first
            _gc.freeze()
            _gc.unfreeze()
        _gc.enable()

from leafward import autograd, dtypes, errors
from leafward.arrays import cpu as _arrays
from leafward.arrays.memory import empty_cache, memory_stats
from leafward.arrays.threads import get_num_threads, set_num_threads
from leafward.compat import MODULES as _MODULES
from leafward.autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
from leafward.autograd.grad_mode import (
    enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad, set_grad_enabled,
)
from leafward.tensor.checks import (  # noqa: F401
    _assert, _check, _check_index, _check_is_size, _check_not_implemented, _check_tensor_all, _check_type, _check_value,
    _check_with,
)
from leafward.tensor.constructors import (
    as_tensor, asarray, from_dlpack, from_file, from_numpy, frombuffer, scalar_tensor, tensor, to_dlpack,
)
from leafward.tensor.constructors import legacy_classes as _legacy_classes
from leafward.derive.functions import public as _public
from leafward.derive.kernels import kernel_of
from leafward.devices import device, get_default_device, set_default_device
from leafward.dtypes import (
    channels_last, channels_last_3d, contiguous_format, dtype, finfo, get_default_dtype, iinfo, layout, memory_format,
    per_channel_affine, per_channel_affine_float_qparams, per_channel_symmetric, per_tensor_affine, per_tensor_symmetric,
    preserve_format, promote_types, qint8, qint32, qscheme, quint2x4, quint4x2, quint8, set_default_dtype, sparse_bsc,
    sparse_bsr, sparse_coo, sparse_csc, sparse_csr, strided,
)
from leafward.errors import (
    GradientError, GradientWarning, GraphFreedError, InplaceGradientError, LeafOverwriteError, MissingGradientWarning,
    NoHistoryError, NonFiniteGradientWarning, ReadOnlyTensorError, SilentGradientError, SilentGradientWarning,
)
from leafward.tensor.predicates import (
    broadcast_shapes, can_cast, detach, get_device, is_complex, is_floating_point, is_inference, is_neg, is_nonzero,
    is_same_size, is_signed, is_storage, is_tensor, numel, result_type, typename,
)
from leafward.tensor.printing import get_printoptions, set_printoptions
from leafward.tensor.random import (
    Generator, default_generator, fork_rng, get_rng_state, initial_seed, manual_seed, seed, set_rng_state,
)
from leafward.compat.settings import (
    are_deterministic_algorithms_enabled, get_deterministic_debug_mode, get_float32_matmul_precision,
    get_num_interop_threads, is_deterministic_algorithms_warn_only_enabled, is_warn_always_enabled,
    set_default_tensor_type, set_deterministic_debug_mode, set_float32_matmul_precision, set_flush_denormal,
    set_num_interop_threads, set_warn_always, use_deterministic_algorithms,
)
from leafward.tensor.size import Size
from leafward.tensor.tensor import Tensor

__version__ = "0.1.0"
own_version = __version__               # under the name torch, __version__ becomes 2.13.0+leafward.0.1.0

globals().update(_public["torch"])
# PyTorch has these in-place forms as functions too, besides those of declared ops.
detach_, resize_as_ = Tensor.detach_, Tensor.resize_as_
for _dtype in ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "short", "int32", "int", "int64", "long",
               "float16", "half", "bfloat16", "float32", "float", "float64", "double", "complex64", "cfloat",
               "complex128", "cdouble", "complex32", "chalf", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
               "float8_e5m2fnuz", "float8_e8m0fnu"):
    globals()[_dtype] = getattr(dtypes, _dtype)
globals().update(_legacy_classes())

inf, nan, pi, e = _arrays.inf, _arrays.nan, _arrays.pi, _arrays.e
newaxis = None
#: Modules that load when first asked for.
_LAZY = ("amp", "ao", "array_api", "distributed", "distributions", "func", "io", "multiprocessing", "nn", "optim", "sparse",
         "testing", "trust", "utils", *_MODULES)
_STORAGES = ("UntypedStorage", "TypedStorage", "DoubleStorage", "FloatStorage", "LongStorage", "IntStorage", "ShortStorage",
             "CharStorage", "ByteStorage", "HalfStorage", "BoolStorage", "BFloat16Storage", "ComplexDoubleStorage",
             "ComplexFloatStorage", "Storage")
_BY_POSITION = (
    "adaptive_max_pool1d", "affine_grid_generator", "alias_copy", "alpha_dropout", "alpha_dropout_", "as_strided_",
    "as_strided_copy", "batch_norm", "conv_tbc", "embedding_renorm_", "feature_dropout_", "frobenius_norm",
    "max_pool1d_with_indices", "native_batch_norm", "native_dropout", "native_group_norm", "native_layer_norm",
    "norm_except_dim", "nuclear_norm", "rrelu_",
    "binary_cross_entropy_with_logits", "channel_shuffle", "col_indices_copy", "cosine_embedding_loss", "crow_indices_copy",
    "ctc_loss", "detach_copy", "embedding", "embedding_bag", "expand_copy", "feature_alpha_dropout", "feature_alpha_dropout_",
    "hinge_embedding_loss", "indices_copy", "instance_norm", "kl_div", "margin_ranking_loss", "narrow_copy",
    "native_channel_shuffle", "permute_copy", "select_copy", "slice_copy", "split_copy", "split_with_sizes_copy",
    "squeeze_copy", "t_copy", "transpose_copy", "triplet_margin_loss", "unbind_copy", "unfold_copy", "unsqueeze_copy",
    "values_copy", "vander", "view_as_complex_copy", "view_as_real_copy", "view_copy")
#: Functions that come with such a module.
_LAZY_FUNCTIONS = {"install_as_torch": "as_torch",
                   "save": "serialization", "load": "serialization", **dict.fromkeys(_STORAGES, "storage"),
                   **dict.fromkeys((
                       "aliases", "audit", "can_write", "explain", "freeze_", "graph", "hide_frames", "keep_saved",
                       "memory_report", "nan_origin", "save_page", "set_saved_policy", "show", "strict", "trace_backward",
                       "unsafe_write", "verify_grads", "who_holds", "why_none"), "trust"),
                   **dict.fromkeys((
                       "sparse_coo_tensor", "sparse_csr_tensor", "sparse_compressed_tensor", "spmm", "smm", "hspmm"), "sparse"),
                   **dict.fromkeys(_BY_POSITION, "by_position"),
                   "lobpcg": "_lobpcg", "summary": "utils", "vmap": "func", "progress": "utils", "compile": "jit",
                   "ScriptModule": "jit", "PyTorchFileReader": "_C",
                   "OutOfMemoryError": "cuda", "AcceleratorError": "cuda", "autocast": "amp", "GradScaler": "amp",
                   **dict.fromkeys((
                       "get_autocast_cpu_dtype", "get_autocast_dtype", "is_autocast_cpu_enabled", "is_autocast_enabled",
                       "set_autocast_dtype", "set_autocast_enabled"), "amp")}


def __getattr__(name):
    if name in _LAZY:
        from importlib import import_module
        return import_module(f"leafward.{name}")
    if name in _LAZY_FUNCTIONS:
        return getattr(__getattr__(_LAZY_FUNCTIONS[name]), name)
    if name.startswith("_foreach_"):
        from leafward.derive import foreach
        if name in foreach.FORMS:
            return globals().setdefault(name, foreach.foreach(name))
    from leafward.tensor.missing import MissingNameError
    raise MissingNameError(name, globals())


def __dir__():
    return sorted({*globals(), *_LAZY, *_LAZY_FUNCTIONS})
