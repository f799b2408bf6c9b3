"""Standardizing groups of elements, with a scale and an offset.

``view`` is ``(outer, groups, inner)``: the mean and variance of a group go over the other two. ``grid`` is the shape in
which ``weight`` and ``bias``, of shape ``affine`` there, broadcast. For a batch norm of ``n c h w`` all three are
``(n, c, hw)``, the same, and ``(1, c, 1)``; for a layer norm ``(1, rows, d)``, the same, and ``(1, 1, d)``.
"""
import numpy as np

from leafward.arrays.dtype_map import is_half
from leafward.arrays.sums import add_up


def moments(x, eps):
    """Mean, variance, ``1 / sqrt(variance + eps)`` and the standardized ``x``, over axes 0 and 2."""
    count = x.shape[0] * x.shape[2]
    mean = add_up(x, (0, 2)) / count
    x = x - mean[:, None]
    variance = add_up(x * x, (0, 2)) / count
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
    """The gradients of :func:`normalize_groups` for ``x``, ``weight`` and ``bias``; the last two in float32 at least."""
    dtype, shape = x.dtype, x.shape
    if is_half(dtype):
        g, x = g.astype(np.float32), x.astype(np.float32)
    _, _, rstd, x = moments(x.reshape(view), eps)
    g = g.reshape(grid)
    summed = tuple([d for d, n in enumerate(affine) if n == 1])
    dbias = add_up(g, summed).reshape(-1)
    dweight = add_up(g * x.reshape(grid), summed).reshape(-1)
    if weight is not None:
        g = g * weight.reshape(affine)
    g = g.reshape(view)
    count = view[0] * view[2]
    along = add_up(g * x, (0, 2)) / count
    mean = add_up(g, (0, 2)) / count
    x *= along[:, None]
    dx = g - mean[:, None]
    dx -= x
    dx *= rstd[:, None]
    return dx.reshape(shape).astype(dtype, copy=False), dweight, dbias
