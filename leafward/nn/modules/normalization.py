"""Normalization within a sample: layer, group and RMS norm, and across neighbouring channels."""
from __future__ import annotations

import numbers
from typing import TYPE_CHECKING

import leafward as lw
from leafward.nn import functional as F, init
from leafward.nn.modules.module import Module
from leafward.nn.parameter import Parameter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import DType, Device
    from leafward.tensor.tensor import Tensor


class _Affine(Module):
    """A normalization with a weight and a bias, if it is to have them."""

    def _make_affine(self, shape, weight, bias, device, dtype):
        for name, wanted in (("weight", weight), ("bias", weight and bias)):
            self.register_parameter(name, Parameter(lw.empty(shape, device=device, dtype=dtype)) if wanted else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weight 1, bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


class LayerNorm(_Affine):
    """``out = (input - mean) / sqrt(var + eps) * weight + bias``, over the last dimensions: (*, *normalized_shape) -> the same.

    normalized_shape: sizes of the last dimensions, over which mean and variance are taken; an int: of the last one
    {eps}
    elementwise_affine: whether there are a trained ``weight`` (at first 1) and ``bias`` (at first 0) of that shape
    bias: with ``elementwise_affine``, whether there is a ``bias``
    {device, dtype}
    Source: Ba, Kiros and Hinton, Layer Normalization, 2016.

    >>> from leafward import nn
    >>> nn.LayerNorm(3)
    LayerNorm((3,), eps=1e-05, elementwise_affine=True, bias=True)
    >>> nn.LayerNorm(2, eps=0, elementwise_affine=False)(leafward.tensor([[1.0, 3.0], [0.0, 10.0]]))
    tensor([[-1.,  1.],
            [-1.,  1.]])
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape: int | Sequence[int], eps: float = 1e-5, elementwise_affine: bool = True,
                 bias: bool = True, device: Device | None = None, dtype: DType | None = None) -> None:
        super().__init__()
        if isinstance(normalized_shape, numbers.Integral):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._make_affine(self.normalized_shape, elementwise_affine, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
                f"bias={self.bias is not None}")


class GroupNorm(_Affine):
    """``out = (input - mean) / sqrt(var + eps) * weight + bias``, over each group of channels: (n, c, *) -> (n, c, *).

    num_groups: groups, into which the channels are split; 1: over all channels of a sample; c: per channel
    num_channels: channels, ``c``, a multiple of ``num_groups``
    {eps, affine, device, dtype}
    bias: with ``affine``, whether there is a ``bias`` beside the ``weight``
    Source: Wu and He, Group Normalization, 2018.
    Raises: ValueError where ``num_groups`` does not divide ``num_channels``

    >>> lw.nn.GroupNorm(2, 6)(lw.ones(1, 6, 4)).shape
    torch.Size([1, 6, 4])
    """

    __constants__ = ["num_groups", "num_channels", "eps", "affine"]

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Device | None = None,
                 dtype: DType | None = None, *, bias: bool = True) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._make_affine(num_channels, affine, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
                f"bias={self.bias is not None}")


class RMSNorm(Module):
    """``out = input / sqrt(mean(input ** 2) + eps) * weight``, over the last dimensions: (*, *normalized_shape) -> the same.

    normalized_shape: sizes of the last dimensions, over which the mean is taken; an int: of the last one
    eps: added to the mean; None: ``finfo(input.dtype).eps``
    elementwise_affine: whether there is a trained ``weight`` (at first 1) of that shape
    {device, dtype}
    Source: Zhang and Sennrich, Root Mean Square Layer Normalization, 2019.

    >>> lw.nn.RMSNorm(2, elementwise_affine=False)(lw.tensor([1.0, 7.0]))
    tensor([0.2000, 1.4000])
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape: int | Sequence[int], eps: float | None = None, elementwise_affine: bool = True,
                 device: Device | None = None, dtype: DType | None = None) -> None:
        super().__init__()
        if isinstance(normalized_shape, numbers.Integral):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.register_parameter("weight", Parameter(lw.empty(self.normalized_shape, device=device, dtype=dtype))
                                if elementwise_affine else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weight 1."""
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LocalResponseNorm(Module):
    """``out = input / (k + alpha * mean(input ** 2 over size neighbouring channels)) ** beta``: (n, c, *) -> (n, c, *).

    size: neighbouring channels in the mean
    alpha, beta, k: the constants of the formula
    Source: Krizhevsky et al., ImageNet Classification with Deep Convolutional Neural Networks, 2012.

    >>> lw.nn.LocalResponseNorm(2)(lw.ones(1, 4, 3)).shape
    torch.Size([1, 4, 3])
    """

    __constants__ = ["size", "alpha", "beta", "k"]

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
