"""Convolution over any number of spatial dimensions: in C, as sums of shifted lines (``convolution_loops.c``) or, where that is
faster, as products with columns of windows (:class:`Product`).

Uncompiled all are products. Then the batch is laid out last, ``c h w n``, and the windows of the padded images as columns, one
row for each channel and kernel tap: ``(c k k) (h w n)``. Copying them runs along whole lines of windows, whatever the stride,
and one product serves the whole batch. Axes: n batch, c and o channels in and out, k kernel, h w places.
"""
from functools import lru_cache
from math import prod

import numpy as np

from leafward.arrays.dtype_map import is_half
from leafward.arrays.kernels.products import matmul
from leafward.arrays.kernels.workspace import scratch

try:
    from leafward.arrays.kernels import columns_entry, convolution_entry as compiled
except ImportError:                       # not compiled: products
    compiled = None
else:
    compiled = None if compiled.obstacle else compiled

#: Elements of the columns that :class:`Product` makes at a time.
COLUMNS = 1 << 20

#: Fewer channels than this are not worth columns. Kernels of one tap are, between so many channels: of shifted lines every term
#: is another channel, far from the last. Others are where so few places in all meet so many outputs: a weight's gradient is
#: added up anew for each of them, and a spread over steps has still fewer.
CHANNELS, MANY_CHANNELS, OUTPUTS, FEW_PLACES = 32, 256, 128, 512

#: Elements in one block of columns: what a core's L2 cache holds. The batch is worked off in such blocks.
BLOCK = 1 << 18


def batch_last(x):
    """``n c h w -> c h w n``, a view."""
    return x.transpose(*range(1, x.ndim), 0)


def batch_first(x):
    """``c h w n -> n c h w``, a view."""
    return x.transpose(x.ndim - 1, *range(x.ndim - 1))


#: Kernels of so many times the elements that they are spread over are what is slid over.
MANY_TAPS = 4


