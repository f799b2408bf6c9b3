"""Averaged stochastic gradient descent."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.kernel_optimizer import KernelOptimizer
from leafward.optim.optimizer import check_lr, check_not_negative, new_step

if TYPE_CHECKING:
    from leafward.optim.optimizer import ParamsT
    from leafward.tensor.tensor import Tensor


class ASGD(KernelOptimizer):
    """``p = (1 - lambd * rate) * p - rate * g`` with ``rate = lr / (1 + lambd * lr * t) ** alpha`` at step t.

    The average of p since step ``t0`` is in ``state[p]["ax"]``.

    {params}
    lr: the first rate
    lambd: how fast p decays and, with lr, how fast the rate falls
    alpha: power of the fall
    t0: step at which averaging starts
    {weight_decay, foreach, maximize, differentiable, capturable}
    Source: Polyak and Juditsky, Acceleration of Stochastic Approximation by Averaging, 1992.

    >>> p = lw.ones(1, requires_grad=True)
    >>> (3 * p).sum().backward()
    >>> lw.optim.ASGD([p], lr=0.1).step()
    >>> p
    tensor([0.7000], requires_grad=True)
    """

    kernel = staticmethod(kernels.asgd)
    writes = 2

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
                 weight_decay: float = 0, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
                 capturable: bool = False) -> None:
        check_lr(lr)
        check_not_negative(weight_decay, "weight_decay")
        super().__init__(params, {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable})

    def _options(self, group):
        return (group["lr"], group["lambd"], group["alpha"], group["t0"], group["weight_decay"], group["maximize"])

    def _new_state(self, p, group):
        state = {"step": new_step()}
        state["eta"] = lw.tensor(float(group["lr"]), dtype=state["step"].dtype)
        state["mu"] = lw.ones((), dtype=state["step"].dtype)
        state["ax"] = lw.zeros_like(p, requires_grad=False)
        return state

    def _state_of(self, p, group):
        state = self.state[p] or self._begun(p, group)
        return state["step"], state["eta"], state["mu"], state["ax"]
