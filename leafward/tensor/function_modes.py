"""Modes that see every call: ``torch.overrides.TorchFunctionMode``.

A declared op asks the modes on its general path. Tensor's own methods and properties ask them here: each tests one bit of
the thread's word of modes.
"""
import functools

from leafward.core import modes
from leafward.core.bind import dispatch, function_overrides
from leafward.core.fields import make_watched
from leafward.core.mode_bits import FUNCTIONS
from leafward.core.runtime import runtime
from leafward.derive.functions import public

#: Tensor's own methods and properties, which no op stands behind.
METHODS = ("__bool__", "__complex__", "__contains__", "__deepcopy__", "__float__", "__format__", "__getitem__", "__index__",
           "__int__", "__iter__", "__len__", "__repr__", "__reversed__", "__setitem__", "backward", "data_ptr",
           "detach", "dim", "element_size", "is_complex", "is_contiguous", "is_floating_point", "item",
           "numel", "numpy", "register_hook", "requires_grad_", "retain_grad", "size", "storage_offset", "stride", "to",
           "tolist", "type")
PROPERTIES = ("H", "T", "data", "device", "dtype", "grad", "grad_fn", "imag", "is_leaf", "layout", "mH", "mT", "ndim",
              "real", "requires_grad", "shape")


#: Those of them that ask by themselves, because they are called so often that one more call would be felt.
ASK_THEMSELVES = ("__getitem__", "__setitem__", "backward", "data_ptr", "detach", "device", "dim", "dtype", "element_size",
                  "grad", "grad_fn", "is_complex", "is_contiguous", "is_floating_point", "is_leaf", "ndim", "numel",
                  "requires_grad", "shape", "size", "storage_offset", "stride")


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


def watch(cls):
    """Let the modes see the :data:`METHODS` and :data:`PROPERTIES` of ``cls``. Once, at start-up."""
    for names, watched in ((METHODS, make_watched), (PROPERTIES, watched_property)):
        for name in names:
            if name not in ASK_THEMSELVES:
                setattr(cls, name, watched(getattr(cls, name)))


def watching(tensor):
    """What ``dispatch`` needs where this thread is in a mode; None outside of modes."""
    return function_overrides([tensor]) if modes.current().function_modes else None


def watched_property(original):
    """A property that does."""
    getter = original.fget

    def get(self):
        if modes.word() & FUNCTIONS and (overrides := watching(self)) is not None:
            return dispatch(watched.__get__, (self,), {}, overrides)
        return getter(self)
    watched = property(functools.wraps(getter)(get), original.fset, original.fdel, original.__doc__)
    return watched


def resolve_name(f):
    """``"torch.Tensor.add"``: where ``f`` is; None if it is nowhere."""
    for name in PROPERTIES:
        if getattr(f, "__self__", None) is getattr(runtime.tensor, name):
            return f"torch.Tensor.{name}.__get__"
    for name in METHODS:
        if f is getattr(runtime.tensor, name):
            return f"torch.Tensor.{name}"
    for namespace, functions in public.items():
        for name, function in functions.items():
            if f is function:
                return f"torch.{name}" if namespace == "torch" else f"torch.{namespace}.{name}"
    return None
