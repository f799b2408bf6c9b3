"""Every rule against finite differences, against PyTorch, and against itself one order higher."""
import numpy as np
import pytest

import leafward
from tests.oracle import (
    Outcome, assert_close, assert_same_outcome, dtype_name, has_no_derivative, has_no_kernel, is_differentiable,
    is_tensor, to_numpy, torch,
)
from tests.ops.checks import (
    COPIED_THERE, WRONG_THERE, assert_gradient, assert_second_order, call, cotangents_for, fails_there, gradients,
    has_gradient, has_its_name, settled, wanting,
)
from tests.samples import every_sample, is_comparable, is_composite, is_public, name_of, ours, theirs

DIFFERENTIABLE = every_sample(has_gradient)
#: Where finite differences of gradients apply: not at a kink or a pole, nor where the result is rounded to a narrower dtype.
SMOOTH = [s for s in DIFFERENTIABLE if not s.is_edge and not s.op.random
          and not any(word in s.options_text for word in ("float32", "float16"))]
#: Where those of values do: the gradient of a padding row or of CTC is a convention.
TRUE_GRADIENT = [s for s in SMOOTH if not any(word in s.options_text for word in (
    "padding_idx", "scale_grad_by_freq", "zero_infinity"))]


def is_flat(sample):
    """Step functions such as ``floor_divide`` say at backward that they have no derivative, as in PyTorch."""
    error = Outcome(gradients, (leafward, ours(sample.op), sample, sample.draw("float64"))).error
    return error is not None and str(error).removeprefix("the ").startswith("derivative for ")


@pytest.mark.parametrize("sample", TRUE_GRADIENT, ids=name_of)
def test_rule_matches_finite_differences(sample):
    if not is_flat(sample):
        assert_gradient(leafward, ours(sample.op), sample)


#: The complex sample of pinv with ``rcond=0.1`` has a singular value below that: what is cut off is taken for constant.
@pytest.mark.parametrize("sample", [s for s in TRUE_GRADIENT if is_public(s.op) and "rcond" not in s.options_text], ids=name_of)
def test_complex_rule_matches_finite_differences(sample):
    """Inner kernels of functions that refuse complex numbers need not know them."""
    args, kwargs = sample.make(leafward, "complex128", requires_grad=True)
    outcome = Outcome(call, (leafward, ours(sample.op), sample.op, args, kwargs))
    if outcome.error is None and wanting(outcome.value) and not is_flat(sample):
        assert_gradient(leafward, ours(sample.op), sample, "complex128")


@pytest.mark.parametrize("sample", SMOOTH, ids=name_of)
def test_second_order_matches_finite_differences(sample):
    if not is_flat(sample):
        assert_second_order(leafward, ours(sample.op), sample)


