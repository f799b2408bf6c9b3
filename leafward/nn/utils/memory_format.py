"""Weights of convolutions in another order of memory."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.nn.modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d

if TYPE_CHECKING:
    from leafward.dtypes import memory_format as MemoryFormat
    from leafward.nn.modules.module import Module


def convert(module, memory_format, kinds):
    for submodule in module.modules():
        if isinstance(submodule, kinds):
            weight = submodule.weight.detach().clone().contiguous(memory_format=memory_format)
            submodule.weight.data = weight
    return module


def convert_conv2d_weight_memory_format(module: Module, memory_format: MemoryFormat) -> Module:
    """Lay out the weights of all two-dimensional convolutions in ``module`` as ``memory_format``; returns the module.

    module: one module, or a tree of them
    memory_format: ``channels_last`` or ``contiguous_format``

    >>> conv = convert_conv2d_weight_memory_format(lw.nn.Conv2d(2, 4, 3), lw.channels_last)
    >>> conv.weight.stride()
    (18, 1, 6, 2)
    """
    return convert(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module: Module, memory_format: MemoryFormat) -> Module:
    """Lay out the weights of all three-dimensional convolutions in ``module`` as ``memory_format``; returns the module.

    module: one module, or a tree of them
    memory_format: ``channels_last_3d`` or ``contiguous_format``

    >>> conv = convert_conv3d_weight_memory_format(lw.nn.Conv3d(2, 4, 3), lw.channels_last_3d)
    >>> conv.weight.stride()
    (54, 1, 18, 6, 2)
    """
    return convert(module, memory_format, (Conv3d, ConvTranspose3d))
