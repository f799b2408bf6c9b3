"""Images sampled in C against the ops' own lines on NumPy."""
import itertools

import numpy as np

import leafward
from leafward.arrays.kernels import sampling
from leafward.arrays.threads import pool

TOLERANCE = {"float32": 2e-5, "float64": 1e-13}


def by_numpy(*given):
    compiled, sampling.compiled = sampling.compiled, None
    try:
        return both_ways(*given)
    finally:
        sampling.compiled = compiled


def both_ways(x, grid, g, *options):
    """The outputs and both gradients."""
    x, grid = (leafward.tensor(a, requires_grad=True) for a in (x, grid))
    sampler = leafward.grid_sampler_2d if x.ndim == 4 else leafward.grid_sampler_3d
    out = sampler(x, grid, *options)
    return [a.detach().numpy() for a in (out, *leafward.autograd.grad(out, (x, grid), leafward.tensor(g)))]


def test_every_mode():
    rng = np.random.default_rng(5)
    for dtype, (shape, places) in itertools.product(("float32", "float64"), [
            ((2, 3, 5, 7), (9, 11)), ((1, 1, 1, 4), (3, 1)), ((3, 20, 4, 1), (2, 200)), ((2, 5, 3, 4, 6), (2, 7, 5)),
            ((1, 2, 1, 1, 3), (1, 3, 3))]):
        dims = len(places)
        x = rng.standard_normal(shape).astype(dtype)
        grid = (1.4 * rng.uniform(-1, 1, (shape[0], *places, dims))).astype(dtype)
        grid.reshape(-1)[:6] = [1, -1, 0, 3, -2.5, 0.75]                      # on the edges, and far outside
        g = rng.standard_normal((*shape[:2], *places)).astype(dtype)
        for mode, padding, align_corners in itertools.product(range(3 if dims == 2 else 2), range(3), (False, True)):
            what = f"{shape}, {places}, {dtype}, {mode}, {padding}, {align_corners}"
            expected = by_numpy(x, grid, g, mode, padding, align_corners)
            results = []
            for threads in 1, 3:
                pool().allow(threads)
                results.append(both_ways(x, grid, g, mode, padding, align_corners))
            for one, three, right in zip(*results, expected):
                assert np.array_equal(one, three), f"{what}: other bits on three threads"
                assert one.dtype == right.dtype and one.shape == right.shape, what
                assert np.abs(one - right).max() <= TOLERANCE[dtype] * max(1, np.abs(right).max()), what


def test_no_places_and_infinities():
    """What lies outside is not read, and a place that is none is one pixel or nothing."""
    inf, nan = np.inf, np.nan
    x = np.array([[[[inf, 1, 2], [nan, 3, 4], [5, 6, inf]]]])
    grid = np.array([[[[nan, 0], [inf, 0.1], [0, -inf], [1e30, 0.5], [2, 2], [0.3, 0.2], [-1, -1]]]])
    g = np.ones((1, 1, 1, 7))
    for mode, padding, align_corners in itertools.product(range(3), range(3), (False, True)):
        options = mode, padding, align_corners
        for one, right in zip(both_ways(x, grid, g, *options), by_numpy(x, grid, g, *options)):
            np.testing.assert_allclose(one, right, err_msg=f"{mode}, {padding}, {align_corners}")


def test_what_it_does_not_do():
    x, grid = np.ones((1, 1, 2, 2), "float16"), np.zeros((1, 1, 1, 2), "float16")
    assert sampling.compiled.sample(x, grid, 0, 0, False) is None
    x, grid = np.ones((0, 1, 2, 2), "float32"), np.zeros((0, 1, 1, 2), "float32")
    assert sampling.compiled.sample(x, grid, 0, 0, False) is None


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("test_"):
            check()
