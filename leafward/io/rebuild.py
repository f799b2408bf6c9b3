"""Tensors from storages, as PyTorch's files have them: ``_rebuild_tensor_v2(storage, offset, size, stride, ...)``."""
from math import prod

from leafward import dtypes
from leafward.arrays import cpu
from leafward.core.from_array import tensors_of
from leafward.core.storage import Storage
from leafward.core.tensor import TensorBase, allocate_tensor
from leafward.nn.parameter import Parameter
from leafward.sparse import tensor as sparse
from leafward.tensor.storage import TypedStorage, UntypedStorage
from leafward.tensor.tensor import Tensor

from leafward.io.names import rebuilds


def storage_of(array):
    """A storage that owns the 1-D ``array``."""
    storage = Storage(array)
    tensor = allocate_tensor(Tensor)
    tensor._array, tensor._dtype, tensor._storage, tensor._counter = array, cpu.dtype_of(array), storage, storage
    made = UntypedStorage.of(tensor)
    made.own = True
    return made


def as_typed(storage, dtype):
    """What a file's reference to a storage gives: elements of ``dtype``, bytes if the file names none."""
    return TypedStorage(wrap_storage=storage, dtype=dtype or dtypes.uint8, _internal=True)


def typed(storage, dtype):
    """The owner of ``storage`` as an array of ``dtype``; an untyped one has this type from now on."""
    owner = storage.inner.owner
    if storage.tensor._dtype is dtype:
        return owner
    if owner.itemsize != 1 or owner.size % dtype.itemsize:
        raise RuntimeError(f"a storage of {owner.size} elements of {storage.tensor._dtype} has no elements of {dtype}")
    return owner.view(cpu.numpy_dtype(dtype))


def check_geometry(owner, offset, size, stride):
    """Refuse a tensor that reaches outside its storage: the file may be damaged, or made to read other memory."""
    numbers = (offset, *size, *stride)
    if any(type(n) is not int for n in numbers) or len(size) != len(stride):
        raise RuntimeError(f"a tensor has whole sizes and as many strides, not {size!r} and {stride!r} at {offset!r}")
    if min(numbers) < 0:
        raise RuntimeError(f"a tensor has no negative sizes or strides: {list(size)}, {list(stride)} at {offset}")
    needed = offset + cpu.spans(size, stride) if prod(size) else 0
    if needed > owner.size:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
            f"{owner.itemsize} requiring a storage size of {needed * owner.itemsize} are out of bounds for storage of "
            f"size {owner.nbytes}")


def tensor_on(storage, dtype, offset, size, stride):
    """A tensor on ``storage``'s memory; offset and strides count elements of ``dtype``."""
    storage = storage.untyped()
    owner = typed(storage, dtype)
    size, stride = tuple(size), tuple(stride)
    check_geometry(owner, offset, size, stride)
    tensor = allocate_tensor(Tensor)
    tensor._array = cpu.strided(owner, size, stride, min(offset, owner.size))
    tensor._dtype, tensor._storage, tensor._counter = dtype, storage.inner, storage.inner
    return tensor


def finished(tensor, requires_grad, metadata=None):
    for bit, view in (("conj", cpu.conj_view), ("neg", cpu.neg_view)):
        if metadata and metadata.get(bit):
            tensor._array = view(tensor._array)
    return tensor.requires_grad_(True) if requires_grad else tensor


@rebuilds("torch._utils", "_rebuild_tensor")
def rebuild_tensor(storage, storage_offset, size, stride):
    return tensor_on(storage, storage.untyped().tensor._dtype, storage_offset, size, stride)


@rebuilds("torch._utils", "_rebuild_tensor_v2")
def rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None):
    return finished(rebuild_tensor(storage, storage_offset, size, stride), requires_grad, metadata)


@rebuilds("torch._utils", "_rebuild_tensor_v3")
def rebuild_tensor_v3(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None):
    dtypes.check_dtype(dtype)
    tensor = tensor_on(storage, dtype, storage_offset, size, stride)
    return finished(tensors_of[dtype](tensor) if dtype in dtypes.PACKED else tensor, requires_grad, metadata)


@rebuilds("torch._utils", "_rebuild_parameter")
def rebuild_parameter(data, requires_grad, backward_hooks):
    return Parameter(data, requires_grad)


@rebuilds("torch._utils", "_rebuild_parameter_with_state")
def rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    return with_state(Parameter(data, requires_grad), state)


@rebuilds("torch._tensor", "_rebuild_from_type_v2")
def rebuild_from_type_v2(function, cls, args, state):
    # A file names the function: without this check it could have any allowed class called with any arguments.
    if function not in TENSOR_REBUILDERS or not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise TypeError(f"a file builds tensors with _rebuild_tensor_v2, not {cls!r} with {function!r}")
    tensor = function(*args)
    if type(tensor) is not cls:
        requires_grad = tensor.requires_grad
        tensor = Tensor._make_subclass(cls, tensor, requires_grad)
    if (set_state := getattr(cls, "__setstate__", None)) is not getattr(Tensor, "__setstate__", None):
        set_state(tensor, state)                 # the subclass's own: Cython gives TensorBase one for its fields
        return tensor
    return with_state(tensor, state)


TENSOR_REBUILDERS = (rebuild_tensor, rebuild_tensor_v2, rebuild_tensor_v3)


@rebuilds("torch._utils", "_rebuild_sparse_tensor")
def rebuild_sparse_tensor(layout, data):
    return sparse.rebuild(layout, data)


def with_state(tensor, state):
    """``state`` is what the user had set on the tensor: a dict, or a dict and a dict of slots."""
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    for name, value in {**(attributes or {}), **(slots or {})}.items():
        # Into __dict__, where no property runs; and a file has no business with the fields that hold memory.
        if not isinstance(name, str) or hasattr(TensorBase, name):
            raise TypeError(f"a file cannot set {name!r} of a tensor")
        tensor.__dict__[name] = value
    return tensor


#: What ``str`` of a layout gives -> the layout.
LAYOUTS = {str(value): value for value in vars(dtypes).values() if isinstance(value, dtypes.layout)}


@rebuilds("torch.serialization", "_get_layout")
def get_layout(name):
    return LAYOUTS[name]
