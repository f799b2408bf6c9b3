"""Rows of scores that a mask covers as a whole: nothing is left to choose from, and what chooses gives nan."""
import ast

from leafward.core.history import requires_grad
from leafward.core.recording import OpNode
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.trust.layout import Row
from leafward.trust.memory import saved_values
from leafward.trust.scene import library
from leafward.trust.source import place
from leafward.trust.syntax import is_simple

#: How many operations before the one that chooses are looked at.
BEFORE = 4
#: What the last repair of every such story is.
LEFT_OUT = ("", "leave something unmasked in each row, or leave out the rows without anything", "")


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
                LEFT_OUT]


class Covered:
    """A mask that was given, at ``where`` as the syntax node ``given``, or that has a ``name``; it masks all of its ``row``."""

    def __init__(self, row, floating, where, given, name):
        self.masked_row, self.floating, self.where, self.given, self.name = row, floating, where, given, name

    def row(self, _):
        text = ast.unparse(self.given) if self.given is not None else self.name
        what = "-inf" if self.floating else "True"
        note = f"`{text}` is {what} in all of row {list(self.masked_row)}: nothing is left to choose from"
        return Row("masked by", None, text=note) if self.where is None else Row("masked by", self.where, note)

    def repairs(self):
        """The mask, with rows that it covers as a whole opened."""
        text = self.name if self.given is None else ast.unparse(self.given)
        if self.floating:
            code = f"{text}.masked_fill(({text} == float('-inf')).all(-1, keepdim=True), 0.0)"
        elif text.startswith("~"):
            code = f"{text} & {text[1:]}.any(-1, keepdim=True)"
        else:
            code = f"{text} & ~{text}.all(-1, keepdim=True)"
        when = "a row with nothing left then takes all, and is finite"
        if self.given is None:
            return [("", f"{code} in place of {text}", when), LEFT_OUT]
        return [(*self.where.with_replaced(self.given, code), when), LEFT_OUT]


def emptied_by(node, array, index, scene):
    """What covered the whole row in which ``index`` lies, and all of which became nan in ``node``; or None."""
    if not isinstance(node, OpNode) or not index or bool((array[index[:-1]] == array[index[:-1]]).any()):
        return None
    before = [node]
    for one in before:
        if len(before) < BEFORE:
            before += [target for target in one._targets if isinstance(target, OpNode) and target._shape == array.shape]
    for target in before[1:]:
        where = place(target._site)
        fill = None if where is None else minus_infinity(where.expression)
        for saved in saved_values(target._values) if fill is not None else ():
            mask = runtime.xp.resolved(saved.array) if saved.packed is None else array
            chosen = where.expression.args and fill is where.expression.args[-1] and len(where.expression.args) == 3
            if mask.dtype.kind == "b" and covers(~mask if chosen else mask, array.shape, index) is not None:
                return Emptied(target, where, fill)
    return (mask_given(before, array.shape, index, scene) or mask_in_reach(array.shape, index, scene)
            or times_infinity(before))


class Multiplied:
    """A factor that minus infinity is multiplied with: ``(1 - mask) * -inf``, which is nan where the factor is 0."""

    def __init__(self, where, product, factor, infinity):
        self.where, self.product, self.factor, self.infinity = where, product, factor, infinity

    def row(self, _):
        return Row("masked by", self.where, f"{ast.unparse(self.product)}: where the factor is 0, 0 times an infinity is nan")

    def repairs(self):
        """The infinity where the factor is not 0, and 0 elsewhere."""
        factor, lib = ast.unparse(self.factor), library(self.where)
        code = f"{lib}.zeros_like({factor}).masked_fill({factor} != 0, {ast.unparse(self.infinity)})"
        return [(*self.where.with_replaced(self.product, code), "0 where nothing is masked")]


def times_infinity(nodes):
    """The product with an infinity that the lines of ``nodes`` show, if they show one."""
    for where in [found for found in map(place, dict.fromkeys(node._site for node in nodes)) if found is not None]:
        for part in ast.walk(where.statement) if where.statement is not None else ():
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult):
                for factor, infinity in ((part.left, part.right), (part.right, part.left)):
                    if is_infinity(infinity):
                        return Multiplied(where, part, factor, infinity)
    return None


def is_infinity(node):
    """Whether an expression reads as an infinity: ``float("-inf")``, ``-torch.inf``."""
    node = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(node, ast.Attribute) and node.attr == "inf" or isinstance(node, ast.Call) and (
        ast.unparse(node) in ("float('inf')", "float('-inf')"))


def minus_infinity(call):
    """What a call is given as minus infinity, as the source writes it; None where it shows none."""
    given = [*call.args, *[keyword.value for keyword in call.keywords]] if isinstance(call, ast.Call) else []
    return next((part for part in given if "inf" in ast.unparse(part).lower() and not isinstance(part, ast.Name)), None)


def covers(mask, shape, index):
    """The row of ``mask``, true where something is masked, that lies over ``index`` in ``shape``, if all of it is true.

    Each row of the mask may stand for several heads of an attention, which lie one behind the other.
    """
    rows = mask.all(axis=-1) if mask.ndim and mask.shape[-1] == shape[-1] else None
    if rows is None:
        return None
    if mask.ndim <= len(shape) and all(n in (1, m) for n, m in zip(mask.shape[::-1], shape[::-1], strict=False)):
        at = tuple(0 if n == 1 else i for n, i in zip(rows.shape[::-1], index[-2::-1], strict=False))[::-1]
        if rows[at]:
            return at
    if mask.ndim == 2 and len(shape) == 3 and shape[0] % mask.shape[0] == 0:
        at = (index[0] // (shape[0] // mask.shape[0]),)
        if rows[at]:
            return at
    return None


def covering(value, inverted, shape, index):
    """``(row, whether it is of minus infinities)`` where a tensor is a mask that covers the row at ``index``; or None."""
    if not isinstance(value, TensorBase) or requires_grad(value) or type(value._array) is not runtime.ndarray:
        return None
    array = value._array
    if array.dtype.kind == "b":
        row = covers(~array if inverted else array, shape, index)
        return None if row is None else (row, False)
    row = covers(array == -runtime.xp.inf, shape, index) if array.dtype.kind == "f" and not inverted else None
    return None if row is None else (row, True)


def mask_given(nodes, shape, index, scene):
    """The mask among what is read in the lines of ``nodes``."""
    for where in [found for found in map(place, dict.fromkeys(node._site for node in nodes)) if found is not None]:
        for part in ast.walk(where.statement) if where.statement is not None else ():
            inverted = isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Invert)
            inner = part.operand if inverted else part
            if not is_simple(inner) or not isinstance(inner, (ast.Name, ast.Attribute)):
                continue
            first, *attributes = ast.unparse(inner).split(".")
            value = scene.value(where, first)
            for attribute in attributes:
                value = getattr(value, "__dict__", {}).get(attribute)
            found = covering(value, inverted, shape, index)
            if found is not None:
                return Covered(*found, where, part, None)
    return None


def mask_in_reach(shape, index, scene):
    """The mask among the user's variables."""
    for name, value in scene.variables():
        found = covering(value, False, shape, index)
        if found is not None:
            return Covered(*found, None, None, name)
    return None
