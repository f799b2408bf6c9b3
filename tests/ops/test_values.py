"""Every sample gives PyTorch's value, dtype and shape, in every dtype and memory layout, or PyTorch's exception."""
import numpy as np
import pytest

import leafward
from tests.comparisons import compared, compares
from tests.oracle import (
    Outcome, assert_same, assert_same_outcome, has_no_kernel, is_floating, is_tensor, to_numpy, torch,
)
from tests.ops.checks import (
    OTHERWISE_NAMED, call, fails_there, has_gradient, has_its_name, is_recorded, settled, tensors_in, wanting,
)
from tests.samples import (
    LAYOUTS, Sample, every_op, every_sample, is_comparable, is_composite, name_of, ours, samples_of, theirs,
)

SWEEP = ("float64", "int64", "bool", "complex64", "float16", "bfloat16")


def compare(sample, dtype, layout="contiguous"):
    """Run ``sample`` on both sides; the results and what became of the inputs agree."""
    op = sample.op
    our_args, our_kwargs = sample.make(leafward, dtype, layout=layout)
    their_args, their_kwargs = sample.make(torch, dtype, layout=layout)
    expected = Outcome(settled_call, (torch, theirs(op), op, their_args, their_kwargs))
    given = Outcome(settled_call, (leafward, ours(op), op, our_args, our_kwargs))
    if is_half_or_complex(dtype) and expected.error is not None and has_no_kernel(expected.error):
        return  # PyTorch lacks the kernel on the CPU, which promises nothing
    if expected.error is not None and fails_there(op, expected.error):
        compared()
        assert given.error is None
        return
    if layout == "expanded" and given.error is not None and "refers to a single memory location" in str(given.error):
        return  # PyTorch writes running averages over each other there
    if "complex32" in str(getattr(expected.value, "dtype", "")):
        return  # half-precision complex, which leafward lacks
    rtol, atol = op.tolerance if op.tolerance and dtype == "float32" else (None, None)
    try:
        if op.random and expected.error is None:
            assert_same_shape(given.get(), expected.value)
        else:
            try:
                assert_same_outcome(given, expected, rtol=rtol, atol=atol)
            except AssertionError:
                if given.error is not None or expected.error is not None or not is_nearer_to_truth(
                        sample, dtype, layout, given.value, expected.value):
                    raise
        # PyTorch moves running averages of half types in several roundings.
        atol = torch.finfo(getattr(torch, dtype)).eps if dtype in ("float16", "bfloat16") else None
        assert_same(our_args, their_args, atol=atol, where="an input, afterwards")
        assert_same(list(our_kwargs.values()), list(their_kwargs.values()), where="an input, afterwards")
    except Exception as error:
        error.add_note(f"sample {sample.text!r}, {dtype}, {layout}")
        raise


def settled_call(t, function, op, args, kwargs):
    return settled(op, call(t, function, op, args, kwargs))


def is_half_or_complex(dtype):
    return dtype in ("float16", "bfloat16") or "complex" in dtype


def is_nearer_to_truth(sample, dtype, layout, given, expected):
    """Dtypes and shapes agree, and the values are no farther from the float64 result than PyTorch's, or two roundings."""
    if not is_floating(dtype):
        return False
    args, kwargs = sample.make(torch, dtype, layout=layout)
    truth = Outcome(settled_call, (torch, theirs(sample.op), sample.op, in_float64(args), in_float64(kwargs))).value
    for ours_, theirs_, exact in zip(tensors_in(given), tensors_in(expected), tensors_in(truth), strict=True):
        if ours_.shape != theirs_.shape or str(ours_.dtype) != str(theirs_.dtype) or not (
                theirs_.is_floating_point() or theirs_.is_complex()):
            return False
        wide = "complex128" if theirs_.is_complex() else "float64"
        error, their_error = (np.abs(to_numpy(x).astype(wide) - to_numpy(exact)) for x in (ours_, theirs_))
        two_roundings = 2 * torch.finfo(theirs_.dtype).eps * np.abs(to_numpy(exact)).max(initial=0)
        their_error = np.nan_to_num(their_error, nan=0)      # where PyTorch has NaN, only the truth counts
        if not (np.isfinite(error).all() and error.max(initial=0) <= max(their_error.max(initial=0), two_roundings)):
            return False
    return True


