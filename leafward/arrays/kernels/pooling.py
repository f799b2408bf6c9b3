"""Pooling over windows of the last dimensions: in C (``pooling_loops.c``), or else one dimension at a time.

For the latter, a window's maximum (or sum) is that of its rows' maxima, so a ``k x k`` window takes ``2 k`` passes and not
``k * k``.
Going from the last dimension to the first keeps PyTorch's choice among equals: the first in reading order.
"""
from functools import lru_cache
from math import prod

import numpy as np

from leafward.arrays.dtype_map import is_half

try:
    from leafward.arrays.kernels import pooling_entry as compiled
except ImportError:                       # not compiled: several passes
    compiled = None
else:
    compiled = None if compiled.obstacle else compiled


def lowest(dtype):
    """A value below which there is none: what padding holds while looking for a maximum."""
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def pad(x, axis, before, after, value):
    shape = list(x.shape)
    size = shape[axis]
    shape[axis] = before + size + after
    padded = np.full(shape, value, x.dtype)
    padded[along(axis, slice(before, before + size))] = x
    return padded


def along(axis, part):
    """The index that takes ``part`` along the negative ``axis``."""
    return (..., part, *(slice(None),) * (-axis - 1))


class Line:
    """The windows along one dimension."""

    def __init__(self, axis, size, places, kernel, stride, padding, dilation):
        self.axis = axis
        self.size = size
        self.before = padding
        self.after = max(0, (places - 1) * stride + dilation * (kernel - 1) + 1 - size - padding)
        self.windows = [along(axis, slice(d, d + (places - 1) * stride + 1, stride))
                        for d in range(0, dilation * kernel, dilation)]

    def windows_of(self, x, value):
        """For each tap of the kernel, its element of every window."""
        if self.before or self.after:
            x = pad(x, self.axis, self.before, self.after, value)
        return [x[window] for window in self.windows]


@lru_cache(maxsize=256)
def lines(size, places, kernel, stride, padding, dilation):
    """One :class:`Line` per dimension, last first."""
    dims = len(size)
    return [Line(d - dims, size[d], places[d], kernel[d], stride[d], padding[d], dilation[d])
            for d in reversed(range(dims))]


