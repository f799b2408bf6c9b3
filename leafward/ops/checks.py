"""Refusals and warnings that several op files share, in PyTorch's words."""
from leafward import dtypes
from leafward.errors import warn_once


def cpp_name(x):
    """The C++ type of an array's or a tensor's elements, as PyTorch's messages name it: ``long int``."""
    return dtypes.cpp_name(dtypes.by_name[x.dtype.name])


def scalar_name(x):
    """PyTorch's inner name of the dtype: ``Long``."""
    return dtypes.scalar_name(dtypes.by_name.get(x.dtype.name, dtypes.complex32))     # NumPy calls that void32


def as_element(value, dtype):
    """A Python number as an element of ``dtype``: refused where it is too large or complex, cut to a whole number."""
    if type(value) is float and dtype.kind == "float" and -65504.0 <= value <= 65504.0:     # float16's, at little cost
        return value
    if dtype.kind == "bool":
        return bool(value)
    parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
    if dtype.kind == "int":
        limits = dtypes.iinfo(dtype)
        # Ints below zero wrap around in unsigned types, down to minus the largest.
        lowest = limits.min if dtype.is_signed or type(parts[0]) is float else -limits.max
        fits = lowest <= parts[0] <= limits.max
    else:
        most = dtypes.finfo(dtype).max
        fits = all([p != p or abs(p) == float("inf") or abs(p) <= most for p in parts])
    if not fits or (dtype.kind != "complex" and any(parts[1:])):
        raise RuntimeError(f"value cannot be converted to type {converted_name(dtype)} without overflow")
    if dtype.kind == "int":
        return int(parts[0]) if dtype.is_signed else int(parts[0]) % (limits.max + 1)
    return parts[0] if dtype.kind == "float" else value


def refuse_beyond(number, x):
    """Refuse an int that the integers of ``x`` cannot hold. Most ops wrap it around; some of PyTorch's do not."""
    if type(number) is int and hasattr(x, "shape") and x.dtype.kind == "int":
        as_element(number, x.dtype)


def converted_name(dtype):
    """What the error of a conversion calls ``dtype``: ``int`` and ``float``, but ``int64_t``."""
    return f"{dtype.name}_t" if dtype.kind == "int" and dtype.name != "int32" else dtypes.cpp_name(dtype)


def refuse_bool(x, kernel):
    if x.dtype.kind == "b" and x.size:
        raise NotImplementedError(f'"{kernel}" not implemented for \'Bool\'')


def check_expands(x, shape):
    """Refuse what does not broadcast to ``shape``."""
    offset = len(shape) - x.ndim
    if offset < 0:
        raise RuntimeError(
            f"The number of sizes provided ({len(shape)}) must be greater or equal to the number of dimensions in the "
            f"tensor ({x.ndim})")
    for dim in range(len(shape) - 1, offset - 1, -1):
        size = x.shape[dim - offset]
        if size not in (1, shape[dim]):
            raise RuntimeError(
                f"The expanded size of the tensor ({shape[dim]}) must match the existing size ({size}) at "
                f"non-singleton dimension {dim}.  Target sizes: {list(shape)}.  Tensor sizes: {list(x.shape)}")


def warn_of_older_name(name, instead=None):
    """Warn once that a function is deprecated, in PyTorch's words; ``instead``: what to call."""
    favored = "" if instead is None else f" in favor of {instead}"
    warn_once(f"torch.{name} is deprecated{favored} and will be removed in a future PyTorch release.")


def warn_of_imaginary_part(x, dtype):
    """Warn once where complex values become real ones; whether they are zero needs both parts."""
    if x.dtype.kind == "c" and dtypes.by_name[dtype.name].kind in ("float", "int"):
        warn_once("Casting complex values to real discards the imaginary part")
