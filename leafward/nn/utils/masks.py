"""Masks of what pruning leaves, and how much is to go."""
import numbers

import leafward as lw


def refuse_amount(amount):
    """Raise if ``amount`` is neither a share, a float in [0, 1], nor a number of entries."""
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (not isinstance(amount, numbers.Integral) and amount > 1.0):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def number_of(amount, size):
    """How many of ``size`` entries, or slices, ``amount`` stands for."""
    count = amount if isinstance(amount, numbers.Integral) else round(amount * size)
    if count > size:
        raise ValueError(f"amount={count} should be smaller than the number of parameters to prune={size}")
    return count


def refuse_dim(t, dim):
    """Raise if ``t`` has no slices along ``dim``."""
    if t.dim() <= 1:
        raise ValueError("Structured pruning can only be applied to multidimensional tensors. Found tensor of "
                         f"shape {t.shape} with {t.dim()} dims")
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def without(mask, places):
    """``mask`` with zeros at the flat ``places``."""
    mask = mask.clone(memory_format=lw.contiguous_format)
    mask.view(-1)[places] = 0
    return mask


def slices_alone(mask, t, dim, kept):
    """``mask`` in the slices of ``t`` along ``dim`` that are ``kept``, and zeros elsewhere."""
    slices = lw.zeros_like(t)
    slices.transpose(0, dim)[kept] = 1
    return slices.mul_(mask.to(dtype=slices.dtype))
