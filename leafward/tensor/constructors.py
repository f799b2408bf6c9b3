"""Tensors from data: Python numbers and lists, NumPy arrays, buffers, DLPack."""
from __future__ import annotations


from typing import Any, TYPE_CHECKING

from leafward import dtypes
from leafward.arrays import cpu
from leafward.core import modes
from leafward.core.bind import dispatch, function_overrides
from leafward.core.cuts import coming_back, cut_of_copies, departures
from leafward.core.history import wants_grad
from leafward.core.from_array import tensor_from_array
from leafward.core.mode_bits import FUNCTIONS
from leafward.core.storage import Storage, VersionCounter
from leafward.core.native import call_site
from leafward.core.runtime import runtime
from leafward.core.seals import escape
from leafward.core.tensor import TensorBase, allocate_tensor
from leafward.core.tracebacks import leave
from leafward.derive.creation import check_dtype
from leafward.devices import check_device, refuse_pinned
from leafward.errors import warn, warn_once
from leafward.tensor.memory import tensor_in

if TYPE_CHECKING:
    from leafward.tensor.annotations import DType, Device, Number
    from leafward.tensor.tensor import Tensor


def finish(tensor, requires_grad):
    """Start recording on a fresh tensor, if asked."""
    if not requires_grad:
        return tensor
    if not (tensor._dtype.is_floating_point or tensor._dtype.is_complex):
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return tensor.requires_grad_(True)


def array_of(data, dtype):
    try:
        dtype = check_dtype("tensor", dtype)
        if dtype in dtypes.PACKED:
            return cpu.astype(cpu.convert.array_from_data(data, dtypes.widened(dtype)), dtype)
        return cpu.convert.array_from_data(data, dtype)
    except Exception as error:
        leave(error)
        raise


def wrap_fresh(array):
    return tensor_from_array(array)


def tensor(data: Any, *, dtype: DType | None = None, device: Device | None = None, requires_grad: bool = False,
           pin_memory: bool = False) -> Tensor:
    """A tensor that holds a copy of ``data``: a number, nested lists, an array or a tensor.

    >>> import leafward as lw
    >>> lw.tensor([[1, 2], [3, 4]]).dtype, lw.tensor([1.0, 2.0]).dtype
    (torch.int64, torch.float32)
    """
    if modes.word() & FUNCTIONS and (overrides := function_overrides([])) is not None:
        options = {"dtype": dtype, "device": device, "requires_grad": requires_grad, "pin_memory": pin_memory}
        return dispatch(tensor, (data,), options, overrides)
    check_device(device)
    refuse_pinned(pin_memory)
    if isinstance(data, TensorBase):
        warn("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
             "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).")
        dtype = check_dtype("tensor", dtype) or data._dtype
        if data._batch is not None:
            return finish(data.detach().to(dtype, copy=True), requires_grad)
        array = cpu.astype(data._array, dtype, copy=True)
        return finish(noting_cuts(wrap_fresh(cpu.copy(array)), [data]), requires_grad)
    return finish(noting_cuts(wrap_fresh(array_of(data, dtype)), data), requires_grad)


def noting_cuts(tensor, data):
    """``tensor``, made of the values in ``data``, with a note of the histories that ended in them."""
    if runtime.checks:
        if type(data) in (list, tuple) and data and not isinstance(data[0], (int, float)):
            tensor._cut = cut_of_copies("tensor", data)
        if departures and tensor._cut is None:
            tensor._cut = coming_back()
    return tensor


def as_tensor(data: Any, dtype: DType | None = None, device: Device | None = None) -> Tensor:
    """``data`` as a tensor, sharing memory where it can (tensors and NumPy arrays of the right dtype)."""
    check_device(device)
    if isinstance(data, TensorBase):
        return data.to(dtype) if dtype is not None else data
    if isinstance(data, cpu.ndarray) and (dtype is None or cpu.leafward_dtype(data.dtype) is dtype):
        return from_numpy(data)
    return noting_cuts(wrap_fresh(array_of(data, dtype)), data)


