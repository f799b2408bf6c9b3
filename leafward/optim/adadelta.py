"""Adadelta: steps in the units of the parameter, from two averages of squares."""
import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.adam import steps_as_tensors
from leafward.optim.optimizer import Optimizer, check_lr, check_not_negative, new_step, number


class Adadelta(Optimizer):
    """``p -= lr * g * sqrt(u + eps) / sqrt(v + eps)``, u and v the averages of squared steps and g**2 (Zeiler)."""

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False,
                 maximize=False, differentiable=False):
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_not_negative(weight_decay, "weight_decay")
        super().__init__(params, {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable})

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for name, default in (("foreach", None), ("maximize", False), ("differentiable", False),
                                  ("capturable", False)):
                group.setdefault(name, default)
            steps_as_tensors(self.state, group)

    def step(self, closure=None):
        """Update the parameters once."""
        loss = self._loss_of(closure)
        for group in self.param_groups:
            params = self._trained(group)
            states = [self._state_of(p) for p in params]
            self._update(kernels.adadelta, params, states, (
                number(group["lr"]), group["rho"], group["eps"], group["weight_decay"], group["maximize"]))
        return loss

    def _state_of(self, p):
        state = self.state[p]
        if not state:
            state["step"] = new_step()
            state["square_avg"] = lw.zeros_like(p, requires_grad=False)
            state["acc_delta"] = lw.zeros_like(p, requires_grad=False)
        return state["step"], state["square_avg"], state["acc_delta"]
