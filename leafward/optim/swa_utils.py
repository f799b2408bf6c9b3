"""Averages of a model's weights over training (Izmailov et al.), and the schedule that goes with them."""
from __future__ import annotations

from copy import deepcopy
from itertools import chain
import math
from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.errors import warn
from leafward.nn.modules.batchnorm import _BatchNorm
from leafward.nn.modules.module import Module
from leafward.optim.schedulers.base import LRScheduler, as_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from leafward.optim.optimizer import Optimizer
    from leafward.tensor.annotations import Device
    from leafward.tensor.tensor import Tensor

__all__ = ["SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn",
           "update_bn"]


# --- averages --------------------------------------------------------------------------------------------------------

def check_decay(decay):
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def is_continuous(t):
    return t.is_floating_point() or t.is_complex()


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """A function of (averages, current values, count): ``average = decay * average + (1 - decay) * current``, in place.

    decay: how much of the average is kept, from 0 to 1

    >>> averages = [lw.tensor([1.0])]
    >>> get_ema_multi_avg_fn(0.5)(averages, [lw.tensor([3.0])], 1)
    >>> averages
    [tensor([2.])]
    """
    check_decay(decay)

    @lw.no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            if is_continuous(ema_param_list[0]):
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))
    return ema_update


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """A function of (averages, current values, count): all values so far weigh the same; in place.

    >>> averages = [lw.tensor([1.0])]
    >>> get_swa_multi_avg_fn()(averages, [lw.tensor([4.0])], 2)
    >>> averages
    [tensor([2.])]
    """
    @lw.no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        count = int(num_averaged) + 1
        for average, current in zip(averaged_param_list, current_param_list, strict=True):
            if is_continuous(averaged_param_list[0]):
                average.lerp_(current, 1 / count)
            else:
                average.add_((current - average).div(count, rounding_mode="trunc"))
    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Tensor]:
    """A function of (average, current, count) -> ``decay * average + (1 - decay) * current``.

    decay: how much of the average is kept, from 0 to 1

    >>> get_ema_avg_fn(0.5)(lw.tensor(1.0), lw.tensor(3.0), 1)
    tensor(2.)
    """
    check_decay(decay)

    @lw.no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param
    return ema_update


def get_swa_avg_fn() -> Callable[..., Tensor]:
    """A function of (average, current, count) -> the average with one value more.

    >>> get_swa_avg_fn()(lw.tensor(1.0), lw.tensor(4.0), 2)
    tensor(2.)
    """
    @lw.no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)
    return swa_update


class AveragedModel(Module):
    """A copy of ``model`` whose parameters are averages of those that :meth:`update_parameters` saw: (*) -> (*), as the model.

    model: copied whole
    device: where the copy is; None: where the model is
    avg_fn: (average, current, count) -> the new average; None: all values weigh the same (:func:`get_ema_avg_fn`: the last
        ones more)
    multi_avg_fn: the same for lists, in place of ``avg_fn``; None: ``avg_fn`` says it
    use_buffers: whether buffers are averaged too, rather than copied
    Source: Izmailov et al., Averaging Weights Leads to Wider Optima and Better Generalization, 2018.

    >>> from leafward import nn
    >>> model = nn.Linear(1, 1, bias=False)
    >>> averaged = leafward.optim.swa_utils.AveragedModel(model)
    >>> for value in (1.0, 3.0):
    ...     _ = nn.init.constant_(model.weight, value)
    ...     averaged.update_parameters(model)
    >>> averaged.module.weight.item()
    2.0
    """

    def __init__(self, model: Module, device: Device | None = None, avg_fn: Callable[..., Tensor] | None = None,
                 multi_avg_fn: Callable[..., None] | None = None, use_buffers: bool = False) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", lw.tensor(0, dtype=lw.long, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def _averaged(self, module):
        if self.use_buffers:
            return [t.detach() for t in chain(module.parameters(), module.buffers())]
        return [p.detach() for p in module.parameters()]

    def update_parameters(self, model: Module) -> None:
        """Take the present values of ``model`` into the averages."""
        averages, values = self._averaged(self.module), self._averaged(model)
        if self.n_averaged == 0:
            for average, value in zip(averages, values, strict=False):
                average.copy_(value)
        elif self.avg_fn is not None:
            for average, value in zip(averages, values, strict=True):
                average.copy_(self.avg_fn(average, value, self.n_averaged))
        else:
            update = self.multi_avg_fn or get_swa_multi_avg_fn()
            groups = {}
            for average, value in zip(averages, values, strict=True):
                group = groups.setdefault(average.dtype, ([], []))
                group[0].append(average)
                group[1].append(value)
            for group in groups.values():
                update(*group, self.n_averaged)
        if not self.use_buffers:
            for mine, theirs in zip(self.module.buffers(), model.buffers(), strict=True):
                mine.detach().copy_(theirs.detach())
        self.n_averaged += 1


