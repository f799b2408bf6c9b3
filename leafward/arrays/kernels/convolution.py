"""Convolution over any number of spatial dimensions, as products of matrices.

The windows of a padded image are laid out as columns, one row for each channel and kernel tap, and the batch stands
side by side: ``(c k k) (n h w)``. With stride 1 a row is the padded image itself, shifted by the tap's offset, so it
is copied in one long run instead of line by line; the places where a window would wrap around an edge are computed
and dropped. Axes: n batch, c and o channels in and out, k kernel, h w places.
"""
from functools import lru_cache
from math import prod

import numpy as np

from ..dtype_map import is_half
from .workspace import scratch

#: Elements in one block of columns: what a core's L2 cache holds. The batch is worked off in such blocks.
BLOCK = 1 << 18


class Geometry:
    """Where the windows of one image lie: all sizes that do not depend on batch and channels."""

    def __init__(self, size, kernel, stride, padding, dilation):
        self.size = size
        self.kernel = kernel
        self.stride = stride
        self.padded = tuple([n + 2 * p for n, p in zip(size, padding)])
        self.places = tuple([(n - d * (k - 1) - 1) // s + 1
                             for n, k, s, d in zip(self.padded, kernel, stride, dilation)])
        self.dense = all(s == 1 for s in stride)
        self.grid = self.padded if self.dense else self.places
        self.inside = (slice(None), slice(None), *[slice(p, p + n) for n, p in zip(size, padding)])
        self.valid = (slice(None), slice(None), *[slice(n) for n in self.places])
        self.area = prod(self.padded)
        pitch, pitches = 1, []
        for n in reversed(self.padded):
            pitches.append(pitch)
            pitch *= n
        self.pitches = tuple(reversed(pitches))
        self.taps = tuple([d * p for d, p in zip(dilation, self.pitches)])    # elements from one tap to the next
        self.tail = sum([(k - 1) * t for k, t in zip(kernel, self.taps)])
        self.is_pointwise = self.dense and set(kernel) == {1} and not any(padding)
        starts = np.indices(kernel).reshape(len(kernel), -1).T * dilation
        self.windows = [(slice(None), slice(None), *[slice(int(a), int(a) + (n - 1) * s + 1, s)
                                                     for a, n, s in zip(start, self.places, stride)])
                        for start in starts]
        self.offsets = [int(start @ self.pitches) for start in starts]

    def blocks(self, batch, rows):
        """Slices of the batch whose columns fit a block."""
        step = max(1, BLOCK // max(1, rows * prod(self.grid)))
        return [slice(i, min(i + step, batch)) for i in range(0, batch, step)]

    def pad(self, x):
        """``n c h w`` -> the padded images of each channel in one row ``c (n h w)``, and a tail to read over."""
        n, c = x.shape[:2]
        buffer = scratch("padded", (c, n * self.area + self.tail), x.dtype)
        buffer.fill(0)
        images = buffer[:, :n * self.area].reshape(c, n, *self.padded)
        images[self.inside] = x.swapaxes(0, 1)
        return buffer

    def columns(self, x, groups):
        """``n c h w`` -> ``groups (c k k) (n h w)``."""
        n, c = x.shape[:2]
        buffer = self.pad(x)
        row, item = buffer.strides
        taps = [t * item for t in self.taps]
        if self.dense:
            shape, strides = (c, *self.kernel, n * self.area), (row, *taps, item)
        else:
            steps = [s * p * item for s, p in zip(self.stride, self.pitches)]
            shape = (c, *self.kernel, n, *self.places)
            strides = (row, *taps, self.area * item, *steps)
        windows = np.ndarray(shape, x.dtype, buffer, 0, strides)
        columns = scratch("columns", shape, x.dtype)
        columns[...] = windows
        return columns.reshape(groups, c // groups * prod(self.kernel), n * prod(self.grid))

    def spread(self, g, groups):
        """``n o h w`` at the places -> ``groups o (n h w)`` on the grid, zero where no window lies."""
        n, o = g.shape[:2]
        spread = scratch("spread", (o, n, *self.grid), g.dtype)
        if self.grid != self.places:
            spread.fill(0)
        spread[self.valid] = g.swapaxes(0, 1)
        return spread.reshape(groups, o // groups, n * prod(self.grid))

    def fold(self, columns, n, c):
        """Add columns ``groups (c k k) (n h w)`` up where they came from: ``n c h w``."""
        buffer = scratch("folded", (c, n * self.area + self.tail), columns.dtype)
        buffer.fill(0)
        images = buffer[:, :n * self.area].reshape(c, n, *self.padded)
        if self.dense:
            columns = columns.reshape(c, -1, n * self.area)
            for tap, offset in enumerate(self.offsets):
                buffer[:, offset:offset + n * self.area] += columns[:, tap]
        else:
            columns = columns.reshape(c, -1, n, *self.places)
            for tap, window in enumerate(self.windows):
                images[window] += columns[:, tap]
        return images[self.inside].swapaxes(0, 1)


geometry = lru_cache(maxsize=256)(Geometry)


def multiply(name, x, y):
    """``x @ y`` group by group, in scratch memory."""
    return np.matmul(x, y, out=scratch(name, (x.shape[0], x.shape[1], y.shape[2]), x.dtype))


def convolve(x, weight, bias, stride, padding, dilation, groups):
    """``out[n, o, h] = bias[o] + sum_{c, k} weight[o, c, k] * x[n, c, stride * h + dilation * k - padding]``."""
    if is_half(x.dtype):
        wide = convolve(x.astype(np.float32), weight.astype(np.float32), bias, stride, padding, dilation, groups)
        return wide.astype(x.dtype)
    shape = geometry(x.shape[2:], weight.shape[2:], stride, padding, dilation)
    batch, o = x.shape[0], weight.shape[0]
    matrix = weight.reshape(groups, o // groups, -1)
    if shape.is_pointwise and groups == 1:
        out = np.matmul(matrix[0], x.reshape(batch, x.shape[1], -1)).reshape(batch, o, *shape.places)
        if bias is not None:
            out += bias.reshape(-1, *(1,) * len(shape.size))
        return out
    out = np.empty((batch, o, *shape.places), x.dtype)
    for block in shape.blocks(batch, matrix.shape[-1] * groups):
        product = multiply("product", matrix, shape.columns(x[block], groups))                    # g o (n h w)
        if bias is not None:
            product += bias.reshape(groups, -1, 1)
        out[block] = product.reshape(o, -1, *shape.grid)[shape.valid].swapaxes(0, 1)              # n o h w
    return out


def convolve_transposed(g, weight, size, stride, padding, dilation, groups):
    """The adjoint of :func:`convolve` in ``x``: spread ``g`` back over an image of ``size``."""
    if is_half(g.dtype):
        wide = convolve_transposed(g.astype(np.float32), weight.astype(np.float32), size, stride, padding, dilation,
                                   groups)
        return wide.astype(g.dtype)
    shape = geometry(size, weight.shape[2:], stride, padding, dilation)
    batch, o = g.shape[:2]
    c = weight.shape[1] * groups
    matrix = weight.reshape(groups, o // groups, -1).swapaxes(1, 2)                               # g (c k k) o
    if shape.is_pointwise and groups == 1:
        return np.matmul(matrix[0], g.reshape(batch, o, -1)).reshape(batch, c, *size)
    out = np.empty((batch, c, *size), g.dtype)
    for block in shape.blocks(batch, matrix.shape[1] * groups):
        part = g[block]
        out[block] = shape.fold(multiply("columns", matrix, shape.spread(part, groups)), part.shape[0], c)
    return out


def convolve_weight_gradient(g, x, kernel, stride, padding, dilation, groups):
    """The adjoint of :func:`convolve` in ``weight``: correlate ``g`` with the windows of ``x``."""
    if is_half(g.dtype):
        wide = convolve_weight_gradient(g.astype(np.float32), x.astype(np.float32), kernel, stride, padding, dilation,
                                        groups)
        return wide.astype(g.dtype)
    shape = geometry(x.shape[2:], kernel, stride, padding, dilation)
    o, c = g.shape[1], x.shape[1]
    total = np.zeros((groups, o // groups, c // groups * prod(kernel)), g.dtype)
    for block in shape.blocks(x.shape[0], c * prod(kernel)):
        spread, columns = shape.spread(g[block], groups), shape.columns(x[block], groups)
        if columns.shape[1] > o:        # BLAS is almost twice as fast with the larger matrix on the left
            total += np.matmul(columns, spread.swapaxes(1, 2)).swapaxes(1, 2)
        else:
            total += np.matmul(spread, columns.swapaxes(1, 2))
    return total.reshape(o, c // groups, *kernel)
