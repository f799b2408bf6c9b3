"""What the core needs of arrays besides arithmetic: gradients made to fit, writes, and questions about memory."""
import math
import operator

import numpy as np

from leafward import dtypes
from leafward.arrays import copies, packed
from leafward.arrays.dtype_map import TO_NUMPY, is_half, numpy_dtype
from leafward.arrays.sparse import is_sparse
from leafward.arrays.sums import add_up

FLOAT32 = np.dtype("float32")

#: How hard to think about whether two strided regions share an element before answering "they may".
OVERLAP_EFFORT = 10_000

#: Numbers go into so many elements by a kernel.
MANY = 1 << 16


def reducible(shape, target):
    """Whether summing an array of ``shape`` can give ``target``: whether ``target`` broadcasts to ``shape``."""
    if len(target) > len(shape):
        return False
    for size, wanted in zip(shape[len(shape) - len(target):], target, strict=True):
        if wanted != size and wanted != 1:
            return False
    return True


def other_ndim(x, y):
    """Whether two arrays have different numbers of dims."""
    return x.ndim != y.ndim


def same_kind(x, shape, dtype):
    """Whether ``x`` is an array of exactly this shape and dtype."""
    return type(x) is np.ndarray and x.shape == shape and x.dtype is TO_NUMPY.get(dtype)


def sum_to(x, shape):
    """Sum away what broadcasting added to ``shape``; of half types in float32, which the engine rounds."""
    extra = x.ndim - len(shape)
    axes = tuple([d for d in range(x.ndim) if d < extra or (shape[d - extra] == 1 and x.shape[d] != 1)])
    return np.asarray(add_up(x, axes)).reshape(shape)


def cast_gradient(x, dtype):
    """``x`` in the dtype of the input that it is the gradient of: of a real input, the real part."""
    if dtype in dtypes.PACKED:
        dtype = dtypes.widened(dtype)
    if x.dtype in packed.NAMES:
        x = packed.widened(x)
    target = numpy_dtype(dtype)
    if x.dtype.kind == "c" and target.kind != "c":
        x = x.real
    return copies.cast(x, target, True)


def concat(arrays, /, *, axis=0, dtype=None):
    """The ``arrays`` one after the other along ``axis``, in row-major order whatever theirs is."""
    return np.ascontiguousarray(np.concatenate(arrays, axis=axis, dtype=dtype))


def to_host(x):
    """``x`` where Python can read it: here it is. On a device this waits for it and copies it, so it is never done unasked."""
    return x


def add_into(x, y):
    """``x += y``."""
    if x.size == 1:                             # NumPy takes 0.8 µs to add one element in place, and 0.4 µs like this
        x[...] = x + y
    else:
        np.add(x, y, x)


def assign(target, source):
    """Copy ``source``, an array or a number, into ``target`` element by element, casting as PyTorch's ``copy_`` does."""
    if target.size >= MANY and not getattr(source, "ndim", 0) and getattr(source, "dtype", target.dtype).kind != "c":
        source = np.full((1,) * target.ndim, source, target.dtype)
    if isinstance(source, np.ndarray) and source.dtype.kind == "c" and target.dtype.kind not in "cb":
        source = source.real
    if not (isinstance(source, np.ndarray) and copies.compiled and copies.compiled.copy_into(target, source)):
        np.copyto(target, source, casting="unsafe")


def assign_direct(target, source):
    """See ``tapes.direct``: a number, or what casts without a look at its parts, is written by NumPy as ``target[...]``."""
    kind = getattr(source, "dtype", target.dtype).kind
    small = target.size < copies.FEW and (kind != "c" or target.dtype.kind in "cb")
    return (operator.setitem, (target, Ellipsis, source)) if small else None


assign.direct = assign_direct


def scalar_for(value, dtype):
    """A Python number as an operand of arrays of ``dtype``: integers wrap around, half types round, as in PyTorch."""
    target = numpy_dtype(dtype)
    kind = target.kind
    if kind in "iu":
        return np.asarray(int(value) & ((1 << (8 * target.itemsize)) - 1), dtype=f"u{target.itemsize}").view(target)
    if kind in "fV":                                    # V: bfloat16, which is none of NumPy's own
        return float(target.type(np.float32(value))) if target.itemsize == 2 else float(value)
    if kind == "b":
        return np.asarray(bool(value))
    if kind == "c":
        return complex(value)
    return np.asarray(value, dtype=target)


def half_among(arrays):
    """The half dtype (float16, bfloat16) that one of ``arrays`` has, or None."""
    for a in arrays:
        if isinstance(a, np.ndarray) and is_half(a.dtype):
            return a.dtype
    return None


def widened(x):
    """A half array as float32; anything else as it is."""
    return copies.cast(x, FLOAT32, True) if isinstance(x, np.ndarray) and is_half(x.dtype) else x


def narrowed(result, half):
    """What was computed in float32 as ``half``; bools and integers, and each of several outputs, as they are."""
    if isinstance(result, (tuple, list)):
        return type(result)([narrowed(r, half) for r in result])
    return copies.cast(result, half, True) if result.dtype == np.float32 else result


def without_zeros(x):
    """Whether no element is zero. (A batch of tensors says no: it cannot tell for all of its examples at once.)"""
    return not (x == 0).any()


def is_finite(x):
    """Whether there is neither NaN nor inf in an array; whole numbers are finite."""
    x = x.values if is_sparse(x) else x
    kind = x.dtype.kind
    if kind == "f" and x.itemsize >= 4 and x.flags.c_contiguous and math.isfinite(np.vdot(x, x)):
        return True                                         # (half the time; squares that overflow are looked at again)
    return kind in "iub" or bool(np.isfinite(x).all())


def has_nan(x):
    """Whether any element is nan."""
    x = x.values if is_sparse(x) else x
    return x.dtype.kind in "fc" and bool(np.isnan(x).any())


def overlap(x, y):
    """Whether two arrays share an element. Where that is hard to say, yes."""
    if not np.may_share_memory(x, y):
        return False
    try:
        return np.shares_memory(x, y, max_work=OVERLAP_EFFORT)
    except np.exceptions.TooHardError:
        return True


def from_buffer(buffer, dtype, count, offset):
    """A 1-D array on the memory of a buffer, read-only if the buffer is."""
    return np.frombuffer(buffer, numpy_dtype(dtype), count, offset)


def from_dlpack(exporter):
    """An array on the memory that another library exports."""
    return np.from_dlpack(exporter)
