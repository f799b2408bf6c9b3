"""RAdam: Adam that waits until its average of squares can be trusted."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.kernel_optimizer import KernelOptimizer
from leafward.optim.optimizer import check_betas, check_lr, check_not_negative, new_step

if TYPE_CHECKING:
    from leafward.optim.optimizer import ParamsT
    from leafward.tensor.tensor import Tensor


class RAdam(KernelOptimizer):
    """:class:`~leafward.optim.Adam` with its step corrected for the variance of the average square.

    In the first steps, where that variance is too large, it is plain momentum: ``p -= lr * m``.

    {params, lr, betas, eps, weight_decay}
    {decoupled_weight_decay, foreach, maximize, capturable, differentiable}
    Source: Liu et al., On the Variance of the Adaptive Learning Rate and Beyond, 2020.

    >>> p = lw.ones(1, requires_grad=True)
    >>> (3 * p).sum().backward()
    >>> lw.optim.RAdam([p], lr=0.1).step()
    >>> p
    tensor([0.7000], requires_grad=True)
    """

    kernel = staticmethod(kernels.radam)
    added = {**KernelOptimizer.added, "decoupled_weight_decay": False}

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, decoupled_weight_decay: bool = False, *,
                 foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
                 differentiable: bool = False) -> None:
        check_lr(lr)
        check_not_negative(eps, "epsilon")
        check_betas(betas)
        check_not_negative(weight_decay, "weight_decay")
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable})

    def _options(self, group):
        return (group["lr"], *group["betas"], group["eps"], group["weight_decay"], group["decoupled_weight_decay"],
                group["maximize"])

    def _new_state(self, p, group):
        state = {"step": new_step()}
        state["exp_avg"] = lw.zeros_like(p, requires_grad=False)
        state["exp_avg_sq"] = lw.zeros_like(p, requires_grad=False)
        return state

    def _state_of(self, p, group):
        state = self.state[p] or self._begun(p, group)
        return state["step"], state["exp_avg"], state["exp_avg_sq"]
