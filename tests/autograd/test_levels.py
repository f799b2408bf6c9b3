"""Levels of ``func`` inside each other: views, writes and indices that are batched, and have tangents."""
import pytest

import leafward
from leafward.func import grad, hessian, jacfwd, jvp, vmap

VIEWS = {
    "view": lambda x: x.view(9),
    "transpose": lambda x: x.transpose(0, 1),
    "mH": lambda x: x.mH,
    "select": lambda x: x[1],
    "slices": lambda x: x[:2, 1:],
    "diagonal": lambda x: x.diagonal(),
    "unbind": lambda x: x.unbind(1)[2],
    "expand": lambda x: x[:, None].expand(3, 2, 3),
    "view of a view": lambda x: x.T[1:].reshape(6),
    "matrix_exp": leafward.linalg.matrix_exp,
}


@pytest.mark.parametrize("name", VIEWS)
def test_second_derivatives_through_views_in_a_batch(name):
    def f(x):
        return (VIEWS[name](x) ** 3).sum()
    batch = leafward.linspace(-1, 1, 18, dtype=leafward.float64).view(2, 3, 3)
    for second in hessian(f), jacfwd(grad(f)), lambda x: jvp(grad(f), (x,), (x * x,))[1]:
        leafward.testing.assert_close(vmap(second)(batch), leafward.stack([second(x) for x in batch]))
