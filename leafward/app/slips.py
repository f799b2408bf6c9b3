"""Slips of the pen that leave a right program of Python which does nothing: read in the text of the files that train."""
from __future__ import annotations

import ast
import functools
import inspect
import re
from difflib import SequenceMatcher

from leafward.nn import functional
from leafward.nn.modules.module import Module
from leafward.trust import syntax
from leafward.trust.flow import loaded_names, under_no_grad
from leafward.trust.layout import Row
from leafward.trust.scene import MISSING, Scene, is_hidden, library
from leafward.trust.source import Place, characters, source_lines, span, tree_of

#: The switch that names are compared with, and how like it a name is that was meant to be it.
SWITCH, ALIKE = "requires_grad", 0.85
#: What is called for its effect alone: named and not called, it does nothing.
EFFECTS = ("step", "zero_grad", "backward", "train", "eval", "requires_grad_", "unscale_", "detach_")
#: What gives the parameters of a network, and what takes a hook.
PARAMETERS, HOOKS = ("parameters", "named_parameters"), re.compile(r"register_\w*hook$")

#: The module whose function makes a network of its own.
COPY = "copy"


class Spot(Place):
    """A place that was found in the text of a file: no frame leads there."""

    def __init__(self, file, statement, node):
        self.file, self.code, self.line, self.statement, self.expression = file, None, node.lineno, statement, node
        full = source_lines(file)[node.lineno - 1].rstrip()
        self.text = full.lstrip()
        indent = len(full) - len(self.text)
        self.start = characters(full, node.col_offset) - indent
        self.end = characters(full, node.end_col_offset) - indent if node.end_lineno == node.lineno else len(self.text)

    def in_function(self):
        return ""