@lw.no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Device | None = None) -> None:
    """Compute the running statistics of every batch norm in ``model`` anew, over the batches of ``loader``.

    loader: an iterable of inputs, or of lists that begin with one
    model: an averaged model, whose statistics are not those of its weights
    device: where to take the inputs; None: they stay

    >>> model = lw.nn.Sequential(lw.nn.BatchNorm1d(1))
    >>> update_bn([lw.tensor([[1.0], [3.0]]), lw.tensor([[5.0], [7.0]])], model)
    >>> model[0].running_mean
    tensor([4.])
    """
    norms = {m: m.momentum for m in model.modules() if isinstance(m, _BatchNorm)}
    if not norms:
        return
    was_training = model.training
    model.train()
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None                                 # all batches weigh the same
    for input in loader:
        if isinstance(input, (list, tuple)):
            input = input[0]
        model(input if device is None else input.to(device))
    for norm, momentum in norms.items():
        norm.momentum = momentum
    model.train(was_training)


# --- the schedule ----------------------------------------------------------------------------------------------------

class SWALR(LRScheduler):
    """Goes from the present rates to ``swa_lr`` within ``anneal_epochs``, along a cosine or a line, and stays there.

    {optimizer}
    swa_lr: the rate in the end, a number or one per group
    anneal_epochs: how long it takes
    anneal_strategy: "cos" or "linear"
    {last_epoch}

    >>> optimizer = lw.optim.SGD([lw.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = lw.optim.swa_utils.SWALR(optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> for _ in range(4):
    ...     print(f"{schedule.get_last_lr()[0]:.4g}", end=" ")
    ...     optimizer.step()
    ...     schedule.step()
    1 0.75 0.5 0.5
    """

    def __init__(self, optimizer: Optimizer, swa_lr: float | Sequence[float], anneal_epochs: int = 10,
                 anneal_strategy: str = "cos", last_epoch: int = -1) -> None:
        for rate, group in zip(as_list(swa_lr, optimizer, "swa_lr"), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._set_anneal_func(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _linear_anneal(t):
        return t

    @staticmethod
    def _cosine_anneal(t):
        return (1 - math.cos(math.pi * t)) / 2

    def _set_anneal_func(self, anneal_strategy):
        self._anneal_strategy = anneal_strategy
        self.anneal_func = self._cosine_anneal if anneal_strategy == "cos" else self._linear_anneal

    @staticmethod
    def _get_initial_lr(lr, swa_lr, alpha):
        """The rate that is ``lr`` once it went ``alpha`` of the way to ``swa_lr``."""
        return swa_lr if alpha == 1 else (lr - alpha * swa_lr) / (1 - alpha)

    def _progress(self, step):
        return self.anneal_func(max(0, min(1, step / max(1, self.anneal_epochs))))

    def get_lr(self) -> list[float]:
        """The rates at this step, from those at the last."""
        if not self._get_lr_called_within_step:
            warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.")
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, alpha = self._progress(step - 1), self._progress(step)
        return [group["swa_lr"] * alpha + self._get_initial_lr(group["lr"], group["swa_lr"], before) * (1 - alpha)
                for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer and the function."""
        return {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "anneal_func")}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` returned."""
        self.__dict__.update(state_dict)
        self._set_anneal_func(self._anneal_strategy)
