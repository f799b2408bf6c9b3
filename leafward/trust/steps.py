"""What an optimizer's first steps show: parameters that no gradient came to, though a cut lies between them and the loss."""
from __future__ import annotations

import ast
import weakref
from typing import TYPE_CHECKING, NamedTuple

from leafward.core import modes
from leafward.core.cuts import SHARES, places
from leafward.core.native import call_site
from leafward.core.provenance import made_at
from leafward.core.tensor import TensorBase, requires_grad
from leafward.errors import GradientWarning, MissingGradientWarning
from leafward.trust import syntax
from leafward.trust.cuts import Told, as_code, behind, cuts_before, expanded, name_of, names_of, told_of
from leafward.trust.facts import chain
from leafward.trust.flow import common_block, moved_below
from leafward.trust.leaves import no_leaf
from leafward.trust.layout import Row, fixes, list_of
from leafward.trust.numbers import Numbers, is_taken_whole
from leafward.trust.repairs import is_alone
from leafward.trust.scene import MISSING, Scene, library
from leafward.trust.source import line_of, lines_of, place, stands_alone
from leafward.trust.tell import tell
from leafward.trust.writers import assigned_before

#: What makes numbers of tensors.
NUMBERS = ("item", "tolist", "numpy")

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor


def watch_step(optimizer, reached):
    """Tell of the parameters of ``optimizer`` that got no gradient: all of them, or those behind a cut that backward met."""
    call, met = reached
    params = [p for group in optimizer.param_groups for p in group["params"] if p._requires_grad or cuts_of_own(p)]
    if not params:                                          # all are frozen
        return
    missing = [p for p in params if p._grad is None and p not in optimizer.state]
    pairs, behind_one = {}, []
    for p in missing:
        found = cuts_of_own(p) or [pair for record in met or () for pair in cuts_before(record, p)]
        if found:
            behind_one.append(p)
            pairs.update(dict.fromkeys(found))
    everything = len(missing) == len(params)
    if not pairs and not everything:
        return
    told, lines = [], set()
    for pair in pairs:
        one = Told(*pair)
        if (one.place.file, one.place.line) not in lines:
            lines.add((one.place.file, one.place.line))
            told.append(one)
    shown = missing if everything else behind_one
    sites = [one.cut.site for one in told] or [optimizer.__dict__.get("_made_in")]
    tell(MissingGradientWarning, sites, lambda: story(optimizer, call, shown, params, told[:3], numbers_of(shown, lines)))


def went_as_numbers(missing, kinds=NUMBERS):
    """The cuts at which numbers were made of what all these leaves lie behind: those that the loss is made of, perhaps."""
    found = {}
    for cut in list(places.values()):
        if cut.kind in kinds and {id(p) for p in missing} <= {id(leaf) for leaf in behind(cut)}:
            told = Told(cut)
            found.setdefault((told.place.file, told.place.line), told)
    return list(found.values())[:3]


def made_of_numbers(call, scene):
    """The :class:`Began` of a backward() that was called on a leaf, to which the function gave its name; else None."""
    where = place(call.site)
    node = None if where is None or syntax.called(where.expression) != "backward" else syntax.receiver(where.expression)
    loss = MISSING if node is None else scene.value(where, ast.unparse(node))
    made = assigned_before(where, node.id) if isinstance(loss, TensorBase) and loss._node is None else None
    return None if made is None or not isinstance(made.statement.value, ast.Call) else Began(node.id, made)


class Began(NamedTuple):
    """The loss that backward() began at, and that is a leaf: its name, and where it was made."""

    name: str
    made: object

    def rows(self, missing):
        """Where it was made, and where the parameters' histories ended."""
        rows = [Row("made in", self.made, f"`{self.name}` is a leaf: backward() begins at it, and ends there")]
        for one in went_as_numbers(missing, (*NUMBERS, *SHARES)):
            rows += one.rows()
        return rows

    def choice(self):
        return (self.made.where(), f"compute `{self.name}` from the network's output with {library(self.made)}'s own functions "
                "alone", "arrays and numbers have no history, and requires_grad=True gives them none")


