"""What backward came by and was hardly meant: a penalty that is a constant, a column against a row, values written twice."""
import ast

from leafward.errors import GradientWarning, MissingGradientWarning
from leafward.trust.cuts import Told
from leafward.trust.layout import Row, fixes, list_of
from leafward.trust.source import place
from leafward.trust.tell import tell


def tell_met(cut):
    """Tell of one note, if the source line shows that it is no use of it on purpose."""
    where = place(cut.site)
    category, text = STORIES[cut.kind](cut, where)
    if text is not None:
        tell(category, [cut.site], lambda: text)


def operator_at(where):
    """The operator that the expression at ``where`` is; None for a call and all else."""
    if isinstance(where.expression, ast.BinOp):
        return type(where.expression.op)
    return type(where.statement.op) if isinstance(where.statement, ast.AugAssign) else None


def story_of_term(cut, where):
    """A term of the loss that was made of a gradient without ``create_graph``."""
    if operator_at(where) is not ast.Add:
        return MissingGradientWarning, None
    told = Told(cut.parts[0])
    rows = [Row("term", where, "adds a number that is made of a gradient"), *told.rows()]
    text = f"a term of the loss trains nothing: its gradient was taken without create_graph=True.\n{list_of(rows)}"
    return MissingGradientWarning, f"{text}\n{fixes(told.repairs())}"


def story_of_broadcast(cut, where):
    """A column of predictions less a row of targets: all pairs."""
    if operator_at(where) is not ast.Sub or not isinstance(where.expression, ast.BinOp):
        return GradientWarning, None
    number, n = cut.parts[0]
    column = where.expression.left if number == 0 else where.expression.right
    source = where.source_of(column)
    whole = source if isinstance(column, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) else f"({source})"
    code = where.edited(column, f"{whole}.squeeze(1)")
    shapes = f"shapes [{n}, 1] and [{n}] broadcast to [{n}, {n}]"
    rows = [Row("pairs up", where, f"{shapes}: each of the {n} values with every other")]
    text = f"a column less a row: the result has {n * n} elements, not {n}.\n{list_of(rows)}"
    return GradientWarning, text + "\n" + fixes([(where.where(), code or f"{whole}.squeeze(1)", "if one is meant for each")])


def story_of_overwritten(cut, where):
    """Values written to one place."""
    rows = [Row("written in", where, "an index occurs twice: one value overwrote the other, and the gradient credits both")]
    text = f"some of the values written are not there: places are named twice.\n{list_of(rows)}"
    name = written_name(where)
    return GradientWarning, text + "\n" + fixes([
        (where.where(), name, "adds up what goes to one place; else make the indices unique")])


def written_name(where):
    """``x.index_put((i,), v, accumulate=True)`` for ``x[i] = v``."""
    statement = where.statement
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        target = statement.targets[0]
        index = ast.unparse(target.slice)
        index = index if isinstance(target.slice, ast.Tuple) else f"({index},)"
        name = ast.unparse(target.value)
        return f"{name} = {name}.index_put({index}, {ast.unparse(statement.value)}, accumulate=True)"
    return "index_put(..., accumulate=True)"


STORIES = {"term": story_of_term, "broadcast": story_of_broadcast, "overwritten": story_of_overwritten}
