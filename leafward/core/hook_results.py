"""What a hook returned, checked before it takes the place of a gradient."""
from leafward.dtypes import type_name
from leafward.core.tensor import TensorBase


def checked_hook_result(hook, old, answer):
    """``answer`` in place of the gradient ``old``; None changes nothing."""
    if answer is None:
        return old
    if old is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(answer, TensorBase):
        raise TypeError(f"expected Variable, but hook returned '{type(answer).__name__}'")
    if answer._array.shape != old._array.shape:
        raise RuntimeError(f"hook '{name_of(hook)}' has changed the size of value")
    if answer._dtype is not old._dtype:
        raise RuntimeError(f"hook '{name_of(hook)}' has changed the type of value (was "
                           f"{type_name(old._dtype)} got {type_name(answer._dtype)})")
    return answer


def checked_hook_results(hook, old, answer):
    """The same for the hook of a node, which returns one gradient for each of ``old``."""
    if answer is None:
        return old
    if not isinstance(answer, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(answer).__name__}'")
    if len(answer) != len(old):
        raise RuntimeError(f"hook '{name_of(hook)}' has returned an incorrect number of values (got {len(answer)}, but "
                           f"expected {len(old)})")
    return tuple([None if new is None else checked_hook_result(hook, was, new) for was, new in zip(old, answer, strict=True)])


def name_of(hook):
    return getattr(hook, "__name__", "<unknown>")


def call_accumulated(hook, leaf):
    """Call a hook that runs after a gradient was added to ``leaf.grad``."""
    if checked_hook_result(hook, leaf, hook(leaf)) is not leaf:
        raise RuntimeError("Tensor post accumulate grad hooks should return None.")
