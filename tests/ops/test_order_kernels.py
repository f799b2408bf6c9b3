"""What puts rows in order in C finds what the paragraphs find: every dtype, layout and length, equals and NaN included."""
import numpy as np
import pytest

import leafward
from leafward.arrays import cpu
from leafward.core.op import registry
from leafward.core.runtime import runtime

DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")
#: Lengths at which rows are counted against each other, sorted by bytes, and searched in blocks.
SHAPES = [(1,), (2, 3), (5, 17), (2, 112), (2, 113), (1, 600), (9, 1000), (3, 33, 5), (12_000,), (70, 80), (1, 20, 1)]
#: What each op is asked for: the options behind the input, for rows of n elements along dim.
ASKED = {
    "sort": lambda dim, n: [(dim, False, None), (dim, True, False), (dim, True, True)],
    "argsort": lambda dim, n: [(dim, False, False), (dim, False, True)],
    "topk": lambda dim, n: [(k, dim, largest, True) for k in {1, min(5, n), n // 5 + 1, n} for largest in (True, False)],
    "_kthvalue": lambda dim, n: [(k, dim, k % 2 == 0) for k in {1, (n + 1) // 2, n}],
    "_median": lambda dim, n: [(dim, True), (dim, False)],
    "_nanmedian": lambda dim, n: [(dim, False)],
    "_mode": lambda dim, n: [(dim, True)],
    "_max": lambda dim, n: [(dim, True), (dim, False)],
    "_min": lambda dim, n: [(dim, True), (dim, False)],
    "argmax": lambda dim, n: [(dim, True), (dim, False), (None, False)],
    "argmin": lambda dim, n: [(dim, True), (dim, False), (None, True)],
    "_median_all": lambda dim, n: [()],
    "_nanmedian_all": lambda dim, n: [()],
    "_unique": lambda dim, n: [(None,)],
}

#: Where NumPy finds values without places, of whichever zero; PyTorch and the kernel find one and the other together.
OF_ANY_ZERO = ("_max", "_min", "_median_all", "_nanmedian_all")


def drawn(rng, dtype, shape, kinds):
    """Numbers of so many kinds, at the ends of the dtype too; among floats, zeros of both signs and NaN."""
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if "int" in dtype:
        limits = np.iinfo(dtype)
        x = rng.integers(max(limits.min, -kinds), min(limits.max, kinds), shape, dtype)
        x.flat[::7], x.flat[::11] = limits.max, limits.min
        return x
    x = rng.integers(-kinds, kinds, shape).astype("float64") / 7 + (rng.random(shape) if kinds > 100 else 0)
    x.flat[::5], x.flat[1::9], x.flat[2::13], x.flat[3::17] = 0.0, -0.0, np.inf, -np.inf
    if kinds % 2:
        x.flat[::3] = np.nan
    return x.astype(leafward.tensor(0, dtype=getattr(leafward, dtype)).numpy().dtype if dtype != "bfloat16"
                    else pytest.importorskip("ml_dtypes").bfloat16)


def layouts(x):
    yield x
    if x.size > 500:
        return
    yield np.asfortranarray(x)
    yield np.repeat(x, 2, -1)[..., ::-2]
    yield np.moveaxis(x, 0, -1)


if runtime.kernels:
    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize("name", ASKED)
    def test_kernel_is_paragraph(name, dtype):
        rng, op, served = np.random.default_rng(8), registry[name], 0
        for shape in SHAPES:
            for kinds in (2, 10_001) if shape[0] % 2 else (3, 10_000):
                for x in layouts(drawn(rng, dtype, shape, kinds)):
                    for dim in {0, x.ndim - 1, -1}:
                        for options in ASKED[name](dim, x.shape[dim]):
                            given = runtime.kernels[op.kernel_name](x, *options)
                            if given is None:
                                continue
                            served += 1
                            with np.errstate(all="ignore"):
                                expected = op.forward(cpu, x, *options)
                            assert_same(given, expected, (name, dtype, shape, kinds, x.strides, options))
        assert served or dtype == "bool" and name not in ("sort", "argsort", "_mode", "_unique") or name == "_median_all"

    @pytest.mark.parametrize("dtype", ("int32", "int64", "float32", "float64"))
    def test_places_in_sorted_rows_and_members(dtype):
        rng = np.random.default_rng(9)
        search, isin = registry["_searchsorted"], registry["isin"]
        for count, shape in (1, (5,)), (2, (3, 7)), (17, (40,)), (1000, (3, 5000)):
            values, rows = drawn(rng, dtype, shape, 10_001), np.sort(drawn(rng, dtype, (shape[0], count), 10_000), -1)
            for right, short in ((False, False), (True, True)):
                for sequence in (rows[0], *[rows] * (len(shape) == 2)):
                    options = sequence, values, None, right, short
                    found, expected = runtime.kernels[search.kernel_name](*options), search.forward(cpu, *options)
                    assert found.dtype == expected.dtype and np.array_equal(found, expected)
                found, expected = (f(values, rows, invert=right) for f in (runtime.kernels[isin.kernel_name], np.isin))
                assert found.dtype == bool and np.array_equal(found, expected)

    def test_doubles_that_differ_in_their_last_bits():
        """Keys and places do not fit into 64 bits together: what is left out decides among equals."""
        rng = np.random.default_rng(9)
        x = np.where(rng.random(3000) < 0.1, 1e-300 * rng.random(3000), 1 + rng.integers(0, 50, 3000) * 2.0**-52)
        for descending in False, True:
            values, places = leafward.tensor(x).sort(descending=descending, stable=True)
            assert places.tolist() == sorted(range(3000), key=lambda i: (-x[i] if descending else x[i], i))
            assert values.tolist() == x[places.numpy()].tolist()


def assert_same(given, expected, case):
    if isinstance(expected, (tuple, list)):
        for one, other in zip(given, expected, strict=True):
            assert_same(one, other, case)
        return
    expected = np.asarray(expected)
    assert given.dtype == expected.dtype and given.shape == expected.shape, case
    if given.dtype.kind == "V":
        given, expected = given.astype("float32"), expected.astype("float32")
    assert np.array_equal(given, expected, equal_nan=given.dtype.kind == "f"), case
    if given.dtype.kind == "f" and case[0] not in OF_ANY_ZERO:
        assert np.array_equal(np.signbit(given), np.signbit(expected)), case
