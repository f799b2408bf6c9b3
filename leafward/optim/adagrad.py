"""Adagrad: gradients divided by the root of the sum of their squares."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.kernel_optimizer import KernelOptimizer
from leafward.optim.optimizer import check_fused, check_lr, check_not_negative, new_step, number

if TYPE_CHECKING:
    from leafward.optim.optimizer import ParamsT
    from leafward.tensor.tensor import Tensor


class Adagrad(KernelOptimizer):
    """``p -= lr * g / (sqrt(v) + eps)``, with v the sum of all g**2 so far.

    {params, lr}
    lr_decay: at step t the rate is ``lr / (1 + (t - 1) * lr_decay)``
    {weight_decay}
    initial_accumulator_value: what v begins with
    {eps, foreach, maximize, differentiable, fused}
    Source: Duchi, Hazan and Singer, Adaptive Subgradient Methods, 2011.

    >>> p = lw.ones(1, requires_grad=True)
    >>> (3 * p).sum().backward()
    >>> lw.optim.Adagrad([p], lr=0.1).step()
    >>> p
    tensor([0.9000], requires_grad=True)
    """

    kernel = staticmethod(kernels.adagrad)
    added = {"foreach": None, "maximize": False, "differentiable": False, "fused": None}

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
                 initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
                 maximize: bool = False, differentiable: bool = False, fused: bool | None = None) -> None:
        check_lr(lr)
        check_not_negative(lr_decay, "lr_decay")
        check_not_negative(weight_decay, "weight_decay")
        check_not_negative(initial_accumulator_value, "initial_accumulator_value")
        check_not_negative(eps, "epsilon")
        super().__init__(params, {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused})
        check_fused(fused, foreach, differentiable)
        for group in self.param_groups:
            for p in group["params"]:
                start = initial_accumulator_value
                self.state[p] = {
                    "step": new_step(),
                    "sum": lw.full_like(p, complex(start, start) if p.is_complex() else start, requires_grad=False)}

    def share_memory(self) -> None:
        """Move the state to memory that other processes can map."""
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["sum"].share_memory_()

    def _state_of(self, p, group):
        return self.state[p]["step"], self.state[p]["sum"]

    def _options(self, group):
        return (group["lr"], group["lr_decay"], group["weight_decay"], group["eps"], group["maximize"])

    def _step_of_sparse(self, params, group):
        if group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        sparse = [p for p in params if p._grad.layout is not lw.strided]
        with lw.no_grad():
            for p in sparse:
                state, g = self.state[p], p._grad.coalesce()
                state["step"] += 1
                rate = number(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
                state["sum"].add_(g * g)
                root = state["sum"].sparse_mask(g).coalesce().values().sqrt() + group["eps"]
                update = lw.sparse_coo_tensor(g.indices(), g.values() / root, g.shape, is_coalesced=True)
                p.add_(update, alpha=rate if group["maximize"] else -rate)
        return [p for p in params if p not in set(sparse)]
