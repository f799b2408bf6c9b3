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
import threading
from contextlib import contextmanager
from inspect import Parameter, Signature

from leafward.core import modes
from leafward.core.bind import dispatch, function_overrides, is_tensor_like
from leafward.core.op import registry
from leafward.derive.functions import public
from leafward.tensor.tensor import Tensor

__all__ = ["TorchFunctionMode", "enable_reentrant_dispatch", "get_ignored_functions", "get_overridable_functions",
           "get_testing_overrides", "handle_torch_function", "has_torch_function", "is_tensor_like",
           "is_tensor_method_or_property", "resolve_name", "wrap_torch_function"]

#: Tensor's own methods and properties, which no op stands behind: they ask the modes only while one is entered.
METHODS = ("__bool__", "__complex__", "__contains__", "__deepcopy__", "__float__", "__format__", "__getitem__", "__index__",
           "__int__", "__iter__", "__len__", "__repr__", "__reversed__", "__setitem__", "backward", "contiguous",
           "data_ptr", "detach", "dim", "element_size", "is_complex", "is_contiguous", "is_floating_point", "item",
           "numel", "numpy", "register_hook", "requires_grad_", "retain_grad", "size", "storage_offset", "stride", "to",
           "tolist", "type")
PROPERTIES = ("H", "T", "data", "device", "dtype", "grad", "grad_fn", "imag", "is_leaf", "layout", "mH", "mT", "ndim",
              "real", "requires_grad", "shape")


class TorchFunctionMode:
    """Inside a ``with`` block, every function on tensors is first given to this mode's ``__torch_function__``.

    While that runs the mode is off: calling ``func`` there goes to the mode around this one, or computes.
    """

    def __init__(self):
        pass

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError(f"{type(self).__name__} does not define __torch_function__(func, types, args, kwargs): a "
                                  "mode returns func(*args, **kwargs) there, or something in its place")

    def __enter__(self):
        interception.begin()
        state = modes.current()
        if state.function_modes is None:
            state.function_modes = []
        state.function_modes.append(self)
        state.changed()
        return self

    def __exit__(self, *exc):
        state = modes.current()
        state.function_modes.remove(self)
        state.changed()
        interception.end()


class Interception:
    """Puts an ear to Tensor's own methods while any thread is in a mode: they cost nothing before and after."""

    def __init__(self):
        self.lock = threading.Lock()
        self.count = 0
        self.originals = {}

    def begin(self):
        with self.lock:
            self.count += 1
            if self.count == 1:
                for name in METHODS:
                    self.listen(name, heard_method)
                for name in PROPERTIES:
                    self.listen(name, heard_property)

    def listen(self, name, heard):
        original = getattr(Tensor, name, None)
        if original is not None:
            self.originals[name] = (original, name in Tensor.__dict__)
            setattr(Tensor, name, heard(original))

    def end(self):
        with self.lock:
            self.count -= 1
            if self.count == 0:
                for name, (original, own) in self.originals.items():
                    if own:
                        setattr(Tensor, name, original)
                    else:
                        delattr(Tensor, name)
                self.originals.clear()


interception = Interception()


def heard_method(original):
    """A method that asks the modes first."""
    @functools.wraps(original)
    def method(self, *args, **kwargs):
        if modes.current().function_modes:
            overrides = function_overrides([self])
            if overrides is not None:
                return dispatch(original, (self, *args), kwargs, overrides)
        return original(self, *args, **kwargs)
    return method


def heard_property(original):
    """A property that does."""
    def get(self):
        if modes.current().function_modes:
            overrides = function_overrides([self])
            if overrides is not None:
                return dispatch(original.__get__, (self,), {}, overrides)
        return original.__get__(self)

    def set_value(self, value):
        original.__set__(self, value)
    return property(get, set_value, original.fdel, original.__doc__)


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
    import leafward
    return {getattr(leafward, name) for name in IGNORED if hasattr(leafward, name)}


def get_overridable_functions():
    """The functions that can be overridden: for each namespace a list."""
    import leafward
    found = {leafward: list(public["torch"].values()), Tensor: list(public["Tensor"].values())}
    for name, functions in public.items():
        if name not in ("torch", "Tensor"):
            owner = leafward
            for part in name.split("."):
                owner = getattr(owner, part)
            found[owner] = list(functions.values())
    found[Tensor] += [original(name) for name in METHODS] + [original(name).__get__ for name in PROPERTIES]
    return found


def original(name):
    """Tensor's own method or property, whether a mode is entered or not."""
    kept = interception.originals.get(name)
    return kept[0] if kept is not None else getattr(Tensor, name)


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


def resolve_name(f):
    """``"torch.Tensor.add"``: where ``f`` is; None if it is nowhere."""
    for name in PROPERTIES:
        if getattr(f, "__self__", None) is original(name) and isinstance(original(name), property):
            return f"torch.Tensor.{name}.__get__"
    for name in METHODS:
        if f is original(name):
            return f"torch.Tensor.{name}"
    for namespace, functions in public.items():
        for name, function in functions.items():
            if f is function:
                return f"torch.{name}" if namespace == "torch" else f"torch.{namespace}.{name}"
    return None


def is_tensor_method_or_property(func):
    """Whether ``func`` is a method of Tensor, or the getter of a property."""
    name = resolve_name(func)
    if name is not None and name.startswith("torch.Tensor."):
        return True
    return any(func is function for function in public["Tensor"].values()) or getattr(func, "__name__", "") == "__get__"
