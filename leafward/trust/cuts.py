"""Where a history was cut, in words: which line did it, which parameters lay behind it, and what to type instead."""
import ast
import re

from leafward.core.cuts import NOTES as NOTED
from leafward.core.cuts import Cut, cuts_of
from leafward.core.op import Op, registry
from leafward.core.tensor import TensorBase, requires_grad
from leafward.errors import MissingGradientWarning
from leafward.trust import syntax
from leafward.trust.flow import assigned_names
from leafward.trust.layout import Line, Row, fixes, list_of, sentence, table
from leafward.trust.numbers import as_tensors, without_numpy
from leafward.trust.scene import Scene, library
from leafward.trust.source import function_around, line_of, lines_of, named_line, parsed, place, stands_alone
from leafward.trust.tell import tell
from leafward.trust.unrecorded import recorded

#: What a cut of this kind does, in words.
NOTES = {
    "detach": "detach() shares the values and leaves the history behind",
    "detach_": "detach_() drops the history",
    "data": ".data shares the values and leaves the history behind",
    "item": "item() gives a Python number, which has no history",
    "tolist": "tolist() gives Python numbers, which have no history",
    "numpy": "numpy() gives an array, which has no history",
    "tensor": "this copies the numbers into a new tensor, which has no history",
    "returned": "this makes a new tensor of plain numbers, which have no history",
    "grad": "without create_graph=True this gradient is a constant: nothing flows back through it",
    "frozen": "requires_grad was turned off here",
    "deepcopy": "this made a copy: a parameter of its own",
    "no_grad": "nothing is recorded in here",
    "reentrant": "checkpoint(use_reentrant=True) got no input that requires grad: what it computes with gets no gradient",
    "sample": "sample() draws values without a history",
    "late": "after the forward pass had used it as a constant",
}


# -- finding them --------------------------------------------------------------------------------------------------------

def expanded(record):
    """The single cuts in what a tensor or a node carries: those of the calls in a block; those whose numbers came back."""
    found = []
    for cut in cuts_of(record):
        if cut.kind in NOTED:
            continue
        found.append(cut)
        if cut.kind == "returned":
            parts = [part for part in cut.parts if came_back(cut, part)]
            here = place(cut.site)
            direct = [part for part in parts if here.same_line(place(part.site))]
            found[-1:] = [(cut, part) for part in direct or parts]
        elif cut.kind == "no_grad" and cut.parts:
            found[-1:] = [*cut.parts]
    return list(dict.fromkeys(pair if type(pair) is tuple else (pair, None) for pair in found))


def came_back(cut, part):
    """Whether the numbers that left at ``part`` are what the tensor at ``cut`` was made of, as far as the source shows."""
    here, left = place(cut.site), place(part.site)
    if here.expression is None or left is None or left.line is None:
        return False
    if here.file == left.file and here.statement is not None \
            and here.statement.lineno <= left.line <= here.statement.end_lineno:
        return True
    return feeds(left, here, here.expression)


def feeds(left, here, expression):
    """Whether ``expression``, at the place ``here``, reads what the statement at ``left`` gives a name to."""
    tree = function_around(here)
    assigned = [node for node in ast.walk(tree) if isinstance(node, (ast.Assign, ast.AugAssign))]
    names = syntax.names_behind(expression, [node for node in assigned if isinstance(node, ast.Assign)])
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= left.line <= (node.end_lineno or node.lineno):
            target = None
            if isinstance(node, (ast.AugAssign, ast.AnnAssign)):
                target = node.target
            elif isinstance(node, ast.Assign):
                target = node.targets[0]
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
                target = node.value.func.value              # losses.append(loss.item())
            if target is not None and {ast.unparse(n) for n in ast.walk(target) if isinstance(n, ast.expr)} & names:
                return True
    return False


def behind(cut, part=None):
    """The leaves that lay behind a cut and are still there."""
    found = {}
    for one in (cut, part, *(cut.parts or ())):
        if isinstance(one, Cut):                            # (notes of another kind keep other details)
            found.update(one.behind)
    return [leaf for leaf in (reference() for reference in found.values()) if leaf is not None]


def cuts_before(record, leaf):
    """The cuts of a record that have ``leaf`` behind them."""
    return [pair for pair in expanded(record) if any(other is leaf for other in behind(*pair))]


# -- telling them --------------------------------------------------------------------------------------------------------

