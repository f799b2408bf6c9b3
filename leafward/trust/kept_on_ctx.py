"""What a custom function keeps on ``ctx`` itself, as edits: save it for backward, keep a copy, compute it again."""
import ast
import copy

from leafward.autograd.guard import innermost_rule
from leafward.trust import syntax
from leafward.trust.flow import assigned_names
from leafward.trust.source import function_around, line_of, place, source_lines, stands_alone


class Written:
    """The forward and the backward of a custom function as they are written, and where forward sets ``ctx.name``."""

    def __init__(self, function, name):
        self.where = place((function.forward.__code__, -1))
        self.forward, self.backward = tree_at(self.where), tree_at(place((innermost_rule(function).__code__, -1)))
        self.made = self.before = self.after = None
        if not self.forward.args.args or not self.backward.args.args:
            return
        self.before, self.after = self.forward.args.args[0].arg, self.backward.args.args[0].arg
        made = [node for node in ast.walk(self.forward) if isinstance(node, ast.Assign) and any(
            ast.unparse(target) == f"{self.before}.{name}" for target in node.targets)]
        if len(made) == 1 and len(made[0].targets) == 1 and made[0].lineno == made[0].end_lineno and stands_alone(
                self.where, made[0]):
            self.made = made[0]
        self.saves = [node for node in ast.walk(self.forward) if isinstance(node, ast.Call)
                      and syntax.called(node) == "save_for_backward"]

    def reads(self, tree, whole):
        """The nodes that read ``whole``, ``ctx.y``, in a function."""
        return [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
                and ast.unparse(node) == whole]

    def edits(self, nodes, text):
        """The choices that put ``text`` in place of nodes, a line at a time; None where one does not lie on one line."""
        found = []
        for line in sorted({node.lineno for node in nodes}):
            where, ours = copy.copy(self.where), [node for node in nodes if node.lineno == line]
            where.line, where.text = line, source_lines(self.where.file)[line - 1].strip()
            code = where.edited_at(ours, [text] * len(ours))
            if code is None:
                return None
            found.append((f"and {where.where()}", code, ""))
        return found


def tree_at(where):
    """The syntax tree of the function whose code begins at ``where``."""
    for node in ast.walk(function_around(where)):
        if isinstance(node, ast.FunctionDef) and where.line in (node.lineno, *(d.lineno for d in node.decorator_list)):
            return node
    return ast.FunctionDef("", ast.arguments([], []), [], [])


def line_edited(written, code):
    """The line where forward sets the attribute, with ``code`` in the place of the statement."""
    where = copy.copy(written.where)
    where.line, where.text = written.made.lineno, source_lines(where.file)[written.made.lineno - 1].strip()
    return where.edited(written.made, code)


def saved_instead(function, name, when):
    """The choices that save ``ctx.name`` for backward, with all that reads it; none where the source does not show it all."""
    written = Written(function, name)
    if written.made is None or written.saves:
        return []
    value = written.made.value
    taken = assigned_names(written.forward) | {a.arg for a in ast.walk(written.forward.args) if isinstance(a, ast.arg)}
    local = value.id if isinstance(value, ast.Name) else name if name not in taken else f"{name}_kept"
    save = f"{written.before}.save_for_backward({local})"
    here = written.edits(written.reads(written.forward, f"{written.before}.{name}"), local)
    there = written.edits(written.reads(written.backward, f"{written.after}.{name}"), f"{written.after}.saved_tensors[0]")
    if here is None or not there:
        return []
    code = save if isinstance(value, ast.Name) else f"{local} = {ast.unparse(value)}; {save}"
    return [(line_of(written.where, written.made), line_edited(written, code), when), *here, *there]


def copied(function, name, when):
    """The choice that keeps a copy on ``ctx``; none where forward gives back what it keeps by this name, or it is not seen."""
    written = Written(function, name)
    if written.made is None:
        return []
    value = written.made.value
    text = ast.unparse(value)
    again = written.edits(written.reads(written.forward, f"{written.before}.{name}"), name)
    if isinstance(value, (ast.List, ast.Tuple, ast.Dict)) or again is None:
        return []
    where = line_of(written.where, written.made)
    if not again:
        simple = isinstance(value, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
        anew = f"{text}.clone()" if simple else f"({text}).clone()"
        return [(where, line_edited(written, f"{written.before}.{name} = {anew}"), when)]
    if name in assigned_names(written.forward) | {a.arg for a in ast.walk(written.forward.args) if isinstance(a, ast.arg)}:
        return []
    return [(where, line_edited(written, f"{name} = {text}; {written.before}.{name} = {name}.clone()"), when), *again]


def computed_in_backward(function, name, when):
    """The choices that compute ``ctx.name`` in backward, from inputs that are saved; none where it is made of other things."""
    written = Written(function, name)
    if written.made is None or len(written.saves) > 1:
        return []
    taken = assigned_names(written.forward) | {a.arg for a in ast.walk(written.forward.args) if isinstance(a, ast.arg)}
    here = written.edits(written.reads(written.forward, f"{written.before}.{name}"), name)
    if here is None or here and name in taken:
        return []
    given = [a.arg for a in written.forward.args.args[1:]]
    value = whole(written.made.value, written, given, 8)
    saved = [ast.unparse(node) for node in written.saves[0].args] if written.saves else None
    used = [] if value is None else sorted({n.id for n in ast.walk(value) if isinstance(n, ast.Name) and n.id in given})
    if not used or syntax.draws(written.made) or saved is not None and not set(used) <= set(saved):
        return []
    order = used if saved is None else saved
    from_saved = {one: f"{written.after}.saved_tensors[{order.index(one)}]" for one in used}

    class Saved(ast.NodeTransformer):
        def visit_Name(self, node):
            return ast.parse(from_saved[node.id], mode="eval").body if node.id in from_saved else node
    there = written.edits(written.reads(written.backward, f"{written.after}.{name}"), f"({ast.unparse(Saved().visit(value))})")
    if not there:
        return []
    choices = [(there[0][0].removeprefix("and "), there[0][1], when), *there[1:], *here]
    anew = [f"{name} = {ast.unparse(written.made.value)}"] if here else []
    anew += [] if saved is not None else [f"{written.before}.save_for_backward({', '.join(used)})"]
    if anew:
        choices.append((f"and {line_of(written.where, written.made)}", line_edited(written, "; ".join(anew)), ""))
    return choices


def whole(value, written, given, depth):
    """An expression in terms of the inputs alone; None where a name in it is set several times, or in another way."""
    value = copy.deepcopy(value)
    if isinstance(value, ast.Name) and value.id not in given:
        value = ast.Expression(value)                       # (a node to replace it in)
    for node in list(ast.walk(value)):
        for field, part in ast.iter_fields(node):
            if isinstance(part, ast.Name) and part.id not in given:
                made = [n for n in ast.walk(written.forward) if isinstance(n, ast.Assign) and part.id in assigned_names(n)]
                if made and (len(made) > 1 or not depth or not isinstance(made[0].targets[0], ast.Name)):
                    return None
                anew = whole(made[0].value, written, given, depth - 1) if made else part
                if anew is None:
                    return None
                setattr(node, field, anew)
    return value.body if isinstance(value, ast.Expression) else value
