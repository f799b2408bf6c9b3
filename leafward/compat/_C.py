"""``torch._C``: what programs take from PyTorch's compiled part, which leafward has elsewhere."""
# A pickle of torch.exp says getattr(torch._C._VariableFunctionsClass, "exp").
import leafward as _VariableFunctionsClass  # noqa: F401

from leafward.core import modes
from leafward.core.tensor import TensorBase
from leafward.devices import device  # noqa: F401
from leafward.dtypes import dtype, layout, memory_format  # noqa: F401
from leafward.tensor.missing import names_missing_from
from leafward.ops.matrices import LinAlgError as _LinAlgError  # noqa: F401
from leafward.tensor.random import Generator  # noqa: F401
from leafward.tensor.size import Size  # noqa: F401
from leafward.tensor.tensor import disabled_torch_function as _disabled_torch_function_impl  # noqa: F401

_TensorBase = TensorBase
_TensorMeta = type(TensorBase)


class DisableTorchFunction:
    """In a ``with`` block, no ``__torch_function__`` is asked: tensors of subclasses compute as plain ones.

    >>> class Shouting(lw.Tensor):
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         raise RuntimeError("asked")
    >>> with lw._C.DisableTorchFunction():
    ...     print(lw.ones(2).as_subclass(Shouting) + 1)
    tensor([2., 2.])
    """

    def __enter__(self):
        state = modes.current()
        self.was, state.function_disabled = state.function_disabled, True
        state.changed()

    def __exit__(self, *exc):
        state = modes.current()
        state.function_disabled = self.was
        state.changed()


DisableTorchFunctionSubclass = DisableTorchFunction


class Graph:
    """A program of PyTorch's compiler, in annotations: cannot be made."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(f"leafward does not have torch._C.{type(self).__name__}: there is no graph compiler")


class Value(Graph):
    """A value in such a program."""


class Node(Graph):
    """A call in such a program."""


class DispatchKey:
    """PyTorch's names of the ways in which an operator can run; here there is one."""

    AutocastCPU, AutocastCUDA, AutocastXPU, CPU, Autograd = "AutocastCPU", "AutocastCUDA", "AutocastXPU", "CPU", "Autograd"


class DispatchKeySet(frozenset):
    """A set of them."""

    def __new__(cls, key=None):
        return super().__new__(cls, [] if key is None else [key] if isinstance(key, str) else key)

    def __or__(self, other):
        return DispatchKeySet(frozenset.__or__(self, other))


class PyTorchFileReader:
    """PyTorch's reader of archives, in annotations: cannot be made."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("leafward does not have torch._C.PyTorchFileReader: read files with torch.load, or as the "
                                  "zip archives that they are")


class _nn:
    """``torch._C._nn``, as far as programs ask it what the arguments of ``Module.to`` say."""

    @staticmethod
    def _parse_to(*args, **kwargs):
        from importlib import import_module
        return import_module("leafward.nn.modules.movement").parse_to(args, kwargs)


def _get_accelerator(check=False):
    """The CPU: there is nothing faster."""
    return device("cpu")


def _log_api_usage_once(event):
    """Nothing is logged."""


def _get_privateuse1_backend_name():
    """PyTorch's name for a device that nobody named."""
    return "privateuseone"


def _get_tracing_state():
    """None: nothing traces."""


__getattr__ = names_missing_from("torch._C", globals())
