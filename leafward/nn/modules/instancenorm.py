"""Instance normalization: every sample and channel by its own statistics."""
from __future__ import annotations


from typing import TYPE_CHECKING

from leafward.errors import warn
from leafward.nn import functional as F
from leafward.nn.modules.batchnorm import _NormBase

if TYPE_CHECKING:
    from leafward.tensor.annotations import DType, Device
    from leafward.tensor.tensor import Tensor


class _InstanceNorm(_NormBase):
    """``out = (input - mean) / sqrt(var + eps) * weight + bias``, per sample and channel."""

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
                 track_running_stats: bool = False, device: Device | None = None, dtype: DType | None = None, *,
                 bias: bool = True) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _get_no_batch_dim(self):
        """How many dimensions an input without a batch has."""
        raise NotImplementedError(f"{type(self).__name__} does not say which inputs it takes: "
                                  "use InstanceNorm1d, InstanceNorm2d or InstanceNorm3d")

    def _check_input_dim(self, input):
        low = self._get_no_batch_dim()
        if input.dim() not in (low, low + 1):
            raise ValueError(f"expected {low}D or {low + 1}D input (got {input.dim()}D input)")

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                              error_msgs):
        if local_metadata.get("version", None) is None and not self.track_running_stats:
            found = [n for n in ("running_mean", "running_var") if prefix + n in state_dict]
            if found:
                name = type(self).__name__
                quoted = " and ".join(f'"{prefix}{n}"' for n in found)
                error_msgs.append(
                    f"Unexpected running stats buffer(s) {quoted} for {name} with track_running_stats=False. If "
                    "state_dict is a checkpoint saved before 0.4.0, this may be expected because "
                    f"{name} does not track running stats by default since 0.4.0. Please remove these keys from "
                    "state_dict. If the running stats are actually needed, instead set track_running_stats=True in "
                    f"{name} to enable them. See the documentation of {name} for details.")
                for n in found:
                    state_dict.pop(prefix + n)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                                      error_msgs)

    def _normalize(self, input):
        return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias,
                               self.training or not self.track_running_stats,
                               0.0 if self.momentum is None else self.momentum, self.eps)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        low = self._get_no_batch_dim()
        channels_at = input.dim() - low
        if input.size(channels_at) != self.num_features:
            if self.affine:
                raise ValueError(f"expected input's size at dim={channels_at} to match num_features "
                                 f"({self.num_features}), but got: {input.size(channels_at)}.")
            warn(f"input's size at dim={channels_at} does not match num_features. You can silence this "
                 "warning by not passing in num_features, which is not used because affine=False")
        if input.dim() == low:
            return self._normalize(input.unsqueeze(0)).squeeze(0)
        return self._normalize(input)


class InstanceNorm1d(_InstanceNorm):
    """``out = (input - mean) / sqrt(var + eps) * weight + bias``, per sample and channel: (n, c, l) or (c, l) -> the same.

    {num_features, eps, momentum, affine, track_running_stats, device, dtype}
    bias: with ``affine``, whether there is a ``bias`` beside the ``weight``
    Source: Ulyanov et al., Instance Normalization, 2016.
    Raises: ValueError while training, where a channel of a sample has a single value

    >>> lw.nn.InstanceNorm1d(1, eps=0)(lw.tensor([[[1.0, 3.0]]]))
    tensor([[[-1.,  1.]]])
    """

    def _get_no_batch_dim(self):
        return 2


class InstanceNorm2d(_InstanceNorm):
    """``out = (input - mean) / sqrt(var + eps) * weight + bias``, per sample and channel: (n, c, h, w) or (c, h, w)
    -> the same.

    {num_features, eps, momentum, affine, track_running_stats, device, dtype}
    bias: with ``affine``, whether there is a ``bias`` beside the ``weight``
    Source: Ulyanov et al., Instance Normalization, 2016.
    Raises: ValueError while training, where a channel of a sample has a single value

    >>> lw.nn.InstanceNorm2d(3)(lw.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    def _get_no_batch_dim(self):
        return 3


class InstanceNorm3d(_InstanceNorm):
    """``out = (input - mean) / sqrt(var + eps) * weight + bias``, per sample and channel: (n, c, d, h, w) or (c, d, h, w)
    -> the same.

    {num_features, eps, momentum, affine, track_running_stats, device, dtype}
    bias: with ``affine``, whether there is a ``bias`` beside the ``weight``
    Source: Ulyanov et al., Instance Normalization, 2016.
    Raises: ValueError while training, where a channel of a sample has a single value

    >>> lw.nn.InstanceNorm3d(3)(lw.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    def _get_no_batch_dim(self):
        return 4
