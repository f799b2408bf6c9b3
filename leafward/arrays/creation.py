"""Arrays from numbers, with PyTorch's rounding: ranges, and memory in a wanted layout."""
from functools import partial
from math import ceil, isfinite

import numpy as np

from leafward.arrays import rounding
from leafward.arrays.copies import SHARED, row_major_copy
from leafward.arrays.dtype_map import numpy_dtype
from leafward.arrays.layout import dense_strides, strided, strides_of
from leafward.arrays.packed import pairs_as_complex

try:
    from leafward.arrays.kernels import copies_entry as compiled
except ImportError:                       # not compiled
    compiled = None

#: PyTorch fills a range by vectors of 32 bytes, two at a time; what is left over goes one by one.
VECTOR_BYTES = 32

#: Permutations of a shape into the order of its memory.
CHANNELS_LAST = {4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}


# --- ranges ----------------------------------------------------------------------------------------------------------

def arange(start, end, step, dtype):
    """``start + i step`` for all ``i >= 0`` that stay before ``end``."""
    dtype = numpy_dtype(dtype)
    check_range(start, end, step)
    if dtype == np.int64:
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise ValueError("step must be nonzero")
    if compiled and dtype in (np.float32, np.float64):
        return compiled.counted(start, step, ceil((end - start) / step), dtype)
    if dtype == np.int64 or are_small_integers(start, end, step, dtype):
        return np.arange(start, end, step, np.int64).astype(dtype, copy=False)
    count = ceil((end - start) / step)
    if dtype.kind in "iu":                                  # counted first, cut to whole numbers afterwards
        return (np.arange(count) * int(step) + int(start)).astype(dtype)
    i = np.arange(count, dtype=np.float64)
    multiply_add = rounding.multiply_add
    if dtype.itemsize == 2:
        start, step, multiply_add = np.float32(start), np.float32(step), rounding.multiply_add_wide
    # The first of a vector is rounded to the dtype, and the others of the vector start from there.
    width = VECTOR_BYTES // dtype.itemsize
    first = i - i % width
    values = multiply_add(first, step, start).astype(dtype).astype(np.float64)
    values = multiply_add(i - first, step, values).astype(dtype)
    tail = count - count % (2 * width)
    values[tail:] = multiply_add(i[tail:], step, start).astype(dtype)
    return values


def triangle(rows, columns, offset, upper):
    """Row and column numbers of the elements ``j >= i + offset`` (or of those ``j <= i + offset``), row by row."""
    if compiled:
        return compiled.triangle_places(rows, columns, offset, upper)
    i = np.arange(rows)
    edge = np.clip(i + offset if upper else i + offset + 1, 0, columns)
    first, last = (edge, columns) if upper else (np.zeros_like(i), edge)
    lengths = last - first
    skipped = first - (np.cumsum(lengths) - lengths)        # what turns a place in the result into a column
    repeated = np.repeat(i, lengths)
    return np.stack([repeated, np.arange(repeated.size) + np.repeat(skipped, lengths)])


