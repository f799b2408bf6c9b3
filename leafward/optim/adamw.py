"""AdamW: Adam with the weight decay apart from the gradient."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.optim.adam import Adam

if TYPE_CHECKING:
    from leafward.optim.optimizer import ParamsT
    from leafward.tensor.tensor import Tensor


class AdamW(Adam):
    """:class:`Adam` after ``p *= 1 - lr * weight_decay`` (Loshchilov and Hutter)."""

    def __init__(self, params: ParamsT, lr: float | Tensor = 1e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False,
                 foreach: bool | None = None, capturable: bool = False, differentiable: bool = False,
                 fused: bool | None = None) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
                         capturable=capturable, differentiable=differentiable, fused=fused,
                         decoupled_weight_decay=True)

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
