"""A last linear layer and the cross entropy of its scores in one module."""
from __future__ import annotations

import math
from typing import Any, TYPE_CHECKING

from leafward.nn import functional as F
from leafward.nn.modules.linear import Linear
from leafward.nn.modules.loss import _WeightedLoss

if TYPE_CHECKING:
    from leafward.tensor.annotations import DType, Device
    from leafward.tensor.tensor import Tensor


class LinearCrossEntropyOptions:
    """How PyTorch splits ``linear_cross_entropy`` into chunks. leafward computes it whole, with the same result.

    allow_retain_graph: whether the graph may be kept for a second backward
    batch_chunk_size: rows of a chunk; None: chosen
    chunking_method, acc_policy: how chunks are made and added up; "auto": chosen
    acc_dtype: dtype in which they are added up; None: chosen

    >>> lw.nn.LinearCrossEntropyOptions().chunking_method
    'auto'
    """

    def __init__(self, allow_retain_graph: bool = False, batch_chunk_size: Any = None, chunking_method: str | None = "auto",
                 acc_policy: str = "auto", acc_dtype: Any = None) -> None:
        if acc_policy not in ("auto", "accurate", "balanced", "compact"):
            raise ValueError(f"invalid acc_policy: {acc_policy!r}")
        if batch_chunk_size is not None and not (isinstance(batch_chunk_size, int) and batch_chunk_size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {batch_chunk_size!r}")
        self.allow_retain_graph = allow_retain_graph
        self.batch_chunk_size = batch_chunk_size
        self.chunking_method = chunking_method
        self.acc_policy = acc_policy
        self.acc_dtype = acc_dtype

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"LinearCrossEntropyOptions({fields})"

    def __eq__(self, other):
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None


class LinearCrossEntropyLoss(_WeightedLoss):
    """``cross_entropy(input @ weight.T + bias, target)``: (n, in_features), classes (n) -> scalar, or (n) unreduced.

    in_features, num_classes: sizes of the weight, (num_classes, in_features)
    out_features: further sizes of the target, as (n, *out_features); (): none
    {bias, device, dtype, reduction}
    weight: factor of each class; None: ones
    ignore_index: a target that counts neither in the loss nor in its mean; None: none
    label_smoothing: share of the target that is spread evenly over all classes
    options: a :class:`LinearCrossEntropyOptions`; None: the usual ones

    >>> lw.nn.LinearCrossEntropyLoss(4, 3)(lw.ones(2, 4), lw.tensor([0, 2])).shape
    torch.Size([])
    """

    __constants__ = ["num_classes", "out_features", "reduction", "ignore_index", "label_smoothing"]

    def __init__(self, in_features: int, num_classes: int, *, out_features: int | tuple[int, ...] = (), bias: bool = False,
                 device: Device | None = None, dtype: DType | None = None, reduction: str = "mean",
                 weight: Tensor | None = None, ignore_index: int | None = None, label_smoothing: float = 0.0,
                 options: Any = None) -> None:
        if weight is not None and weight.shape != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1.0:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight=weight, reduction=reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.linear = Linear(in_features, math.prod(out_features, start=num_classes), bias=bias, device=device,
                             dtype=dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        shape = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input, self.linear.weight.reshape(*shape, self.linear.in_features), target,
            linear_bias=None if bias is None else bias.reshape(shape), weight=self.weight, reduction=self.reduction,
            ignore_index=self.ignore_index, label_smoothing=self.label_smoothing, options=self.options)

    def extra_repr(self) -> str:
        return (f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
                f"out_features={self.out_features}, bias={self.linear.bias is not None}, reduction={self.reduction}, "
                f"ignore_index={self.ignore_index}, label_smoothing={self.label_smoothing}, options={self.options}")
