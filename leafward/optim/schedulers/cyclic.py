"""Schedules that go up and down, of the rate and of the momentum."""
from __future__ import annotations

from functools import partial
import math
import types
from typing import Any, TYPE_CHECKING

from leafward.optim.schedulers.base import LRScheduler, as_list, check_optimizer, copied, set_value
from leafward.tensor.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from leafward.optim.optimizer import Optimizer


def set_momentum(group, value, use_beta1):
    if use_beta1:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


class CosineAnnealingWarmRestarts(LRScheduler):
    """``lr = eta_min + (base_lr - eta_min) * (1 + cos(pi * t / T)) / 2``: starts again after T epochs.

    t counts the epochs since the last restart.

    {optimizer}
    T_0: epochs up to the first restart
    T_mult: factor of T from each restart to the next, a whole number
    eta_min: the lowest rate
    {last_epoch}
    Source: Loshchilov and Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts, 2017.

    >>> optimizer = lw.optim.SGD([lw.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = lw.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> for _ in range(5):
    ...     print(f"{schedule.get_last_lr()[0]:.4g}", end=" ")
    ...     optimizer.step()
    ...     schedule.step()
    1 0.5 1 0.5 1
    """

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        self._warn_outside_step()
        return [self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
                for base in self.base_lrs]

    def step(self, epoch: int | None = None) -> None:
        """Move on by one epoch, or to ``epoch``, which may be a fraction, and set the rates."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur = self.T_cur + 1
            if self.T_cur >= self.T_i:
                self.T_cur = self.T_cur % self.T_i
                self.T_i = self.T_i * self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._place(epoch)
        self.last_epoch = math.floor(epoch)
        with self._allow_get_lr():
            values = self.get_lr()
        self._set_rates(values)

    def _place(self, epoch):
        """Which restart ``epoch`` lies in, and how far."""
        if epoch < self.T_0:
            self.T_i = self.T_0
            self.T_cur = epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult ** n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult ** n


class CyclicLR(LRScheduler):
    """The rate goes from ``base_lr`` to ``max_lr`` and back, again and again; call ``step`` after each batch.

    {optimizer}
    base_lr, max_lr: both ends, numbers or one per group
    step_size_up, step_size_down: steps on the way up, and on the way down; None: as many as up
    mode: "triangular"; "triangular2": each cycle half as high; "exp_range": by ``gamma ** step``
    gamma: for "exp_range"
    scale_fn: height of a cycle as a function, in place of ``mode``; None: ``mode`` says it
    scale_mode: whether it is a function of the "cycle" or of the steps so far, "iterations"
    {cycle_momentum, base_momentum, max_momentum, last_epoch}
    Source: Smith, Cyclical Learning Rates for Training Neural Networks, 2017.

    >>> optimizer = lw.optim.SGD([lw.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = lw.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.0, max_lr=1.0, step_size_up=2, cycle_momentum=False)
    >>> for _ in range(5):
    ...     print(f"{schedule.get_last_lr()[0]:.4g}", end=" ")
    ...     optimizer.step()
    ...     schedule.step()
    0 0.5 1 0.5 0
    """

    def __init__(self, optimizer: Optimizer, base_lr: float | Sequence[float], max_lr: float | Sequence[float],
                 step_size_up: int = 2000, step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
                 scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle", cycle_momentum: bool = True,
                 base_momentum: float | Sequence[float] = 0.8, max_momentum: float | Sequence[float] = 0.9,
                 last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = as_list(base_lr, optimizer, "base_lr")
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                if isinstance(group["lr"], Tensor):
                    set_value(group, "lr", lr)
                else:
                    group["lr"] = lr
        self.max_lrs = as_list(max_lr, optimizer, "max_lr")
        step_size_up = float(step_size_up)
        step_size_down = step_size_up if step_size_down is None else float(step_size_down)
        self.total_size = step_size_up + step_size_down
        self.step_ratio = step_size_up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._choose_scale()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            self.use_beta1 = "betas" in optimizer.defaults
            self.base_momentums = as_list(base_momentum, optimizer, "base_momentum")
            self.max_momentums = as_list(max_momentum, optimizer, "max_momentum")
            if last_epoch == -1:
                for high, low, group in zip(self.max_momentums, self.base_momentums, optimizer.param_groups,
                                            strict=True):
                    set_momentum(group, high, self.use_beta1)
                    group["max_momentum"] = high
                    group["base_momentum"] = low
        super().__init__(optimizer, last_epoch)
        self.base_lrs = [copied(lr) for lr in base_lrs]

    def _choose_scale(self):
        self._scale_fn_ref = None
        if self._scale_fn_custom is not None:
            return
        if self.mode == "exp_range":
            self._scale_fn_ref = partial(self._exp_range_scale_fn, self.gamma)
            self.scale_mode = "iterations"
        else:
            self._scale_fn_ref = (self._triangular_scale_fn if self.mode == "triangular"
                                  else self._triangular2_scale_fn)
            self.scale_mode = "cycle"

    def scale_fn(self, x: Any) -> float:
        """How far the cycle (or iteration) ``x`` reaches towards the maximum."""
        return (self._scale_fn_ref if self._scale_fn_custom is None else self._scale_fn_custom)(x)

    @staticmethod
    def _triangular_scale_fn(x):
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x):
        return 1 / (2.0 ** (x - 1))

    @staticmethod
    def _exp_range_scale_fn(gamma, x):
        return gamma ** x

    def get_lr(self) -> list[float]:
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        rates = [base + (high - base) * height * scale for base, high in zip(self.base_lrs, self.max_lrs, strict=True)]
        if self.cycle_momentum:
            for base, high, group in zip(self.base_momentums, self.max_momentums, self.optimizer.param_groups,
                                         strict=True):
                set_momentum(group, high - (high - base) * height * scale, self.use_beta1)
        return rates

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of a scale function of yours, only the attributes of a callable object."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        custom = state.pop("_scale_fn_custom")
        state["_scale_fn_custom"] = (custom.__dict__.copy() if custom is not None
                                     and not isinstance(custom, types.FunctionType) else None)
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` returned."""
        state = dict(state_dict)
        saved = state.pop("_scale_fn_custom")
        super().load_state_dict(state)
        if saved is not None:
            self._scale_fn_custom.__dict__.update(saved)
        self._choose_scale()


class OneCycleLR(LRScheduler):
    """The rate goes up to ``max_lr`` once and then down to far below; call ``step`` after each batch.

    {optimizer}
    max_lr: the highest rate, a number or one per group
    total_steps: steps in all; None: ``epochs * steps_per_epoch``
    epochs, steps_per_epoch: their number in two factors; None: ``total_steps`` says it
    pct_start: share of the steps on the way up
    anneal_strategy: "cos" or "linear"
    {cycle_momentum, base_momentum, max_momentum}
    div_factor: the first rate is ``max_lr / div_factor``
    final_div_factor: the last rate is the first one over this
    three_phase: whether the way down ends at the first rate, and a third phase goes on to the last
    {last_epoch}
    Source: Smith and Topin, Super-Convergence, 2018.
    Raises: ValueError for a step beyond the last

    >>> optimizer = lw.optim.SGD([lw.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = lw.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=5, cycle_momentum=False)
    >>> for _ in range(5):
    ...     print(f"{schedule.get_last_lr()[0]:.4g}", end=" ")
    ...     optimizer.step()
    ...     schedule.step()
    0.04 0.9505 0.6113 0.1883 4e-06
    """

    def __init__(self, optimizer: Optimizer, max_lr: float | Sequence[float], total_steps: int | None = None,
                 epochs: int | None = None, steps_per_epoch: int | None = None, pct_start: float = 0.3,
                 anneal_strategy: str = "cos", cycle_momentum: bool = True, base_momentum: float | Sequence[float] = 0.85,
                 max_momentum: float | Sequence[float] = 0.95, div_factor: float = 25.0, final_div_factor: float = 1e4,
                 three_phase: bool = False, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = count_steps(total_steps, epochs, steps_per_epoch)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        peak = float(pct_start * self.total_steps) - 1
        if three_phase:
            phases = [(peak, "initial_lr", "max_lr", "max_momentum", "base_momentum"),
                      (float(2 * pct_start * self.total_steps) - 2, "max_lr", "initial_lr", "base_momentum",
                       "max_momentum"),
                      (self.total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum")]
        else:
            phases = [(peak, "initial_lr", "max_lr", "max_momentum", "base_momentum"),
                      (self.total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
        names = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
        self._schedule_phases = [dict(zip(names, phase, strict=True)) for phase in phases]
        self._anneal_func_type = anneal_strategy
        max_lrs = as_list(max_lr, optimizer, "max_lr")
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, max_lrs, strict=True):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._start_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _start_momentum(self, optimizer, base_momentum, max_momentum, last_epoch):
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        highs = as_list(max_momentum, optimizer, "max_momentum")
        lows = as_list(base_momentum, optimizer, "base_momentum")
        if last_epoch == -1:
            for high, low, group in zip(highs, lows, optimizer.param_groups, strict=True):
                set_momentum(group, high, self.use_beta1)
                group["max_momentum"] = high
                group["base_momentum"] = low

    def _anneal(self, start, end, done):
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * done) + 1)
        return (end - start) * done + start

    def get_lr(self) -> list[float]:
        self._warn_outside_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        started = 0.0
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            started = phase["end_step"]
        done = (step - started) / (phase["end_step"] - started)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._anneal(group[phase["start_lr"]], group[phase["end_lr"]], done))
            if self.cycle_momentum:
                set_momentum(group, self._anneal(group[phase["start_momentum"]], group[phase["end_momentum"]], done),
                             self.use_beta1)
        return rates


def count_steps(total_steps, epochs, steps_per_epoch):
    if total_steps is not None:
        if total_steps <= 0 or not isinstance(total_steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
        return total_steps
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    if not isinstance(epochs, int) or epochs <= 0:
        raise ValueError(f"Expected positive integer epochs, but got {epochs}")
    if not isinstance(steps_per_epoch, int) or steps_per_epoch <= 0:
        raise ValueError(f"Expected positive integer steps_per_epoch, but got {steps_per_epoch}")
    return epochs * steps_per_epoch