def is_buffer(obj):
    """Whether ``obj`` is memory that does not say what is in it, for :func:`asarray`."""
    if isinstance(obj, (TensorBase, cpu.ndarray, cpu.generic, list, tuple)) or hasattr(obj, "__array_interface__"):
        return False
    try:
        return memoryview(obj) is not None
    except TypeError:
        return False


def asarray(obj: Any, *, dtype: DType | None = None, device: Device | None = None, copy: bool | None = None,
            requires_grad: bool = False) -> Tensor:
    """``obj`` as a tensor; ``copy=True`` always copies, ``copy=False`` raises where it would have to."""
    check_device(device)
    if is_buffer(obj):
        result = frombuffer(obj, dtype=check_dtype("asarray", dtype) or dtypes.get_default_dtype())
        return finish(result.clone() if copy else result, requires_grad)
    if copy is False and not isinstance(obj, (TensorBase, cpu.ndarray)):
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    if isinstance(obj, TensorBase):
        result = obj.clone() if copy else obj
        if dtype is not None and dtype is not obj._dtype:
            if copy is False:
                raise ValueError(f"can't alias tensor with dtype '{obj.dtype}' into dtype '{dtype}'.")
            result = obj.to(dtype)
        if requires_grad and not wants_grad(result):
            result = result.detach().requires_grad_(True)
        return result if requires_grad else (result.detach() if wants_grad(result) and copy is None else result)
    result = tensor(obj, dtype=dtype) if copy else as_tensor(obj, dtype=dtype)
    return finish(result, requires_grad)


