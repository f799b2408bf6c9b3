"""Products of vectors and matrices. Factorizations are in ``decompositions.py``, ``einsum`` in ``einsum.py``.

Args:
    other: the second factor
    mat2: the matrix on the right
    weight: the matrix, `(out, in)`
    bias: what is added, `(out,)`; None: nothing
    tensor: the second vector
    x: the first vectors
    y: the second vectors
"""
from leafward.core.op import Meta, composite, op, recorded

from leafward.ops.checks import check_expands, cpp_name, refuse_bool, scalar_name
from leafward.ops.dims import count, size_at
from leafward.ops.kinds import refuse_kinds


# --- two operands ----------------------------------------------------------------------------------------------------

def check_mm(x, y):
    if x.ndim != 2 or y.ndim != 2:
        raise RuntimeError(f"{'self' if x.ndim != 2 else 'mat2'} must be a matrix")
    check_product(x, y)


def check_product(x, y):
    """The last size of ``x`` meets the first of the matrix ``y``, in one dtype."""
    if x.shape[-1] != y.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({count(x.shape[:-1])}x{x.shape[-1]} and "
            f"{y.shape[0]}x{y.shape[1]})")
    if x.dtype != y.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {cpp_name(x)} != {cpp_name(y)}")
    if y.size:
        refuse_bool(x, "addmm_impl_cpu_")


def matmul_batch(fns, call, first=0, second=1):
    """Of a batch: products of matrices or vectors, of which one may be the same for all."""
    rank = max(call.rank(first), call.rank(second))
    x = call.aligned(first, rank - (call.rank(first) == 1))
    y = call.aligned(second, rank - (call.rank(second) == 1))
    x = x.unsqueeze(-2) if call.rank(first) == 1 else x
    y = y.unsqueeze(-1) if call.rank(second) == 1 else y
    out = fns.matmul(x, y)
    out = out.squeeze(-2) if call.rank(first) == 1 else out
    return out.squeeze(-1) if call.rank(second) == 1 else out


def added(call, product, rank):
    """Of a batch: ``beta * x + alpha * product``."""
    beta, alpha = call.option("beta"), call.option("alpha")
    product = product if alpha == 1 else alpha * product
    if beta == 0:
        return product if product.ndim > rank else product.expand(call.size, *product.shape)
    x = call.aligned(0, rank)
    return product + (x if beta == 1 else beta * x)


@op("mm", kernel="product", foreach=True, autocast="low", batch=matmul_batch,
    samples=["3 4 | 4 5", "1 4 | 4 1", "0 4 | 4 2", "3 0 | 0 2"],
    errors=[("3 4 | 3 4", RuntimeError, "mat1 and mat2 shapes cannot be multiplied (3x4 and 3x4)"),
            ("3 | 3 4", RuntimeError, "self must be a matrix"), ("3 4 | 4", RuntimeError, "mat2 must be a matrix")])
def mm(xp, x, mat2, out=None):
    """Product of two matrices: ``out[i, k] = sum_j x[i, j] * mat2[j, k]``.

    ``(n, m)`` and ``(m, p)`` give ``(n, p)``. For vectors and batches use ``matmul``.

    >>> lw.mm(lw.tensor([[1., 2.]]), lw.tensor([[3.], [4.]]))
    tensor([[11.]])
    """
    check_mm(x, mat2)
    return xp.kernels.dot(x, mat2, out)


@mm.vjp("x", kernel="product_with_turned")
def mm_dx(xp, g, mat2):
    return xp.mm(g, xp.matrix_transpose(xp.conj(mat2)))


@mm.vjp("mat2", kernel="product_turned")
def mm_dmat2(xp, x, g):
    return xp.mm(xp.matrix_transpose(xp.conj(x)), g)


@op("mv", kernel="matrix_times_vector", samples=["3 4 | 4", "1 4 | 4", "3 0 | 0"],
    errors=[("3 4 | 3", RuntimeError, "size mismatch, got input (3), mat (3x4), vec (3)"),
            ("3 | 3", RuntimeError, "vector + matrix @ vector expected, got 1, 1, 1")])
def mv(xp, x, vec, out=None):
    """Product of a matrix and a vector: ``out[i] = sum_j x[i, j] * vec[j]``."""
    if x.ndim != 2 or vec.ndim != 1:
        size_at(x, 0)
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {x.ndim}, {vec.ndim}")
    rows, columns = x.shape
    check_mv(x, vec, rows, columns)
    return xp.kernels.dot(x, vec, out)


