"""Parameters that take part in a loss, and of which a part of the gradient, or all of it, is lost on the way."""
from __future__ import annotations

import ast
import itertools
import weakref

from leafward.app.held import plain
from leafward.core.cuts import places
from leafward.core.node import Node
from leafward.core.tensor import TensorBase
from leafward.trust import syntax
from leafward.trust.cuts import Told, behind, names_of
from leafward.trust.facts import op_of
from leafward.trust.functions import is_flat_op
from leafward.trust.layout import Row
from leafward.trust.numbers import Numbers, is_taken_whole
from leafward.trust.scene import Scene, library
from leafward.trust.source import function_around, key_of, line_of, place, stands_alone


def numbers_beside(watch, site, leaves, nodes):
    """Note parameters of one element that a loss is computed from, and that entered it as plain numbers besides."""
    single = {id(leaf) for leaf in leaves if leaf._array.size == 1}
    for cut in list(places.values()) if single else ():
        ours = behind(cut) if cut.kind == "item" else ()
        if len(ours) != 1 or id(ours[0]) not in single:
            continue
        left = place(cut.site)
        if not is_taken_whole(left):
            continue                                        # (a value that was computed first may be meant as a constant)
        numbers = Numbers(left)
        used = {key_of(node._site): node._site for node in nodes if node._site is not None and node._site[0] is left.code}
        meeting = next((at for at in map(place, used.values()) if numbers.meets(
            at.statement if isinstance(at.statement, ast.AugAssign) else at.expression)), None)
        if meeting is not None:
            told = Told(cut)
            whose = f"{names_of(ours, Scene())}   (its .grad comes from the other parts of the loss)"
            rows = [Row("gets less", None, text=whose), Row("backward()", place(site)), *told.rows()]
            if not meeting.same_line(left):
                rows.append(Row("used in", meeting, "as a constant"))
            watch.find(("number beside", key_of(cut.site)), "a parameter's gradient lacks a part: it went into the loss as a "
                       "number, too", rows, told.repairs())


class Flat:
    """Leaves to which every way from a loss leads through something that is flat everywhere, as ``round()`` is."""

    def __init__(self, watch):
        self.watch, self.found = watch, {}                  # id(leaf) -> (the leaf, weakly; the site and the name of the op)

    def before_backward(self, roots, nodes):
        """Note the leaves that can get nothing but zeros."""
        flat = [node for node in nodes if is_flat_op(node._plan.op) and node._site is not None]
        if not flat and not self.found:
            return
        reached = leaves_behind(roots, set(flat).__contains__)
        for node in flat:
            for key, leaf in leaves_behind([node], lambda node: False).items():
                if key not in reached:
                    self.found.setdefault(key, (weakref.ref(leaf), node._site, op_of(node)))
        for key in reached:
            self.found.pop(key, None)

    def after_step(self, optimizer):
        """Tell of those that a step was to update by zeros."""
        by_site = {}
        for group in optimizer.param_groups if self.found else ():
            for p in group["params"]:
                leaf, site, name = self.found.get(id(p), (lambda: None, None, None))
                if leaf() is p and p._grad is not None and not bool(plain(p._grad).any()):
                    by_site.setdefault(key_of(site), (site, name, []))[2].append(p)
        for key, (site, name, ours) in by_site.items():
            where = place(site)
            if ("term", key) in self.watch.findings:
                continue                                    # told of the whole term
            self.watch.find(("flat", key), f"a gradient is exactly zero: {name} is flat everywhere", [
                Row("not trained", None, text=f"{names_of(ours, Scene())}   (.grad is exactly 0)"),
                Row("flat in", where, f"{name} is flat everywhere: its gradient is zero")], straight_through(where, name))


def leaves_behind(roots, stops):
    """``{id: leaf}`` behind some nodes, by ways that pass no node at which ``stops(node)`` is true."""
    found, seen, todo = {}, set(), list(roots)
    while todo:
        end = todo.pop()
        if end is None or id(end) in seen:
            continue
        seen.add(id(end))
        if isinstance(end, TensorBase):
            found[id(end)] = end
        elif isinstance(end, Node) and not stops(end):
            todo += end._targets
    return found


def straight_through(where, name):
    """``y = soft + (torch.round(soft) - soft).detach()``: the values of the one, the gradient of the other."""
    advice = [("" if where is None else where.where(), f"x + ({name}(x) - x).detach() in place of {name}(x)",
               "straight through: the gradient passes as if it were not there")]
    call = None if where is None else where.expression
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not syntax.is_call_of(where, name):
        return advice
    owner = call.func.value
    method = not (isinstance(owner, ast.Name) and Scene().is_module(where, owner.id))
    given = owner if method else call.args[0] if call.args else None
    if given is None or isinstance(given, ast.Starred):
        return advice
    taken = {node.id for node in ast.walk(function_around(where)) if isinstance(node, ast.Name)}
    short = given.id if isinstance(given, ast.Name) else next(
        name for name in itertools.chain(["soft"], map("soft{}".format, itertools.count(2))) if name not in taken)
    again = ast.unparse(
        ast.Call(ast.Attribute(ast.Name(short), call.func.attr), call.args, call.keywords) if method else
        ast.Call(call.func, [ast.Name(short), *call.args[1:]], call.keywords))
    code = where.edited(call, in_place(where, call, f"{short} + ({again} - {short}).detach()"))
    inside = any(isinstance(node, (ast.Lambda, ast.comprehension)) for node in ast.walk(where.statement))
    alone = isinstance(where.statement, (ast.Assign, ast.Return, ast.Expr)) and stands_alone(where, where.statement)
    if code is None or not isinstance(given, ast.Name) and (inside or not alone):
        return advice
    choices = [(where.where(), code, "straight through: the gradient passes as if it were not there")]
    if not isinstance(given, ast.Name):
        choices.append((f"and before {line_of(where, where.statement)}", f"{short} = {ast.unparse(given)}", ""))
    return choices


#: What cuts values off at bounds, and what cuts off those below zero.
BOUNDS, HALVES = ("clamp", "clip", "clamp_min", "clamp_max", "hardtanh"), ("relu",)


def saturated(where, name):
    """The choices for an op of which all elements lie where it is flat."""
    call = None if where is None else where.expression
    if name in BOUNDS:
        found = straight_through(where, name)
        return [(*found[0][:2], "the same values, and a gradient that brings them back inside"), *found[1:]]
    if name in HALVES and isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and syntax.called(call) == name \
            and isinstance(call.func.value, ast.Name) and Scene().is_module(where, call.func.value.id):
        func = ast.Attribute(ast.Attribute(ast.Attribute(ast.Name(library(where)), "nn"), "functional"), f"leaky_{name}")
        code = where.edited(call, ast.unparse(ast.Call(func, call.args[:1], [])))
        if code is not None:
            return [(where.where(), code, "leaky: a small gradient on the side where it is flat")]
    return [("" if where is None else where.where(), f"train on the value before {name}, or use something that is flat "
             "nowhere: a smooth or a leaky form", "")]


def in_place(where, call, text):
    """``text`` as it can stand where ``call`` stood."""
    return text if getattr(where.statement, "value", None) is call else f"({text})"
