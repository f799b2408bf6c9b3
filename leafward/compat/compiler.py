"""``torch.compiler`` where nothing is compiled: its decorators return what they are given."""
from leafward.compat.jit import compile  # noqa: F401
from leafward.tensor.missing import names_missing_from


def is_compiling():
    """False."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def disable(fn=None, recursive=True, *, reason=None):
    """``fn`` itself: ``@torch.compiler.disable``, or ``@torch.compiler.disable(recursive=False)``.

    >>> lw.compiler.disable(len) is len
    True
    """
    return (lambda function: function) if fn is None else fn


def allow_in_graph(fn):
    """``fn`` itself."""
    return fn


assume_constant_result = allow_in_graph


def reset():
    """Nothing is kept that could be forgotten."""


cudagraph_mark_step_begin = reset


def list_backends(exclude_tags=("debug", "experimental")):
    """No backend.

    >>> lw.compiler.list_backends()
    []
    """
    return []


__getattr__ = names_missing_from("torch.compiler", globals())