def check_mv(x, vec, rows, columns):
    if columns != vec.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({rows}), mat ({rows}x{columns}), vec ({vec.shape[0]})")
    if x.dtype != vec.dtype:
        raise RuntimeError("addmv input tensors must have the same dtype, "
                           f"but got {scalar_name(vec)}, {scalar_name(x)}, and {scalar_name(vec)}")
    refuse_bool(x, "addmv_impl_cpu")


@mv.vjp("x", kernel="all_products")
def mv_dx(xp, g, vec):
    return xp.expand_dims(g, axis=1) * xp.conj(vec)


@mv.vjp("vec", kernel="vector_times_matrix")
def mv_dvec(xp, g, x):
    return xp.mv(xp.matrix_transpose(xp.conj(x)), g)


@mv.batch
def mv_batch(fns, call, first=0, second=1):
    return fns.matmul(call.aligned(first, 2), call.aligned(second, 1).unsqueeze(-1)).squeeze(-1)


def check_dot(x, tensor):
    if x.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {x.ndim}D and {tensor.ndim}D tensors")
    if x.dtype != tensor.dtype:
        raise RuntimeError("dot : expected both vectors to have same dtype, "
                           f"but found {scalar_name(x)} and {scalar_name(tensor)}")
    n, m = x.shape[0], tensor.shape[0]
    if n != m:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same number of "
                           f"elements, but got {n} and {m} elements respectively")
    refuse_kinds(x, "b", "dot")


@op("dot", kernel="dot_of_vectors", samples=["4 | 4", "1 | 1", "0 | 0"],
    errors=[("3 | 4", RuntimeError, "inconsistent tensor size, expected tensor [3] and src [4]"),
            ("3 4 | 4", RuntimeError, "1D tensors expected, but got 2D and 1D tensors")])
def dot(xp, x, tensor):
    """Product of two vectors: ``out = sum_i x[i] * tensor[i]``, without conjugation."""
    check_dot(x, tensor)
    return xp.kernels.dot(x, tensor)


@dot.vjp("x", kernel="scaled_by_number")
def dot_dx(xp, g, tensor):
    return g * xp.conj(tensor)


@dot.vjp("tensor", kernel="scaled_by_number")
def dot_dtensor(xp, g, x):
    return g * xp.conj(x)


@dot.batch
def dot_batch(fns, call):
    return (call.aligned(0, 1) * call.aligned(1, 1)).sum(-1)


@op("vdot", kernel="dot_of_vectors", samples=["4 | 4", "complex: 4 | complex: 4"],
    errors=[("3 4 | 4", RuntimeError, "1D tensors expected, but got 2D and 1D tensors")])
def vdot(xp, x, y):
    """Inner product of two vectors: ``out = sum_i conj(x[i]) * y[i]``."""
    check_dot(x, y)
    return xp.kernels.dot(xp.conj(x), y)


@vdot.vjp("x", kernel="scaled_by_number")
def vdot_dx(xp, g, y):
    return xp.conj(g) * y


@vdot.vjp("y", kernel="scaled_by_number")
def vdot_dy(g, x):
    return g * x


@vdot.batch
def vdot_batch(fns, call):
    return (call.aligned(0, 1).conj() * call.aligned(1, 1)).sum(-1)


@composite("linalg.vecdot", autocast="low",
           samples=["3 4 | 3 4", "3 4 | 4", "4 | 4", "complex: 3 4 | complex: 3 4", "3 4 | 3 4 ; dim=0"],
           errors=[("int5: 3 | int5: 3", RuntimeError,
                    "linalg.vecdot: Expected a floating point or complex tensor as input. Got Long")])
def linalg_vecdot(fns, x, y, *, dim=-1):
    """Products of the vectors along ``dim``: ``out = sum_i conj(x[i]) * y[i]``."""
    if not (x.is_floating_point() or x.is_complex()):
        raise RuntimeError(
            f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {scalar_name(x)}")
    if x.dtype != y.dtype:
        raise RuntimeError(f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type "
                           f"{scalar_name(x)} and y of type {scalar_name(y)} instead")
    if x.ndim == y.ndim == 1:
        return fns.vdot(x, y)
    return fns.sum(fns.mul(fns.conj(x), y), dim)


@op("bmm", kernel="batch_product", autocast="low", batch=matmul_batch,
    samples=["2 3 4 | 2 4 5", "1 1 1 | 1 1 1", "0 3 4 | 0 4 5", "2 3 0 | 2 0 5"],
    errors=[("2 3 4 | 2 5 5", RuntimeError,
             "Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2, 5]."),
            ("3 4 | 2 4 5", RuntimeError, "batch1 must be a 3D tensor"),
            ("2 3 4 | 4 5", RuntimeError, "batch2 must be a 3D tensor")])
def bmm(xp, x, mat2, out=None):
    """Product of matrices pair by pair: ``out[b] = x[b] @ mat2[b]``.

    ``(b, n, m)`` and ``(b, m, p)`` give ``(b, n, p)``; nothing is broadcast.

    >>> lw.bmm(lw.ones(3, 2, 4), lw.ones(3, 4, 5)).shape
    torch.Size([3, 2, 5])
    """
    check_bmm(x, mat2)
    return xp.kernels.matmul(x, mat2, out)


def check_bmm(x, mat2):
    if x.ndim != 3 or mat2.ndim != 3:
        raise RuntimeError(f"batch{1 if x.ndim != 3 else 2} must be a 3D tensor")
    batch, _, inner = x.shape
    if mat2.shape[:2] != (batch, inner):
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {inner}] "
                           f"but got: [{mat2.shape[0]}, {mat2.shape[1]}].")
    if x.dtype != mat2.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(x)} but found {scalar_name(mat2)}")
    refuse_bool(x, "bmm")


