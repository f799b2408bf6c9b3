"""Pooling in C against NumPy's passes, on shapes and windows drawn by chance, with ties, infinities and NaN."""
import random

import numpy as np

from leafward.arrays.kernels import pooling, resampling
from leafward.arrays.threads import pool
from tests.kernels.targets import assert_near

CASES = 120


def by_numpy(function, *args):
    compiled, pooling.compiled, resampling.compiled = pooling.compiled, None, None
    try:
        return function(*args)
    finally:
        pooling.compiled = resampling.compiled = compiled


def on_threads(function, *args):
    """What ``function`` gives, which is the same bits on one thread and on three."""
    results = []
    for threads in 1, 3:
        pool().allow(threads)
        results.append(function(*args))
    first, second = (r if isinstance(r, tuple) else (r,) for r in results)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)
    return results[0]


def windows(draw):
    dims = draw.choice([1, 2, 2, 3])
    kernel, stride, dilation = ([draw.choice(values) for _ in range(dims)] for values in ((1, 2, 3, 5), (1, 2, 3), (1, 1, 2)))
    padding = [draw.choice(range((d * (k - 1) + 1) // 2 + 1)) for k, d in zip(kernel, dilation)]
    size = [max(1, d * (k - 1) + 1 - 2 * p) + draw.choice((0, 1, 5, 20)) for k, p, d in zip(kernel, padding, dilation)]
    places = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(size, kernel, stride, padding, dilation)]
    lead = draw.choice([(), (3,), (2, 5), (1, 70)])
    return lead, tuple(size), tuple(places), *(tuple(v) for v in (kernel, stride, padding, dilation))


def test_largest():
    rng, draw = np.random.default_rng(1), random.Random(1)
    for number in range(CASES):
        lead, size, places, *rest = windows(draw)
        x = rng.integers(-3, 4, lead + size).astype(draw.choice(["float32", "float64"]))     # with many equals
        if number % 3 == 0:
            x[rng.random(x.shape) < 0.2] = np.nan
        x[rng.random(x.shape) < 0.3] = -np.inf
        for narrow in False, True:
            expected, found = by_numpy(pooling.pool_max_at, x, places, *rest, narrow), on_threads(
                pooling.pool_max_at, x, places, *rest, narrow)
            for a, b in zip(found, expected, strict=True):
                assert a.dtype == b.dtype
                np.testing.assert_array_equal(a, b, f"{size}, {rest}")
        np.testing.assert_array_equal(on_threads(pooling.pool_max, x, places, *rest), expected[0])
        if found[1].max() >= np.prod(size):             # a window that lies between the elements
            continue
        g = rng.standard_normal(found[0].shape).astype(x.dtype)
        for positions in found[1], found[1].astype("int64"):
            given = on_threads(pooling.pool_scatter, g, positions, size)
            assert_near(given, by_numpy(pooling.pool_scatter, g, positions, size),
                        by_numpy(pooling.pool_scatter, np.abs(g), positions, size), f"{size}, {rest}")


def test_means():
    rng, draw = np.random.default_rng(2), random.Random(2)
    for _ in range(CASES):
        lead, size, _, kernel, stride, padding, _ = windows(draw)
        places = tuple([max(1, (n + 2 * p - k) // s + 1) for n, k, s, p in zip(size, kernel, stride, padding)])
        size = tuple([max(n, k - 2 * p) for n, k, p in zip(size, kernel, padding)])
        options = kernel, stride, padding, draw.choice([False, True]), draw.choice([None, None, 3, -2])
        x = rng.standard_normal(lead + size).astype(draw.choice(["float32", "float64"]))
        g = rng.standard_normal(lead + places).astype(x.dtype)
        compare(pooling.pool_mean, x, places, *options)
        compare(pooling.pool_mean_adjoint, g, size, *options)
        bins = tuple([draw.choice([1, 2, 3, n, n + 2]) for n in size])
        compare(resampling.adaptive_mean, x, bins)
        compare(resampling.adaptive_mean_adjoint, rng.standard_normal(lead + bins).astype(x.dtype), size)


def compare(function, x, *args):
    sizes = np.abs(by_numpy(function, np.abs(x), *args))
    assert_near(on_threads(function, x, *args), by_numpy(function, x, *args), sizes, f"{function.__name__}, {x.shape}, {args}")


def test_an_infinity_stays_in_its_windows():
    x = np.zeros((1, 6, 6), "float32")
    x[0, 2, 3] = np.inf
    for places, options in ((3, 3), ((2, 2), (2, 2), (0, 0), True, None)), ((6, 6), ((3, 3), (1, 1), (1, 1), False, None)):
        given = pooling.pool_mean(x, places, *options)
        np.testing.assert_array_equal(given, by_numpy(pooling.pool_mean, x, places, *options))
        assert np.isinf(given).sum() in (1, 9)


def test_a_position_outside_is_not_written():
    g = np.ones((1, 2), "float32")
    assert pooling.compiled.pool_scatter(g, np.array([[0, 4]]), (4,)) is None
    assert pooling.compiled.pool_scatter(g, np.array([[-1, 0]]), (4,)) is None


def test_maxima_of_even_bins():
    """Bins that overlap or not, ties, the lowest number alone, NaN: the last of them."""
    rng = np.random.default_rng(8)
    for dtype in "float32", "float64":
        for size, places in (((5, 7), (3, 3)), ((4, 6), (2, 9)), ((11,), (4,)), ((3, 4, 5), (2, 3, 5)), ((700,), (3,)),
                             ((6, 48), (3, 16))):
            x = np.round(rng.standard_normal((2, 40, *size)) * 2).astype(dtype)
            x[0, 0], x.reshape(-1)[::17] = -np.inf, np.nan
            compiled, pooling.compiled = pooling.compiled, None
            try:
                expected = pooling.pool_max_bins(x, places)
            finally:
                pooling.compiled = compiled
            for ours, right in zip(pooling.pool_max_bins(x, places), expected):
                assert np.array_equal(ours, right, equal_nan=True) and ours.dtype == right.dtype, (size, places, dtype)


def test_maxima_at_drawn_places():
    rng = np.random.default_rng(9)
    for dtype in "float32", "float64":
        for size, kernel, places in ((9, 11), (2, 3), (4, 5)), ((7, 8, 9), (2, 2, 2), (3, 3, 4)), ((60, 90), (3, 40), (20, 7)):
            x = np.round(rng.standard_normal((2, 3, *size)) * 2).astype(dtype)
            x[0, 0], x.reshape(-1)[::17] = -np.inf, np.nan
            samples = rng.random((2, 3, len(size))).astype(dtype)
            expected = by_numpy(pooling.pool_max_drawn, x, samples, kernel, places)
            for ours, right in zip(on_threads(pooling.pool_max_drawn, x, samples, kernel, places), expected, strict=True):
                np.testing.assert_array_equal(ours, right)


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("test_"):
            check()
