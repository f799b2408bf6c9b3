"""Values written to places, two of them to one: only one is there, and the gradient credits both.

An op that writes says so by the fact ``overwrites``: which input is written, by which option values combine instead. Its rule
for that input reads the gradient at those places, so the same rule reads back from the result what was written.
"""
from math import prod

from leafward.core.cuts import AT_FIRST, PLACES, THEN_EVERY
from leafward.core.history import wants_grad
from leafward.core.native import call_site
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase, array_of
from leafward.core.transform_levels import innermost
from leafward.errors import trust

#: How often each place in the user's program was looked at: (id(code), offset) -> (count, code).
looked_at = {}


def look_for_overwritten(op, values, inputs, result, node):
    """Read back what ``op`` wrote, in the first calls from each place and seldom afterwards; watch ``node`` if some is lost."""
    name, unless, _ = op.overwrites
    source, site = inputs[op.inputs.index(name)], call_site()
    if site is None or not isinstance(source, TensorBase) or not wants_grad(source) or innermost(inputs) is not None:
        return
    given = {n: arrays(value) for n, value in zip(op.names, values, strict=True)}
    if unless and given[unless]:
        return
    if len(looked_at) >= PLACES:
        looked_at.clear()
    key = (id(site[0]), site[1])
    count = looked_at.get(key, (0, None))[0] + 1
    looked_at[key] = count, site[0]
    if count > AT_FIRST and count % THEN_EVERY:
        return
    array, rule = array_of(result), op.rules[name]

    def read(g):
        """What the rule gives of ``g``: its elements at the places."""
        special = {"xp": runtime.xp, "g": g, name: source}
        return rule.function(*[special[n] if n in special else given[n] for n in rule.asks])
    there, was, kept = read(runtime.xp.ones(array.shape, dtype=result._dtype)), array_of(source), read(array)
    lost = (there != 0) & (kept != was) & (was == was)
    equal = not lost.any()
    if equal:
        lost = (there != 0) & named_twice(read(number_of_each(array.shape)))
    if lost.any():
        facts = {n: given[n] for n in op.options}
        facts.update((n, max([a.ndim for a in (given[n] if isinstance(given[n], list) else [given[n]])])) for n in op.inputs)
        node.register_hook(tell_if_used(site, lost, facts, equal))


def number_of_each(shape):
    """An array of this shape with a number of its own for each element: what a rule reads of it tells the places."""
    return runtime.xp.reshape(runtime.xp.arange(1, prod(shape) + 1, dtype=runtime.float64), shape)


def named_twice(numbers):
    """Which of the numbers occur more than once: equal values stand at one place, and nobody sees it by the values."""
    xp = runtime.xp
    flat = xp.reshape(numbers, (-1,))
    order = xp.argsort(flat)
    ordered = flat[order]
    same = ordered[1:] == ordered[:-1]
    twice = xp.zeros(flat.shape, dtype=same.dtype)
    twice[order[1:]] = same
    twice[order[:-1]] |= same
    return xp.reshape(twice, numbers.shape)


def tell_if_used(site, lost, facts, equal):
    """A hook on the node of the write: it tells if a gradient is credited to a value that is not there."""
    def hook(grad_inputs, grad_outputs):
        if grad_inputs[-1] is not None:
            credited = array_of(grad_inputs[-1]) != 0
            if (credited & lost if credited.shape == lost.shape else credited).any():
                trust("tell_overwritten")(site, facts, equal)
    return hook


def arrays(value):
    """A value, or a list of them, as rules take it."""
    if isinstance(value, (list, tuple)) and any([isinstance(v, TensorBase) for v in value]):
        return [arrays(v) for v in value]
    return array_of(value) if isinstance(value, TensorBase) else value
