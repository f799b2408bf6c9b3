"""All parameters as one vector, and back."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.nn.modules.utils import typename

if TYPE_CHECKING:
    from collections.abc import Iterable
    from leafward.tensor.tensor import Tensor


def parameters_to_vector(parameters: Tensor | Iterable[Tensor]) -> Tensor:
    """One vector of all parameters' values, in order.

    parameters: an iterable of tensors

    >>> parameters_to_vector(lw.nn.Linear(2, 3).parameters()).shape
    torch.Size([9])
    """
    return lw.cat([p.view(-1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Tensor | Iterable[Tensor]) -> None:
    """Give each parameter its slice of ``vec``.

    vec: as :func:`parameters_to_vector` makes it
    parameters: an iterable of tensors

    >>> layer = lw.nn.Linear(1, 1)
    >>> vector_to_parameters(lw.tensor([2.0, 3.0]), layer.parameters())
    >>> layer(lw.ones(1)).item()
    5.0
    """
    if not isinstance(vec, lw.Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for p in parameters:
        end = start + p.numel()
        p.data = vec[start:end].view_as(p).data
        start = end
