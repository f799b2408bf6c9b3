"""The declared error samples raise PyTorch's type and sentence, in PyTorch too."""
import pytest

import leafward
from tests.oracle import Outcome, expected_type, torch
from tests.ops.checks import call
from tests.samples import Sample, every_op, is_comparable, ours, theirs

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
