"""The older weight norm, by a hook before every forward. Newer: ``nn.utils.parametrizations.weight_norm``."""
from __future__ import annotations


from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.errors import warn
from leafward.nn.parameter import Parameter, UninitializedParameter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.nn.modules.module import Module
    from leafward.tensor.tensor import Tensor

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


def norm_except_dim(v: Any, pow: int = 2, dim: int = 0):
    """The norm of each slice along ``dim``, of the whole for -1; its shape broadcasts against ``v``."""
    if dim == -1:
        return lw.linalg.vector_norm(v, pow)
    return lw.linalg.vector_norm(v, pow, [d for d in range(v.dim()) if d != dim], keepdim=True)


def normalized_weight(v, g, dim):
    """``g * v / |v|``."""
    return v * (g / norm_except_dim(v, 2, dim))


class WeightNorm:
    """The hook: sets the weight from its length and direction."""

    def __init__(self, name: str, dim: int) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Any):
        """``g * v / |v|``."""
        return normalized_weight(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    @staticmethod
    def apply(module: Any, name: str, dim: int):
        """Put the hook on ``module``."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        made = WeightNorm(name, dim)
        weight = getattr(module, name)
        if isinstance(weight, UninitializedParameter):
            raise ValueError("The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run "
                             "the dummy forward before applying weight normalization")
        del module._parameters[name]
        module.register_parameter(name + "_g", Parameter(norm_except_dim(weight, 2, made.dim).data))
        module.register_parameter(name + "_v", Parameter(weight.data))
        setattr(module, name, made.compute_weight(module))
        module.register_forward_pre_hook(made)
        return made

    def remove(self, module: Any) -> None:
        """Make the weight a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"]
        del module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Any, inputs: Tensor | Sequence[Tensor]) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Module:
    """Replace ``module.<name>`` by a length ``<name>_g`` and a direction ``<name>_v``, joined by a hook.

    The older form of ``parametrizations.weight_norm``; it warns.

    {module, name}
    dim: where the slices lie that have a g each; None: one g for the whole
    Source: Salimans and Kingma, Weight Normalization, 2016.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     layer = weight_norm(lw.nn.Linear(2, 3))
    >>> sorted(name for name, _ in layer.named_parameters())
    ['bias', 'weight_g', 'weight_v']
    """
    warn("`torch.nn.utils.weight_norm` is deprecated in favor of "
         "`torch.nn.utils.parametrizations.weight_norm`.", FutureWarning)
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Module:
    """Undo :func:`weight_norm`: the present value becomes the parameter.

    {module, name}

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     layer = remove_weight_norm(weight_norm(lw.nn.Linear(2, 3)))
    >>> sorted(name for name, _ in layer.named_parameters())
    ['bias', 'weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
