"""Second derivatives of products with zeros among their factors, against the product written out."""
import numpy as np
import pytest

import leafward
from tests.oracle import torch

FUNCTIONS = {
    "scatter_reduce": lambda x, index, src, **options: x.scatter_reduce(0, index, src, "prod", **options),
    "index_reduce": lambda x, index, src, **options: x.index_reduce(0, index, src, "prod", **options),
}


def written_out(x, index, src, include_self):
    rows = []
    for place in range(len(x)):
        arriving = [src[k] for k, p in enumerate(index.tolist()) if p == place]
        row = x[place] if include_self or not arriving else torch.ones((), dtype=x.dtype)
        for factor in arriving:
            row = row * factor
        rows.append(row)
    return torch.stack(rows)


def derivatives(t, function, values, dtype):
    x, src = (t.tensor(v, dtype=getattr(t, dtype), requires_grad=True) for v in values)
    out = function(x, src)

    def grads(of):
        if not of.requires_grad:
            return [t.zeros_like(x), t.zeros_like(src)]
        found = t.autograd.grad(of, (x, src), create_graph=True, allow_unused=True)
        return [t.zeros_like(p) if g is None else g for p, g in zip((x, src), found)]
    first = grads(out.abs().pow(2).sum() if out.is_complex() else (out * t.arange(1.0, 5.0)).sum())
    second = grads(sum(((g * g.conj()).real * t.arange(1.0, 1.0 + len(g))).sum() for g in first))
    return [g.detach().numpy() for g in (*first, *second)]


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_products(name, dtype):
    rng = np.random.default_rng(0)
    for trial in range(24):
        index, include_self = rng.integers(0, 4, rng.integers(1, 7)), trial % 3 > 0
        x, src = rng.integers(-1, 3, 4) * 1.5, rng.integers(-1, 2, len(index)) * 1.0
        if dtype == "complex128":
            x, src = x * (1 + 2j), src * (1 - 1j)
        values = x.tolist(), src.tolist()
        expected = derivatives(torch, lambda x, src: written_out(x, index, src, include_self), values, dtype)  # noqa: B023
        places = leafward.tensor(index)
        given = derivatives(leafward, lambda x, src: FUNCTIONS[name](x, places, src, include_self=include_self),  # noqa: B023
                            values, dtype)
        for one, other in zip(given, expected):
            np.testing.assert_allclose(one, other, atol=1e-9, err_msg=f"{values}, {index}, {include_self}")


def test_many_values_at_one_place_with_two_dims():
    x, src = np.full((2, 3), 1.5), np.ones((9, 3))
    src[4, 0] = src[2, 1] = src[7, 1] = 0
    dx, dsrc = (g.numpy() for g in first_derivatives(x, src))
    assert dx.tolist() == [[0, 0, 1], [1, 1, 1]]
    expected = np.zeros((9, 3))
    expected[4, 0], expected[:, 2] = 1.5, 1.5
    assert dsrc.tolist() == expected.tolist()


def first_derivatives(x, src):
    x, src = (leafward.tensor(v, requires_grad=True) for v in (x, src))
    out = x.scatter_reduce(0, leafward.zeros(9, 3, dtype=leafward.int64), src, "prod")
    return leafward.autograd.grad(out.sum(), (x, src))
