"""``UntypedStorage``: the bytes under a tensor and its views."""
from leafward import dtypes
from leafward.arrays import cpu
from leafward.core.storage import record_write
from leafward.core.from_array import new_tensor


class UntypedStorage:
    """The memory that a tensor shares with its views and ``detach()``es. Writes through it have no version counter."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.inner = tensor._storage

    def flat(self):
        owner = self.inner.owner                            # it may be turned, or repeat one element with stride 0
        length = cpu.spans(owner.shape, cpu.strides_of(owner))
        return cpu.strided(owner, (length,), (1,)).view("uint8")

    def data_ptr(self):
        """The address of the first byte."""
        return self.inner.owner.__array_interface__["data"][0]

    def nbytes(self):
        owner = self.inner.owner
        return cpu.spans(owner.shape, cpu.strides_of(owner)) * owner.itemsize

    @property
    def __array_interface__(self):
        """What ``torch.asarray(storage, dtype=torch.uint8)`` reads."""
        return self.flat().__array_interface__

    size = nbytes
    __len__ = nbytes

    def __sizeof__(self):
        return object.__sizeof__(self) + self.nbytes()

    def fill_(self, value):
        """Set every byte. Graphs that need the old bytes warn when they use them."""
        self.flat()[...] = value
        alias = self.tensor.data
        record_write(alias, "untyped_storage().fill_", self.inner.owner)
        return self

    def tolist(self):
        return self.flat().tolist()

    def __getitem__(self, index):
        part = self.flat()[index]
        return new_tensor(part, dtypes.uint8).untyped_storage() if isinstance(index, slice) else int(part)

    @classmethod
    def from_file(cls, filename, shared=False, nbytes=0):
        """The first ``nbytes`` of a file, mapped into memory; writes reach the file only where ``shared``."""
        import mmap
        with open(filename, "r+b" if shared else "rb") as file:
            memory = mmap.mmap(file.fileno(), nbytes, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
        return new_tensor(cpu.from_buffer(memory, dtypes.uint8, -1, 0), dtypes.uint8).untyped_storage()

    def clone(self):
        return self.tensor.detach().clone().untyped_storage()

    def untyped(self):
        """Itself."""
        return self

    def is_shared(self):
        return self.tensor.is_shared()

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and other.inner is self.inner

    def __hash__(self):
        return id(self.inner)
