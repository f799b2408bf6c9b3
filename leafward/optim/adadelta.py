"""Adadelta: steps in the units of the parameter, from two averages of squares."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.kernel_optimizer import KernelOptimizer
from leafward.optim.optimizer import check_lr, check_not_negative, new_step

if TYPE_CHECKING:
    from leafward.optim.optimizer import ParamsT
    from leafward.tensor.tensor import Tensor


class Adadelta(KernelOptimizer):
    """``p -= lr * g * sqrt(u + eps) / sqrt(v + eps)``, u and v the averages of squared steps and of g**2.

    {params}
    lr: factor of every step
    rho: how much of the old averages is kept in each step
    {eps, weight_decay, foreach, capturable, maximize, differentiable}
    Source: Zeiler, ADADELTA: An Adaptive Learning Rate Method, 2012.

    >>> p = lw.ones(1, requires_grad=True)
    >>> (3 * p).sum().backward()
    >>> lw.optim.Adadelta([p], lr=0.1).step()
    >>> p
    tensor([0.9997], requires_grad=True)
    """

    kernel = staticmethod(kernels.adadelta)

    def __init__(self, params: ParamsT, lr: float | Tensor = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
                 foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False,
                 differentiable: bool = False) -> None:
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative(eps, "epsilon")
        check_not_negative(weight_decay, "weight_decay")
        super().__init__(params, {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable})

    def _options(self, group):
        return (group["lr"], group["rho"], group["eps"], group["weight_decay"], group["maximize"])

    def _new_state(self, p, group):
        state = {"step": new_step()}
        state["square_avg"] = lw.zeros_like(p, requires_grad=False)
        state["acc_delta"] = lw.zeros_like(p, requires_grad=False)
        return state

    def _state_of(self, p, group):
        state = self.state[p] or self._begun(p, group)
        return state["step"], state["square_avg"], state["acc_delta"]
