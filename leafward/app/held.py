"""Leaves that take part in a loss and that no optimizer has: what is known of each, and how it is told."""
from __future__ import annotations

import ast
import itertools
import weakref

from leafward.app.made import added_later, as_parameter, at_first, to_init
from leafward.core.node import Node, behind
from leafward.core.provenance import made_at
from leafward.core.runtime import runtime
from leafward.core.cuts import cuts_of
from leafward.core.tensor import TensorBase
from leafward.trust.cuts import names_of
from leafward.trust.flow import moved_below
from leafward.trust.layout import Row
from leafward.trust.source import function_around, key_of, place, source_lines, tree_of

#: Calls that give a parameter values from elsewhere: somebody loaded them, or keeps them in step with others.
GIVEN = ("copy_",)


class Candidate:
    """A leaf that backward came to, and that no optimizer had then."""

    def __init__(self, leaf, turn):
        self.leaf, self.born = weakref.ref(leaf), made_at(leaf)
        self.line = None if self.born is None else place(self.born).where()
        self.storage, self.writes = leaf._storage, leaf._storage.writes
        self.first = self.reached = turn        # the turns in which it was seen first, and last
        self.turns, self.trained, self.told = 0, False, False

    def is_updated(self):
        """Whether somebody wrote to it since."""
        leaf = self.leaf()
        return self.storage.writes != self.writes or leaf is not None and leaf._storage is not self.storage


def plain(grad):
    """A gradient without a history, dense."""
    return grad.detach().to_dense()


def is_parameter(leaf):
    return isinstance(leaf, runtime.parameter)


def given_values(leaf):
    """Whether a leaf was loaded, or copied from another network: it may well be meant to stay as it is."""
    return any(cut.kind == "deepcopy" for cut in cuts_of(leaf._cut)) or any(
        write.op.startswith(GIVEN) for write in leaf._storage.log or ())


def made_anew(leaves, born, called):
    """The finding on parameters that a line makes anew in each turn: ``(key, title, rows, choices)``."""
    where, many = place(born), len(leaves) > 1
    title = (f"{len(leaves)} parameters are made anew in each turn: nothing that they learn stays" if many else
             "a parameter is made anew in each turn: nothing that it learns stays")
    choices = to_init(where) or [
        ("", "make it once, in __init__, before the optimizer is made", "and use it in forward")]
    return ("anew", key_of(born)), title, [
        Row("made in", where, "runs in each turn, and begins with new values"),
        Row("backward()", place(called), "gives it a gradient, which no optimizer uses")], choices


def unheld(optimizer, leaves, called, scene):
    """The finding on leaves that no optimizer has: ``(key, title, rows, choices, severity)``."""
    site, many = optimizer.__dict__.get("_made_in"), len(leaves) > 1
    inside = [name for name in (name_in_network(leaf, scene) for leaf in leaves) if name is not None]
    shown = ", ".join(inside) if len(inside) == len(leaves) else names_of(leaves, scene)
    made, born, trained = place(site), place(made_at(leaves[0])), is_parameter(leaves[0])
    there = "" if inside and not trained else ", .grad is there"
    rows = [Row("not held", None, text=f"{shown}   (the loss is computed from {'them' if many else 'it'}{there})"),
            *([] if born is None else [Row("made in", born)]),
            Row("backward()", place(called)), Row("optimizer", made, "made here")]
    choices = []
    if inside and not trained:
        choices.append(as_parameter(leaves, inside, scene))
    elif made is not None:
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        code = with_more(made, leaves, held, scene)
        if code is None or code == made.text:               # (it names them already: they came later)
            code = f"give it {'these' if many else 'this one'} as well, and make it after {'them' if many else 'it'}"
            later = moved_below(made, born)
            choices = at_first(born) or added_later(optimizer, leaves, born, scene) or [later] * later[0].startswith("move ")
        choices = choices or [(made.where(), code, f"if {'they' if many else 'it'} should train")]
    name = name_of_holder(leaves, scene)
    if name is not None:
        choices.append(("", f"{name}.requires_grad_(False)", "if it is meant to stay as it is: no gradient is computed then"))
    if not trained:
        what = "`, `".join(shown.split(", "))
        title = (f"`{what}` {'require' if many else 'requires'} grad, and nobody uses the gradient: no optimizer has "
                 f"{'them' if many else 'it'}, and nothing writes to {'them' if many else 'it'}")
    elif many:
        title = f"{len(leaves)} parameters of the loss are in no optimizer: nobody uses their gradients"
    else:
        title = "a parameter of the loss is in no optimizer: nobody uses its gradient"
    return ("unheld", key_of(site), trained), title, rows, choices, "warning" if trained else "notice"


