"""Convolutions in C against those that NumPy does, on shapes drawn by chance: kernels, steps, dilations, groups, layouts."""
import random

import numpy as np

from leafward.arrays.kernels import convolution
from leafward.arrays.threads import pool
from tests.kernels.targets import assert_near

CASES = 80


def drawn(rng, draw, shape, dtype):
    """Random numbers in one of the layouts that a tensor may have."""
    x = rng.standard_normal(shape).astype(dtype)
    layout = draw.choice(["row-major", "row-major", "channels last", "backwards", "a slice"])
    if layout == "channels last":
        return np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1)
    if layout == "backwards":
        return x[..., ::-1]
    return np.repeat(x, 2, 0)[::2] if layout == "a slice" else x


def geometry(draw):
    dims, groups = draw.choice([1, 2, 2, 3]), draw.choice([1, 1, 2, 5])
    inputs, outputs = draw.choice([1, 2, 3, 9, 40]), draw.choice([1, 2, 3, 4, 8, 17, 70])
    kernel, stride, padding, dilation = ([draw.choice(values) for _ in range(dims)] for values in (
        (1, 2, 3, 4), (1, 1, 2, 3), (0, 1, 2, 4), (1, 1, 2, 3)))
    more = (0, 1, 2, 5, 13) if dims == 2 else (0, 1, 4) if dims == 3 else (0, 3, 100, 2000)
    size = [max(d * (k - 1) + 1 - 2 * p, 1) + draw.choice(more) for k, p, d in zip(kernel, padding, dilation)]
    n = draw.choice([1, 2, 7, 17])
    windows = [tuple(values) for values in (stride, padding, dilation)]
    return (n, inputs * groups, *size), (outputs * groups, inputs, *kernel), windows, groups


def by_numpy(function, *args):
    compiled, convolution.compiled = convolution.compiled, None
    try:
        return function(*args)
    finally:
        convolution.compiled = compiled


def compare(x, weight, bias, windows, groups, what):
    kernels = convolution.compiled
    expected = by_numpy(convolution.convolve, x, weight, bias, *windows, groups)
    g = np.random.default_rng(1).standard_normal(expected.shape).astype(x.dtype)
    size, kernel = x.shape[2:], weight.shape[2:]
    calls = [(convolution.convolve, kernels.convolve, (x, weight, bias), ()),
             (convolution.convolve_transposed, kernels.convolve_adjoint, (g, weight), (size,)),
             (convolution.convolve_weight_gradient, kernels.convolve_weights, (g, x), (kernel,))]
    for function, kernel_function, arrays, given in calls:
        expected = by_numpy(function, *arrays, *given, *windows, groups)
        sizes = by_numpy(function, *[None if a is None else np.abs(a) for a in arrays], *given, *windows, groups)
        if function is convolution.convolve:
            call = (*arrays, expected.shape[2:])
        elif function is convolution.convolve_transposed:
            call = (*arrays, None, *given)
        else:
            call = (*arrays, *given)
        results = []
        for threads in 1, 3:
            pool().allow(threads)
            results.append(kernel_function(*call, *windows, groups))
        assert np.array_equal(*results), f"{what}: other bits on three threads"
        assert_near(results[0], expected, sizes, f"{kernel_function.__name__}, {what}")


def test_shapes_by_chance():
    rng, draw = np.random.default_rng(3), random.Random(3)
    for _ in range(CASES):
        shape, kernels, windows, groups = geometry(draw)
        dtype = draw.choice(["float32", "float64"])
        x, weight = drawn(rng, draw, shape, dtype), drawn(rng, draw, kernels, dtype)
        bias = draw.choice([None, rng.standard_normal(kernels[0]).astype(dtype)])
        compare(x, weight, bias, windows, groups, f"{shape}, {kernels}, {windows}, {groups} groups, {dtype}")


def test_shapes_that_are_cut():
    """Large enough for several shares, for several pieces of a sum, for a band of an image."""
    rng = np.random.default_rng(4)
    one = (1, 1), (1, 1), (1, 1)
    for shape, kernels, windows, groups in [
            ((3, 70, 33, 31), (40, 70, 3, 3), one, 1), ((1, 5, 200, 70), (9, 5, 3, 3), one, 1),
            ((40, 150, 4, 4), (150, 150, 3, 3), one, 1), ((5, 64, 28, 28), (64, 1, 3, 3), one, 64),
            ((2, 3, 90, 90), (20, 3, 7, 7), ((2, 2), (3, 3), (1, 1)), 1), ((1, 1, 5000), (3, 1, 2000), ((1,), (0,), (1,)), 1),
            ((2, 300, 9, 8), (160, 300, 1, 1), ((1, 1), (0, 0), (1, 1)), 1), ((4, 20, 16, 16), (128, 20, 3, 3), one, 1),
            ((1, 9, 32, 34), (256, 9, 3, 3), one, 1), ((2, 17, 7, 5), (64, 17, 3, 3), one, 1)]:
        for dtype in "float32", "float64":
            x, weight = (rng.standard_normal(s).astype(dtype) for s in (shape, kernels))
            compare(x, weight, rng.standard_normal(kernels[0]).astype(dtype), windows, groups, f"{shape}, {kernels}, {dtype}")


