"""Gamma, Dirichlet, Poisson and binomial numbers are PyTorch's, one by one, and so is the state they leave behind."""
import numpy as np
import pytest

import leafward
from leafward.arrays import incomplete
from tests.oracle import assert_same, to_numpy, torch

SHAPES = [0.01, 0.3, 0.9, 1.0, 1.5, 3.0, 20.0, 1000.0] * 20
RATES = [0.0, 0.1, 1.0, 5.0, 9.99, 10.0, 50.0, 1000.0] * 20
COUNTS = [0.0, 1.0, 5.0, 10.0, 50.0, 100.0, 1000.0, 30.0, 40.0] * 20
SHARES = [0.3, 0.1, 0.5, 0.9, 0.2, 0.75, 0.5, 0.0, 1.0] * 20
POINTS = [[0.1, 0.5, 2.0], [1.0, 1.0, 1.0], [0.01, 0.01, 0.02], [10.0, 20.0, 3.0]] * 20


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "parameters"), [
    ("_standard_gamma", [SHAPES]), ("_sample_dirichlet", [POINTS]), ("poisson", [RATES]), ("binomial", [COUNTS, SHARES]),
])
def test_stream(name, parameters, dtype):
    drawn = []
    for t in leafward, torch:
        t.manual_seed(3)
        t.randn(1)                              # a cached second normal is taken first
        values = getattr(t, name)(*[t.tensor(p, dtype=getattr(t, dtype)) for p in parameters])
        drawn.append([values, t.randn(1), t.rand(3)])
    for ours, theirs in zip(*drawn, strict=True):
        assert_same(ours, theirs, rtol=0, atol=0 if ours.numel() > 3 else 2.4e-7)


def test_a_generator_of_ones_own():
    drawn = [t.poisson(t.full((5,), 3.0), generator=t.Generator().manual_seed(1)) for t in (leafward, torch)]
    assert_same(*drawn)


# --- derivatives of samples ------------------------------------------------------------------------------------------

def gamma_cases():
    rng = np.random.default_rng(0)
    a = np.exp(rng.uniform(np.log(1e-2), np.log(1e4), 500))
    x = np.maximum(rng.gamma(a), 1e-200)
    return a, x


def test_gamma_numbers_move_as_their_quantiles_do():
    a, x = gamma_cases()
    h = 1e-5 * a
    slope = (incomplete.igamma(a + h, x) - incomplete.igamma(a - h, x)) / (2 * h)
    with np.errstate(all="ignore"):
        density = incomplete.density_times_x(a, x) / x
    given = incomplete.standard_gamma_grad(a, x)
    assert np.allclose(given * density, -slope, rtol=1e-5, atol=1e-10)
    theirs = torch._standard_gamma_grad(torch.tensor(a), torch.tensor(x)).numpy()
    assert np.allclose(given, theirs, rtol=1e-3)        # PyTorch's is an approximation


def test_dirichlet_points_move_as_pytorchs_do():
    rng = np.random.default_rng(0)
    alpha, beta = np.exp(rng.uniform(-4, 5, (2, 500)))
    x = np.clip(rng.beta(alpha, beta), 1e-8, 1 - 1e-8)
    given = incomplete.dirichlet_grad(x, alpha, alpha + beta)
    theirs = torch._dirichlet_grad(*map(torch.tensor, (x, alpha, alpha + beta))).numpy()
    assert np.allclose(given, theirs, rtol=5e-3)        # PyTorch's is an approximation


def test_a_dirichlet_point_of_two_is_a_beta_number():
    """``x ~ Beta(1, b)``: ``x = 1 - u ** (1 / b)``, so ``dx/db = log(1 - x) (1 - x) / b``, up to sign."""
    x, b = np.linspace(0.05, 0.95, 19), 2.5
    given = incomplete.dirichlet_grad(1 - x, np.full(19, b), np.full(19, b + 1)) * x
    assert np.allclose(given, -np.log1p(-x) * (1 - x) / b, rtol=1e-12)


@pytest.mark.parametrize("name", ["igamma", "igammac"])
def test_slope_of_the_incomplete_gamma_functions(name):
    slopes = []
    for t in leafward, torch:
        a, x = (t.tensor(v, dtype=t.float64) for v in ([0.5, 2.0, 30.0], [0.2, 3.0, 25.0]))
        x.requires_grad_()
        getattr(t, name)(a, x).sum().backward()
        slopes.append(to_numpy(x.grad))
    assert np.allclose(*slopes, rtol=1e-9)


def test_incomplete_gamma_functions_by_value():
    a, x = gamma_cases()
    for name in "igamma", "igammac":
        ours, theirs = (to_numpy(getattr(t, name)(t.from_numpy(a), t.from_numpy(x))) for t in (leafward, torch))
        assert np.allclose(ours, theirs, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "parameters"), [
    *[("poisson", [rate]) for rate in (9.5, 10.0, 12.5, 50.0, 1000.0, 1e6)],
    *[("binomial", [count, share]) for count, share in (
        (100.0, 0.3), (100.0, 0.7), (20.0, 0.5), (19.0, 0.5), (1e6, 0.01), (1000.0, 0.99))],
])
def test_many_numbers_of_one_kind(name, parameters, dtype):
    """Where every element has the same parameters, all trials are made at once: the same numbers, the same state after."""
    drawn = []
    for t in leafward, torch:
        t.manual_seed(7)
        values = getattr(t, name)(*[t.full((50, 40), p, dtype=getattr(t, dtype)) for p in parameters])
        drawn.append([values, t.rand(3)])
    for ours, theirs in zip(*drawn, strict=True):
        assert_same(ours, theirs, rtol=0, atol=0)


@pytest.mark.parametrize("bounds", [(0, 1.7e308), (-1e308, 7e307), (-8.9e307, 8.9e307), (1e307, 1.7e308), (3.0, 1e300)])
def test_uniform_over_a_huge_range(bounds):
    drawn = []
    for t in leafward, torch:
        t.manual_seed(0)
        drawn.append(t.empty(1000, dtype=t.float64).uniform_(*bounds))
    assert_same(*drawn, rtol=0, atol=0)
