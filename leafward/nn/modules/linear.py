"""Layers that multiply by a weight matrix."""
from __future__ import annotations

import math
from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.nn import functional as F, init
from leafward.nn.modules.module import Module
from leafward.nn.parameter import Parameter

if TYPE_CHECKING:
    from leafward.tensor.annotations import DType, Device
    from leafward.tensor.tensor import Tensor


class Identity(Module):
    """``out = input``, whatever the arguments: (*) -> (*).

    >>> lw.nn.Identity()(lw.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        return input


class Linear(Module):
    """``out = input @ weight.T + bias``: (..., in_features) -> (..., out_features).

    ``weight`` is (out_features, in_features); both are drawn from ``uniform(-k, k)``, ``k = 1 / sqrt(in_features)``.

    in_features, out_features: sizes of the last dimension before and after
    {bias, device, dtype}
    Raises: RuntimeError where the last size of the input is not ``in_features``

    >>> from leafward import nn
    >>> nn.Linear(4, 2)(leafward.ones(3, 4)).shape
    torch.Size([3, 2])
    """

    __constants__ = ["in_features", "out_features"]

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Device | None = None,
                 dtype: DType | None = None) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(lw.empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(lw.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias uniformly from ±1/sqrt(in_features)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """A :class:`Linear` under the name that attention layers give to theirs."""


class Bilinear(Module):
    """``out[k] = x1 @ weight[k] @ x2 + bias[k]``: (..., in1_features), (..., in2_features) -> (..., out_features).

    in1_features, in2_features: last sizes of the two inputs
    out_features: last size of the output, one weight matrix for each
    {bias, device, dtype}

    >>> lw.nn.Bilinear(2, 3, 4)(lw.ones(5, 2), lw.ones(5, 3)).shape
    torch.Size([5, 4])
    """

    __constants__ = ["in1_features", "in2_features", "out_features"]

    def __init__(self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device: Device | None = None,
                 dtype: DType | None = None) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={in1_features})")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(lw.empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(lw.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias uniformly from ±1/sqrt(in1_features)."""
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
                f"out_features={self.out_features}, bias={self.bias is not None}")
