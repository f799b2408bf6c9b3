"""What a line of a program calls."""
import ast

MODES = ("no_grad", "enable_grad", "inference_mode", "set_grad_enabled", "autocast")
#: Calls that are only there to write an operand down.
OPERANDS = ("tensor", "manual_seed", "slice", "float", *MODES)


def ops_of(line):
    """The names of what a line calls, outermost last; operators and indexing by their names in Python."""
    try:
        tree = ast.parse(line)
    except SyntaxError:
        return ["?"]
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found.append(node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "call"))
        elif isinstance(node, ast.BinOp | ast.AugAssign):
            found.append(type(node.op).__name__)
        elif isinstance(node, ast.Compare):
            found.append(type(node.ops[0]).__name__)
        elif isinstance(node, ast.Subscript):
            found.append("[]=" if isinstance(node.ctx, ast.Store) else "[]")
    found = [name for name in found if name not in OPERANDS]
    return found or [line.split(".")[-1].split(" =")[0]]
