"""What backward came by and was hardly meant: a penalty that is a constant, a column against a row, values written twice."""
import ast
from math import prod

from leafward.core.native import call_site
from leafward.core.op import Op, registry
from leafward.core.runtime import runtime
from leafward.core.views import steps
from leafward.errors import GradientWarning, MissingGradientWarning
from leafward.trust import syntax
from leafward.trust.cuts import Told
from leafward.trust.facts import chain, with_suffix
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


STORIES = {"term": story_of_term, "broadcast": story_of_broadcast}


# -- writes that lose or multiply values ---------------------------------------------------------------------------------

def tell_overwritten(site):
    """Values were written to one place, and a gradient is credited to those that are not there."""
    def text():
        where = place(site)
        rows = [Row("written in", where, "an index occurs twice: one value overwrote the other, and the gradient credits both")]
        title = "some of the values written are not there: places are named twice."
        return f"{title}\n{list_of(rows)}\n" + fixes([
            (where.where(), added_up(where), "adds up what goes to one place; else make the indices unique")])
    tell(GradientWarning, [site], text)


def added_up(where):
    """``x.index_put((i,), v, accumulate=True)`` for ``x[i] = v``, ``x.scatter_add(...)`` for ``x.scatter(...)``."""
    writer = next(op for op in registry.values() if isinstance(op, Op) and op.overwrites and op.variadic)
    statement, call = where.statement, where.expression
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        target = statement.targets[0]
        index = ast.unparse(target.slice)
        index = index if isinstance(target.slice, ast.Tuple) else f"({index},)"
        name, method = ast.unparse(target.value), writer.name.strip("_")
        return f"{name} = {name}.{method}({index}, {ast.unparse(statement.value)}, {writer.overwrites[1]}=True)"
    declared = registry.get((syntax.called(call) or "").rstrip("_"))
    if isinstance(call, ast.Call) and isinstance(declared, Op) and declared.overwrites and declared.overwrites[2]:
        other = declared.overwrites[2] + "_" * syntax.called(call).endswith("_")
        anew = ast.Call(ast.Attribute(call.func.value, other), call.args, call.keywords)
        return where.edited(call, ast.unparse(anew)) or f"{other}(...)"
    if isinstance(call, ast.Call):
        anew = ast.Call(call.func, call.args, [*call.keywords, ast.keyword(writer.overwrites[1], ast.Constant(True))])
        return where.edited(call, ast.unparse(anew)) or f"{writer.overwrites[1]}=True"
    return f"{writer.overwrites[1]}=True"


def tell_repeated(target):
    """A write through a part of an expanded tensor: the other places of the same elements change, too."""
    array, found = target._base._array, 1
    for op, options, number in steps(target._chain):
        array = op.forward(runtime.xp, array, *options)
        array = array if number < 0 else array[number]
        if op.repeats:
            found = prod(n for n, step in zip(array.shape, array.strides, strict=True) if step == 0)
        if op.repeats and found > 1:
            break
    if found < 2 or target._array.size >= array.size:
        return
    link = next((link for link in chain(target._alias) if getattr(registry.get(link.kind), "repeats", False)), None)

    def text():
        at = None if link is None else place(link.site)
        rows = [Row("written in", place(call_site()), "all the places of these elements change, and so do their gradients"),
                Row("expanded in", at, f"each element stands at {found} places: expand() does not copy")]
        code = None if at is None or at.expression is None else with_suffix(at, at.expression, ".clone()")
        advice = [] if at is None else [(at.where(), code or "a clone() of it", "each place then has memory of its own")]
        title = "a write to a part of an expanded tensor changes other parts of it, too."
        return "\n".join([title, list_of(rows), fixes(advice)])
    tell(GradientWarning, [None if link is None else link.site], text)
