"""Convolutions and transposed convolutions."""
from __future__ import annotations

import math
from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.nn import functional as F, init
from leafward.nn.modules.module import Module
from leafward.nn.modules.utils import _pair, _reverse_repeat_tuple, _single, _triple
from leafward.nn.parameter import Parameter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.nn.common_types import _size_1_t, _size_2_t, _size_3_t, _size_any_t
    from leafward.tensor.annotations import DType, Device
    from leafward.tensor.tensor import Tensor

PADDING_MODES = ("reflect", "replicate", "circular", "zeros")


class _ConvNd(Module):
    """What all convolutions share: weight, bias, their initial values and the printed form."""

    __constants__ = ["stride", "padding", "dilation", "groups", "padding_mode", "output_padding", "in_channels",
                     "out_channels", "kernel_size"]

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _size_any_t, stride: _size_any_t, padding: _size_any_t,
                 dilation: _size_any_t, transposed: Any, output_padding: _size_any_t, groups: int, bias: bool,
                 padding_mode: str, device: Device | None = None, dtype: DType | None = None) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("valid", "same"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
            if padding == "same" and any(s != 1 for s in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in PADDING_MODES:
            raise ValueError(f"padding_mode must be one of {{{', '.join(map(repr, PADDING_MODES))}}}, "
                             f"but got padding_mode='{padding_mode}'")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._padding_for_pad()
        if transposed:
            shape = (in_channels, out_channels // groups, *kernel_size)
        else:
            shape = (out_channels, in_channels // groups, *kernel_size)
        self.weight = Parameter(lw.empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(lw.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _padding_for_pad(self):
        """The padding as ``F.pad`` reads it, last axis first; an odd total of "same" puts the extra one behind."""
        if not isinstance(self.padding, str):
            return _reverse_repeat_tuple(self.padding, 2)
        sides = []
        for k, d in zip(reversed(self.kernel_size), reversed(self.dilation), strict=True):
            total = d * (k - 1) if self.padding == "same" else 0
            sides += [total // 2, total - total // 2]
        return sides

    def reset_parameters(self) -> None:
        """Draw weight and bias uniformly from ±1/sqrt(values that feed one output)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if isinstance(self.padding, str) or any(self.padding):
            text += f", padding={self.padding}"
        if any(d != 1 for d in self.dilation):
            text += f", dilation={self.dilation}"
        if any(self.output_padding):
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text

    def _convolve(self, conv, input, weight, bias):
        if self.padding_mode == "zeros":
            return conv(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
        padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
        return conv(padded, weight, bias, self.stride, 0, self.dilation, self.groups)


class Conv1d(_ConvNd):
    """Slide a kernel over a sequence: (n, in_channels, l) or (in_channels, l) -> (n, out_channels, l').

    ``out[o] = bias[o] + sum over i of weight[o, i] * input[i]`` with * the cross-correlation;
    ``l' = floor((l + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1)``.

    {in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype}
    Raises: ValueError where ``groups`` does not divide both numbers of channels; RuntimeError where the kernel is larger
        than the padded input

    >>> lw.nn.Conv1d(4, 8, 3, padding="same")(lw.ones(1, 4, 10)).shape
    torch.Size([1, 8, 10])
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _size_1_t, stride: _size_1_t = 1,
                 padding: str | _size_1_t = 0, dilation: _size_1_t = 1, groups: int = 1, bias: bool = True,
                 padding_mode: str = "zeros", device: Device | None = None, dtype: DType | None = None) -> None:
        super().__init__(in_channels, out_channels, _single(kernel_size), _single(stride),
                         padding if isinstance(padding, str) else _single(padding), _single(dilation), False,
                         _single(0), groups, bias, padding_mode, device, dtype)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: bool) -> Tensor:
        return self._convolve(F.conv1d, input, weight, bias)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class Conv2d(_ConvNd):
    """Slide a kernel over an image: (n, in_channels, h, w) or (in_channels, h, w) -> (n, out_channels, h', w').

    ``out[o] = bias[o] + sum over i of weight[o, i] * input[i]`` with * the cross-correlation;
    ``h' = floor((h + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1)``, and w' likewise.

    {in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype}
    Raises: ValueError where ``groups`` does not divide both numbers of channels; RuntimeError where the kernel is larger
        than the padded input

    >>> from leafward import nn
    >>> nn.Conv2d(4, 8, 3, stride=2, padding=1)(leafward.ones(1, 4, 5, 5)).shape
    torch.Size([1, 8, 3, 3])
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _size_2_t, stride: _size_2_t = 1,
                 padding: str | _size_2_t = 0, dilation: _size_2_t = 1, groups: int = 1, bias: bool = True,
                 padding_mode: str = "zeros", device: Device | None = None, dtype: DType | None = None) -> None:
        super().__init__(in_channels, out_channels, _pair(kernel_size), _pair(stride),
                         padding if isinstance(padding, str) else _pair(padding), _pair(dilation), False,
                         _pair(0), groups, bias, padding_mode, device, dtype)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: bool) -> Tensor:
        return self._convolve(F.conv2d, input, weight, bias)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class Conv3d(_ConvNd):
    """Slide a kernel over a volume: (n, in_channels, d, h, w) or (in_channels, d, h, w) -> (n, out_channels, d', h', w').

    ``out[o] = bias[o] + sum over i of weight[o, i] * input[i]`` with * the cross-correlation;
    ``d' = floor((d + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1)``, and h', w' likewise.

    {in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype}
    Raises: ValueError where ``groups`` does not divide both numbers of channels; RuntimeError where the kernel is larger
        than the padded input

    >>> lw.nn.Conv3d(1, 2, (1, 3, 3))(lw.ones(1, 1, 4, 5, 5)).shape
    torch.Size([1, 2, 4, 3, 3])
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _size_3_t, stride: _size_3_t = 1,
                 padding: str | _size_3_t = 0, dilation: _size_3_t = 1, groups: int = 1, bias: bool = True,
                 padding_mode: str = "zeros", device: Device | None = None, dtype: DType | None = None) -> None:
        super().__init__(in_channels, out_channels, _triple(kernel_size), _triple(stride),
                         padding if isinstance(padding, str) else _triple(padding), _triple(dilation), False,
                         _triple(0), groups, bias, padding_mode, device, dtype)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: bool) -> Tensor:
        return self._convolve(F.conv3d, input, weight, bias)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class _ConvTransposeNd(_ConvNd):
    """What all transposed convolutions share: the output padding that reaches a wanted output size."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _size_any_t, stride: _size_any_t, padding: _size_any_t,
                 dilation: _size_any_t, transposed: Any, output_padding: _size_any_t, groups: int, bias: bool,
                 padding_mode: str, device: Device | None = None, dtype: DType | None = None) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding,
                         groups, bias, padding_mode, device, dtype)

    def _output_padding(self, input, output_size, stride, padding, kernel_size, num_spatial_dims, dilation=None):
        if output_size is None:
            return list(self.output_padding)
        first = input.dim() - num_spatial_dims
        batch_dims = 2 if input.dim() == num_spatial_dims + 2 else 1
        if len(output_size) == num_spatial_dims + batch_dims:
            output_size = output_size[batch_dims:]
        if len(output_size) != num_spatial_dims:
            raise ValueError(
                f"ConvTranspose{num_spatial_dims}D: for {input.dim()}D input, output_size must have {num_spatial_dims} "
                f"or {num_spatial_dims + batch_dims} elements (got {len(output_size)})")
        dilation = (1,) * num_spatial_dims if dilation is None else dilation
        smallest = [(input.size(first + d) - 1) * stride[d] - 2 * padding[d] + dilation[d] * (kernel_size[d] - 1) + 1
                    for d in range(num_spatial_dims)]
        largest = [smallest[d] + stride[d] - 1 for d in range(num_spatial_dims)]
        for size, low, high in zip(output_size, smallest, largest, strict=True):
            if not low <= size <= high:
                raise ValueError(f"requested an output size of {output_size}, but valid sizes range from {smallest} "
                                 f"to {largest} (for an input of {input.size()[2:]})")
        return [size - low for size, low in zip(output_size, smallest, strict=True)]

    def _convolve_transposed(self, conv, input, output_size):
        output_padding = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, len(self.kernel_size), self.dilation)
        return conv(input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups,
                    self.dilation)



class ConvTranspose1d(_ConvTransposeNd):
    """The gradient of :class:`Conv1d` as a layer: (n, in_channels, l) -> (n, out_channels, l').

    ``l' = (l - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1``; ``forward(input,
    output_size)`` finds the output padding by itself.

    {in_channels, out_channels, kernel_size, stride}
    padding: how much is cut off both sides of the output: what the convolution had padded
    {output_padding, groups, bias, dilation}
    padding_mode: "zeros", the only one
    {device, dtype}

    >>> lw.nn.ConvTranspose1d(4, 2, 3, stride=2)(lw.ones(1, 4, 5)).shape
    torch.Size([1, 2, 11])
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _size_1_t, stride: _size_1_t = 1,
                 padding: _size_1_t = 0, output_padding: _size_1_t = 0, groups: int = 1, bias: bool = True,
                 dilation: _size_1_t = 1, padding_mode: str = "zeros", device: Device | None = None,
                 dtype: DType | None = None) -> None:
        super().__init__(in_channels, out_channels, _single(kernel_size), _single(stride), _single(padding),
                         _single(dilation), True, _single(output_padding), groups, bias, padding_mode, device, dtype)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return self._convolve_transposed(F.conv_transpose1d, input, output_size)


class ConvTranspose2d(_ConvTransposeNd):
    """The gradient of :class:`Conv2d` as a layer: (n, in_channels, h, w) -> (n, out_channels, h', w').

    ``h' = (h - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1``, and w' likewise;
    ``forward(input, output_size)`` finds the output padding by itself.

    {in_channels, out_channels, kernel_size, stride}
    padding: how much is cut off both sides of the output: what the convolution had padded
    {output_padding, groups, bias, dilation}
    padding_mode: "zeros", the only one
    {device, dtype}

    >>> lw.nn.ConvTranspose2d(4, 2, 2, stride=2)(lw.ones(1, 4, 5, 5)).shape
    torch.Size([1, 2, 10, 10])
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _size_2_t, stride: _size_2_t = 1,
                 padding: _size_2_t = 0, output_padding: _size_2_t = 0, groups: int = 1, bias: bool = True,
                 dilation: _size_2_t = 1, padding_mode: str = "zeros", device: Device | None = None,
                 dtype: DType | None = None) -> None:
        super().__init__(in_channels, out_channels, _pair(kernel_size), _pair(stride), _pair(padding),
                         _pair(dilation), True, _pair(output_padding), groups, bias, padding_mode, device, dtype)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return self._convolve_transposed(F.conv_transpose2d, input, output_size)


class ConvTranspose3d(_ConvTransposeNd):
    """The gradient of :class:`Conv3d` as a layer: (n, in_channels, d, h, w) -> (n, out_channels, d', h', w').

    ``d' = (d - 1) * stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1``, and h', w' likewise;
    ``forward(input, output_size)`` finds the output padding by itself.

    {in_channels, out_channels, kernel_size, stride}
    padding: how much is cut off both sides of the output: what the convolution had padded
    {output_padding, groups, bias, dilation}
    padding_mode: "zeros", the only one
    {device, dtype}

    >>> lw.nn.ConvTranspose3d(1, 2, 2, stride=2)(lw.ones(1, 1, 2, 3, 3)).shape
    torch.Size([1, 2, 4, 6, 6])
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: _size_3_t, stride: _size_3_t = 1,
                 padding: _size_3_t = 0, output_padding: _size_3_t = 0, groups: int = 1, bias: bool = True,
                 dilation: _size_3_t = 1, padding_mode: str = "zeros", device: Device | None = None,
                 dtype: DType | None = None) -> None:
        super().__init__(in_channels, out_channels, _triple(kernel_size), _triple(stride), _triple(padding),
                         _triple(dilation), True, _triple(output_padding), groups, bias, padding_mode, device, dtype)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return self._convolve_transposed(F.conv_transpose3d, input, output_size)
