"""Schedules that are a formula of the epoch."""
from __future__ import annotations

from bisect import bisect_right
from collections import Counter
import math
import types
from typing import Any, TYPE_CHECKING

from leafward.optim.schedulers.base import LRScheduler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from leafward.optim.optimizer import Optimizer


class LambdaLR(LRScheduler):
    """``lr = base_lr * lr_lambda(epoch)``.

    {optimizer}
    lr_lambda: a function of the epoch, or a list of them, one per group
    {last_epoch}

    >>> optimizer = lw.optim.SGD([lw.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = lw.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
    >>> for _ in range(4):
    ...     print(f"{schedule.get_last_lr()[0]:.4g}", end=" ")
    ...     optimizer.step()
    ...     schedule.step()
    1 0.5 0.3333 0.25
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
                 last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        self.lr_lambdas = functions_per_group(lr_lambda, optimizer)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of the functions, only the attributes of callable objects."""
        state = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "lr_lambdas")}
        state["lr_lambdas"] = [None if isinstance(f, types.FunctionType) else f.__dict__.copy()
                               for f in self.lr_lambdas]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` returned."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "lr_lambdas"})
        for f, saved in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if saved is not None:
                f.__dict__.update(saved)

    def get_lr(self) -> list[float]:
        self._warn_outside_step()
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(LambdaLR):
    """``lr = lr * lr_lambda(epoch)``, from epoch 1 on.

    {optimizer}
    lr_lambda: a function of the epoch, or a list of them, one per group
    {last_epoch}

    >>> optimizer = lw.optim.SGD([lw.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = lw.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
    >>> for _ in range(4):
    ...     print(f"{schedule.get_last_lr()[0]:.4g}", end=" ")
    ...     optimizer.step()
    ...     schedule.step()
    1 0.5 0.25 0.125
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
                 last_epoch: int = -1) -> None:
        for function in functions_per_group(lr_lambda, optimizer):
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self) -> list[float]:
        self._warn_outside_step()
        if self._is_initial:
            return self._current()
        return [lr * f(self.last_epoch) for f, lr in zip(self.lr_lambdas, self._current(), strict=True)]


def functions_per_group(lr_lambda, optimizer):
    groups = len(optimizer.param_groups)
    if not isinstance(lr_lambda, (list, tuple)):
        return [lr_lambda] * groups
    if len(lr_lambda) != groups:
        raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
    return list(lr_lambda)


class StepLR(LRScheduler):
    """``lr = base_lr * gamma ** (epoch // step_size)``.

    {optimizer}
    step_size: epochs from one change to the next
    gamma: factor of each change
    {last_epoch}

    >>> optimizer = lw.optim.SGD([lw.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = lw.optim.lr_scheduler.StepLR(optimizer, step_size=2)
    >>> for _ in range(5):
    ...     print(f"{schedule.get_last_lr()[0]:.4g}", end=" ")
    ...     optimizer.step()
    ...     schedule.step()
    1 1 0.1 0.1 0.01
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        self._warn_outside_step()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._current()
        return [lr * self.gamma for lr in self._current()]

    def _get_closed_form_lr(self):
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """``lr = base_lr * gamma ** (milestones reached)``.

    {optimizer}
    milestones: the epochs of the changes
    gamma: factor of each change
    {last_epoch}

    >>> optimizer = lw.optim.SGD([lw.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = lw.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3])
    >>> for _ in range(5):
    ...     print(f"{schedule.get_last_lr()[0]:.4g}", end=" ")
    ...     optimizer.step()
    ...     schedule.step()
    1 0.1 0.1 0.01 0.01
    """

    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        self._warn_outside_step()
        if self.last_epoch not in self.milestones:
            return self._current()
        return [lr * self.gamma ** self.milestones[self.last_epoch] for lr in self._current()]

    def _get_closed_form_lr(self):
        reached = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma ** reached for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """``lr = base_lr * factor`` for ``total_iters`` epochs, then ``base_lr``.

    {optimizer}
    factor: of the rate, between 0 and 1
    total_iters: epochs with it
    {last_epoch}

    >>> optimizer = lw.optim.SGD([lw.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = lw.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> for _ in range(4):
    ...     print(f"{schedule.get_last_lr()[0]:.4g}", end=" ")
    ...     optimizer.step()
    ...     schedule.step()
    0.5 0.5 1 1
    """

    def __init__(self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        self._warn_outside_step()
        if self.last_epoch == 0:
            return [lr * self.factor for lr in self._current()]
        if self.last_epoch != self.total_iters:
            return self._current()
        return [lr * (1.0 / self.factor) for lr in self._current()]

    def _get_closed_form_lr(self):
        return [base * (self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor))
                for base in self.base_lrs]


class LinearLR(LRScheduler):
    """``lr`` from ``base_lr * start_factor`` to ``base_lr * end_factor`` in a line over ``total_iters`` epochs.

    {optimizer}
    start_factor: above 0, at most 1
    end_factor: between 0 and 1
    total_iters: epochs on the way
    {last_epoch}

    >>> optimizer = lw.optim.SGD([lw.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = lw.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> for _ in range(4):
    ...     print(f"{schedule.get_last_lr()[0]:.4g}", end=" ")
    ...     optimizer.step()
    ...     schedule.step()
    0.5 0.75 1 1
    """

    def __init__(self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5,
                 last_epoch: int = -1) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        self._warn_outside_step()
        if self.last_epoch == 0:
            return [lr * self.start_factor for lr in self._current()]
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._current()
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return [lr * (1.0 + rise / before) for lr in self._current()]

    def _get_closed_form_lr(self):
        rise = self.end_factor - self.start_factor
        done = min(self.total_iters, self.last_epoch)
        return [base * (self.start_factor + rise * done / self.total_iters) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """``lr = base_lr * gamma ** epoch``.

    {optimizer}
    gamma: factor of each epoch
    {last_epoch}

    >>> optimizer = lw.optim.SGD([lw.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = lw.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> for _ in range(4):
    ...     print(f"{schedule.get_last_lr()[0]:.4g}", end=" ")
    ...     optimizer.step()
    ...     schedule.step()
    1 0.5 0.25 0.125
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        self._warn_outside_step()
        if self._is_initial:
            return self._current()
        return [lr * self.gamma for lr in self._current()]

    def _get_closed_form_lr(self):
        return [base * self.gamma ** self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """``lr = base_lr * (1 - epoch / total_iters) ** power``, zero from ``total_iters`` on.

    {optimizer}
    total_iters: epochs on the way
    power: 1: a line
    {last_epoch}

    >>> optimizer = lw.optim.SGD([lw.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = lw.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4, power=2.0)
    >>> for _ in range(5):
    ...     print(f"{schedule.get_last_lr()[0]:.4g}", end=" ")
    ...     optimizer.step()
    ...     schedule.step()
    1 0.5625 0.25 0.0625 0
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        self._warn_outside_step()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._current()
        left = 1.0 - self.last_epoch / self.total_iters
        left_before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return [lr * (left / left_before) ** self.power for lr in self._current()]

    def _get_closed_form_lr(self):
        done = min(self.total_iters, self.last_epoch)
        return [base * (1.0 - done / self.total_iters) ** self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """``lr = eta_min + (base_lr - eta_min) * (1 + cos(pi * epoch / T_max)) / 2``.

    {optimizer}
    T_max: epochs from ``base_lr`` down to ``eta_min``
    eta_min: the lowest rate
    {last_epoch}
    Source: Loshchilov and Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts, 2017, without its restarts.

    >>> optimizer = lw.optim.SGD([lw.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = lw.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    >>> for _ in range(5):
    ...     print(f"{schedule.get_last_lr()[0]:.4g}", end=" ")
    ...     optimizer.step()
    ...     schedule.step()
    1 0.8536 0.5 0.1464 0
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        self._warn_outside_step()
        if self._is_initial:
            return self._current()
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            # The last rate was eta_min: the ratio below would be 0 / 0.
            return [lr + (base - self.eta_min) * (1 - math.cos(math.pi / self.T_max)) / 2
                    for base, lr in zip(self.base_lrs, self._current(), strict=True)]
        ratio = ((1 + math.cos(math.pi * self.last_epoch / self.T_max))
                 / (1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)))
        return [ratio * (lr - self.eta_min) + self.eta_min for lr in self._current()]

    def _get_closed_form_lr(self):
        return [self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
                for base in self.base_lrs]
