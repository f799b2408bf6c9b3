"""What to type where values went to one place: the same write, with all that goes to one place added up."""
import ast

from leafward.core.op import Op, registry
from leafward.core.tensor import TensorBase
from leafward.trust import syntax
from leafward.trust.scene import MISSING, Scene, library

#: Methods of tensors that give none.
NO_TENSOR = ("numpy", "tolist", "item")
UNIQUE = "make the indices unique, or add up what goes to one place"


def added_up(where, facts):
    """``(where, code, when)`` for the write at ``where``; no code where none is sure to run.

    ``facts``: the op's arguments by name, an option as it is, of arrays how many dims they have.
    """
    scene = Scene()
    code = None
    if where.statement is not None:
        if isinstance(where.expression, ast.Call):
            code = of_call(where, scene)
        elif isinstance(where.statement, (ast.Assign, ast.AugAssign)):
            code = of_assignment(where, scene, facts)
    if code is None:
        return "", UNIQUE, ""
    return *code, "adds up what goes to one place; else make the indices unique"


def writers():
    """The ops that overwrite, by the name that they are called by."""
    return {op.name.strip("_"): op for op in registry.values() if isinstance(op, Op) and op.overwrites}


def of_call(where, scene):
    """``x.scatter_add(...)`` for ``x.scatter(...)``, ``x.index_put((i,), v, accumulate=True)`` for the same without."""
    call = where.expression
    name = syntax.called(call) or ""
    op = writers().get(name.rstrip("_"))
    if op is None or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    _, unless, other = op.overwrites
    function, args, keywords = call.func, call.args, call.keywords
    if other is not None:
        if not isinstance(function, ast.Attribute):         # imported by its name: the other one may not be
            return None
        anew = ast.Call(ast.Attribute(function.value, other + "_" * name.endswith("_")), args, keywords)
    else:
        by_module = not (isinstance(function, ast.Attribute) and not is_module(where, function.value, scene))
        keywords = [k for k in keywords if k.arg != unless]
        anew = ast.Call(function, args[:op.names.index(op.overwrites[0]) + by_module],
                        [*keywords, ast.keyword(unless, ast.Constant(True))])
    return where.with_replaced(call, ast.unparse(anew))


def of_assignment(where, scene, facts):
    """``x.index_put_((i,), v, accumulate=True)`` for ``x[i] = v`` and ``x[i] += v``."""
    statement, value = where.statement, where.statement.value
    if isinstance(statement, ast.AugAssign):
        target = statement.target
        if not isinstance(statement.op, (ast.Add, ast.Sub)) or not isinstance(target, ast.Subscript):
            return None
        if not is_tensor(where, value, scene):
            value = ast.Call(ast.Attribute(ast.Name(library(where)), "as_tensor"), [value],
                             [ast.keyword("dtype", ast.Attribute(target.value, "dtype"))])
        value = ast.UnaryOp(ast.USub(), value) if isinstance(statement.op, ast.Sub) else value
    else:
        target = statement.targets[0] if len(statement.targets) == 1 else None
    if not isinstance(target, ast.Subscript) or facts.get("at") is None:
        return None
    places = places_of(where, target, scene, facts)
    if places is None:
        return None
    view, indices = places
    writer = next(op for op in writers().values() if op.variadic)
    call = ast.Call(ast.Attribute(view, writer.name.strip("_") + "_"), [indices, value],
                    [ast.keyword(writer.overwrites[1], ast.Constant(True))])
    return where.with_replaced(statement, ast.unparse(ast.fix_missing_locations(call)))


