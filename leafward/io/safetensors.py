"""safetensors files: named tensors, and nothing that could run.

>>> import leafward as lw
>>> from leafward.io import safetensors
>>> safetensors.load(safetensors.save({"weight": lw.ones(2)}))
{'weight': tensor([1., 1.])}
"""
from __future__ import annotations

from safetensors import SafetensorError, deserialize
from safetensors import numpy as arrays
from typing import TYPE_CHECKING

from leafward import dtypes
from leafward.arrays import cpu
from leafward.core.tensor import array_of
from leafward.devices import check_device
from leafward.ops.dims import contiguous_strides
from leafward.tensor.tensor import Tensor

from leafward.io import rebuild
from leafward.io.archive import Replacement

if TYPE_CHECKING:
    import os
    from leafward.tensor.annotations import Device

#: The format's names of element types.
NAMES = {dtype.abbr.upper(): dtype for dtype in dtypes.by_name.values() if dtype not in dtypes.PACKED}
NAMES["BOOL"] = NAMES.pop("B8")
NAMES.update({"F8_E4M3": dtypes.float8_e4m3fn, "F8_E5M2": dtypes.float8_e5m2, "F8_E8M0": dtypes.float8_e8m0fnu,
              "F8_E4M3FNUZ": dtypes.float8_e4m3fnuz, "F8_E5M2FNUZ": dtypes.float8_e5m2fnuz})


def save(tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> None:
    """The bytes of a file with ``tensors``, a dict by name, and ``metadata``, a dict of strings."""
    check_tensors(tensors)
    return arrays.save({name: cpu.copy(array_of(tensor)) for name, tensor in tensors.items()}, metadata)


def save_file(tensors: dict[str, Tensor], filename: str | os.PathLike[str], metadata: dict[str, str] | None = None) -> None:
    """Write ``tensors`` to ``filename``, which takes the new file when all of it is written."""
    replacement, data = Replacement(filename), save(tensors, metadata)
    with replacement as file:
        file.write(data)


def load(data: bytes) -> dict[str, Tensor]:
    """The tensors in the bytes of a file."""
    try:
        found = deserialize(data)
    except SafetensorError as error:
        raise RuntimeError(f"the safetensors data are damaged: {error}") from error
    return {name: tensor_of(name, **entry) for name, entry in found}


def load_file(filename: str | os.PathLike[str], device: Device = "cpu") -> dict[str, Tensor]:
    """The tensors in a file."""
    check_device(device)
    with open(filename, "rb") as file:
        return load(file.read())


def tensor_of(name, dtype, shape, data):
    if dtype not in NAMES:
        raise NotImplementedError(f"{name} has elements of type {dtype}, which leafward does not have: load it with "
                                  "PyTorch and save it as one of " + ", ".join(sorted(NAMES)))
    array = cpu.from_buffer(data, NAMES[dtype], -1, 0) if len(data) else cpu.empty((0,), NAMES[dtype])
    # The package hands out bytes of its own, in a bytearray in some versions and read-only in others.
    storage = rebuild.storage_of(array if array.flags.writeable else cpu.copy(array))
    return rebuild.rebuild_tensor_v3(storage, 0, shape, contiguous_strides(shape), False, None, NAMES[dtype])


def check_tensors(tensors):
    """Refuse what the format cannot say: tensors that share memory would come back as copies."""
    by_storage = {}
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise ValueError(f"Key `{name}` is invalid, expected torch.Tensor but received {type(tensor)}")
        if tensor._dtype not in NAMES.values() or tensor._dtype is dtypes.complex128:
            raise ValueError(f"safetensors has no type for the {tensor._dtype} of {name}: convert it first")
        others = by_storage.setdefault(id(tensor._storage), [])
        for other in others:
            if cpu.overlap(tensor._array, tensors[other]._array):
                raise RuntimeError(
                    "Some tensors share memory, this will lead to duplicate memory on disk and potential differences "
                    f"when loading them again: {other} and {name}. Leave one out and tie them again after loading, or "
                    "use leafward.save, which keeps memory shared.")
        others.append(name)
