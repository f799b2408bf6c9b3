"""Adam: steps scaled by the averages of the gradient and of its square."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.kernel_optimizer import KernelOptimizer
from leafward.optim.optimizer import check_betas, check_fused, check_lr, check_not_negative, new_step
from leafward.tensor.tensor import Tensor

if TYPE_CHECKING:
    from leafward.optim.optimizer import ParamsT


class Adam(KernelOptimizer):
    """``p -= lr * m / (sqrt(v) + eps)``, with m and v the averages of g and g**2, freed of their bias to zero.

    ``m = (betas[0] * m + (1 - betas[0]) * g)``, over ``1 - betas[0] ** t`` at step t, and v likewise.

    {params, lr, betas, eps, weight_decay}
    {amsgrad, foreach, maximize, capturable, differentiable, fused, decoupled_weight_decay}
    Source: Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015.

    >>> p = lw.ones(1, requires_grad=True)
    >>> (3 * p).sum().backward()
    >>> lw.optim.Adam([p], lr=0.1).step()
    >>> p
    tensor([0.9000], requires_grad=True)
    """

    kernel = staticmethod(kernels.adam)
    instead = ", please consider SparseAdam instead"
    added = {**KernelOptimizer.added, "amsgrad": False, "decoupled_weight_decay": False, "fused": None}

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None,
                 maximize: bool = False, capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
                 decoupled_weight_decay: bool = False) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_lr(lr)
        check_not_negative(eps, "epsilon")
        check_betas(betas)
        check_not_negative(weight_decay, "weight_decay")
        betas = checked_betas(betas, foreach and not capturable)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay})
        check_fused(fused, foreach, differentiable)

    def _options(self, group):
        return (group["lr"], *group["betas"], group["eps"], group["weight_decay"], group["decoupled_weight_decay"],
                group["maximize"])

    def _new_state(self, p, group):
        state = {"step": new_step()}
        state["exp_avg"] = lw.zeros_like(p, requires_grad=False)
        state["exp_avg_sq"] = lw.zeros_like(p, requires_grad=False)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = lw.zeros_like(p, requires_grad=False)
        return state

    def _state_of(self, p, group):
        state = self.state[p] or self._begun(p, group)
        if group["differentiable"] and state["step"].requires_grad:
            raise RuntimeError("`requires_grad` is not supported for `step` in differentiable mode")
        largest = state["max_exp_avg_sq"] if group["amsgrad"] else None
        return state["step"], state["exp_avg"], state["exp_avg_sq"], largest


def checked_betas(betas, plain_lists):
    """Both betas as a tuple of floats or of 0-dim tensors; ``plain_lists``: foreach, which takes no tensors."""
    if not any(all(isinstance(beta, kind) for beta in betas[:2]) for kind in (float, Tensor)):
        raise ValueError("betas must be either both floats or both Tensors")
    for i, beta in enumerate(betas):
        if isinstance(beta, Tensor):
            if plain_lists:
                raise ValueError(f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True")
            if beta.numel() != 1:
                raise ValueError(f"Tensor betas[{i}] must be 1-element")
    return tuple(beta.squeeze() if isinstance(beta, Tensor) else beta for beta in betas)
