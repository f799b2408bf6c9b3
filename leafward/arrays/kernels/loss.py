"""Losses over classes: ``x`` is ``(n, c, ...)``, ``target`` holds class numbers ``(n, ...)``."""
import numpy as np

from leafward.arrays.dtype_map import is_half
from leafward.arrays.sums import add_up


def batched(x, target):
    return (x[None], target.reshape(1)) if x.ndim == 1 else (x, target)


def pick(x, target):
    """``x[n, target[n]]``, for any number of dimensions after the classes."""
    if x.ndim == 2:
        return x[np.arange(x.shape[0]), target]
    return np.take_along_axis(x, target[:, None], 1)[:, 0]


def shares(target, classes, weight, ignore_index, dtype):
    """Targets, with class 0 where they are ignored, and how much each counts: None where all count alike.

    Raises IndexError for a class that does not exist.
    """
    kept = target != ignore_index
    all_kept = kept.all()
    if not all_kept:
        target = np.where(kept, target, 0)
    if target.size and (target.min() < 0 or target.max() >= classes):
        wrong = target[(target < 0) | (target >= classes)].flat[0]
        raise IndexError(f"Target {wrong} is out of bounds.")
    if weight is not None:
        share = weight.take(target).astype(dtype, copy=False)
        return target, share if all_kept else np.where(kept, share, 0)
    return target, None if all_kept else kept.astype(dtype)


def negative_pick(x, target, weight, reduction, ignore_index):
    """``-x[n, target[n]]`` times its share, reduced; and the factor by which each counts in that."""
    if is_half(x.dtype):
        loss, share = negative_pick(x.astype(np.float32), target, weight, reduction, ignore_index)
        return loss.astype(x.dtype), share.astype(x.dtype)
    shape, one = target.shape, np.ones((), x.dtype)
    x, given = batched(x, target)
    target, share = shares(given, x.shape[1], weight, ignore_index, x.dtype)
    values = -pick(x, target)
    if share is not None:
        values = np.where(given == ignore_index, 0, values * share)          # an ignored place may hold an infinity
    if reduction == "none":
        return values.reshape(shape), one if share is None else share.reshape(shape)
    loss = add_up(values)
    if reduction == "sum":
        return loss, one if share is None else share.reshape(shape)
    total = x.dtype.type(target.size) if share is None else add_up(share)
    return np.asarray(loss / total), (one if share is None else share.reshape(shape)) / total


def class_scatter(values, target, classes, ignore_index):
    """Zeros ``(n, classes, ...)`` with ``values[n]`` at class ``target[n]``; ignored places stay empty."""
    kept = target != ignore_index
    values = np.where(kept, values, 0)
    target = np.where(kept, target, 0)
    if target.ndim == 0:
        out = np.zeros(classes, values.dtype)
        out[target] = values
        return out
    out = np.zeros((target.shape[0], classes, *target.shape[1:]), values.dtype)
    np.put_along_axis(out, target[:, None], values[:, None], 1)
    return out


def class_gather(x, target, ignore_index):
    """``x[n, target[n]]``, and zero where the target is ignored."""
    kept = target != ignore_index
    shape = target.shape
    x, target = batched(x, np.where(kept, target, 0))
    return np.where(kept, pick(x, target).reshape(shape), 0).astype(x.dtype, copy=False)
