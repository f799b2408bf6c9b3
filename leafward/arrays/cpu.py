"""The array namespace ``xp`` on the CPU: NumPy under the names of the Array API standard, and a few of our own.

Elementwise functions are NumPy's own ufuncs, so ``xp.multiply(x, y, out=out)`` costs no extra call. A function is
defined here, or in a file beside this one, where NumPy has none, where it is slow on small arrays (``sum``, ``mean``,
``expand_dims``), or where it would accept leafward's dtypes only after translation (``zeros``, ``astype``).
"""
from contextvars import copy_context
from importlib import import_module

import numpy as np
from numpy import (  # noqa: F401  (re-exported: the vocabulary of rules and forwards)
    # constants
    e, inf, nan, newaxis, pi,
    # arithmetic
    abs, add, ceil, copysign, divide, divmod, floor, floor_divide, fmax, fmin, fmod, gcd, heaviside, hypot, lcm, ldexp,
    logaddexp, logaddexp2, maximum, minimum, multiply, negative, positive, power, reciprocal, remainder, rint,
    sign, signbit, sqrt, square, subtract, true_divide, trunc, float_power, nextafter, frexp, modf, cbrt,
    # exponential and trigonometric
    exp, exp2, expm1, log, log10, log1p, log2, acos, acosh, asin, asinh, atan, atan2, atanh, cos, cosh, deg2rad,
    rad2deg, sin, sinh, tan, tanh,
    # comparison and logic
    equal, greater, greater_equal, isfinite, isinf, isnan, less, less_equal, logical_and, logical_not, logical_or,
    logical_xor, not_equal, array_equal,
    # bits
    bitwise_and, bitwise_invert, bitwise_left_shift, bitwise_or, bitwise_right_shift, bitwise_xor, bitwise_count,
    # complex
    angle, conjugate, imag, iscomplexobj, real,
    # shapes
    broadcast_arrays, broadcast_shapes, broadcast_to, diag, flip, matrix_transpose, meshgrid,
    moveaxis, pad,
    permute_dims, ravel_multi_index, repeat, reshape, roll, rot90, squeeze, stack, swapaxes, tile, tril_indices,
    triu_indices, unravel_index, ascontiguousarray, atleast_1d,
    # searching and sorting
    argmax, argmin, bincount, count_nonzero, diff, flatnonzero, histogram, lexsort, nonzero, partition, argpartition,
    isin, take, take_along_axis, unique, unique_all, unique_counts, unique_inverse, unique_values, where,
    # linear algebra
    cross, dot, einsum, inner, kron, linalg, outer, tensordot, vecdot,
    # kinds
    errstate, generic, iinfo, isdtype, ndarray, result_type, shares_memory, may_share_memory,
)
from numpy.lib.stride_tricks import as_strided, sliding_window_view  # noqa: F401

from leafward.arrays import kernels  # noqa: F401
from leafward.arrays.activations import log_softmax_along, sigmoid, softmax_along  # noqa: F401
from leafward.arrays.copies import row_major_copy
from leafward.arrays.dtype_map import astype, dtype_of, is_half, leafward_dtype, numpy_dtype  # noqa: F401
from leafward.arrays.fingerprints import Held, exported, fingerprint, same_numbers, some_of  # noqa: F401
from leafward.arrays.special import (  # noqa: F401
    digamma, erf, erfc, erfcx, erfinv, i0, i0e, i1, i1e, lgamma, log_ndtr, ndtri, polygamma, zeta,
)
from leafward.arrays.kernels.products import matmul  # noqa: F401
from leafward.arrays.layout import (  # noqa: F401
    basic_index, copy_in_order, copy_with_gaps, dense_overlap, empty_in_order, flat_bytes, is_dense, laid_out_like, look_up,
    offset_of, overlaps_in_part, spans, strided, strides_of,
)
from leafward.arrays.lazy_conj import conj_view, is_conjugated, is_negated, memory_of, neg_view, resolved, seen_as  # noqa: F401
from leafward.arrays.sparse import is_sparse  # noqa: F401
from leafward.arrays.sums import FEW, add_up, wide
from leafward.arrays.memory import keep_memory
from leafward.arrays.packed import imaginary_parts, pairs_as_complex, real_parts  # noqa: F401
from leafward.arrays.scatter import (  # noqa: F401
    add_at_places, add_rows, gather_from, pick_rows, put_at_places, rows_into, scatter_into,
)
from leafward.arrays.support import (  # noqa: F401
    add_into, assign, cast_gradient, concat, from_buffer, from_dlpack, half_among, has_nan, is_finite, narrowed, other_ndim,
    overlap, reducible, same_kind, scalar_for, sum_to, to_host, widened, without_zeros,
)
from leafward.arrays.triangles import tril, triu  # noqa: F401