class Geometry:
    """Where the windows of one image lie: all sizes that do not depend on batch and channels."""

    def __init__(self, size, kernel, stride, padding, dilation):
        self.kernel = kernel
        self.stride = stride
        self.dilation = dilation
        self.padding = padding
        self.padded = tuple([n + 2 * p for n, p in zip(size, padding)])
        self.places = tuple([(n - d * (k - 1) - 1) // s + 1
                             for n, k, s, d in zip(self.padded, kernel, stride, dilation)])
        self.inside = (slice(None), *[slice(p, p + n) for n, p in zip(size, padding)])
        self.is_pointwise = set(kernel) == set(stride) == {1} and not any(padding)
        self.taps, self.count = prod(kernel), prod(self.places)
        #: For each tap of the kernel, its pixel of every window.
        self.windows = [(slice(None), *[slice(i * d, i * d + (m - 1) * s + 1, s)
                                        for i, d, m, s in zip(tap, dilation, self.places, stride)])
                        for tap in np.ndindex(*kernel)]

    def blocks(self, batch, rows):
        """Slices of the batch whose columns fit a block."""
        step = max(1, BLOCK // max(1, rows * prod(self.places)))
        return [slice(i, min(i + step, batch)) for i in range(0, batch, step)]

    def columns(self, x, groups):
        """``n c h w -> groups (c k k) (h w n)``."""
        n, c = x.shape[:2]
        images = scratch("images", (c, *self.padded, n), x.dtype)
        if any(self.padding):
            images.fill(0)
        images[self.inside] = batch_last(x)
        channel, *pixels, image = images.strides
        shape = (c, *self.kernel, *self.places, n)
        taps = [d * step for d, step in zip(self.dilation, pixels)]
        steps = [s * step for s, step in zip(self.stride, pixels)]
        columns = scratch("columns", shape, x.dtype)
        columns[...] = np.ndarray(shape, x.dtype, images, 0, (channel, *taps, *steps, image))
        return columns.reshape(groups, c // groups * prod(self.kernel), prod(self.places) * n)

    def lines(self, g, groups):
        """``n o h w -> groups o (h w n)``."""
        n, o = g.shape[:2]
        lines = scratch("lines", (o, *self.places, n), g.dtype)
        lines[...] = batch_last(g)
        return lines.reshape(groups, o // groups, prod(self.places) * n)

    def fold(self, columns, n, c):
        """Add columns up where they came from: ``groups (c k k) (h w n) -> n c h w``."""
        images = scratch("images", (c, *self.padded, n), columns.dtype)
        images.fill(0)
        columns = columns.reshape(c, len(self.windows), *self.places, n)
        for tap, window in enumerate(self.windows):
            images[window] += columns[:, tap]
        return batch_first(images[self.inside])


geometry = lru_cache(maxsize=256)(Geometry)


class Product:
    """Convolutions of one group as products with the columns of some images at a time: ``(c k k) (n h w)``."""

    def __init__(self, shape, batch, c, o):
        self.shape, self.batch, self.c, self.o = shape, batch, c, o
        self.facts = shape.kernel, shape.places, shape.stride, shape.padding, shape.dilation
        step = max(1, COLUMNS // (c * shape.taps * shape.count))
        self.blocks = [slice(i, min(i + step, batch)) for i in range(0, batch, step)]

    @staticmethod
    def of(shape, image, c, o, groups, few=0):
        """The product for a convolution that is faster as one, or None. ``image``: what is read, ``n c h w`` or ``n o h w``;
        ``few``: places that are few for it."""
        batch, columns = len(image), c * shape.taps * shape.count
        if (compiled is None or groups > 1 or image.dtype.char not in "fd" or not image.flags.aligned or image.ndim > 5
                or min(c, o) < CHANNELS or batch == 0 or not 0 < columns <= COLUMNS):
            return None
        pointwise = shape.taps == 1 and min(c, o) >= MANY_CHANNELS
        return Product(shape, batch, c, o) if pointwise or o >= OUTPUTS and batch * shape.count <= few else None

    def columns(self, x):
        columns = scratch("columns", (self.c * self.shape.taps, len(x) * self.shape.count), x.dtype)
        return columns_entry.unfold(x, columns, *self.facts, True)

    def lines(self, g):
        """``n o h w -> o (n h w)``."""
        lines = scratch("lines", (self.o, len(g), self.shape.count), g.dtype)
        lines[...] = g.reshape(len(g), self.o, -1).swapaxes(0, 1)
        return lines.reshape(self.o, -1)

    def convolve(self, x, weight, bias):
        out = np.empty((self.batch, self.o, *self.shape.places), x.dtype)
        matrix = weight.reshape(self.o, -1)
        for block in self.blocks:
            part = x[block]
            product = scratch("product", (self.o, len(part) * self.shape.count), x.dtype)
            matmul(matrix, self.columns(part), out=product)
            if bias is not None:
                product += bias[:, None]
            out[block] = product.reshape(self.o, len(part), *self.shape.places).swapaxes(0, 1)
        return out

    def spread_back(self, g, weight, size):
        out = np.empty((self.batch, self.c, *size), g.dtype)
        matrix = weight.reshape(self.o, -1).T
        for block in self.blocks:
            part = g[block]
            columns = scratch("columns", (matrix.shape[0], len(part) * self.shape.count), g.dtype)
            columns_entry.fold(matmul(matrix, self.lines(part), out=columns), out[block], *self.facts, True)
        return out

    def weight_gradient(self, g, x):
        out = np.empty((self.o, self.c, *self.shape.kernel), g.dtype)
        total = out.reshape(self.o, -1)
        for block in self.blocks:
            first = block.start == 0
            part = total if first else scratch("product", total.shape, total.dtype)
            matmul(self.lines(g[block]), self.columns(x[block]).T, out=part)
            if not first:
                total += part
        return out


def multiply(name, x, y):
    """``x @ y`` group by group, in scratch memory."""
    return matmul(x, y, out=scratch(name, (x.shape[0], x.shape[1], y.shape[2]), x.dtype))


def convolve(x, weight, bias, stride, padding, dilation, groups):
    """``out[n, o, h] = bias[o] + sum_{c, k} weight[o, c, k] * x[n, c, stride * h + dilation * k - padding]``."""
    if is_half(x.dtype):
        wide = convolve(x.astype(np.float32), weight.astype(np.float32), None if bias is None else bias.astype(np.float32),
                        stride, padding, dilation, groups)
        return wide.astype(x.dtype)
    shape = geometry(x.shape[2:], weight.shape[2:], stride, padding, dilation)
    product = Product.of(shape, x, x.shape[1], weight.shape[0], groups)
    if product:
        return product.convolve(x, weight, bias)
    if compiled:
        out = compiled.convolve(x, weight, bias, shape.places, stride, padding, dilation, groups)
        if out is not None:
            return out
    batch, o = x.shape[0], weight.shape[0]
    matrix = weight.reshape(groups, o // groups, -1)
    if shape.is_pointwise and groups == 1:
        out = matmul(matrix[0], x.reshape(batch, x.shape[1], prod(shape.places))).reshape(batch, o, *shape.places)
        if bias is not None:
            out += bias.reshape(-1, *(1,) * len(shape.places))
        return out
    out = np.empty((batch, o, *shape.places), x.dtype)
    for block in shape.blocks(batch, matrix.shape[-1] * groups):
        product = multiply("product", matrix, shape.columns(x[block], groups))                    # g o (h w n)
        if bias is not None:
            product += bias.reshape(groups, -1, 1)
        out[block] = batch_first(product.reshape(o, *shape.places, -1))
    return out


def convolve_transposed(g, weight, size, stride, padding, dilation, groups, bias=None):
    """The adjoint of :func:`convolve` in ``x``: spread ``g`` back over an image of ``size``; then add ``bias``."""
    if is_half(g.dtype):
        wide = convolve_transposed(g.astype(np.float32), weight.astype(np.float32), size, stride, padding, dilation,
                                   groups, None if bias is None else bias.astype(np.float32))
        return wide.astype(g.dtype)
    product = Product.of(geometry(size, weight.shape[2:], stride, padding, dilation), g, weight.shape[1], g.shape[1], groups,
                         FEW_PLACES if max(stride) > 1 else 0)
    if product:
        out = product.spread_back(g, weight, size)
        if bias is not None:
            out += bias.reshape((-1, *(1,) * len(size)))
        return out
    if compiled:
        out = None
        if groups == 1 and set(stride) == set(dilation) == {1}:
            out = convolve_kernels(g, weight, bias, size, padding)
        if out is None:
            out = compiled.convolve_adjoint(g, weight, bias, size, stride, padding, dilation, groups)
        if out is not None:
            return out
    out = spread_back(g, weight, size, stride, padding, dilation, groups)
    if bias is not None:
        out += bias.reshape((-1, *(1,) * len(size)))
    return out


def convolve_kernels(g, weight, bias, size, padding):
    """The same for kernels larger than what they are spread over: these slide over the kernels. None where that is not so."""
    places = g.shape[2:]
    if prod(weight.shape[2:]) < MANY_TAPS * prod(places) or any(p >= n for p, n in zip(padding, places)):
        return None
    if not np.isfinite(g).all():                            # an infinity would meet the zeros outside of the kernels
        return None
    ones, outside = (1,) * len(places), tuple([n - 1 - p for n, p in zip(places, padding)])
    out = compiled.convolve(weight.swapaxes(0, 1), np.flip(g, range(2, g.ndim)), None, size, ones, outside, ones, 1)
    if out is None:
        return None
    out = np.ascontiguousarray(out.swapaxes(0, 1))
    if bias is not None:
        out += bias.reshape((-1, *(1,) * len(size)))
    return out


def spread_back(g, weight, size, stride, padding, dilation, groups):
    shape = geometry(size, weight.shape[2:], stride, padding, dilation)
    batch, o = g.shape[:2]
    c = weight.shape[1] * groups
    matrix = weight.reshape(groups, o // groups, -1).swapaxes(1, 2)                               # g (c k k) o
    if shape.is_pointwise and groups == 1:
        return matmul(matrix[0], g.reshape(batch, o, prod(size))).reshape(batch, c, *size)
    out = np.empty((batch, c, *size), g.dtype)
    for block in shape.blocks(batch, matrix.shape[1] * groups):
        part = g[block]
        out[block] = shape.fold(multiply("columns", matrix, shape.lines(part, groups)), part.shape[0], c)
    return out


def convolve_weight_gradient(g, x, kernel, stride, padding, dilation, groups):
    """The adjoint of :func:`convolve` in ``weight``: correlate ``g`` with the windows of ``x``."""
    if is_half(g.dtype):
        wide = convolve_weight_gradient(g.astype(np.float32), x.astype(np.float32), kernel, stride, padding, dilation,
                                        groups)
        return wide.astype(g.dtype)
    shape = geometry(x.shape[2:], kernel, stride, padding, dilation)
    product = Product.of(shape, x, x.shape[1], g.shape[1], groups, FEW_PLACES)
    if product:
        return product.weight_gradient(g, x)
    if compiled:
        out = compiled.convolve_weights(g, x, kernel, stride, padding, dilation, groups)
        if out is not None:
            return out
    o, c = g.shape[1], x.shape[1]
    total = np.zeros((groups, o // groups, c // groups * prod(kernel)), g.dtype)
    for block in shape.blocks(x.shape[0], c * prod(kernel)):
        lines, columns = shape.lines(g[block], groups), shape.columns(x[block], groups)
        if columns.shape[1] > lines.shape[1]:       # BLAS is almost twice as fast with the taller matrix on the left
            total += matmul(columns, lines.swapaxes(1, 2)).swapaxes(1, 2)
        else:
            total += matmul(lines, columns.swapaxes(1, 2))
    return total.reshape(o, c // groups, *kernel)
