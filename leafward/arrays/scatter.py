"""Writing at computed places. Unlike the rest of the namespace these write into their first argument.

In C where it is compiled (``kernels/places_entry.pyx``), and otherwise, or for what that declines, in NumPy: ``np.add.at`` is
fast for one-dimensional indices only, so places are turned into flat ones where the memory allows it.
"""
import numpy as np

from leafward.arrays.copies import cast
from leafward.arrays.dtype_map import is_half

try:
    from leafward.arrays.kernels import places_entry as compiled
except ImportError:                       # not compiled
    compiled = None

FLOAT32 = np.dtype(np.float32)

#: So many rows, or rows of so many elements, are added one by one: sorting them first takes longer.
FEW, WIDE = 16, 128

#: How values that arrive at one place are combined; None: the last one stays.
COMBINE = {"add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum}


def flat_places(index, shape, dim):
    """Where ``out[..., index, ...]`` along ``dim`` lies in a row-major ``out`` of this shape."""
    step = 1
    places = np.zeros((1,) * len(shape), np.intp)
    for d in range(len(shape) - 1, -1, -1):
        here = index if d == dim else np.arange(index.shape[d]).reshape((-1,) + (1,) * (len(shape) - 1 - d))
        places = places + here * step
        step *= shape[d]
    return places


def places_along(index, shape, dim):
    """The full index that ``index`` along ``dim`` stands for: every other dim at its own place."""
    if len(shape) == 1:
        return (index,)
    if len(shape) == 2:
        own = np.arange(index.shape[1 - dim])
        return (index, own) if dim == 0 else (own[:, None], index)
    return tuple([index if d == dim else np.arange(n).reshape((-1,) + (1,) * (len(shape) - 1 - d))
                  for d, n in enumerate(index.shape)])


def gather_from(x, dim, index):
    """``out[p] = x[..., index[p], ...]`` along ``dim`` for every place ``p`` of ``index``."""
    if compiled and (out := compiled.gather(x, dim, index)) is not None:
        return out
    return x[places_along(index, x.shape, dim)]


def scatter_into(out, dim, index, values, combine=None):
    """``out[..., index[p], ...] = values[p]`` along ``dim`` for every place ``p`` of ``index``."""
    if index.size == 0:
        return out
    if combine is not None and is_half(out.dtype):            # combined in float32 and rounded once, as in PyTorch
        if isinstance(values, np.ndarray):
            values = cast(values, FLOAT32, True)
        out[...] = scatter_into(cast(out, FLOAT32, True), dim, index, values, combine)
        return out
    if compiled and compiled.scatter(out, dim, index, values, combine):
        return out
    if isinstance(values, np.ndarray) and values.shape != index.shape:
        values = values[tuple([slice(n) for n in index.shape])]
    if combine is None:
        out[places_along(index, out.shape, dim)] = values
        return out
    target = out if out.flags.c_contiguous else np.array(out, order="C")
    flat = target.reshape(-1)
    places = flat_places(index, out.shape, dim).reshape(-1)
    if isinstance(values, np.ndarray):
        values = values.reshape(-1)
    COMBINE[combine].at(flat, places, values)
    if target is not out:
        out[...] = target
    return out


def rows_into(out, dim, places, rows, combine=None):
    """``out[..., places[k], ...] = rows[..., k, ...]`` along ``dim``, or combined; ``rows`` may be a number."""
    if combine is not None and is_half(out.dtype):            # as above
        if isinstance(rows, np.ndarray):
            rows = cast(rows, FLOAT32, True)
        out[...] = rows_into(cast(out, FLOAT32, True), dim, places, rows, combine)
        return out
    values = rows if isinstance(rows, np.ndarray) else np.asarray(rows).astype(out.dtype)
    if compiled and compiled.put(out, [places], (dim,), values, combine, False):
        return out
    shape = (*out.shape[:dim], places.size, *out.shape[dim + 1:])
    index = places.reshape((-1,) + (1,) * (out.ndim - dim - 1))
    return scatter_into(out, dim, np.broadcast_to(index, shape), rows, combine)


def add_rows(out, dim, places, rows):
    """``out[..., places[k], ...] += rows[..., k, ...]`` along ``dim``; repeated places add up."""
    if places.size == 0:
        return out
    if compiled and compiled.put(out, [places], (dim,), rows, "add", False):
        return out
    front = out
    if dim:
        front, rows = np.moveaxis(out, dim, 0), np.moveaxis(rows, dim, 0)
    if is_half(out.dtype):                      # added up in float32 and rounded once, as in PyTorch
        front[...] = add_rows(np.array(front, np.float32), 0, places, cast(rows, FLOAT32, True))
        return out
    if front.ndim == 1:
        np.add.at(front, places, rows)
        return out
    if len(rows) <= FEW or rows[0].size >= WIDE:
        for position, row in zip(places.tolist(), rows):
            into = front[position]
            np.add(into, row, into)
        return out
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    if starts.size == places.size:
        front[places] += rows
    else:
        front[ordered[starts]] += np.add.reduceat(rows[order], starts, axis=0, dtype=rows.dtype)
    return out


def apart(index):
    """The integer arrays of a tuple of slices and such, and the dims that they stand in."""
    at = tuple([dim for dim, part in enumerate(index) if isinstance(part, np.ndarray)])
    return [index[dim] for dim in at], at


def pick_rows(x, index, dim):
    """The slices of ``x`` at ``index`` along ``dim``, none of which is to be counted from the end; they exist."""
    out = compiled.pick(x, [index], (dim,), False) if compiled else None
    return np.take(x, index, axis=dim) if out is None else out


def put_at_places(out, index, values):
    """``out[index] = values`` for a tuple of slices and integer arrays: NumPy's errors, and then nothing is written."""
    arrays, at = apart(index)
    if not (compiled and compiled.put(out, arrays, at, values)):
        out[index] = values
    return out


def add_at_places(out, index, values):
    """``out[index] += values`` for a tuple of slices and integer arrays; repeated places add up."""
    arrays, at = apart(index)
    if is_half(out.dtype):                      # added up in float32 and rounded once (PyTorch rounds every addition)
        out[...] = add_at_places(cast(out, FLOAT32, True), index, cast(values, FLOAT32, True))
        return out
    if compiled and compiled.put(out, arrays, at, values, "add"):
        return out
    if len(arrays) == 1 and arrays[0].ndim == 1:
        (dim,), places = at, arrays[0]
        size = out.shape[dim]
        rows = np.broadcast_to(values, (*out.shape[:dim], places.size, *out.shape[dim + 1:]))
        return add_rows(out, dim, np.where(places < 0, places + size, places), rows)
    if len(arrays) == out.ndim and out.flags.c_contiguous:
        wrapped = [np.where(i < 0, i + n, i) for i, n in zip(index, out.shape, strict=True)]
        places = np.ravel_multi_index(np.broadcast_arrays(*wrapped), out.shape)
        np.add.at(out.reshape(-1), places.reshape(-1), np.broadcast_to(values, places.shape).reshape(-1))
        return out
    np.add.at(out, index, values)
    return out
