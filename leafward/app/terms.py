"""Terms of a loss that were cut off from what they were computed from: they count in its value, and train nothing."""
from __future__ import annotations

import ast
import builtins
import functools

from leafward.app.lost import straight_through
from leafward.core.cuts import cuts_of, departures
from leafward.core.op import Op, registry
from leafward.core.recording import OpNode
from leafward.trust import syntax
from leafward.trust.cuts import feeds, told_of
from leafward.trust.facts import op_of
from leafward.trust.functions import is_flat_op
from leafward.trust.layout import Line, Row
from leafward.trust.numbers import without_numpy
from leafward.trust.scene import MISSING, Scene, library
from leafward.trust.source import function_around, key_of, lines_of, place, stands_alone

#: Cuts that somebody made on purpose, and those that are told where they are met.
LEFT = ("frozen", "deepcopy", "late", "grad")
#: How many nodes one walk passes.
NODES = 20000
#: What makes a Python number of a tensor.
TAKEN = ("item", "tolist")


@functools.cache
def names_of_ops(kinds, reflected):
    """The names of the ops behind some of Python's operators; ``reflected``: also of those with the number on the left."""
    wanted = {syntax.OPERATORS[kind].strip("_") for kind in kinds}
    return {declared.name for declared in registry.values() for python in declared.operator
            if python in wanted or reflected and python.removeprefix("r") in wanted}


def added_up(roots):
    """The sums (and stacks) that are added to a loss as they are, or times a constant: ``(node, whether it is a + or -)``."""
    plain, scaled = names_of_ops((ast.Add, ast.Sub), True), names_of_ops((ast.Mult, ast.Div), False)
    stack, seen = [root for root in roots if isinstance(root, OpNode)], set()
    while stack and len(seen) < NODES:
        node = stack.pop()
        if id(node) in seen or not isinstance(node, OpNode):
            continue
        seen.add(id(node))
        name, op = node._plan.op.name, node._plan.op
        factor = name in scaled and node._targets[-1] is None
        if name in plain or op.linear and not factor:
            yield node, name in plain
        if name in plain or op.linear or factor:
            stack += node._targets


def constant_terms(watch, roots, nodes):
    """Note the terms of a loss that were cut off: by ``detach()`` and the like, by an op without a derivative, as numbers."""
    met = {}
    for node in nodes:
        for cut in cuts_of(node._cut):
            met.setdefault(id(cut), []).append(node)
    for node, is_sum in added_up(roots):
        if None not in node._targets or len(node._targets) < 2 or node._site is None:
            continue
        where, found = place(node._site), []
        if node._cut is not None and not any(
                cut.site == node._site or len(met[id(cut)]) > 1 and is_shift(cut) for cut in cuts_of(node._cut)):
            found = [one for one in told_of(node._cut) if one.kind() not in LEFT]
            if any(cancels(where, one) for one in found):
                continue                                    # a shift that cancels out, as that of a straight-through estimator
        rows = [row for one in found for row in one.rows()]
        choices = [choice for one in found for choice in one.repairs()]
        if not found and is_sum:
            rows, choices = number_added(where)
        if rows:
            choices += [] if any(isinstance(choice[1], Line) or choice[0].startswith("remove ") for choice in choices) else \
                without_term(where, node)
            values = "a number" if node._shape == () else "values"
            watch.find(("term", key_of(node._site)), "a term of the loss trains nothing", [
                Row("term", where, f"adds {values} without a history: cut off from what it was computed from"
                    if found else "adds a number: what it was computed from gets nothing of it"), *rows], choices)


def without_term(where, node):
    """The choices that leave a term out of the sum at ``where``; none where its text does not show it."""
    when = "the gradient stays what it is: this part adds nothing to it"
    statement, expression, constant = where.statement, where.expression, node._targets.index(None)
    if isinstance(statement, ast.AugAssign):
        shown = isinstance(statement.op, (ast.Add, ast.Sub)) and constant == 1 and stands_alone(where, statement)
        return [(f"remove {lines_of(where, statement)}", where.text, when)] if shown and expression is None else []
    if not isinstance(expression, ast.BinOp) or len(node._targets) != 2:
        return []
    if isinstance(expression.left, ast.Constant):           # (a number on the left comes to the op as its second)
        constant = 0
    kept = expression.right if constant == 0 else expression.left
    text = where.source_of(kept)
    if constant == 0 and isinstance(expression.op, ast.Sub):
        text = f"-({text})"
    whole = isinstance(statement, ast.Assign) and statement.value is expression
    if whole and [ast.unparse(target) for target in statement.targets] == [text] and stands_alone(where, statement):
        return [(f"remove {lines_of(where, statement)}", where.text, when)]
    code = where.edited(expression, text)
    return [] if code is None else [(where.where(), code, when)]


def is_shift(cut):
    """Whether a cut leaves the values as they are, so that they may be taken away elsewhere."""
    return not isinstance(registry.get(cut.kind), Op)