class Told:
    """A cut as rows and repairs."""

    def __init__(self, cut, part=None):
        self.cut, self.part = cut, part
        self.place = place(cut.site)
        self.inner = None if part is None else place(part.site)

    def kind(self):
        return self.cut.kind

    def rows(self, label="cut here"):
        """Where, and what it does to a history."""
        rows = []
        if self.inner is not None and not self.inner.same_line(self.place):
            rows.append(Row(label, self.inner, note_of(self.part)))
            rows.append(Row("then", self.place, NOTES["returned"]))
            return rows
        word = syntax.called(self.place.expression) if self.cut.kind == "item" and self.part is None else None
        note = note_of(self.part or self.cut)
        rows.append(Row(label, self.place, note if word is None else note.replace("item()", f"{word}()", 1)))
        block = None if self.cut.block is None else place(self.cut.block.site)
        if block is not None and not block.same_line(self.place):
            rows.append(Row("inside", block, ""))
        return rows

    def repairs(self):
        """``(where, code, when)``: what to type instead."""
        where = self.place
        if where.text is None:
            return []
        name = (self.part or self.cut).kind
        make = REPAIRS.get(self.cut.kind if self.cut.block is None else "block" if self.cut.block.kind == "no_grad"
                           else self.cut.block.kind)
        if self.part is not None:
            make = repair_of_return
        if make is None and isinstance(registry.get(name), Op):
            make = repair_of_op
        found = [] if make is None else make(self)
        return [choice for choice in found if choice[1] is not None]


def note_of(cut):
    """What a cut does, in words."""
    if cut.block is not None and cut.block.kind != "no_grad":
        return NOTES[cut.block.kind]
    if cut.block is not None:
        return "this ran while nothing was recorded"
    if cut.kind in NOTES:
        return NOTES[cut.kind]
    op = registry.get(cut.kind)
    if isinstance(op, Op) and op.gives_bools:
        return "a comparison is true or false: it has no derivative"
    if isinstance(op, Op) and any(op.differentiable):
        return "whole numbers have no derivative"
    return f"{cut.kind.strip('_')}() has no derivative"


RECORD_IT = "if gradients should flow through it"


def call_without(where, names):
    """The source line without a call like ``.detach()`` at ``where``; None where the line does not show one."""
    node = where.expression
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
        return where.edited(node, in_place_of(node, node.func.value, where))
    if isinstance(node, ast.Attribute) and node.attr in names:
        return where.edited(node, in_place_of(node, node.value, where))
    return None


def in_place_of(node, part, where):
    """The source of ``part``, a part of ``node``, so that it can stand in its place: in parentheses where these count."""
    text = where.source_of(part)
    alone = getattr(where.statement, "value", None) is node
    return text if alone or isinstance(part, (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant)) else f"({text})"


def repair_of_share(told):
    word = told.cut.kind if told.cut.kind == "data" else "detach"
    code = call_without(told.place, ("detach", "data", "detach_"))
    return [(told.place.where(), code or f"leave out {word}{'' if word == 'data' else '()'}", RECORD_IT)]


def repair_of_number(told):
    code = as_tensors(told.place) or call_without(told.place, ("item", "tolist", "numpy"))
    return [(told.place.where(), code or "keep the tensor", RECORD_IT)]


def repair_of_copy(told):
    node, lib = told.place.expression, library(told.place)
    code = None
    if isinstance(node, ast.Call) and node.args:
        code = told.place.edited(node, f"{lib}.stack({ast.unparse(node.args[0])})")
    return [(told.place.where(), code or f"{lib}.stack(...) of the tensors", "keeps the histories of the parts")]


def repair_of_return(told):
    """Numbers that left and came back: the same with leafward's own functions."""
    node, lib = told.place.expression, library(told.place)
    calls = [n.func.attr for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
             and isinstance(n.func.value, ast.Name) and n.func.value.id in ("np", "numpy", "math")] if node is not None else []
    code = without_numpy(told.place) if told.inner.same_line(told.place) else None
    if code is None and calls and calls[0] in registry:
        return [(told.place.where(), f"{lib}.{calls[0]}(...)", "on the tensor itself, without numpy")]
    if told.part.kind in ("item", "tolist"):
        return kept_as_tensors(told, node, lib)
    return [(told.place.where(), code or f"use {lib}'s functions in place of numpy's", RECORD_IT)]


#: Several values, as the source shows it.
SEVERAL = (ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp)


