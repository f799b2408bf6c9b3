"""RMSprop: gradients divided by the root of their average square."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.kernel_optimizer import KernelOptimizer
from leafward.optim.optimizer import check_lr, check_not_negative, new_step

if TYPE_CHECKING:
    from leafward.optim.optimizer import ParamsT
    from leafward.tensor.tensor import Tensor


class RMSprop(KernelOptimizer):
    """``p -= lr * g / (sqrt(v) + eps)``, with v the average of g**2.

    {params, lr}
    alpha: how much of the old average is kept in each step
    {eps, weight_decay}
    momentum: ``b = momentum * b + g / (sqrt(v) + eps)``, ``p -= lr * b``; 0: no momentum
    centered: whether the square of g's average is taken off v, which makes it a variance
    {capturable, foreach, maximize, differentiable}
    Source: Hinton, Neural Networks for Machine Learning, lecture 6e, 2012; Graves, 2013, for ``centered``.

    >>> p = lw.ones(1, requires_grad=True)
    >>> (3 * p).sum().backward()
    >>> lw.optim.RMSprop([p], lr=0.01).step()
    >>> p
    tensor([0.9000], requires_grad=True)
    """

    kernel = staticmethod(kernels.rmsprop)
    added = {**KernelOptimizer.added, "momentum": 0, "centered": False}

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
                 weight_decay: float = 0, momentum: float = 0, centered: bool = False, capturable: bool = False,
                 foreach: bool | None = None, maximize: bool = False, differentiable: bool = False) -> None:
        check_lr(lr)
        check_not_negative(eps, "epsilon")
        check_not_negative(momentum, "momentum")
        check_not_negative(weight_decay, "weight_decay")
        check_not_negative(alpha, "alpha")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable})

    def _options(self, group):
        return (group["lr"], group["alpha"], group["eps"], group["weight_decay"], group["momentum"], group["maximize"])

    def _new_state(self, p, group):
        state = {"step": new_step()}
        state["square_avg"] = lw.zeros_like(p, requires_grad=False)
        if group["momentum"] > 0:
            state["momentum_buffer"] = lw.zeros_like(p, requires_grad=False)
        if group["centered"]:
            state["grad_avg"] = lw.zeros_like(p, requires_grad=False)
        return state

    def _state_of(self, p, group):
        state = self.state[p] or self._begun(p, group)
        return (state["step"], state["square_avg"], state["grad_avg"] if group["centered"] else None,
                state["momentum_buffer"] if group["momentum"] > 0 else None)
