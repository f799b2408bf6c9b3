"""Optimizers whose step is one kernel, run for each parameter by itself."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.arrays.kernels.optim import update_all
from leafward.core import modes
from leafward.core.mode_bits import GUARD
from leafward.core.runtime import quietly
from leafward.core.storage import record_writes
from leafward.core.tensor import TensorBase
from leafward.derive.recorded import recorded
from leafward.optim.optimizer import Optimizer, number
from leafward.tensor.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable


class KernelOptimizer(Optimizer):
    """Updates every parameter by ``kernel(xp, p, g, *state, *options)``.

    A subclass says what its ``kernel`` is, which ``_options`` of a group it takes, and which state of a parameter
    (:meth:`_state_of`): tensors, and what else the kernel wants to know, from what :meth:`_new_state` began with.
    """

    kernel = None
    #: How often PyTorch would write into each parameter, so that versions agree; see :meth:`_count_writes`.
    writes = 1
    #: Options that older files lack, with what they stood for then.
    added = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for name, default in self.added.items():
                group.setdefault(name, default)
            steps_as_tensors(self.state, group)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters once. With ``differentiable=True`` the update is recorded as any arithmetic is."""
        loss = self._loss_of(closure)
        for group in self.param_groups:
            params = [p for p in group["params"] if p._grad is not None]
            self._check(group, params)
            if any([type(p._grad) is not Tensor and p._grad.layout is not lw.strided for p in params]):
                params = self._step_of_sparse(params, group)
            states = [self._state_of(p, group) for p in params]
            if group.get("differentiable"):
                if group.get("foreach"):
                    raise AssertionError("_foreach ops don't support autograd")
                self._record(params, states, self._options(group))
            else:
                self._update(params, states, [number(option) for option in self._options(group)],
                             self._count_writes(group))
            self._updated(params, states)
        return loss

    def _begun(self, p, group):
        """The state of ``p`` at its first step: set up whole or, where Ctrl-C comes between, not at all."""
        state = self.state[p]
        state.update(self._new_state(p, group))
        return state

    #: What else its refusal of sparse gradients says.
    instead = ""

    def _step_of_sparse(self, params, group):
        """Update the ``params`` that have sparse gradients; those that are left. Most optimizers refuse such gradients."""
        raise RuntimeError(f"{type(self).__name__.replace('AdamW', 'Adam')} does not support sparse gradients{self.instead}")

    def _check(self, group, params):
        """Refuse what the kernel cannot update."""

    def _updated(self, params, states):
        """Keep what the kernel has just filled."""

    def _count_writes(self, group):
        decays_apart = group.get("decoupled_weight_decay") and group["weight_decay"] != 0
        return self.writes + 1 if decays_apart else self.writes

    def _update(self, params, states, options, writes):
        """Run the kernel on the arrays of every parameter, its gradient and its state."""
        rows = []
        written = params * writes
        for p, state in zip(params, states, strict=True):
            row = [p._array, p._grad._array]
            for t in state:
                if isinstance(t, TensorBase):
                    row.append(t._array)
                    written.append(t)
                else:
                    row.append(t)
            rows.append(row)
        if modes.word() & GUARD:
            for t in written:
                modes.current().guard.before_write(t)
        quietly(update_all, (self.kernel, rows, options))
        record_writes(written, f"{type(self).__name__}.step")

    def _record(self, params, states, options):
        """Run the kernel on tensors: on copies, which then become the values, so that none is stale in backward."""
        with lw.enable_grad():
            for p, state in zip(params, states, strict=True):
                held = [p, *state]
                copies = [t.clone() if isinstance(t, Tensor) else t for t in held]
                copied, *rest = [self._as_seen(t) for t in copies]
                self.kernel(recorded, copied, self._as_seen(p._grad), *rest, *options)
                for t, copy in zip(held, copies, strict=True):
                    if isinstance(t, Tensor):
                        t.copy_(copy)

    @staticmethod
    def _as_seen(value):
        """A complex tensor as its real and imaginary parts: they are updated each on its own."""
        return lw.view_as_real(value) if isinstance(value, Tensor) and value.is_complex() else value


def steps_as_tensors(all_state: Any, group: Any) -> None:
    """Step counts that were saved as plain numbers become tensors."""
    for p in group["params"]:
        state = all_state.get(p)
        if state and not isinstance(state.get("step", p), Tensor):
            state["step"] = lw.tensor(float(state["step"]), dtype=lw.float32)
