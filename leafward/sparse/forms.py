"""What functions of tensors do with sparse ones: each is a few ops on the dense values.

An elementwise function of one tensor that makes zero of zero is applied to the values, whichever it is. The others stand here,
under the names of their ops; for what has no form, NotImplementedError says what to do.
"""
from typing import Any

import leafward as lw
from leafward.arrays.sparse import SparseArray, coalesced, found, joined
from leafward.autograd.function import Function
from leafward.core import modes
from leafward.core.op import Op
from leafward.derive.functions import declarations
from leafward.core.from_array import tensor_from_array
from leafward.sparse.products import matrix_product, product_of_two, transposed
from leafward.sparse.tensor import (
    Above, FromValues, SparseTensor, Values, at_places, in_order, refuse_write, unsupported, with_values, wrap,
)
from leafward.core.storage import record_write
from leafward.tensor.tensor import Tensor

#: Name of an op -> what it does where one of its arguments is sparse.
forms: dict[str, Any] = {}


def form(*names):
    """Declare the function below as what ops do with sparse tensors."""
    def declare(function):
        forms.update(dict.fromkeys(names, function))
        return function
    return declare


def answer(func, args, kwargs):
    """What ``func`` gives for arguments of which one is sparse."""
    declared = declarations.get(func)
    name = declared.name if declared is not None else getattr(func, "__name__", str(func))
    found = forms.get(name)
    if found is not None:
        return found(*args, **{{"input": "x", "other": "y"}.get(key, key): value for key, value in kwargs.items()})
    unary = isinstance(declared, Op) and declared.elementwise and len(declared.inputs) == 1
    if unary and maps_zero_to_zero(func, args, kwargs):
        x, *options = args
        x = x if x.is_sparse_csr else x.coalesce()
        return with_values(x, lambda values: func(values, *options, **kwargs))
    raise unsupported(f"{name}()")


Above.answer = staticmethod(answer)


def maps_zero_to_zero(func, args, kwargs):
    zero = lw.zeros((), dtype=args[0].dtype)
    with modes.recording(False):
        return not bool(func(zero, *args[1:], **kwargs).count_nonzero())


@form("resolve_conj", "resolve_neg")
def as_it_is(x):
    return x


# -- sums -------------------------------------------------------------------------------------------------------------

@form("add")
def add(x, y, *, alpha=1, out=None):
    refuse_out(out)
    if not isinstance(x, SparseTensor):
        if not isinstance(x, Tensor):
            raise unsupported("add() with a number")
        check_shape(x, y)
        return with_added(x.broadcast_to(y.shape).to(lw.result_type(x, y)), y, alpha)
    if not isinstance(y, SparseTensor):
        if x.is_sparse_csr and isinstance(y, Tensor) and y.ndim:
            check_shape(y, x)
            return with_added((y if alpha == 1 else alpha * y).to(lw.result_type(x, y)), x)
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    check_shape(x, y)
    if x.sparse_dim() != y.sparse_dim():
        raise RuntimeError("add: expected both to have the same number of sparse dims, but got "
                           f"{x.sparse_dim()} and {y.sparse_dim()}")
    dtype = lw.result_type(x, y)
    csr = x.is_sparse_csr
    total = Sum.apply(in_order(x).to(dtype), in_order(y).to(dtype), alpha)
    return total.to_sparse_csr() if csr else total


class Sum(Function):
    """``x + alpha * y``: the gradient is the same for both, even where only one of them keeps something."""

    @staticmethod
    def forward(ctx, x, y, alpha):
        ctx.alpha = alpha
        return wrap(coalesced(joined(x._array, (y if alpha == 1 else y * alpha)._array)))

    @staticmethod
    def backward(ctx, g):
        return g, g if ctx.alpha == 1 else g * ctx.alpha, None


Sum._backward_cls.__name__ = "AddBackward0"


@form("sub")
def sub(x, y, *, alpha=1, out=None):
    if isinstance(y, SparseTensor):
        return add(x, y, alpha=-alpha, out=out)
    raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")


def with_added(x, y, alpha=1):
    """A dense ``x`` to which the values of ``y`` are added."""
    y = in_order(y)
    values = Values.apply(y).to(x.dtype)
    return x.index_put(index_of(y), values if alpha == 1 else alpha * values, accumulate=True)


