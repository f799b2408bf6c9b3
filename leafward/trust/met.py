"""What backward came by and was hardly meant: a penalty that is a constant, a column against a row, values written twice."""
import ast
import itertools
from math import prod

from leafward.core.native import call_site
from leafward.core.node import Node, behind
from leafward.core.op import registry
from leafward.core.recording import OpNode
from leafward.core.runtime import runtime
from leafward.core.views import steps
from leafward.errors import GradientWarning, MissingGradientWarning
from leafward.trust import syntax
from leafward.trust.added_up import added_up
from leafward.trust.cuts import Told
from leafward.trust.facts import chain, with_suffix
from leafward.trust.layout import Row, fixes, list_of
from leafward.trust.source import place
from leafward.trust.tell import tell


def tell_met(cut, roots):
    """Tell of one note, if its place in the program and in the loss shows that it is no use of it on purpose."""
    where = place(cut.site)
    category, text = STORIES[cut.kind](cut, where, roots)
    if text is not None:
        tell(category, [cut.site], lambda: text)


def story_of_term(cut, where, roots):
    """A term of the loss that was made of a gradient without ``create_graph``."""
    if not isinstance(getattr(where.expression, "op", getattr(where.statement, "op", None)), ast.Add):
        return MissingGradientWarning, None
    told = Told(cut.parts[0])
    rows = [Row("term", where, "adds a number that is made of a gradient"), *told.rows()]
    text = f"a term of the loss trains nothing: its gradient was taken without create_graph=True.\n{list_of(rows)}"
    return MissingGradientWarning, f"{text}\n{fixes(told.repairs())}"


#: What is said of an operator, and whether what follows has to bend: a mean of differences is that of all pairs, too.
WORDS = {ast.Sub: ("less", "difference", True), ast.Mult: ("times", "product", False), ast.Div: ("by", "quotient", False)}
#: The same for what was computed before.
JOINED = {ast.Add: "plus", **{kind: told[0] for kind, told in WORDS.items()}}
#: The operators that leave the sum over all pairs a sum, whatever else is in it.
STRAIGHT = {ast.Add, ast.Sub, ast.USub}
#: How many nodes are passed on the way from a loss.
PASSED = 10_000


def story_of_broadcast(cut, where, roots):
    """Predictions and targets, of which one has a dim more: values meet in the loss that do not belong together."""
    number, wide, narrow, whole, rises = cut.parts[0]
    met = met_in_loss(cut.site, whole, roots)
    word, name, bends = (None, None, None) if met is None else WORDS.get(operator_of(met[0]._plan.op), (None, None, None))
    if word is None or any(map(is_of_weights, met[0]._targets)):
        return GradientWarning, None
    if bends is not met[1] and (bends or rises or not meets_labels(met[0]._targets)):
        return GradientWarning, None
    row, change = paired_up(cut, where, word)
    choice = None if change is None else (*where.with_replaced(*change), MEANT)
    title = f"the {name} of {prod(wide)} values and {prod(wide)} values has {prod(whole)}, not {prod(wide)}: {SHAPES}."
    return GradientWarning, "\n".join([title, list_of([row]), *([fixes([choice])] if choice else [])])


SHAPES, MEANT = "the shapes do not line up", "one is then meant for each"


def story_of_against(cut, where, roots):
    """A target that was computed, without a history, from a column and a row: each prediction meets those of all."""
    before, number, shape = cut.parts[0]
    made = place(before.site)
    word = JOINED.get(type(getattr(made.expression, "op", None)), "with")
    return met_against(cut, where, roots, before.parts[0], number, shape, made, lambda: paired_up(before, made, word))


def story_of_all_pairs(cut, where, roots):
    """The same of a target that was computed of data alone, which the source shows."""
    pair, number, shape = cut.parts[0]
    return met_against(cut, where, roots, pair.shapes, number, shape, pair.made, pair.told)


