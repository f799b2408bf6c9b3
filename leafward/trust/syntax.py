"""What a source line calls its values: the name assigned, the operands, the tensor that a view was taken of."""
import ast
import itertools
import re

from leafward.core.op import registry
from leafward.derive.methods import operators

#: Python's operators by the names of their methods: declarations say which op each runs.
OPERATORS = {
    ast.Add: "__add__", ast.Sub: "__sub__", ast.Mult: "__mul__", ast.Div: "__truediv__", ast.Pow: "__pow__",
    ast.MatMult: "__matmul__", ast.Mod: "__mod__", ast.FloorDiv: "__floordiv__", ast.USub: "__neg__",
}

#: What ``matmul`` runs, by the number of dimensions.
PRODUCTS = ("dot", "mv", "mm", "bmm")


def called(expression):
    """The name of what an expression calls: ``sigmoid`` for ``lw.sigmoid(x)``, ``mul`` for ``x * y``."""
    if isinstance(expression, ast.Call):
        function = expression.func
        return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)
    if isinstance(expression, (ast.BinOp, ast.UnaryOp)):
        method = OPERATORS.get(type(expression.op))
        return None if method is None else operators()[method.strip("_")].name
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return None


def is_call_of(place, op):
    """Whether the expression at ``place`` is a call of the op with this name, and not of something that calls it."""
    name = called(place.expression)
    if name == "apply":
        return ast.unparse(place.expression.func).split(".")[-2:-1] == [op]
    return name is not None and (name.rstrip("_") == op.rstrip("_") or name == "matmul" and op in PRODUCTS)


def is_simple(node):
    """Whether a node reads as the name of a value: ``x``, ``self.weight``, ``rows[0]``."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, (ast.Constant, ast.Name)):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def root(text):
    """``m`` of ``m.last[0]``."""
    return re.match(r"\w*", text)[0]


def target(place):
    """The node that the expression at ``place`` is assigned to, as the whole right side; else None."""
    statement = place.statement
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and statement.value is place.expression:
        return statement.targets[0] if is_simple(statement.targets[0]) else None
    return None


def operands(expression, method):
    """The nodes of a call's tensors, in order. ``method``: whether ``a.f(b)`` means ``f(a, b)``."""
    if isinstance(expression, ast.BinOp):
        pair = [expression.left, expression.right]
        return pair[::-1] if isinstance(expression.left, ast.Constant) else pair
    if isinstance(expression, ast.UnaryOp):
        return [expression.operand]
    if isinstance(expression, ast.Call):
        receiver = [expression.func.value] if method and isinstance(expression.func, ast.Attribute) else []
        given = itertools.takewhile(lambda node: not isinstance(node, ast.Starred), expression.args)
        return [*receiver, *given]                          # (what comes after `*args` cannot be counted)
    return []


def receiver(expression):
    """``h`` in ``h.detach()``, ``h.data`` and ``h[0]``; None if it has no short name."""
    if isinstance(expression, ast.Call):
        expression = expression.func
    if isinstance(expression, (ast.Attribute, ast.Subscript)) and is_simple(expression.value):
        return expression.value
    return None


def contains(tree, node):
    return any(n is node for n in ast.walk(tree))


def names_read(expression):
    return {ast.unparse(n) for n in ast.walk(expression) if isinstance(n, (ast.Name, ast.Attribute, ast.Subscript))}


def lines_reading(tree, name):
    """The lines of ``tree`` that read what is called ``name``."""
    return [node.lineno for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
            and isinstance(node.ctx, ast.Load) and ast.unparse(node) == name]


#: What draws random numbers beside ops, by the name that is called: made again, it gives others.
DRAWS = {"rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "uniform", "random",
         "standard_normal", "choice", "permutation", "shuffle", "gauss", "sample", "rsample"}


def draws(statement):
    """Whether a statement shows a call that draws random numbers."""
    names = [] if statement is None else [called(node) for node in ast.walk(statement) if isinstance(node, ast.Call)]
    return any(name in DRAWS or getattr(registry.get(name), "random", False) for name in names)


def names_carried(statement):
    """What a statement both reads and assigns: ``h`` in ``h = cell(x, h)``, ``self.h`` in ``self.h = cell(x, self.h)``."""
    if not isinstance(statement, ast.Assign):
        return []
    assigned = [ast.unparse(n) for t in statement.targets
                for n in (t.elts if isinstance(t, (ast.Tuple, ast.List)) else [t]) if is_simple(n)]
    read = names_read(statement.value)
    return [name for name in assigned if name in read]


def handed_on(statement, tree):
    """The assignment in ``tree`` that takes a statement's result to what it reads: ``self.h = h`` after ``h = f(self.h)``."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return None
    name, read = statement.targets[0].id, names_read(statement.value)
    for node in ast.walk(tree):
        if (isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id == name
                and ast.unparse(node.targets[0]) in read):
            return node
    return None


def made_in_place(tree, op):
    """The calls in ``tree`` that make a module of this in-place op: ``nn.LeakyReLU(0.1, inplace=True)`` of ``leaky_relu_``."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)
            and (called(node) or "").lower() == op.replace("_", "")
            and any(k.arg == "inplace" and getattr(k.value, "value", None) is True for k in node.keywords)]


def rebound_unrecorded(tree, expression):
    """Where names that ``expression`` is computed from are bound anew under ``no_grad()``: ``w = w - lr * w.grad``."""
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.With)
              and any(called(item.context_expr) in ("no_grad", "inference_mode") for item in node.items)]
    unrecorded = [node for block in blocks for node in ast.walk(block) if isinstance(node, ast.Assign)]
    recorded = [node for node in ast.walk(tree) if isinstance(node, ast.Assign) and node not in unrecorded]
    needed = names_behind(expression, recorded)
    return [node for node in unrecorded
            if isinstance(node.targets[0], ast.Name) and node.targets[0].id in needed and names_carried(node)]


def names_behind(expression, assignments):
    """The names that ``expression`` reads, and those that they are computed from by ``assignments``."""
    found, new = set(), names_read(expression)
    while new:
        found |= new
        new = {name for node in assignments if any(ast.unparse(t) in new for t in node.targets)
               for name in names_read(node.value)} - found
    return found
