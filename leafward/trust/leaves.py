"""Leaves and what is computed from them: why a tensor that somebody takes for a leaf is none, and has no ``.grad``."""
import ast
import itertools

from leafward.core.native import call_site
from leafward.core.node import Node, behind
from leafward.core.tensor import TensorBase
from leafward.trust import syntax
from leafward.trust.added_up import known
from leafward.trust.cuts import name_of, names_of
from leafward.trust.facts import op_of, with_suffix
from leafward.trust.layout import Row, fixes, list_of
from leafward.trust.scene import Scene
from leafward.trust.source import key_of, place

#: What was told: the two places in the program -> the text, and the places, which so keep their code. In a loop it is the same.
told = {}
#: How many pairs of places are remembered, and how many nodes one walk passes.
PAIRS, PASSED = 256, 4096


def no_leaf(tensor, asked, scene):
    """Rows and repairs for a tensor that was computed from others; ``asked``: by which name its gradient was asked for."""
    made = place(tensor._node._site)
    what = (None if made is None else syntax.called(made.expression)) or op_of(tensor._node)
    rows = [Row("computed in", made, f"{what} makes a new tensor: its gradient goes on to what it came from")]
    leaves = [end for end in itertools.islice(behind([tensor._node]), PASSED) if not isinstance(end, Node)]
    named = [leaf for leaf in leaves if name_of(leaf, scene) is not None]
    choices = []
    if not named and made is not None and made.expression is not None:      # nobody else can have meant these as leaves
        code = with_suffix(made, made.expression, ".detach().requires_grad_()")
        choices.append(None if code is None else (made.where(), code, "a leaf of its own, without a history"))
    elif named and not asked:
        choices.append(("", f"pass {names_of(named, scene)}", "what it was computed from"))
    if asked:
        choices.append(("", f"{asked}.retain_grad()", "before backward(): keeps its gradient, and its history"))
    return rows, choices


def about_no_leaf(tensor, asked=True):
    """What is told beside PyTorch's words where a tensor is taken for a leaf that is none: by ``.grad``, by an optimizer."""
    here = call_site()
    key = key_of(tensor._node._site), key_of(here)
    if key not in told:
        if len(told) >= PAIRS:
            told.clear()
        scene = Scene()
        rows, choices = no_leaf(tensor, asked and (name_of(tensor, scene) or "the tensor"), scene)
        rows.append(Row("read in" if asked else "given in", place(here)))
        told[key] = f"{list_of(rows)}\n{fixes(choices)}".rstrip(), tensor._node._site, here
    return told[key][0]


def without_gradients(error):
    """``(tensor, name)`` of those whose ``.grad`` is None in the line where ``error``, about a None, arose."""
    traceback = error.__traceback__
    if traceback is None or "NoneType" not in str(error):
        return []
    scene = Scene(traceback)
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    where, found = place((traceback.tb_frame.f_code, traceback.tb_lasti)), {}
    for node in ast.walk(where.statement) if where.statement is not None else ():
        if isinstance(node, ast.Attribute) and node.attr == "grad" and isinstance(node.ctx, ast.Load):
            tensor = known(where, node.value, scene)
            if isinstance(tensor, TensorBase) and tensor._grad is None:
                found[id(tensor)] = tensor, where.source_of(node.value)
    return list(found.values())