def met_against(cut, where, roots, shapes, number, shape, made, paired):
    """Who meets what came of all pairs; ``paired()``: the row and the change for ``made``, the line in which that was."""
    _, wide, narrow, whole, *_ = shapes
    met = met_in_loss(cut.site, whole, roots)
    word, name, bends = (None, None, None) if met is None else WORDS.get(operator_of(met[0]._plan.op), (None, None, None))
    if word is None or bends is not met[1] or is_of_weights(met[0]._targets[number]):
        return GradientWarning, None
    row, change = paired()
    rows, taken = [row, Row("used in", where, f"meets {list(shape)} here")], operands_of(where)
    choice = None if change is None else (*made.with_replaced(*change), MEANT)
    choices = [choice]
    if choice and shape == wide and len(taken) == 2:
        other = squeezed_in(where, taken[number], taken[1 - number], wide, narrow)
        if where.same_line(made):
            both = where.edited_at(*zip(change, other, strict=True))
            choices = [(where.where(), both or choice[1], MEANT)]
        else:
            at, code = where.with_replaced(*other)
            choices.append((f"and {at}", code, ""))
    title = f"the {name} of {prod(shape)} values and {prod(shape)} values has {prod(whole)}, not {prod(shape)}: {SHAPES}."
    return GradientWarning, "\n".join([title, list_of(rows), *([fixes(choices)] if choice else [])])


def paired_up(cut, where, word):
    """``(row, change)`` for the line in which a column meets a row; no change where its operands are not seen."""
    number, wide, narrow, whole, _ = cut.parts[0]
    row = Row("pairs up", where, f"{list((wide, narrow)[number])} {word} {list((narrow, wide)[number])} gives {list(whole)}: "
                                 "values meet that do not belong together")
    taken = operands_of(where)
    if len(taken) != 2:
        return row, None
    return row, squeezed_in(where, taken[number], taken[1 - number], wide, narrow)


def squeezed_in(where, wider, other, wide, narrow):
    """``(wider, text)``: what to write for ``wider``, of shape ``wide``, so that it has the shape ``narrow`` of ``other``."""
    source = where.source_of(wider)
    named = source if isinstance(wider, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) else f"({source})"
    named += squeezed(wide, narrow, where.source_of(other) if syntax.is_simple(other) else None)
    return wider, named


def is_of_weights(end):
    """Whether a gradient goes, element by element, to nothing but parameters: no predictions, one for each example."""
    stack, passed, found = [end], 0, False
    while stack and passed < PASSED:
        target, passed = stack.pop(), passed + 1
        if isinstance(target, Node):
            if not isinstance(target, OpNode) or not (target._plan.op.elementwise or target._plan.op.alias is not None):
                return False
            stack += target._targets
        elif target is not None:
            if not isinstance(target, runtime.parameter):
                return False
            found = True
    return found


def meets_labels(targets):
    """Whether one of two operands is a constant, and the other one what a network gave."""
    if None not in targets:
        return False
    joined, trained = False, False
    for target in itertools.islice(behind([target for target in targets if target is not None]), PASSED):
        trained = trained or isinstance(target, runtime.parameter)
        joined = joined or isinstance(target, OpNode) and not target._plan.op.elementwise and target._plan.op.alias is None
    return joined and trained


def operator_of(op):
    """The operator that runs an op; None for most."""
    return next((kind for kind in (*WORDS, ast.Add, ast.USub)
                 if syntax.operators()[syntax.OPERATORS[kind].strip("_")] is op), None)


def met_in_loss(site, shape, roots):
    """``(node, bent)``: the call at ``site``, if all of its elements go into a loss by themselves, and whether they are bent.

    What is multiplied with a matrix, or of which the smallest is taken, was meant to have all pairs.
    """
    stack, seen = [(root, False) for root in roots if isinstance(root, Node) and prod(root._shape or ()) == 1], set()
    while stack and len(seen) < PASSED:
        node, bent = stack.pop()
        if id(node) in seen or not isinstance(node, OpNode):
            continue
        seen.add(id(node))
        op = node._plan.op
        if node._site == site and node._shape == shape:
            return node, bent
        if op.elementwise:
            operator = operator_of(op)                      # a sum of terms is straight in each of them
            straight = op.linear or operator in STRAIGHT or operator is not None and None in node._targets
            bent = bent or node._shape != () and not straight
        elif not op.linear or op.alias is not None:
            continue
        stack += [(target, bent) for target in node._targets if isinstance(target, Node)]
    return None


def operands_of(where):
    """The two sides of ``a - b``, and of a call that does the same; () where they are not seen."""
    if isinstance(where.expression, ast.BinOp):
        return where.expression.left, where.expression.right
    if not isinstance(where.expression, ast.Call):
        return ()
    function, given = where.expression.func, where.expression.args
    return (function.value, *given) if len(given) == 1 and isinstance(function, ast.Attribute) else tuple(given)