def numbers_of(missing, lines):
    """The cuts, beside those of ``lines``, that made numbers of parameters without a gradient, and that are computed with."""
    found = []
    for cut in [cut for cut in list(places.values()) if cut.kind == "item"] if lines else ():
        ours = behind(cut)
        left = place(cut.site) if len(ours) == 1 and any(p is ours[0] for p in missing) else None
        if left is not None and (left.file, left.line) not in lines and is_taken_whole(left) and Numbers(left).are_used():
            found.append(Told(cut))
    return found[:3]


def cuts_of_own(p):
    """Why the loss is not computed from a leaf: its ``requires_grad`` came late, or it is a copy of one with a gradient."""
    pairs = expanded(p._cut)
    return [pair for pair in pairs if pair[0].kind == "late"] or [
        pair for pair in pairs if pair[0].kind in SHARES and any(leaf._grad is not None for leaf in behind(*pair))]


def story(optimizer, call, missing, params, told, numbers):
    """Who got nothing, the backward that did not reach them, the cut, and the way out."""
    scene = Scene()
    name = f"{type(optimizer).__name__}.step()"
    which = "none" if len(missing) == len(params) else f"{len(missing)}"
    rows = []
    title = (f"{name} has nothing to do: no gradient came to any of its {len(params)} parameters." if which == "none" and
             len(params) > 1 else f"{name} has nothing to do: no gradient came to its parameter." if which == "none" else
             f"{name} cannot train {which} of its {len(params)} parameters: no gradient came to them.")
    rows.append(Row("not reached", None, text=names_of(missing, scene) + "   (.grad is None)"))
    rows.append(Row("backward()", place(call.site)))
    choices = []
    cleared = optimizer.__dict__.get("_cleared_at")
    if cleared is not None and cleared[0] is call:
        rows.append(Row("dropped by", place(cleared[1]), "zero_grad() forgets the gradients that backward() has just made"))
        choices.append(in_turn(place(cleared[1]), place(call_site()), place(call.site)))
    copies = [one for one in told if one.kind() == "deepcopy" or one.kind() in SHARES and any(
        one.cut is cut for p in missing for cut, _ in expanded(p._cut))]
    for one in told:
        if one in copies and one.kind() != "deepcopy":
            made, originals = place(optimizer.__dict__.get("_made_in")), names_of(behind(one.cut), scene)
            rows.append(Row("copied", one.place, f"leaves of their own: the loss is computed from {originals}"))
            if made is not None:
                rows.append(Row("optimizer", made, "holds the copies"))
                code = given_instead(made, missing, one, scene)
                choices.append((made.where(), code or f"give it what the loss is computed from: {originals}", ""))
        elif one.kind() == "deepcopy":
            rows.append(Row("copied", one.place, "the loss was computed from this copy: its parameters are others"))
            made = place(optimizer.__dict__.get("_made_in"))
            if made is not None:
                rows.append(Row("optimizer", made, "holds the parameters from before the copy"))
                choices.append((made.where(), "make the optimizer after the copy, from its parameters()", ""))
        else:
            rows += one.rows("turned on" if one.kind() == "late" else "cut here")
            choices += one.repairs()
    for one in numbers:
        rows += one.rows("cut, too")
        choices += [(f"and {where}", code, when) for where, code, when in one.repairs()[:1]]
    if not told and not choices:
        others, gone, began = others_reached(optimizer, scene), went_as_numbers(missing), made_of_numbers(call, scene)
        if began is not None and not gone:
            return f"{title}\n{list_of([*rows, *began.rows(missing)])}\n{fixes([began.choice()])}"
        for one in gone:
            rows += one.rows("numbers of")
            choices += one.repairs()
        if others and not gone:
            rows.append(Row("reached", None, text=", ".join(list(others)[:6]) + "   (not among the optimizer's parameters)"))
            born = place(made_at(next(iter(others.values()))))
            rows += [] if born is None else [Row("made in", born, "what backward() reached")]
        made = place(optimizer.__dict__.get("_made_in"))
        if made is not None:
            rows.append(Row("optimizer", made, "made here"))
            words = made.where(), "give it the parameters that the loss is computed from", ""
            later = moved_below(made, born, next(iter(others)).partition(".")[0]) if others and not gone else words
            choices += [] if gone else [later if later[0].startswith("move ") else words]
    elif told and not copies and told[0].kind() != "late" and len(missing) < len(params):
        choices.append(("", frozen(missing, scene), "if it is meant not to train"))
    text = f"{title}\n{list_of(rows)}"
    return f"{text}\n{fixes(choices)}" if choices else text


