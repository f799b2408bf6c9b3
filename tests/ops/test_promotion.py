"""The result dtype of every pair of dtypes, dimensioned, 0-dim or Python scalar, is PyTorch's; so is the value."""
import itertools

import numpy as np
import pytest

import leafward
from tests.comparisons import compares
from tests.oracle import DTYPES, Outcome, assert_same, assert_same_outcome, has_no_kernel, torch
from tests.ops.checks import call
from tests.samples import Sample, every_op, is_comparable, is_composite, name_of, ours, parse_input, theirs, to_tensors

SCALARS = (True, 3, 2.5, 1 + 2j)
OPERANDS = [(dtype, shape) for dtype in DTYPES for shape in ((3,), ())]


def promotes(op):
    return not is_composite(op) and is_comparable(op) and op.dtype in ("promote", "floating") and not op.random


def promoting_sample(op):
    """The first sample that is made of plain tensors, and which of its inputs are promoted."""
    for text in op.samples:
        sample = Sample(op, text)
        names = [p.name for p in sample.receivers[:len(sample.specs)]]
        promoted = [k for k, name in enumerate(names) if op.promoted[op.inputs.index(name)]]
        if promoted and all(sample.specs[k].kind not in ("scalar", "none") for k in promoted):
            return sample, promoted
    raise AssertionError(f"{op.name}: no sample is made of tensors that are promoted")


def operand(rng, op, dtype, shape):
    kind = op.domain or "pos"
    return parse_input(f"{kind}: {' '.join(map(str, shape))}").draw(rng, dtype)


def pairs(count, listed):
    """The operands to try: one alone, two in a list, or two in every combination that PyTorch distinguishes."""
    if listed:
        return list(itertools.product(OPERANDS, OPERANDS))
    if count == 1:
        return [(a,) for a in OPERANDS]
    with_scalars = [(a, scalar) for a in OPERANDS for scalar in SCALARS]
    return [*itertools.product(OPERANDS, OPERANDS), *with_scalars]


@pytest.mark.parametrize("op", every_op(promotes), ids=name_of)
@compares
def test_promotion(op):
    sample, promoted = promoting_sample(op)
    rng = np.random.default_rng(3)
    found = []
    listed = sample.specs[promoted[0]].kind == "list"
    for combination in pairs(len(promoted), listed):
        drawn = sample.draw("float32")
        operands = [operand(rng, op, *spec) if isinstance(spec, tuple) else spec for spec in combination]
        for k, value in zip(promoted, [operands] if listed else operands):
            drawn[k] = value
        for k, spec in enumerate(sample.specs):
            if k not in promoted and spec.kind not in ("scalar", "none", "list"):
                spec.shape = ()
                drawn[k] = spec.draw(rng, "float32")
        outcomes = []
        for t, find in (leafward, ours), (torch, theirs):
            args, kwargs = sample.bind([to_tensors(d, t, "contiguous") for d in drawn], sample.options(t))
            outcomes.append(Outcome(call, (t, find(op), op, args, kwargs)))
        if is_beyond_comparison(outcomes[1], combination) or "complex32" in str(outcomes[0].error):
            continue
        try:
            assert_same_outcome(*outcomes, **loose(outcomes[1].value))
        except Exception as error:  # noqa: BLE001  all differences of one op are told together
            found.append(f"{combination}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
    assert not found, f"{op.name}: {len(found)} combinations differ\n" + "\n".join(found[:12])


def is_beyond_comparison(expected, combination):
    """PyTorch has no CPU kernel, takes no number there, or gives half-precision complex, which leafward lacks."""
    wants_tensor = isinstance(expected.error, TypeError) and not isinstance(combination[-1], tuple)
    no_kernel = expected.error is not None and has_no_kernel(expected.error)
    return wants_tensor or no_kernel or "complex32" in str(getattr(expected.value, "dtype", ""))


def loose(expected):
    """Values are the subject of other tests: half precision may differ by a few units in the last place."""
    name = str(getattr(expected, "dtype", "")).removeprefix("torch.")
    return {"float16": {"rtol": 4e-3, "atol": 1e-3}, "bfloat16": {"rtol": 3.2e-2, "atol": 1e-2},
            "float32": {"rtol": 1e-5, "atol": 1e-5}, "complex64": {"rtol": 1e-5, "atol": 1e-5}}.get(name, {})


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["mul", "mul_", "div", "div_", "floor_divide", "add", "sub", "pow", "maximum"])
def test_a_number_in_a_tensor_beside_half_types(name, dtype):
    """Products and quotients take all digits of a float32 number, other ops those that the half type has."""
    outcomes, gradients = [], []
    for t in leafward, torch:
        x = (t.arange(1, 100, dtype=t.float32) / 7).to(getattr(t, dtype))
        leaf = x.clone().requires_grad_(name != "floor_divide")
        number = t.tensor(0.2171)
        outcomes.append(getattr(leaf.clone(), name)(number))
        if leaf.requires_grad:
            outcomes[-1].sum().backward()
            gradients.append(leaf.grad)
    assert outcomes[0].tolist() == outcomes[1].tolist()
    if gradients:
        assert_same(*gradients)
