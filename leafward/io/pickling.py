"""Pickles with tensors beside them: the pickle says ``storage 3``, and the bytes of storage 3 stand elsewhere."""
import pickle
from types import FunctionType

from leafward import dtypes
from leafward.core.tensor import TensorBase
from leafward.devices import cpu
from leafward.nn.parameter import Parameter, UninitializedTensorMixin
from leafward.sparse.tensor import SparseTensor
from leafward.tensor.packed import PackedTensor
from leafward.tensor.random import Generator
from leafward.tensor.storage import TypedStorage, UntypedStorage
from leafward.tensor.tensor import Tensor

from leafward.io import rebuild
from leafward.io.damage import said
from leafward.io.names import STORAGE_TYPES, UNTYPED, find, no_hooks, stored_name


class StorageRef:
    """A storage as a tensor refers to it: as elements of ``dtype``, or as bytes where ``dtype`` is None."""

    __slots__ = ("dtype", "storage")

    def __init__(self, storage, dtype):
        self.storage, self.dtype = storage, dtype


class Pickler(pickle._Pickler):
    """Stores leafward's objects under PyTorch's names, and collects the storages of tensors instead of their values."""

    # Python's own pickler in C looks every name up in its module before it writes it, and torch is not there.

    def __init__(self, file, protocol):
        super().__init__(file, protocol)
        self.storages = []                      # UntypedStorage, in the order of their keys
        self.keys = {}                          # by id of the Storage
        self.element_types = {}                 # by address

    def persistent_id(self, obj):
        if isinstance(obj, UntypedStorage):
            obj = StorageRef(obj, None)
        elif isinstance(obj, TypedStorage):
            obj = StorageRef(obj.untyped(), obj.dtype)
        elif type(obj) is not StorageRef:
            return None
        storage, dtype = obj.storage, obj.dtype
        nbytes = storage.nbytes()
        element_type = dtype or dtypes.uint8
        if nbytes and element_type is not self.element_types.setdefault(storage.data_ptr(), element_type):
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        key = self.keys.get(id(storage.inner))
        if key is None:
            key = self.keys[id(storage.inner)] = str(len(self.storages))
            self.storages.append(storage)
        kind, count = (UNTYPED, nbytes) if dtype is None else (STORAGE_TYPES[dtype], nbytes // dtype.itemsize)
        return "storage", kind, key, "cpu", count

    def reducer_override(self, obj):
        if isinstance(obj, TensorBase):
            return reduce_tensor(obj)
        if isinstance(obj, Generator):
            return Generator, (cpu,), (obj.initial_seed(), None, obj.get_state())
        if isinstance(obj, dtypes.layout):
            return rebuild.get_layout, (str(obj),)
        if type(obj) is FunctionType:
            return obj.__qualname__             # to save_global below, which Python's dispatch by type passes over
        return NotImplemented

    def save_global(self, obj, name=None):
        stored = stored_name(obj, name or getattr(obj, "__qualname__", None))
        if stored is None:
            return super().save_global(obj, name)
        module, name = stored
        if self.proto >= 4:
            self.save(module)
            self.save(name)
            self.write(pickle.STACK_GLOBAL)
        else:
            self.write(pickle.GLOBAL + f"{module}\n{name}\n".encode())
        self.memoize(obj)


def reduce_tensor(tensor):
    """``(function, arguments)`` that make the tensor again."""
    if isinstance(tensor, UninitializedTensorMixin):
        return type(tensor), (tensor.requires_grad,)
    state = {k: v for k, v in tensor.__dict__.items() if not hasattr(TensorBase, k) and k != "_relocate"}
    if type(tensor) is Parameter:
        data = tensor.detach(), tensor.requires_grad, no_hooks()
        return (rebuild.rebuild_parameter_with_state, (*data, state)) if state else (rebuild.rebuild_parameter, data)
    if type(tensor) is SparseTensor:
        return rebuild.rebuild_sparse_tensor, tensor.__reduce_ex__(2)[1][:2]
    if (own := type(tensor).__reduce_ex__) is not Tensor.__reduce_ex__ and own is not Parameter.__reduce_ex__:
        return tensor.__reduce_ex__(2)
    dtype = tensor._dtype
    where = tensor.storage_offset(), tuple(tensor._array.shape), tensor.stride(), tensor.requires_grad, no_hooks()
    bits = [name for name, there in (("conj", tensor.is_conj()), ("neg", tensor.is_neg())) if there]
    metadata = [dict.fromkeys(bits, True)] if bits else []
    if dtype in STORAGE_TYPES:
        function, args = rebuild.rebuild_tensor_v2, (StorageRef(tensor.untyped_storage(), dtype), *where, *metadata)
    else:
        function, args = rebuild.rebuild_tensor_v3, (StorageRef(tensor.untyped_storage(), None), *where, dtype, *metadata)
    if type(tensor) in (Tensor, PackedTensor) and not state:
        return function, args
    if (get_state := getattr(type(tensor), "__getstate__", None)) is not getattr(Tensor, "__getstate__", None):
        state = get_state(tensor)
    return rebuild.rebuild_from_type_v2, (function, type(tensor), args, state)


def unpickler_of(pickle_module):
    """``pickle_module``'s Unpickler, with PyTorch's names found here. It runs what the file says."""
    class Unpickler(pickle_module.Unpickler):
        def __init__(self, file, load_storage, **options):
            super().__init__(file, **options)
            self.persistent_load = load_storage

        def find_class(self, module, name):
            if module == "torch" or module.startswith("torch."):
                return find(module, name)
            try:
                return super().find_class(module, name)
            except AttributeError as error:
                said(error)                     # Python's own words for a class that is gone
                raise

    return Unpickler
