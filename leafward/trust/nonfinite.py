"""Where the first NaN or inf arose: in backward, at which element and from which value; or before it, in what made the loss."""
from __future__ import annotations

import ast
from math import prod
from typing import TYPE_CHECKING

from leafward.core.engine import ALWAYS, run_backward
from leafward.core.history import wants_grad
from leafward.core.inplace import call_with
from leafward.core.node import Node, behind
from leafward.core.op import REQUIRED
from leafward.core.recording import OpNode
from leafward.core.runtime import quietly, runtime
from leafward.core.saved import Saved
from leafward.core.slot_codes import INPUT, OPTION
from leafward.core.tensor import TensorBase
from leafward.errors import NonFiniteGradientWarning
from leafward.trust import syntax
from leafward.trust.cuts import name_of
from leafward.trust.facts import Kept, op_of
from leafward.trust.forward_repairs import (
    assigned, divergence_of_logarithms, divisor_repairs, forward_repairs, overflowed, spread_repairs,
)
from leafward.trust.layout import Row, fixes, list_of
from leafward.trust.masked_rows import emptied_by
from leafward.trust.scene import Scene, library
from leafward.trust.selections import selection_of
from leafward.trust.source import place
from leafward.trust.tell import tell

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor

#: How many elements a result has at most that is computed once more to see whether it was finite.
AGAIN = 1 << 20

#: Where :func:`nan_origin` collects what it would otherwise be warned of; None while nobody asks.
collected = None


# -- in backward ---------------------------------------------------------------------------------------------------------

def birth_of_nonfinite(node, grads, contributions):
    """``(site, text)``: what is to be told of a node that made NaN or inf of finite gradients, if it comes to a leaf."""
    return node._site, story_of_node(node, grads, contributions)


def tell_nonfinite(birth):
    """Tell it."""
    site, text = birth
    if collected is not None:
        collected.append(text)
        return
    tell(NonFiniteGradientWarning, [site], lambda: text)


class Birth:
    """The first element that is not finite: its index, its value, and what stood at its place in what it was made of."""

    def __init__(self, node, grads, contributions):
        self.node = node
        self.position = next(i for i, c in enumerate(contributions) if c is not None and not finite(c))
        array = runtime.asarray(contributions[self.position])
        self.shape = array.shape
        self.index = first_nonfinite(array)
        self.value = number(array[self.index])
        self.count, self.size = count_nonfinite(array), array.size
        grad = next((g for g in grads if g is not None), None)
        self.incoming = at(grad, self.index, array.shape)

    def effect(self, of):
        """What is not finite of the gradient that a reader knows as ``of``."""
        if self.size == 1:
            return f"{of} is not finite, and all that follows from it"
        return f"{self.count} of {self.size} elements of {of} are not finite, and all that follows from them"


def operands_of(node, scene, index, shape):
    """``(kept, value)`` for each value that ``node`` kept: what it was at this element, or as a whole if it is one number."""
    return [(Kept(node, saved, scene), at(runtime.xp.resolved(saved.array), index, shape))
            for saved in node._values or () if isinstance(saved, Saved) and saved.packed is None]


def called(kept):
    """What a reader calls a value that was kept."""
    return "its result" if kept.saved.is_output else f"`{kept.name}`" if kept.name else "its input"


def not_finite(value):
    return value is not None and value - value != 0


def finite(array):
    return runtime.xp.is_finite(array)


def first_nonfinite(array):
    """The index of the first element that is NaN or inf."""
    flat = [i for i, value in enumerate(array.reshape(-1).tolist()) if value - value != 0] if array.size <= 4096 else \
        [int((array.reshape(-1) - array.reshape(-1) != 0).argmax())]
    index = []
    rest = flat[0]
    for size in reversed(array.shape):
        index.insert(0, rest % size)
        rest //= size
    return tuple(index)


def count_nonfinite(array):
    return int((array - array != 0).sum())


def number(value):
    """A Python number of an array's element."""
    return value.item() if hasattr(value, "item") else value


