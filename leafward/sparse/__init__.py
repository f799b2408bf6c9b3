"""``torch.sparse``: functions of sparse tensors, and the old names of their constructors.

A sparse tensor keeps some elements, and where they stand: see :class:`SparseTensor`. Gradients flow through all that is here,
twice if asked for; the gradient of a sparse tensor is sparse.

>>> import leafward as lw
>>> a = lw.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))
>>> lw.sparse.mm(a, lw.ones(3, 2))
tensor([[3., 3.],
        [9., 9.]])
"""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward import dtypes
from leafward.arrays.sparse import numbered
from leafward.core.from_array import tensor_from_array
from leafward.sparse import construction
from leafward.sparse.construction import (  # noqa: F401
    look_up_rows, sparse_coo_tensor, sparse_compressed_tensor, sparse_csr_tensor, sparse_mask, to_sparse, to_sparse_csr,
)
from leafward.sparse.forms import matmul
from leafward.sparse.forms import addmm as added_product
from leafward.sparse.forms import sum_ as sum_of
from leafward.sparse.tensor import FromValues, SparseTensor, Values, in_order, wrap  # noqa: F401
from leafward.tensor.tensor import Tensor
from leafward.tensor.missing import names_missing_from

if TYPE_CHECKING:
    from leafward.tensor.annotations import DType

__all__ = ["SparseTensor", "addmm", "check_sparse_tensor_invariants", "log_softmax", "mm", "softmax", "spdiags", "sum"]


def mm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """A product of matrices, of which the first or both are sparse; dense if one is."""
    if mat1.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError(f"sparse.mm: both have to be matrices, but got {mat1.ndim} and {mat2.ndim} dims")
    if not isinstance(mat1, SparseTensor) and not isinstance(mat2, SparseTensor):
        return mat1 @ mat2
    return matmul(mat1, mat2)


spmm = mm


def smm(input: Tensor, mat2: Tensor) -> SparseTensor:
    """The product of a sparse matrix with a dense one, as a sparse tensor that keeps every element."""
    return to_sparse_whole(mm(input, mat2), 2)


def hspmm(mat1: Tensor, mat2: Tensor) -> SparseTensor:
    """The same, whose values are rows."""
    return to_sparse_whole(mm(mat1, mat2), 1)


def to_sparse_whole(x, sparse_dim):
    """A dense matrix as a sparse tensor that keeps every row with something in it, whole."""
    rows = (x.detach() != 0).any(1).nonzero().reshape(-1)
    if sparse_dim == 1:
        return sparse_coo_tensor(rows.unsqueeze(0), x[rows], tuple(x.shape), is_coalesced=True)
    columns = lw.arange(x.shape[1])
    indices = lw.stack([rows.repeat_interleave(len(columns)), columns.repeat(len(rows))])
    return sparse_coo_tensor(indices, x[rows].reshape(-1), tuple(x.shape), is_coalesced=True)


def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """``beta * mat + alpha * (mat1 @ mat2)``, where ``mat1`` is sparse."""
    return added_product(mat, mat1, mat2, beta=beta, alpha=alpha)


def sum(input: Tensor, dim: int | tuple[int, ...] | None = None, dtype: DType | None = None) -> Tensor:
    """The sum of all elements, dense; or along dims: sparse while a sparse dim is left."""
    return sum_of(input, dim, dtype=dtype)


def softmax(input: Tensor, dim: int, *, dtype: DType | None = None) -> SparseTensor:
    """The softmax along ``dim`` of what is kept: what is not counts as minus infinity."""
    return normalized(input if dtype is None else input.to(dtype), dim, lambda shifted, total: shifted.exp() / total)


def log_softmax(input: Tensor, dim: int, *, dtype: DType | None = None) -> SparseTensor:
    """The logarithm of :func:`softmax`."""
    return normalized(input if dtype is None else input.to(dtype), dim, lambda shifted, total: shifted - total.log())


