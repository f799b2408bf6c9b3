"""``torch.testing``: the same verdicts and the same words as PyTorch's."""
import numpy as np
import pytest

import leafward
from tests.oracle import Outcome, assert_same, torch

PAIR = leafward, torch
NAN, INF = float("nan"), float("inf")

COMPARISONS = [
    lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 2.1])), lambda t: (t.tensor([1, 2]), t.tensor([1, 3])),
    lambda t: (t.tensor(1.0), t.tensor(1.2)), lambda t: (t.tensor(1), t.tensor(2)), lambda t: (1.0, 1.1), lambda t: (1, 2),
    lambda t: (1j, 2j), lambda t: (1, 1.0), lambda t: (1, 1.0, {"check_dtype": False}), lambda t: (True, False),
    lambda t: (True, True), lambda t: (None, None), lambda t: (None, t.tensor(1.0)), lambda t: ("a", "a"),
    lambda t: (t.tensor([1.0]), t.tensor([1])), lambda t: (t.tensor([1.0]), t.tensor([1.0, 2.0])),
    lambda t: (t.tensor([1.0]), t.tensor([1]), {"check_dtype": False}), lambda t: ([1.0, t.tensor(2.0)], [1.0, t.tensor(3.0)]),
    lambda t: ([1], [1, 2]), lambda t: ({"a": 1}, {"b": 1}), lambda t: ((1, t.tensor(2.0)), [1, t.tensor(2.0)]),
    lambda t: ({"a": t.tensor([1.0, 5.0]), "b": 1}, {"b": 1, "a": t.tensor([1.0, 4.0])}),
    lambda t: ({"a": [t.tensor(1.0), t.tensor([2.0, 3.0])]}, {"a": [t.tensor(1.0), t.tensor([2.0, 4.0])]}),
    lambda t: (t.tensor([NAN]), t.tensor([NAN])), lambda t: (t.tensor([NAN]), t.tensor([NAN]), {"equal_nan": True}),
    lambda t: (NAN, NAN), lambda t: (NAN, NAN, {"equal_nan": True}), lambda t: (t.tensor([INF]), t.tensor([1.0])),
    lambda t: (INF, INF), lambda t: (t.tensor([1.0]), t.tensor([2.0]), {"rtol": 0.1}),
    lambda t: (t.tensor([1.0, 2.0]), t.tensor([1.0, 2.1]), {"rtol": 0.001, "atol": 0}),
    lambda t: (t.tensor([1, 2, 3]), t.tensor([1, 5, 9]), {"rtol": 0, "atol": 3}),
    lambda t: (t.tensor([1.0]), t.tensor([3.0]), {"msg": "hello"}),
    lambda t: (t.tensor([1.0]), t.tensor([3.0]), {"msg": lambda text: f"before {text} after"}),
    lambda t: (t.ones(2, 3).t(), t.ones(3, 2), {"check_stride": True}), lambda t: (t.ones(2, 3).t(), t.ones(3, 2)),
    lambda t: (t.tensor([1 + 1j]), t.tensor([1 + 2j])), lambda t: (t.tensor([True, False]), t.tensor([True, True])),
    lambda t: (t.tensor([1.0]).half(), t.tensor([1.01]), {"check_dtype": False}), lambda t: (t.zeros(0), t.zeros(0)),
    lambda t: (t.tensor([1.0]).bfloat16(), t.tensor([1.2]).bfloat16()), lambda t: (t.zeros(3, 4), t.ones(3, 4)),
    lambda t: (np.array([1.0, 2.0]), np.array([1.0, 3.0])), lambda t: (np.float32(1), np.float32(1)),
    lambda t: (t.tensor([1.0], requires_grad=True), t.tensor([1.0])), lambda t: (t.tensor([2**62]), t.tensor([2**62 + 1])),
    lambda t: (t.nn.Parameter(t.ones(1)), t.ones(1)),
    lambda t: (t.nn.Parameter(t.ones(1)), t.ones(1), {"allow_subclasses": False}),
]


@pytest.mark.parametrize("make", COMPARISONS, ids=range(len(COMPARISONS)))
def test_assert_close(make):
    def run(t):
        actual, expected, *options = make(t)
        t.testing.assert_close(actual, expected, **(options[0] if options else {}))
    ours, theirs = (Outcome(run, (t,)) for t in PAIR)
    assert type(ours.error) is type(theirs.error), f"{ours.error!r}, PyTorch {theirs.error!r}"
    assert str(ours.error).replace("leafward.tensor.", "torch.").replace("leafward.", "torch.") == str(theirs.error)


def test_the_older_name():
    for t in PAIR:
        with pytest.warns(FutureWarning, match="assert_allclose"):
            t.testing.assert_allclose([1.0, NAN], t.tensor([1, NAN], dtype=t.float64).float())
        with pytest.warns(FutureWarning, match="assert_allclose"), pytest.raises(AssertionError, match="not close"):
            t.testing.assert_allclose(t.tensor([1.0]), [2.0])


MADE = [
    ((3,), {"dtype": "float32"}), ((2, 3), {"dtype": "float64", "low": -1, "high": 0.5}), ((3,), {"dtype": "float16"}),
    ((3,), {"dtype": "int64", "low": 0, "high": 5}), ((4,), {"dtype": "bool"}), ((3,), {"dtype": "complex64"}),
    ((3,), {"dtype": "uint8"}), ((2, 4), {"dtype": "float32", "noncontiguous": True}), ((3,), {"dtype": "bfloat16"}),
    ((2, 3), {"dtype": "float32", "requires_grad": True}), ((3,), {"dtype": "bool", "low": 0, "high": 3}),
    ((3,), {"dtype": "int8", "low": -500, "high": 500}), ((), {"dtype": "float64", "low": 2, "high": 1e30}),
    ((3,), {"dtype": "int64", "low": -1, "high": 2, "exclude_zero": True}), ((1,), {"dtype": "int64", "noncontiguous": True}),
    ((3,), {"dtype": "float32", "low": 5, "high": 1}), ((3,), {"dtype": "float32", "low": NAN}),
    ((2, 3), {"dtype": "int32", "requires_grad": True}),
]


@pytest.mark.parametrize(("shape", "options"), MADE, ids=map(str, MADE))
def test_make_tensor(shape, options):
    def run(t):
        t.manual_seed(0)
        return t.testing.make_tensor(*shape, device="cpu", **{**options, "dtype": getattr(t, options["dtype"])})
    ours, theirs = (Outcome(run, (t,)) for t in PAIR)
    assert str(ours.error) == str(theirs.error)
    if theirs.error is None:
        assert_same(ours.value, theirs.value, strides=True, rtol=0, atol=0)
        assert ours.value.requires_grad == theirs.value.requires_grad


def test_memory_format():
    made = leafward.testing.make_tensor(2, 4, 3, 2, dtype=leafward.float32, memory_format=leafward.channels_last)
    assert made.stride() == (24, 1, 8, 4)
    with pytest.raises(ValueError, match="mutually exclusive"):
        leafward.testing.make_tensor(2, dtype=leafward.float32, noncontiguous=True, memory_format=leafward.channels_last)