def tell_unlimited(optimizer, reached, site):
    """Tell that gradients were to be clipped before there were any."""
    def text():
        asked, made = place(site), place(reached[0].site)
        call = syntax.called(asked.expression) if asked is not None and asked.expression is not None else None
        rows = [Row("asked in", asked, f"{call or 'clipping'}() found no .grad to limit: nothing was done"),
                Row("backward()", made, "made the gradients after that"),
                Row("used by", place(call_site()), f"{type(optimizer).__name__}.step() takes them as they are")]
        title = "the gradients of this step are not clipped: that was asked for before backward() had made them."
        layout = None if asked is None or made is None else common_block([asked, made])
        choice = ("" if asked is None else asked.where(), "clip between backward() and step()", "")
        if layout is not None and layout[2][0] < layout[2][1] and stands_alone(asked, layout[1][layout[2][0]]):
            below = line_of(made, layout[1][layout[2][1]])
            choice = f"move {lines_of(asked, asked.statement)}", ast.unparse(asked.statement), f"below {below}"
        return f"{title}\n{list_of(rows)}\n{fixes([choice])}"
    tell(GradientWarning, [site], text)


def given_instead(made, copies, told, scene):
    """The line that makes the optimizer, with the network whose parameters were copied in place of the copies; or None."""
    call = made.expression
    theirs = {id(leaf) for p in copies for pair in cuts_of_own(p) for leaf in behind(*pair)} | set(map(id, behind(told.cut)))
    name = next((name for name, members in scene.networks() if name.isidentifier() and scene.value(made, name) is not MISSING
                 and {id(p) for _, p in members["parameter"]} == theirs), None)
    if name is None or not isinstance(call, ast.Call) or not call.args or len(copies) != len(theirs):
        return None
    return made.edited(call.args[0], f"{name}.parameters()")


def in_turn(cleared, stepped, asked):
    """The choice that brings zero_grad(), backward() and step() into their order."""
    layout = None if None in (cleared, stepped, asked) else common_block([cleared, stepped, asked])
    if layout is not None and layout[2][0] < layout[2][1] < layout[2][2] and is_alone(layout[1][layout[2][1]]):
        return f"move {stepped.where()}", stepped.text, f"below {asked.where()}"
    if layout is not None and layout[2][1] > layout[2][0] > layout[2][2] and is_alone(layout[1][layout[2][0]]) \
            and stands_alone(cleared, layout[1][layout[2][0]]) and stands_alone(asked, layout[1][layout[2][2]]):
        return f"move {cleared.where()}", cleared.text, f"above {line_of(asked, layout[1][layout[2][2]])}"
    return cleared.where(), "move it before backward()", ""


