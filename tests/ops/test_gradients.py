"""Every rule against finite differences, against PyTorch, and against itself one order higher."""
import numpy as np
import pytest

import leafward
from tests.comparisons import compared, compares
from tests.oracle import (
    Outcome, assert_close, assert_same_outcome, dtype_name, has_no_derivative, has_no_kernel, is_differentiable,
    is_tensor, to_numpy, torch,
)
from tests.ops.checks import (
    WRONG_THERE, assert_gradient, assert_second_order, call, cotangents_for, fails_there, gradients,
    has_gradient, has_its_name, is_flat, is_recorded, recorded_values, settled, tensors_in, wanting,
)
from tests.samples import (
    every_op, every_sample, is_comparable, is_composite, is_public, name_of, ours, samples_of, theirs,
)

#: Those of which something is recorded. That leafward records what PyTorch does is the subject of a test of its own.
DIFFERENTIABLE = [s for s in every_sample(has_gradient) if is_recorded(s)]
#: Where finite differences of gradients apply: not at a kink or a pole, nor where the result is rounded to a narrower dtype.
SMOOTH = [s for s in DIFFERENTIABLE if not s.is_edge and not s.op.random
          and not any(word in s.options_text for word in ("float32", "float16"))]
#: Where those of values do: the gradient of a padding row or of CTC is a convention.
TRUE_GRADIENT = [s for s in SMOOTH if recorded_values(s) and not any(word in s.options_text for word in (
    "padding_idx", "scale_grad_by_freq", "zero_infinity"))]


@pytest.mark.parametrize("sample", [s for s in TRUE_GRADIENT if not is_flat(s)], ids=name_of)
@compares
def test_rule_matches_finite_differences(sample):
    assert_gradient(leafward, ours(sample.op), sample)


#: Inner kernels of functions that refuse complex numbers need not know them. The complex sample of pinv with ``rcond=0.1``
#: has a singular value below that: what is cut off is taken for constant.
@pytest.mark.parametrize("sample", [s for s in TRUE_GRADIENT if is_public(s.op) and "rcond" not in s.options_text
                                    and recorded_values(s, "complex128") and not is_flat(s)], ids=name_of)
@compares
def test_complex_rule_matches_finite_differences(sample):
    assert_gradient(leafward, ours(sample.op), sample, "complex128")


@pytest.mark.parametrize("sample", [s for s in SMOOTH if not is_flat(s)], ids=name_of)
@compares
def test_second_order_matches_finite_differences(sample):
    assert_second_order(leafward, ours(sample.op), sample)


@pytest.mark.parametrize("sample", [s for s in every_sample(has_gradient) if is_comparable(s.op)], ids=name_of)
@compares
def test_what_is_recorded_is_recorded_in_pytorch(sample):
    """Output by output, for real and complex inputs; where PyTorch lacks the function for complex numbers, nothing is said."""
    for dtype in "float64", "complex128":
        theirs_, ours_ = (Outcome(lambda t=t, find=find: recorded(t, find(sample.op), sample, dtype))  # noqa: B023  called at once
                          for t, find in ((torch, theirs), (leafward, ours)))
        if not (theirs_.error is not None and (dtype == "complex128" or fails_there(sample.op, theirs_.error))):
            assert_same_outcome(ours_, theirs_)


def recorded(t, function, sample, dtype):
    """Whether each output wants a gradient when every input that may does."""
    args, kwargs = sample.make(t, dtype, requires_grad=True)
    return [out.requires_grad for out in tensors_in(call(t, function, sample.op, args, kwargs))] + [None]


@pytest.mark.parametrize("sample", DIFFERENTIABLE, ids=name_of)
@compares
def test_rules_run_on_tensors_as_on_arrays(sample):
    """``create_graph=True`` gives the same gradients: no rule uses a name, or an argument, that only arrays know."""
    for dtype in "float64", "complex128":
        plain, recorded = (Outcome(gradients, (leafward, ours(sample.op), sample, sample.draw(dtype)),
                                   {"create_graph": create_graph}) for create_graph in (False, True))
        if plain.error is not None:
            compared()
            assert type(recorded.error) is type(plain.error)
            continue
        for a, b in zip(recorded.get()[2] or (), plain.value[2] or (), strict=True):
            compared()
            assert (a is None) == (b is None)
            if a is not None:
                assert_close(to_numpy(a), to_numpy(b), 1e-9, 1e-12, dtype)


@pytest.mark.parametrize("sample", [s for s in every_sample(has_gradient) if is_comparable(s.op)
                                    and (is_recorded(s) or is_recorded(s, "float32"))], ids=name_of)
