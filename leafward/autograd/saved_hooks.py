"""What nodes save, replaced by what a user's hooks make of it."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

from leafward.core import modes

if TYPE_CHECKING:
    from collections.abc import Callable
    from leafward.tensor.tensor import Tensor


class saved_tensors_hooks:
    """Inside, ``pack(tensor)`` replaces what nodes save, and ``unpack`` brings it back in backward."""

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        state = modes.current()
        if state.saved_refusal is not None:
            raise RuntimeError(state.saved_refusal)
        if state.saved_hooks is None:
            state.saved_hooks = []
        state.saved_hooks.append(self.hooks)
        state.changed()

    def __exit__(self, *exc: Any) -> None:
        state = modes.current()
        state.saved_hooks.pop()
        state.changed()


class save_on_cpu(saved_tensors_hooks):
    """Keep saved tensors on the CPU: where they already are."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda tensor: tensor.detach().clone(), lambda tensor: tensor)


class disable_saved_tensors_hooks:
    """Inside, setting :class:`saved_tensors_hooks` raises ``RuntimeError(error_message)``."""

    def __init__(self, error_message: str) -> None:
        self.error_message = error_message

    def __enter__(self) -> None:
        state = modes.current()
        if state.saved_hooks:
            raise RuntimeError(self.error_message)
        self.previous, state.saved_refusal = state.saved_refusal, self.error_message

    def __exit__(self, *exc: Any) -> None:
        modes.current().saved_refusal = self.previous
