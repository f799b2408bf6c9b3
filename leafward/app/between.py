"""Gradients between a backward and the step that should use them: cleared too often, changed too early or too late."""
from __future__ import annotations

import ast
import weakref
from typing import NamedTuple

from leafward.app.edits import called_there
from leafward.app.held import plain
from leafward.app.slips import Spot
from leafward.core.native import call_site
from leafward.core.node import Node
from leafward.optim.watching import all_optimizers
from leafward.trust import syntax
from leafward.trust.layout import Row
from leafward.trust.scene import Scene
from leafward.trust.source import enclosing_loop, key_of, line_of, lines_of, place, source_lines, stands_alone, tree_of

#: How many steps leave out the same number of gradients before it is told.
STEPS = 2
#: What a scaler notes at the loss that it has scaled.
SCALED = "scaled"


class Left(NamedTuple):
    """A gradient as a backward left it: the leaf (weakly), its ``.grad``, the writes to both, the site; was the loss scaled?"""

    leaf: weakref.ref
    grad: object
    writes: tuple
    site: object
    is_scaled: bool


class Used(NamedTuple):
    """A gradient as a step used it: the gradient, the writes to it, the site."""

    grad: object
    writes: int
    site: object


class Between:
    """The part of a :class:`~leafward.app.watch.Watch` that follows gradients from a backward to a step."""

    def __init__(self, watch):
        self.watch = watch
        self.is_scaled = False                              # whether the loss of the backward that goes on was scaled
        self.left, self.used = {}, {}                       # id(leaf) -> Left, Used
        self.cleared = weakref.WeakKeyDictionary()          # optimizer -> the sites of what was cleared since its last step
        self.turns = weakref.WeakKeyDictionary()            # optimizer -> the numbers of what was cleared before each step

    # -- backward ------------------------------------------------------------------------------------------------------

    def before_backward(self, roots, leaves):
        """Note which gradients nobody used, and tell of those that were changed after their step."""
        unused = {}
        self.is_scaled = any(isinstance(root, Node) and SCALED in (root._notes or ()) for root in roots)
        for leaf in leaves:
            left, used = self.left.pop(id(leaf), None), self.used.pop(id(leaf), None)
            gone = leaf._grad is None or not bool(plain(leaf._grad).any())
            if used is not None and (gone or leaf._grad is not used.grad):
                self.look_for_late(used, leaf._grad is used.grad)
            if left is not None and left.leaf() is leaf and leaf._storage.writes == left.writes[0] and (
                    gone or leaf._grad is not left.grad):
                for optimizer in all_optimizers():
                    if any(p is leaf for group in optimizer.param_groups for p in group["params"]):
                        unused[optimizer] = left.site
        for optimizer, site in unused.items():
            self.cleared.setdefault(optimizer, []).append(site)

    def after_backward(self, site, leaves):
        """Keep what came to the leaves."""
        for leaf in leaves if site is not None else ():
            if leaf._grad is not None and bool(plain(leaf._grad).any()):
                writes = leaf._storage.writes, leaf._grad._storage.writes
                self.left[id(leaf)] = Left(weakref.ref(leaf), leaf._grad, writes, site, self.is_scaled)

    def look_for_late(self, used, cleared):
        """Tell of a gradient that was changed after the step that used it, and thrown away."""
        writes = [write for write in used.grad._storage.log or () if write.writes > used.writes and write.site is not None]
        writes = writes[:-1] if cleared else writes         # (the last one cleared it)
        if writes and key_of(writes[0].site) != key_of(used.site):
            late, stepped = place(writes[0].site), place(used.site)
            self.watch.find(("late", key_of(writes[0].site)), "gradients are changed after the step, and thrown away", [
                Row("used by", stepped, "this step took them as they were"),
                Row("changed by", late, "nothing uses them after this")], [above(late, stepped)])

    # -- steps ---------------------------------------------------------------------------------------------------------

    def before_step(self, optimizer):
        """Tell of gradients that were changed while a scaler's factor was in them."""
        for group in optimizer.param_groups:
            for p in group["params"]:
                left = self.left.get(id(p))
                if left is None or p._grad is not left.grad:
                    continue
                if left.is_scaled and p._grad._storage.writes == left.writes[1]:
                    self.tell_scaled(optimizer, left)
                    return
                writes = [write for write in p._grad._storage.log or () if write.writes > left.writes[1]
                          and write.site is not None]
                if len(writes) < 2 or key_of(writes[0].site) == key_of(writes[-1].site):
                    continue
                changed, stepped = place(writes[0].site), place(writes[-1].site)
                call = stepped.expression
                if isinstance(call, ast.Call) and syntax.called(call) == "step" and called_there(
                        stepped, optimizer, Scene()) in map(ast.unparse, call.args):
                    code = f"{ast.unparse(call.func.value)}.unscale_({ast.unparse(call.args[0])})"
                    self.watch.find(("scaled", key_of(writes[0].site)), "gradients are changed while they are scaled", [
                        Row("scaled in", place(left.site)), Row("changed by", changed, "the scale is a factor of them still"),
                        Row("unscaled by", stepped)], [before(changed, code)])
                return

    def tell_scaled(self, optimizer, left):
        """A step takes the gradients of a scaled loss as they are: nobody has divided them by the scale."""
        site = call_site()
        asked, stepped = place(left.site), place(site)
        scaler = next((ast.unparse(n.func.value) for n in ast.walk(asked.statement or ast.Pass()) if isinstance(n, ast.Call)
                       and isinstance(n.func, ast.Attribute) and n.func.attr == "scale"), None)
        name = None if stepped is None else called_there(stepped, optimizer, Scene())
        call = None if stepped is None else stepped.expression
        whole = None not in (scaler, name) and isinstance(call, ast.Call) and not call.args
        self.watch.find(("scale", key_of(site)), "a step uses gradients that are scaled", [
            Row("scaled in", asked, "the loss was multiplied by the scale, and so were its gradients"),
            Row("used by", stepped, "the scale is a factor of them still")],
            [(*stepped.with_replaced(call, f"{scaler}.step({name})"), "divides them by the scale first") if whole else
             ("", "step with the scaler: scaler.step(optimizer)", "it divides them by the scale first")])

    def after_step(self, optimizer, site):
        """Note what the step used, and tell if every step leaves out as many gradients of its own loss."""
        sites = self.cleared.pop(optimizer, [])
        own = None
        for group in optimizer.param_groups:
            for p in group["params"]:
                left = self.left.pop(id(p), None)
                if p._grad is not None and p._grad.layout == p.layout:
                    self.used[id(p)] = Used(p._grad, p._grad._storage.writes, site)
                    own = left.site if left is not None and left.grad is p._grad else own
        same = own is not None and all(key_of(cleared) == key_of(own) for cleared in sites)
        turns = self.turns.setdefault(optimizer, [])
        if len(turns) < STEPS:
            turns.append(len(sites) if same else 0)
            if site is not None and len(turns) == STEPS and turns[0] > 0 and len(set(turns)) == 1:
                self.tell_cleared(optimizer, own, site, turns[0])

    def tell_cleared(self, optimizer, own, site, number):
        """Of several backwards before each step only the last one's gradients are left."""
        asked, stepped = place(own), place(site)
        tree = tree_of("".join(source_lines(asked.file)))
        if any(isinstance(node, ast.Attribute) and node.attr == "grad" and isinstance(node.ctx, ast.Load)
               for node in ast.walk(tree)):
            return                                          # somebody reads them: they are used
        loop, name = enclosing_loop(asked), called_there(stepped, optimizer, Scene())
        found = [] if loop is None else [
            node for node in ast.walk(loop) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
            and syntax.called(node.value) == "zero_grad"]
        times = f"{number} time{'s' if number > 1 else ''}"
        rows = [Row("backward()", asked, f"its gradients are cleared {times} before each step"),
                *[Row("cleared by", Spot(asked.file, node, node.value)) for node in found[:1]],
                Row("used by", stepped, "uses the last ones alone")]
        clear, choices = f"{name or 'optimizer'}.zero_grad()", []
        if len(found) == 1 and name is not None and stepped.file == asked.file and stands_alone(asked, found[0]) \
                and stands_alone(stepped, stepped.statement):
            choices = [(f"remove {lines_of(asked, found[0])}", ast.unparse(found[0]), "once for each step is enough"),
                       (f"and after {lines_of(stepped, stepped.statement)}", clear, "")]
        self.watch.find(("left out", key_of(own)), "gradients are cleared before a step has used "
                        "them", rows, choices or [("", clear, "only after each step()")])


def above(late, stepped):
    """The choice that moves a line above the step that it comes too late for."""
    if None in (late.statement, stepped.statement) or late.file != stepped.file or not stands_alone(late, late.statement):
        return late.where(), "do it before the step", "and after backward()"
    return (f"move {lines_of(late, late.statement)}", ast.unparse(late.statement),
            f"above {line_of(stepped, stepped.statement)}")


def before(changed, code):
    """The choice that takes the factor out before a line."""
    when = "the scaler's step() then leaves them as they are"
    if changed.statement is None or not stands_alone(changed, changed.statement):
        return changed.where(), f"{code} before it", when
    return f"before {line_of(changed, changed.statement)}", code, when