def at(array, index, shape):
    """The element of ``array`` that stands at ``index`` of something of this shape; None where that is not one element."""
    if array is None:
        return None
    if isinstance(array, TensorBase):
        array = array._array
    if array.size == 1:
        return number(array.reshape(-1)[0])
    if array.shape == shape:
        return number(array[index])
    if array.ndim == len(shape) and all(n in (1, m) for n, m in zip(array.shape, shape, strict=True)):
        return number(array[tuple(0 if n == 1 else i for n, i in zip(array.shape, index, strict=True))])
    return None


def shown(value):
    """A number as a reader writes it."""
    return "?" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def story_of_node(node, grads, contributions):
    """Which node, at which element, from which value; why; what to type instead."""
    scene = Scene()
    birth = Birth(node, grads, contributions)
    op = op_of(node)
    where = place(node._site)
    operands = operands_of(node, scene, birth.index, birth.shape)
    word = "nan" if birth.value != birth.value else "inf"
    leaf = node._targets[birth.position] if birth.position < len(node._targets) else None
    target = name_of(leaf, scene) if leaf is not None and not isinstance(leaf, Node) else None
    of = f"{target}.grad" if target else f"the gradient of {op}"
    rows = [Row("made by", where, f"the derivative of {op}{element(birth.index)}")]
    rows[0].text = rows[0].text or op
    rows += [Row("value", None, text=text) for text in dict.fromkeys(
        f"{called(kept)} is {shown(value)} there" for kept, value in operands if value is not None)]
    masked = birth.incoming == 0
    user = selection_of(node, scene) if masked else None
    spoilt = nan_among(node, scene)
    if spoilt is not None:
        return story_of_spoilt(of, birth, rows[:1], spoilt, scene)
    bad = [kept.saved.node for kept, value in operands if not_finite(value) and isinstance(kept.saved.node, OpNode)]
    maker = bad[0] if bad else None
    if maker is not None:                                   # the value was bad before: whoever made it is to be repaired
        gave = next(value for kept, value in operands if kept.saved.node is maker and not_finite(value))
        where = place(maker._site)
        operands = operands_of(maker, scene, birth.index, birth.shape)
        rows.append(Row("made of", where, f"{op_of(maker)} gave the {shown(gave)}"))
        said = {row.text for row in rows}
        rows += [Row("value", None, text=text) for text in dict.fromkeys(
            f"{called(kept)} is {shown(value)} there" for kept, value in operands
            if value is not None and not kept.saved.is_output) if text not in said]
    if user is not None:
        rows.append(Row("cause", None, text="the gradient that comes in is 0 there: what follows did not use this element. "
                                            f"But 0 times {factor_of(operands)} is nan"))
        rows.append(Row("not used by", user))
    elif masked:                                            # by a derivative of 0, maybe: (d ** 2) where d is 0
        rows.append(Row("cause", None, text=f"the gradient that comes in is 0 there, and 0 times {factor_of(operands)} is nan"))
    elif any(not_finite(value) for _, value in operands):
        rows.append(Row("cause", None, text=f"the value itself is not finite: see {library(where)}.nan_origin(loss)"))
    else:
        rows.append(Row("cause", None, text=f"the derivative of {op} has no finite value there"))
    rows.append(Row("effect", None, text=birth.effect(of)))
    choices = repairs(where, operands, user is not None, user) or (overflow_repair(where, node) if masked else [])
    return told(f"a gradient became {word} in backward: those that came in were finite.", rows, choices)


def told(title, rows, choices):
    """A story as one text."""
    text = f"{title}\n{list_of(rows)}"
    return f"{text}\n{fixes(choices)}" if choices else text


def factor_of(operands):
    """What the 0 that comes in is multiplied by, as far as the values show."""
    return "nan" if any(value is not None and value != value for _, value in operands) else "an infinite derivative"


def nan_among(node, scene):
    """What a node that does not compute element by element kept, and that holds a NaN: each result is made of many of its
    elements. None where there is none."""
    if not isinstance(node, OpNode) or node._plan.op.elementwise:
        return None
    for saved in saved_by(node):
        array = runtime.xp.resolved(saved.array)
        if has_nan(array):
            return Kept(node, saved, scene)
    return None


