"""Tensors as another dtype, on another device."""
from leafward import dtypes
from leafward.core.tensor import TensorBase
from leafward.devices import check_device, device


class Casts:
    """The part of ``Tensor`` that gives the same values as something else."""

    def to(self, *args, **kwargs):
        """The same values as another dtype: ``to(dtype)``, ``to(device)``, ``to(other)``."""
        dtype, where, copy = parse_to(args, kwargs)
        if where is not None:
            check_device(where)
        if (dtype is None or dtype is self._dtype) and not copy:
            return self
        return self._to_copy(self._dtype if dtype is None else dtype)

    def type(self, dtype=None, non_blocking=False, **kwargs):
        """The type's name (``torch.FloatTensor``), or the tensor as another type."""
        if dtype is None:
            return f"torch.{self._dtype.tensor_type}"
        if isinstance(dtype, str):
            dtype = named_type(dtype)
        elif not isinstance(dtype, dtypes.dtype):
            dtype = dtype.dtype
        return self.to(dtype)

    def type_as(self, other):
        return self.to(other._dtype)

    def cpu(self, memory_format=None):
        return self

    def cuda(self, device=None, non_blocking=False, memory_format=None):
        check_device("cuda")


def named_type(name):
    """``"torch.FloatTensor"`` -> float32."""
    for dtype in dtypes.by_name.values():
        if name == f"torch.{dtype.tensor_type}":
            return dtype
    if name.startswith("torch.cuda."):
        check_device("cuda")
    raise ValueError(f"invalid type: '{name}'")


def parse_to(args, kwargs):
    """The dtype, device and copy flag that a ``to`` call asks for."""
    dtype, where, copy = kwargs.get("dtype"), kwargs.get("device"), kwargs.get("copy", False)
    other = kwargs.get("other")
    for position, value in enumerate(args):
        if isinstance(value, dtypes.dtype):
            dtype = value
        elif isinstance(value, TensorBase):
            other = value
        elif isinstance(value, bool):
            copy = value if position == 2 + (not isinstance(args[0], (dtypes.dtype, TensorBase))) else copy
        elif isinstance(value, (str, device, int)):
            where = value
        elif value is not None and not isinstance(value, dtypes.memory_format):
            raise TypeError(f"to() received an invalid combination of arguments - got ({type(value).__name__}), but "
                            "expected a dtype, a device or a Tensor")
    if other is not None:
        dtype = other._dtype
    return dtype, where, copy


def cast_method(dtype):
    def cast(self, memory_format=None):
        return self.to(dtype)
    cast.__doc__ = f"This tensor as {dtype}."
    return cast


for _name in ("float", "double", "half", "bfloat16", "long", "int", "short", "bool", "cfloat", "cdouble"):
    setattr(Casts, _name, cast_method(dtypes.by_name[_name]))
Casts.char = cast_method(dtypes.int8)
Casts.byte = cast_method(dtypes.uint8)