class Slips:
    """The part of a :class:`~leafward.app.watch.Watch` that reads each file of the program once, while it trains."""

    def __init__(self, watch):
        self.watch = watch
        self.read, self.named = set(), set()                # files; what is named in them, and not called
        self.evaluated = set()                              # the classes of modules that ran in evaluation mode

    def look(self):
        """Read the files whose functions run now."""
        scene = Scene()
        for file in {frame.f_code.co_filename for frame in scene.frames} - self.read:
            self.read.add(file)
            tree = tree_of("".join(source_lines(file)))
            hooks = {call.args[0].id for call in ast.walk(tree) if isinstance(call, ast.Call) and call.args
                     and isinstance(call.args[0], ast.Name) and HOOKS.match(syntax.called(call) or "")}
            for node in ast.walk(tree):
                if isinstance(node, ast.Expr):
                    self.without_effect(file, node)
                elif isinstance(node, ast.Assign):
                    self.misspelt(file, node, scene)
                elif isinstance(node, ast.For):
                    self.rebound(file, node)
                    self.with_itself(file, node, tree, scene)
                elif isinstance(node, ast.FunctionDef) and node.name in hooks:
                    self.returns_nothing(file, node)

    def without_effect(self, file, statement):
        """``opt.step`` and ``p.requires_grad == False`` as statements of their own."""
        node, text = statement.value, ast.unparse(statement.value)
        if isinstance(node, ast.Attribute) and node.attr in EFFECTS:
            where = Spot(file, statement, node)
            self.named.add(node.attr)
            self.watch.find(("named", file, span(node)), f"`{text}` is named, and not called: the line does nothing", [
                Row("named in", where, "without ()")], [(*where.with_replaced(node, f"{text}()"), "")])
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq) and \
                isinstance(node.left, ast.Attribute) and node.left.attr == SWITCH:
            where, switch = Spot(file, statement, node), ast.unparse(node.left)
            self.watch.find(("compared", file, span(node)), f"`{switch}` is compared, and not set: the line does nothing", [
                Row("compared in", where, "== compares, = sets")],
                [(*where.with_replaced(node, f"{switch} = {ast.unparse(node.comparators[0])}"), "")])

    def misspelt(self, file, statement, scene):
        """``p.require_grad = False``, and ``net.requires_grad = False`` of a whole network: attributes that nobody reads."""
        target, *more = statement.targets
        if more or not isinstance(target, ast.Attribute) or not isinstance(statement.value, ast.Constant):
            return
        own = isinstance(target.value, ast.Name) and target.value.id in ("self", "cls")
        whole = target.attr == SWITCH
        if own or not whole and SequenceMatcher(None, target.attr, SWITCH).ratio() < ALIKE:
            return
        where, value = Spot(file, statement, target), ast.unparse(statement.value)
        if whole:
            module = value_of(target.value, scene, file)
            if not isinstance(module, Module) or SWITCH not in vars(module) or hasattr(type(module), SWITCH) or all(
                    p._requires_grad == bool(statement.value.value) for p in module.parameters()):
                return
            title = "a network has no `requires_grad`: its parameters stay as they are"
            note, code = "sets an attribute that nothing reads", f"{ast.unparse(target.value)}.requires_grad_({value})"
        elif target.attr == f"{SWITCH}_":
            title, note = f"`{target.attr}` is a method: setting it changes nothing", "takes the place of the method"
            code = f"{ast.unparse(target)}({value})"
        else:
            title, note = f"`{target.attr}` is nothing that a tensor knows", f"`{SWITCH}` stays as it is"
            code = f"{ast.unparse(target.value)}.{SWITCH} = {value}"
        self.watch.find(("misspelt", file, span(target)), title, [Row("set in", where, note)],
                        [(*where.with_replaced(statement, code), "")])

    def rebound(self, file, loop):
        """``for p in net.parameters(): p = ...``: the name is given another tensor, and the parameter stays what it was."""
        if not any(isinstance(n, ast.Call) and syntax.called(n) in PARAMETERS for n in ast.walk(loop.iter)):
            return
        for statement in given_anew(loop.body, {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}):
            where, target = Spot(file, statement, statement), statement.targets[0]
            code = f"{target.id}.copy_({ast.unparse(statement.value)})"
            if not under_no_grad(where):
                code = f"with {library(where)}.no_grad(): {code}"
            self.watch.find(("rebound", file, span(statement)), "parameters are computed anew, and left as they were", [
                Row("bound in", where, f"`{target.id}` is another tensor from here: the network keeps its own")],
                [(*where.with_replaced(statement, code), "writes into the parameter")])

    def with_itself(self, file, loop, tree, scene):
        """``for t, s in zip(teacher.parameters(), student.parameters())``, which writes, and both are one network."""
        parts = loop.iter.args if isinstance(loop.iter, ast.Call) and syntax.called(loop.iter) == "zip" else []
        owners = [asked_of(part) for part in parts]
        names = [None if owner is None else ast.unparse(owner) for owner in owners]
        if len(names) != 2 or None in names or names[0] == names[1] or not any(map(writes, ast.walk(loop))):
            return
        network = value_of(owners[0], scene, file)
        if not isinstance(network, Module) or value_of(owners[1], scene, file) is not network:
            return
        where, choices = Spot(file, loop, loop.iter), []
        rows = [Row("paired in", where, "each parameter meets itself: nothing is averaged, nothing is copied")]
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and {
                    ast.unparse(node.targets[0]), ast.unparse(node.value)} == {*names}:
                named = Spot(file, node, node)
                rows.insert(0, Row("named in", named, "gives it another name, and copies nothing"))
                known = any(isinstance(n, ast.Import) and any(alias.name == COPY and alias.asname is None for alias in n.names)
                            for n in ast.walk(tree))
                code = f"{ast.unparse(node.targets[0])} = {COPY}.deepcopy({ast.unparse(node.value)})"
                choices = [(*named.with_replaced(node, code if known else f"import {COPY}; {code}"), "a network of its own")]
                break
        self.watch.find(("one network", file, span(loop)), f"`{names[0]}` and `{names[1]}` are one network", rows,
                        choices or [("", f"make one of them with {COPY}.deepcopy()", "a network of its own")])

    def returns_nothing(self, file, function):
        """A hook that ends by giving its own argument another value: autograd goes on with the old one."""
        given = [argument.arg for argument in function.args.args]
        if any(isinstance(n, (ast.Return, ast.Yield)) for n in ast.walk(function)):
            return
        for last in given_anew(function.body, given):
            where = Spot(file, last, last)
            title = f"the hook {function.name}() returns nothing: what it computes is lost"
            self.watch.find(("hook", file, span(last)), title, [
                Row("lost in", where, f"`{last.targets[0].id}` is a name of the function's own"),
                Row("hook", Spot(file, function, function), "what a hook returns takes the value's place; None leaves it")],
                [(*where.with_replaced(last, f"return {ast.unparse(last.value)}"), "")])

    def called(self, module):
        """A module of the program's own runs in evaluation mode: look for what drops values all the same."""
        kind = type(module)
        forward = getattr(kind.forward, "__code__", None)
        if module.training or kind in self.evaluated or forward is None or is_hidden(forward):
            return
        self.evaluated.add(kind)
        file = forward.co_filename
        tree = next((node for node in ast.walk(tree_of("".join(source_lines(file)))) if isinstance(node, ast.FunctionDef)
                     and forward.co_firstlineno in (node.lineno, *(d.lineno for d in node.decorator_list))), None)
        for call in ast.walk(tree) if tree is not None and tree.args.args else ():
            position = training_functions().get(syntax.called(call)) if isinstance(call, ast.Call) else None
            if position is None or len(call.args) > position or any(k.arg in ("training", None) for k in call.keywords):
                continue
            if value_of(call.func, None, file, kind.forward.__globals__) is not getattr(functional, syntax.called(call)):
                continue
            where = Spot(file, call, call)
            anew = ast.Call(call.func, call.args, [*call.keywords, ast.keyword(
                "training", ast.Attribute(ast.Name(tree.args.args[0].arg), "training"))])
            self.watch.find(("dropping", file, span(call)), f"{ast.unparse(call.func)} goes on in evaluation: eval() does "
                            "not reach it", [Row("drops in", where, "training=True where it is not given, whatever the mode"),
                                         Row("network", None, text=f"{kind.__name__} ran in evaluation mode")],
                            [(*where.with_replaced(call, ast.unparse(anew)), "")])