def test_products_with_columns():
    """Shapes that are faster as products: small images of many channels, steps, single taps; in one block or several."""
    rng, one = np.random.default_rng(5), ((1, 1), (1, 1), (1, 1))
    for shape, kernels, windows in [
            ((2, 40, 4, 4), (130, 40, 3, 3), one), ((3, 33, 9, 8), (128, 33, 3, 2), ((2, 3), (1, 0), (1, 2))),
            ((2, 48, 11, 9), (35, 48, 1, 1), ((1, 1), (0, 0), (1, 1))),
            ((3, 64, 31, 30), (128, 64, 3, 3), ((2, 2), (1, 1), (1, 1))),
            ((7, 32, 70, 80), (32, 32, 1, 1), ((2, 1), (0, 0), (1, 1))), ((2, 50, 20), (140, 50, 4), ((1,), (2,), (3,))),
            ((1, 36, 3, 4, 5), (128, 36, 2, 3, 2), ((1, 2, 1), (1, 0, 1), (1, 1, 2)))]:
        for dtype in "float32", "float64":
            what = f"{shape}, {kernels}, {windows}, {dtype}"
            x, weight, bias = (rng.standard_normal(s).astype(dtype) for s in (shape, kernels, kernels[0]))
            sizes = convolution.geometry(shape[2:], kernels[2:], *windows)
            product = convolution.Product(sizes, shape[0], shape[1], kernels[0])
            g = rng.standard_normal((shape[0], kernels[0], *sizes.places)).astype(dtype)
            for function, multiplied, arrays, given in [
                    (convolution.convolve, product.convolve(x, weight, bias), (x, weight, bias), ()),
                    (convolution.convolve_transposed, product.spread_back(g, weight, shape[2:]), (g, weight), (shape[2:],)),
                    (convolution.convolve_weight_gradient, product.weight_gradient(g, x), (g, x), (kernels[2:],))]:
                results = []
                for threads in 1, 3:
                    pool().allow(threads)
                    results.append(function(*arrays, *given, *windows, 1))
                assert np.array_equal(*results), f"{what}: other bits on three threads"
                total = by_numpy(function, *[np.abs(a) for a in arrays], *given, *windows, 1)
                expected = by_numpy(function, *arrays, *given, *windows, 1)
                assert_near(results[0], expected, total, f"{function.__name__}, {what}")
                assert_near(multiplied, expected, total, f"{function.__name__} as a product, {what}")


def test_an_infinity_spoils_what_it_is_in():
    for shape, kernels, groups in ((2, 4, 6, 5), (8, 4, 3, 3), 1), ((2, 4, 6, 5), (4, 1, 3, 3), 4):
        x, weight = np.ones(shape, "float32"), np.ones(kernels, "float32")
        x[1, 2, 3, 4] = np.inf
        windows = (1, 1), (1, 1), (1, 1)
        expected = by_numpy(convolution.convolve, x, weight, None, *windows, groups)
        g = np.ones_like(expected)
        assert np.array_equal(convolution.convolve(x, weight, None, *windows, groups), expected)
        seen = by_numpy(convolution.convolve_weight_gradient, g, x, (3, 3), *windows, groups)
        assert np.array_equal(convolution.convolve_weight_gradient(g, x, (3, 3), *windows, groups), seen)
        assert np.isinf(seen).any() and np.isfinite(seen).any()


def test_an_infinite_weight_meets_no_zeros_outside():
    for channels in 3, 8:                               # packed, and read where they lie
        g, weight = np.ones((1, 2, 4, 4), "float32"), np.ones((2, channels, 3, 3), "float32")
        weight[1, 2, 0, 0] = np.inf
        out = convolution.convolve_transposed(g, weight, (6, 6), (1, 1), (0, 0), (1, 1), 1)
        assert not np.isnan(out).any() and np.isinf(out).sum() == 16


def test_kernels_larger_than_images():
    rng = np.random.default_rng(6)
    for shape, kernels, padding in [((2, 3, 2, 3), (3, 5, 9, 7), (0, 0)), ((1, 2, 2, 2, 3), (2, 4, 5, 6, 2), (1, 0, 1)),
                                    ((3, 2, 1), (2, 3, 40), (0,))]:
        for dtype in "float32", "float64":
            g, weight = (rng.standard_normal(s).astype(dtype) for s in (shape, kernels))
            ones, size = (1,) * len(padding), tuple([n + k - 1 - 2 * p for n, k, p in zip(shape[2:], kernels[2:], padding)])
            out = convolution.convolve_kernels(g, weight, None, size, padding)
            sizes = by_numpy(convolution.convolve_transposed, np.abs(g), np.abs(weight), size, ones, padding, ones, 1)
            expected = by_numpy(convolution.convolve_transposed, g, weight, size, ones, padding, ones, 1)
            assert_near(out, expected, sizes, f"{shape}, {kernels}, {padding}, {dtype}")
            assert np.array_equal(convolution.convolve_transposed(g, weight, size, ones, padding, ones, 1), out)
            g[0, 0, 0] = np.inf
            assert convolution.convolve_kernels(g, weight, None, size, padding) is None


def test_what_it_does_not_do():
    kernels, windows = convolution.compiled, ((1,), (0,), (1,))
    x = np.ones((1, 1, 4), "complex64")
    assert kernels.convolve(x, x[:, :, :2], None, (3,), *windows, 1) is None
    x = np.ones((1, 1, 4), "float32")
    assert kernels.convolve(x, x[:, :, :2].astype("float64"), None, (3,), *windows, 1) is None
    assert kernels.convolve(x[:0], x[:, :, :2], None, (3,), *windows, 1) is None


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("test_"):
            check()
