"""A checkpointed function gave other values when backward ran it again: what it reads that was changed, as far as it is known.

Writes to tensors and to attributes of modules were recorded. For the rest the source is read: what the function draws, and
what it changes itself, or what was changed between the two runs in the function that called both. A statement is named if it
is the only one.
"""
import ast
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType

from leafward.core.assigned import Assigned
from leafward.core.native import call_site
from leafward.core.reads import names_in
from leafward.trust import syntax
from leafward.trust.flow import common_block, is_within, loops_in
from leafward.trust.layout import Row, edit, list_of
from leafward.trust.repairs import is_alone, moved_below
from leafward.trust.scene import MISSING, is_hidden
from leafward.trust.silent import tell
from leafward.trust.source import function_around, place, source_lines, stands_alone, tree_of
from leafward.trust.writers import Names, as_place, own_statements

#: Methods that change a container, and functions that take the next of something.
MUTATING = {"append", "appendleft", "extend", "insert", "pop", "popleft", "popitem", "remove", "clear", "update", "setdefault",
            "add", "discard", "sort", "reverse", "rotate", "__setitem__", "__next__", "send"}
#: How many functions are looked at.
MOST = 64
SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def other_values(function, site, between, own, draws):
    """What a checkpointed function read was changed before backward ran it again."""
    called, found = place(site), call_site()
    rows = [Row("needed by", called, "checkpoint keeps nothing: backward() runs the function again")]
    if not (between or own or draws):
        own, between, drawn = from_source(function, called, place(found))
        if drawn is not None:
            rows.append(Row("changed by", drawn, "draws numbers of NumPy's or Python's, and others in the second run"))
            advice = "draw them outside of the function, and pass them to checkpoint() as an argument"
            rows.append(advised(drawn, advice))
    if between is not None:
        at = place_of(between)
        rows.append(Row("changed by", at, f"the second run reads the new {new_of(between)}"))
        rows += after_backward(at, place(found))
        rows.append(advised(at, "change it after backward(), or pass a clone() of it to checkpoint() as an argument"
                            if is_tensor_write(between) else
                            "change it after backward(), or pass it to checkpoint() as an argument"))
        rows[-1].label = "" if rows[-2].label == "fix" else "fix"
    elif own is not None:
        at = place_of(own)
        rows.append(Row("changed by", at, "the function writes to what it reads: the second run goes on from the first"))
        rows.append(advised(at, "write it outside of the function, or not in place" if is_tensor_write(own) else
                            "write it outside of the function, and pass it to checkpoint() as an argument"))
    elif draws:
        rows.append(Row("changed by", None, text="random numbers, which preserve_rng_state=False does not draw again"))
        code = without_keyword(called, "preserve_rng_state")
        rows.append(Row("fix", None, text=f"{edit(called.where(), code)}   {code}   the second run then draws the same numbers"
                        if code else "leave out preserve_rng_state=False: the second run then draws the same numbers"))
    elif len(rows) == 1:
        rows.append(Row("fix", None, text="let the function depend on its arguments alone, and change nothing that it reads "
                                          "before backward(); NumPy's and Python's random numbers are drawn anew"))
    tell("a checkpointed function gave other values when backward ran it again: this gradient is that of the second run. "
         f"PyTorch would return it without a word.\n{list_of(rows)}", found)


def is_tensor_write(write):
    return hasattr(write, "region")


def place_of(write):
    """Where a write was made: a recorded one, or a statement."""
    return place(write.site) if is_tensor_write(write) or isinstance(write, Assigned) else write


def new_of(write):
    return f"value of `{write.name}`" if isinstance(write, Assigned) else "values" if is_tensor_write(write) else "value"


def advised(at, advice):
    """The row of a repair in words."""
    return Row("fix", None, text=advice if at is None else f"{edit(at.where(), advice)}   {advice}")


