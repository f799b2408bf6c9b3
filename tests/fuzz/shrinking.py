"""A program with a difference made short, and differences told apart by their cause."""
import ast
import re

from tests.fuzz.names import ops_of
from tests.fuzz.comparing import Difference
from tests.fuzz.stepping import Stepper, unwatched


def replayed(lines, watch=unwatched):
    """The first difference of a program that stands there already, if it has one, and what it passed on its way."""
    stepper = Stepper(watch)
    try:
        for line in lines:
            stepper.step(line)
    except Difference as difference:
        return difference, stepper
    return None, stepper


def cause(difference, lines):
    """What two programs with one cause have in common: the kind, the op of the last line, the words of what is said."""
    words = re.sub(r"v\d+|[-\d.e+]+|\[[^]]*\]|\([^)]*\)|\b(True|False|nan|inf)\b", "#", difference.text.split("\n")[0])
    says = difference.kind not in ("value", "gradient", "stride", "version", "shape", "dtype", "requires_grad")
    return difference.kind, ops_of(lines[-1])[0], words[:60] if says else ""


def shrink(lines, difference, watch=unwatched, attempts=100):
    """The shortest program found that differs for the same cause, and its difference."""
    wanted = cause(difference, lines)
    best = list(lines)

    def holds(candidate):
        nonlocal attempts, difference
        if not candidate or attempts <= 0:
            return False
        attempts -= 1
        found, stepper = replayed(candidate, watch)
        for d, at in [*stepper.passed, *([(found, candidate)] if found else [])]:
            if len(at) == len(candidate) and not d.row and cause(d, at) == wanted:
                difference = d
                return True
        return False

    if holds(candidate := slice_of(lines)):
        best = candidate
    changed = True
    while changed and attempts > 0:
        changed = False
        for k in range(len(best) - 2, -1, -1):
            if holds(candidate := best[:k] + best[k + 1:]):
                best, changed = candidate, True
        for k in range(len(best)):
            for simpler in simpler_lines(best[k]):
                if holds(candidate := [*best[:k], simpler, *best[k + 1:]]):
                    best, changed = candidate, True
                    break
    return best, difference


def slice_of(lines):
    """What has a variable in common with the last line, or with what has."""
    kept, names = [], set()
    for line in reversed(lines):
        own = set(re.findall(r"\bv\d+\b", line))
        if not kept or own & names:
            kept.append(line)
            names |= own
    return kept[::-1]


def simpler_lines(line):
    """The line with one thing less: a keyword, a call behind another, a mode around it, an element."""
    try:
        tree = ast.parse(line)
    except SyntaxError:
        return
    if isinstance(tree.body[0], ast.With):
        yield ast.unparse(tree.body[0].body[0])
    count = sum(1 for _ in ast.walk(tree))
    for position in range(count):
        for edit in range(3):
            copy = ast.parse(line)
            node = list(ast.walk(copy))[position]
            if isinstance(node, ast.Call):
                if edit == 0 and node.keywords:
                    node.keywords.pop()
                elif edit == 1 and isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Name):
                    inner = node.func.value
                    if not replaced(copy, node, inner):
                        continue
                elif edit == 2 and len(node.args) > 1:
                    node.args.pop()
                else:
                    continue
            elif isinstance(node, ast.List) and edit == 0 and len(node.elts) > 1 and all(
                    isinstance(e, ast.Constant) for e in node.elts) and len(set(map(ast.dump, node.elts))) > 1:
                node.elts = [node.elts[0]] * len(node.elts)
            else:
                continue
            text = ast.unparse(copy)
            if text != line:
                yield text


def replaced(tree, old, new):
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, field, new)
                return True
            if isinstance(value, list) and old in value:
                value[value.index(old)] = new
                return True
    return False
