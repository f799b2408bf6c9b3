"""Numbers that left a tensor, followed through the source: ``s = math.exp(float(t))``, and then ``r / s``."""
import ast
import builtins

from leafward.core.op import Op, registry
from leafward.trust import syntax
from leafward.trust.scene import library
from leafward.trust.source import function_around, parsed, span

#: Modules whose functions make numbers of numbers.
MATHS = ("math", "np", "numpy")


class Numbers:
    """What the function around ``left``, where a tensor gave a number, calls that number and what it makes of it alone."""

    def __init__(self, left):
        self.left, self.names = left, set()
        self.tree = function_around(left)
        assigned = [node for node in ast.walk(self.tree) if isinstance(node, ast.Assign)] if left.expression is not None else []
        for _ in range(2):                                  # (a loop may come back to an earlier line)
            self.names |= {ast.unparse(target) for node in assigned if self.holds(node.value)
                           for target in node.targets if isinstance(target, ast.Name)}

    def holds(self, node):
        """Whether an expression is made of this number, and of constants."""
        if span(node) == span(self.left.expression):
            return True
        if isinstance(node, ast.Name):
            return node.id in self.names
        if isinstance(node, ast.UnaryOp):
            return self.holds(node.operand)
        if isinstance(node, ast.BinOp):
            sides = [self.holds(node.left), self.holds(node.right)]
            return any(sides) and all(held or isinstance(part, ast.Constant)
                                      for held, part in zip(sides, (node.left, node.right), strict=True))
        return isinstance(node, ast.Call) and (is_maths(node) or isinstance(node.func, ast.Name) and hasattr(
            builtins, node.func.id)) and any(map(self.holds, node.args))

    def meets(self, node):
        """Whether an expression computes with this number, and with something that is none."""
        if isinstance(node, ast.AugAssign):
            return self.holds(node.value)
        if isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        elif isinstance(node, ast.Call) and not self.holds(node):
            parts = [*node.args, *[keyword.value for keyword in node.keywords]]
            return any(map(self.holds, parts)) and (syntax.called(node) or "").rstrip("_") in registry
        else:
            return False
        return any(map(self.holds, parts)) and not all(self.holds(part) or isinstance(part, ast.Constant) for part in parts)

    def are_used(self):
        """Whether the function computes with them in some line of its own."""
        return self.left.expression is not None and any(map(self.meets, ast.walk(self.tree)))


def is_maths(node):
    """Whether a call is one like ``math.exp(x)``."""
    function = node.func
    return isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id in MATHS


def is_taken_whole(left):
    """Whether the number at ``left`` is the value of what has a name, and not of something computed there."""
    node = left.expression
    if not isinstance(node, ast.Call):
        return False
    given = node.args[0] if node.args else getattr(node.func, "value", None)
    return given is not None and syntax.is_simple(given)


def as_tensors(left):
    """The line at ``left`` with the tensor in place of its number: ``s = torch.exp(t)`` for ``s = math.exp(float(t))``."""
    top = left.expression
    if left.statement is None or not isinstance(top, ast.Call):
        return None
    for node in sorted((n for n in ast.walk(left.statement) if isinstance(n, ast.Call)), key=lambda n: -n.col_offset):
        if is_maths(node) and len(node.args) == 1 and node.args[0] is top:
            top = node
    text = kept(top, library(left))
    return None if text is None else left.edited(top, text)


def without_numpy(left):
    """The line at ``left`` computed by leafward: ``s = torch.mean(z ** 2)`` for ``s = np.mean(z.detach().numpy() ** 2)``.

    None where it calls something of NumPy's that is no op.
    """
    value, lib = getattr(left.statement, "value", None), library(left)
    if value is None or not isinstance(left.statement, (ast.Assign, ast.AugAssign, ast.Return)):
        return None

    class Tensors(ast.NodeTransformer):
        known = True

        def visit_Call(self, node):
            self.generic_visit(node)
            if syntax.called(node) in MADE and len(node.args) == 1:
                return node.args[0]
            if is_maths(node):
                op = registry.get(node.func.attr)
                self.known = self.known and isinstance(op, Op) and (
                    op.elementwise and not node.keywords or op.name in SAME and all(k.arg in WORDS for k in node.keywords))
                keywords = [ast.keyword(WORDS.get(k.arg), k.value) for k in node.keywords]
                return ast.Call(ast.Attribute(ast.Name(lib), node.func.attr), node.args, keywords)
            if isinstance(node.func, ast.Attribute) and node.func.attr in LEAVES and not node.args:
                return node.func.value
            return node.args[0] if is_number(node) and node.args else node
    tensors = Tensors()
    anew = tensors.visit(parsed(ast.unparse(value), "eval").body)
    changed, names = ast.unparse(anew) != ast.unparse(value), {n.id for n in ast.walk(anew) if isinstance(n, ast.Name)}
    return left.edited(value, ast.unparse(anew)) if changed and tensors.known and not names & {*MATHS} else None


#: Methods by which values leave autograd.
LEAVES = ("detach", "numpy", "cpu", "item", "tolist")
#: What makes tensors of numbers and of arrays.
MADE = ("tensor", "as_tensor", "from_numpy")
#: Reductions that mean the same in NumPy, and what their options are called here.
SAME, WORDS = ("mean", "sum", "prod"), {"axis": "dim", "keepdims": "keepdim"}


def kept(node, lib):
    """The source of a call that gives a number, with the tensor kept; None where there is no such form."""
    if is_maths(node) and len(node.args) == 1 and not node.keywords and isinstance(registry.get(node.func.attr), Op):
        given = node.args[0]
        again = isinstance(given, ast.Call) and (is_maths(given) or is_number(given))
        inner = kept(given, lib) if again else ast.unparse(given)
        return None if inner is None else f"{lib}.{node.func.attr}({inner})"
    if not is_number(node):
        return None
    given = node.args[0] if isinstance(node.func, ast.Name) else node.func.value
    text = ast.unparse(given)
    return text if isinstance(parsed(text, "eval").body, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) else f"({text})"


def is_number(node):
    """Whether a call is ``float(x)``, or ``x.item()``."""
    return isinstance(node, ast.Call) and (
        isinstance(node.func, ast.Name) and node.func.id == "float" and len(node.args) == 1
        or isinstance(node.func, ast.Attribute) and node.func.attr == "item" and not node.args)
