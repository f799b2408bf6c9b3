"""Every rule against finite differences, against PyTorch, and against itself one order higher."""
import pytest

import leafward
from tests.oracle import Outcome, assert_close, assert_same_outcome, has_no_derivative, to_numpy, torch
from tests.ops.checks import (assert_gradient, assert_second_order, call, cotangents_for, gradients, has_gradient,
                              wanting)
from tests.samples import every_sample, is_comparable, is_public, name_of, ours, theirs

#: PyTorch keeps the data of an input whose shape alone its rule uses, and so raises false alarms; leafward does not.
KEEPS_LESS = {"cummax", "cummin", "gather", "index_add", "index_copy", "masked_select", "put", "take", "take_along_dim",
              "combinations", "cartesian_prod"}

DIFFERENTIABLE = every_sample(has_gradient)
#: Where finite differences apply: not at a kink or a pole, and not where the derivative of a draw is 0 by convention.
SMOOTH = [s for s in DIFFERENTIABLE if not s.is_edge and not s.op.random]


def is_flat(sample):
    """Step functions such as ``floor_divide`` say at backward that they have no derivative, as in PyTorch."""
    error = Outcome(gradients, (leafward, ours(sample.op), sample, sample.draw("float64"))).error
    return error is not None and str(error).startswith("derivative for ")


@pytest.mark.parametrize("sample", SMOOTH, ids=name_of)
def test_rule_matches_finite_differences(sample):
    if not is_flat(sample):
        assert_gradient(leafward, ours(sample.op), sample)


@pytest.mark.parametrize("sample", SMOOTH, ids=name_of)
def test_second_order_matches_finite_differences(sample):
    if is_flat(sample):
        return
    if getattr(sample.op, "once", False):
        with pytest.raises(RuntimeError, match="once_differentiable"):
            assert_second_order(leafward, ours(sample.op), sample)
    else:
        assert_second_order(leafward, ours(sample.op), sample)


@pytest.mark.parametrize("sample", [s for s in DIFFERENTIABLE if is_comparable(s.op)], ids=name_of)
def test_gradient_matches_pytorch(sample):
    for dtype, layout in ("float64", "contiguous"), ("float32", "transposed"), ("complex128", "contiguous"):
        drawn = sample.draw(dtype)

        def run(t, function):
            return list(gradients(t, function, sample, drawn, layout)[2] or [])  # noqa: B023  called at once

        expected = Outcome(run, (torch, theirs(sample.op)))
        if expected.error is not None and has_no_derivative(expected.error):
            continue
        given = Outcome(run, (leafward, ours(sample.op)))
        rtol, atol = (1e-4, 1e-5) if dtype == "float32" else (1e-6, 1e-8)
        try:
            assert_same_outcome(given, expected, rtol=rtol, atol=atol)
        except Exception as error:
            error.add_note(f"sample {sample.text!r}, {dtype}, {layout}")
            raise


@pytest.mark.parametrize("sample", DIFFERENTIABLE, ids=name_of)
def test_rules_write_into_nothing(sample):
    """The incoming gradient, the inputs and the outputs keep their bytes, and a second pass gives the same."""
    args, kwargs = sample.make(leafward, "float64", requires_grad=True)
    result = Outcome(call, (leafward, ours(sample.op), sample.op, args, kwargs)).value
    outputs, inputs = wanting(result), wanting([args, kwargs])
    if not outputs or not inputs or is_flat(sample):
        return
    incoming = cotangents_for(leafward, outputs)
    watched = [*incoming, *inputs, *outputs]
    before = [to_numpy(x).tobytes() for x in watched]
    passes = [leafward.autograd.grad(outputs, inputs, incoming, retain_graph=True, allow_unused=True) for _ in "12"]
    assert [to_numpy(x).tobytes() for x in watched] == before, f"{sample.name}: a rule wrote into what it was given"
    for a, b in zip(*passes):
        if a is not None:
            assert_close(to_numpy(a), to_numpy(b), 0, 0, "the second pass")


@pytest.mark.parametrize("sample", [s for s in DIFFERENTIABLE if is_public(s.op)], ids=name_of)
def test_keeps_what_pytorch_keeps(sample):
    """Overwrite one input or output after the forward: backward complains where PyTorch's does."""
    count = len(watched_tensors(torch, theirs(sample.op), sample)[0])
    for position in range(count):
        complaints = [complaint(t, find(sample.op), sample, position) for t, find in ((torch, theirs), (leafward, ours))]
        if sample.op.name in KEEPS_LESS and complaints == [True, False]:
            continue
        assert complaints[0] == complaints[1], f"overwriting tensor {position}: PyTorch {said(complaints[0])}, " \
                                               f"leafward {said(complaints[1])}"


def said(complained):
    return "complains" if complained else "is content"


def watched_tensors(t, function, sample):
    args, kwargs = sample.make(t, "float64", requires_grad=True)
    result = Outcome(call, (t, function, sample.op, args, kwargs)).value
    outputs, inputs = wanting(result), wanting([args, kwargs])
    if not outputs or not inputs:
        return [], [], []
    return [*inputs, *outputs], outputs, inputs


def complaint(t, function, sample, position):
    watched, outputs, inputs = watched_tensors(t, function, sample)
    incoming = cotangents_for(t, outputs)
    if watched[position].numel() == 0:
        return False
    t.Tensor.zero_(watched[position].detach())
    outcome = Outcome(t.autograd.grad, (outputs, inputs, incoming), {"allow_unused": True})
    return outcome.error is not None and "modified by an inplace operation" in str(outcome.error)
