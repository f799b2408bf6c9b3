"""``torch.save`` and ``torch.load``: PyTorch's files, both ways.

>>> import io
>>> import leafward as lw
>>> file = io.BytesIO()
>>> lw.save({"weight": lw.ones(2)}, file)
>>> _ = file.seek(0)
>>> lw.load(file)
{'weight': tensor([1., 1.])}
"""
from __future__ import annotations

import io
import mmap as mapping
import os
import pickle
import sys
from contextlib import contextmanager
from enum import Enum
from typing import Any, Self, TYPE_CHECKING

from leafward.arrays import cpu
from leafward.core.tracebacks import short
from leafward.devices import check_device, device
from leafward.errors import warn
from leafward.io import legacy, rebuild, restricted
from leafward.io.archive import Reader, Replacement, Writer, is_archive, options
from leafward.io.damage import damaged, reading, said
from leafward.io.names import StorageType
from leafward.io.pickling import Pickler, unpickler_of
from leafward.tensor.missing import names_missing_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO
    from leafward.tensor.annotations import Device
    FileLike = str | os.PathLike[str] | IO[bytes]
    MapLocation = Device | dict[str, str] | Callable[[Any, str], Any]

__all__ = [
    "LoadEndianness", "add_safe_globals", "clear_safe_globals", "default_restore_location", "get_crc32_options",
    "get_default_load_endianness", "get_default_mmap_options", "get_safe_globals", "get_unsafe_globals_in_checkpoint",
    "load", "location_tag", "register_package", "safe_globals", "save", "set_crc32_options",
    "set_default_load_endianness", "set_default_mmap_options",
]

DEFAULT_PROTOCOL = 2
MAP_LOCATION = Any                  # for annotations
FORMAT_VERSION = b"3\n"


# --- saving -----------------------------------------------------------------------------------------------------


@short
def save(obj: object, f: FileLike, pickle_module: Any = pickle, pickle_protocol: int = DEFAULT_PROTOCOL,
         _use_new_zipfile_serialization: bool = True, _disable_byteorder_record: bool = False) -> None:
    """Write ``obj`` to ``f``, a path or a file object, so that ``torch.load`` reads it here and in PyTorch.

    Tensors that share memory share it again when they are loaded. A path takes the new file when all of it is written:
    if anything fails before, the old file is as it was.
    """
    if pickle_module is not pickle:
        raise NotImplementedError(f"leafward.save writes PyTorch's names with its own pickler: leave out "
                                  f"pickle_module={getattr(pickle_module, '__name__', pickle_module)}, or save "
                                  "obj.state_dict()")
    if not _use_new_zipfile_serialization:
        raise NotImplementedError("leafward reads the format from before PyTorch 1.6 and does not write it: leave out "
                                  "_use_new_zipfile_serialization=False")
    if isinstance(f, (str, os.PathLike)):
        replacement = Replacement(f)
        name = os.path.splitext(os.path.basename(os.fspath(f)))[0]
        contents = pickled(obj, pickle_protocol)
        with replacement as file:
            write(file, name, *contents, _disable_byteorder_record)
    elif hasattr(f, "write"):
        write(f, "archive", *pickled(obj, pickle_protocol), _disable_byteorder_record)
    else:
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")


def pickled(obj, protocol):
    """The pickle of ``obj``, and the storages that it refers to."""
    data = io.BytesIO()
    pickler = Pickler(data, protocol)
    pickler.dump(obj)
    return data.getvalue(), pickler.storages


def write(file, name, data, storages, without_byteorder):
    with Writer(file, name) as archive:
        archive.write("data.pkl", data)
        archive.write(".format_version", b"1")
        archive.write(".storage_alignment", b"64")
        if not without_byteorder:
            archive.write("byteorder", sys.byteorder.encode())
        for key, storage in enumerate(storages):
            archive.write(f"data/{key}", storage.flat())
        archive.write("version", FORMAT_VERSION)


# --- loading ----------------------------------------------------------------------------------------------------


