"""What calls like one before come to does not depend on what was called between them.

Where nothing is interpreted, calls, views and composites are remembered: by dtype, layout, mode, how they were written.
Here a thousand and more calls, most of them like one shortly before in all but one of these, in an order that nobody
thought of, come to what the paragraphs of their ops come to, which remember nothing.
"""
import contextlib
import random
import warnings

import numpy as np
import pytest

import leafward
from leafward.core.op import Composite
from leafward.core.runtime import runtime
from tests.comparisons import compared, compares
from tests.ops.checks import call, tensors_in
from tests.ops.test_aliasing import remembers_views
from tests.ops.test_strict import PLAIN, running
from tests.oracle import to_numpy
from tests.samples import every_sample, name_of, ours

DTYPES = ("float32",) * 4 + ("float64",) * 3 + ("complex64", "int64", "float16", "bfloat16", "bool", "uint8", "int32")
LAYOUTS = ("contiguous",) * 4 + ("transposed", "strided", "expanded", "lazy_conj")
MODES = ("plain", "plain", "backward", "backward", "double backward", "no_grad", "inference_mode")
#: How many values the arguments of a sample may have, how far back a call may be that the next one is like, and how far
#: off in the order of the declarations the sample of the next one may stand.
SEEDS, RECENT, NEAR = 4, 40, 3
TOLERANCES = {"float16": 2e-2, "bfloat16": 1e-1, "float64": 1e-6, "int64": 1e-6}


class Step:
    """One call: a sample, and how it is called."""

    def __init__(self, chosen, sample):
        self.sample = sample
        self.dtype, self.layout, self.mode = chosen.choice(DTYPES), chosen.choice(LAYOUTS), chosen.choice(MODES)
        self.named = chosen.choice(("no", "no", "last", "all but the first"))
        self.seed = chosen.randrange(SEEDS)

    def like(self, chosen):
        """A call like this one, in all but one way at most, and with values of its own."""
        other = object.__new__(Step)
        vars(other).update(vars(self), seed=chosen.randrange(SEEDS))
        name, values = chosen.choice((("dtype", DTYPES), ("layout", LAYOUTS), ("mode", MODES), ("named", ("no", "last")),
                                      ("seed", range(SEEDS)), ("seed", range(SEEDS))))
        setattr(other, name, chosen.choice(values))
        return other

    def __repr__(self):
        return f"{name_of(self.sample)} {vars(self)}"


def steps(seed, count, where):
    """So many calls: like one shortly before, or of a sample that stands near that of the last one, or now and then of any."""
    chosen, made, number = random.Random(seed), [], 0
    samples = every_sample(where)
    while len(made) < count:
        way = chosen.random()
        if way < 0.5 and made:
            made.append(chosen.choice(made[-RECENT:]).like(chosen))
            continue
        number = chosen.randrange(len(samples)) if way > 0.98 else (number + chosen.randint(-NEAR, NEAR)) % len(samples)
        made.append(Step(chosen, samples[number]))
    return made


def arguments(step):
    wanting = step.mode in ("backward", "double backward", "no_grad")
    args, kwargs = step.sample.make(leafward, step.dtype, seed=step.seed, layout=step.layout, requires_grad=wanting)
    names = names_of(step.sample.op)
    if step.named != "no" and len(names) >= len(args) > 1:
        first = 1 if step.named == "all but the first" else len(args) - 1
        kwargs |= dict(zip(names[first:], args[first:]))
        args = args[:first]
    return list(args), kwargs


def names_of(op):
    if isinstance(op, Composite):
        code = op.function.__code__
        return code.co_varnames[1:code.co_argcount]
    return op.shown_names


def outcome(step):
    """What can be seen of a call: the error, or each result with its gradients."""
    try:
        args, kwargs = arguments(step)
        inputs = tensors_in([args, kwargs])
        around = getattr(leafward, step.mode, contextlib.nullcontext)
        with around():
            results = tensors_in(call(leafward, ours(step.sample.op), step.sample.op, args, kwargs))
        seen = [(x.dtype, x.shape, x.requires_grad, type(x.grad_fn).__name__, x.is_inference(), x.is_conj(),
                 None if x.is_inference() else (x._is_view(), x._version)) for x in results]
        values = [np.array(to_numpy(x.detach())) for x in results]
        return seen, values, *gradients(step, results, [x for x in inputs if x.is_leaf and x.requires_grad])
    except Exception as error:
        return type(error).__name__, str(error)


def gradients(step, results, leaves):
    """The gradients of the results and of these gradients, and what was refused instead."""
    found, wanted = [], [x for x in results if x.requires_grad] if "backward" in step.mode else []
    while wanted:
        weights = [leafward.full_like(x, number + 1) for number, x in enumerate(wanted)]
        twice = step.mode == "double backward" and not found
        try:
            grads = leafward.autograd.grad(wanted, leaves, weights, allow_unused=True, create_graph=twice)
        except Exception as error:
            return found, (type(error).__name__, str(error))
        found += [None if x is None else np.array(to_numpy(x.detach())) for x in grads]
        wanted = [x for x in grads if x is not None and x.requires_grad] if twice else []
    return found, None


def close(a, b, dtype):
    if a is None or b is None:
        return a is b
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind not in "fcV":
        return np.array_equal(a, b)
    a, b = a.astype(np.complex128), b.astype(np.complex128)
    scale = np.max(np.abs(b), where=np.isfinite(b), initial=1)
    tolerance = TOLERANCES.get(dtype, 3e-3)
    return np.allclose(a, b, rtol=tolerance, atol=tolerance * scale, equal_nan=True)


def same(ours, theirs, dtype):
    if len(ours) != len(theirs) or len(ours) == 2:
        return ours == theirs
    same_arrays = all(len(x) == len(y) and all(close(a, b, dtype) for a, b in zip(x, y, strict=True))
                      for x, y in zip(ours[1:3], theirs[1:3], strict=True))
    return same_arrays and ours[0] == theirs[0] and ours[3] == theirs[3]


@contextlib.contextmanager
def nothing_remembered():
    views = runtime.view_again, runtime.note_view
    runtime.view_again = runtime.note_view = None
    try:
        with running(PLAIN):
            yield
    finally:
        runtime.view_again, runtime.note_view = views


def draws_nothing(op):
    return not op.random


@pytest.mark.skipif(runtime.view_again is None, reason="interpreted, nothing is remembered")
@pytest.mark.parametrize(("seed", "where"), [(0, draws_nothing), (1, draws_nothing), (1, remembers_views)],
                         ids=("all", "all again", "views"))
@compares
def test_calls_come_to_the_same_in_any_order(seed, where):
    plan = steps(seed, 1500, where)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        remembered = [outcome(step) for step in plan]
        with nothing_remembered():
            alone = [outcome(step) for step in plan]
    refused = 0
    for step, ours_now, expected in zip(plan, remembered, alone, strict=True):
        compared()
        refused += len(expected) == 2
        assert same(ours_now, expected, step.dtype), f"{step}\n{ours_now}\nand not\n{expected}"
    assert refused < len(plan) / 4