def name_in_network(leaf, scene):
    """``net.pos`` for a plain tensor that a network keeps as an attribute; else None."""
    for variable, value in scene.variables():
        try:
            modules = list(value.named_modules()) if hasattr(type(value), "named_modules") else []
        except AttributeError:                              # a half-built network: it lends no names
            continue
        for path, module in modules:
            for name, held in vars(module).items():
                if held is leaf or isinstance(held, TensorBase) and held._node is not None and is_made_of(held, leaf):
                    return ".".join(part for part in (variable, path, name) if part)
    return None


def is_made_of(tensor, leaf):
    """Whether a leaf is all that a tensor was computed from: ``torch.randn(3, requires_grad=True) * 0.01``."""
    ends = list(itertools.islice(behind([tensor._node]), 16))
    return any(end is leaf for end in ends) and all(end is leaf or isinstance(end, Node) for end in ends)


def name_of_holder(leaves, scene):
    """A variable that is one of the leaves, or a network of nothing but them; else None."""
    ours = {id(leaf) for leaf in leaves}
    for name, members in scene.networks():
        if name.isidentifier() and {id(p) for _, p in members["parameter"]} <= ours and members["parameter"]:
            return name
    return next((name for name, value in scene.variables() if id(value) in ours), None)


def with_more(made, leaves, held, scene):
    """The line that makes an optimizer, with more parameters: ``SGD([*net.parameters(), b])``; None where that is not sure."""
    call = made.expression
    if not isinstance(call, ast.Call) or not call.args or isinstance(call.args[0], ast.Starred):
        return None
    left, added = {id(leaf) for leaf in leaves}, []
    for name, members in sorted(scene.networks(), key=lambda pair: -len(pair[1]["parameter"])):
        theirs = {id(p) for _, p in members["parameter"]}
        if not name.isidentifier() or not theirs & left or not was_there(made, name, scene):
            continue
        if held <= theirs and len(theirs - held) == len(theirs & left):
            return made.edited(call.args[0], f"{name}.parameters()")
        if not theirs & held:
            added.append(f"*{name}.parameters()")
            left -= theirs
    for name, value in scene.variables():
        if id(value) in left and was_there(made, name, scene):
            added.append(name)
            left.discard(id(value))
    given = call.args[0]
    if left or not added or isinstance(given, (ast.ListComp, ast.Dict)) or isinstance(given, ast.List) and any(
            isinstance(part, ast.Dict) for part in given.elts):
        return None
    first = ", ".join(map(ast.unparse, given.elts)) if isinstance(given, ast.List) else f"*{ast.unparse(given)}"
    return made.edited(given, f"[{', '.join([first, *added])}]")


def was_there(made, name, scene):
    """Whether ``name`` had its meaning when the optimizer was made: it is bound above that line, in the same function."""
    tree = function_around(made)
    bound = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Assign) and any(
        isinstance(n, ast.Name) and n.id == name for target in node.targets for n in ast.walk(target))]
    return bool(bound) and max(bound) < made.line and scene.value(made, name) is not None


def reads_grad(file, names):
    """Whether the text of ``file`` reads the ``.grad`` of something that has one of ``names``, or that a function is given."""
    tree = tree_of("".join(source_lines(file)))
    given = {a.arg for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Lambda)) for a in ast.walk(node.args)
             if isinstance(a, ast.arg)}
    return any(isinstance(node, ast.Attribute) and node.attr == "grad" and isinstance(node.ctx, ast.Load)
               and isinstance(node.value, ast.Name) and node.value.id in names | given for node in ast.walk(tree))
