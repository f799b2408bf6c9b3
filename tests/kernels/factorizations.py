"""Triangular factors against what they are factors of, for sizes around those of blocks and shares."""
import numpy as np

from leafward.arrays.kernels import elimination, factorization
from leafward.arrays.threads import pool

#: Rows and columns; batches.
SHAPES = [(1, 1), (2, 3), (5, 5), (31, 33), (32, 32), (33, 31), (64, 65), (100, 97), (200, 200), (3, 40, 40), (2, 2, 7, 9),
          (70, 3), (3, 70)]
SQUARE = [(1, 1), (4, 4), (33, 33), (65, 65), (150, 150), (4, 20, 20), (2, 3, 5, 5)]


def on_threads(compute):
    """What it gives on one thread and, with the same bits, on three."""
    results = []
    for threads in 1, 3:
        pool().allow(threads)
        results.append(compute())
    for one, other in zip(*results):
        assert np.array_equal(one, other, equal_nan=True)
    return results[0]


def assert_close(given, expected, n):
    size = np.abs(expected).max()
    assert given.shape == expected.shape and given.dtype == expected.dtype
    assert np.abs(given - expected).max() <= 4 * n * np.finfo(given.dtype).eps * size


def test_lu():
    rng = np.random.default_rng(1)
    for shape in SHAPES:
        for dtype in "float32", "float64":
            a = rng.standard_normal(shape).astype(dtype)
            factors, pivots, info = on_threads(lambda: factorization.compiled.lu(a))          # noqa: B023
            rows, columns = shape[-2:]
            k = min(rows, columns)
            lower = np.tril(factors, -1)[..., :k] + np.eye(rows, k, dtype=dtype)
            p = elimination.permutation_matrix(pivots, rows, dtype)
            assert_close(p @ lower @ np.triu(factors)[..., :k, :], a, k)
            assert np.abs(lower).max() <= 1 and not info.any() and pivots.dtype == info.dtype == np.int32


def test_lu_without_a_pivot():
    a = np.array([[1.0, 2, 3], [2, 4, 5], [4, 8, 1]])
    compiled = elimination.compiled
    found = elimination.lu(np.stack([a, np.eye(3)]))
    elimination.compiled = None
    try:
        expected = elimination.lu(np.stack([a, np.eye(3)]))
    finally:
        elimination.compiled = compiled
    assert found[2].tolist() == [2, 0]
    for one, other in zip(found, expected):
        assert np.array_equal(one, other) and one.dtype == other.dtype
    assert factorization.solve(a, np.ones((3, 1))) is None


def test_nan_is_the_largest():
    a = np.array([[1.0, 2, 3], [np.nan, 1, 1], [5, 1, 2]])
    factors, pivots, info = factorization.compiled.lu(a)
    assert pivots[0] == 2 and np.isnan(factors[1:]).any() and info == 0


def test_cholesky():
    rng = np.random.default_rng(2)
    for shape in SQUARE:
        for dtype in "float32", "float64":
            n = shape[-1]
            x = rng.standard_normal(shape).astype(dtype)
            a = x @ x.swapaxes(-1, -2) + n * np.eye(n, dtype=dtype)
            marked = np.tril(a) + np.triu(np.full_like(a, np.nan), 1)                         # which nobody may read
            lower, info = on_threads(lambda: factorization.compiled.cholesky(marked))         # noqa: B023
            assert not info.any() and not np.triu(lower, 1).any()
            assert_close(lower @ lower.swapaxes(-1, -2), a, n)
            a[..., n - 1, n - 1] = -1
            assert (factorization.compiled.cholesky(a)[1] == n).all() and factorization.cholesky(a) is None
    assert factorization.compiled.cholesky(np.array([[np.nan]]))[1] == 1


def test_systems():
    rng = np.random.default_rng(3)
    for shape in SQUARE:
        for columns in 1, 3, 300:
            for dtype in "float32", "float64":
                n = shape[-1]
                a = rng.standard_normal(shape).astype(dtype) / n + np.eye(n, dtype=dtype)
                x = rng.standard_normal((*shape[:-1], columns)).astype(dtype)
                for upper in False, True:
                    part = np.triu(a) if upper else np.tril(a)
                    for unit in False, True:
                        b = (part - np.diag(np.diag(part)) if unit and a.ndim == 2 else part) @ x
                        if unit:
                            b = b + x if a.ndim == 2 else b - np.diagonal(part, axis1=-2, axis2=-1)[..., None] * x + x
                        given, = on_threads(lambda: [factorization.solve_triangle(a, b, upper, unit)])   # noqa: B023
                        assert_close(given, x, 10 * n)
                assert_close(factorization.solve(a, a @ x), x, 10 * n)
                one = x[(0,) * (x.ndim - 2)]
                expected = np.linalg.solve(a, np.broadcast_to(one, x.shape))
                assert_close(factorization.solve(a, np.ascontiguousarray(one)), expected, 10 * n)


def test_a_zero_on_the_diagonal():
    a = np.array([[0.0, 0], [1, 1]])
    assert np.isinf(factorization.solve_triangle(a, np.ones((2, 1)), False, False)).all()
    assert factorization.solve(a, np.ones((2, 1))) is None


def test_inverses():
    a = np.random.default_rng(4).standard_normal((3, 40, 40)) + 8 * np.eye(40)
    inverse, rows = factorization.invert(a)
    assert not rows.any() and np.allclose(inverse @ a, np.eye(40), atol=1e-12)
    a[1, 5] = 0
    inverse, rows = factorization.invert(a)
    assert rows.tolist()[::2] == [0, 0] and rows[1] > 0 and np.isnan(inverse[1]).all() and np.isfinite(inverse[2]).all()


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("test_") and factorization.compiled:
            check()
