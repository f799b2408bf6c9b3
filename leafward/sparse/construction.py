"""Sparse tensors from indices and values, from dense tensors, and as another layout."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward import dtypes
from leafward.arrays import cpu
from leafward.arrays.sparse import SparseArray
from leafward.devices import check_device
from leafward.sparse.tensor import (
    Above, FromValues, SparseTensor, Values, at_places, empty_array, in_order, is_in_order, wrap,
)
from leafward.tensor.tensor import Tensor

if TYPE_CHECKING:
    from leafward.tensor.annotations import DType, Device

#: Whether indices are looked at in constructors that do not say so.
state = {"check": False}


def as_indices(given):
    """Indices from a tensor or nested lists, as an array of int64."""
    given = given if isinstance(given, Tensor) else lw.tensor(given)
    if given.dtype.is_complex or given.dtype is dtypes.bool:
        raise RuntimeError(f"indices must be integers, not {given.dtype}")
    return cpu.astype(given.detach()._array, dtypes.int64)


def as_values(given, dtype):
    given = given if isinstance(given, Tensor) else lw.tensor(given, dtype=dtype)
    return given if dtype is None else given.to(dtype)


def sparse_coo_tensor(indices: Any, values: Any = None, size: Any = None, *, dtype: DType | None = None,
                      device: Device | None = None, pin_memory: bool = False, requires_grad: bool = False,
                      check_invariants: bool | None = None, is_coalesced: bool | None = None) -> SparseTensor:
    """A tensor with ``values[k]`` at ``indices[:, k]`` and zeros elsewhere; values at one place add up.

    ``indices``: (sparse dims, nnz); ``values``: (nnz, *dense dims); ``size``: the shape, by default the smallest that has all
    places. With a size alone nothing is kept. ``is_coalesced``: say that no place comes twice and that they are in order, which
    ``check_invariants`` looks at.

    >>> import leafward as lw
    >>> lw.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
    check_device(device)
    if values is None:
        if isinstance(indices, Tensor):
            raise TypeError("sparse_coo_tensor(): argument 'size' (position 1) must be tuple of ints, not Tensor")
        size = tuple(indices)
        made = wrap(empty_array(size, len(size), dtype or dtypes.get_default_dtype()))
        return made.requires_grad_(requires_grad)
    values = as_values(values, dtype)
    array = as_indices(indices)
    if array.ndim != 2:
        if array.ndim != 1:
            raise RuntimeError("indices must be sparse_dim x nnz, but got: " + str(list(array.shape)))
        array = array.reshape((-1, 1))
    if values.ndim == 0:
        values = values.reshape(1)
    sparse_dim, nnz = array.shape
    if size is None:
        if nnz == 0 and sparse_dim:
            size = (0,) * sparse_dim + tuple(values.shape[1:])
        else:
            if nnz and cpu.to_host(array.min()) < 0:
                raise RuntimeError(f"found negative index {int(array.min())}")
            size = tuple([int(n) + 1 for n in array.max(axis=1)]) + tuple(values.shape[1:])
    size = tuple(size)
    if len(size) != sparse_dim + values.ndim - 1:
        raise RuntimeError("'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = "
                           f"{len(size)}, sparse_dim = {sparse_dim}, dense_dim = {values.ndim - 1}")
    if values.shape[0] != nnz:
        raise RuntimeError(f"indices and values must have same nnz, but got nnz from indices: {nnz}, nnz from values: "
                           f"{values.shape[0]}")
    if tuple(values.shape[1:]) != size[sparse_dim:]:
        raise RuntimeError(f"values has incorrect size, expected [{', '.join(map(str, (nnz, *size[sparse_dim:])))}], got "
                           f"{list(values.shape)}")
    check_places(array, size)
    like = SparseArray(array, values._array, size)
    if is_coalesced and (state["check"] if check_invariants is None else check_invariants) and not is_in_order(like):
        raise RuntimeError("cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor")
    like.in_order = bool(is_coalesced) or (nnz < 2 and is_coalesced is None)
    made = FromValues.apply(values.detach() if requires_grad else values, like)
    return made.requires_grad_(True) if requires_grad else made