def in_float64(value):
    if isinstance(value, dict):
        return {name: in_float64(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(in_float64(item) for item in value)
    return value.double() if is_tensor(value) and value.is_floating_point() else value


def assert_same_shape(given, expected):
    compared()
    if is_tensor(expected):
        assert tuple(given.shape) == tuple(expected.shape)
        assert str(given.dtype) == str(expected.dtype)


@pytest.mark.parametrize("sample", every_sample(is_comparable), ids=name_of)
@compares
def test_value(sample):
    compare(sample, "float32")


@pytest.mark.parametrize("sample", every_sample(is_comparable), ids=name_of)
def test_sample_is_no_error_to_pytorch(sample):
    """A sample that PyTorch refuses whatever its dtype would compare two exceptions and check nothing."""
    for dtype in "float32", "float64", "int64", "bool", "complex64":
        args, kwargs = sample.make(torch, dtype)
        outcome = Outcome(call, (torch, theirs(sample.op), sample.op, args, kwargs))
        if outcome.error is None:
            return
    raise outcome.error


@pytest.mark.parametrize("sample", [s for s in every_sample(is_comparable) if s.follows_dtype], ids=name_of)
@compares
def test_value_in_other_dtypes(sample):
    for dtype in SWEEP:
        compare(sample, dtype)


@pytest.mark.parametrize("sample", [s for s in every_sample(is_comparable) if s.specs], ids=name_of)
@compares
def test_value_of_other_layouts(sample):
    for layout in LAYOUTS[1:]:
        compare(sample, "float32", layout)


#: What they do depends on where elements lie, or on how they are meant.
ABOUT_MEMORY = ("as_strided", "_as_strided", "view_as_real", "view_as_complex", "is_conj")


@pytest.mark.parametrize("sample", [
    s for s in every_sample(lambda op: not op.random and op.name not in ABOUT_MEMORY) if s.specs], ids=name_of)
@compares
def test_value_of_views_of_conjugates_and_negatives(sample):
    """They give, and come to hold, what ordinary tensors do. (In PyTorch some operations read or write their memory.)"""
    for dtype in "float32", "complex64":
        seen = []
        for layout in "contiguous", "lazy_conj":
            args, kwargs = sample.make(leafward, dtype, layout=layout)
            outcome = Outcome(call, (leafward, ours(sample.op), sample.op, args, kwargs))
            outcome.value = None if outcome.error is not None else [outcome.value, args, list(kwargs.values())]
            seen.append(outcome)
        try:
            assert_same_outcome(seen[1], seen[0])
        except Exception as error:
            error.add_note(dtype)
            raise


SHAPES = {1: ("", "0", "0 3", "2 0 3", "1"),
          2: (" | ", "3 | ", " | 2 3", "2 1 3 | 4 1", "0 | 1", "0 3 | 3", "1 | 2 0"),
          3: (" | | ", "2 1 | 3 | ", "3 | 2 1 | 2 3", "0 | 1 | ")}


@pytest.mark.parametrize("op", every_op(lambda op: is_comparable(op) and not is_composite(op) and op.elementwise), ids=name_of)
@compares
def test_broadcast_empty_and_0_dim(op):
    first = next((s for s in map(lambda text: Sample(op, text), op.samples)
                  if all(spec.follows_dtype for spec in s.specs)), None)
    if first is None:
        first = Sample(op, op.samples[0])
    options = f" ; {first.options_text}" if first.options_text else ""
    for shapes in SHAPES.get(len(first.specs), ()):
        kinds = [f"{s.kind}: " if s.kind in ("bool", "complex") or s.kind.startswith("int") else "" for s in first.specs]
        text = " | ".join(kind + shape.strip() for kind, shape in zip(kinds, shapes.split("|")))
        compare(Sample(op, text + options), "float32")


def node_names(sample):
    """The names of the outputs' nodes here and in PyTorch; None for an exception."""
    names = []
    for t, find in (leafward, ours), (torch, theirs):
        args, kwargs = sample.make(t, "float32", requires_grad=True)
        outputs = Outcome(call, (t, find(sample.op), sample.op, args, kwargs))
        names.append(None if outputs.error else [type(out.grad_fn).__name__ for out in wanting(outputs.value)])
    return names


@pytest.mark.parametrize("sample", [s for s in every_sample(
    lambda op: has_its_name(op) and has_gradient(op) and op.name not in OTHERWISE_NAMED) if is_recorded(s, "float32")],
    ids=name_of)
def test_grad_fn_is_named_as_in_pytorch(sample):
    given, expected = node_names(sample)
    assert given == expected


@pytest.mark.parametrize("op", every_op(lambda op: op.name in OTHERWISE_NAMED), ids=name_of)
def test_what_is_listed_as_named_otherwise_still_is(op):
    assert any(given != expected for given, expected in map(node_names, samples_of(op)))
