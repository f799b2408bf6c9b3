"""Where parameters are made, as edits: in ``__init__`` instead of in forward, as parameters, known to the optimizer."""
from __future__ import annotations

import ast
import copy
import itertools

from leafward.trust import syntax
from leafward.trust.flow import assigned_names
from leafward.trust.scene import MISSING, library
from leafward.trust.source import function_around, lines_of, named_line, place, source_lines, stands_alone, tree_of


class Home:
    """The class of a network whose method makes something, and its ``__init__``."""

    def __init__(self, where):
        self.where, self.method, self.init = where, function_around(where), None
        for node in ast.walk(tree_of("".join(source_lines(where.file)))):
            if isinstance(node, ast.ClassDef) and self.method in node.body and any(
                    ast.unparse(base).endswith("Module") for base in node.bases):
                found = next((part for part in node.body if getattr(part, "name", "") == "__init__"), None)
                if found is not None and found is not self.method and found.body[0].lineno > found.lineno \
                        and found.args.args and self.method.args.args:
                    self.whole, self.init = node, found
                    self.own, self.theirs = self.method.args.args[0].arg, found.args.args[0].arg

    def can_make(self, value):
        """Whether ``__init__`` can compute ``value`` at its end: nothing of the method's own is in it."""
        method = self.method
        own = {a.arg for a in ast.walk(method.args) if isinstance(a, ast.arg)} | assigned_names(method)
        set_there = {n.attr for n in ast.walk(self.init) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
        members = [n for n in ast.walk(value) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)
                   and n.value.id == self.own]
        return self.own == self.theirs and all(n.attr in set_there for n in members) and not any(
            isinstance(n, ast.Name) and n.id in own and not any(n is m.value for m in members) for n in ast.walk(value))

    def last(self):
        """The place behind the last statement of ``__init__``."""
        return f"after {lines_of(self.where, self.init.body[-1])}"

    def is_free(self, name):
        """Whether the class says nothing of an attribute of this name."""
        return not any(isinstance(n, ast.Attribute) and n.attr == name for n in ast.walk(self.whole))


def to_init(where):
    """The choices that make once, in ``__init__``, what a method makes anew in each call; none where that is not sure."""
    home, statement = Home(where), where.statement
    if home.init is None or statement is None:
        return []
    when = "made once, before the optimizer, and used here"
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and home.can_make(statement.value):
        target, value = statement.targets[0], statement.value
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        if isinstance(target, ast.Attribute) and statement in home.method.body and statement.lineno == statement.end_lineno \
                and stands_alone(where, statement) and home.init.body[-1].end_lineno < statement.lineno \
                and home.init.body[-1].col_offset == statement.col_offset:
            return [(f"move {where.where()}", where.text, f"below {named_line(where.file, home.init.body[-1].end_lineno)}")]
        if all(isinstance(part, ast.Name) and home.is_free(part.id) for part in parts):
            members = ", ".join(f"{home.own}.{part.id}" for part in parts)
            values = ", ".join(map(ast.unparse, value.elts)) if isinstance(value, ast.Tuple) else ast.unparse(value)
            at, anew = where.with_replaced(value, members)
            return [(home.last(), f"{members} = {values}", when), (f"and {at}", anew, "")]
    call = where.expression
    if isinstance(call, ast.Call) and call.lineno == call.end_lineno and home.can_make(call):
        first = syntax.called(call).lower()
        name = next(name for name in itertools.chain([first], map(f"{first}{{}}".format, itertools.count(2)))
                    if home.is_free(name))
        return [(home.last(), f"{home.own}.{name} = {ast.unparse(call)}", when),
                (f"and {where.where()}", where.edited(call, f"{home.own}.{name}"), "")]
    return []


def at_first(born):
    """The choice for what a method makes at its first call, ``if self.scale is None``: ``__init__`` makes it at its end."""
    home = None if born is None else Home(born)
    statement = None if born is None else born.statement
    if home is None or home.init is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target = statement.targets[0]
    if not isinstance(target, ast.Attribute) or ast.unparse(target.value) != home.own or not home.can_make(statement.value):
        return []
    return [(home.last(), ast.unparse(statement), "made before the optimizer, which then has it")]


class Plain(ast.NodeTransformer):
    """An expression without what makes a leaf of a part of it."""

    def visit_Call(self, node):
        self.generic_visit(node)
        node.keywords = [k for k in node.keywords if k.arg != "requires_grad"]
        return node.func.value if syntax.called(node) == "requires_grad_" else node


def as_parameter(leaves, names, scene):
    """The choice that registers a plain tensor that a network keeps: ``self.pos = nn.Parameter(torch.randn(5, 4))``."""
    advice = "", "nn.Parameter(...) in place of a plain tensor", "so that parameters() has it"
    if len(leaves) > 1:
        return advice
    path = names[0].split(".")
    module = next((value for name, value in scene.variables() if name == path[0] and hasattr(value, "get_submodule")), None)
    code = None if module is None else getattr(type(module.get_submodule(".".join(path[1:-1]))).__init__, "__code__", None)
    where = None if code is None else place((code, -1))
    tree = None if where is None or where.line is None else next(
        (node for node in ast.walk(tree_of("".join(source_lines(where.file)))) if isinstance(node, ast.FunctionDef)
         and node.lineno == where.line), None)
    made = [node for node in ast.walk(tree) if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute)
            and node.targets[0].attr == path[-1]] if tree is not None else []
    if len(made) != 1 or made[0].lineno != made[0].end_lineno:
        return advice
    value = Plain().visit(copy.deepcopy(made[0].value))
    at, anew = where.with_replaced(made[0].value, f"{library(where)}.nn.Parameter({ast.unparse(value)})")
    return at, anew, "so that parameters() has it"


def added_later(optimizer, leaves, born, scene):
    """The choice that gives an optimizer what was made after it, where that is made; none where it has no name there."""
    if born is None or born.statement is None or not stands_alone(born, born.statement):
        return []
    own = next((name for name, value in scene.variables() if value is optimizer and scene.value(born, name) is value), None)
    made = place(optimizer.__dict__.get("_made_in"))
    if own is None or made is None or not (made.file == born.file and function_around(made) is function_around(born)
                                           and made.line < born.line):
        return []
    left, parts = {id(leaf) for leaf in leaves}, []
    for name, members in scene.networks():
        theirs = {id(p) for _, p in members["parameter"]}
        if theirs and theirs <= left and name in assigned_names(born.statement):
            parts.append(f"*{name}.parameters()")
            left -= theirs
    parts += [name for name, value in scene.variables() if id(value) in left and name in assigned_names(born.statement)]
    left -= {id(value) for name, value in scene.variables() if name in parts}
    if left or not parts or scene.value(born, own) is MISSING:
        return []
    return [(f"after {lines_of(born, born.statement)}", f'{own}.add_param_group({{"params": [{", ".join(parts)}]}})',
             "the optimizer was made before it")]