@form("add_", "sub_")
def add_(x, y, *, alpha=1):
    if not isinstance(x, SparseTensor):
        check_shape(x, y)
        y = in_order(y)
        values = Values.apply(y).to(x.dtype)
        return x.index_put_(index_of(y), values if alpha == 1 else alpha * values, accumulate=True)
    return overwrite(x, add(x, y, alpha=alpha), "add_")


forms["sub_"] = lambda x, y, *, alpha=1: add_(x, y, alpha=-alpha)


@form("sum")
def sum_(x, dim=None, keepdim=False, *, dtype=None):
    """All elements, or those along some dims; what is left of the sparse dims is sparse."""
    if keepdim:
        raise unsupported("sum(keepdim=True)")
    if dtype is not None:
        x = x.to(dtype)
    if dim is None or dim == () or dim == []:
        return Values.apply(x).sum()
    dims = sorted({d % x.ndim for d in ((dim,) if isinstance(dim, int) else dim)})
    x = in_order(x)
    count = x.sparse_dim()
    values = Values.apply(x)
    inner = [d - count + 1 for d in dims if d >= count]
    if inner:
        values = values.sum(inner)
    kept = [d for d in range(count) if d not in dims]
    if not kept:
        return values.sum(0)
    shape = tuple([x.shape[d] for d in range(x.ndim) if d not in dims])
    indices = x._array.indices[kept]
    return FromValues.apply(values, SparseArray(indices, values._array, shape, len(kept) == count)).coalesce()


@form("mean")
def mean(x, dim=None, keepdim=False, *, dtype=None):
    total = sum_(x, dim, keepdim, dtype=dtype)
    return total / (x.numel() // max(total.numel(), 1))


@form("norm")
def norm(x, p="fro", dim=None, keepdim=False, dtype=None):
    if dim is not None or keepdim:
        raise unsupported("norm() along dims")
    return Values.apply(in_order(x)).norm(p, dtype=dtype)


# -- products ---------------------------------------------------------------------------------------------------------

@form("mul")
def mul(x, y, *, out=None):
    refuse_out(out)
    if not isinstance(x, SparseTensor):
        x, y = y, x
    if is_number(y):
        return with_values(x if x.is_sparse_csr else x.coalesce(), lambda values: values * y)
    if isinstance(y, SparseTensor):
        return times_sparse(x, y)
    x = x if x.is_sparse_csr else x.coalesce()
    return with_values(x, lambda values: values * at_places(y.broadcast_to(x.shape), x._array))


def times_sparse(x, y):
    """The product element by element: where both have something."""
    check_shape(x, y)
    csr = x.is_sparse_csr
    x, y = in_order(x), in_order(y)
    at, there = map(tensor_from_array, found(y._array, x._array.indices))
    values = Values.apply(x)[there] * Values.apply(y)[at[there]]
    indices = x._array.indices[:, there._array]
    product = FromValues.apply(values, SparseArray(indices, values._array, tuple(x.shape), True))
    return product.to_sparse_csr() if csr else product


@form("div", "floor_divide")
def div(x, y, *, rounding_mode=None, out=None):
    refuse_out(out)
    if isinstance(y, Tensor) and isinstance(x, SparseTensor) and (isinstance(y, SparseTensor) or y.ndim):
        raise RuntimeError("Sparse division requires a scalar or zero-dim dense tensor divisor "
                           f"(got shape {list(y.shape)} for divisor)")
    if not isinstance(x, SparseTensor) or not is_number(y):
        raise unsupported("a quotient other than by a number")
    return with_values(x if x.is_sparse_csr else x.coalesce(), lambda values: values.div(y, rounding_mode=rounding_mode))


@form("pow")
def pow_(x, exponent, *, out=None):
    refuse_out(out)
    if not isinstance(x, SparseTensor) or not is_number(exponent) or not exponent > 0:
        raise unsupported("a power that does not leave zero zero")
    return with_values(x if x.is_sparse_csr else x.coalesce(), lambda values: values ** exponent)


@form("mul_", "div_")
def mul_(x, y, **options):
    return overwrite(x, mul(x, y), "mul_")


forms["div_"] = lambda x, y, **options: overwrite(x, div(x, y, **options), "div_")


@form("mm", "matmul", "mv")
def matmul(x, y, *, out=None):
    refuse_out(out)
    if isinstance(x, SparseTensor):
        return product_of_two(x, y) if isinstance(y, SparseTensor) else matrix_product(x, y)
    product = matrix_product(transposed(y), x if x.ndim == 1 else x.mT)
    return product if x.ndim == 1 else product.mT


@form("addmm")
def addmm(x, mat1, mat2, *, beta=1, alpha=1, out=None):
    refuse_out(out)
    product = matmul(mat1, mat2)
    if isinstance(x, SparseTensor):
        product = product if isinstance(product, SparseTensor) else product.to_sparse()
    product = product if alpha == 1 else product * alpha
    return x * beta + product if beta != 1 else x + product


# -- shapes -----------------------------------------------------------------------------------------------------------

@form("t")
def t(x):
    return x if x.ndim < 2 else transposed(x)


@form("transpose", "swapaxes", "swapdims")
def transpose(x, dim0, dim1):
    order = list(range(x.ndim))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return permute(x, order)


@form("permute")
def permute(x, dims):
    """Other dims first, among the sparse ones."""
    if len(dims) != x.ndim:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
                           f"desired ordering of dimensions i.e. input.dim() = {x.ndim} is not equal to len(dims) = "
                           f"{len(dims)}")
    order = [d % x.ndim for d in dims]
    if len(set(order)) < len(order):
        raise RuntimeError("permute(sparse_coo): dimensions must be unique")
    x = in_order(x) if x.is_sparse_csr else x
    count = x.sparse_dim()
    if order[count:] != list(range(count, x.ndim)):
        raise unsupported("permute() of the dense dims")
    shape = tuple([x.shape[d] for d in order])
    return FromValues.apply(Values.apply(x), SparseArray(x._array.indices[order[:count]], x._array.values, shape))


@form("unsqueeze")
def unsqueeze(x, dim):
    dim = dim % (x.ndim + 1)
    if dim > x.sparse_dim():
        raise unsupported("unsqueeze() among the dense dims")
    rows = list(x._array.indices)
    rows.insert(dim, rows[0] * 0)
    shape = (*x.shape[:dim], 1, *x.shape[dim:])
    indices = lw.stack([tensor_from_array(row) for row in rows])
    return FromValues.apply(Values.apply(x), SparseArray(indices._array, x._array.values, shape, x._array.in_order))


@form("index_select")
def index_select(x, dim, index):
    """The slices number ``index`` along a sparse dim, in that order."""
    dim = dim % x.ndim
    if dim >= x.sparse_dim():
        return with_values_and_shape(x, Values.apply(x).index_select(dim - x.sparse_dim() + 1, index), dim, len(index))
    x = in_order(x)
    at = places(x)[dim]
    which, kept = (index.unsqueeze(1) == at).nonzero(as_tuple=True)
    indices = places(x)[:, kept]
    indices[dim] = which
    return with_values_and_shape(x, Values.apply(x)[kept], dim, len(index), indices)


def with_values_and_shape(x, values, dim, size, indices=None):
    shape = (*x.shape[:dim], size, *x.shape[dim + 1:])
    indices = x._array.indices if indices is None else indices._array
    return FromValues.apply(values, SparseArray(indices, values._array, shape))


@form("__getitem__")
def getitem(x, index):
    """The slices that whole numbers take."""
    for number in index if isinstance(index, tuple) else (index,):
        if not isinstance(number, int) or isinstance(number, bool):
            raise unsupported("an index that is not a whole number")
        x = select(x, 0, number)
    return x


@form("select")
def select(x, dim, index):
    dim = dim % x.ndim
    if not -x.shape[dim] <= index < x.shape[dim]:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(x.shape)} at dimension {dim}")
    slices = index_select(x, dim, lw.tensor([index % x.shape[dim]]))
    count = x.sparse_dim()
    if dim >= count:
        return with_values_of(slices, Values.apply(slices).select(dim - count + 1, 0), dim)
    if count == 1:
        return Values.apply(slices).sum(0)
    kept = [d for d in range(count) if d != dim]
    shape = (*x.shape[:dim], *x.shape[dim + 1:])
    return FromValues.apply(Values.apply(slices), SparseArray(slices._array.indices[kept], slices._array.values, shape,
                                                              slices._array.in_order))


def with_values_of(x, values, dim):
    shape = (*x.shape[:dim], *x.shape[dim + 1:])
    return FromValues.apply(values, SparseArray(x._array.indices, values._array, shape, x._array.in_order))


@form("cat", "concat")
def cat(tensors, dim=0, *, out=None):
    refuse_out(out)
    if not all(isinstance(x, SparseTensor) for x in tensors):
        raise RuntimeError("expected all tensors to be sparse: cat() of sparse and dense ones is not there")
    first = tensors[0]
    dim, count = dim % first.ndim, first.sparse_dim()
    if dim >= count:
        raise unsupported("cat() along a dense dim")
    moved, start = [], 0
    for x in tensors:
        if x.sparse_dim() != count or [*x.shape[:dim], *x.shape[dim + 1:]] != [*first.shape[:dim], *first.shape[dim + 1:]]:
            raise RuntimeError("All tensors must have the same shape, except in the dim of cat(), and as many sparse dims: "
                               f"{list(first.shape)} and {list(x.shape)}")
        indices = places(x).clone()
        indices[dim] += start
        moved.append(indices)
        start += x.shape[dim]
    values = lw.cat([Values.apply(x) for x in tensors])
    shape = (*first.shape[:dim], start, *first.shape[dim + 1:])
    return FromValues.apply(values, SparseArray(lw.cat(moved, 1)._array, values._array, shape))


@form("stack")
def stack(tensors, dim=0, *, out=None):
    return cat([unsqueeze(x, dim) for x in tensors], dim, out=out)


# -- copies and questions ---------------------------------------------------------------------------------------------

@form("clone")
def clone(x, *, memory_format=None):
    return SparseTensor.clone(x)


@form("zeros_like", "empty_like")
def zeros_like(x, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    if layout is not None and layout is not x.layout:
        return lw.zeros(x.shape, dtype=dtype or x.dtype, requires_grad=requires_grad)
    made = x.detach().clone().zero_()
    return (made if dtype is None else made.to(dtype)).requires_grad_(requires_grad)


@form("copy_")
def copy_(x, y, non_blocking=False):
    if not isinstance(x, SparseTensor) or not isinstance(y, SparseTensor):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented! Found self type = "
                           f"{x.type()} and src type = {y.type()}")
    return overwrite(x, y.to(x.dtype), "copy_")


@form("equal")
def equal(x, y):
    return x.shape == y.shape and lw.equal(x.to_dense(), y.to_dense())


@form("any")
def any_(x, dim=None, keepdim=False, *, out=None):
    if dim is not None or out is not None:
        raise unsupported("any() along dims")
    return Values.apply(x).any()


forms["detach"] = SparseTensor.detach
forms["backward"] = lambda x, **options: refuse_backward()


def refuse_backward():
    raise RuntimeError("grad can be implicitly created only for scalar outputs: sum the sparse tensor first, with "
                       "torch.sparse.sum(x)")


# -- helpers ----------------------------------------------------------------------------------------------------------

def places(x):
    """The indices of COO or CSR as a tensor, (sparse dims, nnz)."""
    return tensor_from_array(x._array.indices)


def index_of(x):
    """The places as an index of a dense tensor."""
    return tuple(places(x).unbind(0))


def is_number(x):
    return not isinstance(x, SparseTensor) and (not isinstance(x, Tensor) or x.ndim == 0)


def check_shape(x, y):
    if tuple(x.shape) != tuple(y.shape):
        raise RuntimeError(f"The size of tensor a {list(x.shape)} must match the size of tensor b {list(y.shape)}: sparse "
                           "tensors do not broadcast")


def refuse_out(out):
    if out is not None:
        raise unsupported("out=")


def overwrite(x, y, name):
    """What an in-place function leaves in the sparse ``x``."""
    refuse_write(x)
    if tuple(x.shape) != tuple(y.shape):
        raise RuntimeError(f"{name}: output with shape {list(x.shape)} doesn't match the broadcast shape {list(y.shape)}")
    y = y if y.layout is x.layout else y.to_sparse(layout=x.layout)
    x._array = y.to(x.dtype)._array
    if y.requires_grad:
        x._node, x._output_nr, x._requires_grad = y._node, y._output_nr, y._requires_grad
    record_write(x, name)
    return x
