"""Stochastic gradient descent, with momentum."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.kernel_optimizer import KernelOptimizer
from leafward.optim.optimizer import check_fused, check_lr, check_not_negative, number

if TYPE_CHECKING:
    from leafward.optim.optimizer import ParamsT
    from leafward.tensor.tensor import Tensor


class SGD(KernelOptimizer):
    """``p -= lr * g``, or with momentum ``b = momentum * b + g``, ``p -= lr * b``.

    {params, lr}
    momentum: how much of the last update's direction is kept; 0: nothing
    dampening: ``1 - dampening`` is the weight of g in b, but for the first step
    {weight_decay}
    nesterov: whether ``g + momentum * b`` takes the place of b; asks for momentum and no dampening
    {maximize, foreach, differentiable, fused}
    Source: Sutskever et al., On the Importance of Initialization and Momentum in Deep Learning, 2013.

    >>> p = leafward.ones(1, requires_grad=True)
    >>> (3 * p).backward()
    >>> leafward.optim.SGD([p], lr=0.1).step()
    >>> p
    tensor([0.7000], requires_grad=True)
    """

    kernel = staticmethod(kernels.sgd)
    added = {"nesterov": False, "maximize": False, "foreach": None, "differentiable": False, "fused": False}

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-3, momentum: float = 0, dampening: float = 0,
                 weight_decay: float | Tensor = 0, nesterov: bool = False, *, maximize: bool = False,
                 foreach: bool | None = None, differentiable: bool = False, fused: bool | None = None) -> None:
        check_lr(lr)
        check_not_negative(momentum, "momentum")
        check_not_negative(weight_decay, "weight_decay")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach, "differentiable": differentiable,
            "fused": fused})
        check_fused(fused, foreach, differentiable)

    def _options(self, group):
        return (group["lr"], group["momentum"], group["dampening"], group["weight_decay"], group["nesterov"],
                group["maximize"])

    def _state_of(self, p, group):
        """The momentum buffer of ``p``, and whether it is new."""
        if group["momentum"] == 0:
            return None, False
        buffer = self.state[p].get("momentum_buffer")
        return (lw.empty_like(p, requires_grad=False), True) if buffer is None else (buffer, False)

    def _step_of_sparse(self, params, group):
        sparse = [p for p in params if p._grad.layout is not lw.strided]
        if group["weight_decay"] != 0:
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        with lw.no_grad():
            for p in sparse:
                g = -p._grad if group["maximize"] else p._grad
                if group["momentum"] != 0:
                    buffer = self.state[p].get("momentum_buffer")
                    buffer = g.clone() if buffer is None else (
                        buffer * group["momentum"] + g * (1 - group["dampening"]))
                    self.state[p]["momentum_buffer"] = buffer
                    g = g + buffer * group["momentum"] if group["nesterov"] else buffer
                p.add_(g, alpha=-number(group["lr"]))
        return [p for p in params if p not in set(sparse)]

    def _updated(self, params, states):
        for p, (buffer, is_new) in zip(params, states, strict=True):
            if is_new:                          # not before: until its first step the buffer holds anything
                self.state[p]["momentum_buffer"] = buffer
