"""Triangular factors against what they are factors of, for sizes around those of blocks and shares."""
import numpy as np

from leafward.arrays.kernels import elimination, factorization, lapack, reflections, symmetric
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


def test_determinants():
    rng = np.random.default_rng(5)
    for shape in SQUARE:
        for dtype in "float32", "float64":
            a = rng.standard_normal(shape).astype(dtype)
            given, = on_threads(lambda: [factorization.compiled.determinants(a, False)])          # noqa: B023
            expected = np.linalg.det(a.astype(float))
            with np.errstate(over="ignore"):
                assert np.allclose(given, expected.astype(dtype), 1e-4 if dtype == "float32" else 1e-9) and given.dtype == dtype
            for scale in 1, 1e30, 1e-30:                  # products that are beyond the type on the way, or in the end
                sign, log = factorization.compiled.determinants(a * a.dtype.type(scale), True)
                assert (sign == np.sign(expected)).all()
                assert np.allclose(log, np.log(np.abs(expected)) + shape[-1] * np.log(scale), 1e-5, 1e-3)
    a = np.diag([1e30, 1e30, 1e-30, -1e-30]).astype("float32")
    assert np.isclose(factorization.compiled.determinants(a, False), -1) and factorization.determinant(np.zeros((3, 3))) == 0
    assert factorization.sign_and_log(np.zeros((2, 2))) == (0, -np.inf)
    with np.errstate(invalid="ignore"):
        assert np.isnan(factorization.determinant(np.array([[1.0, np.nan], [2, 1]])))


def cofactors(a):
    """The adjugate of a matrix of small whole numbers, which is whole, too."""
    rest = [np.delete(np.arange(len(a)), k) for k in range(len(a))]
    return np.array([[np.round(np.linalg.det(a[np.ix_(rest[j], rest[i])])) * (-1) ** (i + j) for j in range(len(a))]
                     for i in range(len(a))])


