"""What is looked at while a program runs under ``leafward check``: mistakes that leave every gradient formally right."""
from __future__ import annotations

import ast
import itertools

from leafward import autograd
from leafward.autograd import function
from leafward.autograd.function import FunctionNode
from leafward.autograd.guard import tensors_in
from leafward.autograd.observer import Observer
from leafward.core.native import call_site
from leafward.core.node import Node, behind
from leafward.core.recording import OpNode
from leafward.core.saved import Saved
from leafward.core.tensor import TensorBase
from leafward.app.between import Between
from leafward.app.edits import zero_grad
from leafward.app.fills import Fills, cleared_between, finding_of
from leafward.app.finding import Finding
from leafward.app.frozen import Frozen
from leafward.app.held import plain
from leafward.app.loaded import Kept
from leafward.app.lost import Flat, numbers_beside, saturated
from leafward.app.rewritten import rewritten_results
from leafward.app.schedules import Schedules
from leafward.app.scores import over_the_batch, taken_for_scores, undetached_advantages
from leafward.app.slips import Slips
from leafward.app.targets import targets_with_history
from leafward.app.terms import constant_terms, flat_terms
from leafward.app.trained import Trained
from leafward.app.turns import Later
from leafward.app.twice import stepped_twice
from leafward.nn.modules.module import mode_observers, register_module_forward_pre_hook
from leafward.nn.modules.state_dict import state_observers
from leafward.optim.optimizer import (
    global_post_hooks, global_pre_hooks, register_optimizer_step_post_hook, register_optimizer_step_pre_hook,
)
from leafward.trust.cuts import names_of
from leafward.trust.differences import MEANT, CannotBeTried, rule_at, told, tried
from leafward.trust.facts import op_of
from leafward.trust.functions import kept_row
from leafward.trust.kept_on_ctx import saved_instead
from leafward.trust.layout import Row, fixes, list_of
from leafward.trust.scene import Scene
from leafward.trust.source import key_of, place

#: What is missing where a method is named, and not called: the kind of the finding -> the method.
FOLLOWS = {"old": "zero_grad", "unused": "step", "idle": "backward"}
#: How many backward calls of one line, and how many calls of one custom function, are looked at.
CALLS = 3
#: How often in a row something has to grow.
TURNS = 6
#: How many nodes one walk passes, and how many members of a dict or a list are looked at.
NODES, MEMBERS = 20000, 4


