"""Gradients that the backward of a custom function returned, and that do not fit what its forward takes."""
import ast

from leafward.trust.differences import function_around_line, rule_at
from leafward.trust.layout import Row, fixes, list_of
from leafward.trust.source import place, source_lines

#: What stands at a position that gets no gradient.
NOTHING = "None"


def about_returned(node, results):
    """Where backward returned ``results``, what forward takes, and the line with one gradient for each of these."""
    cls, expected, tensors = node._function, len(node.needs_input_grad), set(node._tensor_places)
    names = names_of_inputs(cls, expected)
    rule = rule_at(cls)
    returned = [n for n in ast.walk(function_around_line(rule)) if isinstance(n, ast.Return) and n.value is not None]
    line = None if len(returned) != 1 or returned[0].lineno != returned[0].end_lineno else at_line(rule, returned[0].lineno)
    rows = [Row("returned by", line or rule, f"{len(results)} value{'s' * (len(results) != 1)}"),
            Row("taken by", definition(cls.forward), f"{expected} inputs" + (f": {', '.join(names)}" if names else "")),
            Row("called in", place(node._site))]
    given = list(returned[0].value.elts if isinstance(returned[0].value, ast.Tuple) else [returned[0].value]) if line else []
    if len(given) != len(results) or len(results) not in (expected, len(tensors)):
        given = []
    parts = iter(given)
    if len(results) == expected:                            # one of them is for what is no tensor
        anew = [ast.unparse(part) if at in tensors else NOTHING for at, part in enumerate(parts)]
    else:
        anew = [ast.unparse(next(parts)) if given and at in tensors else NOTHING for at in range(expected)]
    code = line.edited(returned[0].value, ", ".join(anew)) if given else None
    advice = f"return {expected} values, one for each input", "None for what gets no gradient"
    where = (line or rule).where()
    return f"{list_of(rows)}\n{fixes([(where, code, advice[1]) if code else (where, *advice)])}"


def definition(function):
    """Where a function is written, below its decorators."""
    where = place((function.__code__, -1))
    return at_line(where, getattr(function_around_line(where), "lineno", where.line)) if where.text is not None else where


def names_of_inputs(cls, expected):
    """What forward calls its inputs; none where it takes any number of them."""
    code = cls.forward.__code__
    names = code.co_varnames[:code.co_argcount]
    return names[-expected:] if 0 < expected <= len(names) else ()


def at_line(where, line):
    """The place ``where``, moved to another line of its file."""
    moved = place((where.code, -1))
    moved.line, moved.text = line, source_lines(where.file)[line - 1].strip()
    return moved
