"""What tensors are asked most: shape, dtype and their kin. ``tensor/tensor.py`` makes properties and methods of these."""
import functools

from leafward.errors import NO_LEAF_WARNING, trust, warn
from leafward.core import modes
from leafward.core.bind import dispatch, function_overrides
from leafward.core.history import wants_grad
from leafward.core.mode_bits import FUNCTIONS
from leafward.core.runtime import runtime
from leafward.core.tensor import requires_grad


def asked(tensor, name):
    """What a mode answers for the property ``name`` of ``tensor``, in a tuple; None outside of modes."""
    overrides = function_overrides([tensor]) if modes.current().function_modes else None
    return None if overrides is None else (dispatch(getattr(runtime.tensor, name).__get__, (tensor,), {}, overrides),)


def asked_method(tensor, name, args):
    """The same for the method ``name``."""
    overrides = function_overrides([tensor]) if modes.current().function_modes else None
    return None if overrides is None else (dispatch(getattr(runtime.tensor, name), (tensor, *args), {}, overrides),)


def make_watched(original):
    """The method ``original``, which asks the modes first."""
    def method(self, *args, **kwargs):
        if modes.word() & FUNCTIONS and modes.current().function_modes and (
                overrides := function_overrides([self])) is not None:
            return dispatch(method, (self, *args), kwargs, overrides)
        return original(self, *args, **kwargs)
    return functools.wraps(original)(method)


def shape_of(self):
    """The sizes of its dimensions."""
    if modes.word() & FUNCTIONS and (answer := asked(self, "shape")) is not None:
        return answer[0]
    return runtime.size_of[self._array.shape]


def dtype_of(self):
    """The type of its elements."""
    if modes.word() & FUNCTIONS and (answer := asked(self, "dtype")) is not None:
        return answer[0]
    return self._dtype


def make_device_of(device):
    """``x.device``, which is the same for all: ``device``."""
    def device_of(self):
        """Where its memory is."""
        if modes.word() & FUNCTIONS and (answer := asked(self, "device")) is not None:
            return answer[0]
        return device
    return device_of


def ndim_of(self):
    """The number of dimensions."""
    if modes.word() & FUNCTIONS and (answer := asked(self, "ndim")) is not None:
        return answer[0]
    return self._array.ndim


def needs_grad(self):
    """Whether operations on it are recorded."""
    if modes.word() & FUNCTIONS and (answer := asked(self, "requires_grad")) is not None:
        return answer[0]
    return requires_grad(self)


def is_leaf(self):
    """Whether it was not made by a recorded operation."""
    if modes.word() & FUNCTIONS and (answer := asked(self, "is_leaf")) is not None:
        return answer[0]
    wants_grad(self)
    return self._node is None


def grad_fn(self):
    """The node of the operation that made it; None for a leaf."""
    if modes.word() & FUNCTIONS and (answer := asked(self, "grad_fn")) is not None:
        return answer[0]
    wants_grad(self)
    return self._node


def grad_of(self):
    """The gradient that backward accumulated; None if there was none."""
    if modes.word() & FUNCTIONS and (answer := asked(self, "grad")) is not None:
        return answer[0]
    if self._grad is None and self._node is not None and self._retained_at is None:
        told = f"\n{trust('about_no_leaf')(self)}" if runtime.checks and self._node._site is not None else ""
        warn(
            f"{NO_LEAF_WARNING} Its .grad attribute won't "
            "be populated during autograd.backward(). If you indeed want the .grad field to be populated for a "
            "non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by "
            "mistake, make sure you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for "
            "more informations." + told)
    return self._grad


def dim(self):
    """The number of dimensions."""
    if modes.word() & FUNCTIONS and (answer := asked_method(self, "dim", ())) is not None:
        return answer[0]
    return self._array.ndim


def numel(self):
    """The number of elements."""
    if modes.word() & FUNCTIONS and (answer := asked_method(self, "numel", ())) is not None:
        return answer[0]
    return self._array.size


def make_size(normalize):
    """``x.size(dim)``; ``normalize`` counts a dim from the front, or refuses it."""
    def size(self, dim=None):
        """The shape, or the size of one dimension."""
        if modes.word() & FUNCTIONS and (answer := asked_method(self, "size", () if dim is None else (dim,))) is not None:
            return answer[0]
        shape = self._array.shape
        return runtime.size_of[shape] if dim is None else shape[normalize(dim, len(shape))]
    return size


def is_floating_point(self):
    """Whether its elements are floating-point numbers."""
    if modes.word() & FUNCTIONS and (answer := asked_method(self, "is_floating_point", ())) is not None:
        return answer[0]
    return self._dtype.is_floating_point


def is_complex(self):
    """Whether its elements are complex numbers."""
    if modes.word() & FUNCTIONS and (answer := asked_method(self, "is_complex", ())) is not None:
        return answer[0]
    return self._dtype.is_complex


def element_size(self):
    """Bytes per element."""
    if modes.word() & FUNCTIONS and (answer := asked_method(self, "element_size", ())) is not None:
        return answer[0]
    return self._array.itemsize


def make_stride(strides_of, normalize):
    """``x.stride(dim)``: ``strides_of`` says those of an array, in elements; ``normalize`` counts a dim from the front."""
    def stride(self, dim=None):
        """Steps in elements, one per dimension."""
        if modes.word() & FUNCTIONS and (answer := asked_method(self, "stride", () if dim is None else (dim,))) is not None:
            return answer[0]
        strides = strides_of(self._array)
        return strides if dim is None else strides[normalize(dim, len(strides))]
    return stride


def make_data_ptr(address):
    """``x.data_ptr()``; ``address`` says where an array lies."""
    def data_ptr(self):
        """The address of the first element."""
        if modes.word() & FUNCTIONS and (answer := asked_method(self, "data_ptr", ())) is not None:
            return answer[0]
        return address(self._array) if self._array.size else 0
    return data_ptr


def make_storage_offset(offset_within):
    """``x.storage_offset()``; ``offset_within`` says where an array begins in another."""
    def storage_offset(self):
        """How many elements into its storage this tensor begins."""
        if modes.word() & FUNCTIONS and (answer := asked_method(self, "storage_offset", ())) is not None:
            return answer[0]
        owner = self._storage.owner
        return 0 if self._array is owner else offset_within(self._array, owner)
    return storage_offset


def make_is_contiguous(in_order):
    """``x.is_contiguous(memory_format)``; ``in_order`` says whether an array lies in row-major order."""
    def is_contiguous(self, memory_format=None):
        """Whether the elements lie in memory in order, without gaps."""
        if modes.word() & FUNCTIONS and (
                answer := asked_method(self, "is_contiguous", () if memory_format is None else (memory_format,))) is not None:
            return answer[0]
        if memory_format is None or memory_format.name in ("contiguous_format", "preserve_format"):
            return in_order(self._array)
        ndim = 4 if memory_format.name == "channels_last" else 5
        return self._array.ndim == ndim and in_order(self._array.transpose(0, *range(2, ndim), 1))
    return is_contiguous


def make_cast(dtype):
    """``x.float()`` and its kin: as ``dtype``."""
    def cast(self, memory_format=None):
        if memory_format is None and self._dtype is dtype and modes.word() & FUNCTIONS == 0:
            return self
        return self.to(dtype, memory_format=memory_format)
    cast.__doc__ = f"This tensor as {dtype}."
    return cast
