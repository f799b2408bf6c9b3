"""Custom functions compared with differences of their forward along random directions."""
import ast

from leafward.autograd import grad
from leafward.autograd.grad_mode import enable_grad
from leafward.core.tensor import TensorBase
from leafward.derive.functions import fns
from leafward.tensor.random import fork_rng, manual_seed
from leafward.trust.layout import Row
from leafward.trust.scene import library
from leafward.trust.source import function_around, line_of, place


def tried(cls, args):
    """:func:`compared`, with random numbers of its own; None, too, where it cannot be tried: it takes no float64, say."""
    try:
        with fork_rng(), enable_grad():
            manual_seed(0)
            return compared(cls, args)
    except Exception:               # noqa: BLE001
        return None


def compared(cls, args):
    """In words, how the gradient of ``cls`` differs from differences of its forward; None where it fits, or is meant."""
    places = [i for i, a in enumerate(args) if isinstance(a, TensorBase) and a.is_floating_point() and a.requires_grad]
    if not places:
        return None
    start = [args[i].detach().double() for i in places]

    def run(values):
        given = list(args)
        for i, value in zip(places, values, strict=True):
            given[i] = value
        given = [a.double() if isinstance(a, TensorBase) and a.is_floating_point() else a for a in given]
        out = cls.apply(*given)
        outs = out if isinstance(out, tuple) else (out,)
        return [o for o in outs if isinstance(o, TensorBase) and o.is_floating_point()]
    inputs = [value.clone().requires_grad_() for value in start]
    outs = run(inputs)
    if any(not bool((a == b).all()) for a, b in zip(outs, run(inputs), strict=True)):
        return None                                         # it draws random numbers
    weights = [fns.randn_like(o) for o in outs]

    def gradient(ws):
        found = grad(run(inputs), inputs, [w.clone() for w in ws], allow_unused=True)
        return [fns.zeros_like(x) if g is None else g for g, x in zip(found, inputs, strict=True)]
    grads = gradient(weights)
    pairs, step = [], 1e-6
    for _ in range(4):
        along = [fns.randn_like(value) for value in start]
        up, down = (run([x + sign * step * d for x, d in zip(start, along, strict=True)]) for sign in (1, -1))
        numeric = sum(float(((a - b) * w).sum().detach()) for a, b, w in zip(up, down, weights, strict=True)) / (2 * step)
        pairs.append((sum(float((g * d).sum().detach()) for g, d in zip(grads, along, strict=True)), numeric))
    if all(abs(a - n) <= 1e-3 * (abs(a) + abs(n)) + 1e-6 for a, n in pairs) or all(abs(n) < 1e-9 for _, n in pairs):
        return None                                         # right, or flat: a surrogate on purpose
    ratios = [a / n for a, n in pairs if n]
    if max(ratios) - min(ratios) <= 1e-3 * max(map(abs, ratios)):
        return None                                         # a multiple: scaled or reversed on purpose
    other = gradient([2 * w + 1 for w in weights])
    if all(bool((a == b).all()) for a, b in zip(grads, other, strict=True)):
        return "gives the same whatever grad_output is: it has to multiply by grad_output"
    analytic, numeric = pairs[0]
    return f"gives {analytic:.4g} along a direction where differences of forward give {numeric:.4g}"


def returns_of(cls):
    """The line of ``cls.backward``, and its ``return`` statements as ``(line, text)``."""
    where = place((cls.backward.__code__, -1))
    found = [(line_of(where, node), ast.unparse(node)) for node in ast.walk(function_around_line(where))
             if isinstance(node, ast.Return)]
    return where.where(), found[:3]


def function_around_line(where):
    """The syntax tree of the function that begins at ``where``: below its decorators."""
    tree = function_around(where)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and min([node.lineno, *(d.lineno for d in node.decorator_list)]) == where.line:
            return node
    return tree


def told(cls, verdict):
    """The rows and repairs of a backward that does not fit."""
    where, returns = returns_of(cls)
    rows = [Row("backward", place((cls.backward.__code__, -1)), verdict)]
    rows += [Row("returns", None, text=f"{text}   {line}") for line, text in returns]
    return rows, [(returns[0][0] if returns else where, "grad_output * (the derivative of forward)",
                   f"the chain rule; compare with {library(place((cls.backward.__code__, -1)))}.autograd.gradcheck")]