def scalar_tensor(s: Number, *, dtype: DType | None = None, layout: Any = None, device: Device | None = None,
                  pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """A 0-dim tensor of the default floating dtype."""
    check_device(device)
    refuse_pinned(pin_memory)
    return finish(wrap_fresh(array_of(s, dtype or dtypes.get_default_dtype())), requires_grad)


def from_numpy(ndarray: Any) -> Tensor:
    """A tensor on the memory of a NumPy array. Of a read-only array the tensor is read-only: writing raises.

    >>> import numpy as np, leafward as lw
    >>> a = np.zeros(2)
    >>> t = lw.from_numpy(a)
    >>> a[0] = 7
    >>> t
    tensor([7., 0.], dtype=torch.float64)
    """
    if not isinstance(ndarray, cpu.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    dtype = cpu.leafward_dtype(ndarray.dtype)
    for stride in ndarray.strides:
        if stride < 0:
            raise ValueError("At least one stride in the given numpy array is negative, and tensors with negative "
                             "strides are not currently supported. (You can probably work around this by making a copy "
                             "of your array  with array.copy().) ")
        if stride % ndarray.itemsize:
            raise ValueError("given numpy array strides not a multiple of the element byte size. Copy the numpy array "
                             "to reallocate the memory.")
    return on_foreign_memory(ndarray, dtype, "from_numpy")


def on_foreign_memory(array, dtype, kind):
    """A tensor on memory that others may write without telling; ``kind``: the function that it came by."""
    result = allocate_tensor(runtime.tensor)
    storage = Storage(array)
    escape(storage, kind)
    result._array, result._dtype, result._storage, result._counter = array[...], dtype, storage, storage
    if not array.flags.writeable:
        what = "buffer" if kind == "frombuffer" else "NumPy array"
        warn_once(f"The given {what} is not writable, and PyTorch does not support non-writable tensors. Here the tensor is "
                  "read-only: writing to it raises, and nothing is written. This is said once.")
        storage.frozen, result._counter = (call_site(), kind), VersionCounter()     # (not the storage: writes ask first)
    return noting_cuts(result, array)


def frombuffer(buffer: Any, *, dtype: DType, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """A 1-D tensor on the memory of a buffer."""
    if not len(memoryview(buffer).cast("B")):
        raise ValueError("both buffer length (0) and count (-1) must not be 0")
    dtype = check_dtype("frombuffer", dtype)
    array = cpu.from_buffer(buffer, dtype, count, offset)
    return finish(on_foreign_memory(array, dtype, "frombuffer"), requires_grad)


def from_file(filename: str, shared: bool = False, size: int = 0, *, dtype: DType | None = None,
              requires_grad: bool = False) -> Tensor:
    """The first ``size`` elements of a file, mapped into memory; writes reach the file only where ``shared``."""
    from leafward.tensor.storage import UntypedStorage
    dtype = check_dtype("from_file", dtype) or dtypes.get_default_dtype()
    storage = UntypedStorage.from_file(filename, shared, size * dtype.itemsize)
    return finish(wrap_fresh(cpu.empty((0,), dtype)).set_(storage, 0, (size,)), requires_grad)


def from_dlpack(ext_tensor: Any, *, device: Device | None = None, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of another library's array; with ``copy=True``, on memory of its own."""
    check_device(device)
    if isinstance(ext_tensor, TensorBase):
        made = ext_tensor.detach()
        made._counter, made._alias.kind = VersionCounter(), "from_dlpack"       # PyTorch's does not see its writes
    else:
        array = cpu.from_dlpack(ext_tensor)
        made = on_foreign_memory(array, cpu.leafward_dtype(array.dtype), "from_dlpack")
    return made.clone() if copy else made


def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule on the tensor's memory."""
    return tensor.__dlpack__()


def legacy_tensor(cls, data, dtype):
    """``Tensor(2, 3)``, ``Tensor([2, 3])``, ``LongTensor(...)``: the constructors from before ``torch.tensor``."""
    if not data:
        array = cpu.empty((0,), dtype=dtype)
    elif all(isinstance(d, int) and not isinstance(d, bool) for d in data):
        array = cpu.empty(data, dtype=dtype)
    elif len(data) != 1:
        raise TypeError(f"new(): expected sizes or one sequence of data, got {len(data)} arguments of mixed types")
    elif isinstance(data[0], TensorBase):
        if data[0]._dtype is not dtype:
            raise TypeError(f"expected {dtype.tensor_type} (got {data[0]._dtype.tensor_type})")
        return runtime.tensor._make_subclass(cls, data[0])
    elif hasattr(data[0], "untyped"):
        return runtime.tensor._make_subclass(cls, tensor_in(data[0], dtype))
    elif type(data[0]).__name__ == "Size":
        array = cpu.empty(tuple(data[0]), dtype=dtype)
    elif isinstance(data[0], (float, bool, complex)):
        raise TypeError(f"new(): data must be a sequence (got {type(data[0]).__name__})")
    else:
        array = array_of(data[0], dtype)
    result = allocate_tensor(cls)
    storage = Storage(array)
    result._array, result._dtype, result._storage, result._counter = array, dtype, storage, storage
    return result


def new(self, *data, device=None):
    """The legacy constructor, in the dtype of this tensor: ``x.new(2, 3)``, ``x.new([2, 3])``."""
    check_device(device)
    return legacy_tensor(runtime.tensor, data, self._dtype)


def new_tensor_of(self, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A copy of ``data`` in the dtype of this tensor."""
    return tensor(data, dtype=dtype or self._dtype, device=device, requires_grad=requires_grad, pin_memory=pin_memory)


class LegacyTensor(type):
    """The class of ``FloatTensor`` and its siblings: constructors of one dtype that ``isinstance`` understands."""

    def __instancecheck__(cls, value):
        return isinstance(value, TensorBase) and value._dtype is cls.dtype

    def __call__(cls, *data, device=None):
        check_device(device)
        return legacy_tensor(runtime.tensor, data, cls.dtype)


def legacy_classes():
    """``{"FloatTensor": ..., "LongTensor": ...}``."""
    found = {}
    for dtype in dtypes.by_name.values():
        if dtype not in dtypes.PACKED:
            found[dtype.tensor_type] = LegacyTensor(dtype.tensor_type, (), {"dtype": dtype, "__module__": "torch"})
    return found
