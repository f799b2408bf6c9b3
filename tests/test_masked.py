"""``torch.masked``: values, gradients and refusals beside PyTorch's."""
import subprocess
import sys

import pytest

import leafward
from tests.both import both
from tests.oracle import Outcome, assert_same, assert_same_outcome, torch

#: Of each function, what it is called with beside the input and its mask.
CALLS = {
    "sum": ["", "1", "dim=(0, 1)", "(1, 0), keepdim=True", "dim=()", "0, dtype=t.float64", "-1, keepdim=None"],
    "prod": ["", "1", "dim=(0, 1)", "(1, 0), keepdim=True", "dim=()", "0, dtype=t.float64"],
    "mean": ["", "1", "dim=(0, 1), keepdim=True", "0, dtype=t.float64", "0, dtype=t.int64"],
    "amax": ["", "1", "dim=(0, 1), keepdim=True", "0, dtype=t.float64"],
    "amin": ["", "1", "dim=(0, 1), keepdim=True", "0, dtype=t.float64"],
    "argmax": ["", "1", "0, keepdim=True", "0, dtype=t.int64"],
    "argmin": ["", "1", "0, keepdim=True", "0, dtype=t.int64"],
    "logsumexp": ["", "1", "dim=(0, 1), keepdim=True", "0, dtype=t.float64"],
    "median": ["", "0", "1, keepdim=True"],
    "norm": ["", "2, 1", "1, 0, keepdim=True", "0, 1", "3.5, 1", "float('inf'), 1", "-float('inf'), 1",
             "2, 1, dtype=t.float64"],
    "var": ["", "1", "1, False", "1, True", "1, correction=2", "(0, 1), keepdim=True", "1, dtype=t.float64", "0, dtype=t.int64",
            "1, True, correction=1"],
    "std": ["", "1", "1, False", "1, correction=0", "(0, 1), keepdim=True", "1, dtype=t.float64"],
    "cumsum": ["1", "0", "1, dtype=t.float64", "(1, 0)"],
    "cumprod": ["1", "0", "1, dtype=t.float64"],
    "softmax": ["1", "0", "1, dtype=t.float64"],
    "log_softmax": ["1", "0", "1, dtype=t.float64"],
    "softmin": ["1", "0", "1, dtype=t.float64"],
    "normalize": ["2, 1", "1, 0", "0, 1", "float('inf'), 1", "2., 1, eps=9.", "2, (0, 1)"],
}
CASES = [(name, text) for name, texts in CALLS.items() for text in texts]
VALUES = [[1.5, -2.0, 3.0, 0.5], [4.0, 5.0, -6.0, 2.5], [-1.0, 2.0, 7.0, -3.5]]
MASKS = {
    "none": None,
    "some": [[True, False, True, True], [False, True, False, True], [True, True, True, False]],
    "a row": [[True, False, True, True], [False, False, False, False], [True, True, True, False]],
    "a column": [True, False, True, True],
    "numbers": [[1.0, 0.0, 2.0, 1.0]],
}


def called(t, name, text, dtype, mask, grad=False):
    x = t.tensor(VALUES, dtype=getattr(t, dtype)).requires_grad_(grad)
    given = {"mask": None if mask is None else t.tensor(mask)}
    return x, eval(f"t.masked.{name}(x, {text + ',' if text else ''} **given)", {"t": t, "x": x, "given": given})




def comparable(name, text, dtype):
    """Complex numbers have no order and no real part that one should pass by; of log_softmax PyTorch rounds halves twice."""
    if dtype == "complex64":
        return name != "median" and "dtype" not in text
    return (name, dtype) != ("log_softmax", "float16")



DTYPES = ["float32", "float64", "int64", "int8", "bool", "complex64", "float16"]


@pytest.mark.parametrize("name, text, dtype", [(*c, dtype) for c in CASES for dtype in DTYPES if comparable(*c, dtype)])
def test_values(name, text, dtype):
    for mask in MASKS.values():
        outcomes = [Outcome(lambda t=t, m=mask: called(t, name, text, dtype, m)[1]) for t in (leafward, torch)]
        assert_same_outcome(*outcomes)


