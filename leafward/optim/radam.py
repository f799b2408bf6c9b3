"""RAdam: Adam that waits until its average of squares can be trusted."""
import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.adam import steps_as_tensors
from leafward.optim.optimizer import Optimizer, check_betas, check_lr, check_not_negative, new_step, number


class RAdam(Optimizer):
    """:class:`~leafward.optim.Adam` with its step corrected for the variance of the average square (Liu et al.)."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
                 foreach=None, maximize=False, capturable=False, differentiable=False):
        check_lr(lr)
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        check_not_negative(weight_decay, "weight_decay")
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable})

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for name, default in (("foreach", None), ("maximize", False), ("differentiable", False),
                                  ("decoupled_weight_decay", False), ("capturable", False)):
                group.setdefault(name, default)
            steps_as_tensors(self.state, group)

    def step(self, closure=None):
        """Update the parameters once."""
        loss = self._loss_of(closure)
        for group in self.param_groups:
            params = self._trained(group)
            states = [self._state_of(p) for p in params]
            decoupled = group["decoupled_weight_decay"]
            self._update(kernels.radam, params, states, (
                number(group["lr"]), *group["betas"], group["eps"], group["weight_decay"], decoupled,
                group["maximize"]), writes=2 if decoupled and group["weight_decay"] != 0 else 1)
        return loss

    def _state_of(self, p):
        state = self.state[p]
        if not state:
            state["step"] = new_step()
            state["exp_avg"] = lw.zeros_like(p, requires_grad=False)
            state["exp_avg_sq"] = lw.zeros_like(p, requires_grad=False)
        return state["step"], state["exp_avg"], state["exp_avg_sq"]