@lru_cache(maxsize=256)
def positions(size, places, kernel, stride, padding, dilation):
    """Positions in the flattened image: of each window's corner, of its first element inside, and of each tap."""
    corner = first = np.zeros(1, np.int64)
    taps = np.zeros(1, np.int64)
    for n, count, k, s, p, d in zip(size, places, kernel, stride, padding, dilation):
        start = np.arange(count) * s - p
        inside = np.where(start < 0, start + -(start // d) * d, start)
        corner = corner[..., None] * n + start
        first = first[..., None] * n + inside
        taps = (taps[:, None] * n + np.arange(k) * d).reshape(-1)
    return corner[0], first[0], taps


def served(x, places):
    """Whether the kernels answer for ``x``: what is called directly where a tape does (``tapes.direct``)."""
    fits = x.dtype.char in "fd" and x.dtype.isnative and x.size > 0 and 0 not in places
    return bool(compiled) and fits and len(places) <= x.ndim <= 32


# --- maximum ---------------------------------------------------------------------------------------------------------

def pool_max(x, places, kernel, stride, padding, dilation):
    """The largest element of each window; NaN counts as largest."""
    if compiled:
        if is_half(x.dtype):
            return pool_max(x.astype(np.float32), places, kernel, stride, padding, dilation).astype(x.dtype)
        out = compiled.pool_max(x, places, kernel, stride, padding, dilation, None)
        if out is not None:
            return out
    for line in lines(x.shape[-len(kernel):], places, kernel, stride, padding, dilation):
        first, *rest = line.windows_of(x, lowest(x.dtype))
        x = np.array(first)
        for tap in rest:
            np.maximum(x, tap, out=x)
    return x


pool_max.direct = lambda x, places, *windows: (
    (compiled.pool_max, (x, places, *windows, None)) if served(x, places) else None)


def pool_max_at(x, places, kernel, stride, padding, dilation, narrow=False):
    """The largest element of each window, and its position in the flattened image: int64, or if ``narrow`` int32."""
    if compiled:
        if is_half(x.dtype):
            best, where = pool_max_at(x.astype(np.float32), places, kernel, stride, padding, dilation, narrow)
            return best.astype(x.dtype), where
        found = compiled.pool_max(x, places, kernel, stride, padding, dilation, "int32" if narrow else "int64")
        if found is not None:
            return found
    size = x.shape[-len(kernel):]
    facts = size, places, kernel, stride, padding, dilation
    best, taken, taps_below = x, None, 1            # `taken`: the number of the tap chosen so far, in reading order
    code = np.uint8 if prod(kernel) <= 256 else np.int32
    for line in lines(*facts):
        taps = line.windows_of(best, lowest(x.dtype))
        earlier = None if taken is None else line.windows_of(taken, 0)
        best = np.array(taps[0])
        taken = np.zeros(best.shape, code) if earlier is None else np.array(earlier[0])
        for i, tap in enumerate(taps[1:], 1):
            number = code(i * taps_below) if earlier is None else earlier[i] + code(i * taps_below)
            # A later tap has the larger number, so where it wins the maximum of the numbers is its own.
            np.maximum(taken, (tap > best).view(np.uint8) * number, out=taken)
            np.maximum(best, tap, out=best)
        taps_below *= len(taps)
    corner, first, offsets = positions(*facts)
    where = offsets.take(taken)
    where += corner
    if any(padding):                                # nothing is below -inf, so padding may have stood for it
        bottom = best == lowest(x.dtype)
        if bottom.any():
            np.copyto(where, first, where=bottom)
    if x.dtype.kind not in "iu":
        lost = np.isnan(best)
        if lost.any():                              # PyTorch's choice is the last NaN
            numbers = np.where(np.isnan(x), np.arange(prod(size)).reshape(size), -1)
            np.copyto(where, pool_max(numbers, *facts[1:]), where=lost)
    return best, where.astype(np.int32) if narrow and prod(size) <= np.iinfo(np.int32).max else where


pool_max_at.direct = lambda x, places, kernel, stride, padding, dilation, narrow=False: (
    (compiled.pool_max, (x, places, kernel, stride, padding, dilation, "int32" if narrow else "int64"))
    if served(x, places) and prod(x.shape[x.ndim - len(places):]) < 2**31 else None)


def pool_scatter(g, positions, size):
    """Add each element of ``g`` up at its position in an image of ``size``."""
    if compiled:
        out = compiled.pool_scatter(g, positions, size)
        if out is not None:
            return out
    lead = g.shape[:g.ndim - len(size)]
    planes, area = prod(lead), prod(size)
    flat = positions.reshape(planes, prod(g.shape[len(lead):])) + np.arange(planes)[:, None] * area
    if np.iscomplexobj(g):
        added = (np.bincount(flat.reshape(-1), g.real.reshape(-1), planes * area)
                 + 1j * np.bincount(flat.reshape(-1), g.imag.reshape(-1), planes * area))
    else:
        added = np.bincount(flat.reshape(-1), g.reshape(-1), planes * area)
    return added.astype(g.dtype).reshape(*lead, *size)


def scatter_direct(g, positions, size):
    """See ``tapes.direct``. Where a position lies outside, the kernel gives None, and the paragraph runs."""
    fits = positions.dtype.char in "ilq" and positions.shape == g.shape
    return (compiled.pool_scatter, (g, positions, tuple(size))) if served(g, size) and fits else None


pool_scatter.direct = scatter_direct


def pool_put(x, positions, size):
    """Put each element of ``x`` to its position in an image of zeros; None where one lies outside."""
    if compiled:
        out = compiled.pool_scatter(x, positions, size, True)
        if out is not None:
            return out
    lead = x.shape[:x.ndim - len(size)]
    planes, area = prod(lead), prod(size)
    if positions.size and (positions.min() < 0 or positions.max() >= area):
        return None
    image, count = np.zeros((planes, area), x.dtype), prod(x.shape[len(lead):])
    image[np.arange(planes)[:, None], positions.reshape(planes, count)] = x.reshape(planes, count)
    return image.reshape(*lead, *size)


def pool_gather(x, positions, dims):
    """The elements of ``x`` at their positions in its flattened last ``dims`` dimensions."""
    lead = x.shape[:x.ndim - dims]
    planes, area = prod(lead), prod(x.shape[len(lead):])
    flat = positions.reshape(planes, prod(positions.shape[len(lead):]))
    return np.take_along_axis(x.reshape(planes, area), flat, 1).reshape(positions.shape)


def pool_max_bins(x, places):
    """The largest element, and its position, of ``places`` bins that cover each of the last dimensions evenly."""
    found = compiled and compiled.pool_max(x, tuple(places), None, None, None, None, "int64")
    if found:
        return found
    lead, size = x.shape[:x.ndim - len(places)], x.shape[x.ndim - len(places):]
    best = np.empty((*lead, *places), x.dtype)
    where = np.empty(best.shape, np.int64)
    numbers = np.arange(prod(size)).reshape(size)
    for position in np.ndindex(*places):
        window = tuple([slice(i * n // m, -(-(i + 1) * n // m)) for i, n, m in zip(position, size, places)])
        values = x[(..., *window)].reshape(*lead, numbers[window].size)
        choice = values.argmax(-1)
        if x.dtype.kind not in "iu" and (lost := np.isnan(values)).any():        # PyTorch's choice is the last NaN
            last = values.shape[-1] - 1 - lost[..., ::-1].argmax(-1)
            choice = np.where(lost.any(-1), last, choice)
        best[(..., *position)] = np.take_along_axis(values, choice[..., None], -1)[..., 0]
        where[(..., *position)] = numbers[window].reshape(-1)[choice]
    return best, where


pool_max_bins.direct = lambda x, places: (
    (compiled.pool_max, (x, tuple(places), None, None, None, None, "int64"))
    if served(x, places) and prod(x.shape[x.ndim - len(places):]) < 2**31 else None)


def window_starts(samples, size, kernel, places):
    """Where the windows along one dimension begin, for samples (planes,): (planes, places)."""
    starts = np.full((len(samples), places), size - kernel, np.int64)
    if places > 1:
        step = samples.dtype.type((size - kernel) / (places - 1))
        at = (np.arange(places - 1, dtype=samples.dtype) + samples[:, None]) * step         # rounded as PyTorch does
        starts[:, :-1] = at.astype(np.int64) - (samples * step).astype(np.int64)[:, None]
    return starts


def pool_max_drawn(x, samples, kernel, places):
    """The largest element of windows that begin where ``samples`` (planes.., dims) say, and its position."""
    found = compiled and compiled.pool_max_drawn(x, samples, kernel, places)
    if found:
        return found
    dims = len(kernel)
    lead, size = x.shape[:x.ndim - dims], x.shape[x.ndim - dims:]
    planes, samples = prod(lead), samples.reshape(prod(lead), dims)
    order = range(dims) if dims == 3 else range(dims - 1, -1, -1)        # of images the last dim's comes first
    flat = np.zeros((1,) * (2 * dims + 1), np.int64)                     # planes *places *kernel
    for axis, which in enumerate(order):
        at = window_starts(samples[:, which], size[axis], kernel[axis], places[axis])[..., None] + np.arange(kernel[axis])
        shape = [planes, *(1,) * (2 * dims)]
        shape[1 + axis], shape[1 + dims + axis] = places[axis], kernel[axis]
        flat = flat * size[axis] + at.reshape(shape)
    flat = flat.reshape(planes, prod(places) * prod(kernel))
    values = np.take_along_axis(x.reshape(planes, prod(size)), flat, 1).reshape(planes, prod(places), prod(kernel))
    best = values.argmax(2)
    if (lost := np.isnan(values)).any():                                 # PyTorch's choice is the last NaN
        best = np.where(lost.any(2), values.shape[2] - 1 - lost[..., ::-1].argmax(2), best)
    indices = np.take_along_axis(flat.reshape(values.shape), best[..., None], 2)
    return (np.take_along_axis(values, best[..., None], 2).reshape(*lead, *places), indices.reshape(*lead, *places))


pool_max_drawn.direct = lambda x, samples, kernel, places: (
    (compiled.pool_max_drawn, (x, samples, tuple(kernel), tuple(places)))
    if served(x, places) and samples.dtype == x.dtype else None)


# --- means -----------------------------------------------------------------------------------------------------------

@lru_cache(maxsize=256)
def divisor_of(size, places, kernel, stride, padding, include_pad, divisor):
    """What the sum of each window is divided by: one number where all windows are alike."""
    if divisor is not None:
        return divisor
    counts = np.ones((), np.int64)
    for n, count, k, s, p in zip(size, places, kernel, stride, padding):
        start = np.arange(count) * s - p
        stop = np.minimum(start + k, n + p)
        if not include_pad:
            start, stop = np.maximum(start, 0), np.minimum(stop, n)
        counts = counts[..., None] * (stop - start)
    smallest = int(counts.min(initial=prod(kernel)))
    return smallest if smallest == counts.max(initial=smallest) else counts


def divide(x, divisor):
    if x.dtype.kind in "iu":
        return np.trunc(x / divisor).astype(x.dtype)
    return x / (divisor if isinstance(divisor, int) else divisor.astype(x.dtype))


def pool_mean(x, places, kernel, stride, padding, include_pad, divisor):
    """The mean of each window, or its sum over ``divisor``."""
    if is_half(x.dtype):
        wide = pool_mean(x.astype(np.float32), places, kernel, stride, padding, include_pad, divisor)
        return wide.astype(x.dtype)
    if compiled:
        out = compiled.pool_mean(x, places, kernel, stride, padding, include_pad, divisor, False)
        if out is not None:
            return out
    size = x.shape[-len(kernel):]
    total = x
    for line in lines(size, places, kernel, stride, padding, (1,) * len(kernel)):
        first, *rest = line.windows_of(total, 0)
        total = np.array(first)
        for tap in rest:
            total += tap
    return divide(total, divisor_of(size, places, kernel, stride, padding, include_pad, divisor))


pool_mean.direct = lambda x, places, *windows: (
    (compiled.pool_mean, (x, places, *windows, False)) if served(x, places) else None)


def pool_mean_adjoint(g, size, kernel, stride, padding, include_pad, divisor):
    """Give each element of an image of ``size`` its share of ``g`` from every window that holds it."""
    if is_half(g.dtype):
        wide = pool_mean_adjoint(g.astype(np.float32), size, kernel, stride, padding, include_pad, divisor)
        return wide.astype(g.dtype)
    if compiled:
        out = compiled.pool_mean(g, size, kernel, stride, padding, include_pad, divisor, True)
        if out is not None:
            return out
    places = g.shape[-len(size):]
    g = divide(g, divisor_of(size, places, kernel, stride, padding, include_pad, divisor))
    for line in reversed(lines(size, places, kernel, stride, padding, (1,) * len(kernel))):
        shape = list(g.shape)
        shape[line.axis] = line.before + line.size + line.after
        image = np.zeros(shape, g.dtype)
        for window in line.windows:
            image[window] += g
        g = image[along(line.axis, slice(line.before, line.before + line.size))]
    return np.ascontiguousarray(g)


pool_mean_adjoint.direct = lambda g, size, *windows: (
    (compiled.pool_mean, (g, size, *windows, True)) if served(g, size) else None)
