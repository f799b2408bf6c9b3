"""Signals: ``signal.windows``."""
from leafward.compat.signal import windows
