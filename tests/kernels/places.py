"""What is read, written and combined at places that an index names: in C the same as in NumPy, in any layout and dtype."""
import random

import ml_dtypes
import numpy as np
import pytest

from leafward.arrays import layout, scatter
from leafward.arrays.threads import pool

DTYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", ml_dtypes.bfloat16,
          "float32", "float64", "complex64", "complex128")
SHAPES = [(7,), (1,), (5, 6), (4, 1), (3, 4, 5), (2, 3, 1, 4), (300, 90), (1, 40, 200), (1000, 3), (3, 20_000)]
LAYOUTS = [lambda x: x, lambda x: np.asarray(x, order="F"), lambda x: np.repeat(x, 2, -1)[..., ::2], lambda x: np.flip(x, 0),
           lambda x: np.flip(x.copy(), -1)]
INDICES = ("int64", "int64", "int32")


def by_numpy(function, *args):
    held = scatter.compiled, layout.places_entry
    scatter.compiled = layout.places_entry = None
    try:
        return function(*args)
    finally:
        scatter.compiled, layout.places_entry = held


def numbers(rng, shape, dtype):
    x = rng.integers(-3, 4, shape)
    if dtype == "bool":
        return x > 0
    if np.dtype(dtype).kind == "c":
        return (x + 1j * rng.integers(-3, 4, shape)).astype(dtype)
    if np.dtype(dtype).kind == "u":
        x = abs(x)
    x = x.astype(dtype)
    if np.dtype(dtype).kind == "f":
        x[rng.random(shape) < 0.05] = np.nan
    return x


def places(draw, rng, size, shape, negative=True):
    index = rng.integers(-size if negative else 0, size, shape).astype(draw.choice(INDICES))
    return draw.choice(LAYOUTS[:3] if index.ndim else LAYOUTS[:1])(index)


def compare(function, *args, writes=False):
    """On one thread, on three and in NumPy: the same; where NumPy raises, so does the other, and nothing is written."""
    results = []
    before = pool().threads()
    try:
        for run, threads in ((by_numpy, 1), (lambda f, *a: f(*a), 1), (lambda f, *a: f(*a), 3)):
            pool().allow(threads)
            given = [kept(a) if k == 0 and writes else a for k, a in enumerate(args)]
            try:
                with np.errstate(all="ignore"):
                    result = run(function, *given)
                assert not writes or result is given[0]
            except (IndexError, ValueError, TypeError) as error:
                result = type(error).__name__
                assert not writes or same(given[0], args[0])
            results.append(result)
    finally:
        pool().allow(before)
    expected, one, three = results
    what = (function.__name__, [(getattr(a, "shape", a), getattr(a, "dtype", "")) for a in args])
    assert same(one, expected), what
    assert same(one, three), what
    if isinstance(expected, np.ndarray) and expected.size and function is layout.look_up:
        moved = [d for d, n in enumerate(one.shape) if n > 1]
        assert [one.strides[d] for d in moved] == [expected.strides[d] for d in moved], what
    return expected


