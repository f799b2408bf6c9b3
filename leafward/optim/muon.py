"""Muon: momentum made orthogonal, for the matrices of hidden layers."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import leafward as lw
from leafward.arrays.kernels.matrix_steps import muon
from leafward.optim.kernel_optimizer import KernelOptimizer
from leafward.tensor.tensor import Tensor

if TYPE_CHECKING:
    from leafward.optim.optimizer import ParamsT


def adjusted_by(adjust_lr_fn):
    """How the rate depends on the shape of a parameter."""
    def original(shape):
        return math.sqrt(max(1, shape[0] / shape[1]))

    def match_rms_adamw(shape):
        return 0.2 * math.sqrt(max(shape))
    return match_rms_adamw if adjust_lr_fn == "match_rms_adamw" else original


class Muon(KernelOptimizer):
    """``p -= lr * O``, with O the orthogonal matrix nearest to the averaged gradient, by a Newton-Schulz iteration.

    For two-dimensional parameters; give the others to another optimizer.

    {params, lr}
    weight_decay: ``p *= 1 - lr * weight_decay`` before the update
    momentum: how much of the old average of g is kept in each step
    nesterov: whether the average looks one step ahead
    ns_coefficients: of x, x**3 and x**5 in each iteration
    eps: lower bound of the norm by which the matrix is divided first
    ns_steps: iterations, fewer than 100
    adjust_lr_fn: how the rate grows with the shape: "original" (None), ``sqrt(max(1, rows / columns))``, or
        "match_rms_adamw", ``0.2 * sqrt(max(rows, columns))``, for rates made for AdamW
    Source: Jordan et al., Muon: An optimizer for hidden layers in neural networks, 2024.

    >>> p = lw.eye(2, requires_grad=True)
    >>> (3 * p).sum().backward()
    >>> lw.optim.Muon([p], lr=0.1).step()
    >>> p.shape
    torch.Size([2, 2])
    """

    kernel = staticmethod(muon)
    writes = 2
    added = {}

    needs_whole_parameters = True

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-3, weight_decay: float = 0.1, momentum: float = 0.95,
                 nesterov: bool = True, ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
                 eps: float = 1e-7, ns_steps: int = 5, adjust_lr_fn: str | None = None) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not 0.0 <= momentum:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn})
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError("Muon only supports 2D parameters whereas we found a parameter with size: "
                                     f"{p.size()}")

    def _check(self, group, params):
        if group["ns_steps"] >= 100:
            raise ValueError("Number of steps must be less than 100 for computational efficiency")
        if len(group["ns_coefficients"]) != 3:
            raise ValueError("Coefficients must be a tuple of exactly 3 values")
        if any(p.is_complex() for p in params):
            raise RuntimeError("Muon does not support complex parameters")

    def _options(self, group):
        return (group["lr"], group["weight_decay"], group["momentum"], group["nesterov"], group["ns_coefficients"],
                group["eps"], group["ns_steps"], adjusted_by(group["adjust_lr_fn"]))

    def _state_of(self, p, group):
        state = self.state[p]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = lw.zeros_like(p, requires_grad=False)
        return (state["momentum_buffer"],)
