"""Tensors and the memory under them: strides, storages, NumPy, DLPack, copies and pickles."""
from leafward import dtypes
from leafward.arrays import layout
from leafward.core import fields, modes
from leafward.errors import trust, warn_once
from leafward.core.bind import dispatch, function_overrides
from leafward.core.cuts import cut_at, leave
from leafward.core.former import keep_former
from leafward.core.history import record_not_implemented, wants_grad
from leafward.core.inplace import refuse, refuse_inference, resize
from leafward.core.from_array import alias_of, link_alias, tensor_from_array
from leafward.core.native import call_site
from leafward.core.runtime import runtime
from leafward.core.seals import escape
from leafward.core.storage import Storage, record_write
from leafward.core.views import chain_by_geometry, refuse_overlap
from leafward.core.tensor import TensorBase, array_of
from leafward.ops import dims
from leafward.ops.creation import spread_shape
from leafward.tensor.storage import DEPRECATED, LEGACY, TypedStorage, UntypedStorage, legacy_name


class Memory:
    """The part of ``Tensor`` that looks at bytes rather than at values."""

    __slots__ = ()

    stride, element_size = fields.make_stride(layout.element_strides, dims.normalize), fields.element_size
    data_ptr, is_contiguous = fields.make_data_ptr(layout.address), fields.make_is_contiguous(layout.in_order)
    storage_offset = fields.make_storage_offset(layout.offset_within)
    itemsize = property(lambda self: self._array.itemsize)
    nbytes = property(lambda self: self._array.nbytes)

    def untyped_storage(self):
        """The bytes under this tensor, shared with all its views."""
        return UntypedStorage.of(self)

    def storage(self):
        """The elements under this tensor, shared with all its views. Deprecated: use :meth:`untyped_storage`."""
        warn_once(DEPRECATED)
        return self._typed_storage()

    def _typed_storage(self):
        return TypedStorage(wrap_storage=self.untyped_storage(), dtype=self._dtype, _internal=True)

    def storage_type(self):
        """The class that stands for storages of this dtype."""
        return LEGACY[legacy_name(self._dtype)]

    def share_memory_(self):
        """Move the memory to where processes share it; tensors that saw it see it there."""
        from leafward.tensor.shared_memory import move
        move(self)
        return self

    def is_shared(self):
        """Whether other processes can see the memory."""
        from leafward.tensor.shared_memory import is_shared
        return is_shared(self)

    def pin_memory(self, device=None):
        return self

    def is_pinned(self, device=None):
        return False

    def is_same_size(self, other):
        """Whether both have the same shape."""
        return self._array.shape == other._array.shape

    def is_set_to(self, tensor):
        """Whether both look at the same elements in the same way, neither of them at conjugates or negatives."""
        return (self._storage is tensor._storage and self._array.shape == tensor._array.shape
                and self.stride() == tensor.stride() and self.data_ptr() == tensor.data_ptr()
                and type(self._array) is type(tensor._array) is runtime.ndarray)

    def set_(self, source=None, storage_offset=0, size=None, stride=None):
        """Make this tensor look at ``source``'s memory."""
        tensor = source if isinstance(source, TensorBase) else tensor_in(source, self._dtype)
        if tensor is None and source is not None:
            raise TypeError(f"set_() received an invalid combination of arguments - got ({type(source).__name__}), but "
                            "expected a Tensor or a Storage, and after it storage_offset, size and stride")
        inputs = [self] if tensor is not source or source is None else [self, source]
        recorded = any(map(wants_grad, inputs))
        refuse(self, recorded, "set_", uniform=True)
        if tensor is None:
            array = runtime.xp.empty((0,), dtype=self._dtype)
            storage = Storage(array)
        else:
            array = tensor._array if tensor is source and size is None else window(tensor, storage_offset, size, stride)
            storage = tensor._storage
            if tensor._dtype is not self._dtype:
                raise RuntimeError(f"Could not set tensor of type {dtypes.cpp_name(tensor._dtype)} to a tensor of type "
                                   f"{dtypes.cpp_name(self._dtype)}")
            self._alias = link_alias("set_", tensor._alias)
        keep_former(self, ended=True)
        self._array, self._storage = runtime.xp.seen_as(array, self._array), storage
        self._counter.version += 1
        if self._base is None:
            self._relocate = chain_by_geometry
        if recorded and modes.grad_enabled():
            record_not_implemented("set_", self, inputs)
        return self

    def resize_(self, *sizes, size=None, memory_format=None):
        """Change the shape in place; new elements are uninitialised."""
        shape = spread_shape("resize_", sizes, size)
        if not modes.in_inference():
            if wants_grad(self):
                raise RuntimeError("cannot resize variables that require grad")
            if self._tangents is not None:
                raise RuntimeError("cannot resize variables that has a forward grad")
        refuse_inference(self)
        strides = strides_in(shape, memory_format)
        if shape != self._array.shape or (strides is not None and strides != self.stride()):
            resize(self, shape)
            if strides is not None:                         # the same elements of memory, in another order
                self._array = runtime.xp.strided(self._array, shape, strides)
            record_write(self, "resize_")
        return self

    def resize_as_(self, the_template, memory_format=None):
        """Change the shape to that of ``the_template``."""
        if not isinstance(the_template, TensorBase):
            raise TypeError("resize_as_(): argument 'the_template' (position 1) must be Tensor, not "
                            f"{type(the_template).__name__}")
        if memory_format is dtypes.preserve_format:
            memory_format = the_template._suggested_format()
        return self.resize_(the_template.shape, memory_format=memory_format)

    def freeze_(self, frozen=True):
        """Make this tensor, and every other one on its memory, read-only: see :func:`leafward.freeze_`.

        frozen: False: writes are allowed again
        """
        return trust("freeze_")(self, frozen)

    # -- NumPy and others ------------------------------------------------------------------------------------

    def numpy(self, *, force=False):
        """A NumPy array on the same memory. NumPy has no bfloat16: convert with ``.float()`` first."""
        if self._dtype is dtypes.bfloat16:
            raise TypeError("Got unsupported ScalarType BFloat16. NumPy has no such dtype: use .float().numpy()")
        if wants_grad(self) and not force and modes.grad_enabled():
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        for there, bit, resolve in ((self.is_conj(), "conjugate", "conj"), (self.is_neg(), "negative", "neg")):
            if there and not force:
                raise RuntimeError(f"Can't call numpy() on Tensor that has {bit} bit set. "
                                   f"Use tensor.resolve_{resolve}().numpy() instead.")
        array = runtime.xp.exported(array_of(self))
        escape(self._storage, "numpy", array)
        if runtime.strict:
            trust("protect")(self, array)
        if runtime.checks and (self._cut is not None or force):
            leave("numpy", self)
        return array

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError("Unable to avoid copy while creating an array as requested.")
            return array.astype(dtype)
        return array.copy() if copy else array

    __array_priority__ = 1000           # what NumPy computes with a tensor is given to `__array_wrap__`

    def __array_wrap__(self, array, context=None, return_scalar=False):
        """What ``np.exp(self)`` and ``self + array`` give: a tensor. Of bools it is one of uint8, as in PyTorch."""
        array = runtime.asarray(array)
        return tensor_from_array(array.astype("uint8") if array.dtype == bool else array)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """Export the memory to another library."""
        if wants_grad(self):
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if self.is_conj():
            raise BufferError("Can't export tensors with the conjugate bit set")
        array = self._array.copy() if copy else runtime.xp.exported(array_of(self))
        if not copy:
            escape(self._storage, "dlpack", array)
            if runtime.strict and max_version:              # who asks with no version cannot be told that it is read-only
                trust("protect")(self, array)
        return array.__dlpack__(max_version=max_version) if max_version else array.__dlpack__()

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()

    def __array_namespace__(self, /, *, api_version=None):
        """The namespace of the Python array API standard that this tensor's functions are in."""
        array_api = runtime.array_api()
        if api_version not in (None, *array_api.VERSIONS):
            raise ValueError(f"the array API of version {api_version!r} is not supported: {array_api.VERSIONS[-1]} is the "
                             "latest here")
        return array_api

    def to_device(self, device, /, *, stream=None):
        """The standard's name for ``to(device)``."""
        if stream is not None:
            raise ValueError("stream must be None: the CPU has no streams")
        return self.to(device)

    def apply_(self, callable):
        """Replace each element by ``callable(element)``: slow, one Python call each."""
        return overwrite(self, "apply_", callable, ())

    def map_(self, other, callable):
        """Replace each element by ``callable(element, its partner in other)``: slow, one Python call each."""
        return overwrite(self, "map_", callable, (other,))

    def map2_(self, x, y, callable):
        """Replace each element by ``callable(element, its partner in x, its partner in y)``: slow, one Python call each."""
        return overwrite(self, "map2_", callable, (x, y))

    def dim_order(self, *, ambiguity_check=False):
        """The dims from the outermost in memory to the innermost: ``(0, 2, 3, 1)`` of images in ``channels_last``.

        ``ambiguity_check=True`` raises where dims of size 1, or strides of 0, leave more than one order.
        """
        strides = self.stride()
        order = tuple(sorted(range(len(strides)), key=lambda dim: -strides[dim]))
        if ambiguity_check and (0 in strides or 1 in self.shape):
            raise RuntimeError("The tensor does not have unique dim order, or cannot map to exact one of the given memory "
                               "formats.")
        return order

    # -- copies and pickles ----------------------------------------------------------------------------------

    def __deepcopy__(self, memo):
        if (overrides := function_overrides([self])) is not None and type(self).__deepcopy__ is runtime.tensor.__deepcopy__:
            return dispatch(runtime.tensor.__deepcopy__, (self, memo), {}, overrides)
        if id(self) in memo:
            return memo[id(self)]
        if wants_grad(self) and self._node is not None:
            raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
                               "at the moment.  If you were attempting to deepcopy a module, this may be because of a "
                               "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001")
        storage = memo.get(id(self._storage))
        if storage is None:
            storage = Storage(self._storage.owner.copy())
            memo[id(self._storage)] = storage
        copied = TensorBase.__new__(type(self))
        copied._array = runtime.xp.strided(storage.owner.reshape(-1), self._array.shape, self.stride(),
                                           self.storage_offset()) if is_plain_owner(self) else self._array.copy()
        copied._dtype, copied._storage, copied._counter = self._dtype, storage, storage
        if not is_plain_owner(self):
            storage.owner = copied._array
        copied._requires_grad = self._requires_grad
        if self._requires_grad and runtime.checks:
            copied._cut = cut_at("deepcopy", call_site(), self)
        memo[id(self)] = copied
        if self._grad is not None:
            copied._grad = self._grad.__deepcopy__(memo)
        if attributes := attributes_of(self):
            from copy import deepcopy
            copied.__dict__.update(deepcopy(attributes, memo))
        return copied

    def __copy__(self):
        copied = alias_of(self, self._array, "copy")
        copied._requires_grad = wants_grad(self)
        copied.__dict__.update(attributes_of(self))
        return copied

    def __reduce_ex__(self, protocol):
        return rebuild, (type(self), self._array, self._dtype, wants_grad(self), attributes_of(self))


