"""Products cut into tiles against NumPy's, for layouts that are read where they lie and those that are not."""
import numpy as np

from leafward.arrays.kernels import products
from leafward.arrays.threads import pool
from tests.kernels.targets import assert_near

#: (x, y): matrices, batches, batches that one operand lacks or has once, narrow ones, sizes that leave edges of tiles, and
#: large ones, whose operands are packed once.
SHAPES = [((300, 200), (200, 150)), ((33, 2000), (2000, 65)), ((7, 90, 64), (7, 64, 70)), ((5, 90, 64), (64, 70)),
          ((90, 64), (5, 64, 70)), ((4, 1, 60, 64), (1, 3, 64, 70)), ((2, 1, 40, 64), (5, 64, 170)),
          ((90, 1, 64), (90, 64, 70)), ((1000, 2), (2, 400)), ((2000, 300), (300, 2)), ((3, 513, 129), (3, 129, 257)),
          ((40, 3, 2, 64), (64, 70)), ((700, 300), (300, 500)), ((2, 410, 420), (2, 420, 430))]


def layouts(x):
    turned = np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)
    wider = np.concatenate([x, x], -1)[..., :x.shape[-1]]
    return {"row-major": x, "turned": turned, "part of a wider one": wider, "backwards": x[..., ::-1],
            "each second": np.repeat(x, 2, -1)[..., ::2]}


def test_tiles():
    if products.compiled is None:
        return                                          # a compiler without vector types
    rng = np.random.default_rng(1)
    for left, right in SHAPES:
        for dtype in "float32", "float64":
            x, y = rng.standard_normal(left).astype(dtype), rng.standard_normal(right).astype(dtype)
            for name, a in layouts(x).items():
                for other, b in layouts(y).items():
                    results = []
                    for threads in 1, 3:
                        pool().allow(threads)
                        results.append(products.compiled.product(a, b))
                    expected, sizes = np.matmul(a, b), np.matmul(np.abs(a), np.abs(b))
                    assert np.array_equal(*results), f"{left} @ {right}, {name}, {other}: other bits on three threads"
                    assert_near(results[0], expected, sizes, f"{left} @ {right}, {name}, {other}")
                    out = np.empty_like(expected)
                    assert products.matmul(a, b, out=out) is out
                    assert np.array_equal(out, results[0])


def test_edges_of_tiles():
    if products.compiled is None:
        return
    rng = np.random.default_rng(3)
    for n in 2, 7, 8, 9, 260:
        for m in 2, 15, 16, 17, 31, 48, 49, 97:
            for inner in 1, 5, 127, 128, 129:
                x, y = rng.standard_normal((n, inner)), rng.standard_normal((inner, m))
                for dtype in "float32", "float64":
                    for a in x.astype(dtype), np.asfortranarray(x, dtype):
                        for b in y.astype(dtype), np.asfortranarray(y, dtype):
                            assert_near(products.compiled.product(a, b), a @ b, np.abs(a) @ np.abs(b), f"{n} {inner} {m}")


def test_what_it_does_not_do():
    if products.compiled is None:
        return
    x = np.ones((4, 3))
    for a, b in (x, x), (x.astype("int64"), x.T.astype("int64")), (x, x.T.astype("float32")), (x[:0], x.T), (x[0], x.T):
        assert products.compiled.product(a, b) is None
    assert products.compiled.product(x, x.T, np.empty((4, 3))) is None
    assert products.compiled.product(np.ones((2, 4, 3)), np.ones((3, 3, 4))) is None


def test_a_product_into_its_own_operand():
    x = np.random.default_rng(2).standard_normal((256, 256))
    expected = x @ x
    assert products.matmul(x, x, out=x) is x
    np.testing.assert_allclose(x, expected)


def test_vectors():
    if products.small_vectors is None:
        return
    rng = np.random.default_rng(4)
    for n, m in (1, 1), (5, 3), (64, 65), (300, 7), (7, 3000), (700, 600):
        for dtype in "float32", "float64":
            matrix = rng.standard_normal((n, m)).astype(dtype)
            for name, a in layouts(matrix).items():
                for x in rng.standard_normal(m).astype(dtype), rng.standard_normal(2 * m).astype(dtype)[::2]:
                    for one, other in (a, x), (x, a.T), (x, a[0]):
                        results = []
                        for threads in 1, 3:
                            pool().allow(threads)
                            results.append(products.dot(one, other))
                        assert np.array_equal(*results), f"{n} {m}, {name}: other bits on three threads"
                        sizes = np.abs(one).astype("float64") @ np.abs(other).astype("float64")
                        expected = (one.astype("float64") @ other.astype("float64")).astype(dtype)
                        assert_near(results[0], expected, sizes, f"{n} {m}, {name}")


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("test_"):
            check()
