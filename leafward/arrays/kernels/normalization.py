"""Standardizing groups of elements, with a scale and an offset.

``view`` is ``(outer, groups, inner)``: the mean and variance of a group go over the other two. ``grid`` is the shape in
which ``weight`` and ``bias``, of shape ``affine`` there, broadcast. For a batch norm of ``n c h w`` all three are
``(n, c, hw)``, the same, and ``(1, c, 1)``; for a layer norm ``(1, rows, d)``, the same, and ``(1, 1, d)``.
"""
import numpy as np

from leafward.arrays.dtype_map import is_half


def moments(x, eps):
    """Mean, variance, ``1 / sqrt(variance + eps)`` and the standardized ``x``, over axes 0 and 2."""
    count = x.shape[0] * x.shape[2]
    mean = np.add.reduce(np.add.reduce(x, 2), 0) / count
    x = x - mean[:, None]
    variance = np.add.reduce(np.add.reduce(x * x, 2), 0) / count
    rstd = 1 / np.sqrt(variance + x.dtype.type(eps))
    x *= rstd[:, None]
    return mean, variance, rstd, x


def normalize_groups(x, weight, bias, view, grid, affine, eps):
    """``out = (x - mean) / sqrt(variance + eps) * weight + bias``, and the mean and variance."""
    wide = x.astype(np.float32) if is_half(x.dtype) else x
    mean, variance, _, out = moments(wide.reshape(view), eps)
    out = out.reshape(grid)
    if weight is not None:
        out *= weight.reshape(affine)
    if bias is not None:
        out += bias.reshape(affine)
    return out.reshape(x.shape).astype(x.dtype, copy=False), mean, variance


def normalize_groups_backward(g, x, weight, view, grid, affine, eps):
    """The gradients of :func:`normalize_groups` for ``x``, ``weight`` and ``bias``."""
    dtype, shape = x.dtype, x.shape
    if is_half(dtype):
        g, x = g.astype(np.float32), x.astype(np.float32)
    _, _, rstd, x = moments(x.reshape(view), eps)
    g = g.reshape(grid)
    summed = tuple([d for d, n in enumerate(affine) if n == 1])
    dbias = sum_over(g, summed)
    dweight = sum_over(g * x.reshape(grid), summed)
    if weight is not None:
        g = g * weight.reshape(affine)
    g = g.reshape(view)
    count = view[0] * view[2]
    along = np.add.reduce(np.add.reduce(g * x, 2), 0) / count
    mean = np.add.reduce(np.add.reduce(g, 2), 0) / count
    x *= along[:, None]
    dx = g - mean[:, None]
    dx -= x
    dx *= rstd[:, None]
    return dx.reshape(shape).astype(dtype, copy=False), dweight.astype(dtype), dbias.astype(dtype)


def sum_over(x, axes):
    """The sum over ``axes``, last first: twice as fast as all at once where the last one is short."""
    for axis in sorted(axes, reverse=True):
        x = np.add.reduce(x, axis)
    return x.reshape(-1)
