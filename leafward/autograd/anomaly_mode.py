"""Anomaly mode: remember where each node was made, show it when its backward fails, and refuse nan."""
from __future__ import annotations

from typing import Any

from leafward.core import modes
from leafward.errors import warn


class set_detect_anomaly:
    """Turn anomaly mode on or off at once; as a context manager, put back what it was at the end."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        state = modes.current()
        self.previous = state.anomaly, state.check_nan
        state.anomaly, state.check_nan = bool(mode), check_nan
        state.changed()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: Any) -> None:
        state = modes.current()
        state.anomaly, state.check_nan = self.previous
        state.changed()


class detect_anomaly:
    """Anomaly mode for a block: a failing backward also shows where its forward was."""

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        warn("Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
             "debugging.")

    def __enter__(self) -> None:
        self.switch = set_detect_anomaly(True, self.check_nan)

    def __exit__(self, *exc: Any) -> None:
        self.switch.__exit__()


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return modes.current().anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode refuses gradients with nan."""
    return modes.current().check_nan
