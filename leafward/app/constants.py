"""Gradients that are asked for with respect to what does not require any: where that came from, and how it becomes a leaf."""
from __future__ import annotations

import ast

from leafward.app.edits import beside
from leafward.core.tensor import TensorBase, requires_grad
from leafward.trust import syntax
from leafward.trust.added_up import known
from leafward.trust.cuts import told_of
from leafward.trust.layout import Row, fixes, list_of
from leafward.trust.scene import Scene, is_hidden
from leafward.trust.source import place
from leafward.trust.writers import assigned_before

#: The function that is asked, its argument, and how PyTorch's sentence begins.
ASKED, GIVEN, SENTENCE = "grad", "inputs", "One of the differentiated Tensors does not require grad"


def without_history(error):
    """What there is to tell of the error that a constant was to be differentiated; None of other errors."""
    where = place_in(error.__traceback__) if str(error).startswith(SENTENCE) else None
    call = None if where is None else where.expression
    if not isinstance(call, ast.Call) or syntax.called(call) != ASKED:
        return None
    given = next((k.value for k in call.keywords if k.arg == GIVEN), call.args[1] if len(call.args) > 1 else None)
    rows, choices, scene = [Row("asked in", where)], [], Scene(error.__traceback__)
    for node in given.elts if isinstance(given, (ast.Tuple, ast.List)) else [given]:
        value = None if node is None else known(where, node, scene)
        if not isinstance(value, TensorBase) or requires_grad(value) or not value.is_floating_point():
            continue
        name = ast.unparse(node)
        made = assigned_before(where, name)
        rows.append(Row("constant", made, f"`{name}` does not require grad", text=None if made is not None else
                        f"`{name}` does not require grad"))
        rows += [row for one in told_of(value._cut) for row in one.rows() if made is None or not one.place.same_line(made)]
        code = f"{name}.requires_grad_()"
        choices.append((where.where(), f"{code} before anything is computed from it", "") if made is None else
                       beside(made, code, "after", "a leaf, and what follows is computed from it"))
    return f"{list_of(rows)}\n{fixes(choices)}" if choices else None


def place_in(traceback):
    """The innermost place of the user's own in a traceback."""
    found = None
    while traceback is not None:
        frame = traceback.tb_frame
        found = found if is_hidden(frame.f_code) else (frame.f_code, traceback.tb_lasti)
        traceback = traceback.tb_next
    return place(found)
