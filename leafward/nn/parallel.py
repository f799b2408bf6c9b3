"""A module on several devices. With the CPU alone it runs where it is."""
from leafward.compat.distributed import new_group
from leafward.tensor.missing import names_missing_from
from leafward.nn.modules.module import Module

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]


class DataParallel(Module):
    """``module`` on parts of the batch, one part a GPU; without GPUs on the whole batch, as in PyTorch's CPU build."""

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module = module
        self.device_ids = []
        self.dim = dim

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(Module):
    """``module`` in several processes, which leafward has not: for programs that import it, and need it only there."""

    def __init__(self, module, *args, **kwargs):
        super().__init__()
        new_group()


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """``module(*inputs)``, as :class:`DataParallel` runs it."""
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    return module(*inputs, **(module_kwargs or {}))


__getattr__ = names_missing_from("torch.nn.parallel", globals())