def asked_of(node):
    """``net`` of ``net.parameters()`` and ``net.state_dict().values()``; None of anything else."""
    calls = 0
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        node, calls = node.func.value, calls + 1
    return node if calls and isinstance(node, (ast.Name, ast.Attribute)) else None


def writes(node):
    """Whether a node shows a write: ``p.lerp_(q, 0.1)``, ``p.data = ...``, ``p += q``."""
    return isinstance(node, ast.AugAssign) or isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) or (
        isinstance(node, ast.Call) and (syntax.called(node) or "").endswith("_"))


def given_anew(block, names):
    """The statements of a block that compute another value for one of ``names`` of it, and after which nothing reads it."""
    for number, statement in enumerate(block):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(target, ast.Name) and target.id in names and target.id in loaded_names(statement.value) and not any(
                target.id in loaded_names(later) for later in block[number + 1:]):
            yield statement


@functools.cache
def training_functions():
    """``{name: position}`` of the functions that are told by an argument, True by default, that they run in training."""
    found = {}
    for name in dir(functional):
        function = getattr(functional, name)
        try:
            parameters = inspect.signature(function).parameters
        except (TypeError, ValueError):                     # a module, a table
            continue
        if "training" in parameters and parameters["training"].default is True:
            found[name] = list(parameters).index("training")
    return found


def value_of(node, scene, file, variables=None):
    """What ``m.body`` means in the functions of ``file`` that run now, or among ``variables``; ``MISSING`` if nothing."""
    if isinstance(node, ast.Name):
        frames = () if scene is None else [f for f in scene.frames if f.f_code.co_filename == file]
        spaces = [variables or {}, *(space for frame in frames for space in (frame.f_locals, frame.f_globals))]
        return next((space[node.id] for space in spaces if node.id in space), MISSING)
    if isinstance(node, ast.Attribute):
        return getattr(value_of(node.value, scene, file, variables), node.attr, MISSING)
    return MISSING