def flat_terms(watch, roots):
    """Note the terms of a loss of which all ways to the leaves lead through what is flat everywhere, as ``round()`` is."""
    sums = {id(node): node for node, is_sum in added_up(roots) if is_sum}
    parts = [target for node in sums.values() for target in node._targets if id(target) not in sums]
    for part in parts or roots:
        if not isinstance(part, OpNode):
            continue
        flat, stack, seen = [], [part], set()
        while stack and len(seen) < NODES:
            node = stack.pop()
            if node is None or id(node) in seen:
                continue
            seen.add(id(node))
            if not isinstance(node, OpNode):
                flat = []
                break                                       # a leaf, or a function of the user's
            if is_flat_op(node._plan.op):
                flat.append(node)
            else:
                stack += node._targets
        if flat and flat[0]._site is not None:
            where = place(flat[0]._site)
            name = op_of(flat[0])
            watch.find(("term", key_of(flat[0]._site)), "a term of the loss trains nothing", [
                Row("term", place(part._site), "all ways from it to what is trained lead through something flat"),
                Row("flat in", where, f"the derivative of {name} is 0 everywhere")],
                straight_through(where, name))


# -- shifts that cancel out ------------------------------------------------------------------------------------------------

def parts_of_sum(expression):
    """``[a, b, c]`` for ``a + b - c``."""
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, (ast.Add, ast.Sub)):
        return [*parts_of_sum(expression.left), *parts_of_sum(expression.right)]
    return [expression]


def whole_sum(where):
    """The parts of the largest sum in its statement that the expression at ``where`` is a part of."""
    statement = where.statement
    if isinstance(statement, ast.AugAssign):
        return [statement.target, *parts_of_sum(statement.value)]
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)) and where.expression is not None \
                and syntax.contains(node, where.expression):
            return parts_of_sum(node)
    return []


def cancels(where, told):
    """Whether what was cut off takes away what the same sum adds, or a neighbour does: ``x + (x.round() - x).detach()``."""
    parts = whole_sum(where)
    ours = {ast.unparse(part) for part in parts if not isinstance(part, ast.Constant)}
    return any(ours & {ast.unparse(part) for part in parts_of_sum(owner)}
               for owner in map(cut_from, [told.place.expression, *parts]) if owner is not None)


def cut_from(node):
    """``x`` for ``x.detach()`` and ``x.data``; None for others."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        return node.func.value
    return node.value if isinstance(node, ast.Attribute) else None


# -- numbers -----------------------------------------------------------------------------------------------------------------

def number_added(where):
    """Rows and repairs for a number that is added at ``where``, and left a tensor not long ago; none where it was no tensor."""
    statement, node = where.statement, where.expression
    if isinstance(statement, ast.AugAssign):
        operands = [statement.value]
    elif isinstance(node, ast.BinOp):
        operands = [node.left, node.right]
    else:
        return [], []
    scene = Scene()
    for record, site in reversed(departures):
        left = place(site)
        for operand in operands:
            if is_number(operand, where, scene) and (any(n is left.expression for n in ast.walk(operand)) or not left.same_line(
                    where) and left.file == where.file and feeds(left, where, operand)):
                found = [one for one in told_of(record) if one.kind() not in LEFT]
                choices = [choice for one in found for choice in one.repairs()]
                if found and syntax.called(left.expression) not in TAKEN:
                    code = without_numpy(left)
                    choices = [(left.where(), code or f"use {library(left)}'s functions in place of numpy's", "on the tensors")]
                    if code is not None and isinstance(operand, ast.Call) and is_float(operand) and operand.lineno != left.line:
                        choices.append((f"and {where.where()}", where.edited(operand, ast.unparse(operand.args[0])), ""))
                return [row for one in found for row in one.rows()], choices
    return [], []


def is_float(node):
    """Whether a call is ``float(x)``."""
    return isinstance(node.func, ast.Name) and node.func.id == "float" and len(node.args) == 1


def is_number(node, where, scene):
    """Whether an expression gives a Python number: the tensors in it are asked for theirs."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.BinOp):
        return is_number(node.left, where, scene) and is_number(node.right, where, scene)
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand, where, scene)
    if isinstance(node, ast.Call):
        return syntax.called(node) in TAKEN or isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id)
    if isinstance(node, ast.Name):
        value = scene.value(where, node.id)
        if value is not MISSING:
            return isinstance(value, (int, float))
        tree = function_around(where)                       # it has returned: what it did is known from its source
        made = [n.value for n in ast.walk(tree) if isinstance(n, ast.Assign) and node.id in map(ast.unparse, n.targets)]
        return bool(made) and isinstance(tree, ast.FunctionDef) and all(
            is_without(one, node.id) and is_number(one, where, scene) for one in made)
    return False


def is_without(node, name):
    """Whether an expression does not read ``name`` itself."""
    return all(not isinstance(part, ast.Name) or part.id != name for part in ast.walk(node))
