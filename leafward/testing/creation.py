"""``make_tensor``: random tensors to test with."""
import math

import leafward as lw

#: Where values are drawn from, by kind of dtype, unless a range is given.
RANGES = {"bool": (0, 2), "uint8": (0, 10), "whole": (-9, 10), "floating": (-9, 9)}


def make_tensor(*shape, dtype, device=None, low=None, high=None, requires_grad=False, noncontiguous=False,
                exclude_zero=False, memory_format=None):
    """A tensor of this shape and ``dtype``, uniformly drawn from ``[low, high)``.

    ``noncontiguous`` leaves gaps between its elements; ``exclude_zero`` puts the smallest number where a zero was.

    >>> import leafward as lw
    >>> make_tensor(2, 3, dtype=lw.int64, device="cpu", low=1, high=2)
    tensor([[1, 1, 1],
            [1, 1, 1]])
    """
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    shape = tuple(shape)
    if requires_grad and not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError("`requires_grad=True` is not supported for boolean and integral dtypes, but got "
                         f"dtype={dtype}")
    if noncontiguous and memory_format is not None:
        raise ValueError("The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
                         f"noncontiguous={noncontiguous} and memory_format={memory_format}")
    low, high = range_for(dtype, low, high)
    has_gaps = noncontiguous and math.prod(shape) > 1
    drawn = draw((*shape[:-1], 2 * shape[-1]) if has_gaps else shape, dtype, device, low, high)
    result = drawn[..., 1::2] if has_gaps else drawn
    if memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        smallest = lw.finfo(dtype).tiny if dtype.is_floating_point or dtype.is_complex else 1
        result[result == 0] = smallest
    return result.requires_grad_() if requires_grad else result


def range_for(dtype, low, high):
    """``low, high``, with defaults, checked and brought into the dtype's range."""
    is_real = dtype.is_floating_point or dtype.is_complex
    kind = "floating" if is_real else {lw.bool: "bool", lw.uint8: "uint8"}.get(dtype, "whole")
    low, high = (default if value is None else value for value, default in zip((low, high), RANGES[kind], strict=True))
    if any(isinstance(value, float) and math.isnan(value) for value in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low} and high={high}")
    if low > high or (low == high and not is_real):
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    bottom, top = limits(dtype)
    low, high = (min(max(value, bottom), top) for value in (low, high))
    return (low, high) if is_real else (math.ceil(low), math.ceil(high))


def limits(dtype):
    """The smallest ``low`` and the largest ``high``, which an integer does not reach."""
    if dtype is lw.bool:
        return 0, 2
    if dtype.is_floating_point or dtype.is_complex:
        return lw.finfo(dtype).min, lw.finfo(dtype).max
    return lw.iinfo(dtype).min, lw.iinfo(dtype).max + (dtype is not lw.int64)


def draw(shape, dtype, device, low, high):
    empty = lw.empty(shape, dtype=dtype, device=device)
    if dtype.is_complex:
        lw.view_as_real(empty).uniform_(low, high)
        return empty
    return empty.uniform_(low, high) if dtype.is_floating_point else empty.random_(low, high)