def check_places(indices, size):
    """Refuse places that are none: they would be read and written elsewhere."""
    if not indices.shape[1]:
        return
    for dim, (least, most) in enumerate(zip(indices.min(axis=1), indices.max(axis=1))):
        if cpu.to_host(least) < 0:
            raise RuntimeError(f"found negative index {least} for dim {dim}")
        if cpu.to_host(most) >= size[dim]:
            raise RuntimeError(f"size is inconsistent with indices: for dim {dim}, size is {size[dim]} but found index {most}")


def sparse_csr_tensor(crow_indices: Any, col_indices: Any, values: Any, size: Any = None, *, dtype: DType | None = None,
                      device: Device | None = None, pin_memory: bool = False, requires_grad: bool = False,
                      check_invariants: bool | None = None) -> SparseTensor:
    """A matrix by rows: row ``i`` has ``values[k]`` in column ``col_indices[k]``, for k from ``crow_indices[i]`` to the next.

    >>> import leafward as lw
    >>> lw.sparse_csr_tensor([0, 1, 2], [1, 0], [3.0, 4.0]).to_dense()
    tensor([[0., 3.],
            [4., 0.]])
    """
    check_device(device)
    rows, columns, values = as_indices(crow_indices), as_indices(col_indices), as_values(values, dtype)
    if rows.ndim != 1 or columns.ndim != 1 or values.ndim != 1:
        raise NotImplementedError("batches of CSR matrices, and values with dims of their own, are not there: use COO")
    if size is None:
        size = (len(rows) - 1, int(columns.max()) + 1 if columns.size else 0)
    size = tuple(size)
    if len(size) != 2:
        raise RuntimeError("size must have 2 dims: a CSR tensor is a matrix here")
    if len(rows) != size[0] + 1:
        raise RuntimeError(f"crow_indices.shape[-1] must be equal to nrows + 1 (that is {size[0] + 1}), but got {len(rows)}")
    if len(columns) != len(values):
        raise RuntimeError("number of elements in col_indices and values must be the same, but got "
                           f"{len(columns)} and {len(values)}")
    if rows[0] != 0:
        raise RuntimeError("`crow_indices[..., 0] == 0` is not satisfied.")
    if rows[-1] != len(columns):
        raise RuntimeError("`crow_indices[..., -1] == nnz` is not satisfied.")
    counts = rows[1:] - rows[:-1]
    if (counts < 0).any() or (counts > size[1]).any():
        raise RuntimeError("`0 <= crow_indices[..., 1:] - crow_indices[..., :-1] <= ncols` is not satisfied.")
    if columns.size and (columns.min() < 0 or columns.max() >= size[1]):
        raise RuntimeError("`0 <= col_indices < ncols` is not satisfied.")
    numbers = cpu.repeat(cpu.arange(size[0], dtype=dtypes.int64), counts)
    made = FromValues.apply(values.detach() if requires_grad else values,
                            SparseArray(cpu.stack([numbers, columns]), values._array, size, False, rows))
    return made.requires_grad_(True) if requires_grad else made


def sparse_compressed_tensor(compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, *,
                             layout: Any = None, **options: Any) -> SparseTensor:
    """A matrix by rows: :func:`sparse_csr_tensor` under the name that several layouts share."""
    if layout is not dtypes.sparse_csr:
        raise NotImplementedError(f"sparse tensors are COO or CSR here, not {layout}")
    return sparse_csr_tensor(compressed_indices, plain_indices, values, size, **options)


def from_parts(layout, parts):
    """A tensor from what a pickle or a file keeps of one."""
    if layout is dtypes.sparse_coo:
        indices, values, size, is_coalesced = parts
        return sparse_coo_tensor(indices, values, size, is_coalesced=is_coalesced, check_invariants=True)
    if layout is dtypes.sparse_csr:
        return sparse_csr_tensor(*parts)
    raise NotImplementedError(f"sparse tensors are COO or CSR here, not {layout}: convert it before saving")


Above.from_parts = staticmethod(from_parts)


