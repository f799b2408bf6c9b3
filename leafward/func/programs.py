"""Transforms of what a function does rather than of its derivatives."""
from __future__ import annotations

import functools
from typing import Any, TYPE_CHECKING

from leafward.core.tensor import TensorBase

if TYPE_CHECKING:
    from collections.abc import Callable
    from leafward.tensor.tensor import Tensor

HOW = """functionalize(f, remove='mutations'): received invalid argument for remove={}. Valid options are:
     remove='mutations': all inplace and out= operators will be removed from the program, and replaced with their out-of-place \
equivalents.
     remove='mutations_and_views': In addition to the above, all aliasing operators {{view}} will be replaced with their \
non-aliasing counterparts, {{view}}_copy."""


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """A function with the results of ``func``, and with what it writes into its arguments.

    In PyTorch its program has no writes in between, which a tracer or a compiler sees. leafward has neither, so it runs
    ``func`` as it is.

    >>> import leafward as lw
    >>> lw.func.functionalize(lambda x: x.clone().add_(1))(lw.zeros(2))
    tensor([1., 1.])
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(HOW.format(remove))

    @functools.wraps(func)
    def run(*args, **kwargs):
        return func(*args, **kwargs)
    return run


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """The whole batch that one example inside ``vmap`` stands for, for a look at it; any other tensor as it is.

    ``recurse=False`` goes through the innermost of several ``vmap`` only.
    """
    if not isinstance(tensor, TensorBase):
        raise TypeError(f"debug_unwrap(): expected a Tensor, got {type(tensor).__name__}")
    while tensor._batch is not None:
        tensor = tensor._value
        if not recurse:
            break
    return tensor
