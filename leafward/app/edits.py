"""Repairs that put a call beside a line, in the words of the program: ``opt.zero_grad()`` before ``loss.backward()``."""
import ast

from leafward.trust import syntax
from leafward.trust.flow import common_block
from leafward.trust.source import line_of, source_lines, tree_of


def beside(where, code, how, when=""):
    """The choice that adds ``code`` ``"before"`` or ``"after"`` the statement at ``where``; in its line, where others share it.

    ``for x in data: loss(x).backward()`` has no room before or after the call but in the line itself.
    """
    statement = where.statement
    if statement is None:
        return where.where(), code, f"{how} it" + f": {when}" * bool(when)
    if is_inside_a_line(where, statement):
        own = ast.unparse(statement)
        return where.where(), where.edited(statement, f"{code}; {own}" if how == "before" else f"{own}; {code}"), when
    last = f"-{statement.end_lineno}" if how == "after" and statement.end_lineno != statement.lineno else ""
    return f"{how} {line_of(where, statement)}{last}", code, when


def is_inside_a_line(where, statement):
    """Whether a statement stands behind the colon of another one, on its line."""
    tree = tree_of("".join(source_lines(where.file)))
    return any(isinstance(outer, ast.stmt) and outer is not statement and outer.lineno == statement.lineno
               and hasattr(outer, "body") and syntax.contains(outer, statement) for outer in ast.walk(tree))


def zero_grad(asked, stepped, optimizer, scene):
    """The choice that clears an optimizer's gradients: before the backward at ``asked``, or after the step at ``stepped``."""
    name = None if stepped is None else called_there(stepped, optimizer, scene)
    if name is None:
        return asked.where(), "optimizer.zero_grad()", "in each turn, before backward()"
    layout = common_block([asked, stepped])
    together = layout is not None and len(set(layout[2])) == 2 and all(
        is_direct(layout[1][number], where) for number, where in zip(layout[2], (asked, stepped), strict=True))
    if together or asked.same_line(stepped):                # (else several backward() may belong to one step)
        return beside(asked, f"{name}.zero_grad()", "before", "each turn begins without the old gradients")
    return beside(stepped, f"{name}.zero_grad()", "after", "the next turn begins without the old gradients")


def is_direct(statement, where):
    """Whether ``where`` lies in a statement that runs it once, each time: no branch, no loop, no function around it."""
    return statement is where.statement or isinstance(statement, ast.With) and any(
        is_direct(part, where) for part in statement.body)


def called_there(stepped, optimizer, scene):
    """What the line of a step calls the optimizer: ``opt`` in ``opt.step()`` and in ``scaler.step(opt)``; None if not seen."""
    call = stepped.expression
    if not isinstance(call, ast.Call):
        return None
    receiver = syntax.receiver(call)
    for node in (receiver, *call.args):
        if isinstance(node, ast.Name) and scene.value(stepped, node.id) is optimizer:
            return node.id
    plain = syntax.called(call) == "step" and not call.args and receiver is not None
    return stepped.source_of(receiver) if plain else None


def clearing(leaves, where, scene):
    """What sets the gradients of ``leaves`` to None at ``where``: ``net.zero_grad()``, ``w.grad = None``; None if not known."""
    left, calls = {id(leaf): leaf for leaf in leaves}, []
    networks = [(name, [p for _, p in members["parameter"]]) for name, members in scene.networks()
                if name.isidentifier() and is_seen(where, name, scene)]
    for name, members in sorted(networks, key=lambda pair: -len(pair[1])):
        if any(id(p) in left for p in members):
            calls.append(f"{name}.zero_grad()")
            left = {key: leaf for key, leaf in left.items() if not any(p is leaf for p in members)}
    names = [name for name, value in scene.variables() if id(value) in left and is_seen(where, name, scene)]
    if len(names) < len(left):
        return None
    return "; ".join([*calls, *([" = ".join([f"{name}.grad" for name in names] + ["None"])] if names else [])])


def is_seen(where, name, scene):
    """Whether ``name`` means something at ``where``, and the same as in the scene."""
    value = scene.value(where, name)
    return any(value is other for variable, other in scene.variables() if variable == name)
