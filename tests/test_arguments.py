"""What a call refuses, and what it says: PyTorch's exception type and first sentence."""
import math

import pytest

import leafward
from tests.oracle import Outcome, assert_same, torch

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
    "several dims where one belongs": lambda t: t.argmax(t.ones(2, 3), (0, 1)),
    "a dim by name that is none": lambda t: t.argmax(t.ones(2), dim="a"),
    "a bool where an int belongs": lambda t: t.topk(t.ones(2), True),
    "the same, by name": lambda t: t.topk(t.ones(2), k=True),
    "the same, in a layer's function": lambda t: t.nn.functional.pixel_shuffle(t.ones(1, 1, 1), True),
    "an int where a bool belongs": lambda t: t.sum(t.ones(2), 0, keepdim=1),
    "a float where an int belongs": lambda t: t.triu(t.ones(2, 2), 1.5),
    "text for a number": lambda t: t.add(t.ones(2), 1, alpha="a"),
    "None for a number": lambda t: t.nn.functional.leaky_relu(t.ones(2), None),
    "a tensor with a dim for a number": lambda t: t.add(t.ones(2), 1, alpha=t.ones(1)),
    "an option of an in-place function": lambda t: t.ones(2, 2).tril_(diagonal=True),
    "text for nan_to_num": lambda t: t.nan_to_num(t.ones(2), "a"),
    "an int that 64 bits cannot hold": lambda t: t.ones(2) + 2**64,
    "one below zero": lambda t: t.ones(2) * -2**64,
    "one on the left": lambda t: 2**70 - t.arange(2),
    "one as an option": lambda t: t.add(t.ones(2), 1, alpha=2**64),
    "one to fill with": lambda t: t.full((2,), 2**64, dtype=t.float32),
    "one written through an index": lambda t: t.ones(2).__setitem__(0, 2**63),
    "a factor beyond the dtype": lambda t: t.add(t.ones(2, dtype=t.uint8), 1, alpha=300),
    "a complex factor": lambda t: t.addmm(t.ones(1, 1), t.ones(1, 1), t.ones(1, 1), beta=1j),
    "a bound beyond the dtype": lambda t: t.ones(2, dtype=t.int8).clamp(max=200),
    "the same in half precision": lambda t: t.ones(2, dtype=t.float16).clamp_min(1e6),
    "a filling beyond the dtype": lambda t: t.ones(2).fill_(1e39),
    "a tensor's value beyond the dtype": lambda t: t.ones(2, dtype=t.uint8).masked_fill(t.tensor([True, False]), t.tensor(300)),
    "a padding below zero in an unsigned dtype": lambda t: t.nn.functional.pad(t.ones(2, dtype=t.uint8), (1, 1), value=-1),
    "integers divided": lambda t: t.addcdiv(t.ones(2), t.arange(2), t.arange(2)),
    "a norm in a narrower dtype": lambda t: t.linalg.matrix_norm(t.ones(2, 2), 1, dtype=t.float16),
    "a norm in a real dtype": lambda t: t.linalg.norm(t.ones(2, dtype=t.complex64), dtype=t.float32),
    "distances across dtypes": lambda t: t.cdist(t.ones(2, 3), t.ones(2, 3, dtype=t.float64)),
    "distinct rows of nothing, twice": lambda t: t.unique(t.ones(0, 0), dim=0),
    "NaN for singular values": lambda t: t.linalg.svd(t.full((3, 2, 2), math.nan)),
    "NaN for complex eigenvalues": lambda t: t.linalg.eig(t.full((2, 2), math.nan)),
    "a matrix norm of a vector": lambda t: t.linalg.norm(t.ones(3), "fro"),
    "a matrix norm along one dim": lambda t: t.linalg.norm(t.ones(2, 3), "nuc", dim=0),
    "a norm along three dims": lambda t: t.linalg.norm(t.ones(2, 3, 4), dim=(0, 1, 2)),
    "a number and a tensor for bounds": lambda t: t.clamp(t.ones(2), 0, t.ones(2)),
    "no factors": lambda t: t.mvlgamma(t.ones(2), 0),
    "tensordot across dtypes": lambda t: t.tensordot(t.ones(2), t.ones(2, dtype=t.float64), 1),
    "a subscript beyond the alphabet": lambda t: t.einsum(t.ones(2), [60], [60]),
    "a step that is no number": lambda t: t.arange(0, 5, math.nan),
    "probabilities of another size": lambda t: t.ones(3).bernoulli_(t.tensor([0.5, 0.5])),
    "a vector to begin with": lambda t: t.linspace(t.ones(1), 1, 3),
    "targets of another rank": lambda t: t.nn.functional.cosine_embedding_loss(t.ones(3), t.ones(2, 3), t.tensor(1)),
    "whole numbers for probabilities": lambda t: t.nn.functional.binary_cross_entropy_with_logits(t.ones(2), t.tensor([0, 1])),
    "an image scaled to nothing": lambda t: t.nn.functional.interpolate(t.ones(1, 1, 4), scale_factor=0.1),
    "the k-th of nothing": lambda t: t.kthvalue(t.ones(0, 3), 1, 0),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusal(case):
    expected, given = (Outcome(REFUSED[case], (t,)).error for t in (torch, leafward))
    ours = torch.linalg.LinAlgError if type(given) is leafward.linalg.LinAlgError else type(given)
    assert ours is type(expected)
    assert str(given).partition("\n")[0] == str(expected).partition("\n")[0]


