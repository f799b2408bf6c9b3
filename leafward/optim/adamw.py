"""AdamW: Adam with the weight decay apart from the gradient."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.optim.adam import Adam

if TYPE_CHECKING:
    from leafward.optim.optimizer import ParamsT
    from leafward.tensor.tensor import Tensor


class AdamW(Adam):
    """:class:`Adam` after ``p *= 1 - lr * weight_decay``: the decay goes past the averages, and is the same for every element.

    ``p -= lr * m / (sqrt(v) + eps)``, with m and v the averages of g and g**2, freed of their bias to zero.

    {params, lr, betas, eps}
    weight_decay: share of the parameters, in units of ``lr``, that is taken off in each step
    {amsgrad, maximize, foreach, capturable, differentiable, fused}
    Source: Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2019.

    >>> p = lw.ones(1, requires_grad=True)
    >>> (3 * p).sum().backward()
    >>> lw.optim.AdamW([p], lr=0.1).step()
    >>> p
    tensor([0.8990], requires_grad=True)
    """

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
