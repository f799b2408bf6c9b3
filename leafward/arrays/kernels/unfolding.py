"""Sliding windows of images as columns, and columns added back up to images: in C (``columns_loops.c``), or else by NumPy.

Axes: n c as given, k kernel, h w places.
"""
import numpy as np

try:
    from leafward.arrays.kernels import columns_entry as compiled
except ImportError:                       # not compiled: tap by tap
    compiled = None
else:
    compiled = None if compiled.obstacle else compiled


def places_of(size, kernel, stride, padding, dilation):
    return [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(size, kernel, stride, padding, dilation)]


def window(start, places, stride, dilation):
    """The index of one kernel tap in every window."""
    return (..., *[slice(i * d, i * d + (m - 1) * s + 1, s) for i, m, s, d in zip(start, places, stride, dilation)])


def pad(size, padding, lead, dtype):
    padded = np.zeros((*lead, *[n + 2 * p for n, p in zip(size, padding)]), dtype)
    return padded, padded[(..., *[slice(p, p + n) for n, p in zip(size, padding)])]


def unfold(x, kernel, stride, padding, dilation):
    """``n c h w -> n (c k k) (h w)``."""
    n, c, *size = x.shape
    places = places_of(size, kernel, stride, padding, dilation)
    if compiled:
        columns = np.empty((n, c * kernel[0] * kernel[1], places[0] * places[1]), x.dtype)
        if compiled.unfold(x, columns, kernel, tuple(places), stride, padding, dilation, False) is not None:
            return columns
    padded, inside = pad(size, padding, (n, c), x.dtype)
    inside[...] = x
    columns = np.empty((n, c, *kernel, *places), x.dtype)
    for start in np.ndindex(*kernel):
        columns[(slice(None), slice(None), *start)] = padded[window(start, places, stride, dilation)]
    return columns.reshape(n, c * kernel[0] * kernel[1], places[0] * places[1])


def fold(columns, size, kernel, stride, padding, dilation):
    """``n (c k k) (h w) -> n c h w``, overlapping windows added up."""
    n, rows, _ = columns.shape
    c = rows // (kernel[0] * kernel[1])
    places = places_of(size, kernel, stride, padding, dilation)
    if compiled:
        images = np.empty((n, c, *size), columns.dtype)
        if compiled.fold(columns, images, kernel, tuple(places), stride, padding, dilation, False) is not None:
            return images
    padded, inside = pad(size, padding, (n, c), columns.dtype)
    columns = columns.reshape(n, c, *kernel, *places)
    for start in np.ndindex(*kernel):
        padded[window(start, places, stride, dilation)] += columns[(slice(None), slice(None), *start)]
    return np.ascontiguousarray(inside)