def test_eigh_says_which_matrix_of_a_batch_it_cannot_do():
    x = leafward.stack([leafward.eye(3), leafward.full((3, 3), math.nan)])
    with pytest.raises(leafward.linalg.LinAlgError, match=r"linalg.eigh: \(Batch element 1\): The algorithm failed"):
        leafward.linalg.eigh(x)


ACCEPTED = {
    "an int that 64 bits hold without a sign": lambda t: t.ones(2) + 2**63,
    "the lowest": lambda t: t.arange(2) - 2**63,
    "a tensor for an int": lambda t: t.topk(t.ones(2), t.tensor(1)),
    "a tensor for a number": lambda t: t.add(t.ones(2), 1, alpha=t.tensor(2.0)),
    "no stability": lambda t: t.sort(t.ones(2), stable=None),
    "a filling below zero in an unsigned dtype": lambda t: t.ones(2, dtype=t.uint8).fill_(-1),
    "the same in masked_fill": lambda t: t.ones(2, dtype=t.uint8).masked_fill(t.tensor([True, False]), -255),
    "the same in threshold": lambda t: t.nn.functional.threshold(t.arange(3, dtype=t.uint8), -1, 5),
    "the same through an index": lambda t: write(t.ones(2, dtype=t.uint8), -1),
    "a number beyond half precision through an index": lambda t: write(t.ones(2, dtype=t.float16), -1e6),
    "a tensor for a count of dims": lambda t: t.tensordot(t.ones(2, 3), t.ones(3, 2), t.tensor(1)),
    "a negative scale of attention": lambda t: t.nn.functional.scaled_dot_product_attention(
        t.eye(2), t.eye(2), t.eye(2), scale=-1.0),
    "powers of a base below zero": lambda t: t.logspace(0, 1, 3, base=-2),
    "the side of NaN": lambda t: t.sign(t.tensor([math.nan, -2.0])),
    "the slope of its size": lambda t: slope(t, t.tensor([math.nan, -2.0]).requires_grad_()),
    "a pooling norm of infinite order": lambda t: t.nn.functional.lp_pool1d(t.tensor([[[-1.0, 2.0, -3.0, 0.5]]]), math.inf, 2),
    "one of minus infinity": lambda t: t.nn.functional.lp_pool2d(-t.ones(1, 1, 2, 2), -math.inf, 2),
    "smoothing below zero": lambda t: t.nn.functional.cross_entropy(t.eye(2), t.tensor([0, 1]), label_smoothing=-0.1),
    "weights of a Huber loss": lambda t: t.nn.functional.huber_loss(t.ones(2), t.zeros(2), weight=t.tensor([1.0, 2.0])),
    "whole numbers for the targets": lambda t: t.nn.functional.soft_margin_loss(t.ones(2), t.tensor([1, -1])),
    "indices behind the last offset": lambda t: t.nn.functional.embedding_bag(
        t.tensor([0, 1, 1]), t.eye(2), t.tensor([0, 1, 2]), mode="sum", include_last_offset=True),
    "the real part of a sum": lambda t: t.sum(t.tensor([1 + 2j, 3j]), dtype=t.float32),
    "the real part of a running product": lambda t: t.cumprod(t.tensor([1 + 2j, 3j]), 0, dtype=t.float64),
    "the real part of a mean": lambda t: t.mean(t.tensor([[1 + 2j, 3j]]), 1, dtype=t.float32),
}


def slope(t, x):
    return t.autograd.grad(x.abs().sum(), x)[0]


def write(x, value):
    x[0] = value
    return x


@pytest.mark.parametrize("case", ACCEPTED)
def test_unusual_arguments(case):
    expected, given = (Outcome(ACCEPTED[case], (t,)) for t in (torch, leafward))
    assert_same(given.get(), expected.get())
    assert not given.warnings


@pytest.mark.parametrize("call", [
    lambda t: t.ones(1).std(), lambda t: t.var(t.ones(2, 1), 1), lambda t: t.var_mean(t.ones(2), correction=2),
    lambda t: t.std_mean(t.ones(0)), lambda t: t.cov(t.ones(2, 1))])
def test_no_degrees_of_freedom(call):
    expected, given = (Outcome(call, (t,)) for t in (torch, leafward))
    assert_same(given.get(), expected.get())
    assert [str(w.message) for w in given.warnings] == [str(w.message).partition(" (Triggered")[0] for w in expected.warnings]


@pytest.mark.parametrize("call", [
    lambda t, x: t.lerp(x, t.ones(2), 0.3), lambda t, x: x * 2, lambda t, x: x.half() / 2,
    lambda t, x: t.lerp(x, t.ones(2), t.tensor(0.3))])
def test_what_kept_no_tensor_can_be_run_again(call):
    def twice(t):
        out = call(t, t.ones(2, requires_grad=True)).sum()
        out.backward()
        out.backward()
    expected, given = (Outcome(twice, (t,)).error for t in (torch, leafward))
    assert (given is None) is (expected is None)


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