class Watch(Observer):
    """A context in which every backward, every optimizer step and every custom function is looked at."""

    def __init__(self):
        self.findings = {}
        self.notes = {}                 # what is no finding, and is not kept back either: class -> text
        self.stepped = {}               # id(leaf) -> (the leaf, its .grad, the values that a step used, where that was)
        self.mixed = {}                 # id(leaf) -> (the leaf, its .grad, the finding if a step uses that)
        self.seen = {}                  # a site or a class -> how often it was looked at
        self.growth = {}                # variable -> (how many nodes lay behind it last, how often that grew)
        self.dead = []                  # nodes that sent on nothing but zeros, in the backward that is going on
        self.handles = []
        self.zero_before = []
        self.busy = False
        self.later, self.trained, self.fills, self.flat = Later(self), Trained(self), Fills(), Flat(self)
        self.frozen, self.slips, self.kept = Frozen(self), Slips(self), Kept(self)
        self.between, self.schedules, self.behind = Between(self), Schedules(self), []

    def __enter__(self):
        autograd.observers.append(self)
        function.observers.append(self)
        self.before_hook = register_optimizer_step_pre_hook(self.before_step)
        self.hook = register_optimizer_step_post_hook(self.after_step)
        mode_observers.append(self.later.switched.switched)
        state_observers.append(self.kept.state)
        self.mode_hook = register_module_forward_pre_hook(self.called)
        return self

    def __exit__(self, *exc):
        autograd.observers.remove(self)
        function.observers.remove(self)
        global_pre_hooks.pop(self.before_hook.id, None)
        global_post_hooks.pop(self.hook.id, None)
        mode_observers.remove(self.later.switched.switched)
        state_observers.remove(self.kept.state)
        self.mode_hook.remove()
        self.trained.ended()
        self.schedules.ended()
        self.later.aside.ended()

    def called(self, module, args):
        """A module runs."""
        self.later.called(module, args)
        self.trained.called(module)
        self.slips.called(module)

    def find(self, key, title, rows, choices=(), severity="warning"):
        """Note a finding, once for each key; not what follows from a call that lacks its parentheses."""
        if key not in self.findings and FOLLOWS.get(key[0]) not in self.slips.named:
            text = list_of(rows)
            self.findings[key] = Finding(title, f"{text}\n{fixes(list(choices))}" if choices else text, severity)

    def first_times(self, key):
        self.seen[key] = self.seen.get(key, 0) + 1
        return self.seen[key] <= CALLS

    def asked(self, inputs):
        """Gradients of these tensors are asked for by themselves."""
        if not self.busy:
            self.trained.asked(inputs)

    # -- backward ------------------------------------------------------------------------------------------------------

    def before_backward(self, roots):
        """Look at a graph before its gradients are computed."""
        if self.busy:
            return
        site = call_site()
        ends = list(all_behind(roots))
        leaves = [end for end in ends if not isinstance(end, Node)]
        nodes = [end for end in ends if isinstance(end, OpNode)]
        self.between.before_backward(roots, leaves)
        self.behind = site, leaves
        self.look_for_old_gradients(site, leaves)
        self.trained.before_backward(site, leaves, nodes)
        self.fills.before_backward(site, ends, leaves)
        self.later.aside.before_backward(ends)
        self.later.before_backward(site, roots, leaves, nodes)
        if site is None or not self.first_times(key_of(site)):
            return
        self.slips.look()
        constant_terms(self, roots, nodes)
        flat_terms(self, roots)
        self.flat.before_backward(roots, nodes)
        numbers_beside(self, site, leaves, nodes)
        taken_for_scores(self, nodes)
        over_the_batch(self, nodes)
        rewritten_results(self, nodes)
        undetached_advantages(self, nodes)
        targets_with_history(self, nodes)
        self.later.look_for_first_order(nodes)
        self.dead, self.zero_before = [], [leaf for leaf in leaves if leaf._grad is None]
        for node in nodes:
            if is_curve(node):
                self.handles.append(node.register_hook(self.note_dead(node)))

    def note_dead(self, node):
        def hook(grad_inputs, grad_outputs):
            if any(g is not None and bool(g.any()) for g in grad_outputs) and \
                    not any(g is not None and bool(g.any()) for g in grad_inputs):
                self.dead.append(node)
        return hook

    def after_backward(self):
        """Look at what came to the leaves."""
        for handle in self.handles:
            handle.remove()
        self.handles = []
        if self.busy:
            return
        self.trained.after_backward()
        self.between.after_backward(*self.behind)
        self.fills.after_backward()
        for key, (leaf, grad, finding) in list(self.mixed.items()):
            if grad is None:                                # (a sparse gradient is added to by a new one)
                self.mixed[key] = leaf, leaf._grad, finding
        zero = [leaf for leaf in self.zero_before
                if leaf._grad is not None and leaf._grad.numel() and not bool(plain(leaf._grad).any())]
        if zero and self.dead:
            node, scene = self.dead[0], Scene()
            where = place(node._site)
            rows = [Row("not trained", None, text=f"{names_of(zero, scene)}   (.grad is exactly 0)"),
                    Row("dead", where, f"{op_of(node)} sends back nothing but zeros: every element lies where it is flat "
                                       "(saturated)")]
            choices = saturated(where, op_of(node))
            self.find(("dead", key_of(node._site)), "a gradient is exactly zero everywhere", rows, choices)
        self.zero_before, self.dead = [], []
        self.look_for_growth()

    def look_for_old_gradients(self, site, leaves):
        """Gradients that a step has used already, and that this backward adds to."""
        old = []
        for key, (leaf, grad, _) in list(self.mixed.items()):
            if leaf._grad is not grad or grad is None or not bool(plain(grad).any()):
                del self.mixed[key]                         # cleared in time
        for leaf in leaves:
            _, grad, values, step, optimizer = self.stepped.pop(id(leaf), (None,) * 5)
            if grad is not None and leaf._grad is grad and bool(values.any()) and bool((plain(grad) == values).all()):
                old.append((leaf, step, optimizer))
        if old and site is not None:
            scene = Scene()
            where, stepped = place(site), place(old[0][1])
            finding = (("old", key_of(site)), "zero_grad() is missing: gradients of earlier steps are added to new ones", [
                Row("adds to", where, f"the .grad of {names_of([leaf for leaf, _, _ in old], scene)}"),
                Row("used by", stepped, "this step has used them already")],
                [zero_grad(where, stepped, old[0][2], scene)])
            self.mixed.update({id(leaf): (leaf, None, finding) for leaf, _, _ in old})

    def look_for_growth(self):
        """Variables whose history grows from turn to turn: every graph is kept."""
        for name, value in with_members(Scene().variables()):
            count = sum(1 for _ in all_behind([value._node]))
            last, times = self.growth.get(name, (0, 0))
            self.growth[name] = count, times = count, times + 1 if count > last > 0 else 0
            if times >= TURNS:
                where = place(value._node._site)
                code = None if where is None else without_history(where, name)
                title = f"the history of `{name}` grows in every turn, and keeps every graph in memory"
                self.find(("growth", name.partition("[")[0]), title, [
                    Row("grows in", where, f"{count} operations lie behind `{name}` by now")],
                    [(where.where() if where else "", code or f"add {name}'s parts as numbers: .item() or .detach()",
                      "what is kept needs no history" if "[" in name else "a number has no history")], "notice")

    # -- steps ---------------------------------------------------------------------------------------------------------

    def before_step(self, optimizer, args, kwargs):
        """Look at what a step is given."""
        self.frozen.before_step(optimizer)
        self.between.before_step(optimizer)

    def after_step(self, optimizer, args, kwargs):
        """Remember which gradients a step has used."""
        site = call_site()
        self.slips.look()
        self.frozen.after_step(optimizer, site)
        self.between.after_step(optimizer, site)
        self.schedules.after_step(optimizer, site)
        self.later.after_step(optimizer, site)
        self.trained.after_step(optimizer, site)
        self.flat.after_step(optimizer)
        mixture, old = self.fills.used_by(optimizer), False
        stepped_twice(self, optimizer, site)
        for group in optimizer.param_groups:
            for p in group["params"]:
                if id(p) in self.mixed and p._grad is self.mixed[id(p)][1] and bool(plain(p._grad).any()):
                    self.find_old(self.mixed.pop(id(p))[2], mixture, site, optimizer, p)
                    old = True
                if p._grad is not None:
                    self.stepped[id(p)] = p, p._grad, plain(p._grad).clone(), site, optimizer
        self.fills.stepped(optimizer)
        if mixture is not None and not old and site is not None:
            self.find(*finding_of(mixture, place(site), optimizer))

    def find_old(self, finding, mixture, site, optimizer, leaf):
        """Tell of old gradients that a step has used: cleared after another loss has filled them, if one did."""
        key, title, rows, choices = finding
        last = self.fills.last_own(optimizer, leaf)
        if last is not None and site is not None:
            own, before = place(last[0].site), place(last[1].site)
            rows = [Row("adds to", own, rows[0].note), *rows[1:],
                    Row("other loss", before, "trains others, and its gradient comes here too")]
            choices = [zero_grad(own, place(site), optimizer, Scene())]
        if mixture is not None and mixture.first_own() is not None:
            stepped = place(site)
            rows = [*rows, Row("own loss", place(mixture.first_own().site), "no other loss should be in it from here")]
            choices = cleared_between(mixture, stepped, optimizer, Scene())
        self.find(key, title, rows, choices)

    # -- custom functions ----------------------------------------------------------------------------------------------

    def applied(self, cls, args, kwargs):
        """Compare the backward of a custom function with differences of its forward, along some directions."""
        if self.busy or kwargs or not self.first_times(cls):
            return
        self.busy = True
        try:
            verdict = tried(cls, args)
        except CannotBeTried:
            return
        finally:
            self.busy = False
        if verdict is not None and verdict.shape is not None:
            self.notes.setdefault(cls, f"{cls.__name__}.backward is not the derivative of forward, and taken for meant: "
                                       f"{MEANT[verdict.shape]}   {rule_at(cls).where()}")
        elif verdict is not None:
            title = f"the gradient of {cls.__name__}.backward is not that of {cls.__name__}.forward"
            self.find(("formula", cls), title, *told(cls, verdict), "error")

    def returned(self, cls, ctx, output):
        """Tell of a function that keeps its own output on ``ctx``: both hold each other."""
        outputs = output if isinstance(output, tuple) else (output,)
        for name, held in vars(ctx).items():
            if not hasattr(FunctionNode, name) and any(part is o for part in tensors_in(held) for o in outputs):
                row, line, _ = kept_row(cls, name)
                row.note = "the output leads to ctx, and ctx to the output: a circle"
                title = f"{cls.__name__} keeps its output on ctx: the memory stays when the last name for it is gone"
                when = f"in place of ctx.{name}: outputs are kept without a circle"
                self.find(("circle", cls), title, [row, Row("called in", place(call_site()))],
                    saved_instead(cls, name, when) or [(line, "ctx.save_for_backward(...)", when)], "notice")


