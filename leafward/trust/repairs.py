"""What to type instead, when a kept value was overwritten: edits that give the gradient which was meant.

A choice is ``(where, code, when)``. Where ``code`` is a ``Line``, the line at ``where`` reads so then; ``after file:8`` means
a new line behind that one, ``before file:8`` one ahead of it, ``move file:8`` that it goes where ``when`` says. Where no edit
is sure to be right there is none, and the story says in words what to do.
"""
import ast

from leafward.core.node import Node, behind
from leafward.core.op import Op, registry
from leafward.core.saved import Saved
from leafward.core.tensor import TensorBase, requires_grad
from leafward.trust import syntax
from leafward.trust.facts import Kept, links_between, with_suffix
from leafward.trust.flow import assigned_names, carried_into, common_block, recomputed, under_no_grad
from leafward.trust.layout import Line
from leafward.trust.scene import MISSING
from leafward.trust.source import (characters, enclosing_loop, function_around, line_of, lines_of, place, source_lines,
                                   stands_alone, tree_of)

#: Why a clone() helps.
GRADIENT_KEEPS_ITS_OWN = "the gradient keeps its own copy, and the write stays as it is"
NEW_VALUES = "computed again with the new weights: the old result cannot go back through them"
FORWARD_AGAIN = "compute the loss again after it, or let it wait until after backward()"


def is_step(write):
    return write.op.endswith(".step")


def ways_out(kept, write, written, found, scene, roots=()):
    """The edits, the most likely first."""
    if is_parameter(kept.saved) or is_step(write):
        return [*meant_privately(write, kept, written),
                *or_kept(in_order(kept.place, write, written, found, scene), kept, write, scene, roots)]
    if kept.member is not None and kept.member[0] == "buffer":
        return or_kept(of_a_buffer(kept.place, write, written, found, scene), kept, write, scene, roots)
    links, choices = links_between(write, kept.saved)[0], meant_privately(write, kept, written)
    if not links and written is not None:
        code = out_of_place(written, scene)
        if code is not None:
            choices.append((written.where(), code, "if it need not be in place: this makes a new tensor"))
    masked = [] if written is None else recorded_write(written, scene)
    choices += masked or kept_copies(kept, scene, roots)
    if not choices and written is not None:
        choices += written_to_a_copy(written, scene)
    if not choices and written is not None:
        choices += modules_out_of_place(write, written)
    if not choices and written is not None:
        name = write.op.rstrip("_")
        if name in registry and written.text is not None and not shows_write(written, write):
            choices.append((written.where(), f"{name}() for {write.op}()", "in a module: inplace=False"))
        else:
            choices.append((written.where(), "write to a clone() of it", ""))
    return choices


def or_kept(choices, kept, write, scene, roots):
    """The same choices, with a copy for the gradient ahead of them where none is an edit, and no optimizer wrote."""
    return choices if is_step(write) or any(code for _, code, _ in choices) else [*kept_copies(kept, scene, roots), *choices]


def written_to_a_copy(written, scene):
    """``x = x.clone(); x[i] = y`` for ``x[i] = y``: what was kept before stays as it is."""
    statement = written.statement
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name) or under_no_grad(written) \
            or not is_own_name(written, target.value.id, scene):
        return []
    name = target.value.id
    code = written.edited(statement, f"{name} = {name}.clone(); {written.source_of(statement)}")
    return [] if code is None else [(written.where(), code, "each write goes to a new tensor")]


def meant_privately(write, kept, written):
    """The ``detach()`` that the write went through, with a ``clone()`` behind it."""
    alias = private_copy(links_between(write, kept.saved)[0], written)
    code = None if alias is None else with_suffix(alias, alias.expression, ".clone()")
    return [] if code is None else [(alias.where(), code, "if the write was meant for a private copy")]


def is_parameter(saved):
    """Whether what was kept is a leaf that is trained."""
    return saved.leaf is not None and saved.leaf._requires_grad and saved.leaf._node is None


# -- a parameter or a buffer: the order of things ---------------------------------------------------------------

