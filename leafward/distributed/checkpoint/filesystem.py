"""Checkpoints in folders: a file of each rank, and the manifest that says what lies where."""
import io
import os
import re
from pathlib import Path

from leafward.distributed.checkpoint.metadata import MetadataIndex, _StorageInfo, manifest_bytes, manifest_from
from leafward.distributed.shards import InParts
from leafward.io.serialization import load, save
from leafward.tensor.tensor import Tensor

__all__ = ["FileSystemReader", "FileSystemWriter"]

MANIFEST = ".metadata"
DATA = re.compile(r"__\d+_(\d+)\.distcp")


def written(file, value):
    """Write a tensor, or anything else, as ``torch.save`` does: how many bytes."""
    if isinstance(value, Tensor):
        value = (value.to_local() if isinstance(value, InParts) else value).detach()
        if value.untyped_storage().nbytes() != value.numel() * value.element_size():
            value = value.clone()                           # of a view only what it shows
    buffer = io.BytesIO()
    save(value, buffer)
    return file.write(buffer.getvalue())


class Folder:
    """Where a checkpoint is written to or read from."""

    argument = None                                         # how functions call what they are given of this kind

    def __init__(self, path):
        self.path = Path(path)

    def reset(self, checkpoint_id=None):
        """Write or read the next checkpoint in another folder."""
        if checkpoint_id is not None:
            self.path = Path(checkpoint_id)

    @classmethod
    def chosen(cls, checkpoint_id, given):
        """What to write or read with: as given, or one for the folder."""
        if given is not None:
            given.reset(checkpoint_id)
            return given
        if checkpoint_id is None:
            raise RuntimeError(f"Cannot determine the storage: give checkpoint_id, a folder, or {cls.argument}")
        return cls(checkpoint_id)


class FileSystemWriter(Folder):
    """Writes a checkpoint into a folder. What is there stays whole until all of the new one is written.

    path: the folder; it is made where it is not there
    single_file_per_rank, thread_count, per_thread_copy_ahead, cache_staged_state_dict: for PyTorch's programs; each rank
        writes one file
    sync_files: whether to wait until the files are on the disk
    overwrite: whether a checkpoint that is there may be replaced

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = lw.distributed.checkpoint.save({"x": lw.ones(2)}, storage_writer=FileSystemWriter(folder.name))
    >>> sorted(os.listdir(folder.name))
    ['.metadata', '__0_0.distcp']
    >>> folder.cleanup()
    """

    argument = "storage_writer"

    def __init__(self, path, single_file_per_rank=True, sync_files=True, thread_count=1, per_thread_copy_ahead=10_000_000,
                 cache_staged_state_dict=False, overwrite=True):
        super().__init__(path)
        self.sync_files, self.overwrite = sync_files, overwrite

    def generation(self):
        """A number that no file in the folder has: what is there is not written to."""
        self.path.mkdir(parents=True, exist_ok=True)
        if (self.path / MANIFEST).exists() and not self.overwrite:
            raise RuntimeError(f"Checkpoint already exists in {self.path} and overwrite=False")
        numbers = [int(found[1]) for name in os.listdir(self.path) if (found := DATA.fullmatch(name))]
        return max(numbers, default=-1) + 1

    def write(self, rank, generation, entries):
        """Write one rank's ``{index: value}``: where each lies."""
        if not entries:
            return {}
        name, found = f"__{rank}_{generation}.distcp", {}
        with open(self.path / name, "wb") as file:
            for index, value in entries.items():
                start = file.tell()
                found[index] = _StorageInfo(name, start, written(file, value))
            self.sync(file)
        return found

    def sync(self, file):
        """Have the file on the disk, not only on its way."""
        file.flush()
        if self.sync_files:
            os.fsync(file.fileno())

    def finish(self, metadata):
        """Put the manifest into place, which makes the checkpoint; then remove what it does not mention."""
        temporary = self.path / f"{MANIFEST}.tmp"
        with open(temporary, "wb") as file:
            file.write(manifest_bytes(metadata))
            self.sync(file)
        os.replace(temporary, self.path / MANIFEST)
        used = {info.relative_path for info in metadata.storage_data.values()}
        for name in os.listdir(self.path):
            if DATA.fullmatch(name) and name not in used:
                (self.path / name).unlink()


class FileSystemReader(Folder):
    """Reads a checkpoint from a folder, leafward's or PyTorch's.

    path: the folder

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = lw.distributed.checkpoint.save({"x": lw.ones(2)}, checkpoint_id=folder.name)
    >>> FileSystemReader(folder.name).read_metadata().state_dict_metadata["x"].size
    torch.Size([2])
    >>> folder.cleanup()
    """

    argument = "storage_reader"

    def read_metadata(self):
        """The manifest."""
        try:
            return manifest_from((self.path / MANIFEST).read_bytes())
        except FileNotFoundError:
            raise FileNotFoundError(f"there is no checkpoint in {self.path}: its manifest {MANIFEST} is missing, which is "
                                    "written last") from None

    def read(self, metadata, fqn, offset=None):
        """One entry: a value, or the part of a tensor that begins at ``offset``."""
        info = metadata.storage_data[MetadataIndex(fqn, offset)]
        if info.transform_descriptors:
            raise NotImplementedError(f"{info.relative_path} is compressed ({info.transform_descriptors}): save it without "
                                      "extensions")
        with open(self.path / info.relative_path, "rb") as file:
            file.seek(info.offset)
            return load(io.BytesIO(file.read(info.length)), weights_only=True)
