"""Custom functions compared with differences of their forward along random directions."""
import ast
from typing import NamedTuple

from leafward.autograd import grad
from leafward.autograd.grad_mode import enable_grad
from leafward.autograd.guard import innermost_rule
from leafward.core.tensor import TensorBase
from leafward.derive.functions import fns
from leafward.tensor.random import fork_rng, manual_seed
from leafward.trust.layout import Row
from leafward.trust.scene import library
from leafward.trust.source import function_around, line_of, place, source_lines


class Verdict(NamedTuple):
    """How a backward differs from differences of its forward, in words.

    ``shape``: why that may be meant, where forward leaves nothing to differentiate: it is ``"flat"``, or gives back its
    ``"input"``; None where it is a formula that does not fit.
    """

    words: str
    shape: str | None = None


#: Why a backward that is not the derivative of its forward may be meant, by the shape of that forward.
MEANT = {"flat": "forward is flat, and what trains through it is a surrogate (straight-through)",
         "input": "forward gives back its input, and what comes back is scaled, reversed or stopped"}
#: How far apart the two may be, and how many directions are tried.
CLOSE, DIRECTIONS = 1e-3, 4


class CannotBeTried(Exception):
    """It takes no float64, say, or no differentiable input, or gives other values each time."""


def tried(cls, args):
    """:func:`compared`, with random numbers of its own. Raises ``CannotBeTried`` where there is nothing to compare."""
    try:
        with fork_rng(), enable_grad():
            return compared(cls, args)
    except Exception as error:
        raise CannotBeTried(str(error)) from error


def compared(cls, args):
    """The :class:`Verdict` on ``cls``, whose gradient is not that of its forward; None where it fits."""
    places = [i for i, a in enumerate(args) if isinstance(a, TensorBase) and a.is_floating_point() and a.requires_grad]
    if not places:
        raise CannotBeTried("no input requires grad")
    start = [args[i].detach().double() for i in places]
    manual_seed(1)
    directions = [[fns.randn_like(value) for value in start] for _ in range(DIRECTIONS)]

    def run(values):
        given = list(args)
        for i, value in zip(places, values, strict=True):
            given[i] = value
        given = [a.double() if isinstance(a, TensorBase) and a.is_floating_point() else a for a in given]
        manual_seed(0)                                      # the same random numbers each time
        out = cls.apply(*given)
        outs = out if isinstance(out, tuple) else (out,)
        return [o for o in outs if isinstance(o, TensorBase) and o.is_floating_point()]
    inputs = [value.clone().requires_grad_() for value in start]
    outs = run(inputs)
    if any(not bool((a == b).all()) for a, b in zip(outs, run(inputs), strict=True)):
        raise CannotBeTried("forward gives other values each time")
    weights = [fns.randn_like(o) for o in outs]

    def gradient(ws):
        found = grad(run(inputs), inputs, [w.clone() for w in ws], allow_unused=True)
        return [fns.zeros_like(x) if g is None else g for g, x in zip(found, inputs, strict=True)]
    grads = gradient(weights)
    pairs, step = [], 1e-6
    for along in directions:
        up, down = (run([x + sign * step * d for x, d in zip(start, along, strict=True)]) for sign in (1, -1))
        numeric = sum(float(((a - b) * w).sum().detach()) for a, b, w in zip(up, down, weights, strict=True)) / (2 * step)
        pairs.append((sum(float((g * d).sum().detach()) for g, d in zip(grads, along, strict=True)), numeric))
    if all(abs(a - n) <= CLOSE * (abs(a) + abs(n)) + 1e-6 for a, n in pairs):
        return None
    if all(abs(n) < 1e-9 for _, n in pairs):
        return Verdict(f"gives {pairs[0][0]:.4g} along a direction in which forward does not change", "flat")
    words = difference(pairs, grads, lambda: gradient([2 * w + 1 for w in weights]))
    return Verdict(words, "input" if gives_back(start, [o.detach() for o in outs]) else None)


def gives_back(given, outs):
    """Whether all that comes out are inputs."""
    return bool(outs) and all(any(o.shape == x.shape and bool((o == x).all()) for x in given) for o in outs)


def difference(pairs, grads, others):
    """In words, how the numbers differ: ``(the gradient along a direction, the difference of forward)`` for some.

    ``others()``: the gradients for another grad_output.
    """
    if any(bool(g.any()) for g in grads) and all(bool((a == b).all()) for a, b in zip(grads, others(), strict=True)):
        return "gives the same whatever grad_output is: it has to multiply by grad_output"
    ratios = [a / n for a, n in pairs if n]
    factor = sum(ratios) / len(ratios)
    if factor and max(ratios) - min(ratios) <= CLOSE * abs(factor):
        return f"gives {factor:.4g} times what differences of forward give"
    analytic, numeric = pairs[0]
    return f"gives {analytic:.4g} along a direction where differences of forward give {numeric:.4g}"


def returns_of(cls):
    """The line of ``cls.backward``, and its ``return`` statements as ``(line, text)``."""
    where = rule_at(cls)
    found = [(line_of(where, node), ast.unparse(node)) for node in ast.walk(function_around_line(where))
             if isinstance(node, ast.Return)]
    return where.where(), found[:3]


def rule_at(cls):
    """Where the user wrote the backward of ``cls``."""
    where = place((innermost_rule(cls).__code__, -1))
    written = function_around_line(where)
    if isinstance(written, ast.FunctionDef) and written.lineno != where.line:       # (below its decorators)
        where.line, where.text = written.lineno, source_lines(where.file)[written.lineno - 1].strip()
    return where


def function_around_line(where):
    """The syntax tree of the function that begins at ``where``: below its decorators."""
    tree = function_around(where)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and where.line in (node.lineno, *(d.lineno for d in node.decorator_list)):
            return node
    return tree


def told(cls, verdict):
    """The rows and repairs of a backward that does not fit."""
    where, returns = returns_of(cls)
    rows = [Row("backward", rule_at(cls), verdict.words)]
    rows += [Row("returns", None, text=f"{text}   {line}") for line, text in returns]
    return rows, [(returns[0][0] if returns else where, "grad_output * (the derivative of forward)",
                   f"the chain rule; compare with {library(rule_at(cls))}.autograd.gradcheck")]