@bmm.vjp("x", kernel="batch_product_with_turned")
def bmm_dx(xp, g, mat2):
    return xp.bmm(g, xp.matrix_transpose(xp.conj(mat2)))


@bmm.vjp("mat2", kernel="batch_product_turned")
def bmm_dmat2(xp, x, g):
    return xp.bmm(xp.matrix_transpose(xp.conj(x)), g)


# --- matmul ----------------------------------------------------------------------------------------------------------

def check_batches(x, y):
    """Batched operands of at least one dimension each, one of them of three or more."""
    if x.dtype != y.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(x)} but found {scalar_name(y)}")
    refuse_bool(x, "bmm")
    inner = y.shape[-2] if y.ndim > 1 else y.shape[0]
    if y.ndim == 1 or x.ndim == 1:
        vec, mat = (y, x) if y.ndim == 1 else (x, transposed(y))
        if vec.shape[0] != mat.shape[-1]:
            rows = count(mat.shape[:-1])
            raise RuntimeError(f"size mismatch, got input ({rows}), mat ({rows}x{mat.shape[-1]}), vec ({vec.shape[0]})")
        return
    if y.ndim == 2:
        return check_product(x, y)
    width = max(x.ndim, y.ndim)
    left, right = ((1,) * (width - a.ndim) + a.shape for a in (x, y))
    for dim, (a, b) in enumerate(zip(left[:-2], right[:-2])):
        if a != b and 1 not in (a, b):
            raise RuntimeError(f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton "
                               f"dimension {dim}")
    if x.shape[-1] != inner:
        if x.ndim == 2:
            rows, columns = count(y.shape[:-2]) * y.shape[-1], x.shape[0]
            raise RuntimeError(
                f"mat1 and mat2 shapes cannot be multiplied ({rows}x{inner} and {x.shape[-1]}x{columns})")
        batch = count([b if a == 1 else a for a, b in zip(left[:-2], right[:-2])])
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {x.shape[-1]}] "
                           f"but got: [{batch}, {inner}].")


def transposed(y):
    return Meta((*y.shape[:-2], y.shape[-1], y.shape[-2]), y.dtype)


@op("torch._vecmat", kernel="vector_times_matrix", node="SqueezeBackward4", samples=["4 | 4 5", "0 | 0 3"])
def vecmat(xp, x, mat):
    """Product of a vector, as a row, and a matrix: ``out[k] = sum_j x[j] * mat[j, k]``."""
    check_product(x, mat)
    return xp.kernels.dot(x, mat)


@vecmat.vjp("x", kernel="matrix_times_vector")
def vecmat_dx(xp, mat, g):
    return xp.mv(xp.conj(mat), g)


@vecmat.vjp("mat", kernel="all_products")
def vecmat_dmat(xp, x, g):
    return xp.expand_dims(xp.conj(x), axis=1) * g


@vecmat.batch
def vecmat_batch(fns, call):
    x, mat = (call.aligned(k, call.rank(k)) for k in (0, 1))
    return fns.matmul(x.unsqueeze(-2), mat).squeeze(-2) if call.rank(0) == 1 else None


@op("torch._matmul_batched", node=lambda given: "CloneBackward0" if given["x"].ndim == 2 else "UnsafeViewBackward0",
    batch=matmul_batch, samples=["2 3 4 | 4 5", "2 3 4 | 4", "4 | 2 4 5", "2 3 4 | 2 4 5", "3 4 | 2 4 5", "2 1 3 4 | 2 4 5",
             "2 2 3 4 | 4 5", "0 3 4 | 4 5", "2 3 0 | 0 5"])
