"""Tensors as another dtype, on another device."""
from leafward import dtypes
from leafward.core.fields import make_cast
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.devices import as_device, check_device, cpu, device, of_meta


class Casts:
    """The part of ``Tensor`` that gives the same values as something else."""

    def to(self, *args, **kwargs):
        """The same values as another dtype: ``to(dtype)``, ``to(device)``, ``to(other)``; in another ``memory_format``."""
        if len(args) == 1 and not kwargs and (
                (given := args[0]) is self._dtype or type(given) is str and given == "cpu"
                or type(given) is device and given.type == "cpu"
                or type(given) is type(self) and given._dtype is self._dtype):
            return self                                     # most calls change nothing
        dtype, where, copy, memory_format = parse_to(args, kwargs)
        if where is not None and where is not cpu:
            if as_device(where).type == "meta":
                return of_meta().on_meta(self if dtype is None else self[:0].to(dtype).new_empty(self.shape))
            check_device(where)
        if (dtype is None or dtype is self._dtype) and not copy and (
                memory_format is None or self._suggested_format() is memory_format):
            return self
        dtype = self._dtype if dtype is None else dtype
        return self._to_copy(dtype) if memory_format is None else self._to_copy(dtype, memory_format)

    def _suggested_format(self):
        """``channels_last`` or ``channels_last_3d`` if the strides say so, ``contiguous_format`` for all others."""
        if not runtime.xp.creation.is_channels_last(self._array):
            return dtypes.contiguous_format
        return dtypes.channels_last if self._array.ndim == 4 else dtypes.channels_last_3d

    def type(self, dtype=None, non_blocking=False, **kwargs):
        """The type's name (``torch.FloatTensor``), or the tensor as another type."""
        if dtype is None:
            return f"torch.{self._dtype.tensor_type}"
        if isinstance(dtype, str) or dtype in dtypes.PYTHON_TYPES:
            dtype = named_type(dtype if isinstance(dtype, str) else dtype.__name__)
        elif not isinstance(dtype, dtypes.dtype):
            dtype = dtype.dtype
        return self.to(dtype, memory_format=kwargs.get("memory_format"))

    def type_as(self, other):
        return self.to(other._dtype)

    def cpu(self, memory_format=None):
        return self.to("cpu") if memory_format is None else self.to("cpu", memory_format=memory_format)

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
    dtype, where, copy = dtypes.as_dtype(kwargs.get("dtype")), kwargs.get("device"), kwargs.get("copy", False)
    other, memory_format = kwargs.get("other"), kwargs.get("memory_format")
    for position, value in enumerate(args):
        value = dtypes.as_dtype(value)
        if isinstance(value, dtypes.dtype):
            dtype = value
        elif isinstance(value, TensorBase):
            other = value
        elif isinstance(value, bool):
            copy = value if position == 2 + (not isinstance(args[0], (dtypes.dtype, TensorBase))) else copy
        elif isinstance(value, (str, device, int)):
            where = value
        elif isinstance(value, dtypes.memory_format):
            memory_format = value
        elif value is not None:
            raise TypeError(f"to() received an invalid combination of arguments - got ({type(value).__name__}), but "
                            "expected a dtype, a device or a Tensor")
    if other is not None:
        dtype = other._dtype
    if memory_format is not None and not isinstance(memory_format, dtypes.memory_format):
        raise TypeError("to() received an invalid combination of arguments - got (memory_format="
                        f"{type(memory_format).__name__}, ), but expected one of:")
    return dtype, where, copy, None if memory_format is dtypes.preserve_format else memory_format


for _name in ("float", "double", "half", "bfloat16", "long", "int", "short", "bool", "cfloat", "cdouble", "chalf"):
    setattr(Casts, _name, make_cast(dtypes.by_name[_name]))
Casts.char = make_cast(dtypes.int8)
Casts.byte = make_cast(dtypes.uint8)
