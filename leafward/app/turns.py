"""What ``leafward check`` sees only over several turns: old graphs after a step, modes, frozen and replaced parameters."""
from __future__ import annotations

import ast
import itertools

from leafward.app.switched import Aside, Switched, has_modes, rows_and_choices
from leafward.app.terms import names_of_ops
from leafward.core import modes
from leafward.core.cuts import cuts_of
from leafward.core.node import Node
from leafward.core.node import behind as behind_nodes
from leafward.core.provenance import made_at
from leafward.core.recording import OpNode
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.optim.optimizer import optimizers
from leafward.trust import syntax
from leafward.trust.cuts import Told, behind, names_of
from leafward.trust.facts import op_of
from leafward.trust.flow import ONCE, assigned_names, begins_as_none, blocks_of, carried_into, loaded_names, moved_below
from leafward.trust.layout import Row
from leafward.trust.scene import Scene
from leafward.trust.source import enclosing_loop, function_around, key_of, line_of, place
from leafward.trust.stories import detached_value


#: How many nodes one walk passes.
NODES = 20000


class Later:
    """The part of a :class:`~leafward.app.watch.Watch` that compares one turn with those before it."""

    def __init__(self, watch):
        self.watch = watch
        self.steps = {}                 # id(leaf) -> (the leaf, how many nodes there were when a step changed it, its place)
        self.exchanged = set()           # the ids of the parameters that were told as replaced
        self.in_training = {}           # id(module) -> the module, once it ran in training mode with gradients
        self.switched, self.aside = Switched(), Aside(watch)
        self.in_evaluation = {}         # ... and in evaluation mode since, with gradients

    # -- a graph from before a step ------------------------------------------------------------------------------------

    def changed(self, leaf, sequence, site):
        """Note that a leaf was changed by hand, after so many nodes."""
        self.steps[id(leaf)] = leaf, sequence, site

    def before_backward(self, site, roots, leaves, nodes):
        """Tell of a loss that was computed before a step changed what it was computed from, or a part of it."""
        newest = max((root._sequence for root in roots if isinstance(root, Node)), default=None)
        if newest is None or site is None:
            return
        old = [self.steps[id(leaf)] for leaf in leaves if id(leaf) in self.steps and self.steps[id(leaf)][1] > newest]
        if old:
            root = next(root for root in roots if isinstance(root, Node) and root._sequence == newest)
            where, stepped = place(site), place(old[0][2])
            self.watch.find(("stale", key_of(site)), "a loss from before an optimizer's step is used after it", [
                Row("computed in", place(root._site), "with the weights of that time"),
                Row("changed by", stepped, names_of([leaf for leaf, _, _ in old], Scene())),
                Row("used in", where, "gradients of the old weights, for the new ones")],
                computed_again(place(root._site), where, {id(leaf) for leaf, _, _ in old}) or [
                    (where.where(), "compute the loss again after the step", "a forward for each backward()")], "error")
            return
        for node in nodes:
            old = [self.steps[id(leaf)] for leaf in read_by(node) if id(leaf) in self.steps
                   and self.steps[id(leaf)][1] > node._sequence]
            if old:
                self.tell_old_part(node, old, site)
                return

    def tell_old_part(self, node, old, site):
        """A loss was computed anew, from what was computed before a step."""
        made, stepped, where = place(node._site), place(old[0][2]), place(site)
        self.watch.find(("old part", key_of(site)), "a loss is made of values from before an optimizer's step", [
            Row("computed in", made, "with the weights of that time"),
            Row("changed by", stepped, names_of([leaf for leaf, _, _ in old], Scene())),
            Row("used in", where, "gradients of the old weights, for the new ones")],
            computed_again(made, where, {id(leaf) for leaf, _, _ in old}) or [
                ("" if made is None else made.where(), "compute it again in each turn", "or detach() it, if it is meant as a "
                 "constant")], "error")

    def after_step(self, optimizer, site):
        """Note what a step changed, and tell of what it should not have, or could not."""
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p._grad is not None:
                    self.steps[id(p)] = p, runtime.sequence, site
        if site is None:
            return
        self.look_for_replaced(optimizer, site)
        self.look_at_modes(site)

    # -- parameters ----------------------------------------------------------------------------------------------------

    def look_for_replaced(self, optimizer, site):
        """A network whose parameters were replaced after the optimizer was made: it goes on updating the old ones."""
        held = {id(p) for other in list(optimizers) for group in other.param_groups for p in group["params"]}
        scene = Scene()
        for variable, members in scene.networks():
            ours = {id(p) for _, p in members["parameter"]}
            strangers = [p for group in optimizer.param_groups for p in group["params"] if id(p) not in ours]
            left_out = [(path, p) for path, p in members["parameter"] if id(p) not in held and p._grad is not None]
            shapes = {tuple(p._array.shape) for p in strangers if p._grad is None}
            copied = any(id(leaf) in ours for p in strangers for cut in cuts_of(p._cut) for leaf in behind(cut))
            anew = {} if copied else {path: p for path, p in left_out if tuple(p._array.shape) in shapes}
            trains = any(p._grad is not None for group in optimizer.param_groups for p in group["params"])
            if anew and trains and (len(ours) > len(left_out) or all(p._grad is None for p in strangers)):
                made, born = place(optimizer.__dict__.get("_made_in")), place(made_at(next(iter(anew.values()))))
                self.exchanged |= {id(p) for p in anew.values()}
                self.watch.find(("replaced", key_of(site)), "a parameter was replaced after the optimizer was made", [
                    Row("not held", None, text=", ".join(f"{variable}.{path}" for path in list(anew)[:6])),
                    Row("made in", born, "after the optimizer"),
                    Row("optimizer", made, "holds older parameters of the same shapes, which get no gradient"),
                    Row("updated in", place(site))],
                    [("", "make the optimizer after the layers are in place", "") if made is None else moved_below(
                        made, born, variable)])

    # -- modes -----------------------------------------------------------------------------------------------------------

    def called(self, module, args):
        """A module runs: note in which mode, if that matters to it."""
        if not has_modes(module):
            return
        if not modes.grad_enabled():
            if module.training and id(module) in self.in_training:
                self.aside.called(module)
            return
        if module.training:
            self.in_training[id(module)] = module
            self.in_evaluation.pop(id(module), None)
        elif id(module) in self.in_training:
            self.in_evaluation[id(module)] = module

    def look_at_modes(self, site):
        """Tell if all layers that ran in training mode before are trained in evaluation mode now."""
        if self.in_evaluation and len(self.in_evaluation) == len(self.in_training):
            kinds = sorted({type(module).__name__ for module in self.in_evaluation.values()})
            switches = [self.switched.of(module) for module in self.in_evaluation.values()]
            rows, choices = rows_and_choices(next((switch for switch in switches if switch is not None), None), site)
            self.watch.find(("mode", key_of(site)), "training goes on in evaluation mode", [
                Row("updated in", place(site), f"{', '.join(kinds)} ran in evaluation mode now, and in training mode before"),
                *rows], choices)

    # -- first order -------------------------------------------------------------------------------------------------------

    def look_for_first_order(self, nodes):
        """An inner step of a parameter by a gradient that is a constant: the outer gradient is of first order."""
        held = {id(p) for other in list(optimizers) for group in other.param_groups for p in group["params"]}
        for node in nodes:
            inner = [cut for cut in cuts_of(node._cut) if cut.kind == "grad"]
            sums = names_of_ops((ast.Add, ast.Sub), True)
            if not inner or op_of(node) not in sums or not any(begins_at(target, held, sums) for target in node._targets):
                continue
            told = Told(inner[0])
            if told.place.text is not None and "create_graph" in told.place.text:
                continue                                    # it was said on purpose
            self.watch.find(("first order", key_of(node._site)), "an inner step is a constant to the outer gradient", [
                Row("inner step", place(node._site), "second derivatives through it are left out: first order"), *told.rows()],
                [*told.repairs(), ("", "create_graph=False", "said on purpose, it is left in peace")], "notice")
            return