def matmul_batched(xp, x, y, out=None):
    """``x @ y`` where at least one has three or more dimensions: the leading ones are batches and broadcast."""
    check_batches(x, y)
    if y.ndim <= 2 and out is None:
        # One product of a tall matrix, where np.matmul would multiply batch by batch.
        return xp.kernels.dot(x.reshape(count(x.shape[:-1]), x.shape[-1]), y).reshape(x.shape[:-1] + y.shape[1:])
    return xp.kernels.matmul(x, y, out)


@matmul_batched.vjp("x")
def matmul_batched_dx(xp, g, x: Meta, y):
    if y.ndim == 1:
        return xp.expand_dims(g, axis=-1) * xp.conj(y)
    if x.ndim == 1:
        return xp.matmul(xp.expand_dims(g, axis=-2), xp.matrix_transpose(xp.conj(y)))[..., 0, :]
    return xp.matmul(g, xp.matrix_transpose(xp.conj(y)))


@matmul_batched.vjp("y")
def matmul_batched_dy(xp, g, x, y: Meta):
    if y.ndim <= 2:                     # the batch is summed over by the product itself
        rows = count(x.shape[:-1])
        return xp.matmul(xp.matrix_transpose(xp.conj(x).reshape((rows, x.shape[-1]))), g.reshape((rows, *y.shape[1:])))
    if x.ndim == 1:
        return xp.expand_dims(xp.conj(x), axis=1) * xp.expand_dims(g, axis=-2)
    return xp.matmul(xp.matrix_transpose(xp.conj(x)), g)


@composite("matmul", "Tensor.__matmul__", "linalg.matmul",
           operator="matmul", autocast="low",
           samples=["3 4 | 4 5", "3 4 | 4", "4 | 4", "4 | 4 5", "2 3 4 | 4 5", "3 4 | 2 4 5", "2 3 4 | 4", "4 | 2 4 5"],
           errors=[("3 4 | 3 4", RuntimeError, "mat1 and mat2 shapes cannot be multiplied (3x4 and 3x4)"),
                   ("3 | 4 5", RuntimeError, "mat1 and mat2 shapes cannot be multiplied (1x3 and 4x5)"),
                   ("| 3", RuntimeError, "both arguments to matmul need to be at least 1D, but they are 0D and 1D"),
                   ("2 3 4 | 3 4 5", RuntimeError, "The size of tensor a (2) must match the size of tensor b (3)")])
def matmul(fns, input, other, *, out=None):
    """Product of vectors, matrices or batches of them: ``out = input @ other``.

    Two matrices: their product. A vector counts as a row on the left and as a column on the right, and that dimension
    is dropped from the result. With three or more dimensions, the leading ones are batches and broadcast.

    >>> lw.matmul(lw.tensor([[1., 2.], [3., 4.]]), lw.tensor([1., 1.]))
    tensor([3., 7.])
    """
    n, m = input.ndim, other.ndim
    if n == 2 and m == 2:
        product = fns.mm
    elif n == 0 or m == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {n}D and {m}D")
    elif n <= 2 and m == 1:
        product = fns.mv if n == 2 else fns.dot
    else:
        if n <= 2 < m and recorded(input) and not other.mT.is_contiguous():
            other = other.clone()               # PyTorch lays the batch out anew, so it may be overwritten afterwards
        product = fns._vecmat if m == 2 and n == 1 else fns._matmul_batched
    return product(input, other) if out is None else product(input, other, out=out)


# --- linear ----------------------------------------------------------------------------------------------------------

def linear_node(given):
    """PyTorch multiplies matrices, and views anything else as one."""
    dims, bias = given["x"].ndim, given["bias"]
    if given["weight"].ndim == 1:
        return {1: "DotBackward0", 2: "MvBackward0"}.get(dims, "UnsafeViewBackward0")
    if dims == 2:
        return "MmBackward0" if bias is None else "AddmmBackward0"
    return "ViewBackward0" if bias is not None else "SqueezeBackward4" if dims == 1 else "UnsafeViewBackward0"


@op("nn.functional.linear", node=linear_node, kernel="affine",
    autocast="low",
    samples=["3 4 | 5 4 | 5", "3 4 | 5 4", "4 | 5 4 | 5", "4 | 5 4", "2 3 4 | 5 4 | 5", "2 3 4 | 5 4", "0 4 | 5 4 | 5",
             "3 0 | 5 0 | 5", "3 4 | 4"],
    errors=[("3 5 | 5 4 | 5", RuntimeError, "mat1 and mat2 shapes cannot be multiplied (3x5 and 4x5)"),
            ("3 4 | 5 4 | 4", RuntimeError,
             "The expanded size of the tensor (5) must match the existing size (4) at non-singleton dimension 1.")])
