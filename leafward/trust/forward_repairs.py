"""What to type where a forward gave NaN or inf: an eps off zero, a clamp into the domain, a form that does not overflow."""
import ast

from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.dtypes import finfo
from leafward.trust import syntax
from leafward.trust.facts import op_of
from leafward.trust.layout import Row
from leafward.trust.scene import Scene, library
from leafward.trust.source import function_around, place
from leafward.trust.writers import assigned_before


#: What is nan of a single element, unless it is told otherwise.
SPREADS, NAN = ("std", "var", "std_mean", "var_mean"), float("nan")


def spread_repairs(where, op, result):
    """``std`` or ``var`` of finite values gave nan: of too few, which no eps inside of it mends."""
    if where is None or op not in SPREADS or result == result:
        return []
    choices = [(where.where(), f"give {op} more elements: it divides by their number less the correction, which is 1 if not "
                               "given", "")]
    call = where.expression
    if isinstance(call, ast.Call) and syntax.called(call) == op and op in ("std", "var") and not any(
            isinstance(given, ast.Constant) and isinstance(given.value, bool) for given in call.args):
        func = ast.Attribute(call.func.value, "var") if isinstance(call.func, ast.Attribute) else ast.Name("var")
        kept = [k for k in call.keywords if k.arg not in ("correction", "unbiased")]
        anew = ast.unparse(ast.Call(func, call.args, [*kept, ast.keyword("correction", ast.Constant(0))]))
        anew = f"({anew} + 1e-12).sqrt()" if op == "std" else anew
        choices.append((where.where(), where.edited(call, anew) or anew, "which is finite for a single element too"))
    return choices


def assigned(name, scene):
    """``(rows, choices)``: the statement that gave a value its name; and the repair if that takes the spread of one element."""
    frame = next((frame for frame in scene.frames if name in frame.f_locals), None)
    at = None if frame is None else place((frame.f_code, frame.f_lasti))
    where = None if at is None else assigned_before(at, name)
    if where is None:
        return [], []
    for call in ast.walk(where.statement.value):
        owner = syntax.receiver(call) if isinstance(call, ast.Call) and not (call.args or call.keywords) else None
        value = None if owner is None else scene.value(where, ast.unparse(owner))
        if isinstance(value, TensorBase) and value.numel() == 1 and syntax.called(call) in SPREADS:
            where.expression = call
            row = Row("assigned in", where, f"{ast.unparse(call)} is nan: it is of one element")
            return [row], spread_repairs(where, syntax.called(call), NAN)
    return [Row("assigned in", where)], []


def overflowed(where, node):
    """``exp`` gave inf in forward: ``logsumexp(x, dim)`` for ``log(exp(x).sum(dim))``, and words where it is anything else."""
    call = where.expression if where is not None and op_of(node) == "exp" else None
    if not isinstance(call, ast.Call) or syntax.called(call) != "exp":
        return []
    for log in [n for n in ast.walk(where.statement) if isinstance(n, ast.Call) and syntax.called(n) == "log"]:
        inner = given_to(where, log)
        if isinstance(inner, ast.Call) and syntax.called(inner) == "sum" and given_to(where, inner) is call:
            values = given_to(where, call)
            rest = [*(inner.args[1:] if inner.args[:1] == [call] else inner.args), *inner.keywords]
            taken = [values if rest else ast.Call(ast.Attribute(values, "reshape"), [ast.Constant(-1)], []), *rest]
            options = [ast.unparse(part) for part in taken] + ([] if rest else ["0"])
            code = f"{library(where)}.logsumexp({', '.join(options)})"
            return [(*where.with_replaced(log, code), "the same, and it does not overflow")]
    return [(where.where(), "subtract the largest value first, or use logsumexp(), sigmoid(), softmax() or the log_ form: what "
                            "exp() is given is too large for it", "")]


def given_to(where, call):
    """What a call of an op is given first: its first argument, or what it is a method of."""
    func = call.func
    if isinstance(func, ast.Attribute) and not (syntax.is_simple(func.value) and Scene().is_module(
            where, syntax.root(ast.unparse(func.value)))):
        return func.value
    return call.args[0] if call.args else None