def __getattr__(name):
    # Few programs need all of these, and NumPy itself loads its own lazily.
    if name == "fft":
        module = "numpy.fft"
    elif name in ("bessel", "convert", "incomplete", "creation", "polynomials", "random", "samplers", "sparse"):
        module = f"leafward.arrays.{name}"
    else:
        raise AttributeError(f"the array namespace has no {name!r}")
    globals()[name] = import_module(module)
    return globals()[name]


# --- running ---------------------------------------------------------------------------------------------------------

def quiet_runner():
    """A callable ``run(f, *args)`` inside which NumPy never warns about ``log(0)`` and the like.

    It costs 31 ns a call, where ``np.errstate`` costs 750 ns, and the caller's own ``np.seterr`` is left alone:
    NumPy keeps that state in a context variable, and this is a context of its own. A context cannot be entered
    twice at once, so each thread needs its own runner, and what runs inside must not call it again. The thread's arrays have
    their memory from :mod:`leafward.arrays.memory` from now on.
    """
    keep_memory()
    context = copy_context()
    context.run(np.seterr, all="ignore")
    return context.run


def finfo(dtype):
    """The limits of a floating-point dtype."""
    dtype = numpy_dtype(dtype)
    if dtype.kind == "V":                       # bfloat16, which NumPy's own finfo does not know
        return import_module("ml_dtypes").finfo(dtype)
    return np.finfo(dtype)


# --- creation --------------------------------------------------------------------------------------------------------

def asarray(x, dtype=None, copy=None):
    return np.asarray(x, dtype=numpy_dtype(dtype), copy=copy)


def empty(shape, dtype):
    return np.empty(shape, numpy_dtype(dtype))


def zeros(shape, dtype):
    return np.zeros(shape, numpy_dtype(dtype))


# What these come to is a function of C, where a tape calls it: see ``tapes.direct``.
empty.direct = lambda shape, dtype: (np.empty, (shape, numpy_dtype(dtype)))
zeros.direct = lambda shape, dtype: (np.zeros, (shape, numpy_dtype(dtype)))


def ones(shape, dtype):
    return full(shape, 1, dtype)


def full(shape, fill_value, dtype):
    out = np.empty(shape, numpy_dtype(dtype))
    assign(out, fill_value)
    return out


def empty_like(x, dtype=None):
    return np.empty(x.shape, x.dtype if dtype is None else numpy_dtype(dtype))


def zeros_like(x, dtype=None):
    return np.zeros(x.shape, x.dtype if dtype is None else numpy_dtype(dtype))


empty_like.direct = lambda x, dtype=None: (np.empty, (x.shape, x.dtype if dtype is None else numpy_dtype(dtype)))
zeros_like.direct = lambda x, dtype=None: (np.zeros, (x.shape, x.dtype if dtype is None else numpy_dtype(dtype)))


def ones_like(x, dtype=None):
    return full_like(x, 1, dtype)


def full_like(x, fill_value, dtype=None):
    out = np.empty(x.shape, x.dtype if dtype is None else numpy_dtype(dtype))
    assign(out, fill_value)
    return out


#: A tape keeps arrays of so many elements.
MOST_KEPT = 8192


def copy_of_number(shape, fill_value, dtype):
    """What ``full`` comes to: a copy of what it gives, where that is small and the same each time."""
    found = full(shape, fill_value, dtype) if isinstance(fill_value, (bool, int, float, complex)) else None
    return None if found is None or found.size > MOST_KEPT else (found.copy, ("K",))


full.direct = copy_of_number
ones.direct = lambda shape, dtype: copy_of_number(shape, 1, dtype)
full_like.direct = lambda x, fill_value, dtype=None: copy_of_number(x.shape, fill_value, x.dtype if dtype is None else dtype)
ones_like.direct = lambda x, dtype=None: full_like.direct(x, 1, dtype)


def arange(start, stop=None, step=1, dtype=None):
    return np.arange(start, stop, step, numpy_dtype(dtype))


def linspace(start, stop, num, dtype):
    return np.linspace(start, stop, num, dtype=numpy_dtype(dtype))


def eye(rows, columns=None, k=0, *, dtype):
    return np.eye(rows, columns, k, numpy_dtype(dtype))


def copy(x):
    return row_major_copy(x)


copy.direct = row_major_copy.direct


# --- complex ---------------------------------------------------------------------------------------------------------

def conj(x):
    """The complex conjugate; anything real is returned as it is, at no cost."""
    try:
        if x.dtype.kind != "c":
            return x
    except AttributeError:                      # a Python number
        return x.conjugate()
    return np.conjugate(x)


