"""Fourier transforms in C against NumPy's: lengths, dims, both directions, groups of lines that leave lanes over."""
import itertools

import numpy as np

from leafward.arrays.kernels import fft
from leafward.arrays.threads import pool

#: Shapes and the dims that are transformed.
CASES = [((8,), (0,)), ((32,), (0,)), ((3, 2), (1,)), ((17, 64), (1,)), ((64, 17), (0,)), ((2, 16, 40), (1,)),
         ((5, 4, 8, 3), (1, 2)), ((32, 2, 16), (2, 0)),
         ((3, 1), (1,)), ((5, 14), (1,)), ((9, 20), (0, 1)), ((40, 126), (1,)), ((31, 17, 5), (0, 2)), ((63,), (0,)),
         ((4, 2046), (1,)),
         ((7, 1024), (1,)), ((128, 128), (0, 1)), ((4, 4096), (1,)), ((3, 8, 512, 33), (2,))]
WORDS = ("backward", "ortho", "forward")
BACK = ("forward", "ortho", "backward")


def normal(rng, shape, dtype):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype.startswith("complex") else x).astype(dtype)


def on_any_threads(function, *args):
    """The result, which has the same bits on three threads."""
    found = []
    for threads in 1, 3:
        pool().allow(threads)
        found.append(function(*args))
    assert found[0] is not None and found[0].tobytes() == found[1].tobytes(), args[1:]
    return found[0]


def assert_agree(given, expected, what):
    assert given.shape == expected.shape and given.dtype == expected.dtype, what
    size = np.sqrt(np.mean(np.abs(expected)**2))
    assert np.abs(given - expected).max() <= 30 * np.finfo(given.dtype).eps * size, what


def test_transforms():
    rng = np.random.default_rng(2)
    for (shape, dims), kind, scale in itertools.product(CASES, ("float32", "float64"), range(3)):
        of_complex = {"float32": "complex64", "float64": "complex128"}[kind]
        x, c = normal(rng, shape, kind), normal(rng, shape, of_complex)
        what = f"{shape}, {dims}, {kind}, {scale}"
        assert_agree(on_any_threads(fft.transform, c, dims, scale, True), np.fft.fftn(c, axes=dims, norm=WORDS[scale]), what)
        assert_agree(on_any_threads(fft.transform, c, dims, scale, False), np.fft.ifftn(c, axes=dims, norm=BACK[scale]), what)
        for onesided, function in (True, np.fft.rfftn), (False, np.fft.fftn):
            given = on_any_threads(fft.transform_real, x, dims, scale, onesided)
            assert_agree(given, function(x, axes=dims, norm=WORDS[scale]), what)
        half = c.take(range(shape[dims[-1]] // 2 + 1), dims[-1])
        given = on_any_threads(fft.transform_to_real, half, dims, scale, shape[dims[-1]])
        sizes = [shape[d] for d in dims]
        assert_agree(given, np.fft.irfftn(half, s=sizes, axes=dims, norm=BACK[scale]), what)


def test_what_is_given_stays():
    rng = np.random.default_rng(3)
    for array in normal(rng, (16, 8), "complex64"), normal(rng, (8, 16), "complex64").T:
        before = array.copy()
        given = fft.transform(array, (0, 1), 0, True)
        assert np.array_equal(array, before) and np.allclose(given, np.fft.fftn(before), atol=1e-4)
        assert fft.transform_to_real(array, (0, 1), 0, 12) is None


def test_a_line_does_not_touch_another():
    """NaN and numbers of other sizes stay in their lines."""
    rng = np.random.default_rng(4)
    x = normal(rng, (20, 64), "float32")
    whole = fft.transform_real(x, (1,), 0, True)
    x[3], x[7, 5], x[9] = 1e30, np.nan, np.inf
    with np.errstate(all="ignore"):
        mixed = fft.transform_real(x, (1,), 0, True)
    others = [k for k in range(20) if k not in (3, 7, 9)]
    assert np.array_equal(mixed[others], whole[others]) and np.isnan(mixed[7]).all()


def test_what_they_decline():
    rng = np.random.default_rng(5)
    for shape in (37,), (0, 8), (2 * 37, 4), (1 << 20,):
        assert fft.transform(normal(rng, shape, "complex64"), (shape.index(max(shape)),), 0, True) is None
    half = normal(rng, (3, 4), "complex64")
    half[1, 2] = np.inf
    assert fft.transform_to_real(half, (1,), 0, 7) is None


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("test_"):
            check()
