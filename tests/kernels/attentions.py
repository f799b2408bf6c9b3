"""Attention in C against NumPy's products: masks, causal or not, sizes that end in the middle of a block, nothing to see."""
import numpy as np

from leafward.arrays.kernels import attention
from leafward.arrays.threads import pool

#: (n, h, queries, keys, e, v)
SIZES = [(1, 1, 1, 1, 1, 1), (2, 3, 5, 7, 4, 6), (1, 2, 64, 64, 16, 16), (1, 2, 130, 70, 8, 9), (2, 2, 70, 300, 300, 20),
         (3, 1, 129, 129, 5, 5)]


def by_numpy(function, *args):
    compiled, attention.compiled = attention.compiled, None
    try:
        with np.errstate(all="ignore"):
            return function(*args)
    finally:
        attention.compiled = compiled


def masks(rng, n, h, q, k, dtype):
    """None, and masks that broadcast, that are steps apart, that leave some queries or all nothing."""
    yield None
    yield rng.standard_normal((q, k)).astype(dtype)
    yield rng.standard_normal((n, 1, 1, 2 * k)).astype(dtype)[..., ::2]
    blind = np.where(rng.random((n, h, q, k)) < 0.5, -np.inf, 0).astype(dtype)
    blind[:, :, 0] = -np.inf
    yield blind
    yield np.full((1, 1, 1, 1), -np.inf, dtype)


def on_threads(function, *args):
    results = []
    for threads in 1, 3:
        pool().allow(threads)
        results.append(function(*args))
    first, second = (r if isinstance(r, tuple) else (r,) for r in results)
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True)), "other bits on three threads"
    return first


def test_values_and_gradients():
    if attention.compiled is None:
        return                                          # another BLAS
    rng = np.random.default_rng(1)
    for n, h, q, k, e, v in SIZES:
        for dtype in "float32", "float64":
            query, key, value, grad = (2 * rng.standard_normal((n, h, *shape)).astype(dtype) for shape in (
                (q, e), (k, e), (k, v), (q, v)))
            query = np.ascontiguousarray(query.swapaxes(1, 2)).swapaxes(1, 2)
            for causal in False, True:
                for number, mask in enumerate(masks(rng, n, h, q, k, dtype)):
                    args = (query, key, value, mask, e**-0.5, causal)
                    what = f"{(n, h, q, k, e, v)}, {dtype}, causal {causal}, mask {number}"
                    wide = [a if a is None else a.astype("float64") for a in (grad, *args[:4])]
                    expected = by_numpy(attention.attend, *wide[1:], e**-0.5, causal)
                    spread = attention.spread(mask, query, key)
                    assert attention.compiled.attend_to(query, key, value, spread, e**-0.5, causal) is not None
                    near(on_threads(attention.attend, *args), (expected,), what)
                    near(on_threads(attention.attend_backward, grad, *args),
                         by_numpy(attention.attend_backward, *wide, e**-0.5, causal), what)


def near(given, expected, what):
    for a, b in zip(given, expected, strict=True):
        assert np.abs(a - b).max() <= 60 * np.finfo(a.dtype).eps * max(1, np.abs(b).max()), what


def test_exponentials():
    """Weights over the whole range: two keys, the second as much less likely as float holds."""
    if attention.compiled is None:
        return
    for dtype, lowest in ("float32", -87), ("float64", -700):
        scores = np.linspace(lowest, 0, 4001).astype(dtype)
        query, value = scores[None, None, :, None], np.array([0, 1], dtype)[None, None, :, None]
        key = value
        given = attention.compiled.attend_to(query, key, value, None, 1.0, False)[0, 0, :, 0]
        wide = np.exp(scores.astype("longdouble"))
        expected = wide / (1 + wide)
        assert (np.abs(given - expected) <= 4 * np.finfo(dtype).eps * expected).all()


def test_nan_stays_in_its_row():
    query, key = np.ones((1, 1, 3, 2), "float32"), np.ones((1, 1, 4, 2), "float32")
    query[0, 0, 1, 0] = np.nan
    out = attention.attend(query, key, key, None, 1.0, False)
    assert np.isnan(out[0, 0, 1]).all() and not np.isnan(out[0, 0, [0, 2]]).any()


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("test_"):
            check()
