"""Columns of windows in C against those that NumPy makes, and back."""
import random

import numpy as np

from leafward.arrays.kernels import unfolding
from leafward.arrays.threads import pool
from tests.kernels.convolutions import drawn
from tests.kernels.targets import assert_near

CASES = 120


def by_numpy(function, *args):
    compiled, unfolding.compiled = unfolding.compiled, None
    try:
        return function(*args)
    finally:
        unfolding.compiled = compiled


def on_threads(function, *args):
    results = []
    for threads in 1, 3:
        pool().allow(threads)
        results.append(function(*args))
    assert np.array_equal(*results), f"{function.__name__}: other bits on three threads"
    return results[0]


def test_shapes_by_chance():
    """Short lines, which are listed, and long ones; windows that lie wholly outside; steps and dilations."""
    rng, draw = np.random.default_rng(3), random.Random(3)
    for _ in range(CASES):
        kernel, stride, padding, dilation = (tuple(draw.choice(values) for _ in range(2)) for values in (
            (1, 2, 3, 4), (1, 1, 2, 3), (0, 1, 2, 4), (1, 1, 2, 3)))
        least = [max(d * (k - 1) + 1 - 2 * p, 1) for k, p, d in zip(kernel, padding, dilation)]
        size = tuple(n + draw.choice((0, 1, 2, 5, 13, 40)) for n in least)
        facts = kernel, stride, padding, dilation
        dtype = draw.choice(["float32", "float64"])
        x = drawn(rng, draw, (draw.choice((1, 3)), draw.choice((1, 5, 40)), *size), dtype)
        what = f"{x.shape}, {facts}, {dtype}"
        columns = on_threads(unfolding.unfold, x, *facts)
        assert np.array_equal(columns, by_numpy(unfolding.unfold, x, *facts)), what
        given = np.repeat(rng.standard_normal(columns.shape).astype(dtype), 2, 2)[..., ::2]
        back, sizes = on_threads(unfolding.fold, given, size, *facts), by_numpy(unfolding.fold, np.abs(given), size, *facts)
        assert_near(back, by_numpy(unfolding.fold, given, size, *facts), sizes, what)


def test_what_it_does_not_do():
    facts = (1, 1), (1, 1), (1, 1), (0, 0), (1, 1)
    x = np.ones((1, 1, 1, 1), "float16")
    assert unfolding.compiled.unfold(x, x[0], *facts, False) is None
    x = np.ones((0, 1, 1, 1), "float32")
    assert unfolding.compiled.unfold(x, x[:, :, 0], *facts, False) is None
    assert unfolding.fold(x[:, :, 0], (1, 1), (1, 1), (1, 1), (0, 0), (1, 1)).shape == (0, 1, 1, 1)


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("test_"):
            check()
