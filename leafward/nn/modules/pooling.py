"""Pooling: the maximum, mean or norm over windows."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

from leafward.nn import functional as F
from leafward.nn.modules.module import Module
from leafward.nn.modules.utils import _pair, _single, _triple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.nn.common_types import _size_1_t, _size_2_t, _size_3_t, _size_any_t
    from leafward.tensor.tensor import Tensor


class _MaxPoolNd(Module):
    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]

    def __init__(self, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0,
                 dilation: _size_any_t = 1, return_indices: bool = False, ceil_mode: bool = False) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _pool(self, pool, input):
        return pool(input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode,
                    return_indices=self.return_indices)

    def extra_repr(self) -> str:
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
                f"dilation={self.dilation}, ceil_mode={self.ceil_mode}")


class MaxPool1d(_MaxPoolNd):
    """The largest value of each window: (n, c, l) or (c, l) -> (n, c, l').

    ``l' = floor((l + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1)``

    {kernel_size, stride, padding, dilation, return_indices, ceil_mode}

    >>> lw.nn.MaxPool1d(2)(lw.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[3., 2.]])
    """

    def forward(self, input: Tensor) -> Any:
        return self._pool(F.max_pool1d, input)


class MaxPool2d(_MaxPoolNd):
    """The largest value of each window: (n, c, h, w) or (c, h, w) -> (n, c, h', w').

    ``h' = floor((h + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1)``, and w' likewise

    {kernel_size, stride, padding, dilation, return_indices, ceil_mode}

    >>> lw.nn.MaxPool2d(3, stride=2, padding=1)(lw.ones(1, 3, 8, 8)).shape
    torch.Size([1, 3, 4, 4])
    """

    def forward(self, input: Tensor) -> Any:
        return self._pool(F.max_pool2d, input)


class MaxPool3d(_MaxPoolNd):
    """The largest value of each window: (n, c, d, h, w) or (c, d, h, w) -> (n, c, d', h', w').

    ``d' = floor((d + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1)``, and h', w' likewise

    {kernel_size, stride, padding, dilation, return_indices, ceil_mode}

    >>> lw.nn.MaxPool3d(2)(lw.ones(1, 3, 4, 8, 8)).shape
    torch.Size([1, 3, 2, 4, 4])
    """

    def forward(self, input: Tensor) -> Any:
        return self._pool(F.max_pool3d, input)


class _MaxUnpoolNd(Module):
    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Put each value back to where :class:`MaxPool1d` found it, zeros elsewhere: (n, c, l'), indices (n, c, l') -> (n, c, l).

    {kernel_size, stride}
    padding: what the pooling had, a number or a tuple

    >>> values, indices = lw.nn.MaxPool1d(2, return_indices=True)(lw.tensor([[1.0, 3.0, 2.0, 0.0]]))
    >>> lw.nn.MaxUnpool1d(2)(values, indices)
    tensor([[0., 3., 2., 0.]])
    """

    def __init__(self, kernel_size: _size_1_t, stride: _size_1_t | None = None, padding: _size_1_t = 0) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(stride if stride is not None else kernel_size)
        self.padding = _single(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_MaxUnpoolNd):
    """Put each value back to where :class:`MaxPool2d` found it, zeros elsewhere: two of (n, c, h', w') -> (n, c, h, w).

    {kernel_size, stride}
    padding: what the pooling had, a number or a tuple

    >>> values, indices = lw.nn.MaxPool2d(2, return_indices=True)(lw.ones(1, 1, 4, 4))
    >>> lw.nn.MaxUnpool2d(2)(values, indices).shape
    torch.Size([1, 1, 4, 4])
    """

    def __init__(self, kernel_size: _size_2_t, stride: _size_2_t | None = None, padding: _size_2_t = 0) -> None:
        super().__init__()
        self.kernel_size = _pair(kernel_size)
        self.stride = _pair(stride if stride is not None else kernel_size)
        self.padding = _pair(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_MaxUnpoolNd):
    """Put each value back to where :class:`MaxPool3d` found it, zeros elsewhere: two of (n, c, d', h', w') -> (n, c, d, h, w).

    {kernel_size, stride}
    padding: what the pooling had, a number or a tuple

    >>> values, indices = lw.nn.MaxPool3d(2, return_indices=True)(lw.ones(1, 1, 4, 4, 4))
    >>> lw.nn.MaxUnpool3d(2)(values, indices).shape
    torch.Size([1, 1, 4, 4, 4])
    """

    def __init__(self, kernel_size: _size_3_t, stride: _size_3_t | None = None, padding: _size_3_t = 0) -> None:
        super().__init__()
        self.kernel_size = _triple(kernel_size)
        self.stride = _triple(stride if stride is not None else kernel_size)
        self.padding = _triple(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class _AvgPoolNd(Module):
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """The mean of each window: (n, c, l) or (c, l) -> (n, c, l'), ``l' = floor((l + 2 * padding - kernel_size) / stride + 1)``.

    {kernel_size, stride, padding, ceil_mode, count_include_pad}

    >>> lw.nn.AvgPool1d(2)(lw.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    def __init__(self, kernel_size: _size_1_t, stride: _size_1_t | None = None, padding: _size_1_t = 0, ceil_mode: bool = False,
                 count_include_pad: bool = True) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(stride if stride is not None else kernel_size)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


class _AvgPoolWithDivisor(_AvgPoolNd):
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"]

    def __init__(self, kernel_size: _size_any_t, stride: _size_any_t | None = None, padding: _size_any_t = 0,
                 ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override


class AvgPool2d(_AvgPoolWithDivisor):
    """The mean of each window: (n, c, h, w) or (c, h, w) -> (n, c, h', w').

    ``h' = floor((h + 2 * padding - kernel_size) / stride + 1)``, and w' likewise

    {kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override}

    >>> lw.nn.AvgPool2d(2)(lw.ones(1, 3, 8, 8)).shape
    torch.Size([1, 3, 4, 4])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                            self.count_include_pad, self.divisor_override)


class AvgPool3d(_AvgPoolWithDivisor):
    """The mean of each window: (n, c, d, h, w) or (c, d, h, w) -> (n, c, d', h', w').

    ``d' = floor((d + 2 * padding - kernel_size) / stride + 1)``, and h', w' likewise

    {kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override}

    >>> lw.nn.AvgPool3d(2)(lw.ones(1, 3, 4, 8, 8)).shape
    torch.Size([1, 3, 2, 4, 4])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool3d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                            self.count_include_pad, self.divisor_override)


class _LPPoolNd(Module):
    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]

    def __init__(self, norm_type: float, kernel_size: _size_any_t, stride: _size_any_t | None = None,
                 ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
                f"ceil_mode={self.ceil_mode}")


class LPPool1d(_LPPoolNd):
    """``(sum of x ** norm_type) ** (1 / norm_type)`` of each window: (n, c, l) or (c, l) -> (n, c, l').

    norm_type: the power; 1: the sum of the window
    {kernel_size, stride, ceil_mode}

    >>> lw.nn.LPPool1d(2, 2)(lw.tensor([[3.0, 4.0]]))
    tensor([[5.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPoolNd):
    """``(sum of x ** norm_type) ** (1 / norm_type)`` of each window: (n, c, h, w) or (c, h, w) -> (n, c, h', w').

    norm_type: the power; 1: the sum of the window
    {kernel_size, stride, ceil_mode}

    >>> lw.nn.LPPool2d(2, 2)(lw.ones(1, 1, 2, 2))
    tensor([[[[2.]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPoolNd):
    """``(sum of x ** norm_type) ** (1 / norm_type)`` of each window: (n, c, d, h, w) or (c, d, h, w) -> (n, c, d', h', w').

    norm_type: the power; 1: the sum of the window
    {kernel_size, stride, ceil_mode}

    >>> lw.nn.LPPool3d(1, 2)(lw.ones(1, 1, 2, 2, 2)).flatten()
    tensor([8.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class _AdaptiveAvgPoolNd(Module):
    __constants__ = ["output_size"]

    def __init__(self, output_size: int | Sequence[int | None]) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The mean of as many windows as ``output_size`` asks for: (n, c, l) or (c, l) -> (n, c, output_size).

    output_size: windows; window i runs from floor(i * l / output_size) to ceil((i + 1) * l / output_size)

    >>> lw.nn.AdaptiveAvgPool1d(2)(lw.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The mean of as many windows as ``output_size`` asks for: (n, c, h, w) or (c, h, w) -> (n, c, *output_size).

    output_size: a number for both dimensions, or a pair; None stands for the size of the input

    >>> lw.nn.AdaptiveAvgPool2d(1)(lw.ones(1, 3, 8, 8)).shape
    torch.Size([1, 3, 1, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The mean of as many windows as ``output_size`` asks for: (n, c, d, h, w) or (c, d, h, w) -> (n, c, *output_size).

    output_size: a number for all dimensions, or three; None stands for the size of the input

    >>> lw.nn.AdaptiveAvgPool3d((2, None, 1))(lw.ones(1, 3, 4, 8, 8)).shape
    torch.Size([1, 3, 2, 8, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)


class _AdaptiveMaxPoolNd(Module):
    __constants__ = ["output_size", "return_indices"]

    def __init__(self, output_size: int | Sequence[int | None], return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The maximum of as many windows as ``output_size`` asks for: (n, c, l) or (c, l) -> (n, c, output_size).

    output_size: windows; window i runs from floor(i * l / output_size) to ceil((i + 1) * l / output_size)
    {return_indices}

    >>> lw.nn.AdaptiveMaxPool1d(2)(lw.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[3., 2.]])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The maximum of as many windows as ``output_size`` asks for: (n, c, h, w) or (c, h, w) -> (n, c, *output_size).

    output_size: a number for both dimensions, or a pair; None stands for the size of the input
    {return_indices}

    >>> lw.nn.AdaptiveMaxPool2d((2, None))(lw.ones(1, 3, 8, 8)).shape
    torch.Size([1, 3, 2, 8])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The maximum of as many windows as ``output_size`` asks for: (n, c, d, h, w) or (c, d, h, w) -> (n, c, *output_size).

    output_size: a number for all dimensions, or three; None stands for the size of the input
    {return_indices}

    >>> lw.nn.AdaptiveMaxPool3d(2)(lw.ones(1, 3, 4, 8, 8)).shape
    torch.Size([1, 3, 2, 2, 2])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)
