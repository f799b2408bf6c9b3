"""Merging dimensions into one, and splitting one into several."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

from leafward.nn.modules.module import Module

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.tensor import Tensor


class Flatten(Module):
    """Merge the dimensions from ``start_dim`` to ``end_dim`` into one: (n, a, b, *) -> (n, a * b * ...).

    start_dim, end_dim: the first and the last one; by default all but the batch

    >>> from leafward import nn
    >>> nn.Flatten()(leafward.ones(2, 3, 4)).shape
    torch.Size([2, 12])
    """

    __constants__ = ["start_dim", "end_dim"]

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Split dimension ``dim`` into several: (*, a * b, *) -> (*, a, b, *).

    dim: which one
    unflattened_size: the sizes, one of which may be -1: what is left

    >>> lw.nn.Unflatten(1, (3, -1))(lw.ones(2, 12)).shape
    torch.Size([2, 3, 4])
    """

    __constants__ = ["dim", "unflattened_size"]

    def __init__(self, dim: int | str, unflattened_size: Sequence[Any]) -> None:
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError("unflattened_size must be a tuple of ints, "
                            f"but found type {type(unflattened_size).__name__}")
        for i, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                raise TypeError("unflattened_size must be tuple of ints, "
                                f"but found element of type {type(size).__name__} at pos {i}")
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
