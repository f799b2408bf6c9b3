"""One module on all of the batch: there are no GPUs to share it."""
from leafward.nn.modules.module import Module


class DataParallel(Module):
    """``module`` on parts of the batch, one part a GPU; without GPUs on the whole batch, as in PyTorch's CPU build: (*) -> (*).

    module: what to run
    device_ids, output_device: which GPUs; without effect, for there are none
    dim: which dimension would be split

    >>> DataParallel(lw.nn.ReLU())(lw.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module = module
        self.device_ids = []
        self.dim = dim

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """``module(*inputs)``, as :class:`DataParallel` runs it.

    module: what to run
    inputs: a tensor or a tuple of them
    device_ids, output_device: which GPUs; without effect, for there are none
    dim: which dimension would be split
    module_kwargs: further arguments, by name; None: none

    >>> data_parallel(lw.nn.ReLU(), lw.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    return module(*inputs, **(module_kwargs or {}))
