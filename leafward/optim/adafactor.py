"""Adafactor: steps scaled by the gradient's squares, which are kept as row and column means."""
import leafward as lw
from leafward.arrays.kernels.matrix_steps import adafactor
from leafward.optim.adam import steps_as_tensors
from leafward.optim.optimizer import Optimizer, new_step, number
from leafward.tensor import Tensor


class Adafactor(Optimizer):
    """``p -= rate * g / sqrt(v)``, with v the average of g**2 by rows and columns (Shazeer and Stern).

    ``rate`` is ``lr``, at most 1 / sqrt(step), times the size of p; an update longer than ``d`` is shortened.
    """

    def __init__(self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None,
                 maximize=False):
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not 0.0 >= beta2_decay:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not 0.0 <= eps[0]:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not 0.0 <= eps[1]:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not 1.0 <= d:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(params, {"lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d,
                                  "weight_decay": weight_decay, "foreach": foreach, "maximize": maximize})

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("foreach", None)
            steps_as_tensors(self.state, group)

    def step(self, closure=None):
        """Update the parameters once."""
        loss = self._loss_of(closure)
        for group in self.param_groups:
            params = [p for p in group["params"] if p._grad is not None]
            if any(p.is_complex() for p in params):
                raise RuntimeError("Adafactor does not support complex parameters")
            eps1, eps2 = group["eps"]
            states = [(*self._state_of(p), lw.finfo(p.dtype).eps if eps1 is None else eps1) for p in params]
            decay = group["weight_decay"]
            self._update(adafactor, params, states, (
                number(group["lr"]), group["beta2_decay"], decay, eps2, group["d"], group["maximize"]),
                writes=2 if decay != 0 else 1)
        return loss

    def _state_of(self, p):
        state = self.state[p]
        if not state:
            state["step"] = new_step()
            if p.dim() > 1:
                *lead, rows, columns = p.shape
                state["row_var"] = lw.zeros(*lead, rows, 1, dtype=p.dtype)
                state["col_var"] = lw.zeros(*lead, 1, columns, dtype=p.dtype)
            else:
                state["variance"] = lw.zeros_like(p, requires_grad=False)
        return state["step"], state.get("row_var"), state.get("col_var"), state.get("variance")
