"""``UntypedStorage``, the bytes under a tensor and its views, and ``TypedStorage``, the same bytes as elements.

>>> import leafward as lw
>>> storage = lw.tensor([[1, 2], [3, 4]], dtype=lw.int16).untyped_storage()
>>> storage.nbytes(), storage[2], storage.tolist()
(8, 2, [1, 0, 2, 0, 3, 0, 4, 0])
"""
import sys

from leafward import dtypes
from leafward.arrays import cpu
from leafward.core.storage import Storage as Owner
from leafward.core.seals import before_write, escape
from leafward.core.storage import record_write
from leafward.core.from_array import new_tensor
from leafward.core.tensor import TensorBase
from leafward.devices import check_device
from leafward.devices import cpu as cpu_device
from leafward.errors import warn_once

DEPRECATED = ("TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
              "class. This should only matter to you if you are using storages directly.  To access UntypedStorage "
              "directly, use tensor.untyped_storage() instead of tensor.storage()")
#: What the casting methods of both classes are called.
CASTS = {"double": "float64", "float": "float32", "half": "float16", "long": "int64", "int": "int32", "short": "int16",
         "char": "int8", "byte": "uint8", "bool": "bool", "bfloat16": "bfloat16", "complex_double": "complex128",
         "complex_float": "complex64"}


class Elements:
    """What storages of both kinds do alike, in terms of their ``flat`` array and their ``dtype``."""

    device = cpu_device
    is_cuda = is_hpu = False

    def tolist(self):
        return list(self)

    def get_device(self):
        return None

    def __iter__(self):
        return iter(self.as_tensor().tolist())

    def __repr__(self):
        head, kind = "\n ".join(map(str, self)), f"torch.storage.{type(self).__name__}"
        named = f"dtype={self.dtype}, " if isinstance(self, TypedStorage) else ""
        return f" {head}\n[{kind}({named}device=cpu) of size {len(self)}]"

    def as_tensor(self):
        """A 1-D tensor on this memory."""
        array = self.flat()
        return new_tensor(array, cpu.dtype_of(array))

    def cast(self, dtype):
        return TypedStorage(wrap_storage=self.as_tensor().to(dtype, copy=True).untyped_storage(), dtype=dtype, _internal=True)

    def to(self, *, device, non_blocking=False):
        check_device(device)
        return self

    def cpu(self):
        """Itself: there is no other device."""
        return self

    def resizable(self):
        return True

    def is_pinned(self, device=None):
        return False

    def pin_memory(self, device=None):
        return self

    def __copy__(self):
        return self.clone()

    def __reduce__(self):
        return from_bytes, (type(self).__name__, self.untyped().flat().tobytes(), self.dtype.name)


for name, dtype in CASTS.items():
    def method(self, dtype=dtypes.by_name[dtype]):
        return self.cast(dtype)
    method.__name__, method.__qualname__, method.__doc__ = name, f"Elements.{name}", f"A copy as {dtype} elements."
    setattr(Elements, name, method)
del method


