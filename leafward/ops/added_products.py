"""A product and a sum: addmm and its kin, ``beta * input + alpha * (a @ b)``.

Args:
    beta: the factor of `input`; with 0 it is not read
    alpha: the factor of the product
    input: what the product is added to
    mat1: the matrix on the left
    mat: the matrix
    vec1: the first vector
"""
from leafward import dtypes
from leafward.core.op import op

from leafward.ops.checks import as_element, check_expands, cpp_name, refuse_bool, scalar_name
from leafward.ops.dims import normalize, size_at
from leafward.ops.linalg import added, check_bmm, matmul_batch, mv_batch


def same_dtype(name, x, y):
    if x.dtype != y.dtype:
        raise RuntimeError(f"{name} must have the same dtype, but got {scalar_name(x)} and {scalar_name(y)}")


def combine(xp, x, multiply, left, right, beta, alpha):
    """``beta * x + alpha * multiply(left, right)``, of half types rounded once; with ``beta = 0`` no NaN of ``x`` counts."""
    dtype = xp.dtype_of(left)
    beta, alpha = as_element(beta, dtype), as_element(alpha, dtype)
    product = multiply(xp.widened(left), xp.widened(right))
    if alpha == 0 and multiply is xp.kernels.dot and left.dtype.itemsize > 2:       # as BLAS does, where no NaN of it counts
        product = xp.zeros_like(product)
    elif alpha != 1:
        product = xp.astype(product * alpha, product.dtype)
    if beta != 0:
        x = xp.widened(x)
        product = xp.astype((x if beta == 1 else x * beta) + product, product.dtype)
    return xp.astype(product, dtype)


def times(g, factor):
    return g if factor == 1 else g * factor


def matrix_check(mat1, mat2):
    for name, mat in (("mat1", mat1), ("mat2", mat2)):
        if mat.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {mat.ndim}-D tensor")
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({mat1.shape[0]}x{mat1.shape[1]} and "
                           f"{mat2.shape[0]}x{mat2.shape[1]})")


@op("addmm", legacy="beta, alpha", inplace=True, kernel="added_product",
    autocast="low", samples=["3 5 | 3 4 | 4 5", "5 | 3 4 | 4 5 ; beta=0.5, alpha=2", "3 5 | 3 4 | 4 5 ; beta=0"],
    errors=[("4 | 3 4 | 4 5", RuntimeError, "The expanded size of the tensor (5) must match the existing size (4)"),
            ("5 | 3 4 | 5 5", RuntimeError, "mat1 and mat2 shapes cannot be multiplied (3x4 and 5x5)"),
            ("5 | 3 | 3 5", RuntimeError, "mat1 must be a matrix, got 1-D tensor")])
def addmm(xp, x, mat1, mat2, *, beta=1, alpha=1):
    """A matrix product and a sum: ``out = beta * x + alpha * (mat1 @ mat2)``."""
    matrix_check(mat1, mat2)
    check_expands(x, (mat1.shape[0], mat2.shape[1]))
    same_dtype("self and mat2", x, mat2)
    same_dtype("mat1 and mat2", mat1, mat2)
    refuse_bool(mat1, "addmm_impl_cpu_")
    return combine(xp, x, xp.kernels.dot, mat1, mat2, beta, alpha)


@addmm.vjp("x")
def addmm_dx(g, beta):
    return times(g, beta)


@addmm.vjp("mat1")
def addmm_dmat1(xp, g, mat2, alpha):
    return times(xp.matmul(g, xp.matrix_transpose(xp.conj(mat2))), alpha)


@addmm.vjp("mat2")
def addmm_dmat2(xp, g, mat1, alpha):
    return times(xp.matmul(xp.matrix_transpose(xp.conj(mat1)), g), alpha)


@addmm.batch
def addmm_batch(fns, call):
    return added(call, matmul_batch(fns, call, 1, 2), 2)


@op("addmv", legacy="beta, alpha", inplace="method, function", kernel="added_matrix_times_vector",
    samples=["3 | 3 4 | 4", "| 3 4 | 4 ; beta=0.5, alpha=2"],
    errors=[("3 | 3 4 | 3", RuntimeError, "size mismatch, got input (3), mat (3x4), vec (3)"),
            ("3 3 | 3 4 | 4", RuntimeError, "vector + matrix @ vector expected, got 2, 2, 1")])