def with_members(variables):
    """Variables with a history, and such members of dicts and lists: ``(name, tensor)``."""
    for name, value in variables:
        if isinstance(value, TensorBase):
            members = {name: value}
        elif type(value) in (dict, list):
            pairs = value.items() if type(value) is dict else enumerate(value)
            some = itertools.islice(pairs, MEMBERS)
            members = {f"{name}[{key!r}]": held for key, held in some if isinstance(held, TensorBase)}
        else:
            continue
        yield from ((key, held) for key, held in members.items() if held._node is not None)


def without_history(where, name):
    """The line at which a history grows, with the number of what is added to ``name``; None where that is not one tensor."""
    statement = where.statement
    if "[" in name:                                         # a member of a dict or a list: an average, say
        whole = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript)
        return where.edited(statement.value, f"({ast.unparse(statement.value)}).detach()") if whole else None
    if isinstance(statement, ast.AugAssign):
        return where.edited(statement.value, f"{ast.unparse(statement.value)}.item()")
    if not isinstance(statement, ast.Assign) or name not in map(ast.unparse, statement.targets):
        return None
    read = {n.id: n for n in ast.walk(statement.value) if isinstance(n, ast.Name) and n.id != name}
    scene = Scene()
    added = [node for key, node in read.items() if isinstance(scene.value(where, key), TensorBase)]
    once = len(added) == 1 and sum(isinstance(n, ast.Name) and n.id == added[0].id for n in ast.walk(statement.value)) == 1
    return where.edited(added[0], f"{added[0].id}.item()") if once and scene.value(where, added[0].id).numel() == 1 else None


def is_curve(node):
    """Whether a node maps one tensor element by element, by nothing but its own values: ``relu``, ``clamp(0, 1)``."""
    wanted = [position for position, target in enumerate(node._targets) if target is not None]
    if len(wanted) != 1 or not node._plan.op.elementwise:
        return False
    own = [value.is_output or position == wanted[0] for (_, position), value in zip(
        node._plan.slots, node._values or (), strict=False) if isinstance(value, Saved)]
    return bool(own) and all(own)


def all_behind(roots):
    """What lies behind ``roots``, up to a number of nodes."""
    for passed, end in enumerate(behind(roots)):
        if passed >= NODES:
            return
        yield end