# --- shapes ----------------------------------------------------------------------------------------------------------

def expand_dims(x, axis):
    """Insert a dimension of size one at ``axis`` (an int, or a tuple of places in the result)."""
    if isinstance(axis, int):
        if axis < 0:
            axis += x.ndim + 1
        return x[(slice(None),) * axis + (None,)]
    return np.expand_dims(x, axis)


def diagonal(x, offset=0, axis1=0, axis2=1):
    """A view that can be written if ``x`` can: NumPy's own never can, and a rule may hand it out as a gradient."""
    view = np.diagonal(x, offset, axis1, axis2)
    view.flags.writeable = x.flags.writeable
    return view


# --- reductions ------------------------------------------------------------------------------------------------------
# The ufuncs' own `reduce` takes 0.8 µs on a small array, where np.sum takes 2.0 µs and np.mean 4.4 µs.
# Half types are reduced in float32 and rounded once, as in PyTorch: ml_dtypes would round after every addition.

def real_for(x, target):
    """``x``, or its real part where the reduction's dtype ``target`` is real: NumPy would warn."""
    return x.real if target is not None and x.dtype.kind == "c" and target.kind not in "cb" else x


def summed(x, axis, target, keepdims):
    """The sum in the dtype ``target`` (None: that of ``x``), before it is rounded to it: of half types in float32."""
    if target is not None and target.kind not in "fcV":
        return np.add.reduce(real_for(x, target), axis, target, None, keepdims)     # by itself it would widen small integers
    if target is not None and target != x.dtype:
        x = real_for(x, target).astype(target)
    return add_up(x, axis, keepdims)


def rounded_for(result, x, target):
    """``result``, a reduction of ``x``, in the half type that it is to have; any other as it is."""
    wanted = x.dtype if target is None else target
    return result.astype(wanted) if is_half(wanted) else result


def sum(x, axis=None, dtype=None, keepdims=False):
    if dtype is None and x.size <= FEW and x.dtype.char in "fd":          # the commonest: nothing to be careful about
        return np.add.reduce(x, axis, None, None, keepdims)
    target = numpy_dtype(dtype)
    return rounded_for(summed(x, axis, target, keepdims), x, target)


def prod(x, axis=None, dtype=None, keepdims=False):
    target = numpy_dtype(dtype)
    wanted = x.dtype if target is None else target
    if is_half(wanted) or wanted == np.float32:             # products leave their own range on the way, and come back
        wider = np.float32 if is_half(wanted) else np.float64
        return np.asarray(np.multiply.reduce(real_for(x, target), axis, wider, None, keepdims)).astype(wanted)
    return np.multiply.reduce(real_for(x, target), axis, target, None, keepdims)


def max(x, axis=None, keepdims=False):
    return np.maximum.reduce(x, axis, None, None, keepdims)


def min(x, axis=None, keepdims=False):
    return np.minimum.reduce(x, axis, None, None, keepdims)


def any(x, axis=None, keepdims=False):
    return np.logical_or.reduce(x, axis, np.bool, None, keepdims)


def all(x, axis=None, keepdims=False):
    return np.logical_and.reduce(x, axis, np.bool, None, keepdims)


def reduced(ufunc, dtype=None):
    """What such a reduction comes to where a tape calls it: see ``tapes.direct``."""
    return lambda x, axis=None, keepdims=False: (ufunc.reduce, (x, axis, dtype, None, keepdims))


max.direct, min.direct = reduced(np.maximum), reduced(np.minimum)
any.direct, all.direct = reduced(np.logical_or, np.bool), reduced(np.logical_and, np.bool)
sum.direct = lambda x, axis=None, dtype=None, keepdims=False: (
    np.add.reduce, (x, axis, None, None, keepdims)) if dtype is None and x.size <= FEW and x.dtype.char in "fd" else None


def count_along(shape, axis):
    """How many elements a reduction over ``axis`` (None, an int or a tuple) puts together."""
    if axis is None:
        axis = range(len(shape))
    elif isinstance(axis, int):
        return shape[axis]
    count = 1
    for a in axis:
        count *= shape[a]
    return count


def mean(x, axis=None, dtype=None, keepdims=False):
    if dtype is None and x.size <= FEW and x.dtype.char in "fd":
        return np.true_divide(np.add.reduce(x, axis, None, None, keepdims), count_along(x.shape, axis))
    target = numpy_dtype(dtype)
    return rounded_for(np.true_divide(summed(x, axis, target, keepdims), count_along(x.shape, axis)), x, target)