def has_nan(array):
    return array.dtype.kind in "fc" and bool((array != array).any())


def story_of_spoilt(of, birth, rows, kept, scene):
    """A gradient became NaN by a NaN that forward had left in what was kept: where that one arose."""
    saved, array = kept.saved, runtime.xp.resolved(kept.saved.array)
    index = first_nonfinite(array)
    rows += [Row("value", None, text=f"{called(kept)} holds nan{element(index)}"),
             Row("cause", None, text="the value itself is nan: whatever gradient comes in, 0 too, nan comes of it")]
    root = birth.node if saved.is_output else saved.node
    found = birth_in_forward(root, array) if isinstance(root, Node) else (None, saved, True)
    origin, choices = told_of_birth(found, scene)
    return told("a gradient became nan in backward: those that came in were finite.",
                [*rows, *origin, Row("effect", None, text=birth.effect(of))], choices)


def element(index):
    return "" if not index else f" at [{', '.join(map(str, index))}]"


def repairs(where, operands, masked, selection):
    """What to type instead: a safe value for elements that are not used, or a small number that keeps off the pole."""
    if where is None or where.text is None:
        return []
    lib = library(where)
    node, value = culprit(where, operands)
    if not masked and any(not_finite(value) for _, value in operands):
        return []                                           # whoever made that value is to be repaired
    if node is None:
        return [(where.where(), "give it a safe value where its result is not used, before and not after it" if masked else
                 "keep its input away from this value" + (": a small eps, or clamp(min=1e-12)" if value == 0 else ""), "")]
    text = where.source_of(node)
    if not masked and value != 0:
        near = "this value" if value is None else shown(value)
        if value in (1, -1) and is_of_a_unit(operands):     # where what is defined from -1 to 1 ends
            anew = f"{text if isinstance(node, SIMPLE) else f'({text})'}.clamp(-1 + 1e-6, 1 - 1e-6)"
            code = where.edited(node, anew)
            if code is not None:
                return [(where.where(), code, "a little inside: the gradient is 0 beyond")]
        return [(where.where(), f"keep {text} away from {near}", "")]
    simple = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    if masked:
        mask = None if selection is None else selection.mask
        if mask is None and (value is None or value > 0):
            return [(where.where(), "give it a safe value where its result is not used, before and not after it", "")]
        anew = f"{lib}.where({mask or f'{text} > 0'}, {text}, {0.0 if value in (1, -1) else 1.0})"
        return [(where.where(), where.edited(node, anew) or f"{anew} in place of {text}",
                 "a safe value where the result is not used")]
    whole = text if simple else f"({text})"
    clamped = where.edited(node, f"{whole}.clamp(min=1e-12)")
    shifted = where.edited(node, f"({text} + 1e-12)")
    return [(where.where(), clamped or f"{text}.clamp(min=1e-12)", "small values count as 1e-12: the gradient is 0 there"),
            ("", shifted or f"{text} + 1e-12", "a small eps, if it cannot be negative")]


SIMPLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)


def is_of_a_unit(operands):
    """Whether the op is declared for arguments of at most 1: ``acos``, not ``digamma``, which has a pole at -1."""
    return any(isinstance(kept.node, OpNode) and kept.node._plan.op.domain == "unit" for kept, _ in operands)


