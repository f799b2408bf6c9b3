"""Schedules made of schedules: one after the other, or all at once."""
from __future__ import annotations

from bisect import bisect_right
from typing import Any, TYPE_CHECKING

from leafward.optim.schedulers.base import LRScheduler
from leafward.optim.schedulers.plateau import ReduceLROnPlateau

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from leafward.optim.optimizer import Optimizer


def check_schedulers(owner, schedulers, optimizer):
    """Refuse what cannot be combined: other things, other optimizers, schedules that need a metric."""
    for i, scheduler in enumerate(schedulers):
        if not hasattr(scheduler, "optimizer"):
            raise TypeError(f"{owner} at index {i} should have `optimizer` as its attribute.")
        if isinstance(scheduler, ReduceLROnPlateau):
            raise ValueError(f"{owner} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs "
                             f"to be specified when calling `step`, but got one at index {i} in the given schedulers "
                             "sequence.")
        if scheduler.optimizer is not optimizer:
            raise ValueError(f"{owner} expects all schedulers to belong to the same optimizer, but got scheduler "
                             f"{type(scheduler).__name__} at index {i} has {scheduler.optimizer}, which is different "
                             f"from {type(optimizer).__name__}.")


class _Combined(LRScheduler):
    def state_dict(self) -> dict[str, Any]:
        """The state of every schedule, and which comes when."""
        state = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "_schedulers")}
        state["_schedulers"] = [s.state_dict() for s in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` returned."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "_schedulers"})
        for scheduler, saved in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(saved)


class SequentialLR(_Combined):
    """One schedule after the other: the next one starts, at its own beginning, at each milestone.

    {optimizer}
    schedulers: schedules of this optimizer, but for :class:`ReduceLROnPlateau`
    milestones: epochs at which the next one takes over, one fewer than schedules
    {last_epoch}

    >>> from leafward.optim.lr_scheduler import ConstantLR, ExponentialLR
    >>> optimizer = lw.optim.SGD([lw.zeros(1, requires_grad=True)], lr=1.0)
    >>> parts = [ConstantLR(optimizer, factor=0.5, total_iters=9), ExponentialLR(optimizer, gamma=0.1)]
    >>> schedule = SequentialLR(optimizer, parts, milestones=[2])
    >>> for _ in range(4):
    ...     print(f"{schedule.get_last_lr()[0]:.4g}", end=" ")
    ...     optimizer.step()
    ...     schedule.step()
    0.5 0.5 1 0.1
    """

    def __init__(self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Iterable[int],
                 last_epoch: int = -1) -> None:
        if len(schedulers) < 1:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        check_schedulers("SequentialLR", schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("Sequential Schedulers expects number of schedulers provided to be one more than the "
                             f"number of milestone points, but got number of schedulers {len(schedulers)} and the "
                             f"number of milestones to be equal to {len(milestones)}")
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # Every schedule made its first step when it was made: undo them, and let only the one whose turn it is act.
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Take one epoch back, in all schedules inside."""
        inside = self if sched is None else sched
        if hasattr(inside, "_schedulers"):
            for scheduler in inside._schedulers:
                self.recursive_undo(scheduler)
        elif hasattr(inside, "last_epoch"):
            inside.last_epoch -= 1

    def step(self) -> None:
        """Move on by one epoch, in the schedule whose turn it is."""
        self.last_epoch += 1
        turn = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[turn]
        if turn > 0 and self._milestones[turn - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Combined):
    """All schedules at every step, each on what the one before left.

    schedulers: schedules of one optimizer, but for :class:`ReduceLROnPlateau`
    optimizer: that optimizer; None: the one of the first schedule

    >>> from leafward.optim.lr_scheduler import ConstantLR, ExponentialLR
    >>> optimizer = lw.optim.SGD([lw.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = ChainedScheduler([ConstantLR(optimizer, factor=0.5, total_iters=2), ExponentialLR(optimizer, gamma=0.1)])
    >>> for _ in range(4):
    ...     print(f"{schedule.get_last_lr()[0]:.4g}", end=" ")
    ...     optimizer.step()
    ...     schedule.step()
    0.5 0.05 0.01 0.001
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        optimizer = optimizer or getattr(schedulers[0], "optimizer", None)
        check_schedulers("ChainedScheduler", schedulers, optimizer)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def step(self) -> None:
        """Move all schedules on by one epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]
