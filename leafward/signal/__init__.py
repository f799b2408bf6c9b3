"""Signals: ``signal.windows``."""
from . import windows