@pytest.mark.parametrize("name, text", [case for case in CASES if "int64" not in case[1] and not case[0].startswith("arg")])
def test_gradients(name, text):
    for mask in MASKS.values():
        grads = []
        for t in (leafward, torch):
            if (out := Outcome(lambda t=t, m=mask: called(t, name, text, "float64", m, grad=True))).error is None:
                x, y = out.value
                y.double().nan_to_num(posinf=0, neginf=0).pow(2).sum().backward()
                grads.append(x.grad)
        assert_same(*grads or [None, None])


@both
def test_logaddexp(t, see):
    x, y = t.tensor([[1.0, 2.0, -3.0], [0.5, 0.0, 4.0]], requires_grad=True), t.tensor([2.0, -1.0, 0.0])
    seen, other_seen = t.tensor([[True, False, True], [False, False, True]]), t.tensor([True, False, False])
    for masks in ({}, {"input_mask": seen}, {"other_mask": other_seen}, {"input_mask": seen, "other_mask": other_seen}):
        out = t.masked.logaddexp(x, y, **masks)
        see(out, t.autograd.grad(out.exp().sum(), x), t.masked.logaddexp(x, y, dtype=t.float64, **masks).dtype)
    see.raises(t.masked.logaddexp, x.bool(), y, input_mask=seen)
    see(t.masked.logaddexp(x.long(), y))


@both
def test_refusals(t, see):
    x, mask = t.ones(2, 3), t.tensor([True, False, True])
    see.raises(t.masked.sum, x, 5)
    see.raises(t.masked.sum, x, (1, 1))
    see.raises(t.masked.sum, x, 0, mask=t.ones(1, 2, 3))
    see.raises(t.masked.sum, x, 0, mask=t.ones(4))
    see.raises(t.masked.amax, x.bool(), 0, mask=mask)
    see.raises(t.masked.amin, x.bool(), 0, mask=mask)
    see.raises(t.masked.softmax, x.bool(), 0, mask=mask)
    see.raises(t.masked.logsumexp, x.bool(), 0, mask=mask)
    see.raises(t.masked.mean, x.long(), 0)
    see.raises(t.masked.mean, x, 0, dtype=t.int64)
    see.raises(t.masked.median, x.long(), 0, mask=mask)
    see.raises(t.masked.norm, x.long(), -float("inf"), mask=mask)
    see.raises(t.masked.var, x, 0, True, correction=1)
    see.raises(t.masked.softmax, x)
    see.raises(t.masked.median, x, [])


@both
def test_scalars(t, see):
    for mask in None, t.tensor(True), t.tensor(False):
        for name in "sum", "prod", "amax", "mean", "var", "norm", "logsumexp", "argmax":
            for dim in None, 0, -1:
                see(getattr(t.masked, name)(t.tensor(3.0), dim=dim, keepdim=True, mask=mask))
        see(t.masked.median(t.tensor(3.0), mask=mask), t.masked.softmax(t.tensor(3.0), 0, mask=mask))


@both
def test_names(t, see):
    see(sorted(t.masked.__all__), t.masked.is_masked_tensor(t.ones(2)), t.masked.is_masked_tensor(None))


def test_medians_of_integers_are_exact():
    x = leafward.tensor([[2**24 + 1, 2**30 + 3, -(2**31) - 7]])      # PyTorch gives 2**24: it goes through float32
    assert leafward.masked.median(x, 1).tolist() == [2**24 + 1]


@pytest.mark.parametrize("make", ["masked_tensor", "as_masked_tensor", "MaskedTensor"])
def test_pairs_of_data_and_mask_say_what_to_use(make):
    x = leafward.ones(2)
    with pytest.raises(NotImplementedError, match=r"torch\.masked\.sum\(data, mask=mask\)"):
        getattr(leafward.masked, make)(x, x > 0)


def test_loads_when_asked_for():
    code = """
import sys, leafward
assert "leafward.masked" not in sys.modules
leafward.install_as_torch()
from torch.masked import sum
import torch
assert sum is torch.masked.sum is leafward.masked.sum
"""
    subprocess.run([sys.executable, "-c", code], check=True)