def after_backward(at, found):
    """The row of the repair that moves a change below the backward that reads it; none where they are not seen together."""
    layout = None if at is None or found is None else common_block([at, found])
    if layout is None or layout[2][0] >= layout[2][1] or not is_alone(layout[1][layout[2][0]]) \
            or not stands_alone(found, layout[1][layout[2][1]]):
        return []
    (where, code, when), *rest = moved_below(at, layout[1][layout[2][0]], found)
    return [] if rest or not when.startswith("below ") else [Row("fix", None, text=f"{where}   {code}   {when}")]


def without_keyword(at, name):
    """The line of a call without one of its keywords; None where it does not lie on this line."""
    call = None if at is None else at.expression
    if not isinstance(call, ast.Call) or not any(k.arg == name for k in call.keywords):
        return None
    return at.edited(call, ast.unparse(ast.Call(call.func, call.args, [k for k in call.keywords if k.arg != name])))


# -- what the source tells ------------------------------------------------------------------------------------------------

def from_source(function, called, found):
    """``(own, between, drawn)``: places of the only statement that changes what the function reads; else of none."""
    functions = functions_run_by(function)
    drawn, own = {}, {}
    for one in functions:
        here, tree = scope_of(one)
        names = Names(namespaces=[cells_of(one), one.__globals__])
        for statement in statements_of(tree):
            if any(draws_anew(call, names) for call in calls_in(statement)):
                drawn[here.file, statement.lineno] = as_place(here, statement)
            if changes_state(statement, tree):
                own[here.file, statement.lineno] = as_place(here, statement)
    read = loaded(functions)
    between = {}
    if called is not None and found is not None and called.code is found.code:
        around = function_around(called)
        loops = [loop for loop in loops_in(around) if is_within(loop, called.line) and is_within(loop, found.line)]
        last = max([found.line, *[loop.end_lineno for loop in loops]])
        for statement in own_statements(around):
            if called.line < statement.lineno <= last and roots_changed(statement) & read:
                between[statement.lineno] = as_place(called, statement)
    return [next(iter(places.values())) if len(places) == 1 and sum(map(len, (drawn, own, between))) == 1 else None
            for places in (own, between, drawn)]


def statements_of(tree):
    """The statements of a function; of a lambda the one that it stands in."""
    return [] if tree is None else own_statements(tree) if isinstance(tree, FUNCTIONS) else [tree]


def loaded(functions):
    """The names of variables and attributes that functions read, as their source tells."""
    nodes = [node for one in functions for statement in statements_of(scope_of(one)[1]) for node in ast.walk(statement)]
    return {node.id if isinstance(node, ast.Name) else node.attr for node in nodes
            if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)}


def that_matter(function, assigned):
    """Those of the assignments to attributes of modules that change what ``function`` gives, as far as its source tells."""
    read = loaded(functions_run_by(function)) if assigned else set()
    return [one for one in assigned if type(one.owner()).__module__.startswith("leafward.") or one.name in read
            and not is_set_anew(place(one.site), one.name)]


def is_set_anew(at, name):
    """Whether an attribute is assigned by a function that reads it only afterwards."""
    if at is None or not isinstance(at.statement, ast.Assign):
        return False
    reads = [node.lineno for node in ast.walk(function_around(at)) if isinstance(node, ast.Attribute) and node.attr == name
             and isinstance(node.ctx, ast.Load)]
    return bool(reads) and min(reads) > at.line


def functions_run_by(function):
    """The user's functions that a call of ``function`` runs, as far as names tell: those it calls, methods and forwards."""
    todo, seen, found, names = [function], set(), [], {"forward", "__call__"}
    objects = []
    while todo and len(seen) < 16 * MOST and len(found) < MOST:
        value = todo.pop(0)
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, FunctionType):
            if not is_hidden(value.__code__):
                found.append(value)
                names |= set(names_in(value.__code__))
                cells = cells_of(value)
                todo += [*cells.values(), *[value.__globals__[n] for n in names_in(value.__code__) if n in value.__globals__]]
        elif isinstance(value, MethodType):
            todo += [value.__func__, value.__self__]
        elif type(value) is partial:
            todo += [value.func, *value.args]
        elif not isinstance(value, (type, BuiltinFunctionType)) and type(value).__module__ != "builtins":
            objects += value.modules() if hasattr(type(value), "named_parameters") else [value]
        if not todo:
            methods = [vars(cls)[name] for one in objects for cls in type(one).__mro__ for name in names if name in vars(cls)]
            todo += [method for method in methods if id(method) not in seen and isinstance(method, FunctionType)]
    return found


