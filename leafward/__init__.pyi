# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

from leafward.devices import device as _device
from leafward.dtypes import dtype as _dtype
from leafward.tensor.random import Generator
from leafward import startup as startup
from leafward import autograd as autograd
from leafward import dtypes as dtypes
from leafward import errors as errors
from leafward.arrays.threads import get_num_threads as get_num_threads
from leafward.arrays.threads import set_num_threads as set_num_threads
from leafward.autograd.anomaly_mode import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from leafward.autograd.anomaly_mode import is_anomaly_enabled as is_anomaly_enabled
from leafward.autograd.grad_mode import enable_grad as enable_grad
from leafward.autograd.grad_mode import inference_mode as inference_mode
from leafward.autograd.grad_mode import is_grad_enabled as is_grad_enabled
from leafward.autograd.grad_mode import is_inference_mode_enabled as is_inference_mode_enabled
from leafward.autograd.grad_mode import no_grad as no_grad
from leafward.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from leafward.tensor.constructors import as_tensor as as_tensor
from leafward.tensor.constructors import asarray as asarray
from leafward.tensor.constructors import from_dlpack as from_dlpack
from leafward.tensor.constructors import from_numpy as from_numpy
from leafward.tensor.constructors import frombuffer as frombuffer
from leafward.tensor.constructors import scalar_tensor as scalar_tensor
from leafward.tensor.constructors import tensor as tensor
from leafward.tensor.constructors import to_dlpack as to_dlpack
from leafward.devices import device as device
from leafward.devices import get_default_device as get_default_device
from leafward.devices import set_default_device as set_default_device
from leafward.dtypes import channels_last as channels_last
from leafward.dtypes import channels_last_3d as channels_last_3d
from leafward.dtypes import contiguous_format as contiguous_format
from leafward.dtypes import dtype as dtype
from leafward.dtypes import finfo as finfo
from leafward.dtypes import get_default_dtype as get_default_dtype
from leafward.dtypes import iinfo as iinfo
from leafward.dtypes import layout as layout
from leafward.dtypes import memory_format as memory_format
from leafward.dtypes import preserve_format as preserve_format
from leafward.dtypes import promote_types as promote_types
from leafward.dtypes import set_default_dtype as set_default_dtype
from leafward.dtypes import strided as strided
from leafward.errors import GradientError as GradientError
from leafward.errors import GraphFreedError as GraphFreedError
from leafward.errors import InplaceGradientError as InplaceGradientError
from leafward.errors import LeafOverwriteError as LeafOverwriteError
from leafward.errors import NoHistoryError as NoHistoryError
from leafward.errors import SilentGradientError as SilentGradientError
from leafward.errors import SilentGradientWarning as SilentGradientWarning
from leafward.tensor.predicates import broadcast_shapes as broadcast_shapes
from leafward.tensor.predicates import can_cast as can_cast
from leafward.tensor.predicates import detach as detach
from leafward.tensor.predicates import get_device as get_device
from leafward.tensor.predicates import is_complex as is_complex
from leafward.tensor.predicates import is_floating_point as is_floating_point
from leafward.tensor.predicates import is_inference as is_inference
from leafward.tensor.predicates import is_neg as is_neg
from leafward.tensor.predicates import is_nonzero as is_nonzero
from leafward.tensor.predicates import is_same_size as is_same_size
from leafward.tensor.predicates import is_signed as is_signed
from leafward.tensor.predicates import is_storage as is_storage
from leafward.tensor.predicates import is_tensor as is_tensor
from leafward.tensor.predicates import numel as numel
from leafward.tensor.predicates import result_type as result_type
from leafward.tensor.predicates import typename as typename
from leafward.tensor.printing import get_printoptions as get_printoptions
from leafward.tensor.printing import set_printoptions as set_printoptions
from leafward.tensor.random import Generator as Generator
from leafward.tensor.random import default_generator as default_generator
from leafward.tensor.random import fork_rng as fork_rng
from leafward.tensor.random import get_rng_state as get_rng_state
from leafward.tensor.random import initial_seed as initial_seed
from leafward.tensor.random import manual_seed as manual_seed
from leafward.tensor.random import seed as seed
from leafward.tensor.random import set_rng_state as set_rng_state
from leafward.compat.settings import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from leafward.compat.settings import get_deterministic_debug_mode as get_deterministic_debug_mode
from leafward.compat.settings import get_float32_matmul_precision as get_float32_matmul_precision
from leafward.compat.settings import get_num_interop_threads as get_num_interop_threads
from leafward.compat.settings import is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled
from leafward.compat.settings import is_warn_always_enabled as is_warn_always_enabled
from leafward.compat.settings import set_default_tensor_type as set_default_tensor_type
from leafward.compat.settings import set_deterministic_debug_mode as set_deterministic_debug_mode
from leafward.compat.settings import set_float32_matmul_precision as set_float32_matmul_precision
from leafward.compat.settings import set_flush_denormal as set_flush_denormal
from leafward.compat.settings import set_num_interop_threads as set_num_interop_threads
from leafward.compat.settings import set_warn_always as set_warn_always
from leafward.compat.settings import use_deterministic_algorithms as use_deterministic_algorithms
from leafward.tensor.size import Size as Size
from leafward.tensor.tensor import Tensor as Tensor
from leafward.compat import _C as _C
from leafward.compat import __config__ as __config__
from leafward.compat import accelerator as accelerator
from leafward import amp as amp
from leafward import array_api as array_api
from leafward.app import as_torch as as_torch
from leafward.compat import backends as backends
from leafward.compat import compiler as compiler
from leafward.compat import cpu as cpu
from leafward.compat import cuda as cuda
from leafward.compat import distributed as distributed
from leafward import distributions as distributions
from leafward.compat import fft as fft
from leafward import func as func
from leafward.compat import hub as hub
from leafward import io as io
from leafward.compat import jit as jit
from leafward.compat import linalg as linalg
from leafward.tensor import masked as masked
from leafward.tensor import memory as memory
from leafward.compat import mps as mps
from leafward import multiprocessing as multiprocessing
from leafward import nn as nn
from leafward import optim as optim
from leafward.compat import overrides as overrides
from leafward.compat import profiler as profiler
from leafward.tensor import random as random
from leafward.compat import return_types as return_types
from leafward.app import run as run
from leafward.io import serialization as serialization
from leafward.compat import signal as signal
from leafward.tensor import size as size
from leafward.compat import special as special
from leafward.tensor import storage as storage
from leafward import testing as testing
from leafward.compat import torch_version as torch_version
from leafward import trust as trust
from leafward.compat import types as types
from leafward import utils as utils
from leafward.compat import version as version
from leafward.compat.cuda import AcceleratorError as AcceleratorError
from leafward.tensor.storage import BFloat16Storage as BFloat16Storage
from leafward.tensor.storage import BoolStorage as BoolStorage
from leafward.tensor.storage import ByteStorage as ByteStorage
from leafward.tensor.storage import CharStorage as CharStorage
from leafward.tensor.storage import ComplexDoubleStorage as ComplexDoubleStorage
from leafward.tensor.storage import ComplexFloatStorage as ComplexFloatStorage
from leafward.tensor.storage import DoubleStorage as DoubleStorage
from leafward.tensor.storage import FloatStorage as FloatStorage
from leafward.amp import GradScaler as GradScaler
from leafward.tensor.storage import HalfStorage as HalfStorage
from leafward.tensor.storage import IntStorage as IntStorage
from leafward.tensor.storage import LongStorage as LongStorage
from leafward.compat.cuda import OutOfMemoryError as OutOfMemoryError
from leafward.tensor.storage import ShortStorage as ShortStorage
from leafward.tensor.storage import Storage as Storage
from leafward.tensor.storage import TypedStorage as TypedStorage
from leafward.tensor.storage import UntypedStorage as UntypedStorage
from leafward.amp import autocast as autocast
from leafward.compat.jit import compile as compile
from leafward.amp import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from leafward.amp import get_autocast_dtype as get_autocast_dtype
from leafward.trust import hide_frames as hide_frames
from leafward.app.as_torch import install_as_torch as install_as_torch
from leafward.amp import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from leafward.amp import is_autocast_enabled as is_autocast_enabled
from leafward.io.serialization import load as load
from leafward.utils import progress as progress
from leafward.io.serialization import save as save
from leafward.amp import set_autocast_dtype as set_autocast_dtype
from leafward.amp import set_autocast_enabled as set_autocast_enabled
from leafward.trust import strict as strict
from leafward.utils import summary as summary
from leafward.func import vmap as vmap

_Number = _int | _float | _complex

class _ATau(NamedTuple):
    a: Tensor
    tau: Tensor
class _HistBinEdges(NamedTuple):
    hist: Tensor
    bin_edges: Tensor
class _MantissaExponent(NamedTuple):
    mantissa: Tensor
    exponent: Tensor
class _MinMax(NamedTuple):
    min: Tensor
    max: Tensor
