"""Modules that learn their input size from their first input."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d, _NormBase
from leafward.nn.modules.conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from leafward.nn.modules.instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from leafward.nn.modules.linear import Linear
from leafward.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy

if TYPE_CHECKING:
    from leafward.nn.common_types import _size_any_t
    from leafward.tensor.annotations import DType, Device
    from leafward.tensor.tensor import Tensor


class LazyModuleMixin:
    """What makes a module lazy: ``initialize_parameters`` runs before the first forward, with its arguments.

    Afterwards the module becomes a ``cls_to_become``.
    """

    cls_to_become = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        kept = [(n, p) for n, p in self._parameters.items() if p is not None]
        kept += [(n, b) for n, b in self._buffers.items()
                 if b is not None and n not in self._non_persistent_buffers_set]
        for name, value in kept:
            destination[prefix + name] = value if is_lazy(value) or keep_vars else value.detach()

    def _lazy_load_hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        """Give what waits for its shape that of the values to load."""
        for name, value in (*self._parameters.items(), *self._buffers.items()):
            loaded = state_dict.get(prefix + name)
            if is_lazy(value) and loaded is not None and not is_lazy(loaded):
                with lw.no_grad():
                    value.materialize(loaded.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give every parameter its shape, from the arguments of the first forward."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer still waits for its shape."""
        return any(is_lazy(value) for value in (*self._parameters.values(), *self._buffers.values()))

    def _infer_parameters(self, module, args, kwargs=None):
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook
        del module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self):
        raise RuntimeError("Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy "
                           "forward pass to correctly initialize the modules")


class LazyLinear(LazyModuleMixin, Linear):
    """A :class:`Linear` whose ``in_features`` is the last size of its first input: (..., in_features) -> (..., out_features).

    out_features: last size of the output
    {bias, device, dtype}

    >>> layer = lw.nn.LazyLinear(2)
    >>> layer(lw.ones(3, 4)).shape, layer
    (torch.Size([3, 2]), Linear(in_features=4, out_features=2, bias=True))
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Device | None = None, dtype: DType | None = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw weight and bias, once they have shapes."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take ``in_features`` from ``input`` (*, in_features)."""
        if self.has_uninitialized_params():
            with lw.no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:                            # the state was loaded
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(f"The in_features inferred from input: {input.shape[-1]} is not equal to "
                                     f"in_features from self.weight: {self.weight.shape[-1]}")
            self.in_features = input.shape[-1]


class _LazyConvXdMixin(LazyModuleMixin):
    """What lazy convolutions share: ``in_channels`` comes from the first input."""

    def __init__(self, out_channels: int, kernel_size: _size_any_t, *args: Any, **kwargs: Any) -> None:
        base = self.cls_to_become
        names = base.__init__.__code__.co_varnames[4:base.__init__.__code__.co_argcount]
        given = dict(zip(names, args, strict=False)) | kwargs
        bias = given.pop("bias", True)
        device, dtype = given.pop("device", None), given.pop("dtype", None)
        # Built for no channels and without bias, so that no weights are drawn.
        super().__init__(0, 0, kernel_size, bias=False, **given)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw weight and bias, once they have shapes."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Take ``in_channels`` from ``input`` (n, in_channels, *) or (in_channels, *)."""
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if self.transposed:
            shape = self.in_channels, self.out_channels // self.groups
        else:
            shape = self.out_channels, self.in_channels // self.groups
        self.weight.materialize((*shape, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()

    def _get_in_channels(self, input):
        rank = self._get_num_spatial_dims() + 1
        if input.dim() not in (rank, rank + 1):
            raise RuntimeError(f"Expected {rank}D (unbatched) or {rank + 1}D (batched) input to "
                               f"{type(self).__name__}, but got input of size: {input.shape}")
        return input.shape[input.dim() - rank]

    def _get_num_spatial_dims(self):
        return len(self.kernel_size)


def lazy(mixin: Any, base: Any, learned: Any):
    """``Lazy<base>``: a ``base`` that takes ``learned`` from its first input, as ``mixin`` reads it."""
    name, spatial = f"Lazy{base.__name__}", [5] * int(base.__name__[-2])
    arguments = "8, 3" if learned == "in_channels" else ""
    doc = (f"A :class:`{base.__name__}` that takes ``{learned}`` from its first input.\n\n    "
           + (base.__doc__ or "").partition(">>>")[0].replace(f"{{{learned}, ", "{")
           + f">>> layer = lw.nn.{name}({arguments})\n    >>> _ = layer(lw.ones({[2, 4, *spatial]}))\n"
             f"    >>> layer.{learned}\n    4\n    ")
    return type(name, (mixin, base), {"cls_to_become": base, "__doc__": doc, "__module__": __name__})


LazyConv1d, LazyConv2d, LazyConv3d = (lazy(_LazyConvXdMixin, base, "in_channels") for base in (Conv1d, Conv2d, Conv3d))
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = (
    lazy(_LazyConvXdMixin, base, "in_channels") for base in (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d))


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """What lazy batch and instance norms share: ``num_features`` comes from the first input."""

    def __init__(self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True,
                 device: Device | None = None, dtype: DType | None = None, *, bias: bool = True) -> None:
        super().__init__(0, eps, momentum, False, False, device=device, dtype=dtype, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = lw.tensor(0, dtype=lw.long, device=device)

    def reset_parameters(self) -> None:
        """Weight 1, bias 0 and fresh statistics, once they have shapes."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take ``num_features`` from ``input`` (n, num_features, *)."""
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        for value in (self.weight, self.bias, self.running_mean, self.running_var):
            if is_lazy(value):
                value.materialize((self.num_features,))
        self.reset_parameters()


LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = (
    lazy(_LazyNormBase, base, "num_features") for base in (BatchNorm1d, BatchNorm2d, BatchNorm3d))
LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = (
    lazy(_LazyNormBase, base, "num_features") for base in (InstanceNorm1d, InstanceNorm2d, InstanceNorm3d))
