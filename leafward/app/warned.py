"""What PyTorch warns of while a program trains, and that leaves it wrong: as findings with their repairs."""
from __future__ import annotations

import ast

from leafward.app.finding import Finding
from leafward.app.sizes import SIZES, finding_of_sizes, who_was_warned
from leafward.app.slips import PARAMETERS, Spot
from leafward.optim.optimizer import Optimizer
from leafward.optim.schedulers.base import ORDER_WARNING
from leafward.trust import syntax
from leafward.trust.layout import Row, fixes, list_of
from leafward.trust.scene import Scene
from leafward.trust.source import enclosing_loop, lines_of, place, source_lines, stands_alone, tree_of

#: How the warning of an empty generator of parameters ends.
EMPTY = "is an empty generator, no gradient clipping will occur."


def finding_of(message):
    """The finding on what somebody warns of; None if that is no matter of gradients, or told elsewhere."""
    if SIZES.search(message):
        return finding_of_sizes(message)
    if message.endswith(EMPTY):
        return of_empty(place(who_was_warned()))
    return of_order(place(who_was_warned())) if message == ORDER_WARNING else None


def of_empty(where):
    """A generator of parameters that was used up before: who made it."""
    given = where.expression.args[:1] if where is not None and isinstance(where.expression, ast.Call) else []
    made = [] if not given else [
        node for node in ast.walk(tree_of("".join(source_lines(where.file)))) if isinstance(node, ast.Assign)
        and ast.unparse(given[0]) in map(ast.unparse, node.targets) and syntax.called(node.value) in PARAMETERS]
    rows, choices = [Row("clipped in", where, "nothing: the generator gives nothing a second time")], []
    if len(made) == 1:
        spot = Spot(where.file, made[0], made[0].value)
        rows.append(Row("made in", spot, "a generator gives its parameters once"))
        anew = spot.with_replaced(made[0].value, f"list({ast.unparse(made[0].value)})")
        choices.append((*anew, "a list gives them each time"))
    choices = choices or [("", "list(net.parameters())", "a list gives them each time")]
    return Finding("gradients are not clipped: the parameters were given to somebody else before",
                   f"{list_of(rows)}\n{fixes(choices)}")


def of_order(where):
    """A scheduler that steps before its optimizer, in the same turn of a loop."""
    call, scene = None if where is None else where.expression, Scene()
    owner = syntax.receiver(call) if isinstance(call, ast.Call) else None
    scheduler = scene.value(where, owner.id) if isinstance(owner, ast.Name) else None
    loop = None if where is None else enclosing_loop(where)
    optimizer = getattr(scheduler, "optimizer", None)
    steps = [] if loop is None or not isinstance(optimizer, Optimizer) else [
        node for node in ast.walk(loop) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        and syntax.called(node.value) == "step" and node.lineno >= where.line
        and isinstance(receiver := syntax.receiver(node.value), ast.Name) and scene.value(where, receiver.id) is optimizer]
    if len(steps) != 1:
        return None
    step = Spot(where.file, steps[0], steps[0].value)
    rows = [Row("rate changed in", where, "before the first step"), Row("step", step, "begins with the second rate")]
    return Finding("the scheduler steps before the optimizer: the first learning rate is never used",
                   f"{list_of(rows)}\n{fixes([moved(where, step, loop)])}")


def moved(where, step, loop):
    """The choice that moves a line below another one of the same block."""
    together = any({where.statement, step.statement} <= set(block) for node in ast.walk(loop)
                   if isinstance(block := getattr(node, "body", None), list))
    if not together or not (stands_alone(where, where.statement) and stands_alone(step, step.statement)):
        return where.where(), "do it after the optimizer's step", ""
    return f"move {lines_of(where, where.statement)}", ast.unparse(where.statement), f"below {step.where()}"
