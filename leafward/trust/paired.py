"""A column and a row of data that made a square before any gradient was involved: found in the source, by their shapes."""
import ast

from leafward.core.tensor import TensorBase
from leafward.errors import broadcasting
from leafward.trust import syntax
from leafward.trust.layout import Row
from leafward.trust.met import JOINED, operands_of, squeezed_in
from leafward.trust.scene import MISSING, Scene
from leafward.trust.source import function_around, place
from leafward.trust.writers import as_place, own_statements

#: How many assignments the way from a name to what made it goes through.
STEPS = 4


class Pair:
    """The expression ``node``, in the statement at ``made``, of a column and a row; ``shapes`` as notes of calls have them."""

    def __init__(self, made, node, shapes):
        self.made, self.node, self.shapes = made, node, shapes

    def told(self):
        """``(row, change)``, as :func:`leafward.trust.met.paired_up` gives them of a call that was recorded."""
        number, wide, narrow, whole = self.shapes
        word = JOINED.get(type(self.node.op), "with")
        row = Row("pairs up", self.made, f"{list((wide, narrow)[number])} {word} {list((narrow, wide)[number])} gives "
                                         f"{list(whole)}: values meet that do not belong together")
        sides = self.node.left, self.node.right
        return row, squeezed_in(self.made, sides[number], sides[1 - number], wide, narrow)


def paired_before(site, number, shape):
    """``(Pair, number, shape)`` if the operand beside number ``number`` at ``site`` came of a column and a row; else None."""
    where = place(site)
    taken = operands_of(where)
    if len(taken) != 2:
        return None
    pair = Shapes(where, Scene()).pair_in(taken[1 - number], where, STEPS)
    return None if pair is None else (pair, number, shape)


class Shapes:
    """The shapes of expressions in one function, as far as its variables tell."""

    def __init__(self, where, scene):
        self.where, self.scene = where, scene

    def value(self, node):
        """The tensor that a name stands for, or an attribute of one; else None."""
        first, *attributes = ast.unparse(node).split(".")
        value = self.scene.value(self.where, first)
        for attribute in attributes:
            value = getattr(value, "__dict__", {}).get(attribute, MISSING)
        return value

    def of(self, node):
        """The shape of an expression, as a tuple; None where it is not seen, or is a column that was laid out on purpose."""
        if isinstance(node, ast.Constant):
            return () if isinstance(node.value, (int, float)) else None
        if isinstance(node, ast.UnaryOp):
            return self.of(node.operand)
        if isinstance(node, ast.BinOp):
            shapes = [self.of(node.left), self.of(node.right)]
            return None if None in shapes or isinstance(node.op, ast.MatMult) else self.together(shapes)
        if not isinstance(node, (ast.Name, ast.Attribute)) or not syntax.is_simple(node):
            return None
        value = self.value(node)
        if isinstance(value, (int, float)):
            return ()
        if not isinstance(value, TensorBase) or value._base is not None and value._base._array.ndim < value._array.ndim:
            return None
        return tuple(value._array.shape)

    def together(self, shapes):
        result, clash = broadcasting(shapes)
        return None if clash is not None else tuple(result)

    def pair_in(self, node, made, steps):
        """The :class:`Pair` in an expression, or in what was assigned to a name that it is."""
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            left, right = self.of(node.left), self.of(node.right)
            if None not in (left, right) and sorted(map(len, (left, right))) == [1, 2]:
                number = 0 if len(left) == 2 else 1
                wide, narrow = (left, right) if number == 0 else (right, left)
                if wide == (*narrow, 1) and narrow[0] > 1:
                    return Pair(made, node, (number, wide, narrow, narrow * 2))
            return self.pair_in(node.left, made, steps) or self.pair_in(node.right, made, steps)
        if isinstance(node, ast.Name) and steps:
            for statement in own_statements(function_around(self.where)):
                if isinstance(statement, ast.Assign) and [ast.unparse(target) for target in statement.targets] == [node.id]:
                    found = self.pair_in(statement.value, as_place(self.where, statement), steps - 1)
                    if found is not None:
                        return found
        return None