def divisor_repairs(where, operands):
    """A quotient of finite values that is not finite: what it is divided by was 0, or close to it."""
    quotient = where is not None and isinstance(where.expression, ast.BinOp) and isinstance(where.expression.op, ast.Div)
    if not quotient or operands and all(value != 0 for _, value in operands):
        return []
    divisor = where.expression.right
    made = made_for_several(where, divisor)
    if made is not None:
        return [(*made, "a small eps keeps it off zero: it is divided by, too")]
    code = where.edited(divisor, f"({where.source_of(divisor)} + 1e-12)")
    return [] if code is None else [(where.where(), code, "a small eps keeps what is divided by off zero")]


def forward_repairs(where, node, operands, result):
    """What to type instead, by the value that the operation could not take."""
    if where is None or where.text is None:
        return []
    if result == result and not isinstance(result, complex) and all(value for _, value in operands):
        return [(where.where(), too_large(where, node, operands), "")]      # inf, and at no pole
    for kept, value in operands:
        node = kept.operand
        if value is None or isinstance(value, complex) or node is None:
            continue
        text = where.source_of(node)
        simple = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
        whole = text if simple else f"({text})"
        if value == 0:
            code = where.edited(node, f"({text} + 1e-12)")
            made = made_for_several(where, node)
            return [(*made, "a small eps keeps it off zero: it is divided by, too")] if made is not None else [
                (where.where(), code or f"{text} + 1e-12", "a small eps keeps it off zero")]
        if value < 0:
            code = where.edited(node, f"{whole}.clamp(min=1e-12)")
            return [(where.where(), code or f"{whole}.clamp(min=1e-12)", "it has no real value below zero")]
    return [(where.where(), "keep what it is given inside its domain: a small eps, or clamp()", "")]


def too_large(where, node, operands):
    """In words, what to do about a result that its dtype cannot hold."""
    largest, name = finfo(node._dtype).max, str(node._dtype).rpartition(".")[2]
    held = f"{name} holds numbers up to {largest:.3g}"
    if largest < 1e30:
        return f"compute this in float32, on x.float() or outside of autocast: {held}"
    if len(node._plan.op.inputs) == 1 and node._plan.op.elementwise and operands:
        return f"clamp() what it is given, or use the log_ form: {held}"
    return f"scale what goes in down, or compute in float64: {held}"


#: What computes a divergence of two distributions, and how it is told that both come as logarithms.
DIVERGENCE, LOGARITHMS = "kl_div", "log_target"


def divergence_of_logarithms(where, scene):
    """``(row, choice)`` where a divergence was given logarithms as its target, and was not told; None elsewhere."""
    call = where.expression if where is not None else None
    if not isinstance(call, ast.Call) or syntax.called(call) != DIVERGENCE or any(k.arg == LOGARITHMS for k in call.keywords):
        return None
    given = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "target")]
    value = scene.value(where, given[0].id) if given and isinstance(given[0], ast.Name) else None
    if not isinstance(value, TensorBase) or not bool((runtime.asarray(value._array) < 0).any()):
        return None
    name, lowest = given[0].id, runtime.asarray(value._array).min().item()
    keywords = [*call.keywords, ast.keyword(LOGARITHMS, ast.Constant(True))]
    code = where.edited(call, ast.unparse(ast.Call(call.func, call.args, keywords)))
    note = f"`{name}` goes down to {lowest:.4g}: logarithms, where {DIVERGENCE}() takes probabilities if not told otherwise"
    return Row("value", None, text=note), (where.where(), code or f"pass {LOGARITHMS}=True", f"`{name}` is taken as logarithms")


def made_for_several(where, node):
    """``(where, code)``: a small number added where a name gets its value; None where it is not a divisor elsewhere."""
    tree = function_around(where)
    divisors = [n.right for n in ast.walk(tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)]
    made = [n for n in ast.walk(tree) if isinstance(n, ast.Assign) and isinstance(node, ast.Name)
            and [ast.unparse(target) for target in n.targets] == [node.id] and n.end_lineno < where.line]
    if not made or any(syntax.contains(part, node) for part in divisors) \
            or not any(node.id in syntax.names_read(part) for part in divisors):
        return None
    value = max(made, key=lambda n: n.lineno).value
    text = ast.unparse(value)
    simple = isinstance(value, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    return where.with_replaced(value, f"{text if simple else f'({text})'} + 1e-6")
