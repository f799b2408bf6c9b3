"""What a call refuses, and what it says: PyTorch's exception type and first sentence."""
import pytest

import leafward
from tests.oracle import Outcome, torch

REFUSED = {
    "a tensor where a sequence of them belongs": lambda t: t.cat(t.ones(2, 3)),
    "the same, with out=": lambda t: t.stack(t.ones(2, 3), out=t.ones(2, 3)),
    "numbers in a sequence of tensors": lambda t: t.cat((t.ones(2), 1)),
    "an operator of a tensor on a number": lambda t: t.Tensor.__radd__(2, t.ones(3)),
    "another": lambda t: t.Tensor.__and__(2, t.ones(3, dtype=t.int64)),
    "a step of zero": lambda t: t.arange(0, 5, 0),
    "a step that is zero as an integer": lambda t: t.arange(0, 5, 0.5, dtype=t.int64),
    "the same, because of out=": lambda t: t.arange(0, 5, 0.5, out=t.empty(0, dtype=t.int64)),
    "a step of the wrong sign": lambda t: t.arange(5, 0, 0.5, dtype=t.int64),
    "out= of another dtype": lambda t: t.mm(t.ones(2, 2), t.ones(2, 2), out=t.empty(2, 2, dtype=t.int64)),
    "parts of two dtypes": lambda t: t.complex(t.ones(2), t.ones(2).double()),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusal(case):
    expected, given = (Outcome(REFUSED[case], (t,)).error for t in (torch, leafward))
    assert type(given) is type(expected)
    assert str(given).partition("\n")[0] == str(expected).partition("\n")[0]


def test_division_has_the_names_of_python_2_too():
    for t in torch, leafward:
        x = t.tensor([1.0, 2.0, 4.0])
        assert x.__rdiv__(8).tolist() == [8.0, 4.0, 2.0]
        assert x.__div__(2).tolist() == [0.5, 1.0, 2.0]
        assert x.__idiv__(2) is x
        assert x.tolist() == [0.5, 1.0, 2.0]


def test_grid_sampler_refuses_modes_that_do_not_exist():
    with pytest.raises(ValueError, match="expected padding_mode to be 0, 1 or 2, but got 3"):
        leafward.grid_sampler_2d(leafward.ones(1, 1, 2, 2), leafward.zeros(1, 1, 1, 2), 0, 3, False)


@pytest.mark.parametrize("call", [
    lambda x: torch.add(x, 1), lambda x: torch.nn.functional.relu(x), lambda x: torch.cat([x]),
    lambda x: torch.ops.aten.slice.Tensor(x, 0)])
def test_functions_of_pytorch_refuse_tensors_of_leafward(call):
    with pytest.raises(TypeError, match="is a function of the installed PyTorch"):
        call(leafward.ones(2))


@pytest.mark.parametrize("call", [
    lambda x: leafward.ones(2) + x, lambda x: x + leafward.ones(2), lambda x: leafward.add(leafward.ones(2), x),
    lambda x: leafward.cat([x, leafward.ones(2)]), lambda x: leafward.matmul(leafward.ones(2, 2), torch.nn.Parameter(x))])
def test_tensors_of_pytorch_are_refused(call):
    with pytest.raises(TypeError, match="got a tensor of the installed PyTorch: convert it with leafward.from_numpy"):
        call(torch.ones(2))