def in_order(needed, write, written, found, scene):
    """An update came between a forward and its backward: compute anew, or cut what is carried from turn to turn."""
    if written is None or found is None:
        return []
    layout = None if needed is None else common_block([needed, written, found])
    if layout is not None:
        _, block, (first, update, last) = layout

        def is_stale(name):
            return comes_from(scene.value(found, name), write)

        if first < update < last and spares_others(found) and is_alone(block[update]):
            return moved_below(written, block[update], found)
        if first < update < last and block[update].end_lineno < found.line:
            lines = recomputed(block, first, update, last, is_stale)
            if lines:
                rows = [(f"after {lines_of(written, block[update])}", ast.unparse(line), "") for line in lines]
                rows[0] = (*rows[0][:2], NEW_VALUES)
                return [rows[0], *[("and", *row[1:]) for row in rows[1:]]]
        loop = block[update] if first < update == last and isinstance(block[update], (ast.For, ast.While)) else None
        if loop is not None and stands_alone(found, loop.body[0]):
            lines = recomputed(block, first, update, last, is_stale)
            if lines:
                inside = line_of(found, loop.body[0])
                rows = [(f"before {inside}", ast.unparse(line), "") for line in lines]
                rows[0] = (*rows[0][:2], "computed in each turn, with the weights of that turn")
                return [rows[0], *[("and", *row[1:]) for row in rows[1:]]]
    carried = carried_tensors(written, found, scene)
    if carried and stands_alone(found, carried[0].body[0]):
        loop, names = carried
        return [(f"before {line_of(found, loop.body[0])}", "; ".join(f"{name} = {name}.detach()" for name in names),
                 "gradients then stop at the start of the turn")]
    return [(written.where(), "", FORWARD_AGAIN)]


def moved_below(written, statement, found):
    """An update that waits for the backward: its line is moved, or the statement alone where it shares the line."""
    if stands_alone(written, statement):
        code = written.text if statement.lineno == statement.end_lineno else ast.unparse(statement)
        return [(f"move {lines_of(written, statement)}", code, f"below {found.where()}")]
    rest = written.without(statement)
    if rest is None or written.same_line(found):
        return [(written.where(), "", f"let `{ast.unparse(statement)}` wait until after backward()")]
    later = f"and after {found.where()}", ast.unparse(statement), ""
    return [(written.where(), rest, "the update waits for backward()"), later]


def spares_others(found):
    """Whether the backward says which gradients it is for, so that an update may as well wait for it."""
    return isinstance(found.expression, ast.Call) and any(k.arg == "inputs" for k in found.expression.keywords)


def is_alone(statement):
    """Whether a statement is one line that can be moved."""
    return statement.lineno == statement.end_lineno and isinstance(statement, (ast.Expr, ast.Assign, ast.AugAssign))


def comes_from(value, write):
    """Whether a tensor was computed from a leaf that this very line wrote to since."""
    if not isinstance(value, TensorBase) or value._node is None:
        return False
    return any(isinstance(leaf, TensorBase) and any(w.site == write.site for w in leaf._storage.log or ())
               for leaf in behind([value._node]))


def carried_tensors(written, found, scene):
    """The loop around an update and a backward, and the tensors with a history that it carries from turn to turn."""
    layout = common_block([written, found])
    if layout is None or not isinstance(layout[0], (ast.For, ast.While)):
        return None
    names = [name for name in carried_into(layout[0])
             if isinstance(value := scene.value(found, name), TensorBase) and requires_grad(value) and value._node is not None]
    return (layout[0], names) if names else None


def of_a_buffer(needed, write, written, found, scene):
    """A second forward wrote statistics that the first one's gradient needs."""
    layout = None if None in (needed, written, found) else common_block([needed, written, found])
    if layout is not None:
        _, block, (first, update, last) = layout
        used = {name for statement in block[update + 1:last + 1] for name in syntax.names_read(statement)}
        if first < update < last and written.text is not None and not used & assigned_names(block[update]):
            return moved_below(written, block[update], found)
    return in_order(needed, write, written, found, scene)


# -- other values: who gets a copy ------------------------------------------------------------------------------

