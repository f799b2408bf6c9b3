"""Maximum over windows at randomly drawn, roughly evenly spaced places (Graham)."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

from leafward.nn import functional as F
from leafward.nn.modules.module import Module
from leafward.nn.modules.utils import _pair, _triple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.nn.common_types import _size_3_t, _size_any_t
    from leafward.tensor.tensor import Tensor


class _FractionalMaxPool(Module):
    """What both share: one of an output size and a ratio, and random samples that may be fixed."""

    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]

    def __init__(self, kernel_size: _size_any_t, output_size: int | Sequence[int | None] | None = None,
                 output_ratio: float | Sequence[float] | None = None, return_indices: bool = False,
                 _random_samples: Tensor | None = None) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = self._per_dimension(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else self._per_dimension(output_size)
        self.output_ratio = None if output_ratio is None else self._per_dimension(output_ratio)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def _pooled(self, pool, input):
        return pool(input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
                    _random_samples=self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPool):
    """The largest element of windows at random places: (n, c, h, w) or (c, h, w) -> (n, c, *output_size).

    {kernel_size}
    output_size: size of the output, a number or a pair; None: ``output_ratio`` says it
    output_ratio: output size over input size, between 0 and 1; None: ``output_size`` says it. One of both is given
    {return_indices}
    Source: Graham, Fractional Max-Pooling, 2014.

    >>> lw.nn.FractionalMaxPool2d(2, output_ratio=0.5)(lw.ones(1, 3, 8, 8)).shape
    torch.Size([1, 3, 4, 4])
    """

    _per_dimension = staticmethod(_pair)

    def forward(self, input: Tensor) -> Any:
        return self._pooled(F.fractional_max_pool2d, input)


class FractionalMaxPool3d(_FractionalMaxPool):
    """The largest element of windows at random places: (n, c, d, h, w) or (c, d, h, w) -> (n, c, *output_size).

    {kernel_size}
    output_size: size of the output, a number or three; None: ``output_ratio`` says it
    output_ratio: output size over input size, between 0 and 1; None: ``output_size`` says it. One of both is given
    {return_indices}
    Source: Graham, Fractional Max-Pooling, 2014.

    >>> lw.nn.FractionalMaxPool3d(2, output_size=3)(lw.ones(1, 3, 8, 8, 8)).shape
    torch.Size([1, 3, 3, 3, 3])
    """

    _per_dimension = staticmethod(_triple)

    def __init__(self, kernel_size: _size_3_t, output_size: int | Sequence[int | None] | None = None,
                 output_ratio: float | Sequence[float] | None = None, return_indices: bool = False,
                 _random_samples: Tensor | None = None) -> None:
        if not all(k > 0 for k in _triple(kernel_size)):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        super().__init__(kernel_size, output_size, output_ratio, return_indices, _random_samples)

    def forward(self, input: Tensor) -> Any:
        return self._pooled(F.fractional_max_pool3d, input)
