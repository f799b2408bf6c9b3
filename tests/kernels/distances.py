"""Distances between many rows, whose tiles are turned, beside NumPy's in float64."""
import numpy as np

import leafward
from leafward.arrays.threads import pool

#: (rows of x, rows of y, numbers in a row): edges of tiles, and rows longer than those that stay differences in `cdist`.
SIZES = [(32, 32, 1), (33, 40, 5), (100, 65, 128), (67, 97, 17), (40, 200, 300)]


def away(x, y):
    return np.sqrt(((x.astype("float64")[:, None] - y.astype("float64")) ** 2).sum(-1))


def test_many_rows():
    rng = np.random.default_rng(0)
    for n, m, d in SIZES:
        for dtype in "float32", "float64":
            x, y = (rng.standard_normal((k, d)).astype(dtype) for k in (n, m))
            results = []
            for threads in 1, 3:
                pool().allow(threads)
                results.append([leafward.cdist(leafward.tensor(x), leafward.tensor(y), compute_mode=mode).numpy() for mode in
                                ("donot_use_mm_for_euclid_dist", "use_mm_for_euclid_dist")]
                               + [leafward.nn.functional.pdist(leafward.tensor(x)).numpy()])
            for one, other, expected in zip(*results, [away(x, y), away(x, y), away(x, x)[np.triu_indices(n, 1)]], strict=True):
                assert np.array_equal(one, other), f"{n} {m} {d}: other bits on three threads"
                eps = np.finfo(dtype).eps
                assert np.allclose(one, expected, rtol=8 * eps, atol=16 * eps), f"{n} {m} {d} {dtype}"
