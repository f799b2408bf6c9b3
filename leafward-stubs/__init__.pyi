# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

from leafward.devices import device as _device
from leafward.dtypes import dtype as _dtype
from leafward.tensor.random import Generator as _Generator
from leafward import autograd as autograd
from leafward import dtypes as dtypes
from leafward import errors as errors
from leafward.arrays.memory import empty_cache as empty_cache
from leafward.arrays.memory import memory_stats as memory_stats
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
from leafward.tensor.constructors import from_file as from_file
from leafward.tensor.constructors import from_numpy as from_numpy
from leafward.tensor.constructors import frombuffer as frombuffer
from leafward.tensor.constructors import scalar_tensor as scalar_tensor
from leafward.tensor.constructors import tensor as tensor
from leafward.tensor.constructors import to_dlpack as to_dlpack
from leafward.derive.kernels import kernel_of as kernel_of
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
from leafward.dtypes import per_channel_affine as per_channel_affine
from leafward.dtypes import per_channel_affine_float_qparams as per_channel_affine_float_qparams
from leafward.dtypes import per_channel_symmetric as per_channel_symmetric
from leafward.dtypes import per_tensor_affine as per_tensor_affine
from leafward.dtypes import per_tensor_symmetric as per_tensor_symmetric
from leafward.dtypes import preserve_format as preserve_format
from leafward.dtypes import promote_types as promote_types
from leafward.dtypes import qint8 as qint8
from leafward.dtypes import qint32 as qint32
from leafward.dtypes import qscheme as qscheme
from leafward.dtypes import quint2x4 as quint2x4
from leafward.dtypes import quint4x2 as quint4x2
from leafward.dtypes import quint8 as quint8
from leafward.dtypes import set_default_dtype as set_default_dtype
from leafward.dtypes import sparse_bsc as sparse_bsc
from leafward.dtypes import sparse_bsr as sparse_bsr
from leafward.dtypes import sparse_coo as sparse_coo
from leafward.dtypes import sparse_csc as sparse_csc
from leafward.dtypes import sparse_csr as sparse_csr
from leafward.dtypes import strided as strided
from leafward.errors import GradientError as GradientError
from leafward.errors import GradientWarning as GradientWarning
from leafward.errors import GraphFreedError as GraphFreedError
from leafward.errors import InplaceGradientError as InplaceGradientError
from leafward.errors import LeafOverwriteError as LeafOverwriteError
from leafward.errors import MissingGradientWarning as MissingGradientWarning
from leafward.errors import NoHistoryError as NoHistoryError
from leafward.errors import NonFiniteGradientWarning as NonFiniteGradientWarning
from leafward.errors import ReadOnlyTensorError as ReadOnlyTensorError
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
from leafward.compat import __future__ as __future__
from leafward.compat import _custom_ops as _custom_ops
from leafward.compat import _dynamo as _dynamo
from leafward.compat import _jit_internal as _jit_internal
from leafward.compat import _lobpcg as _lobpcg
from leafward.tensor import printing as _tensor_str
from leafward.compat import accelerator as accelerator
from leafward import amp as amp
from leafward import ao as ao
from leafward import array_api as array_api
from leafward.app import as_torch as as_torch
from leafward.compat import backends as backends
from leafward.nn import by_position as by_position
from leafward.compat import compiler as compiler
from leafward.compat import cpu as cpu
from leafward.compat import cuda as cuda
from leafward import distributed as distributed
from leafward import distributions as distributions
from leafward.compat import export as export
from leafward.compat import fft as fft
from leafward import func as func
from leafward.compat import functional as functional
from leafward.distributed import futures as futures
from leafward.compat import fx as fx
from leafward.compat import hub as hub
from leafward import io as io
from leafward.compat import jit as jit
from leafward.compat import library as library
from leafward.compat import linalg as linalg
from leafward.tensor import masked as masked
from leafward.tensor import memory as memory
from leafward.compat import mps as mps
from leafward import multiprocessing as multiprocessing
from leafward import nn as nn
from leafward.compat import onnx as onnx
from leafward import optim as optim
from leafward.compat import overrides as overrides
from leafward.compat import profiler as profiler
from leafward.ao import quantization as quantization
from leafward.compat import quasirandom as quasirandom
from leafward.tensor import random as random
from leafward.compat import return_types as return_types
from leafward.app import run as run
from leafward.io import serialization as serialization
from leafward.compat import signal as signal
from leafward.tensor import size as size
from leafward import sparse as sparse
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
from leafward.compat._C import PyTorchFileReader as PyTorchFileReader
from leafward.compat.jit import ScriptModule as ScriptModule
from leafward.tensor.storage import ShortStorage as ShortStorage
from leafward.tensor.storage import Storage as Storage
from leafward.tensor.storage import TypedStorage as TypedStorage
from leafward.tensor.storage import UntypedStorage as UntypedStorage
from leafward.nn.by_position import adaptive_max_pool1d as adaptive_max_pool1d
from leafward.nn.by_position import affine_grid_generator as affine_grid_generator
from leafward.nn.by_position import alias_copy as alias_copy
from leafward.trust import aliases as aliases
from leafward.nn.by_position import alpha_dropout as alpha_dropout
from leafward.nn.by_position import alpha_dropout_ as alpha_dropout_
from leafward.nn.by_position import as_strided_ as as_strided_
from leafward.nn.by_position import as_strided_copy as as_strided_copy
from leafward.trust import audit as audit
from leafward.amp import autocast as autocast
from leafward.nn.by_position import batch_norm as batch_norm
from leafward.nn.by_position import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from leafward.trust import can_write as can_write
from leafward.nn.by_position import channel_shuffle as channel_shuffle
from leafward.nn.by_position import col_indices_copy as col_indices_copy
from leafward.compat.jit import compile as compile
from leafward.nn.by_position import conv_tbc as conv_tbc
from leafward.nn.by_position import cosine_embedding_loss as cosine_embedding_loss
from leafward.nn.by_position import crow_indices_copy as crow_indices_copy
from leafward.nn.by_position import ctc_loss as ctc_loss
from leafward.nn.by_position import detach_copy as detach_copy
from leafward.nn.by_position import embedding as embedding
from leafward.nn.by_position import embedding_bag as embedding_bag
from leafward.nn.by_position import embedding_renorm_ as embedding_renorm_
from leafward.nn.by_position import expand_copy as expand_copy
from leafward.trust import explain as explain
from leafward.nn.by_position import feature_alpha_dropout as feature_alpha_dropout
from leafward.nn.by_position import feature_alpha_dropout_ as feature_alpha_dropout_
from leafward.nn.by_position import feature_dropout_ as feature_dropout_
from leafward.trust import freeze_ as freeze_
from leafward.nn.by_position import frobenius_norm as frobenius_norm
from leafward.amp import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from leafward.amp import get_autocast_dtype as get_autocast_dtype
from leafward.trust import graph as graph
from leafward.trust import hide_frames as hide_frames
from leafward.nn.by_position import hinge_embedding_loss as hinge_embedding_loss
from leafward.sparse import hspmm as hspmm
from leafward.nn.by_position import indices_copy as indices_copy
from leafward.app.as_torch import install_as_torch as install_as_torch
from leafward.nn.by_position import instance_norm as instance_norm
from leafward.amp import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from leafward.amp import is_autocast_enabled as is_autocast_enabled
from leafward.trust import keep_saved as keep_saved
from leafward.nn.by_position import kl_div as kl_div
from leafward.io.serialization import load as load
from leafward.compat._lobpcg import lobpcg as lobpcg
from leafward.nn.by_position import margin_ranking_loss as margin_ranking_loss
from leafward.nn.by_position import max_pool1d_with_indices as max_pool1d_with_indices
from leafward.trust import memory_report as memory_report
from leafward.trust import nan_origin as nan_origin
from leafward.nn.by_position import narrow_copy as narrow_copy
from leafward.nn.by_position import native_batch_norm as native_batch_norm
from leafward.nn.by_position import native_channel_shuffle as native_channel_shuffle
from leafward.nn.by_position import native_dropout as native_dropout
from leafward.nn.by_position import native_group_norm as native_group_norm
from leafward.nn.by_position import native_layer_norm as native_layer_norm
from leafward.nn.by_position import norm_except_dim as norm_except_dim
from leafward.nn.by_position import nuclear_norm as nuclear_norm
from leafward.nn.by_position import permute_copy as permute_copy
from leafward.utils import progress as progress
from leafward.nn.by_position import rrelu_ as rrelu_
from leafward.io.serialization import save as save
from leafward.trust import save_page as save_page
from leafward.nn.by_position import select_copy as select_copy
from leafward.amp import set_autocast_dtype as set_autocast_dtype
from leafward.amp import set_autocast_enabled as set_autocast_enabled
from leafward.trust import set_saved_policy as set_saved_policy
from leafward.trust import show as show
from leafward.nn.by_position import slice_copy as slice_copy
from leafward.sparse import smm as smm
from leafward.sparse import sparse_compressed_tensor as sparse_compressed_tensor
from leafward.sparse import sparse_coo_tensor as sparse_coo_tensor
from leafward.sparse import sparse_csr_tensor as sparse_csr_tensor
from leafward.nn.by_position import split_copy as split_copy
from leafward.nn.by_position import split_with_sizes_copy as split_with_sizes_copy
from leafward.sparse import spmm as spmm
from leafward.nn.by_position import squeeze_copy as squeeze_copy
from leafward.trust import strict as strict
from leafward.utils import summary as summary
from leafward.nn.by_position import t_copy as t_copy
from leafward.trust import trace_backward as trace_backward
from leafward.nn.by_position import transpose_copy as transpose_copy
from leafward.nn.by_position import triplet_margin_loss as triplet_margin_loss
from leafward.nn.by_position import unbind_copy as unbind_copy
from leafward.nn.by_position import unfold_copy as unfold_copy
from leafward.trust import unsafe_write as unsafe_write
from leafward.nn.by_position import unsqueeze_copy as unsqueeze_copy
from leafward.nn.by_position import values_copy as values_copy
from leafward.nn.by_position import vander as vander
from leafward.trust import verify_grads as verify_grads
from leafward.nn.by_position import view_as_complex_copy as view_as_complex_copy
from leafward.nn.by_position import view_as_real_copy as view_as_real_copy
from leafward.nn.by_position import view_copy as view_copy
from leafward.func import vmap as vmap
from leafward.trust import who_holds as who_holds
from leafward.trust import why_none as why_none

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
class _QR(NamedTuple):
    Q: Tensor
    R: Tensor
class _SignLogabsdet(NamedTuple):
    sign: Tensor
    logabsdet: Tensor
class _SolutionClonedCoefficient(NamedTuple):
    solution: Tensor
    cloned_coefficient: Tensor
class _USV(NamedTuple):
    U: Tensor
    S: Tensor
    V: Tensor
class _ValuesIndices(NamedTuple):
    values: Tensor
    indices: Tensor
