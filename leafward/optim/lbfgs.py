"""L-BFGS: Newton's steps, with the curvature guessed from the last gradients."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.optim.line_search import _strong_wolfe
from leafward.optim.optimizer import Optimizer, check_lr, number
from leafward.tensor.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable
    from leafward.optim.optimizer import ParamsT


class LBFGS(Optimizer):
    """``p -= t * H g``, with H, the inverse Hessian, guessed from the last ``history_size`` changes of p and g.

    ``step(closure)`` makes up to ``max_iter`` of them and calls ``closure``, which computes loss and gradients, for each.
    All parameters form one group.

    {params}
    lr: t, the step length; with a line search its first guess
    max_iter: updates in one call of ``step``
    max_eval: calls of ``closure`` in one call of ``step``; None: ``1.25 * max_iter``
    tolerance_grad: stop where no element of g is larger
    tolerance_change: stop where p or the loss changes by no more
    history_size: changes that are kept, each of twice the size of p
    line_search_fn: "strong_wolfe" looks for a t that meets both Wolfe conditions; None: ``lr``
    Source: Nocedal, Updating Quasi-Newton Matrices with Limited Storage, 1980.

    >>> x = leafward.tensor([3.0], requires_grad=True)
    >>> optimizer = leafward.optim.LBFGS([x], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (x ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> _ = optimizer.step(closure)
    >>> abs(x.item()) < 1e-5
    True
    """

    needs_whole_parameters = True

    def __init__(self, params: ParamsT, lr: float | Tensor = 1, max_iter: int = 20, max_eval: int | None = None,
                 tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
                 line_search_fn: str | None = None) -> None:
        check_lr(lr)
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter, "max_eval": max_eval, "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change, "history_size": history_size, "line_search_fn": line_search_fn})
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]
        self._numel_cache = None

    # --- all parameters as one vector -------------------------------------------------------------------------------

    def _gather_flat_grad(self):
        parts = []
        for p in self._params:
            g = lw.zeros_like(p) if p.grad is None else p.grad
            parts.append((lw.view_as_real(g) if g.is_complex() else g).reshape(-1))
        return lw.cat(parts, 0)

    def _add_grad(self, step_size, update):
        """``p += step_size * update`` for all parameters."""
        start = 0
        for p in self._params:
            p = lw.view_as_real(p) if p.is_complex() else p
            stop = start + p.numel()
            p.add_(update[start:stop].view_as(p), alpha=number(step_size))
            start = stop

    def _clone_param(self):
        return [p.clone() for p in self._params]

    def _set_param(self, params_data):
        for p, value in zip(self._params, params_data, strict=True):
            p.copy_(value)

    def _directional_evaluate(self, closure, x, t, d):
        """Loss and flat gradient at ``x + t d``; the parameters are at x afterwards."""
        self._add_grad(t, d)
        loss = number(closure())
        g = self._gather_flat_grad()
        self._set_param(x)
        return loss, g

    # --- the step ---------------------------------------------------------------------------------------------------

    @lw.no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:
        """Minimize: ``closure`` clears the gradients, computes the loss, calls backward and returns the loss."""
        closure = lw.enable_grad()(closure)
        group = self.param_groups[0]
        search = group["line_search_fn"]
        if search not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        lr, max_iter, max_eval = group["lr"], group["max_iter"], group["max_eval"]
        lr = lr.squeeze() if isinstance(lr, Tensor) else lr
        tolerance_grad, tolerance_change = group["tolerance_grad"], group["tolerance_change"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss = number(first_loss)
        evaluations = 1
        state["func_evals"] += 1
        g = self._gather_flat_grad()
        if g.abs().max() <= tolerance_grad:
            return first_loss
        for n_iter in range(1, max_iter + 1):
            d, history = self._direction(state, g, group["history_size"])
            t = lr if state["n_iter"] else min(1.0, 1.0 / g.abs().sum()) * lr
            # All at once: Ctrl-C finds the state of one iteration or of the next.
            state.update(history, n_iter=state["n_iter"] + 1, prev_flat_grad=g.clone(), prev_loss=loss, d=d, t=t)
            slope = g.dot(d)
            if slope > -tolerance_change:
                break
            used = 0
            if search is not None:
                loss, g, t, used = _strong_wolfe(
                    lambda x, t, d: self._directional_evaluate(closure, x, t, d), self._clone_param(), t, d, loss, g,
                    slope, max_ls=max_eval - evaluations)
                state["t"] = t
                self._add_grad(t, d)
            else:
                self._add_grad(t, d)
                if n_iter != max_iter:
                    loss = number(closure())
                    g = self._gather_flat_grad()
                    used = 1
            evaluations += used
            state["func_evals"] += used
            if (n_iter == max_iter or evaluations >= max_eval or g.abs().max() <= tolerance_grad
                    or (d * t).abs().max() <= tolerance_change or abs(loss - state["prev_loss"]) < tolerance_change):
                break
        return first_loss

    def _direction(self, state, g, history_size):
        """``-H g``, by two loops over the history; and the history that ``state`` has to go on with."""
        if state["n_iter"] == 0:
            return g.neg(), {"old_dirs": [], "old_stps": [], "ro": [], "H_diag": 1}
        old_dirs, old_stps, ro = [list(state[name]) for name in ("old_dirs", "old_stps", "ro")]
        h_diag = state["H_diag"]
        y, s = g - state["prev_flat_grad"], state["d"] * state["t"]
        ys = y.dot(s)
        if ys > 1e-10:                                       # else the curvature would not be positive
            if len(old_dirs) == history_size:
                for history in (old_dirs, old_stps, ro):
                    history.pop(0)
            old_dirs.append(y)
            old_stps.append(s)
            ro.append(1.0 / ys)
            h_diag = ys / y.dot(y)
        al = list(state.get("al") or [None] * history_size)
        q = g.neg()
        for i in range(len(old_dirs) - 1, -1, -1):
            al[i] = old_stps[i].dot(q) * ro[i]
            q.sub_(old_dirs[i] * al[i])
        d = q * h_diag
        for i in range(len(old_dirs)):
            beta = old_dirs[i].dot(d) * ro[i]
            d.add_(old_stps[i] * (al[i] - beta))
        return d, {"old_dirs": old_dirs, "old_stps": old_stps, "ro": ro, "H_diag": h_diag, "al": al}
