"""The declared error samples raise PyTorch's type and sentence, in PyTorch too."""
from itertools import product

import pytest

import leafward
from tests.oracle import Outcome, expected_type, torch
from tests.ops.checks import call
from tests.samples import Sample, every_op, is_comparable, is_composite, is_public, name_of, ours, theirs

ERRORS = [(op, *error) for op in every_op(lambda op: op.errors) for error in op.errors]


@pytest.mark.parametrize(("op", "text", "kind", "message"), ERRORS, ids=[f"{e[0].name}-{e[1]}" for e in ERRORS])
def test_error_sample(op, text, kind, message):
    sample = Sample(op, text)
    args, kwargs = sample.make(leafward, "float32")
    given = Outcome(call, (leafward, ours(op), op, args, kwargs))
    assert isinstance(given.error, kind), f"expected {kind.__name__}, got {given.error!r} and {given.value!r}"
    assert message in str(given.error)
    if is_comparable(op):
        args, kwargs = sample.make(torch, "float32")
        expected = Outcome(call, (torch, theirs(op), op, args, kwargs))
        assert expected.error is not None, f"PyTorch does not raise: it gives {expected.value!r}"
        assert isinstance(given.error, expected_type(expected.error))
        assert message in str(expected.error)


def takes(t, function, op, pattern):
    """Whether ``function`` takes tensors (T) and Python numbers (N) in this order, for some dtypes of both."""
    for values, number in product(([1.0, 2.0], [1, 2], [True, False]), (2.0, 2, True)):
        args = [t.tensor(values) if kind == "T" else number for kind in pattern]
        if not isinstance(Outcome(call, (t, function, op, args, {})).error, TypeError):
            return True
    return False


@pytest.mark.parametrize("op", every_op(
    lambda op: not is_composite(op) and op.elementwise and is_public(op) and op.reference is None and not op.random
    and not op.paths[0].startswith("Tensor.")), ids=name_of)
def test_numbers_are_taken_where_pytorch_takes_them(op):
    required = [name for name in op.inputs if op.defaults[op.names.index(name)] is not None]
    for pattern in product("TN", repeat=len(required)):
        assert takes(leafward, ours(op), op, pattern) == takes(torch, theirs(op), op, pattern), "".join(pattern)
