"""Adafactor: steps scaled by the gradient's squares, which are kept as row and column means."""
from __future__ import annotations

from typing import TYPE_CHECKING

import leafward as lw
from leafward.arrays.kernels.matrix_steps import adafactor
from leafward.optim.kernel_optimizer import KernelOptimizer
from leafward.optim.optimizer import new_step
from leafward.tensor.tensor import Tensor

if TYPE_CHECKING:
    from leafward.optim.optimizer import ParamsT


class Adafactor(KernelOptimizer):
    """``p -= rate * g / sqrt(v)``, with v the average of g**2, for matrices from its means by rows and columns.

    ``rate`` is ``lr``, at most 1 / sqrt(step), times the size of p; an update longer than ``d`` is shortened.

    {params, lr}
    beta2_decay: step t keeps ``1 - t ** beta2_decay`` of the old average; at most 0
    eps: lower bounds of sqrt(v) (None: ``finfo(dtype).eps``) and of the size of p
    d: root mean square up to which an update isn't shortened, at least 1
    weight_decay: ``p *= 1 - lr * weight_decay`` before the update
    {foreach, maximize}
    Source: Shazeer and Stern, Adafactor: Adaptive Learning Rates with Sublinear Memory Cost, 2018.

    >>> p = lw.ones(1, requires_grad=True)
    >>> (3 * p).sum().backward()
    >>> lw.optim.Adafactor([p], lr=0.1).step()
    >>> p
    tensor([0.9000], requires_grad=True)
    """

    kernel = staticmethod(adafactor)
    added = {"foreach": None}

    needs_whole_parameters = True

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-2, beta2_decay: float = -0.8,
                 eps: tuple[float | None, float] = (None, 1e-3), d: float = 1.0, weight_decay: float = 0.0, *,
                 foreach: bool | None = None, maximize: bool = False) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not 0.0 >= beta2_decay:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not 0.0 <= eps[0]:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not 0.0 <= eps[1]:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not 1.0 <= d:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(params, {"lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d,
                                  "weight_decay": weight_decay, "foreach": foreach, "maximize": maximize})

    def _check(self, group, params):
        if any(p.is_complex() for p in params):
            raise RuntimeError("Adafactor does not support complex parameters")

    def _options(self, group):
        return (group["lr"], group["beta2_decay"], group["weight_decay"], group["eps"][1], group["d"], group["maximize"])

    def _count_writes(self, group):
        return 2 if group["weight_decay"] != 0 else 1

    def _new_state(self, p, group):
        state = {"step": new_step()}
        if p.dim() > 1:
            *lead, rows, columns = p.shape
            state["row_var"] = lw.zeros(*lead, rows, 1, dtype=p.dtype)
            state["col_var"] = lw.zeros(*lead, 1, columns, dtype=p.dtype)
        else:
            state["variance"] = lw.zeros_like(p, requires_grad=False)
        return state

    def _state_of(self, p, group):
        state = self.state[p] or self._begun(p, group)
        smallest = lw.finfo(p.dtype).eps if group["eps"][0] is None else group["eps"][0]
        return state["step"], state.get("row_var"), state.get("col_var"), state.get("variance"), smallest
