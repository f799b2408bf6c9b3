"""Targets that are made of the network that they are for: ``r + gamma * q(next).max()`` with a history."""
from __future__ import annotations

import ast
import itertools

from leafward.app.scores import first_of, parameters_behind
from leafward.core.node import Node, behind
from leafward.core.recording import OpNode
from leafward.trust import syntax
from leafward.trust.facts import op_of, with_suffix
from leafward.trust.layout import Row
from leafward.trust.met import operands_of, operator_of
from leafward.trust.source import function_around, key_of, place

#: What compares predictions with targets.
COMPARES = ("mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss")
#: How many nodes one walk passes, and one from a target to the network's output.
NODES, SCALED = 20000, 8
#: When a target is cut off.
CONSTANT = "if it is meant as a constant, as in Q-learning"


def targets_with_history(watch, nodes):
    """Note the differences of a prediction and of a reward plus a multiple of what the same parameters gave for other data."""
    for node in nodes:
        if node._site is None or len(node._targets) != 2 or None in node._targets or not (
                op_of(node) in COMPARES or operator_of(node._plan.op) is ast.Sub):
            continue
        for predicted, target in (node._targets, node._targets[::-1]):
            total = first_of(target)
            value = None if total is None else multiple_in(total)
            if value is None or total._site is None or not isinstance(predicted, Node):
                continue
            theirs, ours = parameters_behind(value), parameters_behind(predicted)
            if not theirs or not theirs.keys() <= ours.keys() or nodes_behind(value) & nodes_behind(predicted):
                continue
            where, made = place(node._site), place(total._site)
            if is_said(made):
                continue
            number = list(node._targets).index(target)
            watch.find(("target", key_of(total._site)), "a target has a history: is the loss meant to train the target, too?", [
                Row("target", made, "is made of what the network that is trained gives for other data"),
                Row("compared in", where, "its gradient goes to the same parameters by the target as well")],
                [cut_off(where, made, number), ("", "compute the target under no_grad()", ""),
                 ("", f"assert {name_of_target(made)}.requires_grad" if name_of_target(made) else
                  "give the target a name, and assert target.requires_grad",
                  "if the gradient of the residual is meant: said on purpose, it is left in peace")], "notice")
            break


def name_of_target(made):
    """The name that a line gives to the target; None where it gives it none."""
    statement = made.statement
    single = isinstance(statement, ast.Assign) and len(statement.targets) == 1 and syntax.is_simple(statement.targets[0])
    return ast.unparse(statement.targets[0]) if single and statement.value is made.expression else None


def is_said(made):
    """Whether the function asserts that its target has a history: as in methods that follow the gradient of the residual."""
    name = name_of_target(made)
    return any(isinstance(node, ast.Assert) and isinstance(node.test, ast.Attribute) and node.test.attr == "requires_grad"
               and ast.unparse(node.test.value) == name for node in ast.walk(function_around(made)))


def multiple_in(total):
    """What is multiplied by constants in ``constant + c * x``; None for anything else."""
    if operator_of(total._plan.op) not in (ast.Add, ast.Sub) or len(total._targets) != 2 or None not in total._targets:
        return None
    node, scaled = first_of(next(target for target in total._targets if target is not None) or None), False
    for _ in range(SCALED):
        wanted = [] if node is None else [target for target in node._targets if target is not None]
        if len(wanted) != 1 or operator_of(node._plan.op) is not ast.Mult:
            break
        scaled, node = True, first_of(wanted[0])
    return node if scaled else None


def nodes_behind(node):
    """The nodes that a value came by; not the leaves."""
    return {id(end) for end in itertools.islice(behind([node]), NODES) if isinstance(end, OpNode)}


def cut_off(where, made, number):
    """The choice that detaches the target: where it is made, if that is a line of its own, or where it is compared."""
    if isinstance(made.statement, ast.Assign) and made.statement.value is made.expression:
        code = made.edited(made.expression, f"({made.source_of(made.expression)}).detach()")
        if code is not None:
            return made.where(), code, CONSTANT
    taken = where.expression.args if isinstance(where.expression, ast.Call) else operands_of(where)
    shown = len(taken) >= 2 and syntax.is_simple(taken[number])
    return where.where(), (with_suffix(where, taken[number], ".detach()") if shown else None) or "detach() the target", \
        CONSTANT
