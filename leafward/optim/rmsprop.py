"""RMSprop: gradients divided by the root of their average square."""
import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.adam import steps_as_tensors
from leafward.optim.optimizer import Optimizer, check_lr, check_not_negative, new_step, number


class RMSprop(Optimizer):
    """``p -= lr * g / (sqrt(v) + eps)``, with v the average of g**2 (Hinton)."""

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
                 capturable=False, foreach=None, maximize=False, differentiable=False):
        check_lr(lr)
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_not_negative(momentum, "momentum")
        check_not_negative(weight_decay, "weight_decay")
        check_not_negative(alpha, "alpha")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable})

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for name, default in (("momentum", 0), ("centered", False), ("foreach", None), ("maximize", False),
                                  ("differentiable", False), ("capturable", False)):
                group.setdefault(name, default)
            steps_as_tensors(self.state, group)

    def step(self, closure=None):
        """Update the parameters once."""
        loss = self._loss_of(closure)
        for group in self.param_groups:
            params = self._trained(group)
            states = [self._state_of(p, group) for p in params]
            self._update(kernels.rmsprop, params, states, (
                number(group["lr"]), group["alpha"], group["eps"], group["weight_decay"], group["momentum"],
                group["maximize"]))
        return loss

    def _state_of(self, p, group):
        state = self.state[p]
        if not state:
            state["step"] = new_step()
            state["square_avg"] = lw.zeros_like(p, requires_grad=False)
            if group["momentum"] > 0:
                state["momentum_buffer"] = lw.zeros_like(p, requires_grad=False)
            if group["centered"]:
                state["grad_avg"] = lw.zeros_like(p, requires_grad=False)
        return (state["step"], state["square_avg"], state["grad_avg"] if group["centered"] else None,
                state["momentum_buffer"] if group["momentum"] > 0 else None)