def linear(xp, x, weight, bias=None):
    """Affine map of the last dimension: ``out = x @ weight.T + bias``.

    ``x`` is ``(*, in)``, ``weight`` is ``(out, in)`` or ``(in,)``, ``bias`` is ``(out,)`` or absent.

    >>> lw.nn.functional.linear(lw.tensor([1., 2.]), lw.tensor([[1., 0.], [1., 1.]]), lw.tensor([0.5, 0.5]))
    tensor([1.5000, 3.5000])
    """
    check_product_transposed(x, weight)
    matrix = x if x.ndim == 2 else x.reshape(count(x.shape[:-1]), x.shape[-1])
    if bias is None:
        out = xp.kernels.dot(matrix, weight.T)
    else:
        if weight.ndim == 1 and x.ndim == 2:
            raise RuntimeError("mat2 must be a matrix, got 1-D tensor")
        if bias.shape != weight.shape[:1]:
            check_expands(bias, (*x.shape[:-1], *weight.shape[:-1]))
        if bias.dtype != x.dtype:
            raise RuntimeError(
                f"self and mat2 must have the same dtype, but got {scalar_name(bias)} and {scalar_name(x)}")
        if bias.ndim > 1 and x.ndim > 2:
            return xp.kernels.dot(matrix, weight.T).reshape(x.shape[:-1] + weight.shape[:-1]) + bias
        out = xp.kernels.affine(matrix, weight, bias)
    return out if x.ndim == 2 else out.reshape(x.shape[:-1] + weight.shape[:-1])


def check_product_transposed(x, weight):
    if x.ndim == 0 or weight.ndim == 0:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {x.ndim}D and {weight.ndim}D")
    if weight.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {weight.ndim}D")
    if x.dtype.kind == "b" and not weight.shape[-1]:
        raise RuntimeError("result type Long can't be cast to the desired output type Bool")
    if x.shape[-1] == weight.shape[-1] and x.dtype == weight.dtype and x.dtype.kind != "b":
        return
    if weight.ndim == 1:
        check_mv(x, weight, count(x.shape[:-1]), x.shape[-1])
    else:
        check_product(x, weight.T)


@linear.onnx
def linear_onnx(onnx, x, weight, bias):
    if x.ndim == weight.ndim == 2 and (bias is None or bias.ndim == 1):
        return onnx.Gemm(x, weight, bias, transB=1)
    out = onnx.MatMul(x, weight.T)
    return out if bias is None else onnx.Add(out, bias)


@linear.vjp("x", kernel="product")
def linear_dx(xp, g, weight):
    if weight.ndim == 1:
        return xp.expand_dims(g, axis=-1) * xp.conj(weight)
    return xp.matmul(g, xp.conj(weight))


@linear.vjp("weight", kernel="product_turned")
def linear_dweight(xp, g, x, weight: Meta):
    if g.ndim != 2 or weight.ndim == 1:
        rows = count(x.shape[:-1])
        g, x = g.reshape((rows, *weight.shape[:-1])), x.reshape((rows, x.shape[-1]))
    if weight.ndim == 1:
        return xp.mv(xp.matrix_transpose(xp.conj(x)), g)
    return xp.mm(xp.matrix_transpose(g), xp.conj(x))


@linear.vjp("bias")
def linear_dbias(g):
    return g


@linear.batch
def linear_batch(fns, call):
    x, weight, bias = call.inputs
    if call.is_batched(0) and not call.is_batched(1) and not call.is_batched(2):
        return call.run([call.front(0), weight, bias])
    lead = call.rank(0) - 1
    x, weight = (call.aligned(k, call.rank(k)) for k in (0, 1))
    if call.rank(1) == 1:
        if call.is_batched(1):
            out = (x * call.align(weight, 0, call.rank(0))).sum(-1)
        else:
            out = fns.matmul(x, weight.unsqueeze(-1)).squeeze(-1)
        return out if bias is None else out + call.aligned(2, lead)
    shape = tuple(x.shape[1 if call.is_batched(0) else 0:-1])
    flat = x.reshape(*([x.shape[0]] if call.is_batched(0) else []), count(shape), x.shape[-1])
    out = fns.matmul(flat, weight.transpose(-2, -1))
    out = out.reshape(*([out.shape[0]] if out.ndim == 3 else []), *shape, out.shape[-1])
    return out if bias is None else out + call.aligned(2, lead + 1)
