"""What objects are called in PyTorch's files: ``leafward.size.Size`` is stored as ``torch.Size``, and found again."""
from collections import OrderedDict
from importlib import import_module

from leafward import devices, dtypes
from leafward.tensor.random import Generator
from leafward.tensor.size import Size
from leafward.tensor.tensor import Tensor

from leafward.io.damage import said

#: Files that PyTorch names otherwise.
FILES = {
    "leafward.nn.modules.parameter_container": "torch.nn.modules.container",
    "leafward.nn.modules.cross_map": "torch.nn.modules.normalization",
    "leafward.nn.modules.fractional_pooling": "torch.nn.modules.pooling",
    "leafward.nn.modules.rnn_cells": "torch.nn.modules.rnn",
    "leafward.nn.modules.multihead_attention": "torch.nn.modules.activation",
    "leafward.nn.modules.softmax": "torch.nn.modules.activation",
    "leafward.optim.schedulers": "torch.optim.lr_scheduler",
    "leafward.optim.adafactor": "torch.optim",
    "leafward.optim.muon": "torch.optim",
    "leafward.distributions.split_transforms": "torch.distributions.transforms",
    "leafward.distributions.transform_base": "torch.distributions.transforms",
    "leafward.distributions.matrix_transforms": "torch.distributions.transforms",
}
#: Classes that PyTorch keeps in another file than their neighbours.
CLASSES = {
    **{f"Lazy{kind}{n}d": f"torch.nn.modules.{file}" for n in (1, 2, 3) for kind, file in (
        ("BatchNorm", "batchnorm"), ("InstanceNorm", "instancenorm"), ("Conv", "conv"), ("ConvTranspose", "conv"))},
    "LazyLinear": "torch.nn.modules.linear", "ChannelShuffle": "torch.nn.modules.channelshuffle",
    "LinearCrossEntropyLoss": "torch.nn.modules.loss",
    "LinearCrossEntropyOptions": "torch.nn.modules.linear_cross_entropy_options",
}
#: Classes that PyTorch shows under its own name, or keeps in its part written in C.
TOP = {Generator: ("torch._C", "Generator"), Size: "Size", devices.device: "device", Tensor: "Tensor", **{
    cls: cls.__name__ for cls in (dtypes.dtype, dtypes.finfo, dtypes.iinfo, dtypes.layout, dtypes.memory_format,
                                    dtypes.qscheme)}}

#: ``("torch._utils", "_rebuild_tensor_v2")`` -> the function of ours that stands for it, and back.
rebuilders = {}
names_of_rebuilders = {}

#: Element types of storages: ``FloatStorage`` -> float32.
STORAGE_DTYPES = {
    dtype.tensor_type.replace("Tensor", "Storage"): dtype
    for dtype in dtypes.by_name.values() if dtype not in dtypes.PACKED and dtype not in dtypes.BAREBONES
}


class StorageType:
    """A name such as ``torch.FloatStorage``, which stands in files for an element type; ``UntypedStorage`` for none."""

    __slots__ = ("dtype", "module", "name")

    def __init__(self, module, name, dtype):
        self.module, self.name, self.dtype = module, name, dtype

    def __reduce__(self):
        return self.name


UNTYPED = StorageType("torch.storage", "UntypedStorage", None)
STORAGE_TYPES = {dtype: StorageType("torch", name, dtype) for name, dtype in STORAGE_DTYPES.items()}
storage_type_by_name = {
    **{("torch", t.name): t for t in STORAGE_TYPES.values()},
    **{("torch.cuda", t.name): t for t in STORAGE_TYPES.values()},
    ("torch.storage", "UntypedStorage"): UNTYPED, ("torch", "UntypedStorage"): UNTYPED,
}


#: Kinds of tensors that files of PyTorch's can hold and leafward cannot, by the function that makes them.
FOREIGN = {
    "_rebuild_qtensor": "quantized",
    "_rebuild_nested_tensor": "nested", "_rebuild_wrapper_subclass": "wrapper subclass",
    "_rebuild_meta_tensor_no_storage": "meta", "_rebuild_device_tensor_from_numpy": "XLA or Maia",
    "_rebuild_device_tensor_from_cpu_tensor": "XLA or Maia",
}


#: Where functions are that PyTorch keeps in its part written in C.
PLACES = {"torch._C._nn": "torch.nn.functional"}


def rebuilds(module, name):
    """Declare the function below as what a file calls ``module.name``."""
    def declare(function):
        rebuilders[module, name] = function
        names_of_rebuilders[function] = (module, name)
        return function
    return declare


def stored_name(obj, name):
    """``(module, name)`` under which ``obj``, known here as ``name``, stands in a file; None if it is not ours."""
    if isinstance(obj, StorageType):
        return obj.module, obj.name
    if isinstance(obj, dtypes.Constant):
        return "torch", obj.name
    if (found := TOP.get(obj) or names_of_rebuilders.get(obj)) is not None:
        return ("torch", found) if isinstance(found, str) else found
    module = getattr(obj, "__module__", None) or ""
    if module.split(".")[0] != "leafward":
        return None
    if module.startswith("leafward.nn.modules.") and (theirs := CLASSES.get(name)) is not None:
        return theirs, name
    for ours, theirs in FILES.items():
        if module == ours or module.startswith(ours + "."):
            return theirs, name
    return "torch" + module.removeprefix("leafward"), name


def find(module, name):
    """The object that a file calls ``module.name``, where ``module`` is PyTorch's."""
    if (known := rebuilders.get((module, name)) or storage_type_by_name.get((module, name))) is not None:
        return known
    if module == "torch._utils" and name in FOREIGN:
        raise NotImplementedError(f"the file holds a {FOREIGN[name]} tensor, which leafward does not have: load it "
                                  "with PyTorch and save a dense CPU copy (to_dense(), dequantize(), cpu())")
    candidate = "leafward" + PLACES.get(module, module).removeprefix("torch")
    # PyTorch's files are not all ours: what is not in its own file is looked for where users see it, one level up.
    while candidate:
        try:
            home = import_module(candidate)
        except ModuleNotFoundError:
            home = None
        found = home
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is not None:
            return found
        candidate = candidate.rpartition(".")[0]
    raise said(AttributeError(f"the file needs {module}.{name}, which leafward does not have"))


def no_hooks():
    """The empty dict that files hold in the place of backward hooks."""
    return OrderedDict()
