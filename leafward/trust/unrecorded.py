"""What ran while nothing was recorded, under ``no_grad()`` and the like: how it comes to be recorded."""
import ast

from leafward.trust import syntax
from leafward.trust.layout import Line
from leafward.trust.scene import library
from leafward.trust.source import function_around, lines_of, parsed, place, stands_alone, uncommented

#: Blocks in which nothing is recorded, and what they are called in a program.
BLOCKS = ("no_grad", "inference_mode", "set_grad_enabled")
#: When the repairs are right.
TRAINED = "if what it computes should be trained"
#: Statements that can stand behind the colon of a block.
SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)


def recorded(told):
    """The choice that records a call that ran inside a block: without the block, or with another one in its place."""
    where, block = told.place, place(told.cut.block.site)
    if block.text is not None and block.text.startswith("@"):
        return [(f"remove {block.where()}", uncommented(block.text), TRAINED)]
    inside = block_around(block, where)
    if inside is None:
        return [within_another(where, block)]
    if [*inside.body] == [where.statement] and isinstance(where.statement, SIMPLE) and stands_alone(block, inside):
        return [(lines_of(block, inside), Line(ast.unparse(where.statement)), TRAINED)]
    if len(inside.items) == 1 and inside.body[0].lineno > block.line and not any(map(writes, ast.walk(inside))):
        return [(block.where(), Line(f"with {library(where)}.enable_grad():"), TRAINED)]
    return [within_another(where, block)]


def block_around(block, where):
    """The ``with`` statement at ``block`` in whose body ``where`` lies; None if it is called from there."""
    if block.file != where.file or not any(name in (block.text or "") for name in BLOCKS):
        return None
    return next((node for node in ast.walk(function_around(block)) if isinstance(node, ast.With) and node.lineno == block.line
                 and where.statement is not None and syntax.contains(node, where.statement)), None)


def writes(node):
    """Whether a syntax node may write in place: what updates parameters has to stay unrecorded."""
    if isinstance(node, ast.Call):
        return (syntax.called(node) or "").endswith("_") or any(keyword.arg == "out" for keyword in node.keywords)
    return isinstance(node, ast.AugAssign) or isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)


def within_another(where, block):
    """The choice that records one statement inside a block that goes on around it; in words where it has several lines."""
    within = "inference_mode(False)" if "inference_mode" in (block.text or "") else "enable_grad()"
    code = f"with {library(where)}.{within}:"
    if isinstance(where.statement, SIMPLE) and where.statement.lineno == where.statement.end_lineno \
            and stands_alone(where, where.statement) and is_statement(where.text):
        return where.where(), Line(f"{code} {uncommented(where.text)}"), TRAINED
    return where.where(), f"{code} ...", TRAINED


def is_statement(text):
    """Whether a line can stand behind the colon of a block."""
    try:
        return len(parsed(f"def f():\n {text}").body[0].body) >= 1
    except SyntaxError:
        return False