def kept_as_tensors(told, made, lib):
    """Tensors in place of the numbers that left at ``told.inner``, and of the tensor that was ``made`` of them."""
    left, given = told.inner, made.args[0] if isinstance(made, ast.Call) and made.args else None
    if given is not None and any(node is left.expression for node in ast.walk(made)) or given is not None and left.same_line(
            told.place) and any(
                    isinstance(node, ast.Call) and syntax.called(node) in ("item", "tolist")
                    or ast.unparse(node) == ast.unparse(left.expression or made) for node in ast.walk(given)):
        code = told.place.edited(made, in_place_of(made, tensors_in_place(given, lib), told.place))
        return [(told.place.where(), code or "keep the tensor", RECORD_IT)]
    choices = [(left.where(), call_without(left, ("item", "tolist")) or "keep the tensor", "keeps the histories of the parts")]
    source = getattr(left.statement, "value", None)
    listed = isinstance(left.statement, ast.Expr) or isinstance(source, SEVERAL)        # values.append(...), [... for ...]
    anew = None if given is None else stacked(given, lib, source) if listed or isinstance(given, SEVERAL) else given
    code = None if anew is None else told.place.edited(made, ast.unparse(anew))
    if code is None:
        return [*choices, (told.place.where(), f"{lib}.stack(...) of the tensors", "")]
    return [*choices, (f"and {told.place.where()}", code, "")]


def stacked(given, lib, source=None):
    """``torch.stack(values)``; of lists in a list, ``torch.stack([torch.stack(row) for row in rows])``: it takes tensors only.

    ``source``: what the list was made from, where ``given`` is but its name.
    """
    return parsed(stacked_text(given, lib, source), "eval").body


def stacked_text(given, lib, source=None):
    if isinstance(given, (ast.ListComp, ast.GeneratorExp)) and isinstance(given.elt, SEVERAL):
        return f"{lib}.stack({ast.unparse(ast.ListComp(parsed(stacked_text(given.elt, lib), 'eval').body, given.generators))})"
    if isinstance(given, (ast.List, ast.Tuple)) and given.elts and all(isinstance(part, SEVERAL) for part in given.elts):
        return f"{lib}.stack([{', '.join(stacked_text(part, lib) for part in given.elts)}])"
    if isinstance(given, ast.Name) and isinstance(source, (ast.ListComp, ast.GeneratorExp)) and isinstance(source.elt, SEVERAL):
        row = "row" if given.id != "row" else "each"
        return f"{lib}.stack([{stacked_text(ast.Name(row), lib, source.elt)} for {row} in {given.id}])"
    return f"{lib}.stack({ast.unparse(given)})"


def tensors_in_place(given, lib):
    """What a tensor was made of, without the calls that took the numbers out of tensors."""
    class Kept(ast.NodeTransformer):
        def visit_Call(self, node):
            self.generic_visit(node)
            if isinstance(node.func, ast.Attribute) and node.func.attr in ("item", "tolist") and not node.args:
                return node.func.value
            return node.args[0] if isinstance(node.func, ast.Name) and node.func.id == "float" and node.args else node
    anew = Kept().visit(parsed(ast.unparse(given), "eval").body)
    return stacked(anew, lib) if isinstance(given, SEVERAL) else anew


def repair_of_reentrant(told):
    where = place((told.cut.block or told.cut).site)
    call = where.expression
    if not isinstance(call, ast.Call) or not syntax.called(call).startswith("checkpoint"):
        return [(where.where(), "use_reentrant=False", "for checkpoint(): it trains what the function reads, too")]
    asked = next((k.value for k in call.keywords if k.arg == "use_reentrant"), None)
    if asked is None:
        again = ast.Call(call.func, call.args, [*call.keywords, ast.keyword("use_reentrant", ast.Constant(False))])
        return [(*where.with_replaced(call, ast.unparse(again)), "it trains what the function reads, too")]
    return [(*where.with_replaced(asked, "False"), "it trains what the function reads, too")]


def repair_of_sample(told):
    where = place((told.cut.block or told.cut).site)
    call = where.expression
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "sample":
        return [(where.where(), "rsample() in place of sample()", RECORD_IT)]
    again = ast.Call(ast.Attribute(call.func.value, "rsample"), call.args, call.keywords)
    return [(*where.with_replaced(call, ast.unparse(again)), "what is drawn then moves with the distribution")]


def repair_of_grad(told):
    node = told.place.expression
    code = None
    if isinstance(node, ast.Call):
        keywords = [k for k in node.keywords if k.arg != "create_graph"] + [ast.keyword("create_graph", ast.Constant(True))]
        code = told.place.edited(node, ast.unparse(ast.Call(node.func, node.args, keywords)))
    return [(told.place.where(), code or "pass create_graph=True", "if gradients should flow through it")]


def repair_of_frozen(told):
    return [(told.place.where(), "leave requires_grad on for what should train", "freeze the rest by name")]