def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Distance from zero: `out = abs(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def abs_(input: Tensor) -> Tensor:
    """Distance from zero: `out = abs(x)`.

    Args:
        input: the tensor to compute on
    """
def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Distance from zero: `out = abs(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle whose cosine is x, in [0, pi].

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def acos_(input: Tensor) -> Tensor:
    """Angle whose cosine is x, in [0, pi].

    Args:
        input: the tensor to compute on
    """
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of cosh: `out = log(x + sqrt(x ** 2 - 1))`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def acosh_(input: Tensor) -> Tensor:
    """Inverse of cosh: `out = log(x + sqrt(x ** 2 - 1))`.

    Args:
        input: the tensor to compute on
    """
def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """The means of `output_size` bins that cover a sequence evenly.

    Args:
        input: `(n, c, *space)`, or without `n`
        output_size: how many bins there are: an int for all dims, or one each; None: as many as elements
    """
def add(input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Add element by element: `out = x + alpha * y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        alpha: the number that `other` is multiplied by: 1 unless given
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """The sum of batched matrix products, and another: `out = beta * x + alpha * sum_b(batch1[b] @ batch2[b])`.

    Args:
        input: what the product is added to
        batch1: matrices on the left, `(b, n, m)`
        batch2: matrices on the right, `(b, m, p)`
        beta: the factor of `input`; with 0 it is not read
        alpha: the factor of the product
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Add a scaled quotient: `out = x + value * tensor1 / tensor2`.

    Args:
        input: the tensor to compute on
        tensor1: the first factor, or the numerator
        tensor2: the second factor, or the denominator
        value: the factor of the quotient
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Add a scaled product: `out = x + value * tensor1 * tensor2`.

    Args:
        input: the tensor to compute on
        tensor1: the first factor, or the numerator
        tensor2: the second factor, or the denominator
        value: the factor of the product
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """A matrix product and a sum: `out = beta * x + alpha * (mat1 @ mat2)`.

    Args:
        input: what the product is added to
        mat1: the matrix on the left
        mat2: the matrix on the right
        beta: the factor of `input`; with 0 it is not read
        alpha: the factor of the product
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """A product of matrix and vector and a sum: `out = beta * x + alpha * (mat @ vec)`.

    Args:
        input: what the product is added to
        mat: the matrix
        vec: the vector on the right
        beta: the factor of `input`; with 0 it is not read
        alpha: the factor of the product
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
    """A product of matrix and vector and a sum: `out = beta * x + alpha * (mat @ vec)`.

    Args:
        input: what the product is added to
        mat: the matrix
        vec: the vector on the right
        beta: the factor of `input`; with 0 it is not read
        alpha: the factor of the product
    """
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """An outer product and a sum: `out = beta * x + alpha * outer(vec1, vec2)`.

    Args:
        input: what the product is added to
        vec1: the first vector
        vec2: the second vector
        beta: the factor of `input`; with 0 it is not read
        alpha: the factor of the product
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of a matrix, or of each matrix of a batch.

    Args:
        input: the tensor that is viewed
    """
def alias(input: Tensor) -> Tensor:
    """The same memory, shape and strides: what `x[...]` is.

    Args:
        input: the tensor that is viewed
    """
def all(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether everything along `dim` is true.

    Anything but 0 is true. Of nothing the answer is True.

    Args:
        input: the numbers to reduce
        dim: the dim, or several, to reduce; None: all of them
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def allclose(input: Tensor, other: _Number | Tensor, rtol: _Number = 1e-05, atol: _Number = 1e-08, equal_nan: _bool = False) -> _bool:
    """Whether all elements are equal up to rounding, as a Python bool.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        rtol: tolerance relative to `other`
        atol: absolute tolerance
        equal_nan: True: NaN is close to NaN. False: to nothing
    """
def amax(input: Tensor, dim: _int | Sequence[_int] = ..., keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The largest along `dim`; equals share the gradient.

    Args:
        input: the tensor to compute on
        dim: the dim, or several, to reduce; empty: all of them
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def amin(input: Tensor, dim: _int | Sequence[_int] = ..., keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The smallest along `dim`; equals share the gradient.

    Args:
        input: the tensor to compute on
        dim: the dim, or several, to reduce; empty: all of them
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def aminmax(input: Tensor, *, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, out: Sequence[Tensor] | None = None) -> _MinMax:
    """The smallest and the largest, along `dim` or of everything.

    Args:
        input: the tensor to compute on
        dim: the dim to reduce; None: all of them
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle in the complex plane: 0 for positive numbers, pi for negative ones.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def any(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether anything along `dim` is true.

    Anything but 0 is true. Of nothing the answer is False.

    Args:
        input: the numbers to reduce
        dim: the dim, or several, to reduce; None: all of them
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def arange(*bounds: _Number | Tensor, start: _Number | Tensor = 0, end: _Number | Tensor | None = None, step: _Number | Tensor = 1, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """`start`, `start + step`, `start + 2 step`, ... before `end`.

    Integers give int64, floats the default dtype.

    Args:
        bounds: one or more of the numbers below, by position
        start: the first number
        end: where to stop
        step: the difference of neighbours
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle whose cosine is x, in [0, pi].

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def arccos_(input: Tensor) -> Tensor:
    """Angle whose cosine is x, in [0, pi].

    Args:
        input: the tensor to compute on
    """
def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of cosh: `out = log(x + sqrt(x ** 2 - 1))`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def arccosh_(input: Tensor) -> Tensor:
    """Inverse of cosh: `out = log(x + sqrt(x ** 2 - 1))`.

    Args:
        input: the tensor to compute on
    """
def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle whose sine is x, in [-pi/2, pi/2].

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def arcsin_(input: Tensor) -> Tensor:
    """Angle whose sine is x, in [-pi/2, pi/2].

    Args:
        input: the tensor to compute on
    """
def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of sinh: `out = log(x + sqrt(x ** 2 + 1))`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def arcsinh_(input: Tensor) -> Tensor:
    """Inverse of sinh: `out = log(x + sqrt(x ** 2 + 1))`.

    Args:
        input: the tensor to compute on
    """
def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle whose tangent is x, in (-pi/2, pi/2).

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle of the point with abscissa y and ordinate x, in [-pi, pi]: `tan(out) = x / y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def arctan_(input: Tensor) -> Tensor:
    """Angle whose tangent is x, in (-pi/2, pi/2).

    Args:
        input: the tensor to compute on
    """
def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of tanh: `out = log((1 + x) / (1 - x)) / 2`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def arctanh_(input: Tensor) -> Tensor:
    """Inverse of tanh: `out = log((1 + x) / (1 - x)) / 2`.

    Args:
        input: the tensor to compute on
    """
def argmax(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Where the largest is along `dim`: the first of equals.

    NaN counts as the largest.

    Args:
        input: the tensor to compute on
        dim: the dim to search; None: the place in the flat tensor
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def argmin(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Where the smallest is along `dim`: the first of equals.

    Args:
        input: the tensor to compute on
        dim: the dim to search; None: the place in the flat tensor
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def argsort(input: Tensor, dim: _int | Sequence[_int] = -1, descending: _bool = False, stable: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The places of the elements in order along `dim`; with `stable`, equals keep their order.

    Args:
        input: the tensor to compute on
        dim: the dim to work along; None, where it is taken: all elements in a row
        descending: True: the largest first. False: the smallest first
        stable: True: equal elements stay in order. None and False: they need not, but do here
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def argwhere(input: Tensor) -> Tensor:
    """One row per nonzero element: its place along each dim.

    Args:
        input: the tensor to compute on
    """
def as_strided(input: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None) -> Tensor:
    """The storage of `input` from `storage_offset` on, seen with any sizes and strides.

    Args:
        input: the tensor that is viewed
        size: the shape of the view; of `unfold` the length of a window
        stride: for each dim how many elements apart its neighbours are
        storage_offset: where the view begins in memory, in elements; None: where `input` does
    """
def as_strided_scatter(input: Tensor, src: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None) -> Tensor:
    """A copy of `input` with `src` in the places that `as_strided` would show.

    Args:
        input: the tensor to compute on
        src: the values that are put in
        size: the shape of the result
        stride: for each dim how many elements apart its neighbours are
        storage_offset: where the view begins, in elements; None: where `input` does
    """
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle whose sine is x, in [-pi/2, pi/2].

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def asin_(input: Tensor) -> Tensor:
    """Angle whose sine is x, in [-pi/2, pi/2].

    Args:
        input: the tensor to compute on
    """
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of sinh: `out = log(x + sqrt(x ** 2 + 1))`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def asinh_(input: Tensor) -> Tensor:
    """Inverse of sinh: `out = log(x + sqrt(x ** 2 + 1))`.

    Args:
        input: the tensor to compute on
    """
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle whose tangent is x, in (-pi/2, pi/2).

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle of the point with abscissa y and ordinate x, in [-pi, pi]: `tan(out) = x / y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def atan_(input: Tensor) -> Tensor:
    """Angle whose tangent is x, in (-pi/2, pi/2).

    Args:
        input: the tensor to compute on
    """
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of tanh: `out = log((1 + x) / (1 - x)) / 2`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def atanh_(input: Tensor) -> Tensor:
    """Inverse of tanh: `out = log((1 + x) / (1 - x)) / 2`.

    Args:
        input: the tensor to compute on
    """
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """A 0-dim tensor as one element; anything else as it is.

    Args:
        tensors: one tensor, or several
    """
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """A vector as one row; anything of two or more dims as it is.

    Args:
        tensors: one tensor, or several
    """
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """A vector as `1 n 1`, a matrix as `n m 1`; anything of three or more dims as it is.

    Args:
        tensors: one tensor, or several
    """
def avg_pool1d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True) -> Tensor:
    """The mean of each window of a sequence `(n, c, length)` or `(c, length)`.

    Args:
        input: `(n, c, *space)`, or without `n`
        kernel_size: the size of the window: an int for all dims, or one each
        stride: how far the window moves, an int for all dims or one each; None: `kernel_size`, windows side by side
        padding: how many are put on each side, which never win a maximum and are zeros in a mean: an int for all dims, or one each
        ceil_mode: True: a last window that hangs over the edge counts. False: it is left out
        count_include_pad: True: zeros of the padding count in the divisor. False: they don't
    """
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Batched matrix products and a sum: `out = beta * x + alpha * (batch1 @ batch2)`.

    Args:
        input: what the product is added to
        batch1: matrices on the left, `(b, n, m)`
        batch2: matrices on the right, `(b, m, p)`
        beta: the factor of `input`; with 0 it is not read
        alpha: the factor of the product
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def bartlett_window(window_length: Any, periodic: _bool = True, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """`w[i] = 1 - abs(2 i / n - 1)`.

    Args:
        window_length: the number of points
        periodic: True: for spectra, as if one point longer. False: symmetric
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def bernoulli(input: Tensor, p: Any = None, *, generator: _Generator | None = None, out: Any = None) -> Tensor:
    """Ones with the probabilities in `input` (or all with probability `p`), zeros elsewhere.

    Args:
        input: the tensor that is read, or, with `_` at the end of the name, filled
        p: the probability of a one; None: `input` holds them
        generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def bilinear(input1: Any, input2: Any, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """A bilinear form per output: `out[..., k] = sum_ij input1[..., i] * weight[k, i, j] * input2[..., j] + bias[k]`.

    Args:
        input1: the vectors on the left
        input2: the vectors on the right
        weight: the matrices, `(out, in1, in2)`
        bias: what is added, `(out,)`; None: nothing
    """
def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """How often each number occurs, or the sum of its weights.

    Args:
        input: the tensor to compute on
        weights: how much each element counts; None: one
        minlength: the least length of the result
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def binomial(count: Tensor, prob: Tensor, generator: _Generator | None = None, *, out: Tensor | None = None) -> Tensor:
    """The number of successes in `count` trials, each of probability `prob`.

    Args:
        count: how many trials
        prob: the probability of success in each
        generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def bitwise_and(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Bits that both have set: `out = x & y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def bitwise_left_shift(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Move the bits up: `out = x << y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Every bit the other way: `out = ~x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def bitwise_or(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Bits that at least one has set: `out = x | y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def bitwise_right_shift(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Move the bits down, keeping the sign: `out = x >> y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def bitwise_xor(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Bits that exactly one has set: `out = x ^ y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def blackman_window(window_length: Any, periodic: _bool = True, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """`w[i] = 0.42 - 0.5 cos(2 pi i / n) + 0.08 cos(4 pi i / n)`.

    Args:
        window_length: the number of points
        periodic: True: for spectra, as if one point longer. False: symmetric
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """A matrix with `tensors` along its diagonal and zeros elsewhere.

    Args:
        tensors: the tensors, in order
    """
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Product of matrices pair by pair: `out[b] = x[b] @ mat2[b]`.

    `(b, n, m)` and `(b, m, p)` give `(b, n, p)`; nothing is broadcast.

    Args:
        input: the tensor to compute on
        mat2: the matrix on the right
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """All `tensors` repeated, without copying, to their common shape.

    Args:
        tensors: one tensor, or several
    """
def broadcast_to(input: Tensor, size: _int | Sequence[_int]) -> Tensor:
    """`input` repeated, without copying, to `size`.

    Args:
        input: the tensor that is viewed
        size: the shape of the view; one may be -1 and follows from the others
    """
def bucketize(input: Tensor, boundaries: Any, *, out_int32: _bool = False, right: _bool = False) -> Tensor:
    """For each value the number of its bucket between sorted `boundaries`.

    Args:
        input: the tensor to compute on
        boundaries: numbers that increase, 1-D
        out_int32: True: int32 results. False: int64
        right: which of the places among equals: False the first, True behind the last
    """
def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Every choice of one element from each vector, one row each.

    Args:
        tensors: the tensors, in order
    """
def cat(tensors: Sequence[Tensor], dim: _int | Sequence[_int] = 0, *, out: Tensor | None = None) -> Tensor:
    """The `tensors` one after the other along `dim`.

    Their sizes agree in all dims but `dim`, and are added up there.

    Args:
        tensors: the tensors to put together, in order
        dim: the dim to join along: the first unless given
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def cdist(x1: Any, x2: Any, p: _Number = 2.0, compute_mode: _str = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """The `p`-norm distance of every row of `x1` from every row of `x2`: `(*, n, d), (*, m, d) -> (*, n, m)`.

    Args:
        x1: one set of vectors
        x2: the other
        p: the order of the norm: 2 is the Euclidean distance, inf the largest difference
        compute_mode: whether Euclidean distances may go by a product of matrices: `"use_mm_for_euclid_dist_if_necessary"`, `"use_mm_for_euclid_dist"` or `"donot_use_mm_for_euclid_dist"`
    """
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smallest integer that is not smaller: `out - 1 < x <= out`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def ceil_(input: Tensor) -> Tensor:
    """The smallest integer that is not smaller: `out - 1 < x <= out`.

    Args:
        input: the tensor to compute on
    """
def celu(input: Tensor, alpha: _Number = 1.0, *, out: Tensor | None = None) -> Tensor:
    """Ramp with a smooth exponential tail: `out = x if x > 0 else alpha * (exp(x / alpha) - 1)`.

    Args:
        input: the tensor to compute on
        alpha: the height of the tail: values go down to `-alpha`
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def celu_(input: Tensor, alpha: _Number = 1.0) -> Tensor:
    """Ramp with a smooth exponential tail: `out = x if x > 0 else alpha * (exp(x / alpha) - 1)`.

    Args:
        input: the tensor to compute on
        alpha: the height of the tail: values go down to `-alpha`
    """
def chain_matmul(*matrices: Any) -> Tensor:
    """The older form of `linalg.multi_dot`, of matrices alone.

    Args:
        matrices: the matrices, in order
    """
def cholesky(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """`linalg.cholesky` under its first name, which takes `upper` by position, and whatever is empty.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        upper: True: the upper triangle. False: the lower one
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def cholesky_inverse(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """`(x @ x^H) ^ -1`, or with `upper` `(x^H @ x) ^ -1`.

    Args:
        input: the factor, as `cholesky` gives it
        upper: True: the factor is upper triangular. False: lower
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def cholesky_solve(input: Tensor, L: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The `out` with `(L @ L^H) @ out = x`, or with `upper` `(L^H @ L) @ out = x`.

    Args:
        input: the right-hand side, `(*, n, k)`
        L: the factor, as `cholesky` gives it
        upper: True: the factor is upper triangular. False: lower
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def chunk(input: Tensor, chunks: _int, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """At most `chunks` consecutive pieces along `dim`, equal but for the last.

    The pieces are views. There may be fewer than `chunks`: five elements in four chunks are 2, 2 and 1.

    Args:
        input: the tensor that is viewed
        chunks: how many pieces at most
        dim: the dim to work along: the first unless given
    """
def clamp(input: Tensor, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None, *, out: Tensor | None = None) -> Tensor:
    """Bring within bounds: `out = minimum(maximum(x, min), max)`.

    Where `min` is above `max`, the result is `max`. The gradient is zero outside the bounds.

    Args:
        input: the tensor to compute on
        min: the lower bound, a number or a tensor that broadcasts with `input`; None: no bound
        max: the upper bound, a number or a tensor that broadcasts with `input`; None: no bound
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def clamp_(input: Tensor, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor:
    """Bring within bounds: `out = minimum(maximum(x, min), max)`.

    Where `min` is above `max`, the result is `max`. The gradient is zero outside the bounds.

    Args:
        input: the tensor to compute on
        min: the lower bound, a number or a tensor that broadcasts with `input`; None: no bound
        max: the upper bound, a number or a tensor that broadcasts with `input`; None: no bound
    """
def clamp_max(input: Tensor, max: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Not above: `out = minimum(x, max)`.

    Args:
        input: the tensor to compute on
        max: the upper bound, a number or a tensor that broadcasts with `input`; None: no bound
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def clamp_max_(input: Tensor, max: Tensor | _Number) -> Tensor:
    """Not above: `out = minimum(x, max)`.

    Args:
        input: the tensor to compute on
        max: the upper bound, a number or a tensor that broadcasts with `input`; None: no bound
    """
def clamp_min(input: Tensor, min: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Not below: `out = maximum(x, min)`.

    Args:
        input: the tensor to compute on
        min: the lower bound, a number or a tensor that broadcasts with `input`; None: no bound
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def clamp_min_(input: Tensor, min: Tensor | _Number) -> Tensor:
    """Not below: `out = maximum(x, min)`.

    Args:
        input: the tensor to compute on
        min: the lower bound, a number or a tensor that broadcasts with `input`; None: no bound
    """
def clip(input: Tensor, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None, *, out: Tensor | None = None) -> Tensor:
    """Bring within bounds: `out = minimum(maximum(x, min), max)`.

    Where `min` is above `max`, the result is `max`. The gradient is zero outside the bounds.

    Args:
        input: the tensor to compute on
        min: the lower bound, a number or a tensor that broadcasts with `input`; None: no bound
        max: the upper bound, a number or a tensor that broadcasts with `input`; None: no bound
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def clip_(input: Tensor, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor:
    """Bring within bounds: `out = minimum(maximum(x, min), max)`.

    Where `min` is above `max`, the result is `max`. The gradient is zero outside the bounds.

    Args:
        input: the tensor to compute on
        min: the lower bound, a number or a tensor that broadcasts with `input`; None: no bound
        max: the upper bound, a number or a tensor that broadcasts with `input`; None: no bound
    """
def clone(input: Tensor, *, memory_format: Any = ..., out: Tensor | None = None) -> Tensor:
    """A copy with a history: the gradient passes straight through.

    Gradients flow through: `detach().clone()` is a copy without history.

    Args:
        input: the tensor to compute on
        memory_format: the order of the elements in memory: `lw.contiguous_format`, `lw.channels_last`, or `lw.preserve_format`, that of the input
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def col2im(input: Tensor, output_size: _int | Sequence[_int], kernel_size: _int | Sequence[_int], dilation: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, stride: _int | Sequence[_int] = 1, *, out: Tensor | None = None) -> Tensor:
    """Add columns up where their windows lie: `(n, c k k, places) -> (n, c, h, w)`.

    Args:
        input: the columns, `(n, c k k, places)`
        output_size: height and width of the image
        kernel_size: the size of the window: an int for all dims, or one each
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        padding: how many zeros are put on each side: an int for all dims, or one each
        stride: how far the window moves: an int for all dims, or one each
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the columns; a vector is one column.

    Args:
        tensors: the tensors to put together, in order
    """
def combinations(input: Tensor, r: _int = 2, with_replacement: _bool = False) -> Tensor:
    """Every choice of `r` elements of a vector, one row each.

    Args:
        input: the tensor that is read
        r: how many are chosen
        with_replacement: True: an element can be chosen again
    """
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`out = real + i imag`.

    Args:
        real: the real part
        imag: the imaginary part
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def concat(tensors: Sequence[Tensor], dim: _int | Sequence[_int] = 0, *, out: Tensor | None = None) -> Tensor:
    """The `tensors` one after the other along `dim`.

    Their sizes agree in all dims but `dim`, and are added up there.

    Args:
        tensors: the tensors to put together, in order
        dim: the dim to join along: the first unless given
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def concatenate(tensors: Sequence[Tensor], dim: _int | Sequence[_int] = 0, *, out: Tensor | None = None) -> Tensor:
    """The `tensors` one after the other along `dim`.

    Their sizes agree in all dims but `dim`, and are added up there.

    Args:
        tensors: the tensors to put together, in order
        dim: the dim to join along: the first unless given
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def conj(input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor itself.

    A view: nothing is computed, `is_conj()` is True, and what is written through it reaches `input`.
    `resolve_conj` gives it memory of its own, `conj_physical` computes at once.

    Args:
        input: the tensor to compute on
    """
def conj_physical(input: Tensor, *, out: Any = None) -> Tensor:
    """The complex conjugate; a real tensor itself.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def conj_physical_(input: Tensor) -> Tensor:
    """`conj_physical`, in place.

    Args:
        input: the tensor to compute on
    """
def constant_pad_nd(input: Tensor, pad: _int | Sequence[_int], value: _Number = 0, *, out: Tensor | None = None) -> Tensor:
    """`x` with `value` before and after its last dimensions; a negative width crops.

    `pad` holds two widths for the last dimension, then two for the one before it, and so on.

    Args:
        input: the tensor to compute on
        pad: how many to add: two ints for each dim, the last dim's first; negative ones crop
        value: the number that is put in
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Slide `weight` along a sequence.

    `input` is `(n, c, length)` or `(c, length)`, `weight` is `(o, c / groups, k)`, `bias` is `(o,)`.

    Args:
        input: the signals: `(n, c, *space)`, or without `n`
        weight: the kernels: `(out, in / groups, *kernel_size)`; of a transposed one `(in, out / groups, *kernel_size)`
        bias: one number for each output channel; None: nothing is added
        stride: how far the window moves: an int for all dims, or one each
        padding: zeros on each side: an int for all dims, or one each; where there is a `str` form, `"valid"` is none and `"same"` keeps the size
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        groups: into how many groups the channels are split; each is computed from its own inputs alone
    """
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Slide `weight` over an image.

    `input` is `(n, c, h, w)` or `(c, h, w)`, `weight` is `(o, c / groups, kh, kw)`, `bias` is `(o,)`.
    `padding` is a number of zeros on each side, `"valid"` (none) or `"same"` (as large an output as the input).

    Args:
        input: the signals: `(n, c, *space)`, or without `n`
        weight: the kernels: `(out, in / groups, *kernel_size)`; of a transposed one `(in, out / groups, *kernel_size)`
        bias: one number for each output channel; None: nothing is added
        stride: how far the window moves: an int for all dims, or one each
        padding: zeros on each side: an int for all dims, or one each; where there is a `str` form, `"valid"` is none and `"same"` keeps the size
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        groups: into how many groups the channels are split; each is computed from its own inputs alone
    """
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Slide `weight` through a volume: as `conv2d` with three spatial dimensions.

    Args:
        input: the signals: `(n, c, *space)`, or without `n`
        weight: the kernels: `(out, in / groups, *kernel_size)`; of a transposed one `(in, out / groups, *kernel_size)`
        bias: one number for each output channel; None: nothing is added
        stride: how far the window moves: an int for all dims, or one each
        padding: zeros on each side: an int for all dims, or one each; where there is a `str` form, `"valid"` is none and `"same"` keeps the size
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        groups: into how many groups the channels are split; each is computed from its own inputs alone
    """
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """Adjoint of `conv1d`: each element of `input` is spread as a copy of `weight`, which is `(c, o / groups, k)`.

    Args:
        input: the signals: `(n, c, *space)`, or without `n`
        weight: the kernels: `(out, in / groups, *kernel_size)`; of a transposed one `(in, out / groups, *kernel_size)`
        bias: one number for each output channel; None: nothing is added
        stride: how far the window moves: an int for all dims, or one each
        padding: zeros on each side: an int for all dims, or one each; where there is a `str` form, `"valid"` is none and `"same"` keeps the size
        output_padding: what is added to one side of the output's size: it chooses among sizes that `stride` maps to one
        groups: into how many groups the channels are split; each is computed from its own inputs alone
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
    """
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """Adjoint of `conv2d`: each pixel of `input` is spread as a copy of `weight`, `(c, o / groups, kh, kw)`.

    Args:
        input: the signals: `(n, c, *space)`, or without `n`
        weight: the kernels: `(out, in / groups, *kernel_size)`; of a transposed one `(in, out / groups, *kernel_size)`
        bias: one number for each output channel; None: nothing is added
        stride: how far the window moves: an int for all dims, or one each
        padding: zeros on each side: an int for all dims, or one each; where there is a `str` form, `"valid"` is none and `"same"` keeps the size
        output_padding: what is added to one side of the output's size: it chooses among sizes that `stride` maps to one
        groups: into how many groups the channels are split; each is computed from its own inputs alone
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
    """
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """Adjoint of `conv3d`: each voxel of `input` is spread as a copy of `weight`.

    Args:
        input: the signals: `(n, c, *space)`, or without `n`
        weight: the kernels: `(out, in / groups, *kernel_size)`; of a transposed one `(in, out / groups, *kernel_size)`
        bias: one number for each output channel; None: nothing is added
        stride: how far the window moves: an int for all dims, or one each
        padding: zeros on each side: an int for all dims, or one each; where there is a `str` form, `"valid"` is none and `"same"` keeps the size
        output_padding: what is added to one side of the output's size: it chooses among sizes that `stride` maps to one
        groups: into how many groups the channels are split; each is computed from its own inputs alone
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
    """
def convolution(input: Tensor, weight: Tensor, bias: Tensor, stride: Sequence[_int], padding: Sequence[_int], dilation: Sequence[_int], transposed: _bool, output_padding: Sequence[_int], groups: _int, *, out: Tensor | None = None) -> Tensor:
    """Slide `weight` over `x`, or with `transposed` its adjoint.

    `out[n, o, h] = bias[o] + sum_{c, k} weight[o, c, k] * x[n, c, stride * h + dilation * k - padding]`

    Args:
        input: the signals: `(n, c, *space)`, or without `n`
        weight: the kernels: `(out, in / groups, *kernel_size)`; of a transposed one `(in, out / groups, *kernel_size)`
        bias: one number for each output channel; None: nothing is added
        stride: how far the window moves: an int for all dims, or one each
        padding: zeros on each side: an int for all dims, or one each; where there is a `str` form, `"valid"` is none and `"same"` keeps the size
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        transposed: True: the adjoint, as `conv_transpose2d`. False: the convolution
        output_padding: what is added to one side of the output's size: it chooses among sizes that `stride` maps to one
        groups: into how many groups the channels are split; each is computed from its own inputs alone
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def copysign(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """The size of one with the sign of the other: `out = abs(x) * sign(y)`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def corrcoef(input: Tensor) -> Tensor:
    """Correlations of the rows of `input`: their covariances divided by both standard deviations.

    Args:
        input: the tensor to compute on
    """
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Cosine: `out = cos(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def cos_(input: Tensor) -> Tensor:
    """Cosine: `out = cos(x)`.

    Args:
        input: the tensor to compute on
    """
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic cosine: `out = (exp(x) + exp(-x)) / 2`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def cosh_(input: Tensor) -> Tensor:
    """Hyperbolic cosine: `out = (exp(x) + exp(-x)) / 2`.

    Args:
        input: the tensor to compute on
    """
def cosine_similarity(x1: Any, x2: Any, dim: _int | Sequence[_int] = 1, eps: _Number = 1e-08) -> Tensor:
    """Cosine of the angle between vectors along `dim`: `sum(x1 * x2) / (norm(x1) * norm(x2))`, norms at least `eps`.

    Args:
        x1: one set of vectors
        x2: the other
        dim: the dim to work along: the second unless given
        eps: what keeps the denominator or the difference from zero
    """
def count_nonzero(input: Tensor, dim: _int | Sequence[_int] | None = None, *, out: Tensor | None = None) -> Tensor:
    """How many elements along `dim` are not zero.

    Args:
        input: the numbers to reduce
        dim: the dim, or several, to reduce; None: all of them
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def cov(input: Tensor, *, correction: _int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
    """Covariances of the rows of `input`, whose columns are observations.

    `fweights` says how often each observation counts, `aweights` how much.

    Args:
        input: the tensor to compute on
        correction: what is taken off the number of elements in the divisor: 1 (Bessel's) estimates without bias, 0 divides by the number
        fweights: how often each observation counts; None: once
        aweights: how much each observation counts; None: the same
    """
def cross(input: Tensor, other: _Number | Tensor, dim: _int | None = None) -> Tensor:
    """Cross product along `dim`, by default the first dimension of size 3.

    Args:
        input: what the product is added to
        other: the second tensor
        dim: the dim, or several, to reduce; None: all of them
    """
def cummax(input: Tensor, dim: _int | Sequence[_int], *, out: Sequence[Tensor] | None = None) -> _ValuesIndices:
    """The largest so far along `dim`, and where it is (the last place of equals).

    Args:
        input: the tensor to compute on
        dim: the dim to run along; a negative one counts from the end
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def cummin(input: Tensor, dim: _int | Sequence[_int], *, out: Sequence[Tensor] | None = None) -> _ValuesIndices:
    """The smallest so far along `dim`, and where it is (the last place of equals).

    Args:
        input: the tensor to compute on
        dim: the dim to run along; a negative one counts from the end
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def cumprod(input: Tensor, dim: _int | Sequence[_int], *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """`out[i] = x[0] * ... * x[i]` along `dim`; integers multiply in int64.

    Args:
        input: the tensor to compute on
        dim: the dim to run along; a negative one counts from the end
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def cumsum(input: Tensor, dim: _int | Sequence[_int], *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """`out[i] = x[0] + ... + x[i]` along `dim`; integers add up in int64.

    The last place holds the whole sum.

    Args:
        input: the tensor to compute on
        dim: the dim to run along; a negative one counts from the end
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: _int | Sequence[_int] = -1) -> Tensor:
    """The areas of `trapezoid` up to each sample but the first.

    Args:
        y: the values of the function
        x: where they were taken; None: at equal distances
        dx: the distance of the samples; None: 1
        dim: the dim to work along: the last unless given
    """
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Degrees to radians: `out = x * pi / 180`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def deg2rad_(input: Tensor) -> Tensor:
    """Degrees to radians: `out = x * pi / 180`.

    Args:
        input: the tensor to compute on
    """
def det(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def diag(input: Tensor, diagonal: _int = 0) -> Tensor:
    """A vector as the diagonal of a matrix; of a matrix, a copy of its diagonal.

    Args:
        input: the tensor that is read
        diagonal: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
    """
def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _Number = -1, *, out: Tensor | None = None) -> Tensor:
    """Zeros with the last dim of `x` on a diagonal of the plane `dim1`, `dim2` of the result.

    Args:
        input: the tensor that is read
        offset: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
        dim1: the first of the two dims that the diagonal runs through: the last but one unless given
        dim2: the second of them: the last unless given
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def diagflat(input: Tensor, offset: _int = 0) -> Tensor:
    """All elements, in order, as the diagonal of a matrix.

    Args:
        input: the tensor that is read
        offset: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
    """
def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _Number = 1) -> Tensor:
    """The elements whose place along `dim2` is `offset` further than along `dim1`, as the last dim.

    Args:
        input: the tensor that is viewed
        offset: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
        dim1: the first of the two dims that the diagonal runs through
        dim2: the second of them
    """
def diagonal_copy(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _Number = 1, *, out: Tensor | None = None) -> Tensor:
    """:meth:`diagonal`, copied.

    Args:
        input: the tensor that is read
        offset: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
        dim1: the first of the two dims that the diagonal runs through
        dim2: the second of them
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def diagonal_scatter(input: Tensor, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _Number = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy of `x` with `src` on its diagonal.

    Args:
        input: the tensor that is read
        src: the values that are put in
        offset: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
        dim1: the first of the two dims that the diagonal runs through
        dim2: the second of them
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def diff(input: Tensor, n: _int = 1, dim: _int | Sequence[_int] = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
    """Differences of neighbours along `dim`, `n` times over.

    Args:
        input: the tensor to compute on
        n: how often to take differences
        dim: the dim to work along: the last unless given
        prepend: what is put in front first; None: nothing
        append: what is put behind first; None: nothing
    """
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Slope of lgamma.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def dist(input: Tensor, other: Tensor | _Number, p: _Number = 2, *, out: Tensor | None = None) -> Tensor:
    """The p-norm of a difference: `out = sum(abs(x - y) ** p) ** (1 / p)`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        p: the order of the norm
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def div(input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _str | None = None, out: Tensor | None = None) -> Tensor:
    """Divide element by element: `out = x / y`, rounded towards zero (`trunc`) or down (`floor`) if asked for.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        rounding_mode: `"trunc"`: towards zero. `"floor"`: down. None: no rounding
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def divide(input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _str | None = None, out: Tensor | None = None) -> Tensor:
    """Divide element by element: `out = x / y`, rounded towards zero (`trunc`) or down (`floor`) if asked for.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        rounding_mode: `"trunc"`: towards zero. `"floor"`: down. None: no rounding
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Product of two vectors: `out = sum_i x[i] * tensor[i]`, without conjugation.

    Args:
        input: the tensor to compute on
        tensor: the second vector
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def dropout(input: Tensor, p: _Number = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Zero each element with probability `p` and scale the others by `1 / (1 - p)`; in evaluation, do nothing.

    Args:
        input: the tensor that is read, or, with `_` at the end of the name, written
        p: the probability with which an element is zeroed
        training: True: draw and zero. False: do nothing
        inplace: True: `input` itself is written and returned. False: a new tensor
    """
def dropout_(input: Tensor, p: Any, train: Any) -> Tensor:
    """As `nn.functional.dropout`, in place.

    Args:
        input: the tensor that is read, or, with `_` at the end of the name, written
        p: the probability with which an element is zeroed
        train: True: draw and zero. False: do nothing
    """
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Pieces along the third dim.

    Args:
        input: the tensor that is viewed
        indices_or_sections: how many pieces, or where to cut
    """
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the third dim.

    Args:
        tensors: the tensors to put together, in order
    """
def einsum(equation: _str, *operands: Any) -> Tensor:
    """Sums of products by named dimensions: `einsum("ij,jk->ik", x, y)` is the matrix product.

    Letters name dimensions; those missing from the output are summed over; `...` stands for any further dimensions.

    Args:
        equation: letters for the dims of each operand, and after `->` those of the result
        operands: the tensors
    """
def embedding_dense_backward(grad_output: Tensor, indices: Tensor, num_weights: Any, padding_idx: _int, scale_grad_by_freq: Any, *, out: Tensor | None = None) -> Tensor:
    """A table of zeros to which each row of `grad_output` is added at its index.

    Args:
        padding_idx: a row that gets no gradient and, in bags, does not count; None: there is none
        scale_grad_by_freq: True: a row's gradient is divided by how often it was looked up
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def empty(*args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, memory_format: Any | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """A tensor of shape `size` with whatever its memory held before.

    What is in it is whatever was in that memory.

    Args:
        args: what stands in the place of `size` when it is spread over the call
        size: the shape of the result: ints, or one sequence of ints
        memory_format: the order of the elements in memory; None: row-major, of `_like` as in `input`
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def empty_like(input: Tensor, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: Any = None) -> Tensor:
    """Uninitialised memory of the shape, dtype and layout of `input`.

    Args:
        input: the tensor whose shape, dtype and layout are taken
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        memory_format: the order of the elements in memory; None: row-major, of `_like` as in `input`
    """
def empty_permuted(size: _int | Sequence[_int], physical_layout: Any, **kwargs: Any) -> Tensor:
    """An uninitialized tensor whose memory is laid out along the dimensions in the order of `physical_layout`.

    Args:
        size: the shape of the result
        physical_layout: the dims in the order of memory, the outermost first
        kwargs: the options of `empty`
    """
def empty_strided(size: _int | Sequence[_int], stride: _int | Sequence[_int], *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """An uninitialised tensor with these strides.

    Args:
        size: the shape of the result: ints, or one sequence of ints
        stride: for each dim how many elements apart its neighbours are
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def eq(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Equal: `out = x == y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def equal(input: Tensor, other: _Number | Tensor) -> _bool:
    """Whether two tensors have the same shape and elements, as a Python bool.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
    """
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Error function: `out = 2 / sqrt(pi) * integral of exp(-t ** 2) from 0 to x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def erf_(input: Tensor) -> Tensor:
    """Error function: `out = 2 / sqrt(pi) * integral of exp(-t ** 2) from 0 to x`.

    Args:
        input: the tensor to compute on
    """
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """What the error function leaves: `out = 1 - erf(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def erfc_(input: Tensor) -> Tensor:
    """What the error function leaves: `out = 1 - erf(x)`.

    Args:
        input: the tensor to compute on
    """
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of the error function: `erf(out) = x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Exponential function: `out = e ** x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Power of two: `out = 2 ** x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def exp2_(input: Tensor) -> Tensor:
    """Power of two: `out = 2 ** x`.

    Args:
        input: the tensor to compute on
    """
def exp_(input: Tensor) -> Tensor:
    """Exponential function: `out = e ** x`.

    Args:
        input: the tensor to compute on
    """
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Growth: `out = exp(x) - 1`, exact near 0.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def expm1_(input: Tensor) -> Tensor:
    """Growth: `out = exp(x) - 1`, exact near 0.

    Args:
        input: the tensor to compute on
    """
def eye(n: _int, m: Any = None, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """`out[i, j] = 1 if i == j else 0`, with `n` rows and `m` columns.

    Args:
        n: how many; of `eye` the rows
        m: the columns; None: as many as rows
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def feature_dropout(input: Tensor, p: Any, train: Any) -> Tensor:
    """Zero whole channels (the second dimension) with probability `p` and scale the others.

    Args:
        input: the tensor that is read, or, with `_` at the end of the name, written
        p: the probability with which an element is zeroed
        train: True: draw and zero. False: do nothing
    """
def fill(input: Tensor, value: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """`value` everywhere, in the shape and dtype of `x`.

    Args:
        input: the tensor to compute on
        value: the number that is put in
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def fill_(input: Tensor, value: Tensor | _Number) -> Tensor:
    """Overwrite `x` with `value`.

    Args:
        input: the tensor to compute on
        value: the number that is put in
    """
def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Drop what stands behind the point: `out = sign(x) * floor(abs(x))`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def fix_(input: Tensor) -> Tensor:
    """Drop what stands behind the point: `out = sign(x) * floor(abs(x))`.

    Args:
        input: the tensor to compute on
    """
def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """The dims from `start_dim` to `end_dim` (included) run together into one.

    A view where the strides allow one, else a copy.

    Args:
        input: the tensor that is viewed
        start_dim: the first dim to join
        end_dim: the last dim to join
    """
@overload
def flip(input: Tensor, dims: _int | Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """The order along `dims` reversed.

    Args:
        input: the tensor to compute on
        dims: the dims to work along
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
@overload
def flip(input: Tensor, *dims: _int, out: Tensor | None = None) -> Tensor: ...
def fliplr(input: Tensor) -> Tensor:
    """The columns in reverse order.

    Args:
        input: the tensor to compute on
    """
def flipud(input: Tensor) -> Tensor:
    """The rows in reverse order.

    Args:
        input: the tensor to compute on
    """
def float_power(input: Tensor, exponent: Tensor, *, out: Any = None) -> Tensor:
    """Raise to a power in float64 or complex128: `out = input ** exponent`.

    Args:
        input: the tensor to compute on
        exponent: the power, a tensor or a number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greatest integer that is not greater: `out <= x < out + 1`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def floor_(input: Tensor) -> Tensor:
    """The greatest integer that is not greater: `out <= x < out + 1`.

    Args:
        input: the tensor to compute on
    """
def floor_divide(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Divide and round down: `out = floor(x / y)`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of two, the other one where one is nan.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two, the other one where one is nan.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def fmod(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """What rounding towards zero leaves: `out = x - trunc(x / y) * y`, with the sign of `x`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """What stands behind the point: `out = x - trunc(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def frac_(input: Tensor) -> Tensor:
    """What stands behind the point: `out = x - trunc(x)`.

    Args:
        input: the tensor to compute on
    """
def frexp(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _MantissaExponent:
    """Take a number apart: `x = mantissa * 2 ** exponent`, with 0.5 <= abs(mantissa) < 1.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def full(size: _int | Sequence[_int], fill_value: Any, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """A tensor of shape `size` whose every element is `fill_value`, which chooses the dtype.

    Args:
        size: the shape of the result: ints, or one sequence of ints
        fill_value: the number that every element gets
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def full_like(input: Tensor, fill_value: Any, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: Any = None) -> Tensor:
    """`fill_value` in the shape, dtype and layout of `input`.

    Args:
        input: the tensor whose shape, dtype and layout are taken
        fill_value: the number that every element gets
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        memory_format: the order of the elements in memory; None: row-major, of `_like` as in `input`
    """
def gather(input: Tensor, dim: _int | Sequence[_int], index: Tensor, *, sparse_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """`out[p] = x[..., index[p], ...]` along `dim`: one element for each place `p` of `index`.

    `out[i][j] = input[index[i][j]][j]` for `dim=0`, `input[i][index[i][j]]` for `dim=1`; and so on.

    Args:
        input: the tensor to compute on
        dim: the dim that `index` counts along
        index: for each element its place along `dim`; no larger than `input` in the other dims
        sparse_grad: False; True is refused, since there are no sparse gradients
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Greatest common divisor, not negative.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """Greatest common divisor, not negative.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
    """
def ge(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Greater or equal: `out = x >= y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def geqrf(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _ATau:
    """`R` of the QR decomposition on and above the diagonal of `a`, the reflections below it, a `tau` for each.

    Args:
        input: the reflections, below the diagonal, as `geqrf` leaves them
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def ger(input: Tensor, vec2: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """All products of two elements: `out[i, j] = input[i] * vec2[j]`.

    Args:
        input: what the product is added to
        vec2: the second vector
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def gradient(input: Tensor, *, spacing: Any = None, dim: _int | Sequence[_int] | None = None, edge_order: _int = 1) -> tuple[Tensor, ...]:
    """The derivative of a sampled function along each dimension: central differences, one-sided at the ends.

    `spacing` is the distance of the samples, one for each dimension, or their coordinates.

    Args:
        input: the tensor to compute on
        spacing: the distance of the samples, one for all dims or one each, or their coordinates; None: 1
        dim: the dims to differentiate along; None: all
        edge_order: 1 or 2: the order of the estimate at the ends
    """
def greater(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Greater: `out = x > y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def greater_equal(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Greater or equal: `out = x >= y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def grid_sampler(input: Tensor, grid: Any, interpolation_mode: _int, padding_mode: _int, align_corners: _bool) -> Tensor:
    """`grid_sample` with its modes by number: bilinear, nearest, bicubic; zeros, border, reflection.

    Args:
        input: the image, `(n, c, *space)`
        grid: where to read, `(n, *positions, 2 or 3)`: -1 and 1 are the edges; x comes first
        interpolation_mode: how to read between pixels, by number: 0 bilinear, 1 nearest, 2 bicubic
        padding_mode: what lies outside, by number: 0 zeros, 1 border, 2 reflection
        align_corners: True: -1 and 1 are the centres of the corner pixels. False and None: their outer edges
    """
def grid_sampler_2d(input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool, *, out: Tensor | None = None) -> Tensor:
    """`grid_sampler` of images (n, c, height, width).

    Args:
        input: the image, `(n, c, *space)`
        grid: where to read, `(n, *positions, 2 or 3)`: -1 and 1 are the edges; x comes first
        interpolation_mode: how to read between pixels, by number: 0 bilinear, 1 nearest, 2 bicubic
        padding_mode: what lies outside, by number: 0 zeros, 1 border, 2 reflection
        align_corners: True: -1 and 1 are the centres of the corner pixels. False and None: their outer edges
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def grid_sampler_3d(input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool, *, out: Tensor | None = None) -> Tensor:
    """`grid_sampler` of volumes (n, c, depth, height, width).

    Args:
        input: the image, `(n, c, *space)`
        grid: where to read, `(n, *positions, 2 or 3)`: -1 and 1 are the edges; x comes first
        interpolation_mode: how to read between pixels, by number: 0 bilinear, 1 nearest, 2 bicubic
        padding_mode: what lies outside, by number: 0 zeros, 1 border, 2 reflection
        align_corners: True: -1 and 1 are the centres of the corner pixels. False and None: their outer edges
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def group_norm(input: Tensor, num_groups: _int, weight: Tensor | None = None, bias: Tensor | None = None, eps: _Number = 1e-05) -> Tensor:
    """Standardize each of `num_groups` groups of channels (axis 1) of each sample, then `* weight + bias` by channel.

    `out = (x - mean) / sqrt(var + eps) * weight + bias`, over the channels of a group and all places of a sample.

    Args:
        input: `(n, c, *)`, or of `layer_norm` and `rms_norm` any shape that ends in `normalized_shape`
        num_groups: into how many groups the channels are split
        weight: the factors at the end; None: 1
        bias: what is added at the end; None: 0
        eps: what is added to the variance before its root is taken
    """
def gru(input: Tensor, hx: Any, params: Any, has_biases: Any, num_layers: Any, dropout: Any, train: Any, bidirectional: Any, batch_first: Any) -> tuple[Tensor, ...]:
    """Outputs of the last layer, and the last states of every layer: see `nn.GRU`.

    Args:
        input: the sequence `(t, n, features)`, or of a cell one step `(n, features)`
        hx: the state before the first step: `(layers * directions, n, hidden)`; of an LSTM the pair of it and the cell state; of a cell `(n, hidden)`
        params: weights and biases of all layers and directions, as the layer's `_flat_weights`
        has_biases: True: `params` holds biases
        num_layers: how many layers are stacked
        dropout: the probability with which outputs between layers are zeroed in training
        train: True: as in training
        bidirectional: True: a second pass from the end to the start
        batch_first: True: `(n, t, features)`. False: `(t, n, features)`
    """
def gru_cell(input: Tensor, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step of a GRU: (n, features) and the state (n, h) -> the next state.

    Args:
        input: the sequence `(t, n, features)`, or of a cell one step `(n, features)`
        hx: the state before the first step: `(layers * directions, n, hidden)`; of an LSTM the pair of it and the cell state; of a cell `(n, hidden)`
        w_ih: the weights of the input, `(gates * hidden, features)`
        w_hh: the weights of the state, `(gates * hidden, hidden)`
        b_ih: the bias of the input; None: 0
        b_hh: the bias of the state; None: 0
    """
def gt(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Greater: `out = x > y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def hamming_window(window_length: Any, periodic: _bool = True, alpha: _Number = 0.54, beta: _Number = 0.46, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """`w[i] = alpha - beta cos(2 pi i / n)`.

    Args:
        window_length: the number of points
        periodic: True: for spectra, as if one point longer. False: symmetric
        alpha: the weight of the constant
        beta: the weight of the cosine
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def hann_window(window_length: Any, periodic: _bool = True, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """`w[i] = 0.5 - 0.5 cos(2 pi i / n)`.

    Args:
        window_length: the number of points
        periodic: True: for spectra, as if one point longer. False: symmetric
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def hardshrink(input: Tensor, lambd: _Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Nothing near zero: `out = 0 if abs(x) <= lambd else x`.

    Args:
        input: the tensor to compute on
        lambd: up to this distance from zero
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def hash_tensor(input: Tensor, dim: _int | Sequence[_int] | None = None, *, keepdim: _bool = False, mode: _str = 0, out: Tensor | None = None) -> Tensor:
    """The exclusive or of all elements along `dim`, as the 64 bits of a float64 or an int64: a uint64.

    Args:
        input: the tensor to compute on
        dim: the dim, or several, to reduce; None: all of them
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        mode: 0: the exclusive or; there is no other
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The unit step: 0 below zero, `values` at zero, 1 above.

    Args:
        input: the tensor to compute on
        values: the result where `input` is 0
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def histc(input: Tensor, bins: _int = 100, min: _Number = 0, max: _Number = 0, *, out: Tensor | None = None) -> Tensor:
    """How many elements fall into each of `bins` equal ranges between `min` and `max` (if equal: of `x`).

    Args:
        input: the tensor to compute on
        bins: how many bins
        min: where they begin
        max: where they end; with `min` equal to it, both are the data's
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def histogram(input: Tensor, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None, density: _bool = False) -> _HistBinEdges:
    """How much of `input` falls into each bin, and the bins' edges.

    `bins` is a number of equal bins, from the smallest value to the largest or over `range`, or the edges themselves.
    `density` makes the area one.

    Args:
        input: the tensor to compute on
        bins: how many bins, or their edges; of several dims one for each
        range: the ends of the bins, two numbers for each dim; None: the smallest and the largest value
        weight: how much each sample counts; None: one
        density: True: the histogram's integral is one. False: counts, or sums of weights
    """
def histogramdd(input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: _bool = False) -> _HistBinEdges:
    """`histogram` for points `(..., d)` in `d` dimensions; `range` lists two limits for each.

    Args:
        input: the tensor to compute on
        bins: how many bins, or their edges; of several dims one for each
        range: the ends of the bins, two numbers for each dim; None: the smallest and the largest value
        weight: how much each sample counts; None: one
        density: True: the histogram's integral is one. False: counts, or sums of weights
    """
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Pieces along the columns (along the only dim of a vector).

    Args:
        input: the tensor that is viewed
        indices_or_sections: how many pieces, or where to cut
    """
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the columns; vectors end to end.

    Args:
        tensors: the tensors to put together, in order
    """
def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Length of the vector (x, y): `out = sqrt(x ** 2 + y ** 2)`.

    Args:
        input: the tensor to compute on
        other: the second operand, broadcast with `input`
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of order 0.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def i0_(input: Tensor) -> Tensor:
    """Modified Bessel function of order 0.

    Args:
        input: the tensor to compute on
    """
def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Lower incomplete gamma function, regularized: `1 / gamma(x) integral of t ** (x - 1) exp(-t) from 0 to y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Upper incomplete gamma function, regularized: `out = 1 - igamma(x, y)`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def im2col(input: Tensor, kernel_size: _int | Sequence[_int], dilation: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, stride: _int | Sequence[_int] = 1, *, out: Tensor | None = None) -> Tensor:
    """Sliding windows as columns: `(n, c, h, w) -> (n, c k k, places)`.

    Args:
        input: the image, `(n, c, *space)`
        kernel_size: the size of the window: an int for all dims, or one each
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        padding: how many zeros are put on each side: an int for all dims, or one each
        stride: how far the window moves: an int for all dims, or one each
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def imag(input: Tensor) -> Tensor:
    """The imaginary part of a complex tensor, in its memory.

    Args:
        input: the tensor to compute on
    """
def index_add(input: Tensor, dim: _int | Sequence[_int], index: Tensor, source: Tensor, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """`x` with `alpha * source` added to its slices at `index` along `dim`; repeated places add up.

    Args:
        input: the tensor to compute on
        dim: the dim to work along; a negative one counts from the end
        index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
        source: the values that are put in, in order
        alpha: the factor of `source`: 1 unless given
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def index_copy(input: Tensor, dim: _int | Sequence[_int], index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`x` with its slices at `index` along `dim` replaced by `source`.

    Args:
        input: the tensor to compute on
        dim: the dim to work along; a negative one counts from the end
        index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
        source: the values that are put in, in order
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def index_fill(input: Tensor, dim: _int | Sequence[_int], index: Tensor, value: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """`x` with its slices at `index` along `dim` filled with `value`.

    Args:
        input: the tensor to compute on
        dim: the dim to work along; a negative one counts from the end
        index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
        value: the number that is put in
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def index_put(input: Tensor, indices: Tensor, values: Tensor, accumulate: _bool = False) -> Tensor:
    """A copy of `input` with `values` written, or added, at the `indices` of its leading dims.

    Args:
        input: the tensor to compute on
        indices: an index tensor for each of the first dims; None leaves a dim whole
        values: what is put there; broadcast
        accumulate: True: add to what is there, repeated places included. False: write over it
    """
def index_put_(input: Tensor, indices: Tensor, values: Tensor, accumulate: _bool = False) -> Tensor:
    """Write, or add, `values` into `input` at the `indices` of its leading dims.

    Args:
        input: the tensor to compute on
        indices: an index tensor for each of the first dims; None leaves a dim whole
        values: what is put there; broadcast
        accumulate: True: add to what is there, repeated places included. False: write over it
    """
def index_reduce(input: Tensor, dim: _int | Sequence[_int], index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True, out: Tensor | None = None) -> Tensor:
    """`x` with all slices of `source` that go to one slice along `dim` reduced, together with it or without.

    Args:
        input: the tensor to compute on
        dim: the dim that `index` counts along
        index: for each element its place along `dim`; no larger than `input` in the other dims
        source: the values that are put in
        reduce: how to put together what meets: `"sum"`, `"prod"`, `"mean"`, `"amax"` or `"amin"`
        include_self: True: what was in `input` takes part. False: it does not, where anything was put
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def index_select(input: Tensor, dim: _int | Sequence[_int], index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The slices of `x` at `index` along `dim`.

    Args:
        input: the tensor to compute on
        dim: the dim to work along; a negative one counts from the end
        index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def inner(input: Tensor, other: _Number | Tensor, *, out: Any = None) -> Tensor:
    """Sums of products over the last dimensions: `out[..., *] = sum_j input[..., j] * other[*, j]`.

    Args:
        input: what the product is added to
        other: the second tensor
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse: `x @ out = eye`.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def is_conj(input: Tensor) -> _bool:
    """Whether it is a view of conjugates, which its memory does not hold.

    Args:
        input: the tensor to compute on
    """
def isclose(input: Tensor, other: _Number | Tensor, rtol: _Number = 1e-05, atol: _Number = 1e-08, equal_nan: _bool = False) -> Tensor:
    """Equal up to rounding: `out = abs(input - other) <= atol + rtol * abs(other)`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        rtol: tolerance relative to `other`
        atol: absolute tolerance
        equal_nan: True: NaN is close to NaN. False: to nothing
    """
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """It is neither infinite nor nan.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def isin(elements: Tensor | _Number, test_elements: Tensor | _Number, *, assume_unique: _bool = False, invert: _bool = False, out: Tensor | None = None) -> Tensor:
    """Whether each element is one of `test_elements`.

    Args:
        elements: what is looked for
        test_elements: where it is looked for
        assume_unique: True: neither holds an element twice, which may be faster
        invert: True: which are not there
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """It is infinite.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def isnan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """It is not a number.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """It is minus infinity.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """It is plus infinity.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def isreal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Its imaginary part is 0.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def istft(input: Tensor, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Any = None, center: _bool = True, normalized: _bool = False, onesided: _bool | None = None, length: _int | None = None, return_complex: _bool = False) -> Tensor:
    """The inverse of `stft`: pieces are transformed back, weighed with the window again, added up where they
    overlap, and divided by the sum of the squared windows there.

    `input` is `(*, K, M)` and `out` is `(*, L)`, cut or continued by zeros to `length`.

    Args:
        input: the tensor to compute on
        n_fft: the number of points of each transform
        hop_length: how far pieces are apart; None: `n_fft // 4`
        win_length: the length of the window; None: `n_fft`
        window: the weights of a piece; None: ones
        center: True: pieces are centred on their places, and the signal is padded
        normalized: True: divide by `sqrt(n_fft)`
        onesided: True: the first half of the spectrum; None: where the signal is real
        length: the length of the signal; None: what the pieces give
        return_complex: True: complex numbers. False: pairs of real ones
    """
def kaiser_window(window_length: Any, periodic: _bool = True, beta: _Number = 12.0, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """`w[i] = i0(beta sqrt(1 - (2 i / n - 1) ** 2)) / i0(beta)`.

    Args:
        window_length: the number of points
        periodic: True: for spectra, as if one point longer. False: symmetric
        beta: the weight of the cosine
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def kron(input: Tensor, other: _Number | Tensor) -> Tensor:
    """Each element of `input` times all of `other`, laid out in blocks: `out[i m + k] = input[i] * other[k]`.

    Args:
        input: what the product is added to
        other: the second tensor
    """
def kthvalue(input: Tensor, k: _int, dim: _int | Sequence[_int] = -1, keepdim: _bool = False, *, out: Any = None) -> Tensor | Any:
    """The `k`-th smallest along `dim`, and where it is.

    Args:
        input: the tensor to compute on
        k: which: 1 is the smallest
        dim: the dim to work along: the last unless given
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def layer_norm(input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None = None, bias: Tensor | None = None, eps: _Number = 1e-05) -> Tensor:
    """Standardize over the last dimensions, those of `normalized_shape`, then `* weight + bias` element by element.

    `out = (x - mean) / sqrt(var + eps) * weight + bias`, the variance without Bessel's correction.

    Args:
        input: `(n, c, *)`, or of `layer_norm` and `rms_norm` any shape that ends in `normalized_shape`
        normalized_shape: the sizes of the last dims, over which each sample is normalized
        weight: the factors at the end; None: 1
        bias: what is added at the end; None: 0
        eps: what is added to the variance before its root is taken
    """
def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Least common multiple, not negative.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """Least common multiple, not negative.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
    """
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply by a power of two: `out = x * 2 ** y`, even where `2 ** y` alone is too large or too small.

    Args:
        input: the tensor to compute on
        other: the second operand, broadcast with `input`
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """Multiply by a power of two: `out = x * 2 ** y`, even where `2 ** y` alone is too large or too small.

    Args:
        input: the tensor to compute on
        other: the second operand, broadcast with `input`
    """
def le(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Less or equal: `out = x <= y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def lerp(input: Tensor, end: Tensor, weight: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Go part of the way: `out = x + weight * (end - x)`.

    Args:
        input: the tensor to compute on
        end: what weight 1 gives
        weight: how far to go: 0 is `input`, 1 is `end`; a number or a tensor
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def less(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Less: `out = x < y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def less_equal(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Less or equal: `out = x <= y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the absolute value of the gamma function.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def linspace(start: _Number | Tensor, end: _Number | Tensor, steps: Any, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """`steps` values from `start` to `end`, equally spaced, both included.

    Both ends are among them.

    Args:
        start: the first number
        end: where to stop
        steps: how many numbers
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Natural logarithm: `exp(out) = x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm to base 10: `10 ** out = x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def log10_(input: Tensor) -> Tensor:
    """Logarithm to base 10: `10 ** out = x`.

    Args:
        input: the tensor to compute on
    """
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of one more: `out = log(1 + x)`, exact near 0.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def log1p_(input: Tensor) -> Tensor:
    """Logarithm of one more: `out = log(1 + x)`, exact near 0.

    Args:
        input: the tensor to compute on
    """
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm to base 2: `2 ** out = x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def log2_(input: Tensor) -> Tensor:
    """Logarithm to base 2: `2 ** out = x`.

    Args:
        input: the tensor to compute on
    """
def log_(input: Tensor) -> Tensor:
    """Natural logarithm: `exp(out) = x`.

    Args:
        input: the tensor to compute on
    """
def log_softmax(input: Tensor, dim: _int | Sequence[_int], dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of softmax: `out = x - log(sum(exp(x)))` along `dim`.

    More exact than `log(softmax(x))`, which is -inf where the share underflows.

    Args:
        input: the tensor to compute on
        dim: the dim whose shares add up to one
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Addition of numbers given as logarithms: `out = log(exp(x) + exp(y))`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Addition of numbers given as logarithms to base 2: `out = log2(2 ** x + 2 ** y)`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def logcumsumexp(input: Tensor, dim: _int | Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """`out[i] = log(exp(x[0]) + ... + exp(x[i]))` along `dim`.

    Args:
        input: the tensor to compute on
        dim: the dim to run along; a negative one counts from the end
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def logdet(input: Tensor) -> Tensor:
    """Logarithm of the determinant; NaN where it is negative.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
    """
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Both are true (not 0).

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """It is false (0).

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """At least one is true (not 0).

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Exactly one is true (not 0).

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def logit(input: Tensor, eps: _Number | None = None, *, out: Tensor | None = None) -> Tensor:
    """Log-odds: `out = log(x / (1 - x))`, with x first brought within [eps, 1 - eps].

    Args:
        input: the tensor to compute on
        eps: `input` is kept in [eps, 1 - eps] first; None: it isn't
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def logit_(input: Tensor, eps: _Number | None = None) -> Tensor:
    """Log-odds: `out = log(x / (1 - x))`, with x first brought within [eps, 1 - eps].

    Args:
        input: the tensor to compute on
        eps: `input` is kept in [eps, 1 - eps] first; None: it isn't
    """
def logspace(start: _Number | Tensor, end: _Number | Tensor, steps: Any, base: _Number = 10.0, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """`base ** linspace(start, end, steps)`.

    Args:
        start: the first number
        end: where to stop
        steps: how many numbers
        base: the number whose powers they are
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def logsumexp(input: Tensor, dim: _int | Sequence[_int], keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """`out = log(sum(exp(x)))` along `dim`.

    Computed relative to the largest element, so that no exponential overflows.

    Args:
        input: the numbers to reduce
        dim: the dim, or several, to reduce
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def lstm(input: Tensor, hx: Any, params: Any, has_biases: Any, num_layers: Any, dropout: Any, train: Any, bidirectional: Any, batch_first: Any) -> tuple[Tensor, ...]:
    """Outputs of the last layer, and the last states h and c of every layer: see `nn.LSTM`.

    Args:
        input: the sequence `(t, n, features)`, or of a cell one step `(n, features)`
        hx: the state before the first step: `(layers * directions, n, hidden)`; of an LSTM the pair of it and the cell state; of a cell `(n, hidden)`
        params: weights and biases of all layers and directions, as the layer's `_flat_weights`
        has_biases: True: `params` holds biases
        num_layers: how many layers are stacked
        dropout: the probability with which outputs between layers are zeroed in training
        train: True: as in training
        bidirectional: True: a second pass from the end to the start
        batch_first: True: `(n, t, features)`. False: `(t, n, features)`
    """
def lstm_cell(input: Tensor, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> tuple[Tensor, ...]:
    """One step of an LSTM: (n, features) and the states (h, c) -> the next h and c.

    Args:
        input: the sequence `(t, n, features)`, or of a cell one step `(n, features)`
        hx: the state before the first step: `(layers * directions, n, hidden)`; of an LSTM the pair of it and the cell state; of a cell `(n, hidden)`
        w_ih: the weights of the input, `(gates * hidden, features)`
        w_hh: the weights of the state, `(gates * hidden, hidden)`
        b_ih: the bias of the input; None: 0
        b_hh: the bias of the state; None: 0
    """
def lt(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Less: `out = x < y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def lu(A: Tensor, pivot: _bool = True, get_infos: _bool = False, out: Any = None) -> tuple[Tensor, ...]:
    """The older form of `linalg.lu_factor`.

    Args:
        A: the matrix, or a batch of matrices `(*, m, n)`
        pivot: True: exchange rows for accuracy, as a general matrix needs. False is refused on the CPU
        get_infos: True: also whether each factorization succeeded
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """The older form of `linalg.lu_solve`.

    Args:
        input: the right-hand side, `(*, n, k)`
        LU_data: the factors as `lu_factor` packs them
        LU_pivots: the exchanges of rows that it returned
    """
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: _bool = True, unpack_pivots: _bool = True, *, out: Sequence[Tensor] | None = None) -> _PLU:
    """The `P`, `L` and `U` that `lu_factor` packs.

    Args:
        LU_data: the factors as `lu_factor` packs them
        LU_pivots: the exchanges of rows that it returned
        unpack_data: False: L and U are empty
        unpack_pivots: False: P is empty
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def masked_fill(input: Tensor, mask: Tensor, value: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """`x` with `value` wherever `mask` is true.

    Args:
        input: the tensor to compute on
        mask: a tensor of bools that broadcasts with `input`: True where it applies
        value: the number that is put in
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`x` with the elements of `source`, in order, where `mask` is true.

    Args:
        input: the tensor to compute on
        mask: a tensor of bools that broadcasts with `input`: True where it applies
        source: the values that are put in, in order
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements of `x` where `mask` is true, in row-major order.

    Args:
        input: the tensor to compute on
        mask: a tensor of bools that broadcasts with `input`: True where it applies
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def matmul(input: Tensor, other: _Number | Tensor, *, out: Any = None) -> Tensor:
    """Product of vectors, matrices or batches of them: `out = input @ other`.

    Two matrices: their product. A vector counts as a row on the left and as a column on the right, and that dimension
    is dropped from the result. With three or more dimensions, the leading ones are batches and broadcast.

    Args:
        input: the tensor to compute on
        other: the second factor
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def matrix_exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`sum_k x^k / k!`: the exponential of a matrix. That of a turn by an angle is the rotation.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def matrix_power(input: Tensor, n: _int) -> Tensor:
    """The product of `n` copies of a square matrix; of its inverse for negative `n`.

    Args:
        input: the square matrix, or a batch of them
        n: the power; below 0, of the inverse
    """
def max(input: Tensor, dim: Any = None, keepdim: _bool = False, *, other: _Number | Tensor | None = None) -> Tensor | Any:
    """The largest of everything; or along `dim`, with its place; or, given another tensor, of each pair.

    With `dim` the result is a named tuple of `values` and `indices`.

    Args:
        input: the tensor to compute on
        dim: the dim to search; None: all elements, and the value alone
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        other: a second tensor, for the larger of each pair
    """
def max_pool1d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor | Any:
    """The largest element of each window of a sequence `(n, c, length)` or `(c, length)`.

    Args:
        input: `(n, c, *space)`, or without `n`
        kernel_size: the size of the window: an int for all dims, or one each
        stride: how far the window moves, an int for all dims or one each; None: `kernel_size`, windows side by side
        padding: how many are put on each side, which never win a maximum and are zeros in a mean: an int for all dims, or one each
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        ceil_mode: True: a last window that hangs over the edge counts. False: it is left out
        return_indices: True: also the place of each maximum, counted within its plane. False: the values only
    """
def max_pool2d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor | Any:
    """The largest element of each window of an image `(n, c, h, w)` or `(c, h, w)`.

    `stride` is `kernel_size` unless given. Among equals the first in reading order gets the gradient.

    Args:
        input: `(n, c, *space)`, or without `n`
        kernel_size: the size of the window: an int for all dims, or one each
        stride: how far the window moves, an int for all dims or one each; None: `kernel_size`, windows side by side
        padding: how many are put on each side, which never win a maximum and are zeros in a mean: an int for all dims, or one each
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        ceil_mode: True: a last window that hangs over the edge counts. False: it is left out
        return_indices: True: also the place of each maximum, counted within its plane. False: the values only
    """
def max_pool3d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor | Any:
    """The largest element of each window of a volume `(n, c, d, h, w)` or `(c, d, h, w)`.

    Args:
        input: `(n, c, *space)`, or without `n`
        kernel_size: the size of the window: an int for all dims, or one each
        stride: how far the window moves, an int for all dims or one each; None: `kernel_size`, windows side by side
        padding: how many are put on each side, which never win a maximum and are zeros in a mean: an int for all dims, or one each
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        ceil_mode: True: a last window that hangs over the edge counts. False: it is left out
        return_indices: True: also the place of each maximum, counted within its plane. False: the values only
    """
def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of two, nan if either is: `out = max(x, y)`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def mean(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The sum along `dim` divided by how many were added.

    The mean of nothing is NaN. Integers have none: give a floating `dtype`, or call `x.float()` first.

    Args:
        input: the numbers to reduce
        dim: the dim, or several, to reduce; None: all of them
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def median(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor | Any:
    """The middle element in order (the lower of two); along `dim`, with its place.

    Args:
        input: the tensor to compute on
        dim: the dim to search; None: all elements, and the value alone
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
    """
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: Any = None) -> tuple[Tensor, ...]:
    """Each vector repeated, without copying, over the grid of all: its values vary along a dim of its own.

    Args:
        tensors: the tensors, in order
        indexing: `"ij"`: the first tensor goes down the rows. `"xy"`: along the columns. None: `"ij"`, with a warning
    """
def min(input: Tensor, dim: Any = None, keepdim: _bool = False, *, other: _Number | Tensor | None = None) -> Tensor | Any:
    """The smallest of everything; or along `dim`, with its place; or, given another tensor, of each pair.

    Args:
        input: the tensor to compute on
        dim: the dim to search; None: all elements, and the value alone
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        other: a second tensor, for the smaller of each pair
    """
def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two, nan if either is: `out = min(x, y)`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Product of two matrices: `out[i, k] = sum_j x[i, j] * mat2[j, k]`.

    `(n, m)` and `(m, p)` give `(n, p)`. For vectors and batches use `matmul`.

    Args:
        input: the tensor to compute on
        mat2: the matrix on the right
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def mode(input: Tensor, dim: _int | Sequence[_int] = -1, keepdim: _bool = False, *, out: Any = None) -> Tensor | Any:
    """The most frequent value along `dim`, and where it is.

    Args:
        input: the tensor to compute on
        dim: the dim to work along: the last unless given
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def moveaxis(input: Tensor, source: Tensor, destination: Any) -> Tensor:
    """The dims `source` moved to the places `destination`; the others keep their order.

    Args:
        input: the tensor that is viewed
        source: the dims to move
        destination: where each of `source` goes
    """
def movedim(input: Tensor, source: Tensor, destination: Any) -> Tensor:
    """The dims `source` moved to the places `destination`; the others keep their order.

    Args:
        input: the tensor that is viewed
        source: the dims to move
        destination: where each of `source` goes
    """
def msort(input: Tensor) -> Tensor:
    """`input` in order along its first dim.

    Args:
        input: the tensor to compute on
    """
def mul(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Multiply element by element: `out = x * y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def multinomial(input: Tensor, num_samples: _int, replacement: _bool = False, *, generator: _Generator | None = None, out: Tensor | None = None) -> Tensor:
    """Numbers of categories, drawn with the weights in `input`: a 1-D tensor, or a row of them per row of draws.

    Without `replacement` no number is drawn twice in a row of draws.

    Args:
        input: the weights, which need not add up to one
        num_samples: how many to draw from each row
        replacement: True: one can be drawn again. False: it can't
        generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def multiply(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Multiply element by element: `out = x * y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Product of a matrix and a vector: `out[i] = sum_j x[i, j] * vec[j]`.

    Args:
        input: the tensor to compute on
        vec: the vector on the right
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def mvlgamma(input: Tensor, p: Any, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the multivariate gamma function: `out = p (p - 1) / 4 log(pi) + sum(lgamma(x - j / 2))`, j < p.

    Args:
        input: the tensor to compute on
        p: the number of dimensions
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def nan_to_num(input: Tensor, nan: Any = None, posinf: Any = None, neginf: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Finite stand-ins for nan (0) and the infinities (the largest and smallest number).

    Args:
        input: the tensor to compute on
        nan: what NaN becomes; None: 0
        posinf: what inf becomes; None: the largest number
        neginf: what -inf becomes; None: the smallest number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def nan_to_num_(input: Tensor, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
    """Finite stand-ins for nan (0) and the infinities (the largest and smallest number).

    Args:
        input: the tensor to compute on
        nan: what NaN becomes; None: 0
        posinf: what inf becomes; None: the largest number
        neginf: what -inf becomes; None: the smallest number
    """
def nanmean(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
    """The mean along `dim` of what is not NaN.

    Args:
        input: the numbers to reduce
        dim: the dim, or several, to reduce; None: all of them
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
    """
def nanmedian(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor | Any:
    """The middle of what is not NaN; along `dim`, with its place.

    Args:
        input: the tensor to compute on
        dim: the dim to search; None: all elements, and the value alone
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
    """
def nanquantile(input: Tensor, q: Any, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
    """The quantile `q` of what is not NaN.

    Args:
        input: the tensor to compute on
        q: which shares, in [0, 1]: 0.5 is the median; a number or a 1-D tensor
        dim: the dim, or several, to reduce; None: all of them
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        interpolation: what to take between two values: `"linear"`, `"lower"`, `"higher"`, `"midpoint"` or `"nearest"`
    """
def nansum(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The sum along `dim` with NaN counted as zero.

    Args:
        input: the numbers to reduce
        dim: the dim, or several, to reduce; None: all of them
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def narrow(input: Tensor, dim: _int | Sequence[_int], start: _int, length: _int) -> Tensor:
    """The `length` places from `start` on along `dim`.

    Args:
        input: the tensor that is viewed
        dim: the dim to work along; a negative one counts from the end
        start: where it begins
        length: how many
    """
def ne(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Different: `out = x != y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Change the sign: `out = -x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def neg_(input: Tensor) -> Tensor:
    """Change the sign: `out = -x`.

    Args:
        input: the tensor to compute on
    """
def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Change the sign: `out = -x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def negative_(input: Tensor) -> Tensor:
    """Change the sign: `out = -x`.

    Args:
        input: the tensor to compute on
    """
def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The number next to `x` on the way to `y`: `x` itself where they are equal.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def nonzero(input: Tensor, *, as_tuple: _bool = False) -> Tensor | Any:
    """The places of the nonzero elements: one row each, or one tensor per dim.

    Args:
        input: the tensor to compute on
        as_tuple: True: one tensor of places for each dim. False: one row for each element
    """
def nonzero_static(input: Tensor, *, size: _int, fill_value: _int = -1) -> Tensor:
    """The places of the elements that are not zero, cut off or filled up to `size` rows.

    Args:
        input: the tensor to compute on
        size: the shape of the result
        fill_value: the number that every element gets
    """
def norm(input: Tensor, p: _Number | _str = 'fro', dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: _dtype | None = None) -> Tensor:
    """The vector norm of order `p` along `dim`; `"fro"` is 2, `"nuc"` sums the singular values of a matrix.

    Args:
        input: the numbers to reduce
        p: the order of the norm; `"fro"` is 2, `"nuc"` the sum of the singular values
        dim: the dim, or several, to reduce; None: all of them
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
    """
def normal(mean: Any, std: _Number = 1.0, size: _int | Sequence[_int] | None = None, *, generator: _Generator | None = None, out: Any = None, **options: Any) -> Tensor:
    """Normal numbers with this `mean` and `std`: tensors or numbers; of shape `size` if both are numbers.

    Args:
        mean: the mean of the normal numbers
        std: their standard deviation
        size: the shape, where `mean` and `std` are numbers
        generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
        options: `dtype`, `layout`, `device`, `requires_grad` and `generator`, as other creations take them
    """
def not_equal(input: Tensor, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Different: `out = x != y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def ones(*args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """A tensor of ones of shape `size`.

    Args:
        args: what stands in the place of `size` when it is spread over the call
        size: the shape of the result: ints, or one sequence of ints
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def ones_like(input: Tensor, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: Any = None) -> Tensor:
    """Ones of the shape, dtype and layout of `input`.

    Args:
        input: the tensor whose shape, dtype and layout are taken
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        memory_format: the order of the elements in memory; None: row-major, of `_like` as in `input`
    """
def orgqr(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first columns of the `Q` whose reflections `geqrf` keeps in `x` and `tau`, as many as `x` has.

    Args:
        input: the reflections, below the diagonal, as `geqrf` leaves them
        tau: the factor of each reflection
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: _bool = True, transpose: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """`Q @ y` for the square `Q` of `geqrf`'s reflections; `y @ Q` unless `left`; `Q^H` with `transpose`.

    Args:
        input: the reflections, below the diagonal, as `geqrf` leaves them
        tau: the factor of each reflection
        other: the matrix to multiply
        left: True: `Q @ other`. False: `other @ Q`
        transpose: True: with Q's adjoint. False: with Q
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def outer(input: Tensor, vec2: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """All products of two elements: `out[i, j] = input[i] * vec2[j]`.

    Args:
        input: what the product is added to
        vec2: the second vector
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def pairwise_distance(x1: Any, x2: Any, p: _Number = 2.0, eps: _Number = 1e-06, keepdim: _bool = False) -> Tensor:
    """The `p`-norm of `x1 - x2 + eps` along the last dimension.

    Args:
        x1: one set of vectors
        x2: the other
        p: the order of the norm: 2 is the Euclidean distance, inf the largest difference
        eps: what keeps the denominator or the difference from zero
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
    """
def pca_lowrank(A: Tensor, q: Any = None, center: _bool = True, niter: _int = 2) -> tuple[Tensor, ...]:
    """The principal components of the rows of `A`, nearly: `svd_lowrank` of `A` less its mean row.

    Args:
        A: the matrix, or a batch of matrices `(*, m, n)`
        q: how many singular values; None: the smallest of 6, rows and columns
        center: True: subtract the mean row first
        niter: how often the basis is improved
    """
def pdist(input: Tensor, p: _Number = 2.0) -> Tensor:
    """The distances of `cdist(input, input)` above the diagonal, row by row.

    Args:
        input: the vectors, one in each row
        p: the order of the norm: 2 is the Euclidean distance, inf the largest difference
    """
@overload
def permute(input: Tensor, dims: _int | Sequence[_int]) -> Tensor:
    """The dims in another order: dim `i` of the result is dim `dims[i]` of `x`.

    Nothing is copied: the strides change places.

    Args:
        input: the tensor that is viewed
        dims: the dims in their new order
    """
@overload
def permute(input: Tensor, *dims: _int) -> Tensor: ...
def pinverse(input: Tensor, rcond: Any = None, hermitian: _bool = False, *, atol: Tensor | None = None, rtol: Tensor | None = None) -> Tensor:
    """The pseudoinverse: the inverse where there is one, and the shortest least-squares solution otherwise.

    Singular values up to `max(atol, rtol * largest)` count as zero; `rcond` is the older name of `rtol`.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        rcond: the older name of `rtol`
        hermitian: True: the matrix is taken to be hermitian (symmetric, if real), which is faster; it isn't checked
        atol: singular values up to this count as zero; None: 0
        rtol: ... or up to this share of the largest; None: `max(m, n)` times the dtype's `eps`, or 0 where `atol` is given
    """
def pixel_shuffle(input: Tensor, upscale_factor: _int, *, out: Tensor | None = None) -> Tensor:
    """Turn groups of channels into blocks of pixels: `(*, c r r, h, w) -> (*, c, h r, w r)`.

    Args:
        input: the image, `(n, c, *space)`
        upscale_factor: how many times as high and wide
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def pixel_unshuffle(input: Tensor, downscale_factor: _int, *, out: Tensor | None = None) -> Tensor:
    """Turn blocks of pixels into groups of channels: `(*, c, h r, w r) -> (*, c r r, h, w)`.

    Args:
        input: the image, `(n, c, *space)`
        downscale_factor: how many times as high and wide the input is
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def poisson(input: Tensor, generator: _Generator | None = None, *, out: Tensor | None = None) -> Tensor:
    """Poisson numbers of the rates in `input`.

    Args:
        input: the rates
        generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: _bool = True, full: _bool = False, size_average: Any = None, eps: _Number = 1e-08, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """Negative log-likelihood of counts under a Poisson distribution of rate `exp(input)`, or `input` itself.

    `full` adds Stirling's approximation of `log(target!)` for targets above 1.

    Args:
        input: the predictions, or scores
        target: the counts
        log_input: True: `input` is the logarithm of the rate. False: the rate itself
        full: True: with the terms that do not depend on `input`. False: without them
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        eps: a small number that keeps a division or a logarithm finite
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
    """
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`out = abs (cos(angle) + i sin(angle))`.

    Args:
        abs: the distance from 0
        angle: the angle, in radians
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The `n`-th derivative of digamma.

    Args:
        n: the order of the derivative
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def positive(input: Tensor) -> Tensor:
    """The tensor itself: `out = +x`.

    Args:
        input: the tensor to compute on
    """
def pow(input: Tensor | _Number, exponent: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Raise to a power: `out = x ** exponent`.

    Args:
        input: the tensor to compute on
        exponent: the power, a tensor or a number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Ramp with a learnt slope below zero, one for all or one per channel (dim 1).

    Args:
        input: the tensor to compute on
        weight: the slopes below zero: one, or one per channel
    """
def prod(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """Multiply along one `dim`, or everything; integers multiply in int64.

    Args:
        input: the numbers to reduce
        dim: the dim to reduce; None: all of them
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """`x` with `source` written, or added, at the flat places `index`.

    Args:
        input: the tensor to compute on
        index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
        source: the values that are put in, in order
        accumulate: True: add to what is there, repeated places included. False: write over it
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def qr(input: Tensor, some: _bool = True) -> _QR:
    """The older form of `linalg.qr`.

    Args:
        input: the tensor to compute on
        some: True: Q has `min(m, n)` columns. False: it is square
    """
def quantile(input: Tensor, q: Any, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
    """The value below which a part `q` of the elements along `dim` lies.

    Args:
        input: the tensor to compute on
        q: which shares, in [0, 1]: 0.5 is the median; a number or a 1-D tensor
        dim: the dim, or several, to reduce; None: all of them
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        interpolation: what to take between two values: `"linear"`, `"lower"`, `"higher"`, `"midpoint"` or `"nearest"`
    """
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Radians to degrees: `out = x * 180 / pi`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def rad2deg_(input: Tensor) -> Tensor:
    """Radians to degrees: `out = x * 180 / pi`.

    Args:
        input: the tensor to compute on
    """
def rand(*args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, generator: _Generator | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """Uniform in [0, 1), of shape `size`.

    Args:
        args: what stands in the place of `size` when it is spread over the call
        size: the shape of the result: ints, or one sequence of ints
        generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def rand_like(input: Tensor, *, generator: _Generator | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: Any = None) -> Tensor:
    """Uniform in [0, 1), of the shape, dtype and layout of `input`.

    Args:
        input: the tensor whose shape, dtype and layout are taken
        generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        memory_format: the order of the elements in memory; None: row-major, of `_like` as in `input`
    """
def randint(*args: _int | Sequence[_int], low: _Number = 0, high: Any = None, size: _int | Sequence[_int] | None = None, generator: _Generator | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """Integers in [`low`, `high`), of shape `size`.

    Args:
        args: what stands in the place of `size` when it is spread over the call
        low: the smallest number that can be drawn
        high: one above the largest that can be drawn
        size: the shape of the result: ints, or one sequence of ints
        generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def randint_like(input: Tensor, *bounds: _Number | Tensor, low: _Number = 0, high: Any = None, generator: _Generator | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: Any = None) -> Tensor:
    """Integers in [`low`, `high`), of the shape, dtype and layout of `input`.

    Args:
        input: the tensor whose shape, dtype and layout are taken
        bounds: one or more of the numbers below, by position
        low: the smallest number that can be drawn
        high: one above the largest that can be drawn
        generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        memory_format: the order of the elements in memory; None: row-major, of `_like` as in `input`
    """
def randn(*args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, generator: _Generator | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """Standard normal, of shape `size`.

    Args:
        args: what stands in the place of `size` when it is spread over the call
        size: the shape of the result: ints, or one sequence of ints
        generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def randn_like(input: Tensor, *, generator: _Generator | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: Any = None) -> Tensor:
    """Standard normal, of the shape, dtype and layout of `input`.

    Args:
        input: the tensor whose shape, dtype and layout are taken
        generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        memory_format: the order of the elements in memory; None: row-major, of `_like` as in `input`
    """
def randperm(n: _int, *, generator: _Generator | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """The integers below `n` in random order.

    Args:
        n: how many; of `eye` the rows
        generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def range(start: _Number | Tensor, end: _Number | Tensor, step: _Number | Tensor = 1, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """`start`, `start + step`, ... up to and including `end`. Deprecated in favour of `arange`.

    Args:
        start: the first number
        end: where to stop
        step: the difference of neighbours
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def ravel(input: Tensor) -> Tensor:
    """All elements in one dim.

    Args:
        input: the tensor that is viewed
    """
def real(input: Tensor) -> Tensor:
    """The real part of a complex tensor, in its memory; a real tensor itself.

    Args:
        input: the tensor to compute on
    """
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """One over: `out = 1 / x`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def reciprocal_(input: Tensor) -> Tensor:
    """One over: `out = 1 / x`.

    Args:
        input: the tensor to compute on
    """
def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Ramp: `out = max(x, 0)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def relu_(input: Tensor) -> Tensor:
    """Ramp: `out = max(x, 0)`.

    Args:
        input: the tensor to compute on
    """
def remainder(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """What rounding down leaves: `out = x - floor(x / y) * y`, with the sign of `y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def renorm(input: Tensor, p: Any, dim: _int | Sequence[_int], maxnorm: Any, *, out: Tensor | None = None) -> Tensor:
    """Slices along `dim` whose `p`-norm exceeds `maxnorm`, scaled down to it.

    Args:
        input: the numbers to reduce
        p: the order of the norm
        dim: the dim whose slices are measured
        maxnorm: the norm that none may exceed
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def repeat_interleave(input: Tensor, repeats: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None, *, output_size: _int | None = None) -> Tensor:
    """Each element (or slice along `dim`) `repeats` times in a row; a lone tensor of counts gives the places.

    Args:
        input: the tensor to compute on
        repeats: how often: an int for all, or a tensor with one for each; None: `input` holds the counts
        dim: the dim to work along; None: all elements in a row
        output_size: the size of the result, if it is known; None: it is computed
    """
def reshape(input: Tensor, *sizes: _int | Sequence[_int], shape: _int | Sequence[_int] | None = None) -> Tensor:
    """Another `shape`: a view where the strides allow one, else a copy.

    One size may be -1: it is what the number of elements leaves.

    Args:
        input: the tensor that is viewed
        sizes: the new sizes; one may be -1 and follows from the others
        shape: the new shape, as one sequence
    """
def resolve_conj(input: Tensor) -> Tensor:
    """A view of conjugates (`is_conj()`) in memory of its own; any other tensor itself.

    Args:
        input: the tensor to compute on
    """
def resolve_neg(input: Tensor) -> Tensor:
    """A view of negatives (`is_neg()`) in memory of its own; any other tensor itself.

    Args:
        input: the tensor to compute on
    """
def rms_norm(input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None = None, eps: _Number | None = None) -> Tensor:
    """Divide by the root of the mean square over the last dimensions: `out = x / sqrt(mean(x * x) + eps) * weight`.

    `eps` is the dtype's `finfo(...).eps` unless given, that of float32 for half types, which are computed in it.

    Args:
        input: `(n, c, *)`, or of `layer_norm` and `rms_norm` any shape that ends in `normalized_shape`
        normalized_shape: the sizes of the last dims, over which each sample is normalized
        weight: the factors at the end; None: 1
        eps: what is added to the mean square; None: the dtype's `eps`
    """
def rnn_relu(input: Tensor, hx: Any, params: Any, has_biases: Any, num_layers: Any, dropout: Any, train: Any, bidirectional: Any, batch_first: Any) -> tuple[Tensor, ...]:
    """Outputs of the last layer, and the last states of every layer: see `nn.RNN`.

    Args:
        input: the sequence `(t, n, features)`, or of a cell one step `(n, features)`
        hx: the state before the first step: `(layers * directions, n, hidden)`; of an LSTM the pair of it and the cell state; of a cell `(n, hidden)`
        params: weights and biases of all layers and directions, as the layer's `_flat_weights`
        has_biases: True: `params` holds biases
        num_layers: how many layers are stacked
        dropout: the probability with which outputs between layers are zeroed in training
        train: True: as in training
        bidirectional: True: a second pass from the end to the start
        batch_first: True: `(n, t, features)`. False: `(t, n, features)`
    """
def rnn_relu_cell(input: Tensor, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step of an RNN: `relu(input @ w_ih.T + b_ih + hx @ w_hh.T + b_hh)`.

    Args:
        input: the sequence `(t, n, features)`, or of a cell one step `(n, features)`
        hx: the state before the first step: `(layers * directions, n, hidden)`; of an LSTM the pair of it and the cell state; of a cell `(n, hidden)`
        w_ih: the weights of the input, `(gates * hidden, features)`
        w_hh: the weights of the state, `(gates * hidden, hidden)`
        b_ih: the bias of the input; None: 0
        b_hh: the bias of the state; None: 0
    """
def rnn_tanh(input: Tensor, hx: Any, params: Any, has_biases: Any, num_layers: Any, dropout: Any, train: Any, bidirectional: Any, batch_first: Any) -> tuple[Tensor, ...]:
    """Outputs of the last layer, and the last states of every layer: see `nn.RNN`.

    Args:
        input: the sequence `(t, n, features)`, or of a cell one step `(n, features)`
        hx: the state before the first step: `(layers * directions, n, hidden)`; of an LSTM the pair of it and the cell state; of a cell `(n, hidden)`
        params: weights and biases of all layers and directions, as the layer's `_flat_weights`
        has_biases: True: `params` holds biases
        num_layers: how many layers are stacked
        dropout: the probability with which outputs between layers are zeroed in training
        train: True: as in training
        bidirectional: True: a second pass from the end to the start
        batch_first: True: `(n, t, features)`. False: `(t, n, features)`
    """
def rnn_tanh_cell(input: Tensor, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step of an RNN: `tanh(input @ w_ih.T + b_ih + hx @ w_hh.T + b_hh)`.

    Args:
        input: the sequence `(t, n, features)`, or of a cell one step `(n, features)`
        hx: the state before the first step: `(layers * directions, n, hidden)`; of an LSTM the pair of it and the cell state; of a cell `(n, hidden)`
        w_ih: the weights of the input, `(gates * hidden, features)`
        w_hh: the weights of the state, `(gates * hidden, hidden)`
        b_ih: the bias of the input; None: 0
        b_hh: the bias of the state; None: 0
    """
def roll(input: Tensor, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] = ..., *, out: Tensor | None = None) -> Tensor:
    """Move everything `shifts` places on along `dims`; what falls off one end enters at the other.

    Args:
        input: the tensor to compute on
        shifts: how many places to move, for each of `dims`; below 0 backwards
        dims: the dims to roll along; empty: all elements in a row
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def rot90(input: Tensor, k: _int = 1, dims: _int | Sequence[_int] = ..., *, out: Tensor | None = None) -> Tensor:
    """Turn the plane of two dims by `k` times 90 degrees, from the first towards the second.

    Args:
        input: the tensor to compute on
        k: how many quarter turns
        dims: the plane to turn in, from the first dim towards the second
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest number with `decimals` digits behind the point, the even one of two.

    Args:
        input: the tensor to compute on
        decimals: the number of digits behind the point; below 0, before it
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def round_(input: Tensor, *, decimals: _int = 0) -> Tensor:
    """The nearest number with `decimals` digits behind the point, the even one of two.

    Args:
        input: the tensor to compute on
        decimals: the number of digits behind the point; below 0, before it
    """
def row_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the rows; a vector is one row.

    Args:
        tensors: the tensors to put together, in order
    """
def rrelu(input: Tensor, lower: _Number = 0.125, upper: _Number = 0.3333333333333333, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Ramp whose slope below zero is random in `training`, else halfway between the bounds.

    Args:
        input: the tensor to compute on
        lower: the least slope below zero
        upper: the greatest slope below zero
        training: True: slopes are drawn. False: `(lower + upper) / 2`
        inplace: True: `input` is overwritten with the result and returned
    """
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Reciprocal of the square root: `out = 1 / sqrt(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def rsqrt_(input: Tensor) -> Tensor:
    """Reciprocal of the square root: `out = 1 / sqrt(x)`.

    Args:
        input: the tensor to compute on
    """
def rsub(input: Tensor, other: Tensor | _Number, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Subtract the other way round: `out = y - alpha * x`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        alpha: the number that `input` is multiplied by: 1 unless given
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def scatter(input: Tensor, dim: _int | Sequence[_int], index: Tensor, src: Tensor | _Number | None = None, *, value: Any = None, reduce: _str | None = None, out: Tensor | None = None) -> Tensor:
    """`x` with `out[..., index[p], ...] = src[p]` along `dim` (or a number everywhere); `reduce` combines instead.

    Args:
        input: the tensor to compute on
        dim: the dim that `index` counts along
        index: for each element its place along `dim`; no larger than `input` in the other dims
        src: the values that are put in
        value: a number in place of `src`; None: `src` is given
        reduce: None: written over. `"add"`, `"multiply"`: combined with what is there
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def scatter_add(input: Tensor, dim: _int | Sequence[_int], index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`x` with `out[..., index[p], ...] += src[p]` along `dim`; repeated places add up.

    Args:
        input: the tensor to compute on
        dim: the dim that `index` counts along
        index: for each element its place along `dim`; no larger than `input` in the other dims
        src: the values that are put in
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def scatter_reduce(input: Tensor, dim: _int | Sequence[_int], index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True, out: Tensor | None = None) -> Tensor:
    """`x` with all `src[p]` that arrive at one place along `dim` reduced, together with what was there or without.

    Args:
        input: the tensor to compute on
        dim: the dim that `index` counts along
        index: for each element its place along `dim`; no larger than `input` in the other dims
        src: the values that are put in
        reduce: how to put together what meets: `"sum"`, `"prod"`, `"mean"`, `"amax"` or `"amin"`
        include_self: True: what was in `input` takes part. False: it does not, where anything was put
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def searchsorted(sorted_sequence: Any, input: Tensor, *, out_int32: _bool = False, right: _bool = False, side: _str | None = None, sorter: Tensor | None = None) -> Tensor:
    """For each value of `input` the place where it would enter the sorted last dim of `sorted_sequence`.

    Args:
        sorted_sequence: numbers that increase along the last dim
        input: the tensor to compute on
        out_int32: True: int32 results. False: int64
        right: which of the places among equals: False the first, True behind the last
        side: `"right"` is as `right=True`, `"left"` as False; None: `right` decides
        sorter: the order that sorts `sorted_sequence`, if it isn't sorted; None: it is
    """
def select(input: Tensor, dim: _int | Sequence[_int], index: _int) -> Tensor:
    """The part at `index` along `dim`; that dim is gone.

    Args:
        input: the tensor that is viewed
        dim: the dim to work along; a negative one counts from the end
        index: the place along `dim`; a negative one counts from the end
    """
def select_scatter(input: Tensor, src: Tensor, dim: _int | Sequence[_int], index: _int, *, out: Tensor | None = None) -> Tensor:
    """A copy of `x` with `src` in the place of `x.select(dim, index)`.

    Args:
        input: the tensor that is read
        src: the values that are put in
        dim: the dim to work along; a negative one counts from the end
        index: the place along `dim`; a negative one counts from the end
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def selu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The ELU whose outputs keep mean 0 and variance 1.

    `out = scale * x` above 0, `scale * alpha * (exp(x) - 1)` below, with scale = 1.0507 and alpha = 1.6733.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def selu_(input: Tensor) -> Tensor:
    """The ELU whose outputs keep mean 0 and variance 1.

    `out = scale * x` above 0, `scale * alpha * (exp(x) - 1)` below, with scale = 1.0507 and alpha = 1.6733.

    Args:
        input: the tensor to compute on
    """
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Direction from zero: `out = x / abs(x)`, and 0 at 0.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Squash to (0, 1): `out = 1 / (1 + exp(-x))`.

    Exact at both ends: no exponential overflows.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def sigmoid_(input: Tensor) -> Tensor:
    """Squash to (0, 1): `out = 1 / (1 + exp(-x))`.

    Exact at both ends: no exponential overflows.

    Args:
        input: the tensor to compute on
    """
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Which side of zero: `out = -1, 0 or 1`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether the sign bit is set: true for negative numbers and for -0.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sine: `out = sin(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def sin_(input: Tensor) -> Tensor:
    """Sine: `out = sin(x)`.

    Args:
        input: the tensor to compute on
    """
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sine by its angle: `out = sin(pi x) / (pi x)`, and 1 at 0.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def sinc_(input: Tensor) -> Tensor:
    """Sine by its angle: `out = sin(pi x) / (pi x)`, and 1 at 0.

    Args:
        input: the tensor to compute on
    """
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic sine: `out = (exp(x) - exp(-x)) / 2`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def sinh_(input: Tensor) -> Tensor:
    """Hyperbolic sine: `out = (exp(x) - exp(-x)) / 2`.

    Args:
        input: the tensor to compute on
    """
def slice_scatter(input: Tensor, src: Tensor, dim: _int | Sequence[_int] = 0, start: _int | None = None, end: Any = None, step: _int = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy of `x` with `src` in the place of its slice `start:end:step` along `dim`.

    Args:
        input: the tensor that is read
        src: the values that are put in
        dim: the dim to work along: the first unless given
        start: where the slice begins; None: at 0
        end: where it ends, not included; None: at the end
        step: the distance of its elements
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = None) -> _SignLogabsdet:
    """Sign and logarithm of the determinant: `det(x) = sign * exp(logabsdet)`, where the determinant would overflow.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def softmax(input: Tensor, dim: _int | Sequence[_int], dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """Exponentials as shares of their sum: `out = exp(x) / sum(exp(x))` along `dim`.

    The shares are positive and add up to one. The largest element is subtracted first, so that nothing overflows.

    Args:
        input: the tensor to compute on
        dim: the dim whose shares add up to one
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def sort(input: Tensor, dim: _int | Sequence[_int] = -1, descending: _bool = False, stable: _bool | None = None, *, out: Sequence[Tensor] | None = None) -> _ValuesIndices:
    """`x` in order along `dim`, and where each element was; with `stable`, equals keep their order.

    Args:
        input: the tensor to compute on
        dim: the dim to work along; None, where it is taken: all elements in a row
        descending: True: the largest first. False: the smallest first
        stable: True: equal elements stay in order. None and False: they need not, but do here
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def split(input: Tensor, split_size_or_sections: Any, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """Consecutive pieces along `dim`: all of one size, or of the sizes in a list.

    The pieces are views: writing to one writes to `input`.

    Args:
        input: the tensor that is viewed
        split_size_or_sections: the size of each piece, the last may be smaller; or a list of sizes
        dim: the dim to work along: the first unless given
    """
def split_with_sizes(input: Tensor, split_sizes: Sequence[_int], dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """Consecutive pieces of these sizes along `dim`.

    Args:
        input: the tensor that is viewed
        split_sizes: the sizes of the pieces
        dim: the dim to work along: the first unless given
    """
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Square root: `out * out = x`, not negative.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def sqrt_(input: Tensor) -> Tensor:
    """Square root: `out * out = x`, not negative.

    Args:
        input: the tensor to compute on
    """
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply by itself: `out = x ** 2`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def square_(input: Tensor) -> Tensor:
    """Multiply by itself: `out = x ** 2`.

    Args:
        input: the tensor to compute on
    """
@overload
def squeeze(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """Drop the dims of size one: all of them, or those named.

    A dim of another size stays, even if it is named.

    Args:
        input: the tensor that is viewed
        dim: the dims to drop, where they are of size one; None: all such
    """
@overload
def squeeze(input: Tensor, *dim: _int) -> Tensor: ...
def stack(tensors: Sequence[Tensor], dim: _int | Sequence[_int] = 0, *, out: Tensor | None = None) -> Tensor:
    """The `tensors`, all of one shape, along a new `dim`.

    The new dim has as many places as there are tensors.

    Args:
        tensors: the tensors to put together, in order
        dim: where the new dim is to be: in front unless given
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def std(input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: _Number | None = None) -> Tensor:
    """The standard deviation along `dim`: the square root of the variance.

    The root of the variance, whose divisor is the number of elements less `correction`, 1 unless given.

    Args:
        input: the tensor to compute on
        dim: the dim, or several, to reduce; None: all of them
        unbiased: the older way to say `correction`: True is 1, False is 0; None: it is not given
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        correction: what is taken off the number of elements in the divisor; None: 1 (Bessel's), which estimates without bias
    """
def std_mean(input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: _Number | None = None) -> tuple[Tensor, ...]:
    """Standard deviation and mean along `dim`.

    Args:
        input: the tensor to compute on
        dim: the dim, or several, to reduce; None: all of them
        unbiased: the older way to say `correction`: True is 1, False is 0; None: it is not given
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        correction: what is taken off the number of elements in the divisor; None: 1 (Bessel's), which estimates without bias
    """
def stft(input: Tensor, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Any = None, center: _bool = True, pad_mode: _str = 'reflect', normalized: _bool = False, onesided: _bool | None = None, return_complex: _bool | None = None, align_to_window: Any = None) -> Tensor:
    """Short-time Fourier transform: `out[..., k, m] = sum_j window[j] input[m hop + j] exp(-2 pi i j k / n_fft)`.

    `input` is `(*, L)` and `out` is `(*, K, M)`: `K = n_fft // 2 + 1` frequencies (all `n_fft` without
    `onesided`) of `M` pieces. With `center` the signal is padded by half a piece at both ends, in `pad_mode`.

    Args:
        input: the tensor to compute on
        n_fft: the number of points of each transform
        hop_length: how far pieces are apart; None: `n_fft // 4`
        win_length: the length of the window; None: `n_fft`
        window: the weights of a piece; None: ones
        center: True: pieces are centred on their places, and the signal is padded
        pad_mode: how it is padded, as in `pad`
        normalized: True: divide by `sqrt(n_fft)`
        onesided: True: the first half of the spectrum; None: where the signal is real
        return_complex: True: complex numbers. False: pairs of real ones
        align_to_window: True: pieces begin where the window does; None and False: where the transform does; only without `center`
    """
def sub(input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Subtract element by element: `out = x - alpha * y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        alpha: the number that `other` is multiplied by: 1 unless given
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def subtract(input: Tensor | _Number, other: Tensor | _Number, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Subtract element by element: `out = x - alpha * y`.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        alpha: the number that `other` is multiplied by: 1 unless given
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def sum(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """Add up along `dim`; integers add up in int64.

    `dim` is dropped from the shape, or has size 1 with `keepdim`. The sum of nothing is 0.

    Args:
        input: the numbers to reduce
        dim: the dim, or several, to reduce; None: all of them
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def svd(input: Tensor, some: _bool = True, compute_uv: _bool = True) -> _USV:
    """The older form of `linalg.svd`: `input = U @ diag(S) @ V^H`.

    Args:
        input: the matrix, or a batch of matrices `(*, m, n)`
        some: True: U and V have `min(m, n)` columns. False: they are square
        compute_uv: False: zeros in place of U and V
    """
def svd_lowrank(A: Tensor, q: _int = 6, niter: _int = 2, M: Any = None) -> tuple[Tensor, ...]:
    """The `q` largest singular values with their vectors, nearly: `A = U @ diag(S) @ V^H`. Random: see `manual_seed`.

    Args:
        A: the matrix, or a batch of matrices `(*, m, n)`
        q: how many singular values: 6 unless given
        niter: how often the basis is improved
        M: what is subtracted from `A` first; None: nothing
    """
def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """Exchange two dims.

    Args:
        input: the tensor that is viewed
        axis0: one of the two dims
        axis1: the other dim
    """
def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Exchange two dims.

    Nothing is copied: two strides change places.

    Args:
        input: the tensor that is viewed
        dim0: one of the two dims
        dim1: the other dim
    """
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; a vector or a number stays as it is.

    Args:
        input: the tensor that is viewed
    """
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements of `x`, seen as flat, at `index`.

    Args:
        input: the tensor to compute on
        index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def take_along_dim(input: Tensor, indices: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """The elements at `indices` along `dim`; the other dims broadcast.

    Args:
        input: the tensor to compute on
        indices: the places along `dim`; broadcast with `input`
        dim: the dim to work along; None: all elements in a row
    """
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Tangent: `out = sin(x) / cos(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def tan_(input: Tensor) -> Tensor:
    """Tangent: `out = sin(x) / cos(x)`.

    Args:
        input: the tensor to compute on
    """
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic tangent: `out = sinh(x) / cosh(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def tanh_(input: Tensor) -> Tensor:
    """Hyperbolic tangent: `out = sinh(x) / cosh(x)`.

    Args:
        input: the tensor to compute on
    """
def tensor_split(input: Tensor, indices_or_sections: Any, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """Pieces along `dim`: so many of nearly equal size, or cut at the given places.

    Args:
        input: the tensor that is viewed
        indices_or_sections: how many pieces, or where to cut
        dim: the dim to work along: the first unless given
    """
def tensordot(a: Tensor, b: Tensor, dims: _int | Sequence[_int] = 2, out: Any = None) -> Tensor:
    """Sums of products over several dimensions: the last of `a` and first of `b`, or the two lists in `dims`.

    Args:
        a: the first tensor
        b: the second tensor
        dims: how many of the last dims of `a` to sum with the first of `b`; or two lists of dims
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def threshold(input: Tensor, threshold: Any, value: Any, *, out: Tensor | None = None) -> Tensor:
    """Nothing changes above the threshold: `out = x if x > threshold else value`.

    Args:
        input: the tensor to compute on
        threshold: up to here
        value: the result up to there
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def threshold_(input: Tensor, threshold: Any, value: Any) -> Tensor:
    """Nothing changes above the threshold: `out = x if x > threshold else value`.

    Args:
        input: the tensor to compute on
        threshold: up to here
        value: the result up to there
    """
def tile(input: Tensor, *dims: _int | Sequence[_int]) -> Tensor:
    """:meth:`repeat`, with missing leading repeats counted as one.

    Args:
        input: the tensor to compute on
        dims: how often along each dim
    """
def topk(input: Tensor, k: _int, dim: _int | Sequence[_int] = -1, largest: _bool = True, sorted: _bool = True, *, out: Sequence[Tensor] | None = None) -> _ValuesIndices:
    """The `k` largest (or smallest) along `dim` in order, and where they are.

    The places are those in `input` along `dim`.

    Args:
        input: the tensor to compute on
        k: how many
        dim: the dim to work along; None, where it is taken: all elements in a row
        largest: True: the largest. False: the smallest
        sorted: True and False: in order here
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def trace(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sum of the diagonal: `out = sum_i x[i, i]`.

    Args:
        input: what the product is added to
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Exchange two dims.

    Nothing is copied: two strides change places.

    Args:
        input: the tensor that is viewed
        dim0: one of the two dims
        dim1: the other dim
    """
def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: _int | Sequence[_int] = -1) -> Tensor:
    """Area under `y` along `dim` by the trapezoidal rule, sampled at `x` or at a distance of `dx` (1).

    Args:
        y: the values of the function
        x: where they were taken; None: at equal distances
        dx: the distance of the samples; None: 1
        dim: the dim to work along: the last unless given
    """
def trapz(y: Any, x: Any = None, *, dx: Any = None, dim: _int | Sequence[_int] = -1) -> Tensor:
    """The older name of `trapezoid`.

    Args:
        y: the values of the function
        x: where they were taken; None: at equal distances
        dx: the distance of the samples; None: 1
        dim: the dim to work along: the last unless given
    """
def triangular_solve(input: Tensor, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False, *, out: Sequence[Tensor] | None = None) -> _SolutionClonedCoefficient:
    """The `solution` with `A @ solution = x`, or `A^T @ solution = x`; one triangle of `A` is read. And `A`.

    Args:
        input: the right-hand side
        A: the matrix, or a batch of matrices `(*, m, n)`
        upper: True: the upper triangle. False: the lower one
        transpose: True: solve with the transpose. False: with the matrix
        unitriangular: True: the diagonal is taken to be ones and not read. False: it is read
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def tril(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The lower triangle of each matrix, up to the given `diagonal`; zeros above.

    Of a batch, of each matrix.

    Args:
        input: the tensor that is read
        diagonal: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def tril_indices(row: Any, col: Any, offset: _int = 0, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """Row and column numbers of the elements on and below a diagonal: `j <= i + offset`.

    Args:
        row: the number of rows
        col: the number of columns
        offset: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def triu(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The upper triangle of each matrix, from the given `diagonal` on; zeros below.

    Args:
        input: the tensor that is read
        diagonal: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def triu_indices(row: Any, col: Any, offset: _int = 0, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """Row and column numbers of the elements on and above a diagonal: `j >= i + offset`.

    Args:
        row: the number of rows
        col: the number of columns
        offset: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def true_divide(input: Tensor | _Number, other: Tensor | _Number, *, rounding_mode: _str | None = None, out: Tensor | None = None) -> Tensor:
    """Divide element by element: `out = x / y`, rounded towards zero (`trunc`) or down (`floor`) if asked for.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        rounding_mode: `"trunc"`: towards zero. `"floor"`: down. None: no rounding
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Drop what stands behind the point: `out = sign(x) * floor(abs(x))`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def trunc_(input: Tensor) -> Tensor:
    """Drop what stands behind the point: `out = sign(x) * floor(abs(x))`.

    Args:
        input: the tensor to compute on
    """
def unbind(input: Tensor, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """The parts along `dim`, one by one, without that dim.

    Args:
        input: the tensor that is viewed
        dim: the dim to work along: the first unless given
    """
def unflatten(input: Tensor, dim: _int | Sequence[_int], sizes: Sequence[_int]) -> Tensor:
    """The dim `dim` cut into several of these `sizes`.

    Args:
        input: the tensor that is viewed
        dim: the dim to cut up
        sizes: what it becomes; one may be -1
    """
def unique(input: Tensor, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | Sequence[_int] | None = None) -> Tensor | Any:
    """The distinct elements in order (always sorted), with their places and counts if wanted.

    Args:
        input: the tensor to compute on
        sorted: True and False: in order here
        return_inverse: True: also where each element went
        return_counts: True: also how often each occurs
        dim: the dim whose slices are compared; None: all elements
    """
def unique_consecutive(input: Tensor, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | Sequence[_int] | None = None) -> Tensor | Any:
    """The elements without those that equal the one before, with their places and counts if wanted.

    Args:
        input: the tensor to compute on
        return_inverse: True: also where each element went
        return_counts: True: also how often each occurs
        dim: the dim whose slices are compared; None: all elements in a row
    """
def unravel_index(indices: Tensor, shape: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """The coordinates of elements that are numbered in row-major order in a tensor of `shape`.

    Args:
        indices: the numbers of the elements
        shape: the shape of the tensor that they number
    """
def unsafe_chunk(input: Tensor, chunks: _int, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """`chunk` as `unsafe_split` does it.

    Args:
        input: the tensor to compute on
        chunks: how many pieces
        dim: the dim to work along: the first unless given
    """
def unsafe_split(input: Tensor, split_size: _int, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """`split` for pieces of which only one is used, or none is written: they share memory, unknown to autograd.

    Each counts its own versions. Writing to one is not seen by the gradients of the others, nor by those of `input`.

    Args:
        input: the tensor to compute on
        split_size: the size of each piece
        dim: the dim to work along: the first unless given
    """
def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[_int], dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
    """`split_with_sizes` as `unsafe_split` does it.

    Args:
        input: the tensor to compute on
        split_sizes: the sizes of the pieces
        dim: the dim to work along: the first unless given
    """
def unsqueeze(input: Tensor, dim: _int | Sequence[_int]) -> Tensor:
    """Insert a dim of size one at `dim`.

    Args:
        input: the tensor that is viewed
        dim: where the new dim is to be
    """
def var(input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: _Number | None = None) -> Tensor:
    """The variance along `dim`: `out = sum(|x - mean(x)| ** 2) / (n - correction)`.

    The divisor is the number of elements less `correction`, 1 unless given.

    Args:
        input: the tensor to compute on
        dim: the dim, or several, to reduce; None: all of them
        unbiased: the older way to say `correction`: True is 1, False is 0; None: it is not given
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        correction: what is taken off the number of elements in the divisor; None: 1 (Bessel's), which estimates without bias
    """
def var_mean(input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: _Number | None = None) -> tuple[Tensor, ...]:
    """Variance and mean along `dim`.

    Args:
        input: the tensor to compute on
        dim: the dim, or several, to reduce; None: all of them
        unbiased: the older way to say `correction`: True is 1, False is 0; None: it is not given
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
        correction: what is taken off the number of elements in the divisor; None: 1 (Bessel's), which estimates without bias
    """
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inner product of two vectors: `out = sum_i conj(x[i]) * y[i]`.

    Args:
        input: the tensor to compute on
        other: the second factor
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def view_as_complex(input: Tensor) -> Tensor:
    """A last dimension of size 2 as complex numbers, in the same memory.

    Args:
        input: the tensor to compute on
    """
def view_as_real(input: Tensor) -> Tensor:
    """Real and imaginary parts side by side: the same memory with a last dimension of size 2.

    Args:
        input: the tensor to compute on
    """
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Pieces along the rows.

    Args:
        input: the tensor that is viewed
        indices_or_sections: how many pieces, or where to cut
    """
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the rows; a vector is one row.

    Args:
        tensors: the tensors to put together, in order
    """
def where(condition: Tensor, input: Tensor | None = None, other: _Number | Tensor | None = None, *, out: Any = None) -> Tensor | Any:
    """Element by element, `input` or `other`; with `condition` alone, the indices of its true elements.

    The three are broadcast together.

    Args:
        condition: True where `input` is taken
        input: the choice where it is True, a tensor or a number
        other: the choice where it is False, a tensor or a number
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def xlogy(input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None) -> Tensor:
    """Logarithm times: `out = x * log(y)`, and 0 where x is 0.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def xlogy_(input: Tensor | _Number, other: Tensor | _Number) -> Tensor:
    """Logarithm times: `out = x * log(y)`, and 0 where x is 0.

    Args:
        input: the tensor to compute on
        other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
    """
def zero_(input: Tensor) -> Tensor:
    """Overwrite `x` with zeros.

    Args:
        input: the tensor to compute on
    """
def zeros(*args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """A tensor of zeros of shape `size`.

    Args:
        args: what stands in the place of `size` when it is spread over the call
        size: the shape of the result: ints, or one sequence of ints
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def zeros_like(input: Tensor, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: Any = None) -> Tensor:
    """Zeros of the shape, dtype and layout of `input`.

    Args:
        input: the tensor whose shape, dtype and layout are taken
        dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
        layout: `lw.strided` or None, which mean the same: there is no other
        device: `"cpu"` or None, which mean the same: there is no other
        pin_memory: False; True is refused, since there is no accelerator to copy to
        requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        memory_format: the order of the elements in memory; None: row-major, of `_like` as in `input`
    """
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
chalf: _dtype
complex128: _dtype
complex32: _dtype
complex64: _dtype
double: _dtype
e: _float
float: _dtype
float16: _dtype
float32: _dtype
float64: _dtype
float8_e4m3fn: _dtype
float8_e4m3fnuz: _dtype
float8_e5m2: _dtype
float8_e5m2fnuz: _dtype
float8_e8m0fnu: _dtype
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
qint32: _dtype
qint8: _dtype
quint2x4: _dtype
quint4x2: _dtype
quint8: _dtype
short: _dtype
uint16: _dtype
uint32: _dtype
uint64: _dtype
uint8: _dtype
def detach_(input: Tensor) -> Tensor:
    """Forget this tensor's history. In inference mode, as in PyTorch, this does nothing."""
def resize_as_(input: Tensor) -> Tensor:
    """Change the shape to that of ``the_template``."""
newaxis: None
__version__: _str
own_version: _str