class UntypedStorage(Elements):
    """The memory that a tensor shares with its views and ``detach()``es. Writes through it have no version counter.

    ``UntypedStorage(size)`` is memory of its own, ``UntypedStorage([1, 2])`` has these bytes.
    """

    dtype = dtypes.uint8

    def __init__(self, *args, size=None, device=None):
        check_device(device)
        if len(args) + (size is not None) > 1:
            raise RuntimeError("torch.UntypedStorage() received an invalid combination of arguments - expected one of: "
                               "(), (int size), (Sequence data)")
        given = args[0] if args else 0 if size is None else size
        array = cpu.empty((memory_size(given),), dtypes.uint8) if type(given) is int else bytes_of(given)
        self.look_at(new_tensor(array, dtypes.uint8))

    @classmethod
    def of(cls, tensor):
        """The storage that ``tensor`` lies in."""
        made = object.__new__(cls)
        made.look_at(tensor)
        made.own = False
        return made

    def look_at(self, tensor):
        """``own``: nobody else has this tensor, which is there to hold the memory."""
        self.tensor, self.inner, self.own = tensor, tensor._storage, True

    def flat(self):
        return cpu.flat_bytes(self.inner.owner)

    def data_ptr(self):
        """The address of the first byte; 0 where there is none."""
        return self.inner.owner.__array_interface__["data"][0] if self.inner.owner.size else 0

    def nbytes(self):
        owner = self.inner.owner
        return cpu.spans(owner.shape, cpu.strides_of(owner)) * owner.itemsize

    @property
    def __array_interface__(self):
        """What ``torch.asarray(storage, dtype=torch.uint8)`` reads."""
        escape(self.inner, "numpy")
        return self.flat().__array_interface__

    size = nbytes
    __len__ = nbytes
    filename = None

    def element_size(self):
        """1: they are bytes."""
        return 1

    def __sizeof__(self):
        return object.__sizeof__(self) + self.nbytes()

    def write(self, name, position, value):
        """Set the bytes at ``position``. Graphs that need the old ones warn when they use them."""
        before_write(self.tensor, self.inner.owner)
        self.flat()[position] = value
        self.note(name)
        return self

    def note(self, name):
        """Note that the bytes were written."""
        record_write(self.tensor.data, f"untyped_storage().{name}", self.inner.owner)

    def fill_(self, value):
        """Set every byte. Graphs that need the old bytes warn when they use them."""
        if type(value) is not int:
            raise RuntimeError(f"fill_ expects int, but got {type(value).__name__}")
        return self.write("fill_", slice(None), value & 255)

    def copy_(self, source, non_blocking=None):
        """Take over the bytes of a storage of the same size."""
        if not isinstance(source, (UntypedStorage, TypedStorage)):
            raise TypeError(f"copy_(): argument 'src' (position 1) must be torch.Storage, not {type(source).__name__}")
        given = source.untyped().flat()
        if given.size != self.nbytes():
            raise RuntimeError(f"size does not match, self was {self.nbytes()} bytes but src was {given.size} bytes")
        return self.write("copy_", slice(None), given.copy())

    def resize_(self, size):
        """Make room for ``size`` bytes: the first ones stay, new ones are unset. Tensors that lie here move along."""
        size = memory_size(size)
        if size != self.nbytes():
            from leafward.tensor.shared_memory import lay_in, users_of
            tensors = [user for user in users_of(self.inner, self.tensor) if not (self.own and user is self.tensor)]
            needed = max([spanned(user) for user in tensors], default=0)
            if size < needed:
                raise NotImplementedError(f"a tensor needs {needed} bytes of this storage, so that it cannot be cut to "
                                          f"{size}: let the tensor go, or give it other memory with set_()")
            memory = cpu.empty((size,), dtypes.uint8)
            kept = min(size, self.nbytes())
            memory[:kept] = self.flat()[:kept]
            lay_in(self.inner, tensors, memory)
            if self.own:
                self.tensor._array = memory
            self.note("resize_")
        return self

    def __getitem__(self, index):
        if isinstance(index, slice):
            return UntypedStorage.of(new_tensor(self.flat()[unbroken(index, self.nbytes())], dtypes.uint8))
        if not hasattr(index, "__index__"):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        size, position = self.nbytes(), index.__index__()
        if not -size <= position < size:
            raise IndexError(f"index {position} out of range for storage of size {size}")
        return int(self.flat()[position])

    def __setitem__(self, index, value):
        if type(value) is not int:
            raise RuntimeError(f"can only set storage content with a int types, but got {type(value).__name__} instead")
        if isinstance(index, slice):
            index = unbroken(index, self.nbytes())
        elif not hasattr(index, "__index__"):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        elif not 0 <= index < self.nbytes():
            raise RuntimeError("out of bounds")
        self.write("__setitem__", index, value & 255)

    @classmethod
    def from_file(cls, filename, shared=False, nbytes=0):
        """The first ``nbytes`` of a file, mapped into memory; writes reach the file only where ``shared``."""
        import mmap
        with open(filename, "r+b" if shared else "rb") as file:
            memory = mmap.mmap(file.fileno(), nbytes, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
        return cls.of(new_tensor(cpu.from_buffer(memory, dtypes.uint8, -1, 0), dtypes.uint8))

    @classmethod
    def from_buffer(cls, buffer, byte_order=None, count=-1, offset=0, *, dtype):
        """A copy of ``count`` elements of ``dtype`` (-1: all), which stand in ``buffer`` in this byte order."""
        if byte_order is None and dtype.itemsize > 1:
            raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
        array = cpu.copy(cpu.from_buffer(buffer, dtype, count, offset))
        if byte_order not in (None, "native", sys.byteorder):
            array = array.byteswap()
        return cls.of(new_tensor(array, dtype))

    def byteswap(self, dtype):
        """Turn the bytes of every element of ``dtype`` around."""
        typed = self.flat().view(cpu.numpy_dtype(dtype))
        self.write("byteswap", slice(None), typed.byteswap().view("uint8"))

    def new(self):
        """An empty one."""
        return UntypedStorage()

    def clone(self):
        return UntypedStorage.of(new_tensor(self.flat().copy(), dtypes.uint8))

    def __deepcopy__(self, memo):
        """Tensors and storages that share memory share it in the copies, too."""
        storage = memo.get(id(self.inner))
        if storage is None:
            storage = memo[id(self.inner)] = Owner(self.inner.owner.copy())
            memo.setdefault(id(memo), []).append(self.inner)            # its address stays its own until all is copied
        array = storage.owner.reshape(-1)
        copied = new_tensor(array, cpu.dtype_of(array))
        copied._storage = copied._counter = storage
        return UntypedStorage.of(copied)

    def untyped(self):
        """Itself."""
        return self

    def type(self, dtype=None, non_blocking=False):
        """The name of this class, or a copy as elements of ``dtype``."""
        return "torch.storage.UntypedStorage" if dtype is None else self.cast(dtype)

    def is_shared(self):
        return self.tensor.is_shared()

    def share_memory_(self):
        """Move the memory to where processes share it."""
        self.tensor.share_memory_()
        return self

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and other.inner is self.inner

    def __hash__(self):
        return id(self.inner)


class TypedStorage(Elements):
    """The memory of a tensor as elements of its dtype: what ``tensor.storage()`` gives. Deprecated in PyTorch."""

    filename = None

    def __init__(self, *args, wrap_storage=None, dtype=None, device=None, _internal=False):
        check_device(device)
        if not _internal:
            warn_once(DEPRECATED)
        if len(args) > 1 or (wrap_storage is not None and (args or dtype is None)):
            raise RuntimeError("TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
                               " * (*, device, dtype)\n * (int size, *, device, dtype)\n * (Sequence data, *, device, "
                               "dtype)\n * (*, UntypedStorage wrap_storage, dtype)")
        self.dtype = dtypes.get_default_dtype() if dtype is None else dtype
        if wrap_storage is not None:
            if not isinstance(wrap_storage, UntypedStorage):
                raise TypeError(f"Argument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}")
            self._untyped_storage = wrap_storage
        elif args and type(args[0]) is not int:
            self._untyped_storage = UntypedStorage.of(tensor_from(args[0], self.dtype))
        else:
            size = memory_size(args[0] if args else 0) * self.dtype.itemsize
            self._untyped_storage = UntypedStorage(size)

    def flat(self):
        data = self._untyped_storage.flat()
        return data[:data.size // self.dtype.itemsize * self.dtype.itemsize].view(cpu.numpy_dtype(self.dtype))

    def untyped(self):
        """The bytes."""
        return self._untyped_storage

    def size(self):
        """How many elements there are."""
        return self._untyped_storage.nbytes() // self.dtype.itemsize

    __len__ = size

    def nbytes(self):
        return self._untyped_storage.nbytes()

    def data_ptr(self):
        return self._untyped_storage.data_ptr()

    def element_size(self):
        return self.dtype.itemsize

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if type(index) is not int:
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return self.as_tensor()[index].item()

    def __setitem__(self, index, value):
        if not isinstance(index, (int, slice)):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        written = self._untyped_storage
        before_write(written.tensor, written.inner.owner)
        self.as_tensor()[index] = value
        written.note("__setitem__")

    def fill_(self, value):
        """Set every element."""
        self[:] = value
        return self

    def copy_(self, source, non_blocking=None):
        """Take over the bytes of a storage of the same size."""
        self._untyped_storage.copy_(source, non_blocking)
        return self

    def resize_(self, size):
        """Make room for ``size`` elements."""
        self._untyped_storage.resize_(memory_size(size) * self.dtype.itemsize)

    def clone(self):
        return self.around(self._untyped_storage.clone())

    def __deepcopy__(self, memo):
        from copy import deepcopy
        return self.around(deepcopy(self._untyped_storage, memo))

    def around(self, storage):
        return TypedStorage(wrap_storage=storage, dtype=self.dtype, _internal=True)

    def to(self, *, device, non_blocking=False):
        check_device(device)
        return self.around(self._untyped_storage)

    def cpu(self):
        """The same memory: there is no other device."""
        return self.around(self._untyped_storage)

    def type(self, dtype=None, non_blocking=False):
        """The name of the class that stands for this dtype, or a copy as elements of another."""
        if dtype is None:
            return f"torch.{legacy_name(self.dtype)}"
        if isinstance(dtype, str):
            dtype = LEGACY[dtype.rpartition(".")[2]]
        return self.cast(getattr(dtype, "dtype", dtype))

    def pickle_storage_type(self):
        return legacy_name(self.dtype)

    _pickle_storage_type = pickle_storage_type

    def is_shared(self):
        return self._untyped_storage.is_shared()

    def share_memory_(self):
        """Move the memory to where processes share it."""
        self._untyped_storage.share_memory_()
        return self

    @classmethod
    def from_buffer(cls, *args, dtype=None, **kwargs):
        """A copy of the elements in a buffer."""
        dtype = getattr(cls, "dtype", None) or dtype or dtypes.get_default_dtype()
        return TypedStorage(wrap_storage=UntypedStorage.from_buffer(*args, dtype=dtype, **kwargs), dtype=dtype)

    @classmethod
    def from_file(cls, filename, shared=False, size=0):
        """The first ``size`` elements of a file, mapped into memory."""
        if cls is TypedStorage:
            raise RuntimeError("from_file can only be called on derived classes")
        return TypedStorage(wrap_storage=UntypedStorage.from_file(filename, shared, size * cls.dtype.itemsize), dtype=cls.dtype)

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)


class LegacyStorageMeta(type):
    """``isinstance(storage, FloatStorage)`` asks for the dtype."""

    def __instancecheck__(cls, instance):
        return type(instance) is TypedStorage and cls.dtype is instance.dtype

    def __call__(cls, *args, wrap_storage=None, **kwargs):
        if len(args) > 1 or (args and (wrap_storage is not None or type(args[0]) is not int and (
                isinstance(args[0], (float, UntypedStorage)) or not hasattr(args[0], "__len__") or hasattr(args[0], "dtype")))):
            raise TypeError(f"{cls}.__new__ received an invalid combination of arguments. Expected one of:\n"
                            " * ()\n * (int size)\n * (Sequence data)\n * (*, UntypedStorage wrap_storage)")
        return TypedStorage(*args, wrap_storage=wrap_storage, dtype=cls.dtype, **kwargs)


def legacy_name(dtype):
    return dtype.tensor_type.replace("Tensor", "Storage")


#: ``FloatStorage`` and its kin: a name for each dtype, which makes and recognizes typed storages.
LEGACY = {legacy_name(dtype): LegacyStorageMeta(legacy_name(dtype), (TypedStorage,), {
    "dtype": dtype, "__module__": "leafward", "__doc__": f"A :class:`TypedStorage` of {dtype} elements."})
    for dtype in dict.fromkeys(dtypes.by_name.values()) if dtype not in dtypes.PACKED | dtypes.BAREBONES}
globals().update(LEGACY)
Storage = LEGACY["FloatStorage"]

def from_bytes(kind, data, dtype):
    """What unpickling a storage runs."""
    made = UntypedStorage(data)
    return made if kind == "UntypedStorage" else TypedStorage(wrap_storage=made, dtype=dtypes.by_name[dtype], _internal=True)


def tensor_from(data, dtype):
    """A tensor of its own with these elements."""
    if isinstance(data, TensorBase):
        return data.detach().to(dtype, copy=True)
    from leafward.arrays.convert import array_from_data
    return new_tensor(array_from_data(list(data) if isinstance(data, range) else data, dtype), dtype)


def memory_size(size):
    if size < 0:
        raise RuntimeError(f"a storage has no negative size: {size}")
    return size


def bytes_of(values):
    if not hasattr(values, "__len__"):
        raise RuntimeError(f"torch.UntypedStorage(): Expected a sequence type, but got {type(values).__name__}")
    for value in values:
        if type(value) is not int:
            raise RuntimeError("torch.UntypedStorage(): tried to construct a storage from a sequence "
                               f"({type(values).__name__}), but one of the items was of type {type(value).__name__} "
                               "instead of int")
    return cpu.copy(cpu.from_buffer(bytes([value & 255 for value in values]), dtypes.uint8, -1, 0)) if len(values) else \
        cpu.empty((0,), dtypes.uint8)


def unbroken(index, size):
    """``index`` with both ends, refused where it leaves bytes out."""
    start, stop, step = index.indices(size)
    if step != 1:
        raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
    return slice(start, stop)


def spanned(tensor):
    """Up to which byte of its storage ``tensor`` reaches."""
    if not tensor._array.size:
        return 0
    return (tensor.storage_offset() + cpu.spans(tensor._array.shape, tensor.stride())) * tensor._array.itemsize
