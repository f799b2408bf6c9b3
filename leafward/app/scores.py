"""Losses of classifiers and of policies: probabilities that are taken for scores, and advantages that train their critic."""
from __future__ import annotations

import ast
import itertools

from leafward.core.node import Node, behind
from leafward.core.recording import OpNode
from leafward.core.runtime import runtime
from leafward.core.slot_codes import OPTION
from leafward.trust import syntax
from leafward.trust.facts import op_of, with_suffix
from leafward.trust.layout import Row
from leafward.trust.memory import saved_values
from leafward.trust.met import operands_of, operator_of
from leafward.trust.scene import Scene
from leafward.trust.source import function_around, key_of, place

#: What gives probabilities.
PROBABILITIES = ("softmax", "sigmoid")
#: What takes scores, and makes probabilities of them by itself; what takes their logarithms.
SCORES, LOGARITHMS = ("log_softmax", "binary_cross_entropy_with_logits"), ("nll_loss",)
#: The divergence takes logarithms, too, and is made of several operations; the layer that calls it.
DIVERGENCE, DIVERGENCE_LAYER = "kl_div", "KLDivLoss"
#: What makes probabilities, or their logarithms, over a dim; what picks one of them for each example.
NORMALISING, PICKS = ("softmax", "log_softmax"), ("nll_loss", "gather", "index")
#: How many nodes one walk passes, and one from an advantage to the difference that it is.
NODES, NORMALISED = 20000, 8


def taken_for_scores(watch, nodes):
    """Note the losses that are given probabilities where they take scores, or logarithms of probabilities."""
    for node in nodes:
        name, given = loss_and_given(node)
        giver = first_of(given)
        if giver is None or op_of(giver) not in PROBABILITIES or None in (node._site, giver._site):
            continue
        loss, made, gives = place(node._site), place(giver._site), op_of(giver)
        called = syntax.called(loss.expression) or name
        shown = called if syntax.is_call_of(loss, name) or "loss" in called or "entropy" in called else "the loss"
        wants, more, effect = ("scores", ", and makes probabilities of them by itself", "what is learned of them is slow") \
            if name in SCORES else ("logarithms of probabilities", "", "the loss, and its gradient, is another one")
        watch.find(("probabilities", key_of(node._site)), f"a loss that takes {wants} is given probabilities", [
            Row("loss", loss, f"{shown} takes {wants}{more}"),
            Row("given", made, f"{gives} gives probabilities, from 0 to 1: {effect}")],
            [without_call(made, gives) if name in SCORES else with_logarithm(made, gives)])


def over_the_batch(watch, nodes):
    """Note probabilities that sum to one over the examples, and of which a class is then picked for each example."""
    for node in nodes:
        if op_of(node) not in PICKS or node._site is None or not isinstance(node._targets[0], OpNode):
            continue
        giver = node._targets[0]
        giver = giver._targets[0] if op_of(giver) == "log" else giver
        if not isinstance(giver, OpNode) or op_of(giver) not in NORMALISING or giver._site is None:
            continue
        classes = option_of(node, "dim")
        classes, over, rank = 1 if classes is None else classes % len(giver._shape), option_of(giver, "dim"), len(giver._shape)
        if rank < 2 or over is None or (over % rank, classes) != (0, 1):
            continue
        if op_of(node) == "index" and not is_one_of_each(node):
            continue
        made, gives = place(giver._site), op_of(giver)
        call = made.expression if isinstance(made.expression, ast.Call) and syntax.called(made.expression) == gives else None
        given = [] if call is None else [*call.args, *[k.value for k in call.keywords if k.arg == "dim"]][-1:]
        code = made.edited(given[0], "1") if given and isinstance(given[0], (ast.Constant, ast.UnaryOp)) else None
        title = "probabilities are made over the examples, and not over the classes"
        watch.find(("over the batch", key_of(giver._site)), title, [
            Row("made in", made, f"{gives} over dim 0: each column of {list(giver._shape)} sums to one"),
            Row("picked in", place(node._site), "takes one of dim 1 for each example of dim 0")],
            [(made.where(), code or f"give {gives} dim=1", "each example's probabilities then sum to one")])


def is_one_of_each(node):
    """Whether an index takes, as ``p[arange(n), y]`` does, one element of each row."""
    rows = [runtime.xp.resolved(saved.array) for saved in saved_values(node._values)]
    return len(rows) == 2 and rows[0].ndim == 1 and rows[0].tolist() == list(range(len(rows[0])))


def option_of(node, name):
    """An option that the derivative of a node keeps; None where it does not."""
    slots, options = zip(node._plan.slots, node._values or (), strict=False), node._plan.op.options
    return next((value for (kind, position), value in slots if kind == OPTION and options[position] == name), None)