def kept_copies(kept, scene, roots):
    """Edits where values were kept, so that the write no longer reaches them: all of them are needed."""
    found = []
    for one in [kept, *others_kept(kept, scene, roots)]:
        code = one.kept_copy()
        if code is None:
            return []
        choice = (one.place.where(), code)
        if choice not in found:
            found.append(choice)
    places = [where for where, _ in found]
    if len(set(places)) < len(places):                      # two edits of one line
        return []
    return [(where if not number else f"and {where}", code, "" if number else GRADIENT_KEEPS_ITS_OWN)
            for number, (where, code) in enumerate(found)]


def others_kept(kept, scene, roots):
    """The other values that the same backward needs of the same memory, and that were kept before it was written."""
    ours = kept.saved
    for node in behind([root for root in roots if isinstance(root, Node)]):
        for value in node._values or () if isinstance(node, Node) else ():
            for saved in value if isinstance(value, list) else [value]:
                if isinstance(saved, Saved) and saved is not ours and saved.storage is ours.storage \
                        and saved.writes < saved.storage.writes:
                    yield Kept(node, saved, scene)


def private_copy(links, written):
    """The place of the ``detach()`` that a ``clone()`` would make private; not where nobody then reads what is written."""
    for link in links:
        where = place(link.site)
        if link.kind == "detach" and where is not None and where.expression is not None:
            return None if is_only_a_write(where, written) else where
    return None


def is_only_a_write(alias, written):
    """Whether an alias is made for one write, and nothing reads the result: ``y.detach().clamp_(0, 1)``."""
    statement = None if written is None else written.statement
    if statement is None or not alias.same_line(written) or not syntax.contains(statement, alias.expression):
        return False
    if isinstance(statement, ast.Expr):
        return statement.value is written.expression
    return isinstance(statement, (ast.Assign, ast.AugAssign)) and writes_through(statement, alias)


def writes_through(statement, alias):
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return any(syntax.contains(target, alias.expression) for target in targets)


def out_of_place(written, scene):
    """``x = x.mul(2)`` for ``x.mul_(2)``, ``x = x * 2`` for ``x *= 2``; None where that would not do the same."""
    returned = isinstance(written.statement, ast.Return)
    anew = method_anew(written.expression) if returned else written_anew(written)
    if anew is None or under_no_grad(written) or not (
            is_own_name(written, anew[0], scene) or is_from_saved(written, anew[0])):
        return None
    return written.edited(written.expression, anew[1]) if returned else written.edited(
        written.statement, f"{anew[0]} = {anew[1]}")


def is_from_saved(written, name):
    """Whether a backward of the user's took the tensor from ``ctx.saved_tensors``: what it binds anew nobody else sees."""
    assigned = [node for node in ast.walk(function_around(written)) if isinstance(node, ast.Assign)]
    bound = [node for node in assigned if name in assigned_names(node)]
    return len(bound) == 1 and getattr(bound[0].value, "attr", "") == "saved_tensors"


def written_anew(written):
    """``("x", "x.mul(2)")`` for ``x.mul_(2)``, ``("x", "x * 2")`` for ``x *= 2``; None for other writes."""
    statement, expression = written.statement, written.expression
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id, ast.unparse(ast.BinOp(statement.target, statement.op, statement.value))
    return method_anew(expression) if isinstance(statement, ast.Expr) and statement.value is expression else None


def method_anew(call):
    """``("x", "x.mul(2)")`` for the call ``x.mul_(2)``; None for what is no such call."""
    function = call.func if isinstance(call, ast.Call) else None
    if not (isinstance(function, ast.Attribute) and function.attr.endswith("_") and isinstance(function.value, ast.Name)):
        return None
    declared = registry.get(function.attr)
    if isinstance(declared, Op) and declared.writes is not None:                    # `zero_`: there is no other form
        return None
    renamed = ast.Call(ast.Attribute(function.value, function.attr[:-1]), call.args, call.keywords)
    return function.value.id, ast.unparse(renamed)


#: In-place methods by which parts of a result are masked or scaled: the gradient is masked or scaled with them.
MASKING = ("masked_fill_", "mul_", "div_")


