"""Tensors of the meta device have PyTorch's shapes and dtypes, and refuse what needs values."""
import copy
import pickle

import pytest

import leafward as lw
from tests.oracle import torch

LAYERS = {
    "linear": lambda t: t.nn.Linear(3, 4), "norm": lambda t: t.nn.BatchNorm1d(4), "embedding": lambda t: t.nn.Embedding(10, 4),
    "lstm": lambda t: t.nn.LSTM(4, 5), "conv": lambda t: t.nn.Conv2d(3, 4, 3, dtype=t.float64),
    "attention": lambda t: t.nn.MultiheadAttention(8, 2), "half": lambda t: t.nn.Linear(3, 4).half(),
}
VALUES = {
    "sum": lambda t: t.randn(2, 3).sum(0), "promoted": lambda t: t.arange(4) / 3,
    "power": lambda t: 10000 ** (t.arange(0, 6, 2).float() / 6),
    "view": lambda t: t.ones(2, 6).view(3, 4)[1:], "matmul": lambda t: t.eye(3) @ t.zeros(3, 2),
    "cat": lambda t: t.cat([t.ones(1, 2)] * 3),
    "several": lambda t: t.randn(4, 2).max(0), "like": lambda t: t.zeros_like(t.ones(2, 3), dtype=t.int32),
    "data": lambda t: t.tensor([[1, 2]]),
    "compare": lambda t: t.rand(3) > 0.5, "written": lambda t: t.empty(3).fill_(2.0), "new": lambda t: t.ones(2).new_zeros(5),
    "asked for": lambda t: t.ones(2).requires_grad_(), "layer": lambda t: t.nn.functional.linear(t.ones(2, 3), t.ones(4, 3)),
}


def kinds(values):
    values = values if isinstance(values, (list, tuple)) else [values]
    return [(tuple(v.shape), str(v.dtype), v.device.type, v.is_meta, v.stride(), v.requires_grad) for v in values]


@pytest.mark.parametrize("name", VALUES)
def test_results_have_the_shape_and_dtype(name):
    found = []
    for t in (lw, torch):
        with t.device("meta"):
            found.append(kinds(VALUES[name](t)))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", LAYERS)
def test_layers_are_built_without_values(name):
    found = []
    for t in (lw, torch):
        with t.device("meta"):
            layer = LAYERS[name](t)
        found.append({name: (tuple(v.shape), str(v.dtype), v.device.type, v.requires_grad, isinstance(v, t.nn.Parameter))
                      for name, v in (*layer.named_parameters(), *layer.named_buffers())})
    assert found[0] == found[1] and found[0]


REFUSED = {
    "item": lambda m: m[0, 0].item(), "bool": lambda m: bool(m[0, 0]), "tolist": lambda m: m.tolist(),
    "numpy": lambda m: m.detach().numpy(),
    "to": lambda m: m.to("cpu"), "cpu": lambda m: m.cpu(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_values_are_refused(name):
    raised = []
    for t in (lw, torch):
        with pytest.raises(Exception) as error:
            REFUSED[name](t.ones(2, 2).to("meta"))
        raised.append(error)
    assert raised[0].type is raised[1].type
    assert str(raised[0].value).split(":")[0].split(";")[0] in str(raised[1].value) or name == "numpy"


def test_values_come_later():
    with lw.device("meta"):
        model = lw.nn.Sequential(lw.nn.Linear(2, 3), lw.nn.BatchNorm1d(3))
        assert lw.get_default_device().type == "meta" and lw.ones(2, device="cpu").tolist() == [1, 1]
    real = lw.nn.Sequential(lw.nn.Linear(2, 3), lw.nn.BatchNorm1d(3))
    assert lw.ones(1).device.type == "cpu"
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert all(p.is_meta and p.requires_grad and isinstance(p, lw.nn.Parameter) for p in again.parameters())
    empty = copy.deepcopy(model).to_empty(device="cpu")
    assert type(empty[0].weight) is lw.nn.Parameter and not any(p.is_meta for p in (*empty.parameters(), *empty.buffers()))
    empty.load_state_dict(real.state_dict())
    model.load_state_dict(real.state_dict(), assign=True)
    x = lw.randn(4, 2)
    expected = real(x)
    assert lw.equal(model(x), expected) and lw.equal(empty(x), expected)
    model(x).sum().backward()
    assert model[0].weight.grad is not None
    assert repr(real.to("meta")[0].bias) == "Parameter containing:\ntensor(..., device='meta', size=(3,), requires_grad=True)"