@pytest.mark.parametrize("sample", DIFFERENTIABLE, ids=name_of)
def test_rules_run_on_tensors_as_on_arrays(sample):
    """``create_graph=True`` gives the same gradients: no rule uses a name, or an argument, that only arrays know."""
    for dtype in "float64", "complex128":
        plain, recorded = (Outcome(gradients, (leafward, ours(sample.op), sample, sample.draw(dtype)),
                                   {"create_graph": create_graph}) for create_graph in (False, True))
        if plain.error is not None:
            assert type(recorded.error) is type(plain.error)
            continue
        for a, b in zip(recorded.get()[2] or (), plain.value[2] or (), strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                assert_close(to_numpy(a), to_numpy(b), 1e-9, 1e-12, dtype)


@pytest.mark.parametrize(
    "sample", [s for s in DIFFERENTIABLE if is_comparable(s.op) and s.op.name not in WRONG_THERE], ids=name_of)
def test_gradient_matches_pytorch(sample):
    for dtype, layout in ("float64", "contiguous"), ("float32", "transposed"), ("complex128", "contiguous"):
        drawn = sample.draw(dtype)

        def run(t, function):
            return list(gradients(t, function, sample, drawn, layout)[2] or [])  # noqa: B023  called at once

        expected = Outcome(run, (torch, theirs(sample.op)))
        if expected.error is not None and (fails_there(sample.op, expected.error) or has_no_derivative(expected.error) or (
                dtype == "complex128" and has_no_kernel(expected.error))):
            continue
        given = Outcome(run, (leafward, ours(sample.op)))
        rtol, atol = (1e-4, 1e-5) if dtype == "float32" else (1e-6, 1e-8)
        try:
            assert_same_outcome(given, expected, rtol=rtol, atol=atol)
        except Exception as error:
            error.add_note(f"sample {sample.text!r}, {dtype}, {layout}")
            raise


@pytest.mark.parametrize("sample", [s for s in DIFFERENTIABLE if s.op.name not in (
    "as_strided", "view_as_real", "view_as_complex")], ids=name_of)
def test_gradient_of_views_of_conjugates_and_negatives(sample):
    for dtype in "float64", "complex128":
        drawn = sample.draw(dtype)
        plain, lazy = (Outcome(gradients, (leafward, ours(sample.op), sample, drawn, layout))
                       for layout in ("contiguous", "lazy_conj"))
        for outcome in plain, lazy:
            outcome.value = None if outcome.error is not None else list(outcome.value[2] or [])
        assert_same_outcome(lazy, plain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("sample", DIFFERENTIABLE, ids=name_of)
def test_rules_write_into_nothing(sample):
    """The incoming gradient, the inputs and the outputs keep their bytes, and a second pass gives the same."""
    args, kwargs = sample.make(leafward, "float64", requires_grad=True)
    result = Outcome(call, (leafward, ours(sample.op), sample.op, args, kwargs)).value
    outputs, inputs = wanting(result), wanting([args, kwargs])
    if not outputs or not inputs or is_flat(sample):
        return
    standard = wanting(settled(sample.op, result))
    incoming = cotangents_for(leafward, standard)
    watched = [*incoming, *inputs, *outputs]
    before = [to_numpy(x).tobytes() for x in watched]
    passes = [leafward.autograd.grad(standard, inputs, incoming, retain_graph=True, allow_unused=True) for _ in "12"]
    assert [to_numpy(x).tobytes() for x in watched] == before, f"{sample.name}: a rule wrote into what it was given"
    for a, b in zip(*passes):
        if a is not None:
            assert_close(to_numpy(a), to_numpy(b), 0, 0, "the second pass")


@pytest.mark.parametrize(
    "sample", [s for s in DIFFERENTIABLE if has_its_name(s.op) and s.op.name not in COPIED_THERE], ids=name_of)
def test_keeps_no_more_than_pytorch_keeps(sample):
    """Overwrite an input or output after the forward: backward complains only where PyTorch's does, or it is right."""
    for position in range(len(watched_tensors(torch, theirs(sample.op), sample)[0])):
        expected, given = (gradients_after_a_write(t, find(sample.op), sample, position)
                           for t, find in ((torch, theirs), (leafward, ours)))
        if given is None:
            # Of a kron, PyTorch's views have versions of their own: it is content, and wrong.
            assert expected is None or not is_right(expected, sample), (
                f"tensor {position} was overwritten: PyTorch is content, leafward complains")
        else:
            right = gradients_after_a_write(leafward, ours(sample.op), sample, None)
            for a, b in zip(given, right, strict=True):
                assert a is None or np.array_equal(to_numpy(a), to_numpy(b), equal_nan=True), (
                    f"tensor {position} was overwritten: its new bytes were used without a complaint")


def is_right(given, sample):
    """Whether the gradients are those of a pass in which nothing was overwritten."""
    right = gradients_after_a_write(torch, theirs(sample.op), sample, None)
    return all(a is None or np.array_equal(to_numpy(a), to_numpy(b), equal_nan=True) for a, b in zip(given, right))


def watched_tensors(t, function, sample):
    args, kwargs = sample.make(t, "float64", requires_grad=True)
    result = Outcome(call, (t, function, sample.op, args, kwargs)).value
    outputs, inputs = wanting(result), wanting([args, kwargs])
    if not outputs or not inputs:
        return [], [], []
    return [*inputs, *outputs], wanting(settled(sample.op, result)), inputs


def gradients_after_a_write(t, function, sample, position):
    """The gradients when the watched tensor at ``position`` was zeroed before backward; None for a complaint."""
    watched, outputs, inputs = watched_tensors(t, function, sample)
    if position is not None:
        t.Tensor.zero_(watched[position].detach())
    outcome = Outcome(t.autograd.grad, (outputs, inputs, cotangents_for(t, outputs)), {"allow_unused": True})
    if outcome.error is not None and ("modified by an inplace operation" in str(outcome.error)
                                      or "has been modified inplace" in str(outcome.error)):
        return None
    return [] if outcome.error is not None else outcome.value


def constant_inputs(op):
    """The inputs that are declared to have no derivative."""
    return () if is_composite(op) else tuple(set(op.nondifferentiable))


@pytest.mark.parametrize("sample", every_sample(lambda op: is_comparable(op) and constant_inputs(op)), ids=name_of)
def test_constant_inputs_have_no_gradient_in_pytorch(sample):
    args, kwargs = sample.make(torch, "float64")
    values = dict(zip([p.name for p in sample.parameters], args), **kwargs)
    for name in constant_inputs(sample.op):
        x = values.get(name)
        if not is_tensor(x) or not is_differentiable(dtype_name(x)):
            continue
        outcome = Outcome(call, (torch, theirs(sample.op), sample.op, *wanting_only(x, args, kwargs)))
        for out in wanting(outcome.value) if outcome.error is None else ():
            grad = Outcome(torch.autograd.grad, (out.sum(), x), {"allow_unused": True}).value
            assert grad is None or grad[0] is None or not grad[0].any(), f"PyTorch has a derivative for {name}"


def wanting_only(x, args, kwargs):
    """``args, kwargs`` with ``x`` alone requiring grad."""
    for other in wanting([args, kwargs]):
        other.requires_grad_(False)
    x.requires_grad_()
    return args, kwargs
