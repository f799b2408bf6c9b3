"""Frozen parameters that an optimizer goes on moving: by an old gradient, by its momentum, by weight decay."""
from __future__ import annotations

import ast

from leafward.app.edits import beside
from leafward.app.held import plain
from leafward.core.cuts import cuts_of
from leafward.core.tensor import TensorBase
from leafward.trust import syntax
from leafward.trust.cuts import names_of
from leafward.trust.layout import Row
from leafward.trust.scene import MISSING, Scene
from leafward.trust.source import key_of, place


class Frozen:
    """The part of a :class:`~leafward.app.watch.Watch` that compares frozen parameters before and after a step."""

    def __init__(self, watch):
        self.watch = watch
        self.before = []                # (a parameter that does not require grad and has a gradient, its values) before a step

    def before_step(self, optimizer):
        """Keep the values of what should stay as it is."""
        self.before = [(p, p.detach().clone()) for group in optimizer.param_groups for p in group["params"]
                       if not p._requires_grad and p._grad is not None]

    def after_step(self, optimizer, site):
        """Tell of what did not."""
        moved = [p for p, values in self.before if bool((p.detach() != values).any())]
        self.before = []
        if not moved or site is None:
            return
        old = any(bool(plain(p._grad).any()) for p in moved)
        remembered = [name for name in optimizer.state.get(moved[0], {}) if is_moving(optimizer.state[moved[0]][name])]
        if old:
            by, what = "its old gradient is still there", "the optimizer goes on using it"
        elif remembered:
            by = "the optimizer's memory of older gradients moves it on"
            what = f"it is zero, and {', '.join(remembered)} is not: a step is made all the same"
        else:
            by, what = "weight decay moves it on", "it is zero, and the step makes the weights smaller all the same"
        frozen = next((place(cut.site) for cut in cuts_of(moved[0]._cut) if cut.kind == "frozen"), None)
        self.watch.find(("frozen", key_of(site)), f"a frozen layer was trained: {by}", [
            Row("updated in", place(site), names_of(moved, Scene())),
            *([] if frozen is None else [Row("frozen in", frozen)]),
            Row("why", None, text=f"requires_grad is off, but .grad is not None: {what}")],
            [cleared_at(frozen), ("", "leave it out of the optimizer", "make the optimizer from what requires grad")], "error")


def is_moving(state):
    """Whether a part of an optimizer's state moves a parameter by itself: as large as it, and not zero."""
    return isinstance(state, TensorBase) and state.ndim > 0 and bool(state.detach().any())


def cleared_at(frozen):
    """The choice that takes the gradient away where a parameter is frozen; in words, where that is not known."""
    when = "a parameter without .grad is passed over by every step"
    node = None if frozen is None else frozen.expression
    if frozen is not None and isinstance(frozen.statement, ast.Assign):
        target = frozen.statement.targets[0]
        if isinstance(target, ast.Attribute) and target.attr == "requires_grad":
            return beside(frozen, f"{ast.unparse(target.value)}.grad = None", "after", when)
    if isinstance(node, ast.Call) and syntax.called(node) == "requires_grad_":
        receiver = syntax.receiver(node)
        value = MISSING if receiver is None else meaning(receiver, frozen, Scene())
        clear = ".grad = None" if isinstance(value, TensorBase) else ".zero_grad()" if hasattr(value, "zero_grad") else None
        if clear is not None:
            return beside(frozen, ast.unparse(receiver) + clear, "after", when)
    return "" if frozen is None else frozen.where(), "p.grad = None", f"for each parameter that is frozen: {when}"


def meaning(node, where, scene):
    """What a name, an attribute or an element stands for in the program now; ``MISSING`` where that cannot be seen."""
    if isinstance(node, ast.Name):
        return scene.value(where, node.id)
    if isinstance(node, ast.Attribute):
        return getattr(meaning(node.value, where, scene), node.attr, MISSING)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        whole = meaning(node.value, where, scene)
        try:
            return whole[node.slice.value]
        except (TypeError, LookupError):
            return MISSING
    return MISSING