def addmv(xp, x, mat, vec, *, beta=1, alpha=1):
    """A product of matrix and vector and a sum: ``out = beta * x + alpha * (mat @ vec)``."""
    if x.ndim > 1 or mat.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {x.ndim}, {mat.ndim}, {vec.ndim}")
    rows, columns = mat.shape
    if columns != vec.shape[0] or x.shape not in ((), (1,), (rows,)):
        raise RuntimeError(f"size mismatch, got input ({size_at(x, 0)}), mat ({rows}x{columns}), vec "
                           f"({vec.shape[0]})")
    if not x.dtype == mat.dtype == vec.dtype:
        raise RuntimeError("addmv input tensors must have the same dtype, "
                           f"but got {scalar_name(x)}, {scalar_name(mat)}, and {scalar_name(vec)}")
    refuse_bool(mat, "addmv_impl_cpu")
    return combine(xp, x, xp.kernels.dot, mat, vec, beta, alpha)


@addmv.vjp("x")
def addmv_dx(g, beta):
    return times(g, beta)


@addmv.vjp("mat")
def addmv_dmat(xp, g, vec, alpha):
    return times(xp.expand_dims(g, axis=1) * xp.conj(vec), alpha)


@addmv.vjp("vec")
def addmv_dvec(xp, g, mat, alpha):
    return times(xp.matmul(xp.matrix_transpose(xp.conj(mat)), g), alpha)


@addmv.batch
def addmv_batch(fns, call):
    return added(call, mv_batch(fns, call, 1, 2), 1)


@op("baddbmm", legacy="beta, alpha", inplace=True, autocast="low", kernel="added_product",
    samples=["2 3 5 | 2 3 4 | 2 4 5", "5 | 2 3 4 | 2 4 5 ; beta=0.5, alpha=2"],
    errors=[("3 5 | 2 3 4 | 2 5 5", RuntimeError, "Expected size for first two dimensions of batch2 tensor to be: [2, 4]"),
            ("3 4 | 2 3 4 | 2 4 5", RuntimeError, "The expanded size of the tensor (5) must match the existing size (4)")])
def baddbmm(xp, x, batch1, batch2, *, beta=1, alpha=1):
    """Batched matrix products and a sum: ``out = beta * x + alpha * (batch1 @ batch2)``."""
    for batch, dim in (batch1, 0), (batch1, 1), (batch2, 2):         # the sizes of the result are looked up first
        size_at(batch, dim)
    if not x.dtype == batch1.dtype == batch2.dtype:
        raise RuntimeError(f"Input dtypes must be the same, got: input {cpp_name(x)}, batch1: {cpp_name(batch1)}, batch2: "
                           f"{cpp_name(batch2)}")
    check_bmm(batch1, batch2)
    check_expands(x, (batch1.shape[0], batch1.shape[1], batch2.shape[2]))
    return combine(xp, x, xp.kernels.matmul, batch1, batch2, beta, alpha)


@baddbmm.vjp("x")
def baddbmm_dx(g, beta):
    return times(g, beta)


@baddbmm.vjp("batch1")
def baddbmm_dbatch1(xp, g, batch2, alpha):
    return times(xp.matmul(g, xp.matrix_transpose(xp.conj(batch2))), alpha)


@baddbmm.vjp("batch2")
def baddbmm_dbatch2(xp, g, batch1, alpha):
    return times(xp.matmul(xp.matrix_transpose(xp.conj(batch1)), g), alpha)


@baddbmm.batch
def baddbmm_batch(fns, call):
    return added(call, matmul_batch(fns, call, 1, 2), 3)


@op("addbmm", legacy="beta, alpha", inplace="method, resizes", autocast="low",
    samples=["3 5 | 2 3 4 | 2 4 5", "5 | 2 3 4 | 2 4 5 ; beta=0.5, alpha=2"],
    errors=[("3 5 | 2 3 4 | 2 5 5", RuntimeError, "Incompatible matrix sizes for bmm (3x4 and 5x5)"),
            ("3 5 | 2 3 4 | 3 4 5", RuntimeError,
             "batch1 and batch2 must have same number of batches, got 2 and 3")])