def recorded_write(written, scene):
    """``a = a.clone(); a[:, 2:] = 0`` for ``a.data[:, 2:] = 0``, ``a = a.mul(m)`` for ``a.data.mul_(m)``.

    Only where ``a`` is read afterwards: what is computed then is that of the masked values, and so is to be its gradient.
    """
    statement, call = written.statement, written.expression
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        owner = statement.targets[0].value
    elif isinstance(statement, ast.AugAssign) and isinstance(statement.op, (ast.Mult, ast.Div)):
        owner = statement.target
    elif isinstance(statement, ast.Expr) and isinstance(call, ast.Call) and syntax.called(call) in MASKING:
        owner = call.func.value
    else:
        return []
    share = owner.func if isinstance(owner, ast.Call) and not owner.args else owner
    if not isinstance(share, ast.Attribute) or share.attr not in ("data", "detach") or not isinstance(share.value, ast.Name):
        return []
    name, loop = share.value.id, enclosing_loop(written)
    first = written.line if loop is None else loop.lineno - 1
    read = [line for line in syntax.lines_reading(function_around(written), name) if line > first and line != written.line]
    if not read or under_no_grad(written):
        return []
    if isinstance(statement, ast.Assign):
        part = ast.unparse(ast.Subscript(ast.Name(name), statement.targets[0].slice))
        anew = f"{name} = {name}.clone(); {part} = {ast.unparse(statement.value)}"
    elif isinstance(statement, ast.AugAssign):
        anew = f"{name} = {ast.unparse(ast.BinOp(ast.Name(name), statement.op, statement.value))}"
    else:
        renamed = ast.Call(ast.Attribute(ast.Name(name), call.func.attr[:-1]), call.args, call.keywords)
        anew = f"{name} = {ast.unparse(renamed)}"
    code = written.edited(statement, anew) if is_own_name(written, name, scene) else None
    if code is None:
        return [(written.where(), "", f"write to a new tensor, and go on with that one: {name} = {name}.clone() first")]
    return [(written.where(), code, "a new tensor: gradients go through the write")]


def is_own_name(written, name, scene):
    """Whether only this name leads to the tensor: binding it anew then reaches all who read it.

    Not so for a function's parameter, a loop's variable, or what a list or another name holds too.
    """
    around = function_around(written)
    bound = [node for node in ast.walk(around) if isinstance(node, (ast.Assign, ast.AnnAssign))
             and name in assigned_names(node)]
    if not bound or any(syntax.is_simple(node.value) for node in bound if node.value is not None):
        return False
    if any(name in {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
           for node in ast.walk(around) if isinstance(node, (ast.For, ast.comprehension))):
        return False
    if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)) and name in {a.arg for a in ast.walk(around.args)
                                                                              if isinstance(a, ast.arg)}:
        return False
    value = scene.value(written, name)
    if value is MISSING:
        return True
    for other, held in scene.variables():
        if isinstance(held, (list, tuple)) and any(v is value for v in held) \
                or isinstance(held, dict) and not scene.is_namespace(held) and any(v is value for v in list(held.values())) \
                or held is value and other != name:
            return False
    return True


def shows_write(written, write):
    """Whether the source line is the write itself, and not a call of something that writes."""
    if isinstance(written.statement, ast.AugAssign) or isinstance(written.expression, ast.Subscript):
        return True
    return syntax.is_call_of(written, write.op.partition(" ")[0])


def modules_out_of_place(write, written):
    """The user's modules that may have made the write, with ``inplace=False``."""
    if written.text is None or not write.op.endswith("_") or shows_write(written, write):
        return []
    calls = syntax.made_in_place(tree_of("".join(source_lines(written.file))), write.op)
    return [(line_of(written, call), edited_call(written, call), f"it runs {write.op}()") for call in calls[:3]]


def edited_call(at, call):
    """The line of a module's making, with ``inplace=False``; the call alone where it has several lines."""
    anew = ast.unparse(call).replace("inplace=True", "inplace=False")
    line = source_lines(at.file)[call.lineno - 1].rstrip()
    if call.end_lineno != call.lineno:
        return anew
    return Line((line[:characters(line, call.col_offset)] + anew + line[characters(line, call.end_col_offset):]).strip())
