"""What the manifest of a checkpoint says, under PyTorch's names: which tensors there are, and where each part lies."""
import io
import pickle
from dataclasses import dataclass, field
from enum import Enum
from pathlib import PurePath, PurePosixPath
from typing import Any

from leafward import dtypes
from leafward.io.names import find
from leafward.io.pickling import Pickler
from leafward.tensor.size import Size


@dataclass
class ChunkStorageMetadata:
    """One part of a tensor: where in the tensor it begins, and its shape."""

    offsets: Any
    sizes: Any


class _MEM_FORMAT_ENCODING(Enum):
    """How elements lie in memory, for files."""

    TORCH_CONTIGUOUS_FORMAT, TORCH_CHANNELS_LAST, TORCH_PRESERVE_FORMAT = range(3)


@dataclass
class TensorProperties:
    """What a tensor is like, but for its shape."""

    dtype: Any = dtypes.float32
    layout: Any = dtypes.strided
    requires_grad: bool = False
    memory_format: Any = dtypes.contiguous_format
    pin_memory: bool = False

    def __getstate__(self):
        return (self.dtype, self.layout, self.requires_grad, _MEM_FORMAT_ENCODING.TORCH_CONTIGUOUS_FORMAT, self.pin_memory)

    def __setstate__(self, state):
        self.dtype, self.layout, self.requires_grad, self.memory_format, self.pin_memory = state


@dataclass
class TensorStorageMetadata:
    """A tensor: what it is like, its shape, and the parts that it is stored in."""

    properties: TensorProperties
    size: Any
    chunks: list


@dataclass
class BytesStorageMetadata:
    """Anything else, stored as a pickle."""


@dataclass
class StorageMeta:
    """Which saving a checkpoint comes from."""

    checkpoint_id: Any = None
    save_id: Any = None
    load_id: Any = None
    modules: list = field(default_factory=list)


@dataclass
class Metadata:
    """The manifest."""

    state_dict_metadata: dict
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: Any = None
    version: Any = None


@dataclass(frozen=True)
class MetadataIndex:
    """A part of a tensor, or a value: its name and where in the tensor it begins."""

    fqn: str
    offset: Any = None
    index: Any = field(hash=False, compare=False, default=None)


@dataclass
class _StorageInfo:
    """Where something is stored: a file, and which bytes of it."""

    relative_path: str
    offset: int
    length: int
    transform_descriptors: Any = None


@dataclass
class _StoragePrefix:
    """How the names of a rank's files begin."""

    prefix: str


# PyTorch has these two in another file, by whose name the manifest calls them.
_StorageInfo.__module__ = _StoragePrefix.__module__ = "leafward.distributed.checkpoint.filesystem"

CLASSES = (ChunkStorageMetadata, _MEM_FORMAT_ENCODING, TensorProperties, TensorStorageMetadata, BytesStorageMetadata,
           StorageMeta, Metadata, MetadataIndex, _StorageInfo, _StoragePrefix)
#: All that a manifest may name.
KNOWN = {
    **{(cls.__module__.replace("leafward", "torch", 1), cls.__name__): cls for cls in CLASSES},
    **{("torch", dtype.name): dtype for dtype in dtypes.by_name.values()},
    ("torch", "Size"): Size, ("torch.serialization", "_get_layout"): find("torch.serialization", "_get_layout"),
    **{(module, name): PurePosixPath for module in ("pathlib", "pathlib._local") for name in ("PosixPath", "PurePosixPath")},
}


class Foreign(pickle.UnpicklingError):
    """A manifest names what none holds."""


class ManifestReader(pickle.Unpickler):
    """Unpickling that calls nothing but what stands in :data:`KNOWN`."""

    def find_class(self, module, name):
        """A class of the list, or an error."""
        try:
            return KNOWN[module, name]
        except KeyError:
            raise Foreign(f"the manifest of a checkpoint does not hold {module}.{name}: it is damaged, or no "
                          "manifest at all; nothing was run") from None


def manifest_from(data):
    """The :class:`Metadata` that some bytes hold."""
    try:
        found = ManifestReader(io.BytesIO(data)).load()
    except Foreign:
        raise
    except Exception as error:
        raise pickle.UnpicklingError(f"the manifest is damaged ({type(error).__name__}: {error})") from error
    if not isinstance(found, Metadata):
        raise pickle.UnpicklingError(f"a manifest was expected, but the file holds {type(found).__name__}")
    for info in (found.storage_data or {}).values():
        if PurePath(info.relative_path).name != info.relative_path:
            raise pickle.UnpicklingError(f"the manifest points outside its folder: {info.relative_path!r}")
    return found


def manifest_bytes(metadata):
    """A manifest as PyTorch reads it."""
    file = io.BytesIO()
    Pickler(file, 4).dump(metadata)
    return file.getvalue()
