"""SparseAdam: Adam on the rows that have a gradient."""
from __future__ import annotations

import math
from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.optim.optimizer import Optimizer, check_betas, number
from leafward.tensor.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable
    from leafward.optim.optimizer import ParamsT


class SparseAdam(Optimizer):
    """Adam for sparse gradients: rows that were not used keep their values and their averages.

    {params, lr, betas, eps, maximize}
    Source: Kingma and Ba, Adam: A Method for Stochastic Optimization, 2014; the averages of a row decay when it is used.

    >>> table = lw.nn.Embedding(3, 1, sparse=True)
    >>> _ = lw.nn.init.ones_(table.weight)
    >>> table(lw.tensor([1])).sum().backward()
    >>> lw.optim.SparseAdam(table.parameters(), lr=0.1).step()
    >>> table.weight.detach().flatten()
    tensor([1.0000, 0.9000, 1.0000])
    """

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
                 eps: float = 1e-8, maximize: bool = False) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 < lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 < eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        complex_params = [[i, k] for i, group in enumerate(self.param_groups)
                          for k, p in enumerate(group["params"]) if p.is_complex()]
        if complex_params:
            raise ValueError(f"Complex params at indices {complex_params}: SparseAdam does not support complex "
                             "parameters")

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the rows that have a gradient; dense gradients are refused."""
        loss = self._loss_of(closure)
        params = [(p, group) for group in self.param_groups for p in group["params"] if p._grad is not None]
        if any(p._grad.layout is lw.strided for p, _ in params):
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        with lw.no_grad():
            for p, group in params:
                self._update(p, group)
        return loss

    def _update(self, p, group):
        state = self.state[p]
        if not state:
            state.update(step=0, exp_avg=lw.zeros_like(p), exp_avg_sq=lw.zeros_like(p))
        state["step"] += 1
        grad = p._grad.coalesce()
        if not grad._nnz():
            return
        places, g = tuple(grad.indices().unbind(0)), grad.values()
        g = -g if group["maximize"] else g
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        beta1, beta2 = map(number, group["betas"])
        mean[places] += (1 - beta1) * (g - mean[places])
        square[places] += (1 - beta2) * (g * g - square[places])
        rate = number(group["lr"]) * math.sqrt(1 - beta2 ** state["step"]) / (1 - beta1 ** state["step"])
        p[places] -= rate * mean[places] / (square[places].sqrt() + group["eps"])
