"""Gradients of half types are added up in float32 and rounded once; those of float32 parameters are not rounded."""
import math

import numpy as np
import pytest

import leafward
from tests.oracle import to_numpy, torch

HALF = ("bfloat16", "float16")


def drawn(t, *shape, seed=0):
    return t.from_numpy(np.random.default_rng(seed).random(shape, dtype=np.float32))


def test_bias_under_autocast():
    layer = leafward.nn.Linear(16, 4)
    with leafward.autocast("cpu", dtype=leafward.bfloat16):
        out = layer(leafward.ones(1024, 16))
    out.float().sum().backward()
    assert layer.bias.grad.tolist() == [1024.0] * 4


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("rows", [100, 4096])
def test_broadcast_operand(rows, dtype):
    half = getattr(leafward, dtype)
    x = drawn(leafward, rows, 3).to(half)
    functions = {
        "add": lambda b: x + b, "mul": lambda b: x * b, "expand": lambda b: b.expand(rows, 3) * x,
        "where": lambda b: leafward.where(x > 0.5, x, b),
        "prelu": lambda b: leafward.nn.functional.prelu((x - 1).to(b.dtype), b),
        "index": lambda b: b[None][leafward.zeros(rows, dtype=leafward.int64)],
    }
    for name, function in functions.items():
        grads = []
        for wanted in (half, leafward.float64):
            b = leafward.full((3,), 0.5, dtype=half).to(wanted).requires_grad_()
            (function(b).to(wanted) * drawn(leafward, rows, 3, seed=1).to(half).to(wanted)).sum().backward()
            grads.append(to_numpy(b.grad).astype("float64"))
        np.testing.assert_allclose(*grads, rtol=2 * leafward.finfo(half).eps, err_msg=name)


def norms(t):
    return {"layer": t.nn.LayerNorm(8), "group": t.nn.GroupNorm(2, 8), "batch": t.nn.BatchNorm1d(8), "rms": t.nn.RMSNorm(8),
            "estimates": t.nn.BatchNorm1d(8).eval()}


@pytest.mark.parametrize("name", norms(leafward))
def test_float32_weights_of_a_norm_beside_bfloat16(name):
    x, g = (drawn(leafward, 512, 8, seed=seed).bfloat16() for seed in (0, 1))
    layer, exact = norms(leafward)[name], norms(leafward)[name].double()
    layer(x.requires_grad_()).backward(g)
    exact(x.detach().double()).backward(g.double())
    for parameter, true in zip(layer.parameters(), exact.parameters(), strict=True):
        assert parameter.grad.dtype is leafward.float32
        np.testing.assert_allclose(to_numpy(parameter.grad), to_numpy(true.grad), rtol=1e-4, atol=1e-4)
    assert x.grad.dtype is leafward.bfloat16


@pytest.mark.parametrize("dtype", HALF)
def test_hook_of_a_node_sees_half_gradients(dtype):
    seen = []
    for t in (torch, leafward):
        a, b = (t.ones(3, dtype=getattr(t, dtype), requires_grad=True) for _ in range(2))
        out = a * b
        out.grad_fn.register_hook(lambda inputs, outputs: seen.append([str(g.dtype) for g in (*inputs, *outputs)]))
        out.sum().backward()
    assert seen[0] == seen[1]


@pytest.mark.parametrize("dtype", HALF)
def test_attention_is_computed_in_float32(dtype):
    query, key, value = (drawn(torch, 2, 50, 16, seed=seed).to(getattr(torch, dtype)) for seed in range(3))
    truth = torch.nn.functional.scaled_dot_product_attention(query.double(), key.double(), value.double())
    ours = [leafward.from_numpy(x.float().numpy()).to(getattr(leafward, dtype)) for x in (query, key, value)]
    given = leafward.nn.functional.scaled_dot_product_attention(*ours)
    assert (to_numpy(given) == to_numpy(truth.to(getattr(torch, dtype)))).mean() > 0.98


@pytest.mark.parametrize("distances", [lambda x: leafward.cdist(x, 2 * x[:2], p=math.inf),
                                       lambda x: leafward.pdist(x, math.inf)], ids=("cdist", "pdist"))
def test_the_largest_difference_is_found_unrounded(distances):
    """The distance is rounded to 16 bits, the differences of which one is that distance aren't."""
    x = leafward.tensor([[0.1, 0.7], [3.3, 0.2], [1.7, 5.9]], dtype=leafward.float16)
    given, exact = x.clone().requires_grad_(), x.double().requires_grad_()
    distances(given).sum().backward()
    distances(exact).sum().backward()
    assert given.grad.tolist() == exact.grad.tolist()
