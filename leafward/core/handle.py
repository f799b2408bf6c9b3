"""The handle that registering a hook returns, of a tensor, a node, a module or an optimizer."""
from __future__ import annotations

from collections import OrderedDict
import weakref
from typing import Any, Self


class RemovableHandle:
    """Takes a hook out of its registry again: ``remove()``, or leaving a ``with`` block.

    It keeps neither the registry nor the hook alive.
    """

    # Its public place: what users import and pickles name.
    __module__ = "leafward.utils.hooks"

    next_id = 0

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        extra = [] if extra_dict is None else extra_dict if isinstance(extra_dict, list) else [extra_dict]
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extra)

    def remove(self) -> None:
        """Take the hook out; a second time does nothing."""
        for ref in (self.hooks_dict_ref, *self.extra_dict_ref):
            registry = ref()
            if registry is not None:
                registry.pop(self.id, None)

    def __getstate__(self):
        return self.hooks_dict_ref(), self.id, tuple(ref() for ref in self.extra_dict_ref)

    def __setstate__(self, state):
        registry, self.id, extra = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if registry is None else registry)
        self.extra_dict_ref = tuple(weakref.ref(OrderedDict() if d is None else d) for d in extra)
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.remove()
