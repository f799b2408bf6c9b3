"""Custom functions compared with differences of their forward along random directions."""
import ast
from fractions import Fraction
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
    mend: str | None = None             # what its ``return x`` has to be multiplied by, as found with the same differences


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
    if all(is_close(a, n) for a, n in pairs):
        return None
    if all(abs(n) < 1e-9 for _, n in pairs):
        return Verdict(f"gives {pairs[0][0]:.4g} along a direction in which forward does not change", "flat")
    words, mend = difference(pairs, grads, lambda: gradient([2 * w + 1 for w in weights]))
    if mend == GRAD_OUTPUT and not (len(weights) == len(grads) == 1 and weights[0].shape == grads[0].shape and all(
            is_close(float((weights[0] * grads[0] * along[0]).sum().detach()), n)
            for along, (_, n) in zip(directions, pairs, strict=True))):
        mend = None
    return Verdict(words, "input" if gives_back(start, [o.detach() for o in outs]) else None, mend)


#: A backward that gives the derivative, and does not multiply it by what it is handed.
GRAD_OUTPUT = "grad_output"


def is_close(a, n):
    return abs(a - n) <= CLOSE * (abs(a) + abs(n)) + 1e-6


def gives_back(given, outs):
    """Whether all that comes out are inputs."""
    return bool(outs) and all(any(o.shape == x.shape and bool((o == x).all()) for x in given) for o in outs)


def difference(pairs, grads, others):
    """In words, how the numbers differ, and what mends it: ``(the gradient along a direction, the difference of forward)``.

    ``others()``: the gradients for another grad_output.
    """
    if any(bool(g.any()) for g in grads) and all(bool((a == b).all()) for a, b in zip(grads, others(), strict=True)):
        return "gives the same whatever grad_output is: it has to multiply by grad_output", GRAD_OUTPUT
    ratios = [a / n for a, n in pairs if n]
    factor = sum(ratios) / len(ratios)
    if factor and max(ratios) - min(ratios) <= CLOSE * abs(factor):
        exact = Fraction(1 / factor).limit_denominator(60)
        mend = str(exact) if abs(float(exact) - 1 / factor) < 1e-4 * abs(1 / factor) else f"{1 / factor:.6g}"
        return f"gives {factor:.4g} times what differences of forward give", mend if "/" not in mend else f"({mend})"
    analytic, numeric = pairs[0]
    return f"gives {analytic:.4g} along a direction where differences of forward give {numeric:.4g}", None


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
    mended = [] if verdict.mend is None else multiplied(cls, verdict.mend)
    return rows, mended or [(returns[0][0] if returns else where, "grad_output * (the derivative of forward)",
                             f"the chain rule; compare with {library(rule_at(cls))}.autograd.gradcheck")]


def multiplied(cls, factor):
    """The choice that multiplies what a backward returns; none where it returns several things, or in several places."""
    where = rule_at(cls)
    tree = function_around_line(where)
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Return)]
    if len(found) != 1 or found[0].value is None:
        return []
    value, given = found[0].value, [a.arg for a in getattr(tree, "args", ast.arguments([], [])).args]
    if factor == GRAD_OUTPUT and len(given) < 2:
        return []
    name = given[1] if factor == GRAD_OUTPUT else factor
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    if any(isinstance(part, (ast.Tuple, ast.Starred)) for part in parts):
        return []
    texts = [ast.unparse(part) if isinstance(part, ast.Constant) and part.value is None else
             f"{name} * {ast.unparse(part)}" if isinstance(part, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else
             f"{name} * ({ast.unparse(part)})" for part in parts]
    at, code = where.with_replaced(value, ", ".join(texts))
    return [(at, code, "fits the differences of forward, for the values that came in here")]