def var(x, axis=None, correction=0.0, keepdims=False):
    """Mean squared distance from the mean, divided by ``n - correction`` (by 0 if that is negative)."""
    return rounded_for(variance(x, axis, correction, keepdims), x, None)


def std(x, axis=None, correction=0.0, keepdims=False):
    return rounded_for(np.sqrt(variance(x, axis, correction, keepdims)), x, None)


def variance(x, axis, correction, keepdims):
    """The same before it is rounded to a half type."""
    x = wide(x)
    along = range(x.ndim) if axis is None else {a % x.ndim for a in ((axis,) if isinstance(axis, int) else axis)}
    if x.size:                                              # counted from one of them: equal values have no distance at all
        x = x - x[tuple([slice(0, 1) if k in along else slice(None) for k in range(x.ndim)])]
    distance = x - mean(x, axis, keepdims=True)
    squared = np.square(distance) if x.dtype.kind != "c" else np.square(distance.real) + np.square(distance.imag)
    degrees = count_along(x.shape, axis) - correction
    return np.true_divide(add_up(squared, axis, keepdims), degrees if degrees > 0 else 0)


def cumulative_sum(x, axis=0, dtype=None):
    return cumulative(np.add, x, axis, numpy_dtype(dtype))


def cumulative_prod(x, axis=0, dtype=None):
    return cumulative(np.multiply, x, axis, numpy_dtype(dtype))


#: What running totals are kept in, one rounding less for each step: PyTorch's are.
RUNNING = {"e": np.float32, "V": np.float32, "f": np.float64, "F": np.complex128}


def cumulative(ufunc, x, axis, target):
    """Running totals in the dtype ``target`` (None: that of ``x``), kept in a wider one."""
    target = target or x.dtype
    x = real_for(x, target).astype(target, copy=False)
    kept = RUNNING.get("V" if target.kind == "V" else target.char)
    return ufunc.accumulate(x, axis, kept or target).astype(target, copy=False)


# --- elementwise -----------------------------------------------------------------------------------------------------

#: From so many elements on one pass of ``np.clip``, which takes 4 µs to begin, is faster than two of the ufuncs.
MANY = 4096


def clip(x, min=None, max=None, out=None):
    """``out = minimum(maximum(x, min), max)``: NaN stays, and where the bounds cross, ``max`` wins."""
    if x.dtype.kind == "f" and x.size >= MANY:
        return np.clip(x, -inf if min is None else min, inf if max is None else max, out=out)
    if min is None:
        return np.minimum(x, max, out=out)
    if max is None:
        return np.maximum(x, min, out=out)
    aside = out is not None and isinstance(max, np.ndarray) and np.may_share_memory(out, max)      # x.clip_(low, x)
    return np.minimum(np.maximum(x, min, out=None if aside else out), max, out=out)


def sgn(x, out=None):
    """Which side of zero, of complex numbers the direction from it. NaN is on neither side."""
    out = sign(x, out=out)
    if x.dtype.kind not in "biuc":
        nan = out != out
        if nan.any():
            out = np.where(nan, out.dtype.type(0), out)
    return out


# --- sorting ---------------------------------------------------------------------------------------------------------

def sort(x, axis=-1, descending=False):
    """Sorted along ``axis``, NaN counting as the largest."""
    result = np.sort(x, axis=axis, kind="stable")
    return np.flip(result, axis) if descending else result


def argsort(x, axis=-1, descending=False):
    """The stable order: equal elements stay in their order in either direction."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    backwards = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - backwards, axis)


def searchsorted(sequence, values, side="left"):
    """Where ``values`` would enter the sorted ``sequence``, NaN behind all numbers.

    NumPy takes each value's place for a bound of the next one's; ml_dtypes, which orders NaN nowhere, would mislead it.
    """
    sequence, values = (np.asarray(x, np.float32) if x.dtype.kind == "V" else x for x in (sequence, values))
    return np.searchsorted(sequence, values, side)


# --- writing at places -----------------------------------------------------------------------------------------------
# None of these changes its argument: they return a new array.

def put_along_axis(x, indices, values, axis):
    """``x`` with ``out[..., indices, ...] = values`` along ``axis``."""
    out = row_major_copy(x)
    np.put_along_axis(out, indices, values, axis)
    return out


def along_axis(indices, axis, ndim):
    """The full index that ``take_along_axis`` stands for: every other axis at its own place."""
    places = [np.arange(n).reshape((-1,) + (1,) * (ndim - 1 - i)) for i, n in enumerate(indices.shape)]
    places[axis] = indices
    return tuple(places)


def add_at(x, index, values):
    """``x`` with ``out[index] += values``; repeated places add up."""
    out = row_major_copy(x)
    np.add.at(out, index, values)
    return out
