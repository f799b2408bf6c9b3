"""Stochastic gradient descent, with momentum."""
import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.optimizer import Optimizer, check_fused, check_lr, check_not_negative, number


class SGD(Optimizer):
    """``p -= lr * g``, or with momentum ``b = momentum * b + g``, ``p -= lr * b``.

    >>> p = leafward.ones(1, requires_grad=True)
    >>> (3 * p).backward()
    >>> leafward.optim.SGD([p], lr=0.1).step()
    >>> p
    tensor([0.7000], requires_grad=True)
    """

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False,
                 foreach=None, differentiable=False, fused=None):
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

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for name, default in (("nesterov", False), ("maximize", False), ("foreach", None),
                                  ("differentiable", False), ("fused", False)):
                group.setdefault(name, default)

    def step(self, closure=None):
        """Update the parameters once."""
        loss = self._loss_of(closure)
        for group in self.param_groups:
            params = self._trained(group)
            momentum = group["momentum"]
            states = [(None, False) if momentum == 0 else self._buffer(p) for p in params]
            self._update(kernels.sgd, params, states, (
                number(group["lr"]), momentum, group["dampening"], number(group["weight_decay"]), group["nesterov"],
                group["maximize"]))
        return loss

    def _buffer(self, p):
        """The momentum buffer of ``p``, and whether it is new."""
        state = self.state[p]
        buffer = state.get("momentum_buffer")
        if buffer is not None:
            return buffer, False
        state["momentum_buffer"] = lw.empty_like(p, requires_grad=False)
        return state["momentum_buffer"], True