def tell_plain_list(optimizer, reached, module, name, site, hidden):
    """Tell of parameters that backward reached, and that no optimizer holds because they stand in a plain list or dict."""
    def text():
        where, call = place(site), reached[0]
        variable = next((n for n, value in Scene().named() if value is module), type(module).__name__)
        shown = ", ".join(f"{variable}.{path}" for path, _ in hidden[:6]) + (" and more" if len(hidden) > 6 else "")
        plain = type(module.__dict__[name])
        layers = all(hasattr(part, "_parameters") for part in parts_of(module.__dict__[name]))
        holder = ("Module" if layers else "Parameter") + ("Dict" if plain is dict else "List")
        rows = [Row("not held", None, text=f"{shown}   (their .grad is there, and no optimizer has them)"),
                Row("backward()", place(call.site)),
                Row("kept in", where, f"a plain {plain.__name__}: {type(module).__name__}.parameters() does not look into it")]
        value = getattr(where.statement, "value", None) if where is not None else None
        code = where.edited(value, f"{library(where)}.nn.{holder}({where.source_of(value)})") if value is not None else None
        title = (f"{type(optimizer).__name__}.step() leaves out {len(hidden)} parameters that backward() reached: they are "
                 "registered nowhere.")
        advice = fixes([(where.where() if where is not None else "", code or f"use nn.{holder}", "registers them")])
        return f"{title}\n{list_of(rows)}\n{advice}"
    tell(MissingGradientWarning, [site], text)


#: id -> the second of two parameters over one memory, weakly: each is told once.
twins = {}


def tell_twins(first, second):
    """Tell of two parameters that are different leaves over the same memory."""
    def text():
        scene = Scene()
        names = [own_name(p, scene) for p in (first, second)]
        link = chain(second._alias)
        at = place(link[0].site) if link else place(made_at(second)) if is_wrapped(second) else None
        rows = [Row("two tensors", None, text=f"{names[0]} and {names[1]} share memory, and are different tensors to autograd"),
                *([] if at is None else [Row("made in", at)]),
                Row("effect", None, text="each gets only its own part of the gradient, and whatever updates them writes twice")]
        tie = f"{as_code(names[1])} = {as_code(names[0])}" if "." in names[1] else f"use {names[0]} in both places"
        code = tied(at) if first._array.shape == second._array.shape else None
        where = "" if code is None else at.where()
        return ("one memory is trained as two parameters.\n" + list_of(rows) + "\n"
                + fixes([(where, code or tie, "one Parameter under both names, before the optimizer is made"),
                         ("", "a clone() for the second", "if they are meant to differ")]))
    first, second = sorted((first, second), key=lambda p: (len(chain(p._alias)), is_wrapped(p)))     # (made of the first)
    if any(id(p) in twins and twins[id(p)]() is p for p in (first, second)):
        return
    key = id(second)
    twins[key] = weakref.ref(second, lambda _: twins.pop(key, None))
    tell(GradientWarning, [link.site for link in chain(second._alias)[:1]], text)


def is_wrapped(leaf):
    """Whether a parameter was made around a tensor that was there: ``nn.Parameter(self.emb.weight)``."""
    made = place(made_at(leaf))
    return made is not None and isinstance(made.expression, ast.Call) and syntax.called(made.expression) == "Parameter"


def tied(at):
    """``self.b.weight = self.a.weight`` for the line that gave the one the other's memory; None where it reads otherwise."""
    statement = None if at is None else at.statement
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    name, value = statement.targets[0], statement.value
    if isinstance(value, ast.Call) and syntax.called(value) == "Parameter" and len(value.args) == 1 and not value.keywords:
        value = value.args[0]
    elif isinstance(name, ast.Attribute) and name.attr == "data":
        name = name.value
    else:
        return None
    share = value.func if isinstance(value, ast.Call) and not value.args else value
    if isinstance(share, ast.Attribute) and share.attr in ("data", "detach"):
        value = share.value
    if not isinstance(name, ast.Attribute) or not isinstance(value, ast.Attribute):
        return None
    return at.edited(statement, f"{at.source_of(name)} = {at.source_of(value)}")


def own_name(leaf, scene):
    """What the user's program calls this very leaf, and none that shares its memory."""
    for variable, members in scene.networks():
        for path, tensor in members["parameter"]:
            if tensor is leaf:
                return f"{variable}.{path}"
    return next((name for name, value in scene.variables() if value is leaf), "a parameter")


def parts_of(value):
    return list(value.values() if type(value) is dict else value)