def test_adjugates():
    rng = np.random.default_rng(6)
    for trial in range(40):
        n = 2 + trial % 5
        a = rng.integers(-4, 5, (n, n)).astype(float)
        if trial % 2:                                     # singular, which rounding often hides
            a[-1] = a[0] - 2 * a[(n - 1) // 2]
        expected = cofactors(a)
        for dtype in "float32", "float64":
            given = factorization.adjugate(a.astype(dtype))
            assert given.dtype == dtype
            assert np.allclose(given, expected, 0, 1e4 * np.finfo(dtype).eps * max(1, np.abs(expected).max()))
    a = rng.standard_normal((60, 60))
    for scale in 1e-12, 1e12:                             # what is beyond the type at either end
        with np.errstate(all="ignore"):
            assert np.isin(factorization.compiled.adjugates(a * scale), [0, np.inf, -np.inf]).all()
    small = np.diag([1e-25, 1e-25, 1e30, 1e25]).astype("float32")
    assert np.allclose(np.diag(factorization.compiled.adjugates(small)), [1e30, 1e30, 1e-25, 1e-20], 1e-5, 0)


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("test_") and factorization.compiled:
            check()


def without_lapack(compute):
    """What it gives where NumPy's library has no routine that it asks for."""
    kept, lapack.compiled = lapack.compiled, None
    try:
        return compute()
    finally:
        lapack.compiled = kept


def test_what_lapack_gives_is_what_there_is_without_it():
    """Pivots and all; for batches, wide and tall matrices."""
    rng = np.random.default_rng(4)

    def random(*shape, kind="d"):
        x = rng.standard_normal(shape)
        return (x + 1j * rng.standard_normal(shape) if kind in "FD" else x).astype(kind)

    def both(compute):
        for one, other in zip(compute(), without_lapack(compute), strict=True):
            assert one.shape == other.shape and one.dtype == other.dtype
            assert np.allclose(one, other, rtol=0, atol=1e-4 if one.dtype.char in "fF" else 1e-12)

    for kind in "fdFD":
        for shape in (1, 1), (5, 5), (40, 40), (3, 6, 6), (2, 2, 4, 4):
            a = random(*shape, kind=kind) + 4 * np.eye(shape[-1], dtype=kind)
            for hermitian in (False, True) if kind in "FD" else (False,):
                both(lambda: symmetric.ldl(a, hermitian))                        # noqa: B023
            b = random(*shape[:-1], 3, kind=kind)
            for upper in (False, True):
                for unit in (False, True):
                    both(lambda: [factorization.solve_triangle(a / 8, b, upper, unit)])       # noqa: B023
        for shape in (4, 4), (3, 5), (5, 3), (2, 40, 35):
            a = random(*shape, kind=kind)
            both(lambda: elimination.lu(a))                                      # noqa: B023


def test_symmetric():
    """Pivots and factors as without blocks; pairs and exchanges reach over the ends of blocks."""
    rng = np.random.default_rng(6)
    for shape in *SQUARE, (64, 64), (97, 97):
        for dtype in "float32", "float64":
            n = shape[-1]
            x = rng.standard_normal(shape).astype(dtype)
            a = x + x.swapaxes(-1, -2)
            marked = np.tril(a) + np.triu(np.full_like(a, np.nan), 1)
            factors, pivots, info = on_threads(lambda: factorization.compiled.symmetric(marked))      # noqa: B023
            assert not info.any() and not np.triu(factors, 1).any()
            for at in np.ndindex(shape[:-2]):
                expected, order = np.zeros_like(a[at]), np.zeros(n, np.int32)
                symmetric.factorize(a[at].copy(), expected, order, False)
                assert pivots[at].tolist() == order.tolist()
                assert np.abs(factors[at] - expected).max() <= 64 * n * np.finfo(dtype).eps * np.abs(expected).max()
    a = np.diag([1.0, 0, 0, 1])
    a[3, 2] = a[2, 3] = 3
    assert factorization.compiled.symmetric(a)[1].tolist() == [1, 2, -4, -4] and factorization.compiled.symmetric(a)[2] == 2
    assert factorization.compiled.symmetric(np.array([[np.nan]]))[2] == 1


def test_factors_of_nothing():
    for shape in (0, 0), (0, 3), (3, 0), (0, 2, 2), (2, 0, 3), (2, 3, 0):
        factors, pivots, info = elimination.lu(np.ones(shape))
        lower, upper = elimination.unpack(factors)
        p = elimination.permutation_matrix(pivots, shape[-2], "float64")
        assert (p @ lower @ upper).shape == shape and info.shape == shape[:-2]


def test_reflections():
    """Their product is what QR takes it for, and its adjoint undoes it."""
    if not lapack.compiled or not lapack.address("dormqr"):
        assert reflections.leading_columns(np.eye(2), np.zeros(2)) is None
        return
    rng = np.random.default_rng(5)
    for kind in "fdFD":
        for rows, columns in (4, 4), (7, 3), (70, 66):
            a = rng.standard_normal((2, rows, columns)).astype(kind)
            if kind in "FD":
                a += 1j * rng.standard_normal(a.shape).astype(kind)
            packed, tau = np.linalg.qr(a, "raw")
            packed = packed.swapaxes(-1, -2)
            q, r = reflections.leading_columns(packed, tau), np.triu(packed)[:, :columns]
            assert_close(q @ r, a, rows)
            whole = reflections.reflected(packed, tau, np.broadcast_to(np.eye(rows, dtype=kind), (2, rows, rows)), True, False)
            assert_close(whole[..., :columns], q, rows)
            c = rng.standard_normal((2, 3, rows)).astype(kind)
            assert_close(reflections.reflected(packed, tau, c, False, False), c @ whole, rows)
            back = reflections.reflected(packed, tau, whole, True, True)
            assert_close(back, np.broadcast_to(np.eye(rows, dtype=kind), back.shape), rows)


def test_systems_of_as_many_matrices_on_both_sides():
    rng = np.random.default_rng(6)
    for dtype in "float32", "float64":
        for shape in SQUARE:
            a = (rng.standard_normal(shape) + 3 * np.eye(shape[-1])).astype(dtype)
            b = rng.standard_normal((*shape[:-1], 3)).astype(dtype)
            x, zeros = on_threads(lambda: factorization.compiled.solve(a, b))                 # noqa: B023
            inverse, _ = factorization.compiled.solve(a, None)
            size = shape[-1] * np.abs(x).max()
            assert np.abs(a @ x - b).max() <= 50 * size * np.finfo(dtype).eps * np.abs(a).max() and not zeros.any()
            off = np.abs(a @ inverse - np.eye(shape[-1])).max()
            assert off <= 200 * shape[-1] * np.finfo(dtype).eps * np.abs(inverse).max()
    singular = np.stack([np.eye(3), np.ones((3, 3))])
    assert factorization.compiled.solve(singular, None)[0] is None
    assert factorization.compiled.solve(singular, singular)[1].tolist() == [0, 2]
