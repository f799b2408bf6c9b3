"""Arrays from Python data: numbers, nested sequences, NumPy's and leafward's values, with PyTorch's choice of dtype.

>>> array_from_data([[1, 2], [3, 4.5]]).dtype, array_from_data([True, 2]).dtype
(dtype('float32'), dtype('int64'))
"""
import numpy as np

from leafward import dtypes

from leafward.arrays.dtype_map import leafward_dtype, numpy_dtype

NUMBERS = (bool, int, float, complex)
NUMBER_TYPES = frozenset(NUMBERS)
TEXT = (str, bytes)

#: Up to so many numbers it is worth a look whether they may overflow a narrow type, of which this is the least limit.
FEW, LARGEST_HALF = 64, 65504


def array_from_data(data, dtype=None):
    """A fresh array of ``data``; ``dtype`` is leafward's, or None for the smallest that holds every element."""
    # The usual case first: a number, or a flat list of them.
    flat = data if type(data) in (list, tuple) else [data]
    kinds = set(map(type, flat))
    if kinds and kinds <= NUMBER_TYPES:
        array = array_of_numbers(flat, kinds, numpy_dtype(common_dtype(flat, kinds) if dtype is None else dtype))
        return array if flat is data else array.reshape(())
    if isinstance(data, np.ndarray):
        return array_from_numpy(data, dtype)
    if isinstance(data, TEXT):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    shape = shape_of(data)
    leaves = []
    if 0 not in shape:
        gather(data, shape, 0, leaves)
    kinds = set(map(type, leaves))
    if dtype is None:
        dtype = common_dtype(leaves, kinds)
    return array_of_numbers(leaves, kinds, numpy_dtype(dtype)).reshape(shape)


def array_from_numpy(array, dtype):
    found = leafward_dtype(array.dtype)
    if any(step < 0 for step in array.strides):
        raise ValueError("At least one stride in the given numpy array is negative, and tensors with negative strides "
                         "are not currently supported. (You can probably work around this by making a copy of your "
                         "array  with array.copy().) ")
    return np.array(array, numpy_dtype(dtype or found), order="C")


# --- nesting ---------------------------------------------------------------------------------------------------------

def is_tensor(value):
    # This package is below the one that knows the class.
    return hasattr(value, "_array")


def is_sequence(value):
    return isinstance(value, (list, tuple)) or (
        hasattr(value, "__len__") and hasattr(value, "__getitem__") and not is_tensor(value)
        and not isinstance(value, (dict, np.generic, *TEXT)))


def shape_of(data):
    """The lengths of ``data``, ``data[0]``, ``data[0][0]``, ..."""
    shape = []
    while is_sequence(data):
        shape.append(len(data))
        if not shape[-1]:
            break
        data = data[0]
    if isinstance(data, TEXT):
        raise ValueError(f"too many dimensions '{type(data).__name__}'")
    return tuple(shape)


def gather(data, shape, dim, leaves):
    """Append the elements of ``data`` in order to ``leaves``; refuse what is not nested as ``shape`` says."""
    if dim == len(shape):
        leaves.append(data)
        return
    if isinstance(data, TEXT):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if not is_sequence(data):
        raise TypeError("not a sequence")
    if len(data) != shape[dim]:
        raise ValueError(f"expected sequence of length {shape[dim]} at dim {dim} (got {len(data)})")
    if dim + 1 == len(shape):
        leaves.extend(data)
        return
    for part in data:
        gather(part, shape, dim + 1, leaves)


# --- dtypes ----------------------------------------------------------------------------------------------------------

def common_dtype(leaves, kinds):
    """The dtype that all of ``leaves``, whose types are ``kinds``, promote to."""
    if not kinds:
        return dtypes.default_dtype
    if kinds <= NUMBER_TYPES:
        return dtypes.scalar_dtype(leaves[0] if len(kinds) == 1 else max(kinds, key=NUMBERS.index)())
    found = None
    for value in leaves:
        dtype = dtype_of_value(value)
        found = dtype if found is None else dtypes.promote_types(found, dtype)
    return found


def dtype_of_value(value):
    if isinstance(value, np.generic):
        return leafward_dtype(value.dtype)
    if is_tensor(value):
        return value._dtype
    if isinstance(value, NUMBERS):
        return dtypes.scalar_dtype(value)
    if isinstance(value, TEXT):
        raise TypeError(f"new(): invalid data type '{type(value).__name__}'")
    if is_sequence(value):
        raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
    raise RuntimeError(f"Could not infer dtype of {type(value).__name__}")


# --- numbers ---------------------------------------------------------------------------------------------------------

def array_of_numbers(leaves, kinds, dtype):
    """A 1-D array of ``dtype``; refuses what it cannot hold, as PyTorch does."""
    if not kinds <= NUMBER_TYPES:
        leaves = [number(value) for value in leaves]
        kinds = set(map(type, leaves))
    if dtype.kind in "iu":
        return array_of_integers(leaves, kinds, dtype)
    if dtype.kind == "b":
        return np.array(list(map(bool, leaves)), dtype)
    if dtype.kind == "c":
        return np.array(leaves, np.complex128).astype(dtype)
    if complex in kinds:
        raise TypeError("must be real number, not complex")
    if dtype.char == "f" and len(leaves) <= FEW and max(map(abs, leaves), default=0) <= LARGEST_HALF:
        return np.array(leaves, dtype)
    wide = np.array(leaves, np.float64)
    if dtype.char == "d":
        return wide
    if len(leaves) <= FEW and max(map(abs, leaves), default=0) <= LARGEST_HALF:
        return wide.astype(dtype)
    with np.errstate(over="ignore"):                          # takes as long as all the rest for a few numbers
        return wide.astype(dtype)


def array_of_integers(leaves, kinds, dtype):
    if complex in kinds:
        raise TypeError("'complex' object cannot be interpreted as an integer")
    if float in kinds:
        try:
            leaves = list(map(int, leaves))
        except (ValueError, OverflowError):                   # NaN, infinity
            raise overflow(dtype) from None
    if dtype == np.uint64:
        if any(value < 0 for value in leaves):
            raise OverflowError("can't convert negative int to unsigned")
        return np.array(leaves, dtype)
    try:
        wide = np.array(leaves, np.int64)
    except OverflowError:
        raise ValueError("Overflow when unpacking long long") from None
    if dtype.char == "l":
        return wide
    limits = np.iinfo(dtype)
    # Negative numbers wrap around in unsigned types, down to minus the largest.
    lowest = -limits.max if dtype.kind == "u" else limits.min
    if wide.size and (wide.max() > limits.max or wide.min() < lowest):
        raise overflow(dtype)
    return wide.astype(dtype, copy=False)


def overflow(dtype):
    return RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")


def number(value):
    """A Python number for a NumPy scalar, a tensor of one element, or anything that converts itself."""
    if isinstance(value, NUMBERS):
        return value
    if is_tensor(value):
        if value._array.size != 1:
            if value._array.dtype.kind in "biu":
                raise TypeError("only integer tensors of a single element can be converted to an index")
            raise ValueError("only one element tensors can be converted to Python scalars")
        return value.item()                                 # which one example of a batch refuses
    if isinstance(value, np.generic):
        return value.item()
    if is_sequence(value):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    if hasattr(type(value), "__index__"):
        return value.__index__()
    return float(value)