def frozen(missing, scene):
    """What to type so that these do not train: ``body.requires_grad_(False)`` for all parameters of ``body``."""
    wanted = {id(p) for p in missing}
    networks = [(name, value) for name, value in scene.named() if hasattr(type(value), "named_modules")
                and "_modules" in vars(value)] if len(wanted) > 1 else []
    whole = [as_code(f"{name}.{path}" if path else name) for name, network in networks
             for path, module in network.named_modules() if {id(p) for p in module.parameters()} == wanted]
    if whole:
        return f"{min(whole, key=len)}.requires_grad_(False)"
    names = [as_code(name) for name in (name_of(p, scene) for p in missing) if name]
    if len(names) == 1 == len(missing):
        return f"{names[0]}.requires_grad_(False)"
    return "requires_grad_(False) of each" + (f": {names[0]}.requires_grad_(False)" if names else "")


def others_reached(optimizer, scene):
    """``{name: leaf}`` of the leaves among the user's variables that have a gradient, and are not the optimizer's."""
    ours, found = {id(p) for group in optimizer.param_groups for p in group["params"]}, {}
    for variable, members in scene.networks():
        for path, tensor in members["parameter"]:
            if tensor._grad is not None and id(tensor) not in ours:
                found[id(tensor)] = f"{variable}.{path}", tensor
    for name, value in scene.variables():
        if getattr(value, "_grad", None) is not None and getattr(value, "_node", 0) is None and id(value) not in ours:
            found.setdefault(id(value), (name, value))
    return dict(found.values())


def why_none(tensor: Tensor) -> str:
    """Tell why ``tensor.grad`` is None: the line that cut it off from the last backward(), if one did.

    >>> import leafward as lw
    >>> w = lw.ones(2)
    >>> print(lw.why_none(w))
    `w`.grad is None: it does not require grad.
    """
    scene = Scene()
    return why(tensor, name_of(tensor, scene) or "the tensor", scene)


def why(tensor, name, scene):
    """:func:`why_none` of the tensor that the program calls ``name``."""
    name = f"`{name}`"
    if tensor._grad is not None:
        return f"{name}.grad is not None."
    if not requires_grad(tensor):
        told = [one for one in told_of(tensor._cut)]
        first = f"{name}.grad is None: it does not require grad."
        return "\n".join([first, *([list_of([row for one in told for row in one.rows()])] if told else [])])
    if tensor._node is not None:
        rows, choices = no_leaf(tensor, name.strip("`"), scene)
        return (f"{name}.grad is None: it is no leaf. Gradients pass through it and are kept only where that was asked for.\n"
                f"{list_of(rows)}\n{fixes(choices)}")
    reached = modes.current().reached
    if reached is None:
        return f"{name}.grad is None: backward() was not called yet."
    call, met = reached
    own = cuts_of_own(tensor)
    pairs = own or list(dict.fromkeys(pair for record in met or () for pair in cuts_before(record, tensor)))
    rows = [Row("backward()", place(call.site))]
    if not pairs:
        elsewhere = [(cut, None) for cut in list(places.values()) if any(leaf is tensor for leaf in behind(cut))][-3:]
        rows += [row for pair in elsewhere for row in Told(*pair).rows("a cut")]
        why = ("it was cut off in these lines, though the last backward() came by none of them" if elsewhere else
               "the loss was not computed from it, or zero_grad() dropped the gradient since")
        return f"{name}.grad is None: no path led from the last backward() to it: {why}.\n{list_of(rows)}"
    told = [Told(*pair) for pair in pairs][:3]
    rows += [row for one in told for row in one.rows("turned on" if one.kind() == "late" else "copied" if own else "cut here")]
    choices = [choice for one in told for choice in one.repairs()] if not own or own[0][0].kind == "late" else []
    text = f"{name}.grad is None: no path led from the last backward() to it.\n{list_of(rows)}"
    return f"{text}\n{fixes(choices)}" if choices else text
