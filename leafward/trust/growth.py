"""A history that grows in every turn, as in ``total += loss``: what carries it on, and how to end it."""
import ast

from leafward.autograd.turns import has_all
from leafward.core.node import Node, behind
from leafward.errors import GradientWarning
from leafward.trust import syntax
from leafward.trust.facts import suffixed
from leafward.trust.layout import Row, fixes, list_of
from leafward.trust.memory import names_in_reach, saved_values, size_of, tensors_there
from leafward.trust.repairs import is_alone
from leafward.trust.scene import Scene
from leafward.trust.source import enclosing_loop, place
from leafward.trust.stories import carried_value, detached_value
from leafward.trust.tell import tell

#: How many nodes are passed in all while the tensor that grows is looked for.
PASSED = 200_000


def tell_growth(call, spans, again):
    """Tell of the tensor whose history has a part of every turn. ``again``: ``backward()`` goes through all of it each time."""
    scene = Scene()
    names = names_in_reach(scene)
    grown = growing(spans, names)
    if grown is not None:
        tell(GradientWarning, [grown._node._site], lambda: story(call, grown, names.get(id(grown)), again, scene))


def growing(spans, names):
    """The tensor with the smallest history that has nodes of all turns, what comes of it has a larger one; None if none has."""
    tensors = [tensor for tensor in tensors_there() if tensor._node is not None]
    tensors.sort(key=lambda tensor: id(tensor) not in names)
    found, least, passed = None, 0, 0
    for tensor in tensors:
        size = sum(1 for _ in behind([tensor._node]))
        passed += size
        if (found is None or size < least) and has_all(spans, [tensor._node]):
            found, least = tensor, size
        if passed > PASSED:
            break
    return found


def story(call, grown, name, again, scene):
    """Who grows, in which line, how much there is by now, and what ends it."""
    asked, made = place(call.site), place(grown._node._site)
    nodes = [end for end in behind([grown._node]) if isinstance(end, Node)]
    kept = {id(saved.storage): saved.storage for node in nodes for saved in saved_values(node._values)}
    kept = sum(0 if storage.owner is None else storage.owner.nbytes for storage in kept.values())
    size = f", which keep {size_of(kept)} for backward" if kept else ""
    calls = f"call {call.number} from this line" + (": it goes through all of them again" if again else "")
    rows = [Row("grows in", made, f"{len(nodes)} operations lie behind it by now{size}"), Row("backward()", asked, calls)]
    name = name or next(iter(carried_by(made.statement)), None)
    what = f"`{name}`" if name else "a tensor"
    title = f"the history of {what} grows in every turn: that of the last {call.number} turns is all still there."
    choices = carried_on(made, asked, name, scene) if again else added_up(made)
    return f"{title}\n{list_of(rows)}\n{fixes(choices)}"


def carried_by(statement):
    """What a statement gives a new value that is made of the one before."""
    return [ast.unparse(statement.target)] if isinstance(statement, ast.AugAssign) else syntax.names_carried(statement)


def added_up(made):
    """``total += loss.detach()`` for ``total += loss``, whose history nobody goes through any more."""
    if not carried_by(made.statement):
        return [("", "detach() what is added up: a sum of values needs no history", "")]
    value = made.statement.value
    where, code = made.with_replaced(value, suffixed(value, ast.unparse(value), ".detach()"))
    return [(where, code, "values add up without a history, too")]


def carried_on(made, asked, name, scene):
    """``h = h.detach()`` after ``backward()``, of what the next turn begins with."""
    when = "gradients then stop at the start of the turn, and retain_graph=True is not needed"
    cuts = [(each, detached_value(each, carried_value(made, each, scene))) for each in carried_by(made.statement)]
    cuts = [f"{each} = {cut}" for each, cut in cuts if cut is not None]
    if not cuts:
        return [("", f"detach() {name or 'what is carried on'}, before the next turn uses it", when)]
    loop = enclosing_loop(asked)
    here = made.code is asked.code and loop is not None and loop.lineno <= made.line <= loop.end_lineno
    if here and asked.statement is not None and is_alone(asked.statement):
        return [(f"after {asked.where()}", "; ".join(cuts), when)]
    return [("", f"detach() what is carried, before the next turn uses it: {'; '.join(cuts)}", when)]
