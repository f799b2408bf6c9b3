"""How the statements of a function follow each other: what runs between two places, in a loop, under ``no_grad()``."""
import ast

from leafward.trust import syntax
from leafward.trust.source import function_around, lines_of, named_line, source_lines, stands_alone, tree_of

#: What may not simply be run a second time.
ONCE = ("next", "pop", "popleft", "get", "read", "backward", "step", "append", "input")


def blocks_of(statement):
    """The lists of statements inside a statement."""
    for field in ("body", "orelse", "finalbody"):
        inner = getattr(statement, field, None)
        if isinstance(inner, list) and inner:
            yield inner
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def index_in(block, place):
    """Which statement of ``block`` a place lies in; None for none."""
    for number, statement in enumerate(block):
        if place.statement is not None:
            if syntax.contains(statement, place.statement):
                return number
        elif statement.lineno <= place.line <= statement.end_lineno:
            return number
    return None


def common_block(places):
    """``(owner, block, indices)``: the innermost statements that all places lie in; None where a function lies between."""
    trees = [function_around(place) for place in places]
    if any(tree is not trees[0] for tree in trees):
        return None
    owner, block = trees[0], trees[0].body
    while True:
        indices = [index_in(block, place) for place in places]
        if None in indices:
            return None
        inner = None
        if len(set(indices)) == 1:
            inner = next((b for b in blocks_of(block[indices[0]]) if all(index_in(b, p) is not None for p in places)), None)
        if inner is None:
            return owner, block, indices
        owner, block = block[indices[0]], inner


def assigned_names(statement):
    """The plain names that a statement binds."""
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def loaded_names(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def recomputed(block, first, update, last, is_stale):
    """The assignments before number ``update`` that what ``last`` reads comes from: from number ``first`` on, and stale ones.

    None where they are not sure to give the same again: they add to something, or take the next of something.
    """
    needed, found = loaded_names(block[last]), []
    for number in range(last - 1, -1, -1):
        statement = block[number]
        names = assigned_names(statement) & needed
        if number == update or not names or (number < first and not any(map(is_stale, names))):
            continue
        if number < update:
            if not isinstance(statement, ast.Assign) or any(
                    isinstance(n, ast.Call) and syntax.called(n) in ONCE for n in ast.walk(statement)):
                return None
            found.insert(0, statement)
        needed |= loaded_names(statement)
    return found if block[first] in found else None


def carried_into(loop):
    """The names that a loop's body reads before it binds them, and binds: they come from the turn before."""
    bound, carried = set(), []
    everything = set().union(*map(assigned_names, loop.body))
    for statement in loop.body:
        for name in sorted(loaded_names(statement)):
            if name in everything and name not in bound and name not in carried:
                carried.append(name)
        bound |= assigned_names(statement)
    return carried


def under_no_grad(place):
    """Whether the lines around a place say that nothing is recorded there."""
    around = function_around(place)
    switches = ("no_grad", "inference_mode")
    if any(called_or_named(d) in switches for d in getattr(around, "decorator_list", ())):
        return True
    return any(isinstance(node, ast.With) and node.lineno <= place.line <= node.end_lineno
               and any(called_or_named(item.context_expr) in switches for item in node.items) for node in ast.walk(around))


def called_or_named(node):
    """``no_grad`` for ``torch.no_grad()`` and ``torch.no_grad``."""
    return syntax.called(node) or getattr(node, "id", None)


def begins_as_none(where, name):
    """Whether something in the file sets ``name`` to None: before the first turn there may be nothing to detach."""
    tree = tree_of("".join(source_lines(where.file)))
    return any(isinstance(value, ast.Constant) and value.value is None and ast.unparse(target) == name
               for node in ast.walk(tree) for target, value in given_values(node))


def given_values(node):
    """``(target, value)`` of each value that a statement, or the defaults of a function, give by name."""
    if isinstance(node, ast.arguments):
        positional = [*node.posonlyargs, *node.args]
        named = [*zip(positional[len(positional) - len(node.defaults):], node.defaults, strict=True),
                 *zip(node.kwonlyargs, node.kw_defaults, strict=True)]
        return [(ast.Name(argument.arg), value) for argument, value in named]
    pairs = []
    for target in getattr(node, "targets", ()) if isinstance(node, ast.Assign) else ():
        several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple) and (
            len(target.elts) == len(node.value.elts))
        pairs += zip(target.elts, node.value.elts, strict=True) if several else [(target, node.value)]
    return [*pairs, (node.target, node.value)] if isinstance(node, ast.AnnAssign) else pairs


def loops_in(tree):
    """The loops in a function, comprehensions among them."""
    return [node for node in ast.walk(tree) if isinstance(node, (ast.For, ast.While, ast.AsyncFor, ast.ListComp, ast.SetComp,
                                                                 ast.DictComp, ast.GeneratorExp))]


def is_within(node, line):
    """Whether a line lies in ``node``."""
    return node.lineno <= line <= node.end_lineno


def moved_below(made, born, name=None):
    """The choice that makes an optimizer after what it should hold; in words where other lines stand between.

    ``born``: where that was made. ``name``: what the program calls the network; where ``born`` is a line of another function,
    it is the last line that gives it this name.
    """
    advice = made.where(), "make the optimizer after the layers are in place", ""
    block = next((body for node in ast.walk(function_around(made)) if isinstance(body := getattr(node, "body", None), list)
                  and made.statement in body), None)
    if block is None or born is None or not isinstance(made.statement, ast.Assign):
        return advice
    rest = block[block.index(made.statement) + 1:]
    last = next((s for s in reversed(rest) if s is born.statement or name in assigned_names(s)), None)
    if last is None or not stands_alone(made, made.statement) or not stands_alone(made, last):
        return advice
    between, names = rest[:rest.index(last) + 1], assigned_names(made.statement)
    if any(isinstance(n, ast.Name) and n.id in names for s in between for n in ast.walk(s)):
        return advice
    text = made.text if made.statement.lineno == made.statement.end_lineno else ast.unparse(made.statement)
    return f"move {lines_of(made, made.statement)}", text, f"below {named_line(made.file, last.end_lineno)}"
