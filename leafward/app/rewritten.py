"""Results that were written to where nothing was recorded, and used afterwards: gradients are those of the old values."""
import ast

from leafward.core.node import Node
from leafward.core.runtime import runtime
from leafward.core.storage import is_after
from leafward.core.tensor import TensorBase
from leafward.trust.facts import op_of
from leafward.trust.layout import Row
from leafward.trust.memory import saved_values
from leafward.trust.repairs import is_own_name
from leafward.trust.scene import Scene
from leafward.trust.source import key_of, place

#: What shares memory and leaves the history behind.
UNRECORDED = ("data", "detach")


def rewritten_results(watch, nodes):
    """Note each write between the node that made a value and the one that kept it, which neither of them knows of."""
    for node in nodes:
        for saved in saved_values(node._values):
            maker = saved.node
            if saved.is_output or not isinstance(maker, Node) or saved.array is None or not saved.storage.log:
                continue
            writes = [write for write in saved.storage.log if write.writes <= saved.writes and is_after(write, maker)
                      and write.site is not None and write.site != maker._site and runtime.overlap(write.region, saved.array)]
            if writes and maker._site is not None:
                tell(watch, node, maker, writes[0])
    rewritten_variables(watch, nodes)


def rewritten_variables(watch, nodes):
    """The same of the user's variables, whose next use keeps nothing of them, as a sum and a mean do."""
    known = {id(node) for node in nodes}
    for _, value in Scene().variables():
        maker = value._node if isinstance(value, TensorBase) else None
        if maker is None or id(maker) not in known or maker._site is None or not value._storage.log:
            continue
        if any(saved.storage is value._storage for saved in saved_values(maker._values)):
            continue                                        # stale, which is told by default
        readers = [node for node in nodes if maker in node._targets and node._plan.op.alias is None
                   and (node._plan.op.elementwise or node._shape == ())]
        for write in value._storage.log:
            used = [node for node in readers if not is_after(write, node)]
            if used and is_after(write, maker) and write.site not in (None, maker._site) \
                    and runtime.overlap(write.region, value._array):
                tell(watch, used[0], maker, write)
                break


def tell(watch, node, maker, write):
    written, made, used = place(write.site), place(maker._site), place(node._site)
    rows = [Row("made by", made, f"the gradient is that of {op_of(maker)}"),
            Row("changed by", written, "no part of the history: gradients do not go through this write"),
            Row("used by", used, f"{op_of(node)} reads the new values")]
    title = ("a result is changed where nothing is recorded, and used afterwards: the loss is that of the new values, the "
             "gradient that of the old ones.")
    watch.find(("rewritten", key_of(write.site)), title, rows, choices(written))


def choices(written):
    """The line with the write recorded: ``y = y.clamp(min=0)`` for ``y.data.clamp_(min=0)``."""
    call, statement = written.expression, written.statement
    name = owner(call.func.value) if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
    if isinstance(statement, ast.Expr) and statement.value is call and name is not None and call.func.attr.endswith("_") \
            and is_own_name(written, name, Scene()):
        renamed = ast.Call(ast.Attribute(ast.Name(name), call.func.attr[:-1]), call.args, call.keywords)
        code = written.edited(statement, f"{name} = {ast.unparse(renamed)}")
        if code is not None:
            return [(written.where(), code, "if gradients should flow through it, outside of no_grad()")]
    return [(written.where(), "make a new tensor of it, y = f(y), outside of no_grad()", "if gradients should flow through it")]


def owner(node):
    """``y`` of ``y``, ``y.data`` and ``y.detach()``."""
    if isinstance(node, ast.Call) and not node.args:
        node = node.func
    if isinstance(node, ast.Attribute) and node.attr in UNRECORDED:
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
