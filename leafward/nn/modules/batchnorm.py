"""Batch normalization: statistics over the batch, or running ones in evaluation."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.distributed.collectives import all_reduce
from leafward.distributed.nn.functional import all_reduce as summed
from leafward.distributed.world import default_group, is_initialized
from leafward.nn import functional as F, init
from leafward.nn.modules.module import Module
from leafward.nn.parameter import Parameter

if TYPE_CHECKING:
    from leafward.tensor.annotations import DType, Device
    from leafward.tensor.tensor import Tensor


class _NormBase(Module):
    """What batch and instance norm share: weight and bias per channel, and the running statistics."""

    _version = 2                          # 2: num_batches_tracked
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
                 track_running_stats: bool = True, device: Device | None = None, dtype: DType | None = None, *,
                 bias: bool = True) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(
                name, Parameter(lw.empty(num_features, device=device, dtype=dtype)) if wanted else None)
        if track_running_stats:
            self.register_buffer("running_mean", lw.zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var", lw.ones(num_features, device=device, dtype=dtype))
            self.register_buffer("num_batches_tracked", lw.tensor(0, dtype=lw.long, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget the running statistics: mean 0, variance 1, no batches."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Forget everything learnt: weight 1, bias 0, running statistics as at the start."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input):
        raise NotImplementedError(f"{type(self).__name__} does not say which inputs it takes: "
                                  "define _check_input_dim, or use BatchNorm1d, BatchNorm2d or BatchNorm3d")

    def extra_repr(self) -> str:
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
                f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}")

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                              error_msgs):
        version = local_metadata.get("version", None)
        if (version is None or version < 2) and self.track_running_stats:
            key = prefix + "num_batches_tracked"
            if key not in state_dict:
                count = self.num_batches_tracked
                state_dict[key] = lw.tensor(0, dtype=lw.long) if count is None else count
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                                      error_msgs)


class _BatchNorm(_NormBase):
    """``out = (input - mean) / sqrt(var + eps) * weight + bias``, per channel over everything else."""

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:     # a cumulative average: every batch weighs the same
                momentum = 1.0 / float(self.num_batches_tracked)
        use_batch = self.training or (self.running_mean is None and self.running_var is None)
        keep = not self.training or self.track_running_stats
        return F.batch_norm(input, self.running_mean if keep else None, self.running_var if keep else None,
                            self.weight, self.bias, use_batch, momentum, self.eps)


class BatchNorm1d(_BatchNorm):
    """``out = (input - mean) / sqrt(var + eps) * weight + bias``, per channel: (n, c) or (n, c, l) -> the same shape.

    Mean and variance are over everything but the channels: of the batch while training, running ones in evaluation.

    {num_features, eps, momentum, affine, track_running_stats, device, dtype}
    bias: with ``affine``, whether there is a ``bias`` beside the ``weight``
    Source: Ioffe and Szegedy, Batch Normalization, 2015.
    Raises: ValueError while training, where a channel has a single value

    >>> from leafward import nn
    >>> nn.BatchNorm1d(3)
    BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    >>> nn.BatchNorm1d(1, eps=1e-12)(leafward.tensor([[1.0], [3.0]])).flatten().tolist()
    [-1.0, 1.0]
    """

    def _check_input_dim(self, input):
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class BatchNorm2d(_BatchNorm):
    """``out = (input - mean) / sqrt(var + eps) * weight + bias``, per channel: (n, c, h, w) -> (n, c, h, w).

    Mean and variance are over everything but the channels: of the batch while training, running ones in evaluation.

    {num_features, eps, momentum, affine, track_running_stats, device, dtype}
    bias: with ``affine``, whether there is a ``bias`` beside the ``weight``
    Source: Ioffe and Szegedy, Batch Normalization, 2015.
    Raises: ValueError while training, where a channel has a single value

    >>> norm = lw.nn.BatchNorm2d(3)
    >>> norm(lw.ones(2, 3, 4, 4)).shape, norm.running_mean
    (torch.Size([2, 3, 4, 4]), tensor([0.1000, 0.1000, 0.1000]))
    """

    def _check_input_dim(self, input):
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.dim()}D input)")


class BatchNorm3d(_BatchNorm):
    """``out = (input - mean) / sqrt(var + eps) * weight + bias``, per channel: (n, c, d, h, w) -> (n, c, d, h, w).

    Mean and variance are over everything but the channels: of the batch while training, running ones in evaluation.

    {num_features, eps, momentum, affine, track_running_stats, device, dtype}
    bias: with ``affine``, whether there is a ``bias`` beside the ``weight``
    Source: Ioffe and Szegedy, Batch Normalization, 2015.
    Raises: ValueError while training, where a channel has a single value

    >>> lw.nn.BatchNorm3d(3)(lw.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    def _check_input_dim(self, input):
        if input.dim() != 5:
            raise ValueError(f"expected 5D input (got {input.dim()}D input)")


class SyncBatchNorm(_BatchNorm):
    """Batch norm over the batches of all ranks; without a process group a batch norm: (n, c, *) -> (n, c, *).

    {num_features, eps, momentum, affine, track_running_stats}
    process_group: which ranks; None: all, where a default process group is initialized
    {device, dtype}
    bias: with ``affine``, whether there is a ``bias`` beside the ``weight``

    >>> model = lw.nn.SyncBatchNorm.convert_sync_batchnorm(lw.nn.Sequential(lw.nn.BatchNorm1d(3)))
    >>> type(model[0]).__name__
    'SyncBatchNorm'
    """

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
                 track_running_stats: bool = True, process_group: Any = None, device: Device | None = None,
                 dtype: DType | None = None, *, bias: bool = True) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    def forward(self, input: Tensor) -> Tensor:
        group = self.process_group
        if group is None and is_initialized():
            group = default_group()
        if group is None or group.size() == 1 or not (self.training or self.running_mean is None):
            return super().forward(input)
        self._check_input_dim(input)
        dims = [0, *range(2, input.dim())]
        shape = [1, -1] + [1] * (input.dim() - 2)
        count = input.new_tensor([input.numel() / input.shape[1]])
        all_reduce(count, group=group)
        mean = summed(input.sum(dims), group=group) / count
        centered = input - mean.view(shape)
        variance = summed((centered * centered).sum(dims), group=group) / count
        if self.training and self.track_running_stats:
            self._follow(mean.detach(), variance.detach() * (count / (count - 1)))
        normal = centered * (variance + self.eps).rsqrt().view(shape)
        return normal if self.weight is None else normal * self.weight.view(shape) + (
            0 if self.bias is None else self.bias.view(shape))

    def _follow(self, mean, variance):
        """Move the running statistics towards those of this batch."""
        self.num_batches_tracked.add_(1)
        share = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
        self.running_mean.mul_(1 - share).add_(mean, alpha=share)
        self.running_var.mul_(1 - share).add_(variance, alpha=share)

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The same module with every batch norm in it replaced by a :class:`SyncBatchNorm` with its weights."""
        converted = module
        if isinstance(module, _BatchNorm):
            converted = cls(module.num_features, module.eps, module.momentum, module.affine,
                            module.track_running_stats, process_group, bias=module.bias is not None)
            if module.affine:
                converted.weight, converted.bias = module.weight, module.bias
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                setattr(converted, name, getattr(module, name))
            converted.training = module.training
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted
