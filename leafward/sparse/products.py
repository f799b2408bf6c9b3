"""Products of sparse matrices, with dense ones and with one another."""
import leafward as lw
from leafward import dtypes
from leafward.arrays import cpu
from leafward.arrays.sparse import SparseArray
from leafward.autograd.function import Function
from leafward.core.from_array import tensor_from_array
from leafward.sparse.tensor import FromValues, Values, in_order, unsupported


def transposed(x):
    """A matrix with rows and columns exchanged; COO stays COO, and CSR becomes it."""
    if x.ndim != 2 or x.dense_dim():
        raise unsupported("the transpose, but of a matrix,")
    like = x._array
    return FromValues.apply(Values.apply(x), SparseArray(like.indices[::-1], like.values, like.shape[::-1]))


def matrix_product(x, y):
    """A sparse matrix times a dense matrix or vector."""
    if x.ndim != 2 or x.dense_dim():
        raise unsupported("a product, but of a matrix,")
    if y.ndim not in (1, 2) or x.shape[1] != y.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({x.shape[0]}x{x.shape[1]} and "
                           f"{'x'.join(map(str, y.shape))})")
    dtype = lw.promote_types(x.dtype, y.dtype)
    x = in_order(x)
    product = Product.apply(Values.apply(x).to(dtype), (y if y.ndim == 2 else y.unsqueeze(1)).to(dtype), x._array.indices,
                            x.shape[0])
    return product if y.ndim == 2 else product.squeeze(1)


class Product(Function):
    """``out[rows[k]] += values[k] * y[columns[k]]``, where the rows come in order."""

    @staticmethod
    def forward(ctx, values, y, indices, count):
        ctx.save_for_backward(values, y)
        ctx.indices = indices
        return tensor_from_array(row_sums(values._array, y._array, indices, count))

    @staticmethod
    def backward(ctx, g):
        values, y = ctx.saved_tensors
        rows, columns = map(tensor_from_array, ctx.indices)
        d_values = d_y = None
        if ctx.needs_input_grad[0]:
            d_values = (g[rows] * y[columns].conj()).sum(1)
        if ctx.needs_input_grad[1]:
            order = cpu.lexsort((ctx.indices[0], ctx.indices[1]))
            d_y = Product.apply(values[tensor_from_array(order)].conj(), g, ctx.indices[::-1, order], y.shape[0])
        return d_values, d_y, None, None


Product._backward_cls.__name__ = "SparseAddmmBackward0"


def row_sums(values, y, indices, count):
    """The product itself, for arrays: the rows of ``y``, weighted, are added up where those of the result begin."""
    rows, columns = indices
    wide = cpu.widened(values), cpu.widened(y)
    out = cpu.zeros((count, y.shape[1]), cpu.leafward_dtype(wide[0].dtype))
    if len(rows):
        begins = cpu.concat([cpu.zeros((1,), dtypes.int64), cpu.flatnonzero(rows[1:] != rows[:-1]) + 1])
        out[rows[begins]] = cpu.add.reduceat(wide[0][:, None] * wide[1][columns], begins, axis=0)
    return cpu.astype(out, cpu.leafward_dtype(values.dtype))


def product_of_two(x, y):
    """A sparse matrix times a sparse matrix, which is sparse: each value of ``x`` meets a row of ``y``."""
    if x.ndim != 2 or y.ndim != 2 or x.dense_dim() or y.dense_dim():
        raise unsupported("a product, but of matrices,")
    if x.shape[1] != y.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({x.shape[0]}x{x.shape[1]} and "
                           f"{y.shape[0]}x{y.shape[1]})")
    csr = x.is_sparse_csr
    dtype = lw.promote_types(x.dtype, y.dtype)
    x, y = in_order(x), in_order(y)
    first, second = x._array.indices, y._array.indices
    begins = cpu.searchsorted(second[0], cpu.arange(y.shape[0] + 1, dtype=dtypes.int64))
    counts = (begins[1:] - begins[:-1])[first[1]]
    which = cpu.repeat(cpu.arange(len(counts), dtype=dtypes.int64), counts)
    within = cpu.arange(len(which), dtype=dtypes.int64) - cpu.repeat(cpu.cumulative_sum(counts) - counts, counts)
    met = begins[first[1]][which] + within
    values = Values.apply(x).to(dtype)[tensor_from_array(which)] * Values.apply(y).to(dtype)[tensor_from_array(met)]
    indices = cpu.stack([first[0][which], second[1][met]])
    product = FromValues.apply(values, SparseArray(indices, values._array, (x.shape[0], y.shape[1]))).coalesce()
    return product.to_sparse_csr() if csr else product
