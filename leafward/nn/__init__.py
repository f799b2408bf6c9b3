"""Neural networks: layers, losses, containers, initial values."""
from leafward.tensor.missing import names_missing_from
from leafward.nn import _reduction, attention, common_types, functional, grad, init, modules, parallel, parameter, utils
from leafward.nn.modules import *  # noqa: F403  (the names are listed in modules.__all__)
from leafward.nn.parallel import DataParallel
from leafward.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = ["Buffer", "DataParallel", "Parameter", "UninitializedBuffer", "UninitializedParameter", "attention", "common_types",
           "factory_kwargs", "functional", "grad", "init", "modules", "parallel", "parameter", "utils"]
__all__ += modules.__all__


def factory_kwargs(kwargs):
    """The device, dtype and memory format among a layer's arguments, given by themselves or as ``factory_kwargs``."""
    kwargs = kwargs or {}
    simple = {"device", "dtype", "memory_format"}
    if unexpected := kwargs.keys() - {*simple, "factory_kwargs"}:
        raise TypeError(f"unexpected kwargs {unexpected}")
    found = dict(kwargs.get("factory_kwargs", {}))
    for key in simple & kwargs.keys():
        if key in found:
            raise TypeError(f"{key} specified twice, in **kwargs and in factory_kwargs")
        found[key] = kwargs[key]
    return found


__getattr__ = names_missing_from("torch.nn", globals())