def places_of(where, target, scene, facts):
    """``(view, index tensors)`` for ``target``, the write to a subscript; None where that cannot be said in one line."""
    parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
    at = facts["at"]
    if at != tuple(range(at[0], at[0] + len(at))):
        return None                                         # a slice stands between them: what is written has another order
    if len(parts) == 1 and isinstance(several := known(where, parts[0], scene), tuple):
        return (target.value, parts[0]) if all(isinstance(part, TensorBase) for part in several) else None
    basic, indices = [], []
    for part in parts:
        if is_basic(where, part, scene):
            basic.append(part)
        else:
            basic.append(ast.Slice())
            indices.append(as_index(where, part, scene))
    if len(indices) != len(at) or any(isinstance(part, ast.Starred) for part in parts):
        return None                                         # a mask stands for several
    if all(is_whole(part) or is_dots(part) for part in basic):
        basic.clear()
    while basic and is_whole(basic[-1]) and not any(map(is_dots, basic)):
        basic.pop()
    view = target.value
    if basic:
        view = ast.Subscript(view, ast.Tuple(basic) if len(basic) > 1 else basic[0])
    whole = [whole_dim(where, view, dim, at[0] - 1 - dim + facts["indices"]) for dim in range(at[0])]
    return view, ast.Tuple([*whole, *indices])


def whole_dim(where, view, dim, behind):
    """``torch.arange(x.shape[0])[:, None]``: all places of a dim, with ``behind`` dims after it."""
    size = ast.Subscript(ast.Attribute(view, "shape"), ast.Constant(dim))
    places = ast.Call(ast.Attribute(ast.Name(library(where)), "arange"), [size], [])
    return ast.Subscript(places, ast.Tuple([ast.Slice(), *[ast.Constant(None)] * behind]))


def is_whole(part):
    return isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None


def is_dots(part):
    return isinstance(part, ast.Constant) and part.value is Ellipsis


def is_basic(where, part, scene):
    """Whether a part of an index makes a view: a slice, an integer, None, an ellipsis."""
    if isinstance(part, ast.Slice):
        return True
    try:
        value = ast.literal_eval(part)
    except (ValueError, TypeError):
        value = known(where, part, scene)
    return value is None or value is Ellipsis or isinstance(value, (int, slice)) and not isinstance(value, bool)


def as_index(where, part, scene):
    """``ids`` where that is a tensor, ``torch.as_tensor(ids)`` for lists and arrays."""
    if is_tensor(where, part, scene):
        return part
    index = ast.Call(ast.Attribute(ast.Name(library(where)), "as_tensor"), [part], [])
    dtype = getattr(known(where, part, scene), "dtype", None)
    narrow = getattr(dtype, "kind", None) in ("i", "u") and dtype.itemsize not in (4, 8)
    return ast.Call(ast.Attribute(index, "long"), [], []) if narrow else index


def known(where, node, scene):
    """The value of a name, an attribute or an element with a constant key; ``MISSING`` where it is not seen."""
    if isinstance(node, ast.Name):
        return scene.value(where, node.id)
    if isinstance(node, ast.Attribute):
        return getattr(known(where, node.value, scene), node.attr, MISSING)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        owner = known(where, node.value, scene)
        if isinstance(owner, (list, tuple, dict)):
            try:
                return owner[node.slice.value]
            except (LookupError, TypeError):
                return MISSING
    return MISSING


def is_tensor(where, node, scene):
    """Whether an expression surely gives a tensor: a variable that holds one, a call of leafward, or arithmetic with such."""
    if isinstance(node, ast.BinOp):
        return is_tensor(where, node.left, scene) or is_tensor(where, node.right, scene)
    if isinstance(node, ast.UnaryOp):
        return is_tensor(where, node.operand, scene)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value
        if node.func.attr in NO_TENSOR:
            return False
        made_by = known(where, owner, scene)
        return getattr(made_by, "__name__", "").partition(".")[0] == "leafward" or is_tensor(where, owner, scene)
    if isinstance(node, ast.Subscript) and is_tensor(where, node.value, scene):
        return True
    return isinstance(known(where, node, scene), TensorBase)


def is_module(where, node, scene):
    return isinstance(node, ast.Name) and scene.is_module(where, node.id)
