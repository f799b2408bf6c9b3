"""Modules without initial values."""
from __future__ import annotations

from inspect import signature
from typing import Any

from leafward.nn.modules.module import Module
from leafward.tensor.random import fork_rng


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Module:
    """``module_cls(*args, **kwargs)`` whose parameters hold whatever the new memory held.

    module_cls: a class of modules whose constructor takes ``device``; the further arguments are its own

    >>> from leafward import nn
    >>> nn.utils.skip_init(nn.Linear, 2, 3).weight.shape
    torch.Size([3, 2])
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    with fork_rng():                                  # nothing is drawn, as far as the program can tell
        return module_cls(*args, **kwargs)
