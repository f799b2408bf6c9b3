"""The meta device: tensors with a shape and a dtype, and without values.

Programs build a large model there (``with torch.device("meta"):``) and give its parameters their values later. Whatever makes a
tensor in the block gives one of these; what is computed from them has the shape and dtype that it would have, which is found by
computing with zeros.
"""
from leafward import dtypes
from leafward.core import modes
from leafward.core.from_array import new_tensor
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.devices import as_device, device
from leafward.tensor.function_modes import TorchFunctionMode
from leafward.tensor.tensor import Tensor

META = device("meta")
#: What changes the tensor and not its values.
OF_THE_TENSOR = frozenset({"requires_grad_", "detach_", "retain_grad", "register_hook", "backward", "is_floating_point",
                           "is_complex", "size", "dim", "numel", "__len__"})


class MetaTensor(Tensor):
    """A tensor on the meta device: ask it for its shape and dtype."""

    is_meta = property(lambda self: True)
    device = property(lambda self: META)

    def stride(self, dim=None):
        """The steps of a contiguous tensor of this shape."""
        steps = [1]
        for size in reversed(self.shape[1:]):
            steps.insert(0, steps[0] * max(size, 1))
        steps = tuple(steps[:self.dim()])
        return steps if dim is None else steps[dim]

    def is_contiguous(self, memory_format=dtypes.contiguous_format):
        """True."""
        return memory_format is dtypes.contiguous_format

    def data_ptr(self):
        """0: there is no memory."""
        return 0

    def item(self):
        """Refused: there is no value."""
        raise RuntimeError("Tensor.item() cannot be called on meta tensors")

    __bool__ = __int__ = __float__ = __complex__ = __index__ = item

    def tolist(self):
        """Refused: there are no values."""
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")

    def numpy(self, *, force=False):
        """Refused: there are no values."""
        raise TypeError("can't convert meta device type tensor to numpy: it has no values")

    def __array__(self, dtype=None, copy=None):
        return self.numpy()

    def untyped_storage(self):
        """Refused: there is no memory."""
        raise NotImplementedError("Cannot access the storage of a meta tensor: it has no memory")

    def to(self, *args, **kwargs):
        """As another dtype; on another device there would have to be values."""
        where = target(args, kwargs)
        if where is not None and where != META:
            raise NotImplementedError(
                "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of "
                "torch.nn.Module.to() when moving module from meta to a different device.")
        others = [value for value in args if not isinstance(value, (str, device))]
        return MetaTensor.__torch_function__(Tensor.to, (), (self, *others), {**kwargs, "device": None})

    def cpu(self, memory_format=None):
        """Refused: there is no data."""
        return self.to("cpu")

    def __repr__(self):
        grad = ", requires_grad=True" if self.requires_grad else ""
        dtype = "" if self.dtype is dtypes.get_default_dtype() else f", dtype={self.dtype}"
        text = f"tensor(..., device='meta', size={tuple(self.shape)}{dtype}{grad})"
        return "Parameter containing:\n" + text if getattr(self, "_is_param", False) else text

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = on_meta(self, self.requires_grad)
            memo[id(self)].__dict__.update(self.__dict__)
        return memo[id(self)]

    def __reduce_ex__(self, protocol):
        return made, (tuple(self.shape), self.dtype, self.requires_grad, getattr(self, "_is_param", False))

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "")
        kwargs = dict(kwargs or {})
        if name in OF_THE_TENSOR:
            return plainly(func, args, kwargs)
        if name.endswith("_") and not name.startswith("_") and isinstance(args[0], MetaTensor):
            return args[0]                                  # it writes values
        where = kwargs.pop("device", None)
        with modes.recording(False):
            result = plainly(func, stand_ins(args), stand_ins(kwargs))
        if where is not None and as_device(where) != META:
            return result                                   # empty_like(x, device="cpu")
        recording = modes.grad_enabled() and any(t.requires_grad for t in tensors(args))
        return wrapped(result, recording and name != "detach" or bool(kwargs.get("requires_grad")))


class MetaMode(TorchFunctionMode):
    """In the block, what makes tensors makes them on the meta device, unless it names another."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        result = func(*args, **kwargs)
        if kwargs.get("device") is not None or next(tensors([args, list(kwargs.values())]), None) is not None:
            return result
        return wrapped(result, None)


def target(args, kwargs):
    """The device that a call of ``to`` names, or None."""
    where = kwargs.get("device")
    for value in args:
        if isinstance(value, (str, device)):
            where = value
        elif isinstance(value, Tensor):
            where = value.device
    return None if where is None else as_device(where)


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


def tensors(values):
    """Every tensor in nested arguments."""
    for value in values:
        if isinstance(value, TensorBase):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors(value)


def stand_ins(values):
    """The arguments with plain tensors of zeros for those of the meta device."""
    if isinstance(values, MetaTensor):
        return new_tensor(values._array, values._dtype)
    if isinstance(values, dict):
        return {name: stand_ins(value) for name, value in values.items()}
    if type(values) in (list, tuple):
        return type(values)(map(stand_ins, values))
    return values


def on_meta(tensor, requires_grad=None):
    """A tensor on the meta device with the shape and dtype of ``tensor``."""
    return made(tuple(tensor._array.shape), tensor._dtype, tensor.requires_grad if requires_grad is None else requires_grad)


def made(shape, dtype, requires_grad=False, is_param=False):
    """A tensor on the meta device. All its elements are one zero."""
    xp = runtime.xp
    zeros = xp.broadcast_to(xp.zeros((), dtype=xp.numpy_dtype(dtype)), shape)
    tensor = Tensor._make_subclass(MetaTensor, new_tensor(zeros, dtype), requires_grad)
    if is_param:
        tensor._is_param = True
    return tensor


def wrapped(result, requires_grad):
    """A result with its tensors on the meta device."""
    if isinstance(result, TensorBase):
        can = result._dtype.is_floating_point or result._dtype.is_complex
        return on_meta(result, requires_grad if can else False)
    if isinstance(result, (list, tuple)):
        parts = [wrapped(part, requires_grad) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result