def begins_at(target, held, sums):
    """Whether a value is one of the parameters ``held``: itself, or a copy, after some inner steps."""
    for _ in range(NODES):
        if not isinstance(target, OpNode):
            return id(target) in held
        wanted = [other for other in target._targets if other is not None]
        if not wanted or not (op_of(target) in sums or len(wanted) == 1 and target._plan.op.linear):
            return False
        target = wanted[0]
    return False


def read_by(node):
    """The leaves that a node reads, be it through views."""
    if node._plan.op.alias is not None:
        return                                              # a view has what the leaf has now
    stack = list(node._targets)
    while stack:
        target = stack.pop()
        if isinstance(target, OpNode) and target._plan.op.alias is not None:
            stack += target._targets
        elif target is not None and not isinstance(target, Node):
            yield target


def computed_again(made, where, leaves):
    """The choices that compute in each turn what a loop goes on using, from ``leaves``; or cut it off, where turns hand it on.

    None where the lines that compute it do not stand before the loop, or may not run again.
    """
    loop, scene = None if where is None or made is None else enclosing_loop(where), Scene()
    if loop is None or loop.body[0].lineno == loop.lineno:
        return []

    def is_old(name):
        value = scene.value(where, name)
        roots = [part._node for part in (value if type(value) in (tuple, list) else [value])
                 if isinstance(part, TensorBase) and part._node is not None]
        return any(id(end) in leaves for end in itertools.islice(behind_nodes(roots), NODES))
    inside = f"before {line_of(where, loop.body[0])}"
    carried = [name for name in carried_into(loop) if is_old(name)]
    if carried:
        cuts = {name: detached_value(name, scene.value(where, name)) for name in carried}
        lines = [f"{name} = {cut}" + f" if {name} is not None else None" * begins_as_none(where, name)
                 for name, cut in cuts.items()]
        return [] if None in cuts.values() else [(inside, "; ".join(lines), "gradients then stop at the start of the turn")]
    owner = next((block for block in blocks_with(function_around(where)) if loop in block), None)
    if owner is None:
        return []
    needed, found = loaded_names(loop), []
    for statement in reversed(owner[:owner.index(loop)]):
        names = assigned_names(statement) & needed
        if not any(map(is_old, names)):
            continue
        if not isinstance(statement, ast.Assign) or not is_plain(statement):
            return []
        found.insert(0, statement)
        needed |= loaded_names(statement)
    if not found or function_around(made) is function_around(where) and not any(
            syntax.contains(statement, made.statement) for statement in found):
        return []
    choices = [(f"and {inside}" if number else inside, ast.unparse(statement), "") for number, statement in enumerate(found)]
    return [(*choices[0][:2], "computed in each turn, with the weights of that turn"), *choices[1:]]


def blocks_with(tree):
    """All lists of statements in a function."""
    yield tree.body
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node is not tree:
            yield from blocks_of(node)


def is_plain(statement):
    """Whether a statement gives the same again: it takes the next of nothing."""
    return not any(isinstance(n, ast.Call) and syntax.called(n) in ONCE for n in ast.walk(statement))