def to_sparse(x: Tensor, sparse_dim: int | None = None, *, layout: Any = None) -> SparseTensor:
    """What is not zero in ``x``, as COO or the given ``layout``; of the first ``sparse_dim`` dims, what is not all zero."""
    if layout is dtypes.sparse_csr:
        return to_sparse_csr(x)
    if layout not in (None, dtypes.sparse_coo):
        raise NotImplementedError(f"sparse tensors are COO or CSR here, not {layout}")
    if isinstance(x, SparseTensor):
        if sparse_dim not in (None, x.sparse_dim()):
            raise RuntimeError(f"to_sparse: sparse_dim of a sparse tensor is {x.sparse_dim()}, and cannot become {sparse_dim}")
        return x if x.is_sparse else in_order(x)
    count = x.ndim if sparse_dim is None else sparse_dim
    if not (0 < count <= x.ndim or count == x.ndim == 0):
        raise RuntimeError(f"dense_to_sparse: sparse_dim argument must be in [0,{x.ndim}] range, but {sparse_dim} is given")
    kept = x.detach() != 0
    if count < x.ndim:
        kept = kept.flatten(count).any(-1)
    indices = cpu.ascontiguousarray(kept.nonzero()._array.T)
    return Kept.apply(x, indices)


class Kept(lw.autograd.Function):
    """A dense tensor with only some of its elements: it is the same tensor, and so is its gradient."""

    @staticmethod
    def forward(ctx, x, indices):
        x = x.detach()
        values = at_places(x, SparseArray(indices, x._array, x.shape)) if x.ndim else x.reshape(1)[:indices.shape[1]]
        return wrap(SparseArray(indices, values._array, tuple(x.shape), True))

    @staticmethod
    def backward(ctx, g):
        return g.to_dense(), None


Kept._backward_cls.__name__ = "ToSparseBackward0"


def to_sparse_csr(x: Tensor, dense_dim: int | None = None) -> SparseTensor:
    """What is not zero in a matrix, by rows."""
    if dense_dim:
        raise NotImplementedError("CSR matrices whose values have dims of their own are not there: use COO")
    if isinstance(x, SparseTensor) and x.is_sparse_csr:
        return x
    if x.ndim != 2:
        raise RuntimeError("Only tensors with 2 dims can be converted to the SparseCsr layout here, but got "
                           f"{x.ndim} dims: batches of matrices are not there")
    if isinstance(x, SparseTensor) and x.dense_dim():
        raise NotImplementedError("CSR matrices whose values have dims of their own are not there: use COO")
    x = in_order(to_sparse(x))
    like = x._array
    rows = cpu.searchsorted(like.indices[0], cpu.arange(x.shape[0] + 1, dtype=dtypes.int64), side="left")
    rows = cpu.astype(rows, dtypes.int64)
    return FromValues.apply(Values.apply(x), SparseArray(like.indices, like.values, like.shape, False, rows))


def sparse_mask(x: Tensor, mask: SparseTensor) -> SparseTensor:
    """The elements of ``x``, dense or sparse, at the places of ``mask``."""
    if not isinstance(mask, SparseTensor):
        raise RuntimeError("sparse_mask expected sparse mask but got Strided")
    if tuple(x.shape) != tuple(mask.shape):
        raise RuntimeError(f"sparse_mask(): operands have incompatible sizes; self has size {list(x.shape)} but mask has size "
                           f"{list(mask.shape)}")
    like = mask._array
    return FromValues.apply(at_places(x, like), SparseArray(like.indices, like.values, like.shape, like.in_order,
                                                            like.compressed))


def look_up_rows(weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False) -> Tensor:
    """Rows of ``weight``, whose gradient is sparse: ``embedding(..., sparse=True)``."""
    return Rows.apply(weight, indices, padding_idx, scale_grad_by_freq)


class Rows(lw.autograd.Function):
    """Rows of a table by number; the gradient is kept by row."""

    @staticmethod
    def forward(ctx, weight, indices, padding_idx, scale_grad_by_freq):
        ctx.places = indices.reshape(-1).long()
        ctx.options, ctx.size = (padding_idx, scale_grad_by_freq), tuple(weight.shape)
        return weight[indices.long()]

    @staticmethod
    def backward(ctx, g):
        places, (padding_idx, by_freq) = ctx.places, ctx.options
        values = g.reshape(-1, ctx.size[1])
        if by_freq:
            _, belongs, counts = places.unique(return_inverse=True, return_counts=True)
            values = values / counts[belongs].unsqueeze(1).to(values.dtype)
        if padding_idx >= 0:
            kept = places != padding_idx
            places, values = places[kept], values[kept]
        like = SparseArray(places._array.reshape((1, -1)), values._array, ctx.size)
        return FromValues.apply(values, like), None, None, None


Rows._backward_cls.__name__ = "EmbeddingBackward0"
