"""The older spectral norm, by a hook before every forward. Newer: ``nn.utils.parametrizations.spectral_norm``."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.nn import functional as F
from leafward.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from leafward.nn.parameter import Parameter, UninitializedParameter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from leafward.nn.modules.module import Module
    from leafward.tensor.tensor import Tensor

__all__ = ["SpectralNorm", "SpectralNormStateDictHook", "remove_spectral_norm", "spectral_norm"]


class SpectralNorm:
    """The hook: sets the weight to its original over its largest singular value, found by power iterations."""

    _version = 1

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        if n_power_iterations <= 0:
            raise ValueError("Expected n_power_iterations to be positive, but got "
                             f"n_power_iterations={n_power_iterations}")
        self.name = name
        self.dim = dim
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Tensor):
        """(size of dim, everything else)."""
        return weight.movedim(self.dim, 0).reshape(weight.size(self.dim), -1)

    def compute_weight(self, module: Any, do_power_iteration: Any):
        """``weight_orig / sigma``."""
        weight, u, v = (getattr(module, self.name + end) for end in ("_orig", "_u", "_v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with lw.no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(lw.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(lw.mv(matrix, v), dim=0, eps=self.eps))
                # Copies, as the next forward overwrites the buffers.
                u, v = u.clone(), v.clone()
        return weight / lw.dot(u, lw.mv(matrix, v))

    def remove(self, module: Any) -> None:
        """Make the weight a parameter again."""
        with lw.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for end in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + end)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Tensor | Sequence[Tensor]) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    @staticmethod
    def apply(module: Any, name: str, n_power_iterations: int, dim: int, eps: float):
        """Put the hook on ``module``."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        made = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if isinstance(weight, UninitializedParameter):
            raise ValueError("The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to "
                             "run the dummy forward before applying spectral normalization")
        with lw.no_grad():
            matrix = made.reshape_weight_to_matrix(weight)
            u, v = (F.normalize(lw.empty(size, dtype=weight.dtype).normal_(0, 1), dim=0, eps=eps)
                    for size in matrix.shape)
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        # A plain attribute: the hook replaces it before every forward.
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(made)
        module._register_state_dict_hook(SpectralNormStateDictHook(made))
        return made


class SpectralNormStateDictHook:
    """Notes the version of the hook beside the state."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn

    def __call__(self, module: Any, state_dict: dict[str, Any], prefix: Any, local_metadata: Any) -> None:
        versions = local_metadata.setdefault("spectral_norm", {})
        key = self.fn.name + ".version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def spectral_norm(module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12,
                  dim: int | None = None) -> Module:
    """Keep the largest singular value of ``module.<name>`` at 1, by a hook: ``weight / sigma``, sigma from power iterations.

    The older form of ``parametrizations.spectral_norm``.

    {module, name, n_power_iterations, eps}
    dim: output features of the weight, the rows of its matrix; None: 0, or 1 for transposed convolutions
    Source: Miyato et al., Spectral Normalization for Generative Adversarial Networks, 2018.

    >>> sorted(name for name, _ in spectral_norm(lw.nn.Linear(2, 3)).named_parameters())
    ['bias', 'weight_orig']
    """
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Module:
    """Undo :func:`spectral_norm`: the present value becomes the parameter.

    {module, name}

    >>> layer = remove_spectral_norm(spectral_norm(lw.nn.Linear(2, 3)))
    >>> sorted(name for name, _ in layer.named_parameters())
    ['bias', 'weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for key, hook in module._state_dict_hooks.items():
        if isinstance(hook, SpectralNormStateDictHook) and hook.fn.name == name:
            del module._state_dict_hooks[key]
            break
    return module