def check_range(start, end, step):
    if not (step > 0 or step < 0):                          # NaN is neither
        raise RuntimeError("step must be nonzero")
    if not (isfinite(start) and isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def are_small_integers(start, end, step, dtype):
    """Whether every value of the range is an integer that ``dtype`` holds exactly."""
    limit = 256 if dtype.itemsize == 2 else 2**24
    return start == int(start) and step == int(step) and max(abs(start), abs(end)) <= limit


def linspace(start, end, steps, dtype):
    """``steps`` equally spaced values: the first half counted from ``start``, the second back from ``end``."""
    dtype = numpy_dtype(dtype)
    if dtype.kind == "c":
        start, end, double = complex(start), complex(end), np.dtype(np.float64)
        real, imag = linspace(start.real, end.real, steps, double), linspace(start.imag, end.imag, steps, double)
        return complex_from(real, imag).astype(dtype)
    if dtype.kind in "iu":
        values = spaced(float(int(start)), float(int(end)), steps, np.float64, rounding.multiply_add)
        return np.trunc(values).astype(dtype)
    if dtype == np.float64:
        return spaced(start, end, steps, np.float64, rounding.multiply_add)
    if dtype == np.float32:
        return spaced(start, end, steps, np.float32, rounding.multiply_add_wide)
    return spaced(start, end, steps, dtype.type, multiply_then_add)


def spaced(start, end, steps, number, multiply_add):
    start, end = number(start), number(end)
    if steps == 1:
        return np.array([start])
    step = number(number(end - start) / number(steps - 1))
    if compiled and multiply_add is not multiply_then_add:
        values = compiled.spaced(start, end, step, steps, number)
        if values is not None:
            return values
    i = np.arange(steps, dtype=number)
    half = steps // 2
    values = np.empty(steps, number)
    values[:half] = multiply_add(i[:half], step, start)
    values[half:] = multiply_add(i[:steps - half][::-1], -step, end)
    return values


def multiply_then_add(x, y, z):
    return x * y + z


def logspace(start, end, steps, base, dtype):
    """``base ** linspace(start, end, steps)``."""
    dtype = numpy_dtype(dtype)
    with np.errstate(all="ignore"):                         # a base below zero has no root, and a large power no number
        if dtype.kind == "c":
            return np.power(base, linspace(start, end, steps, np.dtype(np.complex128))).astype(dtype)
        start, end = (int(n) if dtype.kind in "iu" else float(dtype.type(n)) for n in (start, end))
        exponents = spaced(start, end, steps, np.float64, multiply_then_add)
        return np.power(float(base), exponents).astype(dtype)


# --- complex ---------------------------------------------------------------------------------------------------------

def complex_from(real, imag):
    """``real + i imag``, broadcast; an infinite ``imag`` leaves ``real`` what it is."""
    if real.size >= SHARED and lie_in_pairs(real, imag):
        steps = [step // real.itemsize for step in real.strides]
        return row_major_copy(pairs_as_complex(strided(real, (*real.shape, 2), (*steps, 1))))
    return paired(np.empty, real, imag)


def lie_in_pairs(real, imag):
    """Whether they lie side by side as in complex numbers, as ``x[..., 0]`` and ``x[..., 1]`` do: then one pass copies both."""
    size = real.itemsize
    return (size >= 4 and real.base is not None and real.base is imag.base and real.dtype is imag.dtype
            and real.shape == imag.shape and real.strides == imag.strides and imag.ctypes.data - real.ctypes.data == size
            and not any(step % (2 * size) for step in real.strides))


def paired(empty, real, imag):
    """The same in memory that is asked of ``empty``."""
    values = empty(np.broadcast_shapes(real.shape, imag.shape), np.result_type(real.dtype, np.complex64))
    values.real[...] = real
    values.imag[...] = imag
    return values


complex_from.remade = lambda xp, noted: partial(paired, xp.empty)      # on a tape these are steps of their own


# --- layouts ---------------------------------------------------------------------------------------------------------

def empty_in_layout(x, dtype, memory_format):
    """Uninitialised memory of the shape of ``x``; "preserve_format" keeps the order of its dims in memory too."""
    dtype = x.dtype if dtype is None else numpy_dtype(dtype)
    if memory_format == "contiguous_format":
        return np.empty(x.shape, dtype)
    if memory_format == "preserve_format" and x.flags.c_contiguous and 1 not in x.shape:
        return np.empty(x.shape, dtype)
    if memory_format != "preserve_format":
        return empty_in_format(x.shape, dtype, memory_format)
    strides = strides_of(x)
    order = dims_by_stride(x.shape, strides)
    if not is_dense(x.shape, strides, order):
        strides = dense_strides(x.shape, order)
    return strided(np.empty(x.size, dtype), x.shape, strides)


def empty_in_format(shape, dtype, memory_format):
    """Uninitialised memory with the channels innermost."""
    order = order_of(memory_format, len(shape))
    back = tuple(order.index(dim) for dim in range(len(shape)))
    return np.empty([shape[dim] for dim in order], numpy_dtype(dtype)).transpose(back)


def order_of(memory_format, ndim):
    """The dims from the slowest to the fastest in memory."""
    rank = 4 if memory_format == "channels_last" else 5
    if ndim != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {memory_format} format")
    return CHANNELS_LAST[rank]


def is_channels_last(x):
    """Whether the strides of a batch of images say that the channels lie innermost; where sizes of 1 leave it open, no."""
    if x.ndim not in CHANNELS_LAST or x.flags.c_contiguous and 1 not in x.shape:
        return False
    if x.strides[1] == 0:
        return False
    least = 0
    for dim in reversed(CHANNELS_LAST[x.ndim]):             # from the channels outwards to the batch
        n, step = x.shape[dim], x.strides[dim]
        if n == 0 or step < least or (dim == 0 and least == x.strides[1]):
            return False
        least = step * n
    return True


def in_format_of(sources, result):
    """``result``, or each of several, with the channels innermost if they are so in one source, in all of a list."""
    if (result[0] if isinstance(result, tuple) else result).ndim not in CHANNELS_LAST:
        return result
    if any([source and all(map(is_channels_last, source)) if isinstance(source, list) else is_channels_last(source)
            for source in sources]):
        return tuple(map(channels_innermost, result)) if isinstance(result, tuple) else channels_innermost(result)
    return result


def channels_innermost(x):
    if x.ndim not in CHANNELS_LAST:
        return x
    out = empty_in_format(x.shape, x.dtype, "channels_last" if x.ndim == 4 else "channels_last_3d")
    if x.strides == out.strides:
        return x
    out[...] = x
    return out


def empty_strided(size, stride, dtype):
    """Uninitialised memory seen with these strides."""
    if tuple(stride) == dense_strides(size, range(len(size))) and 0 not in size:
        return np.empty(size, numpy_dtype(dtype))
    span = 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) if 0 not in size else 0
    return strided(np.empty(span, numpy_dtype(dtype)), tuple(size), tuple(stride))


def dims_by_stride(shape, strides):
    """The dims from the slowest to the fastest in memory; a stride of 0 leaves its dim where it is."""
    order = list(range(len(shape)))
    for position in range(len(order) - 2, -1, -1):
        while position + 1 < len(order) and runs_faster(shape, strides, order[position], order[position + 1]):
            order[position], order[position + 1] = order[position + 1], order[position]
            position += 1
    return order


def runs_faster(shape, strides, dim, other):
    if strides[dim] == 0 or strides[other] == 0:
        return False
    return (strides[dim], shape[dim]) < (strides[other], shape[other])


def is_dense(shape, strides, order):
    """Whether the elements fill a piece of memory, each place once."""
    expected = 1
    for dim in reversed(order):
        if shape[dim] != 1:
            if strides[dim] != expected:
                return False
            expected *= shape[dim]
    return True
