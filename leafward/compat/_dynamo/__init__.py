"""``torch._dynamo``, PyTorch's tracer of Python, as far as programs mark functions for it: nothing is traced here."""
from types import SimpleNamespace

from leafward.compat._dynamo import eval_frame, exc, utils  # noqa: F401
from leafward.compat._dynamo.eval_frame import OptimizedModule  # noqa: F401
from leafward.compat.compiler import is_compiling  # noqa: F401
from leafward.compat.jit import same
from leafward.tensor.missing import names_missing_from

#: What programs set for the tracer; nothing reads it.
config = SimpleNamespace(
    cache_size_limit=8, recompile_limit=8, suppress_errors=False, capture_scalar_outputs=False, verbose=False)

allow_in_graph = assume_constant_result = disallow_in_graph = forbid_in_graph = nonstrict_trace = same


def disable(fn=None, recursive=True, **options):
    """``@disable`` and ``@disable(recursive=False)``: the function as it is."""
    return same if fn is None else fn


def mark_static_address(t, guard=False):
    """Nothing: tensors are not traced."""


def mark_dynamic(t, index, **options):
    """Nothing."""


maybe_mark_dynamic = mark_static = mark_dynamic


def graph_break(msg=""):
    """Nothing: there is no graph to break."""


def reset():
    """Nothing: there is no cache to clear."""


__getattr__ = names_missing_from("torch._dynamo", globals())
