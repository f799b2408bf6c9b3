"""``torch.distributed.checkpoint``: saved by all ranks in parallel, loaded by as many as there are then."""
from leafward.distributed.checkpoint.api import CheckpointException
from leafward.distributed.checkpoint.default_planner import DefaultLoadPlanner, DefaultSavePlanner
from leafward.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from leafward.distributed.checkpoint.metadata import (
    BytesStorageMetadata, ChunkStorageMetadata, Metadata, TensorStorageMetadata,
)
from leafward.distributed.checkpoint.state_dict_loader import load, load_state_dict
from leafward.distributed.checkpoint.state_dict_saver import async_save, save, save_state_dict
from leafward.tensor.missing import names_missing_from

__all__ = ["BytesStorageMetadata", "CheckpointException", "ChunkStorageMetadata", "DefaultLoadPlanner", "DefaultSavePlanner",
           "FileSystemReader", "FileSystemWriter", "Metadata", "TensorStorageMetadata", "async_save", "load",
           "load_state_dict", "save", "save_state_dict"]

__getattr__ = names_missing_from("torch.distributed.checkpoint", globals())
