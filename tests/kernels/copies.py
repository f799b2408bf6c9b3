"""Copies between layouts, and casts of half types, in C: every bit as NumPy has it."""
import itertools
import random

import ml_dtypes
import numpy as np

from leafward.arrays import copies, cpu, creation, sums
from leafward.arrays.threads import pool
from leafward.core.op import registry
from leafward.core.runtime import runtime

DTYPES = ("bool", "int16", "float16", ml_dtypes.bfloat16, "float32", "int64", "complex128")
SHAPES = [(512,), (100_000,), (33, 40), (1024, 130), (7, 31, 29), (3, 40, 1, 17), (2, 3, 5, 7, 11), (1, 9000), (17, 300, 20)]


def layouts(draw, x):
    """``x`` with its dims in another order in memory, with gaps, or backwards."""
    order = draw.sample(range(x.ndim), x.ndim)
    x = np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))
    if draw.random() < 0.3:
        x = np.repeat(x, 2, draw.randrange(x.ndim))
        x = x[tuple([slice(None, None, 2) if n == max(x.shape) and n % 2 == 0 else slice(None) for n in x.shape])]
    return np.flip(x, draw.randrange(x.ndim)) if draw.random() < 0.3 else x


def test_parts_that_lie_in_pairs_become_complex_numbers_in_one_pass():
    numbers = np.random.default_rng(2).normal(size=(300, 256, 2))
    for dtype in "float32", "float64":
        x = numbers.astype(dtype)
        turned, odd = x.transpose(1, 0, 2), x.reshape(-1)[1:-1].reshape(-1, 2)
        for real, imag, pairs in [
                (x[..., 0], x[..., 1], True), (turned[..., 0], turned[..., 1], True), (odd[:, 0], odd[:, 1], True),
                (x[::-1, :, 0], x[::-1, :, 1], True), (x[..., 1], x[..., 0], False), (x[0, :, 0], x[0, :, 1], True),
                (x.reshape(-1)[:-1], x.reshape(-1)[1:], False), (x[..., 0], x[..., 1].copy(), False),
                (x[:, :-1, 0], x[:, 1:, 0], False)]:
            assert creation.lie_in_pairs(real, imag) is pairs
            found = creation.complex_from(real, imag)
            assert np.array_equal(found.real, real) and np.array_equal(found.imag, imag)
            assert found.dtype == np.result_type(dtype, np.complex64) and not np.may_share_memory(found, x)


def test_any_layout_to_any_other():
    rng, draw, done = np.random.default_rng(1), random.Random(1), 0
    for shape, dtype in itertools.product(SHAPES, DTYPES):
        for _ in range(3):
            x = layouts(draw, rng.integers(0, 2 if dtype == "bool" else 200, shape).astype(dtype))
            for threads in 1, 3:
                pool().allow(threads)
                target = layouts(draw, np.zeros(x.shape, dtype)).copy(order="K")
                if target.shape != x.shape:
                    target = np.zeros(x.shape, dtype)
                done += copies.compiled.copy_into(target, x)
                copies.copy_into(target, x)
                assert np.array_equal(target, x), (shape, dtype, x.strides, target.strides)
                assert np.array_equal(copies.row_major_copy(x), x) and copies.row_major_copy(x).flags.c_contiguous
    assert done > 300


#: Ops that lay elements out anew, with the options behind the input, by its dims.
ARRANGED = {
    "flip": lambda n: [(tuple(dims),) for dims in ((), (0,), (n - 1,), range(n))],
    "repeat": lambda n: [((1,) * n,), ((2, *range(1, n + 1)),), ((3, *(1,) * (n - 1)),), ((1,) * (n - 1) + (40,),)],
    "roll": lambda n: [(5,), (-3, n - 1), ((1, -1), (0, n - 1)), ((5, 2), (0, 0)), ((16,) * n, tuple(range(n)))],
}