def addbmm(xp, x, batch1, batch2, *, beta=1, alpha=1):
    """The sum of batched matrix products, and another: ``out = beta * x + alpha * sum_b(batch1[b] @ batch2[b])``."""
    normalize(1, batch1.ndim)                               # the sizes of the result are looked up first
    normalize(2, batch2.ndim)
    for name, batch in (("batch1", batch1), ("batch2", batch2)):
        if batch.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if batch1.shape[0] != batch2.shape[0]:
        raise RuntimeError("batch1 and batch2 must have same number of batches, "
                           f"got {batch1.shape[0]} and {batch2.shape[0]}")
    if batch1.shape[2] != batch2.shape[1]:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({batch1.shape[1]}x{batch1.shape[2]} and "
                           f"{batch2.shape[1]}x{batch2.shape[2]})")
    same_dtype("self and mat2", x, batch2)
    same_dtype("mat1 and mat2", batch1, batch2)
    rows, columns = batch1.shape[1], batch2.shape[2]
    check_expands(x, (rows, columns))
    refuse_bool(batch1, "addmm_impl_cpu_")
    # The batch is one more dimension to add over: a single product of n x (b k) and (b k) x m.
    inner = batch1.shape[0] * batch1.shape[2]
    left = xp.permute_dims(batch1, (1, 0, 2)).reshape((rows, inner))
    return combine(xp, x, xp.kernels.dot, left, batch2.reshape((inner, columns)), beta, alpha)


@addbmm.vjp("x")
def addbmm_dx(g, beta):
    return times(g, beta)


@addbmm.vjp("batch1")
def addbmm_dbatch1(xp, g, batch2, alpha):
    return times(xp.matmul(g, xp.matrix_transpose(xp.conj(batch2))), alpha)


@addbmm.vjp("batch2")
def addbmm_dbatch2(xp, g, batch1, alpha):
    return times(xp.matmul(xp.matrix_transpose(xp.conj(batch1)), g), alpha)


@addbmm.batch
def addbmm_batch(fns, call):
    return added(call, matmul_batch(fns, call, 1, 2).sum(-3), 2)


@op("addr", legacy="beta, alpha", inplace=True, casts_out=True, kernel="added_outer",
    samples=["3 4 | 3 | 4", "4 | 3 | 4 ; beta=0.5, alpha=2"],
    errors=[("3 4 | 3 1 | 4", RuntimeError, "addr: Expected 1-D argument vec1, but got 2-D"),
            ("3 4 | 3 | 4 ; alpha=True", RuntimeError, "Boolean alpha only supported for Boolean results")])
def addr(xp, x, vec1, vec2, *, beta=1, alpha=1):
    """An outer product and a sum: ``out = beta * x + alpha * outer(vec1, vec2)``."""
    for name, vec in (("vec1", vec1), ("vec2", vec2)):
        if vec.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {vec.ndim}-D")
    check_expands(x, (vec1.shape[0], vec2.shape[0]))
    if not x.dtype == vec1.dtype == vec2.dtype:     # to the larger type, though one have no dimensions
        kinds = [xp.dtype_of(a) for a in (x, vec1, vec2)]
        common = dtypes.promote_types(dtypes.promote_types(*kinds[:2]), kinds[2])
        x, vec1, vec2 = (xp.astype(a, common) for a in (x, vec1, vec2))
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if isinstance(factor, bool) and x.dtype.kind != "b":
            raise RuntimeError(f"Boolean {name} only supported for Boolean results")
        if isinstance(factor, float) and x.dtype.kind in "biu":
            raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
    return combine(xp, x, xp.multiply, xp.expand_dims(vec1, axis=1), vec2, beta, alpha)


@addr.vjp("x")
def addr_dx(g, beta):
    return times(g, beta)


@addr.vjp("vec1")
def addr_dvec1(xp, g, vec2, alpha):
    return times(xp.matmul(g, xp.conj(vec2)), alpha)


@addr.vjp("vec2")
def addr_dvec2(xp, g, vec1, alpha):
    return times(xp.matmul(xp.matrix_transpose(g), xp.conj(vec1)), alpha)


@addr.batch
def addr_batch(fns, call):
    return added(call, call.aligned(1, 1).unsqueeze(-1) * call.aligned(2, 1).unsqueeze(-2), 2)
