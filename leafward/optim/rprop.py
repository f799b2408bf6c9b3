"""Rprop: a step size per element, from the signs of the gradient alone."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.kernel_optimizer import KernelOptimizer
from leafward.optim.optimizer import check_lr, new_step, number

if TYPE_CHECKING:
    from leafward.optim.optimizer import ParamsT
    from leafward.tensor.tensor import Tensor


class Rprop(KernelOptimizer):
    """A step per element, longer while the gradient keeps its sign and shorter when it turns; only the sign of g counts.

    {params}
    lr: the first step size
    etas: factors of the step size, where the sign turned and where it stayed
    step_sizes: the smallest and the largest
    {capturable, foreach, maximize, differentiable}
    Source: Riedmiller and Braun, A Direct Adaptive Method for Faster Backpropagation Learning, 1993.

    >>> p = lw.ones(1, requires_grad=True)
    >>> (3 * p).sum().backward()
    >>> lw.optim.Rprop([p], lr=0.1).step()
    >>> p
    tensor([0.9000], requires_grad=True)
    """

    kernel = staticmethod(kernels.rprop)

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
                 step_sizes: tuple[float, float] = (1e-6, 50), *, capturable: bool = False, foreach: bool | None = None,
                 maximize: bool = False, differentiable: bool = False) -> None:
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable})

    def _options(self, group):
        return (*group["step_sizes"], *group["etas"], group["maximize"])

    def _new_state(self, p, group):
        lr = number(group["lr"])
        state = {"step": new_step()}
        state["prev"] = lw.zeros_like(p, requires_grad=False)
        state["step_size"] = lw.full_like(p, complex(lr, lr) if p.is_complex() else lr, requires_grad=False)
        return state

    def _state_of(self, p, group):
        state = self.state[p] or self._begun(p, group)
        return state["step"], state["prev"], state["step_size"]