def cells_of(function):
    """The variables of the functions around it that a function reads."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:                                  # it has no value yet
            continue
    return found


def scope_of(function):
    """``(place, syntax tree)`` of a function; no tree where its source is not found, or lambdas cannot be told apart."""
    here = place((function.__code__, -1))
    if here.line is None or here.text is None:
        return here, None
    around = function_around(here)
    if function.__name__ != "<lambda>":
        named = [n for n in ast.walk(tree_of("".join(source_lines(here.file)))) if isinstance(n, FUNCTIONS)
                 and n.name == function.__name__ and here.line in (n.lineno, *(d.lineno for d in n.decorator_list))]
        return here, named[0] if named else None
    lambdas = [n for n in ast.walk(around) if isinstance(n, ast.Lambda) and n.lineno == here.line]
    statements = [n for n in own_statements(around) if lambdas and syntax.contains(n, lambdas[0])]
    return here, statements[-1] if len(lambdas) == 1 and statements else None


def calls_in(statement):
    return [node for node in ast.walk(statement) if isinstance(node, ast.Call)]


def draws_anew(call, names):
    """Whether a call draws random numbers that leafward does not draw again, or reads a clock."""
    function = names.value(call.func)
    if function is MISSING and isinstance(call.func, ast.Attribute):        # a builtin's method: the owner tells
        owner = names.value(call.func.value)
    else:
        owner = getattr(function, "__self__", None)
    modules = [type(owner).__module__, getattr(owner, "__name__", None), getattr(function, "__module__", None)]
    return any(isinstance(m, str) and (m in ("random", "time", "uuid", "secrets") or m.startswith("numpy.random"))
               for m in modules)


def changes_state(statement, function):
    """Whether a statement changes what outlives the call, and what the function reads, too."""
    outer = {name for node in ast.walk(function) if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    own = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} - outer
    own |= {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)} - {"self"}
    for text, lineno in changed(statement):
        if syntax.root(text) in own or text == "self":
            continue
        reads = [n for n in ast.walk(function) if isinstance(n, (ast.Name, ast.Attribute, ast.Subscript))
                 and isinstance(n.ctx, ast.Load) and ast.unparse(n) == text]
        if isinstance(statement, ast.Assign) and not any(n.lineno <= lineno for n in reads):
            continue                                        # it is set before it is read, in each run
        if reads:
            return True
    return False


def changed(statement):
    """``(text, line)`` of what a statement changes: names, attributes and containers."""
    found = []
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
            for one in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
                found.append((ast.unparse(one.value if isinstance(one, ast.Subscript) else one), statement.lineno))
    for call in calls_in(statement) if isinstance(statement, SIMPLE) else []:
        if isinstance(call.func, ast.Attribute) and call.func.attr in MUTATING and syntax.is_simple(call.func.value):
            found.append((ast.unparse(call.func.value), statement.lineno))
        if isinstance(call.func, ast.Name) and call.func.id == "next" and call.args and syntax.is_simple(call.args[0]):
            found.append((ast.unparse(call.args[0]), statement.lineno))
    return found


def roots_changed(statement):
    """The names of variables that a statement changes or binds, and of attributes that it assigns."""
    texts = [text for text, _ in changed(statement)]
    return {syntax.root(text) for text in texts if "." not in text} | {text.rpartition(".")[2] for text in texts if "." in text}
