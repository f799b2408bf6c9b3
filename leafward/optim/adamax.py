"""Adamax: Adam with a maximum in place of the average square."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.kernel_optimizer import KernelOptimizer
from leafward.optim.optimizer import check_betas, check_lr, check_not_negative, new_step

if TYPE_CHECKING:
    from leafward.optim.optimizer import ParamsT
    from leafward.tensor.tensor import Tensor


class Adamax(KernelOptimizer):
    """``p -= lr * m / u``, with m the average of g, freed of its bias, and ``u = max(betas[1] * u, |g| + eps)``.

    {params, lr, betas, eps, weight_decay}
    {foreach, maximize, differentiable, capturable}
    Source: Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015.

    >>> p = lw.ones(1, requires_grad=True)
    >>> (3 * p).sum().backward()
    >>> lw.optim.Adamax([p], lr=0.1).step()
    >>> p
    tensor([0.9000], requires_grad=True)
    """

    kernel = staticmethod(kernels.adamax)

    def __init__(self, params: ParamsT, lr: float | Tensor = 2e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, foreach: bool | None = None, *, maximize: bool = False,
                 differentiable: bool = False, capturable: bool = False) -> None:
        check_lr(lr)
        check_not_negative(eps, "epsilon")
        check_betas(betas)
        check_not_negative(weight_decay, "weight_decay")
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable})

    def _options(self, group):
        return (group["lr"], *group["betas"], group["eps"], group["weight_decay"], group["maximize"])

    def _new_state(self, p, group):
        state = {"step": new_step()}
        state["exp_avg"] = lw.zeros_like(p, requires_grad=False)
        state["exp_inf"] = lw.zeros_like(p, requires_grad=False)
        return state

    def _state_of(self, p, group):
        state = self.state[p] or self._begun(p, group)
        return state["step"], state["exp_avg"], state["exp_inf"]
