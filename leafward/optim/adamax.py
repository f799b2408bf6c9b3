"""Adamax: Adam with a maximum in place of the average square."""
import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.adam import steps_as_tensors
from leafward.optim.optimizer import Optimizer, check_betas, check_lr, check_not_negative, new_step, number


class Adamax(Optimizer):
    """``p -= lr * m / u``, with m the average of g and u the decaying maximum of |g| (Kingma and Ba)."""

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *,
                 maximize=False, differentiable=False, capturable=False):
        check_lr(lr)
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        check_not_negative(weight_decay, "weight_decay")
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable})

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
            self._update(kernels.adamax, params, states, (
                number(group["lr"]), *group["betas"], group["eps"], group["weight_decay"], group["maximize"]))
        return loss

    def _state_of(self, p):
        state = self.state[p]
        if not state:
            state["step"] = new_step()
            state["exp_avg"] = lw.zeros_like(p, requires_grad=False)
            state["exp_inf"] = lw.zeros_like(p, requires_grad=False)
        return state["step"], state["exp_avg"], state["exp_inf"]
