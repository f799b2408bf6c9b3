"""What custom functions kept or wrote behind autograd's back: see ``autograd/guard.py``."""
import ast
import functools

from leafward.core.native import call_site
from leafward.core.op import Op, registry
from leafward.core.runtime import quietly, runtime
from leafward.errors import GradientWarning, SilentGradientWarning
from leafward.trust.kept_on_ctx import computed_in_backward, copied
from leafward.trust.layout import Row, fixes, list_of
from leafward.trust.repairs import written_anew
from leafward.trust.source import function_around, line_of, place
from leafward.trust.tell import tell


def assignment_of(code, name):
    """``(line, text)`` of the statement that sets ``ctx.name`` in a forward; ``(None, "")`` if it is not found."""
    where = place((code, -1))
    for node in ast.walk(function_around((where))):
        targets = node.targets if isinstance(node, ast.Assign) else ()
        if any(isinstance(t, ast.Attribute) and t.attr == name for t in targets) and inside(code, node.lineno):
            return line_of(where, node), ast.unparse(node)
    return None, ""


def inside(code, line):
    lines = [number for _, _, number in code.co_lines() if number]
    return bool(lines) and min(lines) <= line <= max(lines)


def kept_row(function, name):
    """Where a function set the attribute."""
    for part in (function.forward, function.setup_context):
        line, text = assignment_of(part.__code__, name)
        if line is not None:
            note = f"{function.__name__} keeps a tensor on ctx itself: later writes to it are not noticed"
            row = Row("kept in", None, note, text=text)
            row.where = line
            return row, line, text
    return Row("kept in", None, text=f"ctx.{name} of {function.__name__}"), "", ""


def read_saved(name):
    return f"ctx.save_for_backward(...) in place of ctx.{name}"


def tell_stash(ctx, name, writes):
    """An attribute of ``ctx`` has other bytes than when forward ended."""
    function, own = ctx._function, "a copy of its own: later writes do not reach it"

    def text():
        row, line, _ = kept_row(function, name)
        rows = [Row("needed by", place(ctx._site), f"{function.__name__}.backward reads ctx.{name}"), row]
        if writes:
            rows.append(Row("changed by", place(writes[0].site), "after forward, before backward"))
        else:
            rows.append(Row("changed by", None, text="written outside leafward"))
        return (f"{function.__name__}.backward reads ctx.{name}, which was overwritten since forward. PyTorch would use the "
                f"new values without a word.\n{list_of(rows)}\n"
                + fixes([*(copied(function, name, own) or [("", "keep a clone() of it on ctx", own)]),
                         (line, read_saved(name), "for inputs and outputs: later writes raise")]))
    tell(SilentGradientWarning, [ctx._site, writes[0].site if writes else None], text)


def tell_lost_derivative(ctx, name, cuts):
    """A second derivative is recorded, and an attribute of ``ctx`` that depends on the inputs has no history."""
    if all(is_flat(cut) for whole in cuts for cut in (whole.parts if whole.kind == "no_grad" and whole.parts else (whole,))):
        return
    function = ctx._function

    def text():
        row, line, _ = kept_row(function, name)
        row.note = "computed in forward, where nothing is recorded: a constant for whoever differentiates backward"
        rows = [row, Row("used in", place(ctx._site), f"{function.__name__}.backward, with create_graph=True"),
                Row("effect", None, text=f"what a second derivative should get through ctx.{name} is lost")]
        return (f"{function.__name__}.backward reads ctx.{name}, an intermediate without a history: second derivatives miss "
                f"its part. PyTorch would return them without a word.\n{list_of(rows)}\n"
                + fixes(computed_in_backward(function, name, "from what was saved: backward is differentiated through it") or [
                    (line, "save the inputs: ctx.save_for_backward(...)", f"and compute {name} from them in backward")]))
    tell(SilentGradientWarning, [ctx._site], text)


def is_flat(cut):
    """Whether a cut is by an op that has no derivative, or one that is zero everywhere: ``x > 0``, ``sign``."""
    return is_flat_op(registry.get(cut.kind.removeprefix("in ")))


@functools.cache
def is_flat_op(op):
    """Whether an op has no derivative, or one that is zero everywhere."""
    if not isinstance(op, Op):
        return False
    if op.gives_bools or not any(op.differentiable):
        return True
    rules = [rule for rule in op.rules.values() if not rule.refuses]
    if len(rules) != 1 or not set(rules[0].asks) <= {"xp", "g", *op.inputs} or rules[0].metas:
        return False
    points = runtime.xp.asarray([-2.3, -0.7, 0.4, 1.6], dtype=runtime.float64)
    special = {"xp": runtime.xp, "g": points * 0 + 1}
    slope = quietly(rules[0].function, [special.get(name, points) for name in rules[0].asks])
    return not runtime.asarray(slope).any()


def tell_unmarked(cls, write):
    """Forward wrote to an input that requires grad, did not declare it and does not return it."""
    def text():
        at = place(write.site)
        rows = [Row("changed by", at, "in forward, without ctx.mark_dirty(...)"),
                Row("called in", place(call_site())),
                Row("effect", None, text="whoever else uses this input gets the new values, with the gradient of the old ones")]
        anew = written_anew(at) if at is not None else None
        code = None if anew is None else at.edited(at.statement, f"{anew[0]} = {anew[1]}")
        return (f"{cls.__name__}.forward changes its input in place, and does not say so.\n{list_of(rows)}\n"
                + fixes([(at.where() if at is not None else "", code or "work on a clone() of it", "leaves the input as it is"),
                         ("", "ctx.mark_dirty(x), and return x", "if the input is meant to change")]))
    tell(GradientWarning, [write.site], text)
