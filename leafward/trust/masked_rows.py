"""Rows of scores that a mask covers as a whole: nothing is left to choose from, and what chooses gives nan."""
import ast

from leafward.core.recording import OpNode
from leafward.core.runtime import runtime
from leafward.trust.layout import Row
from leafward.trust.memory import saved_values
from leafward.trust.scene import library
from leafward.trust.source import place


class Emptied:
    """The operation that filled a whole row with minus infinity, and the syntax node of that value."""

    def __init__(self, node, where, fill):
        self.node, self.where, self.fill = node, where, fill

    def row(self, at):
        return Row("masked by", self.where, f"the row{at} is all -inf: the mask covers all of it")

    def repairs(self):
        """The smallest number in place of minus infinity: a row of which nothing is left then comes out even, and finite."""
        lib = library(self.where)
        small = f"{lib}.finfo({lib}.{str(self.node._dtype).rpartition('.')[2]}).min"
        code = self.where.edited(self.fill, small)
        return [(self.where.where(), code or f"fill with {small} in place of -inf", "such a row is then even, and finite"),
                ("", "leave something unmasked in each row, or leave out the rows without anything", "")]


def emptied_by(node, array, index):
    """Which operation before ``node`` covered the whole row in which ``index`` lies, and all of which became nan; or None."""
    if not isinstance(node, OpNode) or not index or bool((array[index[:-1]] == array[index[:-1]]).any()):
        return None
    for target in node._targets:
        if not isinstance(target, OpNode) or target._shape != array.shape or target._site is None:
            continue
        where = place(target._site)
        fill = minus_infinity(where.expression)
        masks = [saved.array for saved in saved_values(target._values) if saved.packed is None] if fill is not None else []
        for mask in map(runtime.xp.resolved, masks):
            if mask.dtype.kind == "b" and mask.ndim <= array.ndim and bool(
                    runtime.xp.broadcast_to(mask, array.shape)[index[:-1]].all()):
                return Emptied(target, where, fill)
    return None


def minus_infinity(call):
    """What a call is given as minus infinity, as the source writes it; None where it shows none."""
    given = [*call.args, *[keyword.value for keyword in call.keywords]] if isinstance(call, ast.Call) else []
    return next((part for part in given if "inf" in ast.unparse(part).lower() and not isinstance(part, ast.Name)), None)