@short
def load(f: FileLike, map_location: MapLocation | None = None, pickle_module: Any = None, *, weights_only: bool | None = None,
         mmap: bool | None = None, **pickle_load_args: Any) -> Any:
    """Read what ``save``, here or in PyTorch, wrote to ``f``, a path or a seekable file object.

    By default (``weights_only=True``) only tensors, numbers, strings, containers of them and what
    :func:`add_safe_globals` allows are loaded, and anything else raises ``pickle.UnpicklingError``. With
    ``weights_only=False`` the file can run any code: do that with files that you trust.

    ``map_location`` says where storages go that were saved on another device (``"cpu"``); ``mmap=True`` leaves the
    data in the file until they are touched. ``TORCH_FORCE_WEIGHTS_ONLY_LOAD=1`` in the environment is
    ``weights_only=True`` for every call, ``TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1`` is ``weights_only=False`` for the calls
    that do not say.
    """
    weights_only = decided(weights_only, pickle_module)
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if weights_only and pickle_load_args:
        warn("pickle_load_args only works if `weights_only=False`.")
    is_path = isinstance(f, (str, os.PathLike))
    if mmap and not is_path:
        raise ValueError("f must be a file path in order to use the mmap argument")
    encoding = pickle_load_args.setdefault("encoding", "utf-8")

    def unpickler(file, load_storage):
        if weights_only:
            return restricted.Unpickler(file, load_storage, encoding)
        return unpickler_of(pickle_module or pickle)(file, load_storage, **pickle_load_args)

    def relocate(storage, location):
        return restored(storage, location, map_location)

    if is_path:
        shared = mmap and options.mmap_flags == mapping.MAP_SHARED
        with open(f, "r+b" if shared else "rb") as file, reading():
            return read(file, unpickler, relocate, weights_only, mmap)
    check_seekable(f)
    f.tell()                                    # a closed file says so itself
    with reading():
        return read(f, unpickler, relocate, weights_only, False)


def decided(weights_only, pickle_module):
    """Whether only weights are loaded: as the environment forces it, as the call says, or unless it brings a pickler."""
    forced, forced_off = (os.getenv(name, "0").lower() in ("1", "y", "yes", "true") for name in (
        "TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"))
    if forced and forced_off:
        raise RuntimeError("Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` "
                           "should be set, but both were set.")
    if forced:
        return True
    if weights_only is not None:
        return weights_only
    if forced_off:
        warn("Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was not "
             "explicitly passed to `torch.load`, forcing weights_only=False.")
        return False
    return pickle_module is None


def check_seekable(f):
    for name in ("seek", "tell", "read", "readline"):
        if not hasattr(f, name):
            raise AttributeError(
                f"'{type(f).__name__}' object has no attribute '{name}'. You can only torch.load from a file that is "
                "seekable. Please pre-load the data into a buffer like io.BytesIO and try to load from it instead.")


def read(file, unpickler, relocate, weights_only, mapped):
    if is_archive(file):
        return read_archive(Reader(file, mapped), unpickler, relocate)
    if mapped:
        raise RuntimeError("mmap can only be used with files saved with "
                           "`torch.save(_use_new_zipfile_serialization=True), please torch.save your checkpoint with "
                           "this option in order to use mmap.")
    if legacy.is_tar(file):
        if weights_only:
            raise RuntimeError(
                "Cannot use ``weights_only=True`` with files saved in the legacy .tar format. In PyTorch 2.6, we "
                "changed the default value of the `weights_only` argument in `torch.load` from `False` to `True`. "
                "Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in "
                "arbitrary code execution. Do it only if you got the file from a trusted source.")
        return legacy.load_tar(file, unpickler, relocate)
    return legacy.load_pickles(file, unpickler, relocate)


def read_archive(archive, unpickler, relocate):
    if archive.has("constants.pkl"):
        raise NotImplementedError("the file is a TorchScript archive, which leafward cannot run: in PyTorch, save the "
                                  "module's state_dict() instead")
    order = endianness(archive)
    loaded = {}

    def load_storage(identity):
        kind, storage_type, key, location, count = identity
        if kind != "storage" or not isinstance(storage_type, StorageType):
            raise pickle.UnpicklingError(f"the file refers to {kind!r} {storage_type!r}, which is no storage")
        if key not in loaded:
            record, itemsize = f"data/{key}", storage_type.dtype.itemsize if storage_type.dtype else 1
            if (size := archive.size(record)) != count * itemsize:
                raise damaged(f"reading file {record}: it should have {count} elements of {itemsize} bytes, and has "
                              f"{size} bytes")
            array = archive.array(record)
            if storage_type.dtype is not None:
                array = array.view(cpu.numpy_dtype(storage_type.dtype))
            if order != sys.byteorder:
                array = cpu.copy(array).byteswap()
            loaded[key] = relocate(rebuild.storage_of(array), location)
        return rebuild.as_typed(loaded[key], storage_type.dtype)

    return unpickler(io.BytesIO(archive.read("data.pkl")), load_storage).load()


