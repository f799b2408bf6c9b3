"""Modes of networks: who switched to evaluation, where ``train()`` belongs, and what runs in training mode beside training."""
from __future__ import annotations

import ast
from typing import NamedTuple

from leafward.core import modes
from leafward.core.cuts import Cut
from leafward.core.native import call_site
from leafward.trust.cuts import expanded
from leafward.trust.layout import Row
from leafward.trust.scene import Scene
from leafward.trust.source import function_around, key_of, line_of, place


class Switch(NamedTuple):
    """One ``train()`` or ``eval()``: of which module it was called, the mode, where, and the calls that led there."""

    whole: object
    mode: bool
    site: object
    lines: list                         # (code, line) of the user's frames


class Switched:
    """The part of a :class:`~leafward.app.watch.Watch` that remembers the last switch of each layer that has modes."""

    def __init__(self):
        self.last = {}                  # id(module) -> (the module, its Switch)

    def switched(self, module, mode):
        """``module.train(mode)`` begins; its children's follow, and are a part of it."""
        site = call_site()
        switch = None
        for part in module.modules():
            if has_modes(part):
                if switch is None:
                    lines = [(frame.f_code, frame.f_lineno) for frame in Scene().frames]
                    switch = Switch(module, mode, site, lines)
                _, known = self.last.get(id(part), (None, None))
                inside = known is not None and known.mode == mode and key_of(known.site) == key_of(site) and \
                    known.whole is not module and any(module is m for m in known.whole.modules())
                if not inside:
                    self.last[id(part)] = part, switch

    def of(self, module):
        """The switch to evaluation that ``module`` is under; None if it was not seen."""
        known, switch = self.last.get(id(module), (None, None))
        return switch if known is module and not switch.mode else None


class Aside:
    """Layers in training mode under ``no_grad()``, and whether what they gave came into a loss."""

    def __init__(self, watch):
        self.watch = watch
        self.ran = {}                   # the block (its key) -> (its site, the layer, what the program calls its network)
        self.used = set()               # the keys of the blocks whose results came into a loss

    def called(self, module):
        """A layer that was trained runs in training mode where nothing is recorded."""
        block = modes.current().block
        site = block.site if isinstance(block, Cut) and block.kind == "no_grad" else block if type(block) is tuple else None
        again = getattr(module, "momentum", 0) is None      # statistics are made anew: an average over all batches
        if site is not None and not again and key_of(site) not in self.ran:
            self.ran[key_of(site)] = site, module, network_with(module, Scene())

    def before_backward(self, ends):
        """Note which blocks lie behind a loss."""
        for end in ends if len(self.used) < len(self.ran) else ():
            for pair in expanded(end._cut):
                self.used |= {key_of((cut.block or cut).site) for cut in pair if cut is not None}

    def ended(self):
        """Note what came into no loss: perhaps a validation."""
        for key, (site, module, name) in self.ran.items():
            if key not in self.used:
                kind, where = type(module).__name__, place(site)
                does = ("uses each batch's own statistics, and changes the running ones" if hasattr(module, "running_mean")
                        else "drops values at random")
                self.watch.notes[("aside", key)] = (
                    f"{kind} ran in training mode where nothing is recorded, and no backward() came by what it gave: "
                    f"it {does}. If this is an evaluation, {name}.eval() belongs before it, and {name}.train() after it"
                    f"   {where.where()}")


def network_with(module, scene):
    """What the program calls the largest network that has ``module``."""
    found = {name: len(list(value.modules())) for name, value in scene.variables()
             if name != "self" and isinstance(getattr(value, "_modules", None), dict)
             and any(m is module for m in value.modules())}
    return max(found, key=found.get, default="model")


def has_modes(module):
    """Whether a module itself does another thing in training than in evaluation."""
    return hasattr(module, "running_mean") or type(module).__name__.endswith("Dropout")


def rows_and_choices(switch, site):
    """Who switched to evaluation, and where ``train()`` belongs, for a step at ``site``."""
    if switch is None:
        return [Row("why", None, text="eval() was called, and train() was not called after it")], [
            ("", "model.train()", "before each epoch, and after each evaluation")]
    stepped, scene = place(site), Scene()
    rows = [Row("switched by", place(switch.site), "train() was not called after it")]
    return rows, [before_training(switch, stepped, name_at(switch.whole, stepped, scene) or "model")]


def name_at(module, where, scene):
    """What the function at ``where`` calls a module: ``net``, ``self.net``; None if it has no name for it."""
    for name, value in scene.variables():
        if value is module and scene.value(where, name) is module:
            return name
    for name in ("self", "cls"):
        members = getattr(scene.value(where, name), "__dict__", {})
        for held in (members, members.get("_modules") or {}):
            for member, value in held.items():
                if value is module:
                    return f"{name}.{member}"
    return None


def before_training(switch, stepped, name):
    """The choice that puts ``train()`` before the outermost loop of steps without the evaluation, or at a loop's begin."""
    code, when = f"{name}.train()", "before each epoch, and after each evaluation"
    inside = [line for frame, line in switch.lines if frame is stepped.code]
    loops = sorted((node for node in ast.walk(function_around(stepped)) if isinstance(node, (ast.For, ast.While, ast.AsyncFor))
                    and any(n.lineno <= stepped.line <= n.end_lineno for n in node.body)), key=lambda node: node.lineno)
    outer = next((loop for loop in loops if not any(loop.lineno <= line <= loop.end_lineno for line in inside)), None)
    if not loops or name == "model":
        return "", code, when
    if outer is not None:
        return f"before {line_of(stepped, outer)}", code, when
    first = loops[-1].body[0]
    if first.lineno == loops[-1].lineno:
        return stepped.where(), stepped.edited(first, f"{code}; {ast.unparse(first)}") or code, when
    return f"before {line_of(stepped, first)}", code, when