def kept(x):
    """A copy that lies in memory as ``x`` does."""
    out = np.empty(x.base.shape, x.dtype) if x.base is not None and x.base.shape == x.shape else None
    if out is None:
        spread = [abs(s) // x.itemsize for s in x.strides]
        memory = np.zeros(1 + sum((n - 1) * s for n, s in zip(x.shape, spread) if n), x.dtype)
        first = sum((n - 1) * s for n, s, t in zip(x.shape, spread, x.strides) if t < 0)
        out = np.lib.stride_tricks.as_strided(memory[first:], x.shape, x.strides)
    out[...] = x
    return out


def same(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return a is b or (isinstance(a, str) and a == b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return np.array_equal(a.astype("float32") if a.dtype.kind == "V" else a, b.astype("float32") if b.dtype.kind == "V" else b,
                          equal_nan=a.dtype.kind in "fcV")


def cases(count, seed):
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    for number in range(count):
        dtype = DTYPES[number % len(DTYPES)]
        shape = draw.choice(SHAPES)
        yield draw, rng, dtype, shape, draw.choice(LAYOUTS)(numbers(rng, shape, dtype))


def test_elements():
    for draw, rng, dtype, shape, x in cases(75, 1):
        dim = draw.randrange(len(shape))
        least = 0 if draw.random() < 0.1 else 1
        smaller = [n if d == dim else rng.integers(least, min(n, 700) + 1) for d, n in enumerate(shape)]
        smaller[dim] = draw.choice((1, 4, shape[dim], 3 * shape[dim]))
        index = places(draw, rng, shape[dim], smaller, negative=False)
        compare(scatter.gather_from, x, dim, index)
        source = draw.choice(LAYOUTS)(numbers(rng, [n + draw.choice((0, 2)) for n in smaller], dtype))
        kind = np.dtype(dtype).kind
        for how in (None, "add", "multiply", "maximum", "minimum"):
            if kind != "c" or how in (None, "add", "multiply"):         # of several that are written, the last stays
                compare(scatter.scatter_into, x, dim, index, source, how, writes=True)
                compare(scatter.scatter_into, x, dim, index, 1, how, writes=True)


def test_rows():
    for draw, rng, dtype, shape, x in cases(75, 2):
        dim = draw.randrange(len(shape))
        many = draw.choice((0, 1, 5, 40, 700))
        index = places(draw, rng, shape[dim], (many,), negative=False)
        compare(scatter.pick_rows, x, index, dim)
        rows = draw.choice(LAYOUTS)(numbers(rng, [many if d == dim else n for d, n in enumerate(shape)], dtype))
        for how in (None, "maximum") if np.dtype(dtype).kind != "c" else (None, "multiply"):
            compare(scatter.rows_into, x, dim, index, rows, how, writes=True)
            compare(scatter.rows_into, x, dim, index, 1, how, writes=True)
        if np.dtype(dtype).kind in "iub" or many <= 5:          # NumPy adds sorted ones in another order
            compare(scatter.add_rows, x, dim, index, rows, writes=True)


def test_long_rows_of_numbers_are_added_in_the_order_of_the_index():
    rng = np.random.default_rng(5)
    for dtype in "float32", "float64":
        for limit, width, many in ((200, 300, 500), (64, 256, 1000), (63, 700, 100)):
            x, rows = (rng.standard_normal((n, width)).astype(dtype) for n in (limit, many))
            compare(scatter.add_rows, x, 0, rng.integers(0, limit, many), rows, writes=True)


def test_advanced_indexing():
    for draw, rng, dtype, shape, x in cases(150, 3):
        at = sorted(draw.sample(range(len(shape)), draw.randint(1, len(shape))))
        common = draw.choice([(), (1,), (6,), (2, 3), (0,), (400,)])
        index = [slice(None)] * len(shape)
        for dim in at:
            own = draw.choice([common, common, tuple([1 if draw.random() < 0.5 else n for n in common]), common[1:]])
            index[dim] = places(draw, rng, shape[dim], own)
        if draw.random() < 0.15:                                # one that does not exist
            broken = index[at[-1]].copy()
            if broken.size:
                broken.reshape(-1)[-1] = draw.choice([shape[at[-1]], -shape[at[-1]] - 1, 127, -128])
            index[at[-1]] = broken
        index = tuple(index)
        picked = compare(layout.look_up, x, index)
        if isinstance(picked, str):
            values = numbers(rng, (1,), dtype)
        else:
            own = draw.choice([picked.shape, picked.shape[1:], (1,) * picked.ndim, (3, 2)])
            values = draw.choice(LAYOUTS if own else LAYOUTS[:1])(numbers(rng, own, dtype))
        compare(scatter.put_at_places, x, index, values, writes=True)
        if not isinstance(picked, str) and values.shape != (3, 2) and np.dtype(dtype).kind in "iub":
            compare(scatter.add_at_places, x, index, values, writes=True)


def test_what_shares_memory():
    for dtype in "int64", "float32":
        apart = np.array([3, 0, 3, 7, 1])
        for values in (lambda x: x[1:6], lambda x: x[5:0:-1], lambda x: x[:1], lambda x: x[:5, ::-1]):
            for inside in (False, True) if dtype == "int64" else (False,):
                results = []
                for run in lambda f, *args: f(*args), by_numpy:
                    x = np.arange(40).astype(dtype).reshape(8, 5) % 8
                    results.append(run(scatter.put_at_places, x, (x[:5, 0] if inside else apart, slice(None)), values(x)))
                assert np.array_equal(*results)
    x = np.array([2, 0, 1, 3])
    scatter.put_at_places(x, (x,), x)
    assert x.tolist() == [0, 1, 2, 3]


def test_what_may_not_be_written():
    x = np.zeros((3, 4), "float32")
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        scatter.put_at_places(x, (np.array([0]), slice(None)), np.ones(4, "float32"))
    assert not x.any()


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("test_"):
            check()
