"""Images at other sizes in C against products of matrices."""
import numpy as np

from leafward.arrays.kernels import resampling
from leafward.arrays.threads import pool
from tests.kernels.targets import assert_near


def by_products(function, *args):
    loops, resampling.loops = resampling.loops, None
    try:
        return function(*args)
    finally:
        resampling.loops = loops


def compare(function, x, *args):
    results = []
    for threads in 1, 3:
        pool().allow(threads)
        results.append(function(x, *args))
    assert np.array_equal(*results), f"{function.__name__}, {args}: other bits on three threads"
    expected, sizes = by_products(function, x, *args), by_products(function, np.abs(x), *args)
    assert_near(results[0], expected, np.maximum(np.abs(sizes), np.abs(x).max()), f"{function.__name__}, {x.shape}, {args}")


def test_sizes():
    rng = np.random.default_rng(6)
    for dtype in "float32", "float64":
        for size, places in ((5, 7), (4, 9)), ((90, 70), (40, 200)), ((1, 3), (2, 1)), ((6,), (17,)), ((3, 4, 5), (5, 2, 9)):
            x = np.repeat(rng.standard_normal((2, 3, *size)).astype(dtype), 2, -1)[..., ::2]
            g = rng.standard_normal((2, 3, *places)).astype(dtype)
            compare(resampling.adaptive_mean, x, places)
            compare(resampling.adaptive_mean_adjoint, g, size)
            kinds = ("nearest", False, False), ("bilinear", True, False), ("bicubic", False, True)
            for mode, align_corners, antialias in kinds:
                steps = [(n - 1) / max(m - 1, 1) if align_corners else n / m for n, m in zip(size, places)]
                compare(resampling.interpolate, x, places, mode, align_corners, steps, antialias)
                compare(resampling.interpolate_adjoint, g, size, mode, align_corners, steps, antialias)


def test_an_infinity_spoils_what_it_is_weighed_in():
    x = np.array([[[1, np.inf, 2, 3]]], "float32")
    out = resampling.interpolate(x, (4,), "bilinear", True, [1.0], False)
    assert np.array_equal(out, x)


def test_what_it_does_not_do():
    weights = resampling.averages(4, 2)
    x = np.ones((1, 4, 1), "float16")
    assert resampling.loops.weigh(x, 2, weights.starts, weights.columns, weights.values_as(x.dtype)) is None
    assert resampling.adaptive_mean(x[..., 0], (2,)).tolist() == [[1.0, 1.0]]


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("test_"):
            check()