def normalized(x, dim, function):
    """``function(x - max, sum(exp(x - max)))`` along ``dim``, over what is kept."""
    x = in_order(x)
    dim, values = dim % x.ndim, Values.apply(x)
    if dim >= x.sparse_dim():
        inner = dim - x.sparse_dim() + 1
        shifted = values - values.detach().amax(inner, keepdim=True)
        return FromValues.apply(function(shifted, shifted.exp().sum(inner, keepdim=True)), x._array)
    others = [d for d in range(x.sparse_dim()) if d != dim]
    line = numbered(x._array.indices[others], [x.shape[d] for d in others])
    lines, line = lw.unique(tensor_from_array(line), return_inverse=True)
    shape = (len(lines), *values.shape[1:])
    index = line.reshape(-1, *[1] * (values.ndim - 1)).expand(values.shape)
    most = lw.full(shape, -lw.inf, dtype=values.dtype).scatter_reduce(0, index, values.detach(), "amax")
    shifted = values - most[line]
    totals = lw.zeros(shape, dtype=values.dtype).index_add(0, line, shifted.exp())
    return FromValues.apply(function(shifted, totals[line]), x._array)


def spdiags(diagonals: Tensor, offsets: Tensor, shape: tuple[int, int], layout: Any = None) -> SparseTensor:
    """A matrix with the rows of ``diagonals`` on the diagonals ``offsets``: above the main one they are positive."""
    if diagonals.ndim == 1:
        diagonals = diagonals.unsqueeze(0)
    offsets = offsets.reshape(-1)
    if len(offsets) != len(diagonals):
        raise RuntimeError(f"Number of diagonals ({len(diagonals)}) does not match the number of offsets ({len(offsets)})")
    if len(offsets.unique()) != len(offsets):
        raise RuntimeError("Offset tensor contains duplicate values")
    columns = lw.arange(diagonals.shape[1]).expand(len(offsets), -1)
    rows = columns - offsets.unsqueeze(1)
    kept = (rows >= 0) & (rows < shape[0]) & (columns < shape[1])
    made = sparse_coo_tensor(lw.stack([rows[kept], columns[kept]]), diagonals[kept], shape)
    return made if layout is None else to_sparse(made.coalesce(), layout=layout)


class check_sparse_tensor_invariants:
    """Inside a ``with`` block, whether constructors that do not say so look at what they are told (True).

    >>> lw.sparse.check_sparse_tensor_invariants.is_enabled()
    False
    """

    def __init__(self, enable: bool = True) -> None:
        self.wanted, self.before = enable, None

    @staticmethod
    def is_enabled() -> bool:
        """Whether they do."""
        return construction.state["check"]

    @staticmethod
    def enable() -> None:
        """Let them, from now on."""
        construction.state["check"] = True

    @staticmethod
    def disable() -> None:
        """Let them not."""
        construction.state["check"] = False

    def __enter__(self):
        self.before, construction.state["check"] = construction.state["check"], self.wanted
        return self

    def __exit__(self, *exc):
        construction.state["check"] = self.before


class LegacySparseTensor(type):
    """The class of ``torch.sparse.FloatTensor`` and its siblings: constructors of one dtype."""

    def __instancecheck__(cls, value):
        return isinstance(value, SparseTensor) and value.is_sparse and value.dtype is cls.dtype

    def __call__(cls, *data):
        if data and isinstance(data[0], Tensor):
            return sparse_coo_tensor(*data[:2], *map(tuple, data[2:3]), dtype=cls.dtype)
        size = data[0] if data and not isinstance(data[0], int) else data
        return sparse_coo_tensor(tuple(size) or (0,), dtype=cls.dtype)


#: ``torch.sparse.FloatTensor`` and its siblings.
LEGACY = {dtype.tensor_type: LegacySparseTensor(dtype.tensor_type, (), {"dtype": dtype, "__module__": "torch.sparse"})
          for dtype in (dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16, dtypes.uint8, dtypes.int8,
                        dtypes.int16, dtypes.int32, dtypes.int64)}
globals().update(LEGACY)


__getattr__ = names_missing_from("torch.sparse", globals())