def test_what_is_laid_out_anew():
    shapes = (5,), (3, 40), (1, 7), (2, 3, 5), (70_001,), (300, 130), (20, 33, 70)
    for name, shape, dtype in itertools.product(ARRANGED, shapes, (*DTYPES, "complex64")):
        x, op = (np.arange(np.prod(shape)) % 200).reshape(shape).astype(dtype), registry[name]
        for options, threads in itertools.product(ARRANGED[name](x.ndim), (1, 3)):
            pool().allow(threads)
            found, expected = runtime.kernels[op.kernel_name](x, *options), op.forward(cpu, x, *options)
            assert found.dtype == x.dtype and found.flags.c_contiguous, (name, shape, options)
            assert np.array_equal(found, expected), (name, shape, options)


def test_sums_over_neighbouring_dims():
    rng = np.random.default_rng(5)
    for shape, axes in (((7, 100, 2), (2,)), ((3, 4, 5, 700), (1, 2)), ((2, 70_000), (0,)), ((9000, 3), (-1,)),
                        ((40, 1, 30), (0, 1)), ((300, 17), None), ((5, 6, 7, 8), (0, 2)), ((16, 900), (0,)), ((1, 300), (0,))):
        for dtype, within in ("float32", 1e-5), ("float64", 1e-13):
            x = rng.random(shape).astype(dtype)
            for keepdims in False, True:
                found, expected = sums.add_up(x, axes, keepdims), x.sum(axes, "float64", keepdims=keepdims)
                assert found.dtype == dtype and found.shape == expected.shape and np.allclose(found, expected, within, 0)


def test_what_is_not_taken():
    x = np.zeros((40, 40), "float32")
    for target, source in ((x, x.T), (x, x[:1]), (x, x.astype("float64")), (np.broadcast_to(x[:1], (40, 40)), x + 1),
                           (x[:4, :4], np.ones((4, 4), "float32"))):
        assert not copies.compiled.copy_into(target, source)
    x[...] = np.arange(1600).reshape(40, 40)
    expected = x.T.copy()
    copies.copy_into(x, x.T)
    assert np.array_equal(x, expected)


def test_numbers_are_cast_as_numpy_casts_them():
    rng = np.random.default_rng(3)
    for kind in "bool", "uint8", "int32", "int64", "float32", "float64":
        for shape in (70_000,), (300, 250):
            x = (rng.standard_normal(shape) * 1e3).astype(kind)
            for wanted in "float32", "float64":
                for threads in 1, 3:
                    pool().allow(threads)
                    made = copies.cast(x, np.dtype(wanted), True)
                    assert made.dtype == wanted and made.tobytes() == x.astype(wanted).tobytes() and made is not x
                assert kind == wanted or copies.compiled.cast(x, np.dtype(wanted)) is not None


def test_every_half_and_what_rounds_to_it():
    halves = np.arange(1 << 16, dtype="uint16")
    rng = np.random.default_rng(2)
    for dtype in np.dtype("float16"), np.dtype(ml_dtypes.bfloat16):
        x = halves.view(dtype)
        wide, expected = copies.compiled.cast(x, np.dtype("float32")), x.astype("float32")
        nan = np.isnan(expected)
        assert np.array_equal(np.isnan(wide), nan) and wide[~nan].tobytes() == expected[~nan].tobytes()
        with np.errstate(all="ignore"):
            between = expected[~nan & np.isfinite(expected)]
            between = np.concatenate([between, np.nextafter(between, np.inf), np.nextafter(between, -np.inf),
                                      (between[:-1] + between[1:]) / 2, np.float32([65504, 65519.996, 65520, 65536, 1e30]),
                                      rng.integers(0, 1 << 32, 200_000, dtype="uint32").view("float32"),
                                      np.float32([np.inf, -np.inf, np.nan, 6e-8, 2.98e-8, 2.99e-8])])
            found, expected = copies.compiled.cast(between, dtype), between.astype(dtype)
        nan = np.isnan(between)
        assert np.isnan(found[nan].astype("float32")).all()
        assert np.array_equal(found[~nan].view("uint16"), expected[~nan].view("uint16"))


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("test_"):
            check()
