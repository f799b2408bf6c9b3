"""Tensors of dtypes that have memory and casts and no arithmetic of their own: the floats of a byte, and ``complex32``.

What is computed with them is computed in float32 or complex64, which hold their numbers exactly, and rounded once.
"""
from leafward import dtypes
from leafward.core import modes
from leafward.core.from_array import tensors_of
from leafward.core.op import Composite, Op
from leafward.core.storage import record_write
from leafward.core.tensor import TensorBase
from leafward.derive.functions import declarations, fns
from leafward.derive.creation import of_tensors
from leafward.tensor import printing
from leafward.tensor.tensor import Tensor, convert_class


class PackedTensor(Tensor):
    """A tensor of a float8 dtype or of complex32.

    >>> import leafward as lw
    >>> x = lw.tensor([0.3, 500.0]).to(lw.float8_e4m3fn)
    >>> x, x.nbytes, (x * 2).float()
    (tensor([3.1250e-01, 4.4800e+02], dtype=torch.float8_e4m3fn), 2, tensor([  0.6250, 448.0000]))
    """

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        declared = declarations.get(func)
        if isinstance(declared, Composite):
            return declared.function(fns, *args, **kwargs)
        name = getattr(func, "__name__", "")
        if func in of_tensors:
            return func(*wide(args), **{**kwargs, "dtype": kwargs.get("dtype") or args[0]._dtype})
        if name.endswith("_") and not name.endswith("__") and name not in OF_THE_TENSOR or name == "__setitem__":
            return written(func, args, kwargs)
        if isinstance(declared, Op) and declared.alias is None:
            return computed(declared, func, args, kwargs)
        return packed(plainly(func, args, kwargs))

    def to(self, *args, **kwargs):
        """The same numbers as another dtype."""
        return packed(plainly(Tensor.to, (self, *args), kwargs))

    def conj(self):
        """The conjugates, computed."""
        return self.cfloat().conj_physical().to(self._dtype) if self._dtype.is_complex else self

    def item(self):
        """The only element, as a Python number."""
        return unpacked(self).item()

    __bool__ = lambda self: bool(unpacked(self))
    __int__ = lambda self: int(unpacked(self))
    __float__ = lambda self: float(unpacked(self))
    __complex__ = lambda self: complex(unpacked(self))

    def tolist(self):
        """The elements as Python numbers, in nested lists."""
        return unpacked(self).tolist()

    def numpy(self, *, force=False):
        """Refused, as in PyTorch: ``x.float().numpy()``, or ``x.view(torch.uint8).numpy()`` for the bytes."""
        raise TypeError(f"Got unsupported ScalarType {dtypes.scalar_name(self._dtype)}")

    def __array__(self, dtype=None, copy=None):
        return self.numpy()

    def __repr__(self, *, tensor_contents=None):
        node = printing.shown_node(self)
        text = printing.tensor_repr(unpacked(self)._array, self._dtype, requires_grad=node is None and self.requires_grad,
                                    grad_fn_name=node)
        return "Parameter containing:\n" + text if getattr(self, "_is_param", False) else text


#: What changes the tensor and not its values.
OF_THE_TENSOR = frozenset({"requires_grad_", "detach_"})


def plainly(func, args, kwargs):
    """Call ``func`` as if no class overrode it."""
    state = modes.current()
    was, state.function_disabled = state.function_disabled, True
    state.changed()
    try:
        return func(*args, **kwargs)
    finally:
        state.function_disabled = was
        state.changed()


def packed(result):
    """A result with its tensors of packed dtypes in their class."""
    if isinstance(result, TensorBase):
        return convert_class(result, PackedTensor) if result._dtype in dtypes.PACKED else result
    if isinstance(result, (list, tuple)):
        parts = [packed(part) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def unpacked(tensor):
    """The same numbers in a dtype that is computed in, without a history."""
    with modes.recording(False):
        return tensor.to(dtypes.widened(tensor._dtype))


def wide(values):
    """Arguments with the packed tensors among them in the dtype that is computed in, recorded."""
    if isinstance(values, PackedTensor):
        return values.to(dtypes.widened(values._dtype))
    if isinstance(values, dict):
        return {name: wide(value) for name, value in values.items()}
    if type(values) in (list, tuple):
        return type(values)(map(wide, values))
    return values


def tensors(values):
    """Every tensor in nested arguments."""
    for value in values:
        if isinstance(value, TensorBase):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors(value)


def computed(declared, func, args, kwargs):
    """What an op makes of them: computed in a wider dtype, and rounded where that is the dtype of the result."""
    given = [t._dtype for t in tensors([*args, *kwargs.values()])]
    common = next(dtype for dtype in given if dtype in dtypes.PACKED)
    if declared.dtype is not None:
        for dtype in given:
            if dtype is not dtypes.bool:                    # a mask
                common = dtypes.promote_types(common, dtype)
    result = func(*wide(args), **wide(kwargs))
    return narrowed(result, common) if kwargs.get("dtype") is None and name_of_dtype(args) is None else result


def name_of_dtype(args):
    """A dtype among positional arguments."""
    return next((value for value in args if isinstance(value, dtypes.dtype)), None)


def narrowed(result, dtype):
    """A result in float32 or complex64 as ``dtype``, if that is packed; of complex32 the real results are float16."""
    if isinstance(result, TensorBase):
        if dtype in dtypes.PACKED and result._dtype is dtypes.widened(dtype):
            return result.to(dtype)
        return result.half() if dtype is dtypes.complex32 and result._dtype is dtypes.float32 else result
    if isinstance(result, (list, tuple)):
        parts = [narrowed(part, dtype) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def written(func, args, kwargs):
    """A write into a packed tensor, by way of a wide copy; into another tensor, of what is packed beside it."""
    target = args[0]
    if not isinstance(target, PackedTensor):
        return func(*wide(args), **wide(kwargs))
    if modes.grad_enabled() and any(t.requires_grad for t in tensors([*args, *kwargs.values()])):
        raise NotImplementedError(f"writes into tensors of {target._dtype} are not recorded: write into "
                                  f"x.to({dtypes.widened(target._dtype)}) instead")
    copied = unpacked(target)
    func(copied, *wide(args[1:]), **wide(kwargs))
    if copied.shape != target.shape:
        raise NotImplementedError(f"tensors of {target._dtype} keep their shape: make another one")
    target._array[...] = copied.to(target._dtype)._array
    record_write(target, getattr(func, "__name__", "write"))
    return target


tensors_of.update(dict.fromkeys(dtypes.PACKED, packed))