def loss_and_given(node):
    """``(name, target)`` of a node that takes scores or logarithms, and what it is given; ``("", None)`` of others."""
    name = op_of(node)
    if name in SCORES or name in LOGARITHMS:
        return name, node._targets[0]
    if operator_of(node._plan.op) is ast.Mult and None in node._targets:
        where = place(node._site)                           # a divergence is made of a product with the constant target
        if where is not None and (syntax.called(where.expression) == DIVERGENCE or is_call_of_a(where, DIVERGENCE_LAYER)):
            return DIVERGENCE, next(target for target in node._targets if target is not None)
    return "", None


def is_call_of_a(where, layer):
    """Whether the line calls a module of the class ``layer``, as far as its name is seen."""
    function = getattr(where.expression, "func", None)
    if function is None or not syntax.is_simple(function) or isinstance(function, ast.Subscript):
        return False
    first, *attributes = ast.unparse(function).split(".")
    value = Scene().value(where, first)
    for attribute in attributes:
        value = getattr(value, "__dict__", {}).get("_modules", {}).get(attribute)
    return type(value).__name__ == layer


def first_of(node):
    """The node behind views, and behind what only moves values."""
    while isinstance(node, OpNode) and node._plan.op.alias is not None:
        node = node._targets[0]
    return node if isinstance(node, OpNode) else None


def without_call(made, name):
    """The choice that passes on what a call of ``name`` was given."""
    node = made.expression
    if isinstance(node, ast.Call) and syntax.called(node) == name:
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        method = owner is not None and not Scene().is_module(made, ast.unparse(owner).split(".")[0])
        given = owner if method else node.args[0] if node.args else None
        code = None if given is None else made.edited(node, made.source_of(given))
        if code is not None:
            return made.where(), code, "the scores themselves"
    return made.where(), f"leave out the {name} before the loss", "and apply it where probabilities are read"


def with_logarithm(made, name):
    """The choice that calls the logarithm's own form: ``log_softmax`` for ``softmax``."""
    node, own = made.expression, f"log_{name}" if name == PROBABILITIES[0] else f"log{name}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name == PROBABILITIES[0]:
        code = made.edited(node, ast.unparse(ast.Call(ast.Attribute(node.func.value, own), node.args, node.keywords)))
        if code is not None:
            return made.where(), code, "their logarithms"
    return made.where(), f"{own} in place of {name}", "gives the logarithms"


def undetached_advantages(watch, nodes):
    """Note the products of a log-probability and of what a critic's own parameters are behind: the policy's loss trains it."""
    for node in nodes:
        if operator_of(node._plan.op) is not ast.Mult or None in node._targets or node._site is None:
            continue
        where = place(node._site)
        for chosen, advantage in ((0, 1), (1, 0)):
            less = less_of(node._targets[advantage])
            if less is None or not is_log_probability(node._targets[chosen], where, chosen):
                continue
            theirs = parameters_behind(node._targets[chosen])
            own = [p for key, p in parameters_behind(less).items() if key not in theirs]
            if own and less._site is not None:
                taken = operands_of(where)
                code = with_suffix(where, taken[advantage], ".detach()") if len(taken) == 2 else None
                title = "the policy's loss trains the critic: the advantage is not detached"
                watch.find(("advantage", key_of(node._site)), title, [
                    Row("product", where, "a log-probability times the advantage"),
                    Row("advantage", place(less._site), "has a history: its gradient goes to the critic as well")],
                    [(where.where(), code or "detach() the advantage here", "the critic has a loss of its own")])
                break


def less_of(node):
    """The difference of a constant and of what a network gave, behind views, signs and a normalisation; None if it is none."""
    stack = [node]
    for _ in range(NORMALISED):
        node = first_of(stack.pop()) if stack else None
        if node is None:
            continue
        kind, wanted = operator_of(node._plan.op), [target for target in node._targets if target is not None]
        if kind is ast.Sub and len(wanted) == 1:
            return node
        if kind in (ast.Sub, ast.Div, ast.USub):
            stack.append(wanted[0])
    return None


def parameters_behind(node):
    """``{id: parameter}`` of the parameters that a gradient of ``node`` goes to."""
    ends = itertools.islice(behind([node]), NODES) if isinstance(node, Node) else [node]
    return {id(end): end for end in ends if isinstance(end, runtime.parameter)}


def is_log_probability(node, where, number):
    """Whether a factor is a log-probability: picked from a ``log_softmax``, or called ``log_prob`` in the source."""
    taken = operands_of(where)
    if len(taken) == 2:
        assigned = [part for part in ast.walk(function_around(where)) if isinstance(part, ast.Assign)]
        names = {ast.unparse(part) for part in ast.walk(taken[number]) if syntax.is_simple(part)}
        shown = [taken[number], *[part.value for part in assigned if {ast.unparse(t) for t in part.targets} & names]]
        if any(isinstance(part, ast.Call) and syntax.called(part) == "log_prob" for tree in shown for part in ast.walk(tree)):
            return True
    while isinstance(node, OpNode) and op_of(node) not in SCORES:
        wanted = [target for target in node._targets if target is not None]
        if len(wanted) != 1 or node._plan.op.elementwise and not node._plan.op.linear:
            return False
        node = wanted[0]
    return isinstance(node, OpNode)
