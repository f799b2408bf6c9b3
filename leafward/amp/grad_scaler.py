"""``GradScaler``: a loss scaled up, so that small float16 gradients do not become zero."""
from __future__ import annotations

from collections import defaultdict
from enum import Enum
from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.errors import warn

if TYPE_CHECKING:
    from leafward.tensor.annotations import Device


class OptState(Enum):
    """How far an optimizer has come since the last ``update()``."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def fresh_state() -> dict[str, Any]:
    """What is known of an optimizer at first: its stage, and for each device 1 where a gradient overflowed, else 0."""
    return {"stage": OptState.READY, "found_inf_per_device": {}}


def overflowed(state: dict[str, Any]) -> bool:
    """Whether an unscaled gradient was infinite or NaN."""
    return any(found.item() for found in state["found_inf_per_device"].values())


class GradScaler:
    """Scale losses by a factor that grows every ``growth_interval`` good steps and shrinks when gradients overflow.

    >>> scaler = GradScaler("cpu")
    >>> scaler.get_scale()
    65536.0
    """

    def __init__(self, device: Device = "cuda", init_scale: float = 2.0**16, growth_factor: float = 2.0,
                 backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True) -> None:
        self._device = device
        self._enabled = enabled
        if enabled and device == "cuda":
            warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
            self._enabled = False
        if self._enabled:
            if growth_factor <= 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
        self._scale, self._has_scaled = float(init_scale), False
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval, self._growth_tracker = growth_interval, 0
        self._per_optimizer_states = defaultdict(fresh_state)       # by the id of the optimizer

    def scale(self, outputs: Any) -> Any:
        """``outputs`` (a tensor, or containers of them) times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, lw.Tensor):
            self._has_scaled = True
            scaled = outputs * self._scale
            if scaled.grad_fn is not None:
                scaled.grad_fn.metadata["scaled"] = True    # it looks for overflow by itself: nothing to warn of
            return scaled
        return type(outputs)([self.scale(value) for value in outputs])

    def refuse_unscaled(self, name: str) -> None:
        """Raise if no loss was scaled before ``name`` was called: its gradients do not have the factor that is taken out."""
        if not self._has_scaled:
            raise AssertionError(f"Attempted {name} but _scale is None.  This may indicate your script did not use "
                                 "scaler.scale(loss or outputs) earlier in the iteration.")

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of the optimizer's parameters by the scale, in place, to clip them for example."""
        if not self._enabled:
            return
        self.refuse_unscaled("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        grads = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        with lw.no_grad():
            found = False
            for grad in grads:
                if grad.dtype is lw.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                found = found or not bool(grad.isfinite().all())
                grad.mul_(1.0 / self._scale)
        state["stage"] = OptState.UNSCALED
        state["found_inf_per_device"] = {lw.device("cpu"): lw.tensor(float(found))}

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Unscale, unless that was done, and step, unless a gradient is infinite or NaN."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self.refuse_unscaled("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        state["stage"] = OptState.STEPPED
        return None if overflowed(state) else optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Adapt the scale to the steps since the last update, or set it."""
        if not self._enabled:
            return
        self.refuse_unscaled("update")
        if new_scale is not None:
            self._scale = float(new_scale)
        else:
            states = [state for state in self._per_optimizer_states.values() if state["found_inf_per_device"]]
            if not states:
                raise AssertionError("No inf checks were recorded prior to update.")
            if any(overflowed(state) for state in states):
                self._scale *= self._backoff_factor
                self._growth_tracker = 0
            else:
                self._growth_tracker += 1
                if self._growth_tracker == self._growth_interval:
                    self._scale *= self._growth_factor
                    self._growth_tracker = 0
        self._per_optimizer_states = defaultdict(fresh_state)

    def is_enabled(self) -> bool:
        """Whether losses are scaled at all."""
        return self._enabled

    def get_scale(self) -> float:
        """The factor now."""
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """What the scale is multiplied by after good steps."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: Any) -> None:
        """Set :meth:`get_growth_factor`."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What the scale is multiplied by after an overflow."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: Any) -> None:
        """Set :meth:`get_backoff_factor`."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many good steps the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: Any) -> None:
        """Set :meth:`get_growth_interval`."""
        self._growth_interval = new_interval

    def state_dict(self) -> dict[str, Any]:
        """What to save with a checkpoint."""
        if not self._enabled:
            return {}
        return {"scale": self.get_scale(), "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
                "growth_interval": self._growth_interval, "_growth_tracker": self._growth_tracker}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from a :meth:`state_dict`."""
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled instance of "
                               "GradScaler.")
        self._scale = float(state_dict["scale"])
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval, self._growth_tracker = state_dict["growth_interval"], state_dict["_growth_tracker"]
