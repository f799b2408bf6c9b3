"""Functions that other classes answer: ``__torch_function__`` of tensor-like objects, and modes that see every call.

>>> import leafward as lw
>>> class Log(lw.overrides.TorchFunctionMode):
...     def __torch_function__(self, func, types, args=(), kwargs=None):
...         print(lw.overrides.resolve_name(func))
...         return func(*args, **(kwargs or {}))
>>> x = lw.ones(2)
>>> with Log():
...     _ = (x + 1)[0].shape
torch.add
torch.Tensor.__getitem__
torch.Tensor.shape.__get__
"""
import functools
from contextlib import contextmanager
from inspect import Parameter, Signature

import leafward
from leafward.core.bind import dispatch, function_overrides, is_tensor_like
from leafward.core.op import registry
from leafward.derive.functions import public
from leafward.tensor.function_modes import METHODS, PROPERTIES, TorchFunctionMode, resolve_name
from leafward.tensor.tensor import Tensor
from leafward.tensor.missing import names_missing_from

__all__ = ["TorchFunctionMode", "enable_reentrant_dispatch", "get_ignored_functions", "get_overridable_functions",
           "get_testing_overrides", "handle_torch_function", "has_torch_function", "is_tensor_like",
           "is_tensor_method_or_property", "resolve_name", "wrap_torch_function"]

# -- for libraries that define tensor-like classes -----------------------------------------------------------------------


def has_torch_function(relevant_args):
    """Whether one of ``relevant_args`` has its own ``__torch_function__``, or a mode is entered."""
    return function_overrides(list(relevant_args)) is not None


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Let ``__torch_function__`` of the modes, then of ``relevant_args``, answer for ``public_api``."""
    overrides = function_overrides(list(relevant_args))
    if overrides is None:
        raise TypeError(f"no implementation found for {public_api}: none of the arguments has a __torch_function__")
    return dispatch(public_api, args, kwargs, overrides)


def wrap_torch_function(dispatcher):
    """Decorate a function whose arguments that matter ``dispatcher(*args)`` returns: it can then be overridden."""
    def inner(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)
        return wrapped
    return inner


@contextmanager
def enable_reentrant_dispatch():
    """For compatibility: functions called while one is handled are handled too, in any case."""
    yield


# -- what can be overridden ----------------------------------------------------------------------------------------------

#: Functions of tensors, or of none, that no class can answer.
IGNORED = ("is_tensor", "is_grad_enabled", "set_grad_enabled", "get_default_dtype", "set_default_dtype", "set_printoptions",
           "manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state", "from_numpy", "tensor", "as_tensor",
           "get_num_threads", "set_num_threads", "promote_types", "can_cast", "result_type", "load", "save")


def get_ignored_functions():
    """The public functions that cannot be overridden."""
    return {getattr(leafward, name) for name in IGNORED if hasattr(leafward, name)}


def get_overridable_functions():
    """The functions that can be overridden: for each namespace a list."""
    found = {leafward: list(public["torch"].values()), Tensor: list(public["Tensor"].values())}
    for name, functions in public.items():
        if name not in ("torch", "Tensor"):
            owner = leafward
            for part in name.split("."):
                owner = getattr(owner, part)
            found[owner] = list(functions.values())
    found[Tensor] += [getattr(Tensor, name) for name in METHODS] + [getattr(Tensor, name).__get__ for name in PROPERTIES]
    return found


def get_testing_overrides():
    """For each function that can be overridden, one of the same parameters that returns -1."""
    found = {}
    for declared in registry.values():
        function = declared.public_function

        def stand_in(*args, **kwargs):
            return -1
        parameters = [Parameter({"x": "input", "y": "other"}.get(p.name, p.name), p.kind, default=p.default)
                      for p in declared.parameters]
        stand_in.__signature__ = Signature(parameters)
        found[function] = stand_in
    return found


def is_tensor_method_or_property(func):
    """Whether ``func`` is a method of Tensor, or the getter of a property."""
    name = resolve_name(func)
    if name is not None and name.startswith("torch.Tensor."):
        return True
    return any(func is function for function in public["Tensor"].values()) or getattr(func, "__name__", "") == "__get__"


__getattr__ = names_missing_from("torch.overrides", globals())
