"""Rprop: a step size per element, from the signs of the gradient alone."""
import leafward as lw
from leafward.arrays.kernels import optim as kernels
from leafward.optim.adam import steps_as_tensors
from leafward.optim.optimizer import Optimizer, check_lr, new_step, number


class Rprop(Optimizer):
    """Steps that grow while the gradient keeps its sign and shrink when it turns (Riedmiller and Braun)."""

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None,
                 maximize=False, differentiable=False):
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable})

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
            states = [self._state_of(p, number(group["lr"])) for p in params]
            self._update(kernels.rprop, params, states, (*group["step_sizes"], *group["etas"], group["maximize"]))
        return loss

    def _state_of(self, p, lr):
        state = self.state[p]
        if not state:
            state["step"] = new_step()
            state["prev"] = lw.zeros_like(p, requires_grad=False)
            state["step_size"] = lw.full_like(p, complex(lr, lr) if p.is_complex() else lr, requires_grad=False)
        return state["step"], state["prev"], state["step_size"]