def tensor_in(source, dtype):
    """All of a storage as a tensor of ``dtype``; None if ``source`` is no storage."""
    if source is None or not hasattr(source, "untyped"):
        return None
    untyped = source.untyped()
    if source is not untyped and source.dtype is not dtype:
        raise RuntimeError(f"Expected a Storage of type {dtypes.cpp_name(dtype)} or an UntypedStorage, but got type "
                           f"{dtypes.scalar_name(source.dtype)} for argument 1 'storage'")
    flat = untyped.flat()
    tensor = alias_of(untyped.tensor, flat[:flat.size // dtype.itemsize * dtype.itemsize].view(runtime.xp.numpy_dtype(dtype)),
                      "storage")
    tensor._dtype = dtype
    return tensor


def attributes_of(tensor):
    """The attributes that the user set on ``tensor``. Uncompiled, its own fields stand among them."""
    return {name: value for name, value in tensor.__dict__.items() if not hasattr(TensorBase, name)}


def is_plain_owner(tensor):
    """Whether the storage's owner is a contiguous array of the tensor's dtype, so that offsets in it make sense."""
    owner = tensor._storage.owner
    return owner.dtype == tensor._array.dtype and owner.flags.c_contiguous and type(tensor._array) is runtime.ndarray


def strides_in(shape, memory_format):
    """The strides of ``shape`` with the channels innermost; None for row-major order."""
    if memory_format is None or memory_format is dtypes.contiguous_format:
        return None
    if memory_format is dtypes.preserve_format:
        raise RuntimeError("Unsupported memory format Preserve")
    order = runtime.xp.creation.order_of(memory_format.name, len(shape))
    steps = dict(zip(order, dims.contiguous_strides([shape[dim] for dim in order]), strict=True))
    return tuple([steps[dim] for dim in range(len(shape))])


def window(tensor, offset, size, stride):
    """The array of ``size`` (None: all) and ``stride`` that begins ``offset`` elements into the storage of ``tensor``."""
    room = tensor.untyped_storage().nbytes()
    if size is None:
        size = (room // tensor._array.itemsize - offset,)
    size = dims.as_sizes(size)
    stride = dims.contiguous_strides(size) if stride is None else dims.as_sizes(stride)
    dims.refuse_outside(size, stride, offset, tensor._array.itemsize, room)
    return runtime.xp.strided(tensor._array, size, stride, offset - tensor.storage_offset())


def rebuild(cls, array, dtype, requires_grad, attributes):
    """What unpickling a tensor runs."""
    tensor = TensorBase.__new__(cls)
    storage = Storage(runtime.xp.memory_of(array))
    tensor._array, tensor._dtype, tensor._storage, tensor._counter = array, dtype, storage, storage
    tensor._requires_grad = requires_grad
    tensor.__dict__.update(attributes)
    return tensor


def overwrite(tensor, name, function, others):
    """Write ``function(element, its partners in others ...)`` into each element of ``tensor``."""
    for each in (tensor, *others):
        if not isinstance(each, TensorBase):
            raise TypeError(f"{name}(): argument 'other' (position 1) must be Tensor, not {type(each).__name__}")
        if wants_grad(each):
            raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
        if each._dtype is not tensor._dtype:
            raise TypeError(f"{name}: expected torch.{tensor._dtype.tensor_type} for 'other' (got "
                            f"torch.{each._dtype.tensor_type})")
    refuse_inference(tensor)
    refuse_overlap(tensor._array)
    columns = [each.expand(tensor.shape)._array.reshape(-1).tolist() for each in (tensor, *others)]
    values = [function(*row) for row in zip(*columns, strict=True)]
    tensor._array[...] = runtime.xp.asarray(values, dtype=tensor._dtype).reshape(tensor._array.shape)
    record_write(tensor, name)
    return tensor