class LoadEndianness(Enum):
    """The byte order of files that do not say theirs."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


default_endianness = None


def get_default_load_endianness() -> LoadEndianness | None:
    """The byte order assumed of files that do not say theirs; None: little-endian."""
    return default_endianness


def set_default_load_endianness(endianness: Any) -> None:
    """Assume this byte order of files that do not say theirs."""
    global default_endianness
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    default_endianness = endianness


def endianness(archive):
    if archive.has("byteorder"):
        order = archive.read("byteorder").decode("ascii", "replace") if archive.size("byteorder") < 100 else "a long text"
        if order not in ("little", "big"):
            raise said(ValueError("Unknown endianness type: " + order))
        return order
    if default_endianness is LoadEndianness.NATIVE:
        return sys.byteorder
    return "big" if default_endianness is LoadEndianness.BIG else "little"


# --- where storages go ------------------------------------------------------------------------------------------

#: (priority, tagger, deserializer), in the order in which they are asked.
packages = []


def register_package(priority: int, tagger: Callable[..., Any], deserializer: Callable[..., Any]) -> None:
    """Let ``deserializer(storage, location)`` restore a kind of storage; lower priorities are asked first."""
    packages.append((priority, tagger, deserializer))
    packages.sort(key=lambda package: package[0])


def location_tag(storage: Any):
    """The name of the device of ``storage``, as files have it."""
    for _, tagger, _ in packages:
        if (location := tagger(storage)) is not None:
            return location
    raise RuntimeError(f"don't know how to determine data location of {type(storage).__name__}")


def default_restore_location(storage: Any, location: Any) -> Any:
    """``storage`` on the device that ``location`` names."""
    for _, _, deserializer in packages:
        if (result := deserializer(storage, location)) is not None:
            return result
    raise RuntimeError("don't know how to restore data location of torch.storage.UntypedStorage "
                       f"(tagged with {location})")


def restore_cpu(storage, location):
    return storage if location == "cpu" else None


def refuse_accelerators(storage, location):
    kind = location.partition(":")[0]
    if kind in ("cuda", "xpu", "mps", "hpu"):
        name = "MPS" if kind == "mps" else kind.upper()
        test = "torch.backends.mps.is_available()" if kind == "mps" else f"torch.{kind}.is_available()"
        raise RuntimeError(
            f"Attempting to deserialize object on a {name} device but {test} is False. If you are running on a "
            "CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the "
            "CPU.")
    if kind == "meta":
        check_device("meta")


register_package(10, lambda storage: "cpu", restore_cpu)
register_package(20, lambda storage: None, refuse_accelerators)


def restored(storage, location, map_location):
    """``storage``, saved on ``location``, where ``map_location`` wants it."""
    location = location.decode("ascii") if isinstance(location, bytes) else location
    if map_location is None:
        return default_restore_location(storage, location)
    if isinstance(map_location, dict):
        return default_restore_location(storage, map_location.get(location, location))
    if isinstance(map_location, (str, bytes)):
        return default_restore_location(storage, map_location.decode() if isinstance(map_location, bytes)
                                        else map_location)
    if isinstance(map_location, device):
        return default_restore_location(storage, str(map_location).removesuffix(":0")
                                        if map_location.type == "cpu" else str(map_location))
    result = map_location(storage, location)
    return default_restore_location(storage, location) if result is None else result


# --- what weights_only allows -----------------------------------------------------------------------------------


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Let ``load(weights_only=True)`` use these classes and functions too, or (object, "module.name") pairs.

    What a file finds in ``sys``, ``os``, ``posix`` or ``nt`` is refused all the same.
    """
    entries = dict.fromkeys(safe_globals)
    for entry in entries:
        restricted.name_in_files(entry)                     # refuses what has no name, before anything is allowed
    restricted.user_globals.update(entries)


def get_safe_globals() -> list[Any]:
    """What :func:`add_safe_globals` was given."""
    return list(restricted.user_globals)


def clear_safe_globals() -> None:
    """Forget what :func:`add_safe_globals` was given."""
    restricted.user_globals.clear()


@contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """:func:`add_safe_globals` for a ``with`` block, after which none of these is allowed."""
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        for entry in safe_globals:
            restricted.user_globals.pop(entry, None)


def get_unsafe_globals_in_checkpoint(f: FileLike) -> list[str]:
    """The names in the file ``f`` that ``load(weights_only=True)`` refuses. Nothing of the file is run."""
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return get_unsafe_globals_in_checkpoint(file)
    if not is_archive(f):
        raise ValueError("Expected input to be a checkpoint returned by torch.save")
    with reading():
        return restricted.unsafe_globals(io.BytesIO(Reader(f).read("data.pkl")))


# --- options ----------------------------------------------------------------------------------------------------


def get_crc32_options() -> bool:
    """Whether checksums are compared when a file is read. They are always written."""
    return options.crc32


def set_crc32_options(compute_crc32: bool) -> None:
    """Choose whether checksums are compared: PyTorch writes none after the same call, and such files need False."""
    options.crc32 = bool(compute_crc32)


def get_default_mmap_options() -> int:
    """The flags that ``load(mmap=True)`` maps files with."""
    return options.mmap_flags


class set_default_mmap_options:
    """Map files with ``mmap.MAP_PRIVATE`` or ``mmap.MAP_SHARED`` from now on, or for a ``with`` block."""

    def __init__(self, flags: int) -> None:
        if flags not in (mapping.MAP_PRIVATE, mapping.MAP_SHARED):
            raise ValueError("Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or "
                             f"mmap.MAP_SHARED, but got {flags}")
        self.before = options.mmap_flags
        options.mmap_flags = flags

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: Any) -> None:
        options.mmap_flags = self.before


__getattr__ = names_missing_from("torch.serialization", globals())
