"""PyTorch's compilers, as far as programs decorate with them: the function comes back as it is, with one notice."""
from typing import Final  # noqa: F401

from leafward.errors import warn
from leafward.tensor.missing import names_missing_from

#: The compilers spoken of so far.
noticed = set()
#: What programs compile for, mostly.
TO_SAVE = ". To keep a model, torch.save(model.state_dict(), path); to run it without Python, torch.onnx.export"


def notice(name, instead=""):
    if name not in noticed:
        noticed.add(name)
        warn(f"{name} returns its argument as it is: leafward has no graph compiler{instead}")


def compile(model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None,
            name=None, disable=False, recompile_limit=None, isolate_recompiles=False, shapes_spec=None):
    """``model`` itself: ``torch.compile(f)``, or the decorator ``@torch.compile(...)``.

    >>> double = lw.compile(lambda x: 2 * x, disable=True)
    >>> double(lw.ones(2))
    tensor([2., 2.])
    """
    if not disable:
        notice("torch.compile")
    return same if model is None else model


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """``obj`` itself, a function or a module."""
    notice("torch.jit.script", TO_SAVE)
    return obj


def trace(func, example_inputs=None, **options):
    """``func`` itself, a function or a module; it is not called."""
    notice("torch.jit.trace", TO_SAVE)
    return func


def same(function):
    """``function`` itself: nothing is compiled."""
    return function


export = unused = script_if_tracing = _script_if_tracing = _overload = _overload_method = same


def ignore(drop=False, **options):
    """``@torch.jit.ignore`` and ``@torch.jit.ignore(...)``."""
    return drop if callable(drop) else same


class ScriptModule:
    """What PyTorch's compiler makes of a module, for ``isinstance``: nothing is one here."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("leafward does not have torch.jit.ScriptModule: there is no graph compiler: subclass "
                                  "torch.nn.Module")


class ScriptFunction(ScriptModule):
    """What it makes of a function."""


RecursiveScriptModule = TopLevelTracedModule = TracedModule = ScriptModule
script_method = same


class TracerWarning(Warning):
    """What PyTorch's tracer warns of; nothing is traced here."""


def annotate(the_type, the_value):
    """``the_value`` itself."""
    return the_value


def trace_module(mod, inputs, **options):
    """``mod`` itself; it is not called."""
    notice("torch.jit.trace_module", TO_SAVE)
    return mod


def is_scripting():
    """False."""
    return False


def is_tracing():
    """False."""
    return False


__getattr__ = names_missing_from("torch.jit", globals())
