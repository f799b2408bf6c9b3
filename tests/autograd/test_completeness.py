"""Every op has every derivative, in both modes and of second order, or a reason why not, and the reason is true.

A *hole* is an input that takes floating-point numbers and has no derivative: by backward, by forward mode, or of second
order. What is declared about it stands in the reference pages (``derive.reference.why_none``). Here each op is run on its
samples, PyTorch beside it, to see which holes there are and whether they are PyTorch's own.
"""
import functools

import pytest

import leafward
import leafward.autograd.forward_ad
from leafward.derive.reference import AS_THERE, INTEGER_INPUT, INTEGER_RESULT, NEW, RANDOM, composite_reason, why_none
from tests.oracle import Outcome, dtype_name, first_sentence, is_differentiable, torch
from tests.ops.checks import call, cotangents_for, settled, tensors_in
from tests.ops.test_the_tests import declared
from tests.samples import (
    every_op, is_comparable, is_composite, is_internal, name_of, ours, samples_of, theirs, to_tensors,
)

MODES = ("backward", "second order", "forward mode")
#: Ops with a hole that PyTorch does not have, and why: none. They may be at most this share of all ops.
BEYOND = {}
MOST_BEYOND = 0.03

#: Inputs of inner halves of public functions, and the function called so that it would have to pass a gradient on to ``w``.
PARTS = {
    ("_nll_loss", "weight"): lambda t, w: t.nn.functional.nll_loss(t.ones(2, 3), t.tensor([0, 1]), weight=w),
    ("_binary_cross_entropy", "weight"): lambda t, w: t.nn.functional.binary_cross_entropy(t.ones(3), t.ones(3), weight=w),
    ("_binary_cross_entropy_with_logits", "weight"):
        lambda t, w: t.nn.functional.binary_cross_entropy_with_logits(t.ones(3), t.ones(3), weight=w),
    ("_binary_cross_entropy_with_logits", "pos_weight"):
        lambda t, w: t.nn.functional.binary_cross_entropy_with_logits(t.ones(3), t.ones(3), pos_weight=w),
    ("_multi_margin", "weight"): lambda t, w: t.nn.functional.multi_margin_loss(t.ones(2, 3), t.tensor([0, 1]), weight=w),
    ("_soft_margin", "target"): lambda t, w: t.nn.functional.soft_margin_loss(t.ones(3), w),
    ("_normalize_by", "mean"): lambda t, w: t.nn.functional.batch_norm(t.ones(2, 3), w, t.ones(3)),
    ("_normalize_by", "variance"): lambda t, w: t.nn.functional.batch_norm(t.ones(2, 3), t.ones(3), w),
    ("_fractional_max_pool", "samples"): lambda t, w: t.nn.functional.fractional_max_pool2d(
        t.ones(1, 1, 4, 4), 2, output_size=2, _random_samples=w[:2].reshape(1, 1, 2)),
    ("_histogram_of", "x"): lambda t, w: t.histogram(w, 3)[0],
    ("_histogram_of", "weight"): lambda t, w: t.histogram(t.ones(3), 3, weight=w)[0],
    ("_pinv", "atol"): lambda t, w: t.linalg.pinv(t.eye(3), atol=w[0]),
}
#: Inputs of inner halves that no user passes, and what they are.
MADE_INSIDE = {
    ("_attention", "mask"): "made without a history",
    ("_attention_backward", "mask"): "made without a history",
    ("_rrelu_with_noise", "slope"): "drawn",
    ("_embedding_bag_sum", "sizes"): "how many rows there are",
    ("_histogram_of", "hist"): "made without a history",
    ("_count_points", "points"): "made without a history",
    ("_count_points", "edges"): "only compared",
    ("_count_points", "weight"): "made without a history",
}
#: Inner ops that PyTorch has under the same name: draws and their derivatives.
SAME_THERE = {"_standard_gamma", "_standard_gamma_grad", "_dirichlet_grad"}


# --- one input of one sample ------------------------------------------------------------------------------------------

