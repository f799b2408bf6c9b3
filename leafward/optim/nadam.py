"""NAdam: Adam with Nesterov's momentum."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.kernel_optimizer import KernelOptimizer
from leafward.optim.optimizer import check_betas, check_lr, check_not_negative, new_step

if TYPE_CHECKING:
    from leafward.optim.optimizer import ParamsT
    from leafward.tensor.tensor import Tensor


class NAdam(KernelOptimizer):
    """:class:`~leafward.optim.Adam` that looks one step ahead along its momentum.

    {params, lr, betas, eps, weight_decay}
    momentum_decay: momentum at step t is ``betas[0] * (1 - 0.96 ** (t * momentum_decay) / 2)``
    {decoupled_weight_decay, foreach, maximize, capturable, differentiable}
    Source: Dozat, Incorporating Nesterov Momentum into Adam, 2016.

    >>> p = lw.ones(1, requires_grad=True)
    >>> (3 * p).sum().backward()
    >>> lw.optim.NAdam([p], lr=0.1).step()
    >>> p
    tensor([0.8944], requires_grad=True)
    """

    kernel = staticmethod(kernels.nadam)
    writes = 2
    added = {**KernelOptimizer.added, "decoupled_weight_decay": False}

    def __init__(self, params: ParamsT, lr: float | Tensor = 2e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False,
                 *, foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
                 differentiable: bool = False) -> None:
        check_lr(lr)
        check_not_negative(eps, "epsilon")
        check_betas(betas)
        check_not_negative(weight_decay, "weight_decay")
        check_not_negative(momentum_decay, "momentum_decay")
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable})

    def _options(self, group):
        return (group["lr"], *group["betas"], group["eps"], group["weight_decay"], group["momentum_decay"],
                group["decoupled_weight_decay"], group["maximize"])

    def _new_state(self, p, group):
        state = {"step": new_step()}
        state["mu_product"] = lw.ones((), dtype=state["step"].dtype)
        state["exp_avg"] = lw.zeros_like(p, requires_grad=False)
        state["exp_avg_sq"] = lw.zeros_like(p, requires_grad=False)
        return state

    def _state_of(self, p, group):
        state = self.state[p] or self._begun(p, group)
        return state["step"], state["mu_product"], state["exp_avg"], state["exp_avg_sq"]