def repair_of_late(told):
    where, name = told.place, None if told.place.expression is None else syntax.receiver(told.place.expression)
    if name is None and isinstance(where.statement, ast.Assign) and isinstance(where.statement.targets[0], ast.Attribute):
        name = where.statement.targets[0].value             # `x.requires_grad = True`
    made = [node for node in ast.walk(function_around(where)) if isinstance(node, ast.Assign) and node.end_lineno < where.line
            and isinstance(name, ast.Name) and name.id in assigned_names(node)]
    if made and stands_alone(where, made[-1]) and stands_alone(where, where.statement):
        below = named_line(where.file, made[-1].end_lineno)
        moved = lines_of(where, where.statement)
        return [(f"move {moved}", ast.unparse(where.statement), f"before the forward pass: below {below}")]
    what = where.text if where.statement is None else ast.unparse(where.statement)
    return [(where.where(), f"let `{what}` stand before the forward pass", "")]


def repair_of_op(told):
    op, where = registry[told.cut.kind], told.place
    if op.gives_bools:
        return [(where.where(), "a smooth measure in its place, such as sigmoid(a - b), or a loss",
                 "comparisons cannot be trained")]
    if any(op.differentiable):
        code = call_without(where, ("long", "int", "short", "bool", "byte", "char"))
        values = f"take the {op.outputs[0]}, and not the {op.no_grad_outputs[0]}" if op.outputs and op.no_grad_outputs else None
        return [(where.where(), code or values or "keep it floating", "whole numbers cannot be trained")]
    if op.forward.__module__ == "leafward.ops.quantized":
        return [(where.where(), "train the float model, and quantize it afterwards", "weights of 8 bits cannot be trained")]
    name = told.cut.kind.strip("_")
    straight = chosen_straight_through(where)
    if straight is not None:
        return [(*straight, f"the chosen values, and the gradient straight through to what {name}() chose them for")]
    return [(where.where(), f"compute the loss from what {name}() is given: the scores themselves",
             f"what {name}() gives cannot be trained")]


def chosen_straight_through(where):
    """``(where, code)``: ``zq = book[i] + (z - z.detach())`` for ``zq = book[i]`` where ``i = cdist(z, book).argmin(1)``.

    None where the index is used otherwise, or it is not sure what it was chosen for.
    """
    statement = where.statement
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return None
    index, tree = statement.targets[0].id, function_around(where)
    taken = [node for node in ast.walk(tree) if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)
             and isinstance(node.slice, ast.Name) and node.slice.id == index and syntax.is_simple(node.value)]
    if len(taken) != 1 or taken[0].lineno <= where.line:
        return None
    book, scene = ast.unparse(taken[0].value), Scene()
    inputs = {node.id: scene.value(where, node.id) for node in ast.walk(statement.value) if isinstance(node, ast.Name)}
    given = [name for name, value in inputs.items() if isinstance(value, TensorBase) and requires_grad(value)
             and value._node is not None and name != syntax.root(book)]
    if syntax.root(book) not in inputs or len(given) != 1:
        return None
    anew = f"{book}[{index}] + ({given[0]} - {given[0]}.detach())"
    alone = any(getattr(node, "value", None) is taken[0] for node in ast.walk(tree) if isinstance(node, ast.stmt))
    return where.with_replaced(taken[0], anew if alone else f"({anew})")


REPAIRS = {"detach": repair_of_share, "data": repair_of_share, "detach_": repair_of_share, "item": repair_of_number,
           "tolist": repair_of_number, "numpy": repair_of_number, "tensor": repair_of_copy, "block": recorded,
           "grad": repair_of_grad, "late": repair_of_late, "frozen": repair_of_frozen,
           "reentrant": repair_of_reentrant, "sample": repair_of_sample}


def told_of(record, limit=3):
    """The cuts of a record, told; those of one line once."""
    seen, found = set(), []
    for pair in expanded(record):
        told = Told(*pair)
        key = (told.place.file, told.place.line)
        if key not in seen and told.kind() != "deepcopy":
            seen.add(key)
            found.append(told)
    return found[:limit]


def names_of(leaves, scene, limit=6):
    """``body.0.weight, body.0.bias, ...``: leaves as the user's program calls them, and how many more there are."""
    names = [name for name in (name_of(leaf, scene) for leaf in leaves) if name is not None]
    more = len(leaves) - min(len(names), limit)
    if not names:
        return f"{len(leaves)} parameter{'s' if len(leaves) > 1 else ''}" if leaves else ""
    return ", ".join(names[:limit]) + (f" and {more} more" if more else "")