class _PLU(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor
class _SignLogabsdet(NamedTuple):
    sign: Tensor
    logabsdet: Tensor
class _SolutionClonedCoefficient(NamedTuple):
    solution: Tensor
    cloned_coefficient: Tensor
class _ValuesIndices(NamedTuple):
    values: Tensor
    indices: Tensor
def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Distance from zero: ``out = abs(x)``."""
def abs_(input: Tensor) -> Tensor:
    """Distance from zero: ``out = abs(x)``."""
def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Distance from zero: ``out = abs(x)``."""
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle whose cosine is x, in [0, pi]."""
def acos_(input: Tensor) -> Tensor:
    """Angle whose cosine is x, in [0, pi]."""
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of cosh: ``out = log(x + sqrt(x ** 2 - 1))``."""
def acosh_(input: Tensor) -> Tensor:
    """Inverse of cosh: ``out = log(x + sqrt(x ** 2 - 1))``."""
def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """The means of ``output_size`` bins that cover a sequence evenly."""
def add(input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Add element by element: ``out = x + alpha * y``."""
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """The sum of batched matrix products, and another: ``out = beta * x + alpha * sum_b(batch1[b] @ batch2[b])``."""
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Add a scaled quotient: ``out = x + value * tensor1 / tensor2``."""
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Add a scaled product: ``out = x + value * tensor1 * tensor2``."""
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """A matrix product and a sum: ``out = beta * x + alpha * (mat1 @ mat2)``."""
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """A product of matrix and vector and a sum: ``out = beta * x + alpha * (mat @ vec)``."""
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
    """A product of matrix and vector and a sum: ``out = beta * x + alpha * (mat @ vec)``."""
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """An outer product and a sum: ``out = beta * x + alpha * outer(vec1, vec2)``."""
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of a matrix, or of each matrix of a batch."""
def alias(input: Tensor) -> Tensor:
    """The same memory, shape and strides: what ``x[...]`` is."""
def all(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether everything along ``dim`` is true."""
def allclose(input: Tensor, other: _Number | Tensor, rtol: _Number = 1e-05, atol: _Number = 1e-08, equal_nan: _bool = False) -> _bool:
    """Whether all elements are equal up to rounding, as a Python bool."""
def amax(input: Tensor, dim: _int | Sequence[_int] = ..., keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The largest along ``dim``; equals share the gradient."""
def amin(input: Tensor, dim: _int | Sequence[_int] = ..., keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The smallest along ``dim``; equals share the gradient."""
def aminmax(input: Tensor, *, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, out: Sequence[Tensor] | None = None) -> _MinMax:
    """The smallest and the largest, along ``dim`` or of everything."""
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle in the complex plane: 0 for positive numbers, pi for negative ones."""
def any(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether anything along ``dim`` is true."""
def arange(*bounds: _int | Sequence[_int], start: _int = 0, end: Any = None, step: _int = 1, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """``start``, ``start + step``, ``start + 2 step``, ... before ``end``."""
def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle whose cosine is x, in [0, pi]."""
def arccos_(input: Tensor) -> Tensor:
    """Angle whose cosine is x, in [0, pi]."""
def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of cosh: ``out = log(x + sqrt(x ** 2 - 1))``."""
def arccosh_(input: Tensor) -> Tensor:
    """Inverse of cosh: ``out = log(x + sqrt(x ** 2 - 1))``."""
def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle whose sine is x, in [-pi/2, pi/2]."""
def arcsin_(input: Tensor) -> Tensor:
    """Angle whose sine is x, in [-pi/2, pi/2]."""
def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of sinh: ``out = log(x + sqrt(x ** 2 + 1))``."""
def arcsinh_(input: Tensor) -> Tensor:
    """Inverse of sinh: ``out = log(x + sqrt(x ** 2 + 1))``."""
def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle whose tangent is x, in (-pi/2, pi/2)."""
def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle of the point with abscissa y and ordinate x, in [-pi, pi]: ``tan(out) = x / y``."""
def arctan_(input: Tensor) -> Tensor:
    """Angle whose tangent is x, in (-pi/2, pi/2)."""
def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of tanh: ``out = log((1 + x) / (1 - x)) / 2``."""
def arctanh_(input: Tensor) -> Tensor:
    """Inverse of tanh: ``out = log((1 + x) / (1 - x)) / 2``."""
def argmax(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Where the largest is along ``dim``: the first of equals."""
def argmin(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Where the smallest is along ``dim``: the first of equals."""
def argsort(input: Tensor, dim: _int | Sequence[_int] = -1, descending: _bool = False, stable: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The places of the elements in order along ``dim``; with ``stable``, equals keep their order."""
def argwhere(input: Tensor) -> Tensor:
    """One row per nonzero element: its place along each dim."""
def as_strided(input: Tensor, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: Any = None) -> Tensor:
    """The storage of ``input`` from ``storage_offset`` on, seen with any sizes and strides."""
def as_strided_scatter(input: Tensor, src: Tensor, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: Any = None) -> Tensor:
    """A copy of ``input`` with ``src`` in the places that ``as_strided`` would show."""
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle whose sine is x, in [-pi/2, pi/2]."""
def asin_(input: Tensor) -> Tensor:
    """Angle whose sine is x, in [-pi/2, pi/2]."""
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of sinh: ``out = log(x + sqrt(x ** 2 + 1))``."""
def asinh_(input: Tensor) -> Tensor:
    """Inverse of sinh: ``out = log(x + sqrt(x ** 2 + 1))``."""
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle whose tangent is x, in (-pi/2, pi/2)."""
def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle of the point with abscissa y and ordinate x, in [-pi, pi]: ``tan(out) = x / y``."""
def atan_(input: Tensor) -> Tensor:
    """Angle whose tangent is x, in (-pi/2, pi/2)."""
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of tanh: ``out = log((1 + x) / (1 - x)) / 2``."""
def atanh_(input: Tensor) -> Tensor:
    """Inverse of tanh: ``out = log((1 + x) / (1 - x)) / 2``."""
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """A 0-dim tensor as one element; anything else as it is."""
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """A vector as one row; anything of two or more dims as it is."""
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """A vector as ``1 n 1``, a matrix as ``n m 1``; anything of three or more dims as it is."""
def avg_pool1d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True) -> Tensor:
    """The mean of each window of a sequence ``(n, c, length)`` or ``(c, length)``."""
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Batched matrix products and a sum: ``out = beta * x + alpha * (batch1 @ batch2)``."""
def bartlett_window(window_length: Any, periodic: _bool = True, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """``w[i] = 1 - abs(2 i / n - 1)``."""
def bernoulli(input: Tensor, p: Any = None, *, generator: Generator | None = None, out: Any = None) -> Tensor:
    """Ones with the probabilities in ``input`` (or all with probability ``p``), zeros elsewhere."""
def bilinear(input1: Any, input2: Any, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """A bilinear form per output: ``out[..., k] = sum_ij input1[..., i] * weight[k, i, j] * input2[..., j] + bias[k]``."""
def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """How often each number occurs, or the sum of its weights."""
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None, *, out: Tensor | None = None) -> Tensor:
    """The number of successes in ``count`` trials, each of probability ``prob``."""
def bitwise_and(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Bits that both have set: ``out = x & y``."""
def bitwise_left_shift(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Move the bits up: ``out = x << y``."""
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Every bit the other way: ``out = ~x``."""
def bitwise_or(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Bits that at least one has set: ``out = x | y``."""
def bitwise_right_shift(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Move the bits down, keeping the sign: ``out = x >> y``."""
def bitwise_xor(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Bits that exactly one has set: ``out = x ^ y``."""
def blackman_window(window_length: Any, periodic: _bool = True, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """``w[i] = 0.42 - 0.5 cos(2 pi i / n) + 0.08 cos(4 pi i / n)``."""
def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """A matrix with ``tensors`` along its diagonal and zeros elsewhere."""
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Product of matrices pair by pair: ``out[b] = x[b] @ mat2[b]``."""
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """All ``tensors`` repeated, without copying, to their common shape."""
def broadcast_to(input: Tensor, size: _int | Sequence[_int]) -> Tensor:
    """``input`` repeated, without copying, to ``size``."""
def bucketize(input: Tensor, boundaries: Any, *, out_int32: _bool = False, right: _bool = False) -> Tensor:
    """For each value the number of its bucket between sorted ``boundaries``."""
def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Every choice of one element from each vector, one row each."""
def cat(tensors: Sequence[Tensor], dim: _int | Sequence[_int] = 0, *, out: Tensor | None = None) -> Tensor:
    """The ``tensors`` one after the other along ``dim``."""
def cdist(x1: Any, x2: Any, p: _Number = 2.0, compute_mode: _str = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """The ``p``-norm distance of every row of ``x1`` from every row of ``x2``: ``(*, n, d), (*, m, d) -> (*, n, m)``."""
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smallest integer that is not smaller: ``out - 1 < x <= out``."""
def ceil_(input: Tensor) -> Tensor:
    """The smallest integer that is not smaller: ``out - 1 < x <= out``."""
def celu(input: Tensor, alpha: _Number = 1.0, *, out: Tensor | None = None) -> Tensor:
    """Ramp with a smooth exponential tail: ``out = x if x > 0 else alpha * (exp(x / alpha) - 1)``."""
def celu_(input: Tensor, alpha: _Number = 1.0) -> Tensor:
    """Ramp with a smooth exponential tail: ``out = x if x > 0 else alpha * (exp(x / alpha) - 1)``."""
def chain_matmul(*matrices: Any) -> Tensor:
    """The older form of ``linalg.multi_dot``."""
def cholesky(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """:func:`linalg.cholesky` under its first name, which takes ``upper`` by position."""
def cholesky_inverse(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """``(x @ x^H) ^ -1``, or with ``upper`` ``(x^H @ x) ^ -1``."""
def cholesky_solve(input: Tensor, L: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The ``out`` with ``(L @ L^H) @ out = x``, or with ``upper`` ``(L^H @ L) @ out = x``."""
def chunk(input: Tensor, chunks: _int, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """At most ``chunks`` consecutive pieces along ``dim``, equal but for the last."""
def clamp(input: Tensor, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None, *, out: Tensor | None = None) -> Tensor:
    """Bring within bounds: ``out = minimum(maximum(x, min), max)``."""
def clamp_(input: Tensor, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor:
    """Bring within bounds: ``out = minimum(maximum(x, min), max)``."""
def clamp_max(input: Tensor, max: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Not above: ``out = minimum(x, max)``."""
def clamp_max_(input: Tensor, max: Tensor | _Number) -> Tensor:
    """Not above: ``out = minimum(x, max)``."""
def clamp_min(input: Tensor, min: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Not below: ``out = maximum(x, min)``."""
def clamp_min_(input: Tensor, min: Tensor | _Number) -> Tensor:
    """Not below: ``out = maximum(x, min)``."""
def clip(input: Tensor, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None, *, out: Tensor | None = None) -> Tensor:
    """Bring within bounds: ``out = minimum(maximum(x, min), max)``."""
def clip_(input: Tensor, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor:
    """Bring within bounds: ``out = minimum(maximum(x, min), max)``."""
def clone(input: Tensor, *, memory_format: Any = ..., out: Tensor | None = None) -> Tensor:
    """A copy with a history: the gradient passes straight through."""
def col2im(input: Tensor, output_size: _int | Sequence[_int], kernel_size: _int | Sequence[_int], dilation: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, stride: _int | Sequence[_int] = 1, *, out: Tensor | None = None) -> Tensor:
    """Add columns up where their windows lie: ``(n, c k k, places) -> (n, c, h, w)``."""
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the columns; a vector is one column."""
def combinations(input: Tensor, r: _Number = 2, with_replacement: _bool = False) -> Tensor:
    """Every choice of ``r`` elements of a vector, one row each."""
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``out = real + i imag``."""
def concat(tensors: Sequence[Tensor], dim: _int | Sequence[_int] = 0, *, out: Tensor | None = None) -> Tensor:
    """The ``tensors`` one after the other along ``dim``."""
def concatenate(tensors: Sequence[Tensor], dim: _int | Sequence[_int] = 0, *, out: Tensor | None = None) -> Tensor:
    """The ``tensors`` one after the other along ``dim``."""
def conj(input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor itself."""
def conj_physical(input: Tensor, *, out: Any = None) -> Tensor:
    """The complex conjugate; a real tensor itself."""
def conj_physical_(input: Tensor) -> Tensor:
    """:func:`conj_physical`, in place."""
def constant_pad_nd(input: Tensor, pad: _int | Sequence[_int], value: _Number = 0, *, out: Tensor | None = None) -> Tensor:
    """``x`` with ``value`` before and after its last dimensions; a negative width crops."""
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Slide ``weight`` along a sequence."""
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Slide ``weight`` over an image."""
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Slide ``weight`` through a volume: as ``conv2d`` with three spatial dimensions."""
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """Adjoint of ``conv1d``: each element of ``input`` is spread as a copy of ``weight``, which is ``(c, o / groups, k)``."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """Adjoint of ``conv2d``: each pixel of ``input`` is spread as a copy of ``weight``, ``(c, o / groups, kh, kw)``."""
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """Adjoint of ``conv3d``: each voxel of ``input`` is spread as a copy of ``weight``."""
def convolution(input: Tensor, weight: Tensor, bias: Tensor, stride: _int | Sequence[_int], padding: _int | Sequence[_int], dilation: _int | Sequence[_int], transposed: Any, output_padding: _int | Sequence[_int], groups: _int, *, out: Tensor | None = None) -> Tensor:
    """Slide ``weight`` over ``x``, or with ``transposed`` its adjoint."""
def copysign(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The size of one with the sign of the other: ``out = abs(x) * sign(y)``."""
def corrcoef(input: Tensor) -> Tensor:
    """Correlations of the rows of ``input``: their covariances divided by both standard deviations."""
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Cosine: ``out = cos(x)``."""
def cos_(input: Tensor) -> Tensor:
    """Cosine: ``out = cos(x)``."""
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic cosine: ``out = (exp(x) + exp(-x)) / 2``."""
def cosh_(input: Tensor) -> Tensor:
    """Hyperbolic cosine: ``out = (exp(x) + exp(-x)) / 2``."""
def cosine_embedding_loss(input1: Any, input2: Any, target: Tensor, margin: _Number = 0, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """``1 - cos`` where ``target`` is 1, ``max(0, cos - margin)`` where it is -1, for the cosine between two vectors."""
def cosine_similarity(x1: Any, x2: Any, dim: _int | Sequence[_int] = 1, eps: _Number = 1e-08) -> Tensor:
    """Cosine of the angle between vectors along ``dim``: ``sum(x1 * x2) / (norm(x1) * norm(x2))``, norms at least ``eps``."""
def count_nonzero(input: Tensor, dim: _int | Sequence[_int] | None = None, *, out: Tensor | None = None) -> Tensor:
    """How many elements along ``dim`` are not zero."""
def cov(input: Tensor, *, correction: _Number = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """Covariances of the rows of ``input``, whose columns are observations."""
def cross(input: Tensor, other: _Number | Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """Cross product along ``dim``, by default the first dimension of size 3."""
def cummax(input: Tensor, dim: _int | Sequence[_int], *, out: Sequence[Tensor] | None = None) -> _ValuesIndices:
    """The largest so far along ``dim``, and where it is (the last place of equals)."""
def cummin(input: Tensor, dim: _int | Sequence[_int], *, out: Sequence[Tensor] | None = None) -> _ValuesIndices:
    """The smallest so far along ``dim``, and where it is (the last place of equals)."""
def cumprod(input: Tensor, dim: _int | Sequence[_int], *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """``out[i] = x[0] * ... * x[i]`` along ``dim``; integers multiply in int64."""
def cumsum(input: Tensor, dim: _int | Sequence[_int], *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """``out[i] = x[0] + ... + x[i]`` along ``dim``; integers add up in int64."""
def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: _int | Sequence[_int] = -1) -> Tensor:
    """The areas of ``trapezoid`` up to each sample but the first."""
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Degrees to radians: ``out = x * pi / 180``."""
def deg2rad_(input: Tensor) -> Tensor:
    """Degrees to radians: ``out = x * pi / 180``."""
def det(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant."""
def diag(input: Tensor, diagonal: _int = 0) -> Tensor:
    """A vector as the diagonal of a matrix; of a matrix, a copy of its diagonal."""
def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _Number = -1, *, out: Tensor | None = None) -> Tensor:
    """Zeros with the last dim of ``x`` on a diagonal of the plane ``dim1``, ``dim2`` of the result."""
def diagflat(input: Tensor, offset: _int = 0) -> Tensor:
    """All elements, in order, as the diagonal of a matrix."""
def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _Number = 1) -> Tensor:
    """The elements whose place along ``dim2`` is ``offset`` further than along ``dim1``, as the last dim."""
def diagonal_copy(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _Number = 1, *, out: Tensor | None = None) -> Tensor:
    """:meth:`diagonal`, copied."""
def diagonal_scatter(input: Tensor, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _Number = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy of ``x`` with ``src`` on its diagonal."""
def diff(input: Tensor, n: _int = 1, dim: _int | Sequence[_int] = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """Differences of neighbours along ``dim``, ``n`` times over."""
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Slope of lgamma."""
def dist(input: Tensor, other: Tensor | _Number, p: _Number = 2, *, out: Tensor | None = None) -> Tensor:
    """The p-norm of a difference: ``out = sum(abs(x - y) ** p) ** (1 / p)``."""
def div(input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _str | None = None, out: Tensor | None = None) -> Tensor:
    """Divide element by element: ``out = x / y``, rounded towards zero (``trunc``) or down (``floor``) if asked for."""
def divide(input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _str | None = None, out: Tensor | None = None) -> Tensor:
    """Divide element by element: ``out = x / y``, rounded towards zero (``trunc``) or down (``floor``) if asked for."""
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Product of two vectors: ``out = sum_i x[i] * tensor[i]``, without conjugation."""
def dropout(input: Tensor, p: _Number = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Zero each element with probability ``p`` and scale the others by ``1 / (1 - p)``; in evaluation, do nothing."""
def dropout_(input: Tensor, p: Any, train: Any) -> Tensor:
    """As ``nn.functional.dropout``, in place."""
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Pieces along the third dim."""
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the third dim."""
def einsum(equation: _str, *operands: Any) -> Tensor:
    """Sums of products by named dimensions: ``einsum("ij,jk->ik", x, y)`` is the matrix product."""
def embedding_dense_backward(grad_output: Tensor, indices: Tensor, num_weights: Any, padding_idx: _int, scale_grad_by_freq: Any, *, out: Tensor | None = None) -> Tensor:
    """A table of zeros to which each row of ``grad_output`` is added at its index."""
def empty(*args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, memory_format: Any | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """A tensor of shape ``size`` with whatever its memory held before."""
def empty_like(input: Tensor, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: Any = None) -> Tensor:
    """Uninitialised memory of the shape, dtype and layout of ``input``."""
def empty_permuted(size: _int | Sequence[_int], physical_layout: Any, **kwargs: Any) -> Tensor:
    """An uninitialized tensor whose memory is laid out along the dimensions in the order of ``physical_layout``."""
def empty_strided(size: _int | Sequence[_int], stride: _int | Sequence[_int], *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """An uninitialised tensor with these strides."""
def eq(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Equal: ``out = x == y``."""
def equal(input: Tensor, other: _Number | Tensor) -> _bool:
    """Whether two tensors have the same shape and elements, as a Python bool."""
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Error function: ``out = 2 / sqrt(pi) * integral of exp(-t ** 2) from 0 to x``."""
def erf_(input: Tensor) -> Tensor:
    """Error function: ``out = 2 / sqrt(pi) * integral of exp(-t ** 2) from 0 to x``."""
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """What the error function leaves: ``out = 1 - erf(x)``."""
def erfc_(input: Tensor) -> Tensor:
    """What the error function leaves: ``out = 1 - erf(x)``."""
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of the error function: ``erf(out) = x``."""
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Exponential function: ``out = e ** x``."""
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Power of two: ``out = 2 ** x``."""
def exp2_(input: Tensor) -> Tensor:
    """Power of two: ``out = 2 ** x``."""
def exp_(input: Tensor) -> Tensor:
    """Exponential function: ``out = e ** x``."""
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Growth: ``out = exp(x) - 1``, exact near 0."""
def expm1_(input: Tensor) -> Tensor:
    """Growth: ``out = exp(x) - 1``, exact near 0."""
def eye(n: _int, m: Any = None, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """``out[i, j] = 1 if i == j else 0``, with ``n`` rows and ``m`` columns."""
def feature_dropout(input: Tensor, p: Any, train: Any) -> Tensor:
    """Zero whole channels (the second dimension) with probability ``p`` and scale the others."""
def fill(input: Tensor, value: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``value`` everywhere, in the shape and dtype of ``x``."""
def fill_(input: Tensor, value: Tensor) -> Tensor:
    """Overwrite ``x`` with ``value``."""
def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Drop what stands behind the point: ``out = sign(x) * floor(abs(x))``."""
def fix_(input: Tensor) -> Tensor:
    """Drop what stands behind the point: ``out = sign(x) * floor(abs(x))``."""
def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """The dims from ``start_dim`` to ``end_dim`` (included) run together into one."""
@overload
def flip(input: Tensor, dims: _int | Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """The order along ``dims`` reversed."""
@overload
def flip(input: Tensor, *dims: _int, out: Tensor | None = None) -> Tensor: ...
def fliplr(input: Tensor) -> Tensor:
    """The columns in reverse order."""
def flipud(input: Tensor) -> Tensor:
    """The rows in reverse order."""
def float_power(input: Tensor, exponent: Tensor, *, out: Any = None) -> Tensor:
    """Raise to a power in float64 or complex128: ``out = input ** exponent``."""
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greatest integer that is not greater: ``out <= x < out + 1``."""
def floor_(input: Tensor) -> Tensor:
    """The greatest integer that is not greater: ``out <= x < out + 1``."""
def floor_divide(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Divide and round down: ``out = floor(x / y)``."""
def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of two, the other one where one is nan."""
def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two, the other one where one is nan."""
def fmod(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """What rounding towards zero leaves: ``out = x - trunc(x / y) * y``, with the sign of ``x``."""
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """What stands behind the point: ``out = x - trunc(x)``."""
def frac_(input: Tensor) -> Tensor:
    """What stands behind the point: ``out = x - trunc(x)``."""
def frexp(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _MantissaExponent:
    """Take a number apart: ``x = mantissa * 2 ** exponent``, with 0.5 <= abs(mantissa) < 1."""
def full(size: _int | Sequence[_int], fill_value: Any, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """A tensor of shape ``size`` whose every element is ``fill_value``, which chooses the dtype."""
def full_like(input: Tensor, fill_value: Any, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: Any = None) -> Tensor:
    """``fill_value`` in the shape, dtype and layout of ``input``."""
def gather(input: Tensor, dim: _int | Sequence[_int], index: Tensor, *, sparse_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """``out[p] = x[..., index[p], ...]`` along ``dim``: one element for each place ``p`` of ``index``."""
def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Greatest common divisor, not negative."""
def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """Greatest common divisor, not negative."""
def ge(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Greater or equal: ``out = x >= y``."""
def geqrf(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _ATau:
    """``R`` of the QR decomposition on and above the diagonal of ``a``, the reflections below it, a ``tau`` for each."""
def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """All products of two elements: ``out[i, j] = input[i] * vec2[j]``."""
def gradient(input: Tensor, *, spacing: Any = None, dim: _int | Sequence[_int] | None = None, edge_order: _Number = 1) -> tuple[Tensor, ...]:
    """The derivative of a sampled function along each dimension: central differences, one-sided at the ends."""
def greater(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Greater: ``out = x > y``."""
def greater_equal(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Greater or equal: ``out = x >= y``."""
def grid_sampler(input: Tensor, grid: Any, interpolation_mode: Any, padding_mode: Any, align_corners: Any) -> Tensor:
    """:func:`grid_sample` with its modes by number: bilinear, nearest, bicubic; zeros, border, reflection."""
def grid_sampler_2d(input: Tensor, grid: Any, interpolation_mode: Any, padding_mode: Any, align_corners: Any) -> Tensor:
    """:func:`grid_sampler` of images (n, c, height, width)."""
def grid_sampler_3d(input: Tensor, grid: Any, interpolation_mode: Any, padding_mode: Any, align_corners: Any) -> Tensor:
    """:func:`grid_sampler` of volumes (n, c, depth, height, width)."""
def group_norm(input: Tensor, num_groups: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: _Number = 1e-05) -> Tensor:
    """Standardize each of ``num_groups`` groups of channels (axis 1) of each sample, then ``* weight + bias`` by channel."""
def gru(input: Tensor, hx: Any, params: Any, has_biases: Any, num_layers: Any, dropout: Any, train: Any, bidirectional: Any, batch_first: Any) -> tuple[Tensor, ...]:
    """Outputs of the last layer, and the last states of every layer: see ``nn.GRU``."""
def gru_cell(input: Tensor, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step of a GRU: (n, features) and the state (n, h) -> the next state."""
def gt(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Greater: ``out = x > y``."""
def hamming_window(window_length: Any, periodic: _bool = True, alpha: _Number = 0.54, beta: _Number = 0.46, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """``w[i] = alpha - beta cos(2 pi i / n)``."""
def hann_window(window_length: Any, periodic: _bool = True, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """``w[i] = 0.5 - 0.5 cos(2 pi i / n)``."""
def hardshrink(input: Tensor, lambd: _Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Nothing near zero: ``out = 0 if abs(x) <= lambd else x``."""
def hash_tensor(input: Tensor, dim: _int | Sequence[_int] | None = None, *, keepdim: _bool = False, mode: _str = 0, out: Tensor | None = None) -> Tensor:
    """The exclusive or of all elements along ``dim``, as the 64 bits of a float64 or an int64: a uint64."""
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The unit step: 0 below zero, ``values`` at zero, 1 above."""
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: _Number = 1.0, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """A distance where ``target`` is 1, ``max(0, margin - distance)`` where it is -1."""
def histc(input: Tensor, bins: _int = 100, min: _Number = 0, max: _Number = 0, *, out: Tensor | None = None) -> Tensor:
    """How many elements fall into each of ``bins`` equal ranges between ``min`` and ``max`` (if equal: of ``x``)."""
def histogram(input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: _bool = False) -> _HistBinEdges:
    """How much of ``input`` falls into each bin, and the bins' edges."""
def histogramdd(input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: _bool = False) -> _HistBinEdges:
    """:func:`histogram` for points ``(..., d)`` in ``d`` dimensions; ``range`` lists two limits for each."""
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Pieces along the columns (along the only dim of a vector)."""
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the columns; vectors end to end."""
def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Length of the vector (x, y): ``out = sqrt(x ** 2 + y ** 2)``."""
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of order 0."""
def i0_(input: Tensor) -> Tensor:
    """Modified Bessel function of order 0."""
def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Lower incomplete gamma function, regularized: ``1 / gamma(x) integral of t ** (x - 1) exp(-t) from 0 to y``."""
def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Upper incomplete gamma function, regularized: ``out = 1 - igamma(x, y)``."""
def im2col(input: Tensor, kernel_size: _int | Sequence[_int], dilation: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, stride: _int | Sequence[_int] = 1, *, out: Tensor | None = None) -> Tensor:
    """Sliding windows as columns: ``(n, c, h, w) -> (n, c k k, places)``."""
def imag(input: Tensor) -> Tensor:
    """The imaginary part of a complex tensor, in its memory."""
def index_add(input: Tensor, dim: _int | Sequence[_int], index: Tensor, source: Tensor, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """``x`` with ``alpha * source`` added to its slices at ``index`` along ``dim``; repeated places add up."""
def index_copy(input: Tensor, dim: _int | Sequence[_int], index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``x`` with its slices at ``index`` along ``dim`` replaced by ``source``."""
def index_fill(input: Tensor, dim: _int | Sequence[_int], index: Tensor, value: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``x`` with its slices at ``index`` along ``dim`` filled with ``value``."""
def index_put(input: Tensor, indices: Tensor, values: Tensor, accumulate: _bool = False) -> Tensor:
    """A copy of ``input`` with ``values`` written, or added, at the ``indices`` of its leading dims."""
def index_put_(input: Tensor, indices: Tensor, values: Tensor, accumulate: _bool = False) -> Tensor:
    """Write, or add, ``values`` into ``input`` at the ``indices`` of its leading dims."""
def index_reduce(input: Tensor, dim: _int | Sequence[_int], index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True, out: Tensor | None = None) -> Tensor:
    """``x`` with all slices of ``source`` that go to one slice along ``dim`` reduced, together with it or without."""
def index_select(input: Tensor, dim: _int | Sequence[_int], index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The slices of ``x`` at ``index`` along ``dim``."""
def inner(input: Tensor, other: _Number | Tensor) -> Tensor:
    """Sums of products over the last dimensions: ``out[..., *] = sum_j input[..., j] * other[*, j]``."""
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse: ``x @ out = eye``."""
def is_conj(input: Tensor) -> _bool:
    """Whether it is a view of conjugates, which its memory does not hold."""
def isclose(input: Tensor, other: _Number | Tensor, rtol: _Number = 1e-05, atol: _Number = 1e-08, equal_nan: _bool = False) -> Tensor:
    """Equal up to rounding: ``out = abs(input - other) <= atol + rtol * abs(other)``."""
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """It is neither infinite nor nan."""
def isin(elements: Tensor, test_elements: Tensor, *, assume_unique: _bool = False, invert: _bool = False, out: Tensor | None = None) -> Tensor:
    """Whether each element is one of ``test_elements``."""
def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """It is infinite."""
def isnan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """It is not a number."""
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """It is minus infinity."""
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """It is plus infinity."""
def isreal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Its imaginary part is 0."""
def istft(input: Tensor, n_fft: Any, hop_length: Any = None, win_length: Any = None, window: Any = None, center: _bool = True, normalized: _bool = False, onesided: Any = None, length: Any = None, return_complex: _bool = False) -> Tensor:
    """The inverse of :func:`stft`: pieces are transformed back, weighed with the window again, added up where they"""
def kaiser_window(window_length: Any, periodic: _bool = True, beta: _Number = 12.0, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """``w[i] = i0(beta sqrt(1 - (2 i / n - 1) ** 2)) / i0(beta)``."""
def kron(input: Tensor, other: _Number | Tensor) -> Tensor:
    """Each element of ``input`` times all of ``other``, laid out in blocks: ``out[i m + k] = input[i] * other[k]``."""
def kthvalue(input: Tensor, k: _int, dim: _int | Sequence[_int] = -1, keepdim: _bool = False, *, out: Any = None) -> Tensor | Any:
    """The ``k``-th smallest along ``dim``, and where it is."""
def layer_norm(input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, bias: Tensor | None = None, eps: _Number = 1e-05) -> Tensor:
    """Standardize over the last dimensions, those of ``normalized_shape``, then ``* weight + bias`` element by element."""
def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Least common multiple, not negative."""
def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """Least common multiple, not negative."""
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply by a power of two: ``out = x * 2 ** y``."""
def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """Multiply by a power of two: ``out = x * 2 ** y``."""
def le(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Less or equal: ``out = x <= y``."""
def lerp(input: Tensor, end: Tensor, weight: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Go part of the way: ``out = x + weight * (end - x)``."""
def less(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Less: ``out = x < y``."""
def less_equal(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Less or equal: ``out = x <= y``."""
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the absolute value of the gamma function."""
def linspace(start: _int, end: Any, steps: Any, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """``steps`` values from ``start`` to ``end``, equally spaced, both included."""
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Natural logarithm: ``exp(out) = x``."""
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm to base 10: ``10 ** out = x``."""
def log10_(input: Tensor) -> Tensor:
    """Logarithm to base 10: ``10 ** out = x``."""
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of one more: ``out = log(1 + x)``, exact near 0."""
def log1p_(input: Tensor) -> Tensor:
    """Logarithm of one more: ``out = log(1 + x)``, exact near 0."""
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm to base 2: ``2 ** out = x``."""
def log2_(input: Tensor) -> Tensor:
    """Logarithm to base 2: ``2 ** out = x``."""
def log_(input: Tensor) -> Tensor:
    """Natural logarithm: ``exp(out) = x``."""
def log_softmax(input: Tensor, dim: _int | Sequence[_int], dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of softmax: ``out = x - log(sum(exp(x)))`` along ``dim``."""
def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Addition of numbers given as logarithms: ``out = log(exp(x) + exp(y))``."""
def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Addition of numbers given as logarithms to base 2: ``out = log2(2 ** x + 2 ** y)``."""
def logcumsumexp(input: Tensor, dim: _int | Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """``out[i] = log(exp(x[0]) + ... + exp(x[i]))`` along ``dim``."""
def logdet(input: Tensor) -> Tensor:
    """Logarithm of the determinant; NaN where it is negative."""
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Both are true (not 0)."""
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """It is false (0)."""
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """At least one is true (not 0)."""
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Exactly one is true (not 0)."""
def logit(input: Tensor, eps: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Log-odds: ``out = log(x / (1 - x))``, with x first brought within [eps, 1 - eps]."""
def logit_(input: Tensor, eps: Any = None) -> Tensor:
    """Log-odds: ``out = log(x / (1 - x))``, with x first brought within [eps, 1 - eps]."""
def logspace(start: _int, end: Any, steps: Any, base: _Number = 10.0, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """``base ** linspace(start, end, steps)``."""
def logsumexp(input: Tensor, dim: _int | Sequence[_int], keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """``out = log(sum(exp(x)))`` along ``dim``."""
def lstm(input: Tensor, hx: Any, params: Any, has_biases: Any, num_layers: Any, dropout: Any, train: Any, bidirectional: Any, batch_first: Any) -> tuple[Tensor, ...]:
    """Outputs of the last layer, and the last states h and c of every layer: see ``nn.LSTM``."""
def lstm_cell(input: Tensor, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> tuple[Tensor, ...]:
    """One step of an LSTM: (n, features) and the states (h, c) -> the next h and c."""
def lt(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Less: ``out = x < y``."""
def lu(A: Tensor, pivot: _bool = True, get_infos: _bool = False, out: Any = None) -> tuple[Tensor, ...]:
    """The older form of ``linalg.lu_factor``."""
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """The older form of ``linalg.lu_solve``."""
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: _bool = True, unpack_pivots: _bool = True, *, out: Sequence[Tensor] | None = None) -> _PLU:
    """The ``P``, ``L`` and ``U`` that ``lu_factor`` packs."""
def margin_ranking_loss(input1: Any, input2: Any, target: Tensor, margin: _Number = 0, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """``max(0, margin - target * (input1 - input2))``: which of two scores ought to be larger."""
def masked_fill(input: Tensor, mask: Tensor, value: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``x`` with ``value`` wherever ``mask`` is true."""
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``x`` with the elements of ``source``, in order, where ``mask`` is true."""
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements of ``x`` where ``mask`` is true, in row-major order."""
def matmul(input: Tensor, other: _Number | Tensor, *, out: Any = None) -> Tensor:
    """Product of vectors, matrices or batches of them: ``out = input @ other``."""
def matrix_exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sum_k x^k / k!``."""
def matrix_power(input: Tensor, n: _int) -> Tensor:
    """The product of ``n`` copies of a square matrix; of its inverse for negative ``n``."""
def max(input: Tensor, dim: Any = None, keepdim: _bool = False, *, other: _Number | Tensor | None = None) -> Tensor | Any:
    """The largest of everything; or along ``dim``, with its place; or, given another tensor, of each pair."""
def max_pool1d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor | Any:
    """The largest element of each window of a sequence ``(n, c, length)`` or ``(c, length)``."""
def max_pool2d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor | Any:
    """The largest element of each window of an image ``(n, c, h, w)`` or ``(c, h, w)``."""
def max_pool3d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor | Any:
    """The largest element of each window of a volume ``(n, c, d, h, w)`` or ``(c, d, h, w)``."""
def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of two, nan if either is: ``out = max(x, y)``."""
def mean(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The sum along ``dim`` divided by how many were added."""
def median(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor | Any:
    """The middle element in order (the lower of two); along ``dim``, with its place."""
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: _str = 'ij') -> tuple[Tensor, ...]:
    """Each vector repeated, without copying, over the grid of all: its values vary along a dim of its own."""
def min(input: Tensor, dim: Any = None, keepdim: _bool = False, *, other: _Number | Tensor | None = None) -> Tensor | Any:
    """The smallest of everything; or along ``dim``, with its place; or, given another tensor, of each pair."""
def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two, nan if either is: ``out = min(x, y)``."""
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Product of two matrices: ``out[i, k] = sum_j x[i, j] * mat2[j, k]``."""
def mode(input: Tensor, dim: _int | Sequence[_int] = -1, keepdim: _bool = False, *, out: Any = None) -> Tensor | Any:
    """The most frequent value along ``dim``, and where it is."""
def moveaxis(input: Tensor, source: Tensor, destination: Any) -> Tensor:
    """The dims ``source`` moved to the places ``destination``; the others keep their order."""
def movedim(input: Tensor, source: Tensor, destination: Any) -> Tensor:
    """The dims ``source`` moved to the places ``destination``; the others keep their order."""
def msort(input: Tensor) -> Tensor:
    """``input`` in order along its first dim."""
def mul(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Multiply element by element: ``out = x * y``."""
def multinomial(input: Tensor, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """Numbers of categories, drawn with the weights in ``input``: a 1-D tensor, or a row of them per row of draws."""
def multiply(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Multiply element by element: ``out = x * y``."""
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Product of a matrix and a vector: ``out[i] = sum_j x[i, j] * vec[j]``."""
def mvlgamma(input: Tensor, p: Any, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the multivariate gamma function: ``out = p (p - 1) / 4 log(pi) + sum(lgamma(x - j / 2))``, j < p."""
def nan_to_num(input: Tensor, nan: Any = None, posinf: Any = None, neginf: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Finite stand-ins for nan (0) and the infinities (the largest and smallest number)."""
def nan_to_num_(input: Tensor, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
    """Finite stand-ins for nan (0) and the infinities (the largest and smallest number)."""
def nanmean(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
    """The mean along ``dim`` of what is not NaN."""
def nanmedian(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor | Any:
    """The middle of what is not NaN; along ``dim``, with its place."""
def nanquantile(input: Tensor, q: Any, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
    """The quantile ``q`` of what is not NaN."""
def nansum(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The sum along ``dim`` with NaN counted as zero."""
def narrow(input: Tensor, dim: _int | Sequence[_int], start: _int, length: Any) -> Tensor:
    """The ``length`` places from ``start`` on along ``dim``."""
def ne(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Different: ``out = x != y``."""
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Change the sign: ``out = -x``."""
def neg_(input: Tensor) -> Tensor:
    """Change the sign: ``out = -x``."""
def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Change the sign: ``out = -x``."""
def negative_(input: Tensor) -> Tensor:
    """Change the sign: ``out = -x``."""
def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number next to ``x`` on the way to ``y``: ``x`` itself where they are equal."""
def nonzero(input: Tensor, *, as_tuple: _bool = False) -> Tensor | Any:
    """The places of the nonzero elements: one row each, or one tensor per dim."""
def nonzero_static(input: Tensor, *, size: _int | Sequence[_int], fill_value: _Number = -1) -> Tensor:
    """The places of the elements that are not zero, cut off or filled up to ``size`` rows."""
def norm(input: Tensor, p: _str = 'fro', dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: _dtype | None = None) -> Tensor:
    """The vector norm of order ``p`` along ``dim``; ``"fro"`` is 2, ``"nuc"`` sums the singular values of a matrix."""
def normal(mean: Any, std: _Number = 1.0, size: _int | Sequence[_int] | None = None, *, generator: Generator | None = None, out: Any = None, **options: Any) -> Tensor:
    """Normal numbers with this ``mean`` and ``std``: tensors or numbers; of shape ``size`` if both are numbers."""
def not_equal(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Different: ``out = x != y``."""
def ones(*args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """A tensor of ones of shape ``size``."""
def ones_like(input: Tensor, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: Any = None) -> Tensor:
    """Ones of the shape, dtype and layout of ``input``."""
def orgqr(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first columns of the ``Q`` whose reflections ``geqrf`` keeps in ``x`` and ``tau``, as many as ``x`` has."""
def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: _bool = True, transpose: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """``Q @ y`` for the square ``Q`` of ``geqrf``'s reflections; ``y @ Q`` unless ``left``; ``Q^H`` with ``transpose``."""
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """All products of two elements: ``out[i, j] = input[i] * vec2[j]``."""
def pairwise_distance(x1: Any, x2: Any, p: _Number = 2.0, eps: _Number = 1e-06, keepdim: _bool = False) -> Tensor:
    """The ``p``-norm of ``x1 - x2 + eps`` along the last dimension."""
def pca_lowrank(A: Tensor, q: Any = None, center: _bool = True, niter: _Number = 2) -> tuple[Tensor, ...]:
    """The principal components of the rows of ``A``, nearly: :func:`svd_lowrank` of ``A`` less its mean row."""
def pdist(input: Tensor, p: _Number = 2.0) -> Tensor:
    """The distances of ``cdist(input, input)`` above the diagonal, row by row."""
@overload
def permute(input: Tensor, dims: _int | Sequence[_int]) -> Tensor:
    """The dims in another order: dim ``i`` of the result is dim ``dims[i]`` of ``x``."""
@overload
def permute(input: Tensor, *dims: _int) -> Tensor: ...
def pinverse(input: Tensor, rcond: Any = None, hermitian: _bool = False, *, atol: Tensor | None = None, rtol: Tensor | None = None) -> Tensor:
    """The pseudoinverse: the inverse where there is one, and the shortest least-squares solution otherwise."""
def pixel_shuffle(input: Tensor, upscale_factor: _int, *, out: Tensor | None = None) -> Tensor:
    """Turn groups of channels into blocks of pixels: ``(*, c r r, h, w) -> (*, c, h r, w r)``."""
def pixel_unshuffle(input: Tensor, downscale_factor: _int, *, out: Tensor | None = None) -> Tensor:
    """Turn blocks of pixels into groups of channels: ``(*, c, h r, w r) -> (*, c r r, h, w)``."""
def poisson(input: Tensor, generator: Generator | None = None, *, out: Tensor | None = None) -> Tensor:
    """Poisson numbers of the rates in ``input``."""
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: _bool = True, full: _bool = False, size_average: Any = None, eps: _Number = 1e-08, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """Negative log-likelihood of counts under a Poisson distribution of rate ``exp(input)``, or ``input`` itself."""
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``out = abs (cos(angle) + i sin(angle))``."""
def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The ``n``-th derivative of digamma."""
def positive(input: Tensor) -> Tensor:
    """The tensor itself: ``out = +x``."""
def pow(input: Tensor | _Number, exponent: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Raise to a power: ``out = x ** exponent``."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Ramp with a learnt slope below zero, one for all or one per channel (dim 1)."""
def prod(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """Multiply along one ``dim``, or everything; integers multiply in int64."""
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """``x`` with ``source`` written, or added, at the flat places ``index``."""
def qr(input: Tensor, some: _bool = True) -> tuple[Tensor, ...]:
    """The older form of ``linalg.qr``."""
def quantile(input: Tensor, q: Any, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
    """The value below which a part ``q`` of the elements along ``dim`` lies."""
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Radians to degrees: ``out = x * 180 / pi``."""
def rad2deg_(input: Tensor) -> Tensor:
    """Radians to degrees: ``out = x * 180 / pi``."""
def rand(*args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, generator: Generator | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """Uniform in [0, 1), of shape ``size``."""
def rand_like(input: Tensor, *, generator: Generator | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: Any = None) -> Tensor:
    """Uniform in [0, 1), of the shape, dtype and layout of ``input``."""
def randint(*args: _int | Sequence[_int], low: _Number = 0, high: Any = None, size: _int | Sequence[_int] | None = None, generator: Generator | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """Integers in [``low``, ``high``), of shape ``size``."""
def randint_like(input: Tensor, *bounds: _int | Sequence[_int], low: _Number = 0, high: Any = None, generator: Generator | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: Any = None) -> Tensor:
    """Integers in [``low``, ``high``), of the shape, dtype and layout of ``input``."""
def randn(*args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, generator: Generator | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """Standard normal, of shape ``size``."""
def randn_like(input: Tensor, *, generator: Generator | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: Any = None) -> Tensor:
    """Standard normal, of the shape, dtype and layout of ``input``."""
def randperm(n: _int, *, generator: Generator | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """The integers below ``n`` in random order."""
def range(start: _int, end: Any, step: _int = 1, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """``start``, ``start + step``, ... up to and including ``end``. Deprecated in favour of ``arange``."""
def ravel(input: Tensor) -> Tensor:
    """All elements in one dim."""
def real(input: Tensor) -> Tensor:
    """The real part of a complex tensor, in its memory; a real tensor itself."""
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """One over: ``out = 1 / x``."""
def reciprocal_(input: Tensor) -> Tensor:
    """One over: ``out = 1 / x``."""
def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Ramp: ``out = max(x, 0)``."""
def relu_(input: Tensor) -> Tensor:
    """Ramp: ``out = max(x, 0)``."""
def remainder(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """What rounding down leaves: ``out = x - floor(x / y) * y``, with the sign of ``y``."""
def renorm(input: Tensor, p: Any, dim: _int | Sequence[_int], maxnorm: Any, *, out: Tensor | None = None) -> Tensor:
    """Slices along ``dim`` whose ``p``-norm exceeds ``maxnorm``, scaled down to it."""
def repeat_interleave(input: Tensor, repeats: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None, *, output_size: _int | Sequence[_int] | None = None) -> Tensor:
    """Each element (or slice along ``dim``) ``repeats`` times in a row; a lone tensor of counts gives the places."""
def reshape(input: Tensor, *sizes: _int | Sequence[_int], shape: _int | Sequence[_int] | None = None) -> Tensor:
    """Another ``shape``: a view where the strides allow one, else a copy."""
def resolve_conj(input: Tensor) -> Tensor:
    """A view of conjugates (``is_conj()``) in memory of its own; any other tensor itself."""
def resolve_neg(input: Tensor) -> Tensor:
    """A view of negatives (``is_neg()``) in memory of its own; any other tensor itself."""
def rms_norm(input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, eps: Any = None) -> Tensor:
    """Divide by the root of the mean square over the last dimensions: ``out = x / sqrt(mean(x * x) + eps) * weight``."""
def rnn_relu(input: Tensor, hx: Any, params: Any, has_biases: Any, num_layers: Any, dropout: Any, train: Any, bidirectional: Any, batch_first: Any) -> tuple[Tensor, ...]:
    """Outputs of the last layer, and the last states of every layer: see ``nn.RNN``."""
def rnn_relu_cell(input: Tensor, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step of an RNN: ``relu(input @ w_ih.T + b_ih + hx @ w_hh.T + b_hh)``."""
def rnn_tanh(input: Tensor, hx: Any, params: Any, has_biases: Any, num_layers: Any, dropout: Any, train: Any, bidirectional: Any, batch_first: Any) -> tuple[Tensor, ...]:
    """Outputs of the last layer, and the last states of every layer: see ``nn.RNN``."""
def rnn_tanh_cell(input: Tensor, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step of an RNN: ``tanh(input @ w_ih.T + b_ih + hx @ w_hh.T + b_hh)``."""
def roll(input: Tensor, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] = ..., *, out: Tensor | None = None) -> Tensor:
    """Move everything ``shifts`` places on along ``dims``; what falls off one end enters at the other."""
def rot90(input: Tensor, k: _int = 1, dims: _int | Sequence[_int] = ..., *, out: Tensor | None = None) -> Tensor:
    """Turn the plane of two dims by ``k`` times 90 degrees, from the first towards the second."""
def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest number with ``decimals`` digits behind the point, the even one of two."""
def round_(input: Tensor, *, decimals: _int = 0) -> Tensor:
    """The nearest number with ``decimals`` digits behind the point, the even one of two."""
def row_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the rows; a vector is one row."""
def rrelu(input: Tensor, lower: _Number = 0.125, upper: _Number = 0.3333333333333333, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Ramp whose slope below zero is random in ``training``, else halfway between the bounds."""
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Reciprocal of the square root: ``out = 1 / sqrt(x)``."""
def rsqrt_(input: Tensor) -> Tensor:
    """Reciprocal of the square root: ``out = 1 / sqrt(x)``."""
def rsub(input: Tensor, other: Tensor | _Number, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Subtract the other way round: ``out = y - alpha * x``."""
def scatter(input: Tensor, dim: _int | Sequence[_int], index: Tensor, src: Tensor | None = None, *, value: Any = None, reduce: _str | None = None, out: Tensor | None = None) -> Tensor:
    """``x`` with ``out[..., index[p], ...] = src[p]`` along ``dim`` (or a number everywhere); ``reduce`` combines instead."""
def scatter_add(input: Tensor, dim: _int | Sequence[_int], index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``x`` with ``out[..., index[p], ...] += src[p]`` along ``dim``; repeated places add up."""
def scatter_reduce(input: Tensor, dim: _int | Sequence[_int], index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True, out: Tensor | None = None) -> Tensor:
    """``x`` with all ``src[p]`` that arrive at one place along ``dim`` reduced, together with what was there or without."""
def searchsorted(sorted_sequence: Any, input: Tensor, *, out_int32: _bool = False, right: _bool = False, side: Any = None, sorter: Tensor | None = None) -> Tensor:
    """For each value of ``input`` the place where it would enter the sorted last dim of ``sorted_sequence``."""
def select(input: Tensor, dim: _int | Sequence[_int], index: Any) -> Tensor:
    """The part at ``index`` along ``dim``; that dim is gone."""
def select_scatter(input: Tensor, src: Tensor, dim: _int | Sequence[_int], index: Any, *, out: Tensor | None = None) -> Tensor:
    """A copy of ``x`` with ``src`` in the place of ``x.select(dim, index)``."""
def selu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The ELU whose outputs keep mean 0 and variance 1."""
def selu_(input: Tensor) -> Tensor:
    """The ELU whose outputs keep mean 0 and variance 1."""
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Direction from zero: ``out = x / abs(x)``, and 0 at 0."""
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Squash to (0, 1): ``out = 1 / (1 + exp(-x))``."""
def sigmoid_(input: Tensor) -> Tensor:
    """Squash to (0, 1): ``out = 1 / (1 + exp(-x))``."""
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Which side of zero: ``out = -1, 0 or 1``."""
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether the sign bit is set: true for negative numbers and for -0."""
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sine: ``out = sin(x)``."""
def sin_(input: Tensor) -> Tensor:
    """Sine: ``out = sin(x)``."""
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sine by its angle: ``out = sin(pi x) / (pi x)``, and 1 at 0."""
def sinc_(input: Tensor) -> Tensor:
    """Sine by its angle: ``out = sin(pi x) / (pi x)``, and 1 at 0."""
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic sine: ``out = (exp(x) - exp(-x)) / 2``."""
def sinh_(input: Tensor) -> Tensor:
    """Hyperbolic sine: ``out = (exp(x) - exp(-x)) / 2``."""
def slice_scatter(input: Tensor, src: Tensor, dim: _int | Sequence[_int] = 0, start: _int | None = None, end: Any = None, step: _int = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy of ``x`` with ``src`` in the place of its slice ``start:end:step`` along ``dim``."""
def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _SignLogabsdet:
    """Sign and logarithm of the determinant: ``det(x) = sign * exp(logabsdet)``, where the determinant would overflow."""
def softmax(input: Tensor, dim: _int | Sequence[_int], dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """Exponentials as shares of their sum: ``out = exp(x) / sum(exp(x))`` along ``dim``."""
def sort(input: Tensor, dim: _int | Sequence[_int] = -1, descending: _bool = False, stable: Any = None, *, out: Sequence[Tensor] | None = None) -> _ValuesIndices:
    """``x`` in order along ``dim``, and where each element was; with ``stable``, equals keep their order."""
def split(input: Tensor, split_size_or_sections: Any, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """Consecutive pieces along ``dim``: all of one size, or of the sizes in a list."""
def split_with_sizes(input: Tensor, split_sizes: _int | Sequence[_int], dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """Consecutive pieces of these sizes along ``dim``."""
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Square root: ``out * out = x``, not negative."""
def sqrt_(input: Tensor) -> Tensor:
    """Square root: ``out * out = x``, not negative."""
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply by itself: ``out = x ** 2``."""
def square_(input: Tensor) -> Tensor:
    """Multiply by itself: ``out = x ** 2``."""
@overload
def squeeze(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """Drop the dims of size one: all of them, or those named."""
@overload
def squeeze(input: Tensor, *dim: _int) -> Tensor: ...
def stack(tensors: Sequence[Tensor], dim: _int | Sequence[_int] = 0, *, out: Tensor | None = None) -> Tensor:
    """The ``tensors``, all of one shape, along a new ``dim``."""
def std(input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: Any = None, keepdim: _bool = False, *, correction: Any = None) -> Tensor:
    """The standard deviation along ``dim``: the square root of the variance."""
def std_mean(input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: Any = None, keepdim: _bool = False, *, correction: Any = None) -> tuple[Tensor, ...]:
    """Standard deviation and mean along ``dim``."""
def stft(input: Tensor, n_fft: Any, hop_length: Any = None, win_length: Any = None, window: Any = None, center: _bool = True, pad_mode: _str = 'reflect', normalized: _bool = False, onesided: Any = None, return_complex: Any = None, align_to_window: Any = None) -> Tensor:
    """Short-time Fourier transform: ``out[..., k, m] = sum_j window[j] input[m hop + j] exp(-2 pi i j k / n_fft)``."""
def sub(input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Subtract element by element: ``out = x - alpha * y``."""
def subtract(input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Subtract element by element: ``out = x - alpha * y``."""
def sum(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """Add up along ``dim``; integers add up in int64."""
def svd(input: Tensor, some: _bool = True, compute_uv: _bool = True) -> tuple[Tensor, ...]:
    """The older form of ``linalg.svd``: ``input = U @ diag(S) @ V^H``."""
def svd_lowrank(A: Tensor, q: _Number = 6, niter: _Number = 2, M: Any = None) -> tuple[Tensor, ...]:
    """The ``q`` largest singular values with their vectors, nearly: ``A = U @ diag(S) @ V^H``. Random: see ``manual_seed``."""
def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """Exchange two dims."""
def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Exchange two dims."""
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; a vector or a number stays as it is."""
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements of ``x``, seen as flat, at ``index``."""
def take_along_dim(input: Tensor, indices: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """The elements at ``indices`` along ``dim``; the other dims broadcast."""
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Tangent: ``out = sin(x) / cos(x)``."""
def tan_(input: Tensor) -> Tensor:
    """Tangent: ``out = sin(x) / cos(x)``."""
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic tangent: ``out = sinh(x) / cosh(x)``."""
def tanh_(input: Tensor) -> Tensor:
    """Hyperbolic tangent: ``out = sinh(x) / cosh(x)``."""
def tensor_split(input: Tensor, indices_or_sections: Any, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """Pieces along ``dim``: so many of nearly equal size, or cut at the given places."""
def tensordot(a: Tensor, b: Tensor, dims: _int | Sequence[_int] = 2) -> Tensor:
    """Sums of products over several dimensions: the last of ``a`` and first of ``b``, or the two lists in ``dims``."""
def threshold(input: Tensor, threshold: Any, value: Any, *, out: Tensor | None = None) -> Tensor:
    """Nothing changes above the threshold: ``out = x if x > threshold else value``."""
def threshold_(input: Tensor, threshold: Any, value: Any) -> Tensor:
    """Nothing changes above the threshold: ``out = x if x > threshold else value``."""
def tile(input: Tensor, *dims: _int | Sequence[_int]) -> Tensor:
    """:meth:`repeat`, with missing leading repeats counted as one."""
def topk(input: Tensor, k: _int, dim: _int | Sequence[_int] = -1, largest: _bool = True, sorted: _bool = True, *, out: Sequence[Tensor] | None = None) -> _ValuesIndices:
    """The ``k`` largest (or smallest) along ``dim`` in order, and where they are."""
def trace(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sum of the diagonal: ``out = sum_i x[i, i]``."""
def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Exchange two dims."""
def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: _int | Sequence[_int] = -1) -> Tensor:
    """Area under ``y`` along ``dim`` by the trapezoidal rule, sampled at ``x`` or at a distance of ``dx`` (1)."""
def trapz(y: Any, x: Any = None, *, dx: Any = None, dim: _int | Sequence[_int] = -1) -> Tensor:
    """The older name of ``trapezoid``."""
def triangular_solve(input: Tensor, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False, *, out: Sequence[Tensor] | None = None) -> _SolutionClonedCoefficient:
    """The ``solution`` with ``A @ solution = x``, or ``A^T @ solution = x``; one triangle of ``A`` is read. And ``A``."""
def tril(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The lower triangle of each matrix, up to the given ``diagonal``; zeros above."""
def tril_indices(row: Any, col: Any, offset: _int = 0, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """Row and column numbers of the elements on and below a diagonal: ``j <= i + offset``."""
def triplet_margin_loss(anchor: Any, positive: Any, negative: Any, margin: _Number = 1.0, p: _Number = 2, eps: _Number = 1e-06, swap: _bool = False, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """``max(0, margin + |anchor - positive| - |anchor - negative|)``, with ``swap`` the nearer of the negative's two."""
def triu(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The upper triangle of each matrix, from the given ``diagonal`` on; zeros below."""
def triu_indices(row: Any, col: Any, offset: _int = 0, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """Row and column numbers of the elements on and above a diagonal: ``j >= i + offset``."""
def true_divide(input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _str | None = None, out: Tensor | None = None) -> Tensor:
    """Divide element by element: ``out = x / y``, rounded towards zero (``trunc``) or down (``floor``) if asked for."""
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Drop what stands behind the point: ``out = sign(x) * floor(abs(x))``."""
def trunc_(input: Tensor) -> Tensor:
    """Drop what stands behind the point: ``out = sign(x) * floor(abs(x))``."""
def unbind(input: Tensor, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """The parts along ``dim``, one by one, without that dim."""
def unflatten(input: Tensor, dim: _int | Sequence[_int], sizes: _int | Sequence[_int]) -> Tensor:
    """The dim ``dim`` cut into several of these ``sizes``."""
def unique(input: Tensor, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | Sequence[_int] | None = None) -> Tensor | Any:
    """The distinct elements in order (always sorted), with their places and counts if wanted."""
def unique_consecutive(input: Tensor, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | Sequence[_int] | None = None) -> Tensor | Any:
    """The elements without those that equal the one before, with their places and counts if wanted."""
def unravel_index(indices: Tensor, shape: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """The coordinates of elements that are numbered in row-major order in a tensor of ``shape``."""
def unsafe_chunk(input: Tensor, chunks: _int, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """:func:`chunk` as :func:`unsafe_split` does it."""
def unsafe_split(input: Tensor, split_size: _int | Sequence[_int], dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """:func:`split` for pieces of which only one is used, or none is written: they share memory, unknown to autograd."""
def unsafe_split_with_sizes(input: Tensor, split_sizes: _int | Sequence[_int], dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """:func:`split_with_sizes` as :func:`unsafe_split` does it."""
def unsqueeze(input: Tensor, dim: _int | Sequence[_int]) -> Tensor:
    """Insert a dim of size one at ``dim``."""
def var(input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: Any = None, keepdim: _bool = False, *, correction: Any = None) -> Tensor:
    """The variance along ``dim``: ``out = sum(|x - mean(x)| ** 2) / (n - correction)``."""
def var_mean(input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: Any = None, keepdim: _bool = False, *, correction: Any = None) -> tuple[Tensor, ...]:
    """Variance and mean along ``dim``."""
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inner product of two vectors: ``out = sum_i conj(x[i]) * y[i]``."""
def view_as_complex(input: Tensor) -> Tensor:
    """A last dimension of size 2 as complex numbers, in the same memory."""
def view_as_real(input: Tensor) -> Tensor:
    """Real and imaginary parts side by side: the same memory with a last dimension of size 2."""
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Pieces along the rows."""
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the rows; a vector is one row."""
def where(condition: Tensor, input: Tensor | None = None, other: _Number | Tensor | None = None, *, out: Any = None) -> Tensor | Any:
    """Element by element, ``input`` or ``other``; with ``condition`` alone, the indices of its true elements."""
def xlogy(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Logarithm times: ``out = x * log(y)``, and 0 where x is 0."""
def xlogy_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """Logarithm times: ``out = x * log(y)``, and 0 where x is 0."""
def zero_(input: Tensor) -> Tensor:
    """Overwrite ``x`` with zeros."""
def zeros(*args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """A tensor of zeros of shape ``size``."""
def zeros_like(input: Tensor, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: Any = None) -> Tensor:
    """Zeros of the shape, dtype and layout of ``input``."""
BFloat16Tensor: type[Tensor]
BoolTensor: type[Tensor]
ByteTensor: type[Tensor]
CharTensor: type[Tensor]
ComplexDoubleTensor: type[Tensor]
ComplexFloatTensor: type[Tensor]
DoubleTensor: type[Tensor]
FloatTensor: type[Tensor]
HalfTensor: type[Tensor]
IntTensor: type[Tensor]
LongTensor: type[Tensor]
ShortTensor: type[Tensor]
UInt16Tensor: type[Tensor]
UInt32Tensor: type[Tensor]
UInt64Tensor: type[Tensor]
bfloat16: _dtype
bool: _dtype
cdouble: _dtype
cfloat: _dtype
complex128: _dtype
complex64: _dtype
double: _dtype
e: _float
float: _dtype
float16: _dtype
float32: _dtype
float64: _dtype
half: _dtype
inf: _float
int: _dtype
int16: _dtype
int32: _dtype
int64: _dtype
int8: _dtype
long: _dtype
nan: _float
pi: _float
short: _dtype
uint16: _dtype
uint32: _dtype
uint64: _dtype
uint8: _dtype
def detach_(input: Tensor) -> Tensor:
    """Forget this tensor's history."""
def resize_as_(input: Tensor) -> Tensor:
    """Change the shape to that of ``the_template``."""
newaxis: None
__version__: _str
own_version: _str
