"""The two formats from before PyTorch 1.6, read and no longer written: a row of pickles, and a tar archive."""
import os
import pickle
import struct
import sys
import tarfile

from leafward.arrays import cpu
from leafward.dtypes import uint8

from leafward.io import rebuild
from leafward.io.archive import fill
from leafward.io.damage import damaged
from leafward.io.names import StorageType

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001


def array_from(file, count, dtype, name):
    """``count`` elements that stand next in ``file``, after their own count."""
    told, = struct.unpack("<q", exactly(file, 8, name))
    if told != count:
        raise damaged(f"reading storage {name}: it should have {count} elements, and the file says {told}")
    if count < 0 or count * dtype.itemsize > rest_of(file):
        raise damaged(f"reading storage {name}: file read failed")
    array = cpu.empty((count * dtype.itemsize,), uint8)
    fill(file, memoryview(array), name)
    return array.view(cpu.numpy_dtype(dtype))


def rest_of(file):
    """How many bytes ``file`` still has."""
    start = file.tell()
    end = file.seek(0, os.SEEK_END)
    file.seek(start)
    return end - start


def exactly(file, count, name):
    data = file.read(count)
    if len(data) < count:
        raise damaged(f"reading storage {name}: file read failed")
    return data


def load_pickles(file, unpickler, relocate):
    """The format of PyTorch 0.2 to 1.5: magic number, version, system, object, keys of its storages, their bytes.

    ``unpickler(file, load_storage)`` is one pickle; ``relocate(storage, location)`` moves a storage to where it belongs.
    """
    def one(load_storage=None):
        return unpickler(file, load_storage or no_storages).load()

    if one() != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    if (version := one()) != PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version}")
    if one().get("little_endian", True) != (sys.byteorder == "little"):
        raise NotImplementedError("the file was written on a machine of the other byte order, in the old format: "
                                  "load it with PyTorch and save it again")
    storages = {}

    def load_storage(identity):
        kind, *values = identity
        kind = kind.decode() if isinstance(kind, bytes) else kind
        if kind == "module":
            return values[0]                    # (class, file, source): a class whose source stands beside it
        storage_type, key, location, count, view = values
        if view is not None:
            raise NotImplementedError("the file is from before PyTorch 0.4, with views of storages: load it with "
                                      "PyTorch and save it again")
        if key not in storages:
            # Filled below: the bytes come after the pickle that refers to them.
            dtype = storage_type.dtype or uint8
            if type(count) is not int or not 0 <= count * dtype.itemsize <= rest_of(file):
                raise damaged(f"reading storage {key}: file read failed")
            storages[key] = relocate(rebuild.storage_of(cpu.empty((count,), dtype)), location)
        return rebuild.as_typed(storages[key], storage_type.dtype)

    result = one(load_storage)
    for key in one():
        owner = storages[key].inner.owner
        owner[...] = array_from(file, owner.size, storages[key].tensor._dtype, key)
    return result


def no_storages(identity):
    raise pickle.UnpicklingError("the file is damaged: a storage in its header")


def is_tar(file):
    """Whether a tar archive begins where ``file`` stands; it stands there afterwards."""
    start = file.tell()
    header = file.read(262)
    file.seek(start)
    return header[257:] == b"ustar"


def load_tar(file, unpickler, relocate):
    """The format of PyTorch 0.1: a tar archive of ``storages``, ``tensors`` and ``pickle``."""
    made = {}
    with tarfile.open(fileobj=file, mode="r:", format=tarfile.PAX_FORMAT) as tar:
        def part(name):
            try:
                return tar.extractfile(name)
            except KeyError:
                raise damaged(f"locating file {name}: file not found") from None

        def plain(source):
            return unpickler(source, no_storages).load()

        source = part("storages")
        for _ in range(plain(source)):
            key, location, storage_type = plain(source)
            if not isinstance(storage_type, StorageType):
                raise pickle.UnpicklingError(f"the file is damaged: a storage of type {storage_type!r}")
            count, = struct.unpack("<q", exactly(source, 8, key))
            source.seek(-8, os.SEEK_CUR)
            made[key] = relocate(rebuild.storage_of(array_from(source, count, storage_type.dtype, key)), location)
        for key, root, offset, count in plain(source):
            made[key] = rebuild.storage_of(made[root].inner.owner[offset:offset + count])
        source = part("tensors")
        for _ in range(plain(source)):
            key, storage, _ = plain(source)
            dims, = struct.unpack("<i4x", exactly(source, 8, key))       # PyTorch 0.1 wrote the 4 bytes as 8
            if not 0 <= dims <= 64:
                raise damaged(f"reading tensor {key}: {dims} dimensions")
            *numbers, offset = struct.unpack(f"<{2 * dims + 1}q", exactly(source, 16 * dims + 8, key))
            made[key] = rebuild.rebuild_tensor(made[storage], offset, numbers[:dims], numbers[dims:])

        def load_made(identity):
            return identity[0] if isinstance(identity, tuple) else made[int(identity)]

        return unpickler(part("pickle"), load_made).load()