def floating_inputs(sample, t):
    """``(name, position)`` of each tensor of the sample that could want a gradient."""
    values = [to_tensors(value, t, "contiguous") for value in sample.draw("float64")]
    found = [(p.name, x) for value, p in zip(values, sample.receivers_for(values)) for x in tensors_in(value)]
    given = [(name, k) for k, (name, x) in enumerate(found) if is_differentiable(dtype_name(x))]
    return given


def run_wanting(t, function, sample, position, make):
    """``(the input at position, outputs)``, where ``make`` turned that input into one that asks for a derivative."""
    values = [to_tensors(value, t, "contiguous") for value in sample.draw("float64")]
    count = -1

    def wanting_one(value):
        nonlocal count
        if isinstance(value, list):
            return [wanting_one(item) for item in value]
        if not hasattr(value, "requires_grad"):
            return value
        count += 1
        return make(value) if count == position else value
    values = [wanting_one(value) for value in values]
    args, kwargs = sample.bind(values, sample.options(t))
    result = settled(sample.op, call(t, function, sample.op, args, kwargs))
    return tensors_in(values)[position], tensors_in(result)


def derivative(t, function, sample, position, mode):
    """What one input's derivative is: ``"there"``, ``"integer"`` results, ``"none"``, or the words of a refusal."""
    if mode == "forward mode":
        outcome = Outcome(tangent, (t, function, sample, position))
    else:
        outcome = Outcome(gradient, (t, function, sample, position, mode == "second order"))
    return outcome.value if outcome.error is None else f"refused: {outcome.error}"


def gradient(t, function, sample, position, again):
    x, outputs = run_wanting(t, function, sample, position, lambda x: x.requires_grad_())
    outputs = [out for out in outputs if is_differentiable(dtype_name(out))]
    if not outputs:
        return "integer"
    outputs = [out for out in outputs if out.requires_grad]
    if not outputs:
        return "none"
    cotangents = [c.requires_grad_(again) for c in cotangents_for(t, outputs)]
    found, = t.autograd.grad(outputs, x, cotangents, create_graph=again, allow_unused=True)
    if found is None:
        return "none"
    if again and found.requires_grad:
        t.autograd.grad(found, [x, *cotangents], t.ones_like(found), allow_unused=True)
    return "there"


def tangent(t, function, sample, position):
    fw = t.autograd.forward_ad
    with fw.dual_level():
        _, outputs = run_wanting(t, function, sample, position, lambda x: fw.make_dual(x, t.ones_like(x)))
        outputs = [out for out in outputs if is_differentiable(dtype_name(out))]
        if not outputs:
            return "integer"
        return "there" if any(fw.unpack_dual(out).tangent is not None for out in outputs) else "none"


def is_callable(sample):
    """Whether the sample runs in float64 at all: a few are about one dtype."""
    args, kwargs = sample.make(leafward, "float64")
    return Outcome(call, (leafward, ours(sample.op), sample.op, args, kwargs)).error is None


@functools.cache
def answers(op, t):
    """``{(input, mode): [answer for each sample]}`` of the floating-point inputs of ``op``."""
    function = ours(op) if t is leafward else getattr(torch, op.name) if op.name in SAME_THERE else theirs(op)
    found = {}
    for sample in filter(is_callable, samples_of(op)):
        for name, position in floating_inputs(sample, t):
            for mode in MODES:
                found.setdefault((name, mode), []).append(derivative(t, function, sample, position, mode))
    return found


def is_hole(said):
    """No sample has a derivative there, though there is a floating-point result."""
    return "there" not in said and any(answer != "integer" for answer in said)


def holes(op):
    """``(input, mode)`` of what ``op`` lacks, and what comes of trying."""
    return {key: said for key, said in answers(op, leafward).items() if is_hole(said)}


def is_askable(op):
    return is_comparable(op) or op.name in SAME_THERE


def kind_of(op, name, mode):
    """Which kind of reason a hole has, by what is seen of it; ``"beyond"`` if PyTorch has that derivative."""
    if op.random and not is_askable(op):
        return RANDOM
    if (op.name, name) in MADE_INSIDE:
        return MADE_INSIDE[op.name, name]
    if (op.name, name) in PARTS:
        return AS_THERE if refusal(torch, PARTS[op.name, name]) else "beyond"
    return "beyond" if is_beyond(op, name, mode) else AS_THERE


