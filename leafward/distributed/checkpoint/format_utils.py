"""From a checkpoint of several ranks to one file of ``torch.save``, and back."""
from leafward.distributed.checkpoint.filesystem import FileSystemReader
from leafward.distributed.checkpoint.metadata import TensorStorageMetadata
from leafward.distributed.checkpoint.state_dict_loader import whole
from leafward.distributed.checkpoint.state_dict_saver import save as save_parts
from leafward.io.serialization import load, save


def everything(reader):
    """All of a checkpoint, as the dicts in dicts that were saved."""
    metadata = reader.read_metadata()
    found = {}
    for name, about in metadata.state_dict_metadata.items():
        if isinstance(about, TensorStorageMetadata):
            value = whole(about, name, lambda offset, name=name: reader.read(metadata, name, offset))
        else:
            value = reader.read(metadata, name)
        *outer, last = (metadata.planner_data or {}).get(name, (name,))
        inner = found
        for key in outer:
            inner = inner.setdefault(key, {})
        inner[last] = value
    return listed(found)


def listed(value):
    """Dicts whose keys are positions as lists."""
    if not isinstance(value, dict):
        return value
    inner = {key: listed(entry) for key, entry in value.items()}
    return [inner[position] for position in sorted(inner)] if inner and all([type(key) is int for key in inner]) else inner


def dcp_to_torch_save(dcp_checkpoint_dir, torch_save_path):
    """Write one file of ``torch.save`` from a checkpoint.

    dcp_checkpoint_dir: its folder
    torch_save_path: the file
    """
    save(everything(FileSystemReader(dcp_checkpoint_dir)), torch_save_path)


def torch_save_to_dcp(torch_save_path, dcp_checkpoint_dir):
    """Write a checkpoint from one file of ``torch.save``.

    torch_save_path: the file, which is read with ``weights_only=True``
    dcp_checkpoint_dir: the folder
    """
    save_parts(load(torch_save_path, weights_only=True), checkpoint_id=dcp_checkpoint_dir, no_dist=True)
