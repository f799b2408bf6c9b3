"""What kernels of vectors and of matrices are tried on: sizes at which they take other ways, layouts, batches."""
import numpy as np

#: Products, whose sums run in another order than the declaration's.
NEAR = {"dot_of_vectors", "matrix_times_vector", "vector_times_matrix", "scaled_by_number", "all_products", "added_outer",
        "added_matrix_times_vector", "products_in_blocks", "products_in_blocks_left", "products_in_blocks_right",
        "batch_product", "batch_product_turned", "batch_product_with_turned"}
#: Rows, columns.
SIZES = (1, 1), (3, 4), (4, 3), (5, 5), (70, 130), (2, 300), (300, 2)


def layouts(x):
    yield from (x, np.asarray(x, order="F"), np.repeat(x, 2, -1)[..., ::2], np.broadcast_to(x[..., :1], x.shape))


def matrices(op, normal):
    """Lists of what the forward of ``op`` takes; nothing for other ops."""
    if op.name in ("dot", "vdot"):
        yield from ([x, normal(n)] for n in (1, 7, 100, 3000, 150_000) for x in layouts(normal(n)))
    for n, m in SIZES:
        square = normal(2, n, n)
        definite = square @ square.swapaxes(1, 2) + 4 * np.eye(n, dtype=square.dtype)
        if op.name == "mv":
            yield from ([x, v] for x in layouts(normal(n, m)) for v in (normal(m), normal(m, 2)[:, 0]))
        if op.name == "_vecmat":
            yield from ([v, x] for x in layouts(normal(n, m)) for v in (normal(n), normal(n, 2)[:, 0]))
        if op.name == "bmm":
            yield from ([x, y] for x in layouts(normal(3, n, m)) for y in layouts(normal(3, m, 5)))
        for beta, alpha in ((1, 1), (0.5, 2)):
            if op.name == "addr":
                yield [normal(n, m), normal(n), normal(m), beta, alpha]
            if op.name == "addmv":
                yield from ([normal(n), x, normal(m), beta, alpha] for x in layouts(normal(n, m)))
        if op.name == "_blocks":
            yield [normal(min(n, 5), 1, min(m, 6), 1), normal(1, 3, 1, 2)]      # sums of as many terms as rounding allows
            yield [normal(2, 1, 3, 1), normal(1, n, 1, m)]
        if op.name in ("linalg_cholesky", "cholesky", "linalg_cholesky_ex"):
            options = [False] * (len(op.names) - 1)
            yield from ([x, *options] for x in (definite, definite[0], np.asarray(definite[1], order="F")))
        if op.name in ("linalg_ldl_factor", "linalg_ldl_factor_ex"):
            either = square + square.swapaxes(1, 2)
            yield from ([x, False, False][:len(op.names)] for x in (either, either[0], np.asarray(either[1], order="F")))
        if op.name in ("linalg_lu", "linalg_lu_factor_ex"):
            yield from ([x, True, False][:len(op.names)] for x in (normal(n, m), normal(2, n, m), normal(m, n).T))
        if op.name == "lu_unpack":
            k = min(n, m)
            pivots = np.minimum(np.arange(1, k + 1, dtype="int32") + 1, n).astype("int32")
            for data, places in ((True, True), (False, True), (True, False)):
                yield [normal(n, m), pivots, data, places]
                yield [normal(2, n, m), np.stack([pivots, np.arange(1, k + 1, dtype="int32")]), data, places]
        if op.name in ("geqrf", "linalg_qr"):
            for x in normal(n, m), normal(2, n, m), normal(m, n).T:
                yield from ([x, mode] for mode in ("reduced", "complete", "r")) if op.name == "linalg_qr" else ([x],)
        if op.name == "linalg_householder_product" and n >= m:
            yield from ([normal(n, m) / n, normal(k) / n] for k in (m, 1))
            yield [normal(2, n, m) / n, normal(2, m) / n]
        if op.name == "ormqr":
            k = min(n, m)
            for turn in True, False:
                yield [normal(n, m) / n, normal(k) / n, normal(n, 3), True, turn]
                yield [normal(2, n, m) / n, normal(2, k) / n, normal(2, 3, n), False, turn]
        if op.name == "triangular_solve":
            for upper, transpose, unit in ((True, False, False), (False, True, False), (True, True, True)):
                yield [normal(n, 3), definite[0], upper, transpose, unit]
                yield [normal(2, n, 3), definite, upper, transpose, unit]