def name_of(leaf, scene):
    """What the user's program calls a leaf: its path in a network, or the variable that it is; None if nothing is found."""
    found = scene.member_on(leaf._storage)
    if found is not None:
        return found[1]
    for name, value in scene.variables():
        if value is leaf:
            return name
        if isinstance(value, (list, tuple)):
            for number, part in enumerate(value[:64]):
                if part is leaf:
                    return f"{name}[{number}]"
    return None


def as_code(name):
    """The path of a member as it is typed: ``net.blocks[0].weight`` for ``net.blocks.0.weight``."""
    return re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", name)


# -- nothing to go back through ------------------------------------------------------------------------------------------

def no_history(error):
    """Where it was asked, every cut that the tensor carries, what lay behind them, and the way out."""
    scene = Scene(error.__traceback__)
    at = place(error.site)
    rows, choices = [Row("asked in", at, "")], []
    found = told_of(error.tensor._cut)
    rebound = names_rebound(at, scene)
    for told in found if not rebound else ():
        rows += told.rows()
        choices += told.repairs()
    for node, name in rebound:
        line = line_of(at, node)
        row = Row("cut here", None, f"under no_grad() this made a new `{name}`, which does not require grad",
                  text=ast.unparse(node))
        row.where = line
        rows.append(row)
        choices.append((lines_of(at, node), in_its_place(node, name), "updates the tensor itself"))
    left = [leaf for told in found for leaf in behind(told.cut, told.part)]
    left = list({id(leaf): leaf for leaf in left}.values())
    if left:
        rows.append(Row("behind it", None, text=names_of(left, scene)))
    if found:
        frozen = all(told.kind() == "frozen" for told in found)
        why = "everything that it was computed from is frozen" if frozen else "it was cut on the way"
        told = f"No history leads to this tensor, no record of what it was computed from: {why}."
    else:
        told = ("No history leads to this tensor: nothing that it was computed from requires grad, or it was computed under "
                "no_grad() or after a detach().")
    told = f"{sentence(told)}\n\n{table(rows)}"
    return f"{told}\n\n{fixes(choices)}" if choices else told


def names_rebound(at, scene):
    """The assignments that took the history from a name in this function: ``(statement, name)``."""
    if at is None or at.expression is None:
        return []
    found = [(node, node.targets[0].id) for node in syntax.rebound_unrecorded(function_around(at), at.expression)]
    values = [(node, name, scene.value(at, name)) for node, name in found]
    return [(node, name) for node, name, value in values if isinstance(value, TensorBase) and not requires_grad(value)]


def in_its_place(node, name):
    """``w -= lr * w.grad`` for ``w = w - lr * w.grad``."""
    value = node.value
    if isinstance(value, ast.BinOp) and isinstance(value.left, ast.Name) and value.left.id == name:
        return Line(ast.unparse(ast.AugAssign(node.targets[0], value.op, value.right)))
    return Line(f"{name}.copy_({ast.unparse(value)})")


def turned_on(root, near, scene):
    """The choice that removes the line ``loss.requires_grad = True``: with a history, it would be an error."""
    names = {name for name, value in scene.variables() if value is root}
    for node in ast.walk(function_around(near)):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(getattr(node, "value", None), "func", None)
        if isinstance(node, (ast.Assign, ast.Expr)) and isinstance(target, ast.Attribute) and target.attr in (
                "requires_grad", "requires_grad_") and ast.unparse(target.value) in names and stands_alone(near, node):
            return [(f"and remove {lines_of(near, node)}", ast.unparse(node), "")]
    return []


def tell_restarted(root):
    """``loss.requires_grad = True`` on a loss that was cut: backward reaches the loss itself, and nothing else."""
    def text():
        found, scene = told_of(root._cut), Scene()
        rows = [row for told in found for row in told.rows()]
        left = {id(leaf): leaf for told in found for leaf in behind(told.cut, told.part)}
        if left:
            rows.append(Row("behind it", None, text=names_of(list(left.values()), scene)))
        choices = [choice for told in found for choice in told.repairs()]
        choices += turned_on(root, found[0].place, scene) if choices and isinstance(choices[0][1], Line) else []
        lines = ["this backward() reaches only the tensor that it begins at: requires_grad was turned on after its history was "
                 "cut, and no parameter gets a gradient.", list_of(rows)]
        return "\n".join([*lines, fixes(choices)] if choices else lines)
    if told_of(root._cut) and not any(cut.kind in ("late", "deepcopy") for cut, _ in expanded(root._cut)):
        tell(MissingGradientWarning, [cut.site for cut, _ in expanded(root._cut)], text)
