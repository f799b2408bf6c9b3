"""Learning rates: steps of length zero, and schedulers of an optimizer that trains nothing."""
from __future__ import annotations

import ast
import weakref

from leafward.app.held import plain
from leafward.app.slips import Spot
from leafward.optim.schedulers.base import LRScheduler
from leafward.trust import syntax
from leafward.trust.flow import moved_below
from leafward.trust.layout import Row
from leafward.trust.scene import Scene
from leafward.trust.source import key_of, place, source_lines, tree_of

#: After how many steps it is told.
STEPS = 3


class Schedules:
    """The part of a :class:`~leafward.app.watch.Watch` that looks at learning rates."""

    def __init__(self, watch):
        self.watch = watch
        self.idle = weakref.WeakKeyDictionary()             # optimizer -> how many steps were of length zero; -1: not all
        self.stepped = weakref.WeakSet()
        self.found = {}                                     # optimizer (its id) -> (itself, the finding, if it stays like this)

    def after_step(self, optimizer, site):
        """Note the rate of a step, and whose schedulers there are."""
        if optimizer not in self.stepped:
            self.stepped.add(optimizer)
            self.look_for_others(optimizer, site)
        count = self.idle.get(optimizer, 0)
        if count < 0 or site is None:
            return
        groups = [group for group in optimizer.param_groups if any(
            p._grad is not None and bool(plain(p._grad).any()) for p in group["params"])]
        if not groups:
            return
        self.idle[optimizer] = count = -1 if any(float(group.get("lr", 1.0)) != 0 for group in groups) else count + 1
        if count == STEPS:
            self.found[id(optimizer)] = optimizer, rate_of_zero(optimizer, site, Scene())
        elif count < 0:
            self.found.pop(id(optimizer), None)

    def look_for_others(self, optimizer, site):
        """A step: look for schedulers of another optimizer of the same parameters, which never steps."""
        ours = {id(p) for group in optimizer.param_groups for p in group["params"]}
        for name, value in Scene().named():
            other = getattr(value, "optimizer", None) if isinstance(value, LRScheduler) else None
            if other is None or other is optimizer or other in self.stepped or id(other) in self.found or not any(
                    id(p) in ours for group in other.param_groups for p in group["params"]):
                continue
            made, first = place(optimizer.__dict__.get("_made_in")), place(other.__dict__.get("_made_in"))
            if None in (made, first):
                continue
            spot = made_as(name, value, made.file)
            self.found[id(other)] = other, (
                ("scheduler", key_of(site)), "the scheduler turns the rate of an optimizer that trains nothing", [
                    Row("scheduler", spot, "has the optimizer that was made before it"),
                    Row("its optimizer", first, "its step() is never called"),
                    Row("trained by", made, "keeps the rate that it was made with"), Row("updated in", place(site))],
                [("", f"make {name} from the optimizer that steps", "") if spot is None else moved_below(spot, made)])

    def ended(self):
        """The program ended: tell what stayed like this."""
        for optimizer, finding in self.found.values():
            if finding[0][0] == "rate" or optimizer not in self.stepped:
                self.watch.find(*finding)


def rate_of_zero(optimizer, site, scene):
    """The finding on steps that change nothing, and on the function that gives the rate, if one does."""
    made, choices = place(optimizer.__dict__.get("_made_in")), []
    rows = [Row("updated in", place(site), "every step so far had the rate 0: no parameter changes"),
            Row("optimizer", made, "made here")]
    for _, value in scene.named():
        if isinstance(value, LRScheduler) and value.optimizer is optimizer:
            for function in getattr(value, "lr_lambdas", ()):
                code = getattr(function, "__code__", None)
                where = None if code is None else place((code, -1))
                if where is not None and where.text is not None:
                    rows.append(Row("rate from", where, "gives 0 in all of these steps"))
                    choices += in_fractions(where)
    title = "every step is of length zero: the learning rate is 0"
    return ("rate", key_of(site)), title, rows, choices or [("", "a rate above 0 from the first steps on", "")]


def in_fractions(where):
    """The choice that divides as fractions do, where a line divides whole numbers: ``step / 1000`` for ``step // 1000``."""
    whole = [node for node in ast.walk(tree_of("".join(source_lines(where.file)))) if isinstance(node, ast.BinOp)
             and isinstance(node.op, ast.FloorDiv) and node.lineno == node.end_lineno == where.line]
    if len(whole) != 1:
        return [(where.where(), "let it give a factor above 0 in the first steps", "")]
    code = where.edited(whole[0], ast.unparse(ast.BinOp(whole[0].left, ast.Div(), whole[0].right)))
    return [(where.where(), code, "// leaves out the fraction: it is 0 until the divisor is reached")]


def made_as(name, value, file):
    """Where ``file`` makes a scheduler and calls it ``name``; None where it does not show that, or does so twice."""
    made = [node for node in ast.walk(tree_of("".join(source_lines(file)))) if isinstance(node, ast.Assign)
            and name in map(ast.unparse, node.targets) and syntax.called(node.value) == type(value).__name__]
    return Spot(file, made[0], made[0].value) if len(made) == 1 else None