def is_beyond(op, name, mode):
    """Whether PyTorch has that derivative on a sample on which there is none here."""
    pairs = zip(answers(op, leafward)[name, mode], answers(op, torch)[name, mode], strict=True)
    return any(said not in ("there", "integer") and there == "there" for said, there in pairs)


def refusal(t, function):
    """What a function says when a gradient is to go to its argument ``w``; None if it just goes."""
    def backward():
        function(t, t.ones(3, requires_grad=True)).sum().backward()
    error = Outcome(backward).error
    return None if error is None else first_sentence(error)


# --- the checks -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("op", every_op(lambda op: not is_composite(op)), ids=name_of)
def test_declared_reasons_are_true(op):
    """What the reference page says of each input that has no derivative is what the op does."""
    floating = {name for name, _ in answers(op, leafward)}
    lacking = {name for name, _ in holes(op)}
    for name in op.inputs:
        reason = why_none(op, name)
        if reason is None:
            assert (name, "backward") not in holes(op), f"`{name}` is said to have a derivative, and has none"
        elif reason == INTEGER_INPUT:
            assert name not in floating, f"a sample passes floating-point numbers for `{name}`"
        elif reason == INTEGER_RESULT:
            assert name not in lacking, f"floating-point numbers come out, but there is no derivative for `{name}`"
        elif reason == RANDOM:
            assert op.random
        else:
            assert reason == AS_THERE
            if name in floating:
                assert kind_of(op, name, "backward") != "beyond", f"PyTorch has a derivative for `{name}`"


@pytest.mark.parametrize("op", every_op(lambda op: is_composite(op) and not op.differentiable), ids=name_of)
def test_composites_without_a_derivative_give_integers_or_take_no_tensor(op):
    floating = [name for name, _ in answers(op, leafward)]
    if composite_reason(op) == NEW:
        assert not floating
    else:
        assert not holes(op)


def test_holes_are_those_of_pytorch():
    """Each hole that a user can reach has a reason of a checked kind, and hardly any is beyond PyTorch's own."""
    ops = every_op(lambda op: is_askable(op))
    beyond = {op.name: key for op in ops for key in answers(op, leafward) if is_beyond(op, *key)}
    assert set(beyond) == set(BEYOND), beyond
    assert len(BEYOND) <= MOST_BEYOND * len(ops)
    assert sum(bool(holes(op)) for op in ops) > 50          # the search finds what is known to be there


@pytest.mark.parametrize("part", PARTS, ids="-".join)
def test_public_functions_refuse_in_the_words_of_pytorch(part):
    said = refusal(torch, PARTS[part])
    assert said is not None
    assert refusal(leafward, PARTS[part]) == said
    with torch.no_grad(), leafward.no_grad():               # where nothing asks, nothing is refused
        for t in torch, leafward:
            PARTS[part](t, t.ones(3, requires_grad=True))


def test_every_inner_hole_is_listed_once():
    """The tables above name what is there, and nothing else."""
    inner = {(op.name, name) for op in every_op(lambda op: is_internal(op) and not is_askable(op) and not op.random)
             for name, mode in holes(op) if mode == "backward"}
    assert inner == set(PARTS) | set(MADE_INSIDE)


def test_a_forgotten_rule_is_found():
    with declared("forgotten", lambda xp, x: 2 * x, nondifferentiable="x", reference=lambda torch, x: 2 * x) as sample:
        assert all(is_beyond(sample.op, "x", mode) for mode in MODES)
        with pytest.raises(AssertionError, match="floating-point numbers come out, but there is no derivative for `x`"):
            test_declared_reasons_are_true(sample.op)


def test_a_rule_for_arrays_alone_is_found():
    with declared("arrays", lambda xp, x: 2 * x, dx=lambda xp, g: xp.add_at_places(g),
                  reference=lambda torch, x: 2 * x) as sample:
        assert is_beyond(sample.op, "x", "second order") and is_beyond(sample.op, "x", "forward mode")