@compares
def test_gradient_matches_pytorch(sample):
    for dtype, layout in ("float64", "contiguous"), ("float32", "transposed"), ("complex128", "contiguous"):
        drawn = sample.draw(dtype)

        def run(t, function):
            found = list(gradients(t, function, sample, drawn, layout)[2] or [])  # noqa: B023  called at once
            return [g for k, g in enumerate(found) if k != WRONG_THERE.get(sample.op.name)]

        expected = Outcome(run, (torch, theirs(sample.op)))
        if expected.error is not None and (fails_there(sample.op, expected.error) or has_no_derivative(expected.error) or (
                dtype == "complex128" and has_no_kernel(expected.error))):
            if dtype == "float64":                              # what PyTorch fails at has finite differences all the same
                assert_gradient(leafward, ours(sample.op), sample)
            continue
        given = Outcome(run, (leafward, ours(sample.op)))
        rtol, atol = (1e-4, 1e-5) if dtype == "float32" else (1e-6, 1e-8)
        try:
            assert_same_outcome(given, expected, rtol=rtol, atol=atol)
        except Exception as error:
            error.add_note(f"sample {sample.text!r}, {dtype}, {layout}")
            raise


@pytest.mark.parametrize("op", every_op(lambda op: op.name in WRONG_THERE), ids=name_of)
@compares
def test_what_is_listed_as_wrong_in_pytorch_still_is(op):
    """By finite differences of PyTorch's own function, which leafward's gradient passes."""
    wrong = []
    for sample in samples_of(op):
        name = sample.receivers[WRONG_THERE[op.name]].name
        assert_gradient(leafward, ours(op), sample)
        try:
            assert_gradient(torch, theirs(op), sample)
        except AssertionError as error:
            assert f"gradient for {name} along" in str(error)
            wrong.append(sample)
    assert wrong, f"PyTorch's gradient of {op.name} is right now: compare with it"


@pytest.mark.parametrize("sample", [s for s in DIFFERENTIABLE if s.op.name not in (
    "as_strided", "view_as_real", "view_as_complex")], ids=name_of)
@compares
def test_gradient_of_views_of_conjugates_and_negatives(sample):
    for dtype in "float64", "complex128":
        drawn = sample.draw(dtype)
        plain, lazy = (Outcome(gradients, (leafward, ours(sample.op), sample, drawn, layout))
                       for layout in ("contiguous", "lazy_conj"))
        for outcome in plain, lazy:
            outcome.value = None if outcome.error is not None else list(outcome.value[2] or [])
        assert_same_outcome(lazy, plain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("sample", [s for s in DIFFERENTIABLE if not is_flat(s)], ids=name_of)
@compares
def test_rules_write_into_nothing(sample):
    """The incoming gradient, the inputs and the outputs keep their bytes, and a second pass gives the same."""
    args, kwargs = sample.make(leafward, "float64", requires_grad=True)
    result = Outcome(call, (leafward, ours(sample.op), sample.op, args, kwargs)).value
    outputs, inputs = wanting(result), wanting([args, kwargs])
    standard = wanting(settled(sample.op, result))
    incoming = cotangents_for(leafward, standard)
    watched = [*incoming, *inputs, *outputs]
    before = [to_numpy(x).tobytes() for x in watched]
    passes = [leafward.autograd.grad(standard, inputs, incoming, retain_graph=True, allow_unused=True) for _ in "12"]
    compared()
    assert [to_numpy(x).tobytes() for x in watched] == before, f"{sample.name}: a rule wrote into what it was given"
    for a, b in zip(*passes):
        if a is not None:
            assert_close(to_numpy(a), to_numpy(b), 0, 0, "the second pass")


@pytest.mark.parametrize("sample", [s for s in DIFFERENTIABLE if has_its_name(s.op)], ids=name_of)
@compares
def test_keeps_no_more_than_pytorch_keeps(sample):
    """Overwrite an input or output after the forward: backward complains only where PyTorch's does, or it is right."""
    for position in range(len(watched_tensors(torch, theirs(sample.op), sample)[0])):
        expected, given = (gradients_after_a_write(t, find(sample.op), sample, position)
                           for t, find in ((torch, theirs), (leafward, ours)))
        compared()
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


def constant_tensors(args, kwargs, sample):
    """Those of the sample that could have one: ``(name, tensor)``."""
    values = dict(zip([p.name for p in sample.parameters], args), **kwargs)
    return [(name, x) for name in constant_inputs(sample.op)
            if is_tensor(x := values.get(name)) and is_differentiable(dtype_name(x))]


@pytest.mark.parametrize("sample", [s for s in every_sample(lambda op: is_comparable(op) and constant_inputs(op))
                                    if constant_tensors(*s.make(torch, "float64"), s)], ids=name_of)
@compares
def test_constant_inputs_have_no_gradient_in_pytorch(sample):
    args, kwargs = sample.make(torch, "float64")
    for name, x in constant_tensors(args, kwargs, sample):
        compared()
        outcome = Outcome(call, (torch, theirs(sample.op), sample.op, *wanting_only(x, args, kwargs)))
        assert outcome.error is None or "differentiable" in str(outcome.error), outcome.error
        for out in wanting(outcome.value) if outcome.error is None else ():
            grad = Outcome(torch.autograd.grad, (out.sum(), x), {"allow_unused": True}).value
            assert grad is None or grad[0] is None or not grad[0].any(), f"PyTorch has a derivative for {name}"


def wanting_only(x, args, kwargs):
    """``args, kwargs`` with ``x`` alone requiring grad."""
    for other in wanting([args, kwargs]):
        other.requires_grad_(False)
    x.requires_grad_()
    return args, kwargs
