"""``torch.fx``: graphs of traced programs. There are none here; the names are for ``isinstance`` and annotations."""
from leafward.tensor.missing import names_missing_from


class Graph:
    """A traced program: cannot be made."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(f"leafward does not have torch.fx.{type(self).__name__}: programs are not traced; call the "
                                  "module itself")


class Node(Graph):
    """A call in a traced program."""


class Proxy(Graph):
    """What stands for a value while a program is traced: nothing is one."""


class GraphModule(Graph):
    """A traced module: nothing is one."""


class Tracer(Graph):
    """What traces."""


class Interpreter(Graph):
    """What runs a traced program."""


def symbolic_trace(root, concrete_args=None):
    """Refused: programs are not traced."""
    return GraphModule(root)


def wrap(fn_or_name):
    """``fn_or_name`` itself, which a tracer would not look into."""
    return fn_or_name


__getattr__ = names_missing_from("torch.fx", globals())