def squeezed(wide, narrow, other):
    """What to write behind the one of shape ``wide``, so that it has the shape ``narrow`` of ``other``."""
    ones = [dim for dim in range(len(wide)) if wide[dim] == 1 and wide[:dim] + wide[dim + 1:] == narrow]
    if ones:
        return f".squeeze({ones[-1]})"
    return f".reshape({other}.shape)" if other is not None else f".reshape({', '.join(map(str, narrow))})"


STORIES = {"term": story_of_term, "broadcast": story_of_broadcast, "against": story_of_against, "all pairs": story_of_all_pairs}


# -- writes that lose or multiply values ---------------------------------------------------------------------------------

def tell_overwritten(site, facts, equal):
    """Values were written to one place, and a gradient is credited to those that are not there; or to ``equal`` ones twice."""
    def text():
        where = place(site)
        if equal:
            rows = [Row("written in", where, "an index occurs twice, with equal values: the place has one of them, and the "
                                             "gradient credits both")]
            code, once = None if where is None else written_once(where), "each place is then written, and credited, once"
            choice = "" if where is None else where.where(), code or "make the indices unique", once
            return f"places are written twice: the gradient counts them twice.\n{list_of(rows)}\n{fixes([choice])}"
        rows = [Row("written in", where, "an index occurs twice: one value overwrote the other, and the gradient credits both")]
        title = "some of the values written are not there: places are named twice."
        return f"{title}\n{list_of(rows)}\n{fixes([added_up(where, facts)])}"
    tell(GradientWarning, [site], text)


def written_once(where):
    """``out[i.unique()] = h[i.unique()]`` for ``out[i] = h[i]``; None for other writes."""
    statement = where.statement
    sides = (*statement.targets, statement.value) if isinstance(statement, ast.Assign) else ()
    if len(sides) != 2 or not all(isinstance(side, ast.Subscript) and isinstance(side.slice, ast.Name) for side in sides) \
            or sides[0].slice.id != sides[1].slice.id:
        return None
    return where.edited_at([side.slice for side in sides], [f"{sides[0].slice.id}.unique()"] * 2)


#: Larger views are not asked whether their elements overlap.
ASKED = 1 << 16


def overlaps(array):
    """Whether elements of a view share memory, as those of windows do; where no stride is 0."""
    if not 1 < array.size <= ASKED:
        return False
    offsets = {0}
    for size, stride in zip(array.shape, array.strides, strict=True):
        offsets = {offset + number * stride for offset in offsets for number in range(size)}
    return len(offsets) < array.size


def tell_overlapping(target):
    """A write of several values to elements that share memory: one of them is there, and the gradient credits all."""
    link = next((link for link in chain(target._alias) if getattr(registry.get(link.kind), "repeats", False)), None)

    def text():
        at = None if link is None else place(link.site)
        rows = [Row("written in", place(call_site()), "one value overwrites the other, and the gradient credits both"),
                Row("view of", at, "elements of this view share memory: its windows overlap")]
        advice = ("", "windows that do not overlap", ""), ("", "fold() or index_add()", "if what overlaps is to be added up")
        title = "some of the values written are not there: elements of the view overlap."
        return "\n".join([title, list_of(rows), fixes(advice)])
    tell(GradientWarning, [None if link is None else link.site], text)


def tell_repeated(target, uniform):
    """A write through a part of an expanded tensor: the other places of the same elements change, too.

    And one of other values than one (``uniform``) through a view whose elements overlap.
    """
    if not uniform and 0 not in target._array.strides and overlaps(target._array):
        return tell_overlapping(target)
    array, found = target._base._array, 1
    for op, options, number in steps(target._chain):
        array = op.forward(runtime.xp, array, *options)
        array = array if number < 0 else array[number]
        if op.repeats:
            found = prod(n for n, step in zip(array.shape, array.strides, strict=True) if step == 0)
        if op.repeats and found > 1:
            break
    if found < 2 or target._array.size >= array.size:
        return
    link = next((link for link in chain(target._alias) if getattr(registry.get(link.kind), "repeats", False)), None)

    def text():
        at = None if link is None else place(link.site)
        rows = [Row("written in", place(call_site()), "all the places of these elements change, and so do their gradients"),
                Row("expanded in", at, f"each element stands at {found} places: expand() does not copy")]
        code = None if at is None or at.expression is None else with_suffix(at, at.expression, ".clone()")
        advice = [] if at is None else [(at.where(), code or "a clone() of it", "each place then has memory of its own")]
        title = "a write to a part of an expanded tensor changes other parts of it, too."
        return "\n".join([title, list_of(rows), fixes(advice)])
    tell(GradientWarning, [None if link is None else link.site], text)
