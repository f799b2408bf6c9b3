"""Objects that know how to be saved."""
from typing import Protocol, runtime_checkable


@runtime_checkable
class Stateful(Protocol):
    """An object with ``state_dict()`` and ``load_state_dict(state)``: modules, optimizers and schedules are.

    >>> isinstance(lw.nn.Linear(1, 1), Stateful)
    True
    """

    def state_dict(self):
        """What there is to save."""

    def load_state_dict(self, state_dict):
        """Take it over."""