def overflow_repair(where, node):
    """``exp`` gave inf, and what follows made a finite value of that: ``1 / (1 + exp(-x))``."""
    call = None if where is None else where.expression
    if op_of(node) != "exp" or not isinstance(call, ast.Call) or syntax.called(call) != "exp":
        return []
    given = call.args[0] if call.args else call.func.value
    text = where.source_of(given)
    simple = isinstance(given, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    anew = f"{text if simple else f'({text})'}.clamp(max=80.0)"
    return [(where.where(), where.edited(given, anew) or anew, "its result then stays finite"),
            ("", "use logsumexp(), sigmoid(), softmax() or the log_ form", "if it is one of these, written by hand")]


def culprit(where, operands):
    """The syntax node of the operand whose value is the bad one, and that value: the one that is 0 there, else the first."""
    zero = [kept for kept, value in operands if value == 0 and not kept.saved.is_output and kept.operand is not None]
    if zero:
        return zero[-1].operand, 0                          # of a quotient: what it is divided by
    for kept, value in operands:
        if kept.saved.is_output and kept.inputs:
            return kept.inputs[0], value
        if kept.operand is not None:
            return kept.operand, value
    return None, next((value for _, value in operands if value == 0), None)


# -- before backward -----------------------------------------------------------------------------------------------------

def tell_nonfinite_loss(loss):
    """Tell that a loss is NaN or inf, and where that began."""
    found = birth_in_forward(loss._node, loss._array)
    if collected is not None:
        collected.append(story_of_loss(loss, found))
        return
    site = found[0]._site if isinstance(found[0], Node) else None
    tell(NonFiniteGradientWarning, [site], lambda: story_of_loss(loss, found))


def birth_in_forward(root, array):
    """``(node, array, began)``: the oldest node whose result is known and not finite; whether it is sure that it began there.

    ``root``: the node to look behind, whose result is ``array``.

    ``(None, saved, True)``: a value that came in from outside.
    """
    nodes = sorted((n for n in behind([root]) if isinstance(n, OpNode)), key=lambda n: n._sequence)
    known = {}                                              # (node, output number) -> its result
    for node in nodes:
        for saved in saved_by(node):
            maker = node if saved.is_output else saved.node
            if maker is not None:
                known.setdefault((maker, saved.output_nr), runtime.xp.resolved(saved.array))
    for node in nodes:
        for saved in saved_by(node):
            if not saved.is_output and saved.node is None and not finite(runtime.xp.resolved(saved.array)):
                return None, saved, True
        results = [array for (maker, _), array in known.items() if maker is node]
        again = computed_again(node, known) if not results else None
        if again is not None:
            known[node, 0] = again
            results = [again]
        bad = next((array for array in results if not finite(array)), None)
        if bad is not None:
            return node, bad, inputs_are_finite(node, known)
    return root, array, isinstance(root, OpNode) and inputs_are_finite(root, known)


def saved_by(node):
    """The values that a node kept as they are."""
    return [saved for saved in node._values or () if isinstance(saved, Saved) and saved.packed is None]


def inputs_are_finite(node, known):
    """Whether all that went into a node is known, and finite."""
    if node._plan.variadic_at >= 0:
        return False
    inputs = inputs_of(node, known)
    return len(inputs) == len(node._targets) and not any(map(has_nonfinite, inputs.values()))


def has_nonfinite(value):
    """Whether a number or an array is not finite."""
    return not_finite(value) if isinstance(value, (int, float)) else not finite(value)


def inputs_of(node, known):
    """``{position: array or number}`` of what went into a node: what it kept, what is ``known`` of others, leaves."""
    numbers, found = node._numbers or (0,) * len(node._targets), {}
    for position, target in enumerate(node._targets):
        array = known.get((target, numbers[position])) if isinstance(target, Node) else getattr(target, "_array", None)
        if array is not None:
            found[position] = runtime.xp.resolved(array)
    for (kind, position), value in zip(node._plan.slots, node._values or (), strict=False):
        if kind == INPUT and isinstance(value, Saved) and value.packed is None:
            found[position] = runtime.xp.resolved(value.array)
        elif kind == INPUT and isinstance(value, (int, float)):
            found[position] = value
    return found


def computed_again(node, known):
    """The result of a node of which all that went in is known; None of others.

    Of options those that its derivative keeps are known. Of ops that compute element by element the others may be those that
    are declared, which give NaN and inf in the same places, and so may the dtype of what adds up.
    """
    op, inputs = node._plan.op, inputs_of(node, known)
    if op.outputs or op.residuals or op.writes is not None or len(inputs) != len(op.inputs) or prod(node._shape) > AGAIN:
        return None
    given = dict(zip(op.names, op.defaults, strict=True))
    given.update({op.inputs[position]: array for position, array in inputs.items()})
    kept = {op.options[position]: value for (kind, position), value in zip(node._plan.slots, node._values or (), strict=False)
            if kind == OPTION}
    given.update(kept)
    if any(given[name] is REQUIRED for name in op.names) or not op.elementwise and {*op.options} - {*kept, "dtype"}:
        return None
    names = op.names[op.positional:]
    result = quietly(call_with, (op.forward, [runtime.xp, *[given[n] for n in op.names[:op.positional]]],
                                 {n: given[n] for n in names}))
    result = runtime.asarray(result)
    return result if result.shape == node._shape else None


def story_of_loss(loss, found):
    """Where the first value that is not finite arose, from what, and what to type instead."""
    value = number(loss._array.reshape(-1)[0])
    return told(f"the loss is {shown(value)}: no gradient of it is of use.", *told_of_birth(found, Scene()))


def told_of_birth(found, scene):
    """``(rows, choices)``: the first value that is not finite, and the repairs."""
    node, array, began = found
    if node is None:
        return told_of_given(array, scene)
    where = place(node._site)
    op = op_of(node)
    index = first_nonfinite(array)
    rows = [Row("arose in" if began else "seen in", where, f"{op} gave {shown(number(array[index]))}{element(index)}")]
    rows[0].text = rows[0].text or op
    operands = [] if not isinstance(node, OpNode) else [
        (kept, value) for kept, value in operands_of(node, scene, index, array.shape) if not kept.saved.is_output]
    rows += [Row("value", None, text=text) for text in dict.fromkeys(
        f"{called(kept)} is {shown(value)} there" for kept, value in operands if value is not None)]
    emptied, divergence = emptied_by(node, array, index, scene), divergence_of_logarithms(where, scene)
    if emptied is not None:
        rows.append(emptied.row(element(index[:-1])))
        return rows, emptied.repairs()
    if divergence is not None:
        return [*rows, divergence[0]], [divergence[1]]
    if not began:
        rows.append(Row("before", None, text="what came in there is not known: it may have begun earlier"))
    result = number(array[index])
    return rows, overflowed(where, node) or ([] if not began else (
        spread_repairs(where, op, result) or divisor_repairs(where, operands)
        or forward_repairs(where, node, operands, result)))


def told_of_given(saved, scene):
    """The same of a value that came in from outside: by which statement it came to its name, as far as the source shows."""
    array = runtime.xp.resolved(saved.array)
    index = first_nonfinite(array)
    name = None if saved.leaf is None else name_of(saved.leaf, scene)
    who = f"`{name}`" if name else "a tensor that was given"
    text = f"{who} holds {shown(number(array[index]))}{element(index)}: it came in as a value, without a history"
    rows, choices = assigned(name, scene)
    return [Row("came in", None, text=text), *rows], choices or [
        ("", f"look at {name or 'it'} before it is used: {library()}.isfinite({name or 'x'}).all()", "")]


def nan_origin(loss: Tensor) -> str:
    """Tell where the first NaN or inf of ``loss``, or of its gradients, arises. The graph stays, and no ``.grad`` is touched.

    >>> import leafward as lw
    >>> x = lw.tensor([0.0, 4.0], requires_grad=True)
    >>> print(lw.nan_origin((x * 2).sum()))
    The loss is finite, and so are all gradients.
    """
    global collected
    if not wants_grad(loss) or loss._node is None:
        return "The loss has no history."
    was, collected = collected, []
    try:
        value = loss._array
        if not finite(value):
            tell_nonfinite_loss(loss)
        else:
            leaves = {end: {0: [i]} for i, end in enumerate(e for e in behind([loss._node]) if not isinstance(e, Node))}
            start = runtime.xp.ones(value.shape, dtype=loss._dtype)
            run_backward([loss._node], [loss._output_nr], [start], True, False, leaves, len(leaves), finite=ALWAYS)
        return collected[0] if collected else "The loss is finite, and so are all gradients."
    finally:
        collected = was
