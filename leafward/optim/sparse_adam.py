"""SparseAdam: Adam on the entries of sparse gradients, which leafward does not have."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

from leafward.optim.optimizer import Optimizer, check_betas
from leafward.tensor.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable
    from leafward.optim.optimizer import ParamsT


class SparseAdam(Optimizer):
    """For sparse gradients only. Gradients are dense here, so ``step`` raises and says to use :class:`Adam`.

    {params, lr, betas, eps, maximize}

    >>> p = lw.ones(1, requires_grad=True)
    >>> (3 * p).sum().backward()
    >>> lw.optim.SparseAdam([p]).step()
    Traceback (most recent call last):
        ...
    RuntimeError: SparseAdam does not support dense gradients, please consider Adam instead
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
        """Refuses dense gradients."""
        loss = self._loss_of(closure)
        if any(p._grad is not None for group in self.param_groups for p in group["params"]):
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        return loss
