"""Elements that are computed and not used: the call that selects others in their place, as the source shows it."""
import ast

from leafward.core.op import Op, registry
from leafward.trust import syntax
from leafward.trust.source import function_around, line_of, place


def selection_of(node, scene):
    """The place of the selection (``where(mask, ...)``) that the result of ``node`` goes into, as far as the source shows."""
    where = place(node._site)
    if where is None or where.text is None:
        return None
    name = syntax.target(where)
    name = where.source_of(name) if name is not None else name_assigned(where)
    for call in ast.walk(function_around(where)):
        if isinstance(call, ast.Call) and len(call.args) >= 2 and syntax.called(call) in SELECTS:
            inside = any(n is where.expression for n in ast.walk(call)) or (
                where.expression is not None and call.lineno <= where.line <= call.end_lineno)
            if inside or (name is not None and name in syntax.names_read(call)):
                return Selection(where, call)
        taken = call.value if isinstance(call, ast.Subscript) and isinstance(call.ctx, ast.Load) else (
            call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            and call.func.attr in TAKES else None)
        if taken is not None and (taken is where.expression or ast.unparse(taken) == name):
            return Selection(where, call)
    return None


#: Methods that leave out elements of a tensor, or put others in their places.
TAKES = {"masked_fill", "masked_select", "index_select", "masked_scatter", "take", "gather"}


#: What selects elements of one tensor or another by a mask, which comes first.
SELECTS = {op.name.strip("_") for op in registry.values()
           if isinstance(op, Op) and op.elementwise and len(op.inputs) == 3 and op.differentiable[0] is False}


class Selection:
    """A call of ``where`` as a place: its line, and the source of its mask."""

    def __init__(self, near, call):
        self.call, self.near = call, near
        chooses = isinstance(call, ast.Call) and syntax.called(call) in SELECTS and len(call.args) == 3
        self.mask = ast.unparse(call.args[0]) if chooses else None
        self.text, self.start, self.end = ast.unparse(call), 0, 0

    def where(self):
        return line_of(self.near, self.call)

    def in_function(self):
        return ""


def name_assigned(where):
    """The name that the statement at ``where`` assigns."""
    statement = where.statement
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return None
