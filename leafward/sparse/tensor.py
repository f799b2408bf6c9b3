"""Tensors of which only some elements are kept: COO, by the indices of each, and CSR, by rows.

A :class:`SparseTensor` is a tensor like any other: it requires grad, has a ``grad_fn`` and a ``.grad``. Its array is a
``SparseArray``. What can be computed with it is made of the functions of this file, which lead from dense values to a sparse
tensor and back, and of ops on the dense values in between: these are what is recorded and differentiated.
"""
from typing import Any

from leafward import dtypes
from leafward.autograd.function import Function
from leafward.arrays import cpu
from leafward.arrays.sparse import SparseArray, coalesced, dense, is_sparse, merged, numbered, values_at
from leafward.core import modes
from leafward.core.bind import dispatch, function_overrides
from leafward.core.from_array import tensor_from_array
from leafward.core.mode_bits import FUNCTIONS
from leafward.core.storage import Storage, record_write
from leafward.core.tensor import allocate_tensor
from leafward.tensor import printing
from leafward.tensor.casts import parse_to
from leafward.tensor.tensor import Tensor

#: What each layout is called in errors.
NAMES = {dtypes.strided: "Strided", dtypes.sparse_coo: "Sparse", dtypes.sparse_csr: "SparseCsr"}


class Above:
    """What the files above this one hand down: what functions of tensors do, and how a tensor is made of parts."""

    answer: Any = None
    from_parts: Any = None


class SparseTensor(Tensor):
    """A tensor that keeps some of its elements, and where they stand; the others are zero.

    Made by ``torch.sparse_coo_tensor``, ``torch.sparse_csr_tensor``, ``x.to_sparse()`` and ``x.to_sparse_csr()``.

    >>> import leafward as lw
    >>> s = lw.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse()
    >>> s
    tensor(indices=tensor([[0],
                           [1]]),
           values=tensor([2.]),
           size=(2, 2), nnz=1, layout=torch.sparse_coo)
    >>> s @ lw.ones(2, 1)
    tensor([[2.],
            [0.]])
    """

    is_sparse = property(lambda self: self._array.compressed is None)
    is_sparse_csr = property(lambda self: self._array.compressed is not None)
    layout = property(lambda self: dtypes.sparse_coo if self.is_sparse else dtypes.sparse_csr)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return Above.answer(func, args, kwargs or {})

    # -- what it keeps ---------------------------------------------------------------------------------------

    def _indices(self):
        """Where the values stand: a column for each, (sparse dims, nnz)."""
        expect(self, dtypes.sparse_coo, "_indices")
        return tensor_from_array(self._array.indices)

    def _values(self):
        """The values, in the same memory, without a history."""
        expect(self, dtypes.sparse_coo, "_values")
        return tensor_from_array(self._array.values)

    def indices(self):
        """Where the values of a coalesced tensor stand."""
        expect(self, dtypes.sparse_coo, "indices")
        self._refuse_uncoalesced("indices")
        return self._indices()

    def values(self):
        """The values of a coalesced tensor, with their history."""
        self._refuse_uncoalesced("values")
        return Values.apply(self)

    def _refuse_uncoalesced(self, name):
        if not self._array.in_order and self.is_sparse:
            raise RuntimeError(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")

    def crow_indices(self):
        """Where each row begins among the values, and where the last one ends."""
        expect(self, dtypes.sparse_csr, "crow_indices")
        return tensor_from_array(self._array.compressed)

    def col_indices(self):
        """The column of each value."""
        expect(self, dtypes.sparse_csr, "col_indices")
        return tensor_from_array(self._array.indices[1])

    def _nnz(self):
        """How many values are kept."""
        return self._array.indices.shape[1]

    def sparse_dim(self):
        """How many dims the indices count."""
        return self._array.indices.shape[0]

    def dense_dim(self):
        """How many dims each value has."""
        return self._array.values.ndim - 1

    def is_coalesced(self):
        """Whether no place comes twice and all are in order."""
        expect(self, dtypes.sparse_coo, "is_coalesced")
        return self._array.in_order

    def coalesce(self):
        """The same with the values of each place added up, in row-major order."""
        expect(self, dtypes.sparse_coo, "coalesce")
        return self if self._array.in_order else Coalesced.apply(self)

    def _coalesced_(self, coalesced):
        """Say whether it is coalesced, which nobody checks."""
        self._array.in_order = coalesced
        return self

    # -- as another layout, dtype or memory ---------------------------------------------------------------------

    def to_dense(self, dtype=None, *, masked_grad=None):
        """All elements, the zeros too."""
        result = Dense.apply(self)
        return result if dtype is None else result.to(dtype)

    def to(self, *args, **kwargs):
        """The same as another dtype."""
        dtype, _, copy, _ = parse_to(args, kwargs)
        if (dtype is None or dtype is self._dtype) and not copy:
            return self
        return with_values(self, lambda values: values.to(self._dtype if dtype is None else dtype, copy=copy))

    def clone(self, *, memory_format=None):
        """A copy, with a history."""
        return with_values(self, lambda values: values.clone())

    def detach(self):
        """The same memory without its history."""
        return wrap(self._array)

    data = property(detach)

    def contiguous(self, memory_format=None):
        """The tensor itself."""
        return self

    def is_contiguous(self, memory_format=None):
        """False for COO, as in PyTorch: the values are apart."""
        return False

    def stride(self, dim=None):
        """Steps of elements, which a sparse tensor has none of: zeros."""
        if self.is_sparse_csr:
            raise RuntimeError("Sparse CSR tensors do not have strides")
        return (0,) * self.ndim if dim is None else 0

    def zero_(self):
        """Forget all values."""
        refuse_write(self)
        self._array = SparseArray(self._array.indices[:, :0].copy(), self._array.values[:0].copy(), self.shape, True)
        record_write(self, "zero_")
        return self

    def sparse_resize_and_clear_(self, size, sparse_dim, dense_dim):
        """Take another shape, with nothing in it."""
        refuse_write(self)
        if len(size) != sparse_dim + dense_dim:
            raise RuntimeError(f"number of dimensions must be sparse_dim ({sparse_dim}) + dense_dim ({dense_dim}), but got "
                               f"{len(size)}")
        self._array = empty_array(tuple(size), sparse_dim, self._dtype)
        record_write(self, "sparse_resize_and_clear_")
        return self

    def numpy(self, *, force=False):
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")

    def __array__(self, dtype=None, copy=None):
        return self.numpy()

    def data_ptr(self):
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def untyped_storage(self):
        raise NotImplementedError("Cannot access storage of SparseTensorImpl")

    storage = _typed_storage = storage_offset = untyped_storage

    def tolist(self):
        return self.data_ptr()

    def item(self):
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return self.detach().to_dense().item()

    def __bool__(self):
        return bool(self.detach().to_dense())

    def type(self, dtype=None, non_blocking=False, **kwargs):
        """The type's name, ``torch.sparse.FloatTensor``; or the tensor as another dtype."""
        if dtype is None:
            return f"torch.sparse{'' if self.is_sparse else '_csr'}.{self._dtype.tensor_type}"
        return with_values(self, lambda values: values.type(dtype))

    def element_size(self):
        return self._array.itemsize

    # -- as a sequence, as text, as a copy ------------------------------------------------------------------------

    def __getitem__(self, index):
        if (overrides := function_overrides([self])) is not None:
            return dispatch(Tensor.__getitem__, (self, index), {}, overrides)
        raise unsupported("an index")

    def __setitem__(self, index, value):
        raise TypeError("Cannot assign to a sparse tensor")

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    def __repr__(self, *, tensor_contents=None):
        if modes.word() & FUNCTIONS and (overrides := function_overrides([self])) is not None:
            return dispatch(Tensor.__repr__, (self,), {}, overrides)
        return text_of(self)

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
                               "at the moment.")
        if id(self) not in memo:
            memo[id(self)] = wrap(self._array.copy()).requires_grad_(self.requires_grad)
        return memo[id(self)]

    def __reduce_ex__(self, protocol):
        parts = (self._indices(), self._values(), self.shape, self.is_coalesced()) if self.is_sparse else (
            self.crow_indices(), self.col_indices(), tensor_from_array(self._array.values), self.shape)
        return rebuild, (self.layout, parts, self.requires_grad)


def rebuild(layout, parts, requires_grad=False):
    """What unpickling a sparse tensor runs."""
    return Above.from_parts(layout, parts).requires_grad_(requires_grad)


# -- between sparse and dense -----------------------------------------------------------------------------------------

def wrap(array):
    """A tensor of a :class:`SparseArray`, without a history."""
    tensor = allocate_tensor(SparseTensor)
    tensor._array, tensor._dtype = array, cpu.leafward_dtype(array.values.dtype)
    tensor._storage = tensor._counter = Storage(array.values)
    return tensor


def empty_array(shape, sparse_dim, dtype):
    """An array of zeros only, of which nothing is kept."""
    indices = cpu.zeros((sparse_dim, 0), dtypes.int64)
    return SparseArray(indices, cpu.zeros((0, *shape[sparse_dim:]), dtype), shape, True)


class FromValues(Function):
    """``values`` at the places of ``like``, an array: a tensor of its shape and layout."""

    @staticmethod
    def forward(ctx, values, like):
        ctx.like = like
        return wrap(SparseArray(like.indices, values.detach()._array, like.shape, like.in_order, like.compressed))

    @staticmethod
    def backward(ctx, g):
        return at_places(g, ctx.like), None


class Values(Function):
    """The values as they are kept."""

    @staticmethod
    def forward(ctx, x):
        ctx.like = x._array
        return tensor_from_array(x._array.values)

    @staticmethod
    def backward(ctx, g):
        like = ctx.like
        if like.in_order or like.compressed is not None:
            return FromValues.apply(g, like)
        # Values at one place add up: each has the gradient of their sum, and that is the gradient there, once.
        indices, belongs = merged(like)
        belongs = tensor_from_array(belongs)
        total = g.new_zeros(indices.shape[1], *g.shape[1:]).index_add(0, belongs, g)
        counts = belongs.bincount(minlength=indices.shape[1]).reshape(-1, *[1] * (g.ndim - 1))
        return FromValues.apply(total / counts.to(g.dtype), SparseArray(indices, total._array, like.shape, True))


FromValues._backward_cls.__name__ = "SparseCooTensorWithDimsAndTensorsBackward0"
Values._backward_cls.__name__ = "ValuesBackward0"


class Coalesced(Function):
    """Each place once: the gradient is the same for both."""

    @staticmethod
    def forward(ctx, x):
        return wrap(coalesced(x._array))

    @staticmethod
    def backward(ctx, g):
        return g


Coalesced._backward_cls.__name__ = "CoalesceBackward0"


class At(Function):
    """What stands at the places of ``like``, each time that one is there."""

    @staticmethod
    def forward(ctx, x, like):
        ctx.like = SparseArray(like.indices, like.values, x.shape)
        return tensor_from_array(values_at(x._array, like.indices))

    @staticmethod
    def backward(ctx, g):
        return FromValues.apply(g, ctx.like), None


class Dense(Function):
    """All elements; the gradient is looked at where something is kept."""

    @staticmethod
    def forward(ctx, x):
        ctx.like = x._array
        return tensor_from_array(dense(x._array))

    @staticmethod
    def backward(ctx, g):
        like = ctx.like if ctx.like.compressed is not None else coalesced(ctx.like)
        return FromValues.apply(at_places(g, like), like)


Dense._backward_cls.__name__ = "ToDenseBackward0"


def at_places(x, like):
    """What ``x``, dense or sparse, has at the places of the array ``like``."""
    if not is_sparse(x._array):
        return x[tuple([tensor_from_array(row) for row in like.indices])]
    if x._array.indices is like.indices and (x._array.in_order or x._array.compressed is not None):
        return Values.apply(x)
    return At.apply(x, like)


def with_values(x, function):
    """The same places with other values."""
    return FromValues.apply(function(Values.apply(x)), x._array)


def in_order(x):
    """A COO tensor with each place once; of CSR, the same places as COO."""
    if x.is_sparse_csr:
        like = x._array
        plain = SparseArray(like.indices, like.values, like.shape, is_in_order(like))
        x = FromValues.apply(Values.apply(x), plain)
    return x.coalesce()


def is_in_order(x):
    """Whether the places of an array come in row-major order, none twice."""
    numbers = numbered(x.indices, x.shape)
    return bool((numbers[1:] > numbers[:-1]).all())


# -- refusals and text ------------------------------------------------------------------------------------------------

def expect(x, layout, name):
    """Refuse another layout."""
    if x.layout is not layout:
        wanted = "sparse coordinate" if layout is dtypes.sparse_coo else "sparse row compressed"
        raise RuntimeError(f"{name} expected {wanted} tensor layout but got {NAMES[x.layout]}")


def refuse_write(x):
    if modes.grad_enabled() and x.requires_grad and x.is_leaf:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def unsupported(what):
    return NotImplementedError(f"{what} of a sparse tensor is not there: call to_dense() first, or compute with its values()")


def text_of(x):
    """``tensor(indices=..., values=..., size=..., nnz=..., layout=torch.sparse_coo)``."""
    array, indent = x._array, len("tensor(")
    columns = (("crow_indices", array.compressed), ("col_indices", array.indices[1])) if x.is_sparse_csr else (
        ("indices", array.indices),)
    parts = []
    for name, part in (*columns, ("values", array.values)):
        prefix = f"{name}=tensor("
        dtype = cpu.leafward_dtype(part.dtype)
        body = printing.tensor_repr(part, dtype, prefix=" " * indent + prefix, default_dtype=dtype)[indent:]
        parts.append(body if part.size or part.ndim != 1 else f"{prefix}[], size=(0,))")
    text = "tensor(" + f",\n{' ' * indent}".join(parts)
    suffixes = [f"size={tuple(x.shape)}", f"nnz={x._nnz()}"]
    default = dtypes.get_default_dtype()
    usual = (default,) if not array.size or not x._nnz() else (
        dtypes.int64, dtypes.bool, default, dtypes.complex128 if default is dtypes.float64 else dtypes.complex64)
    if x.dtype not in usual:
        suffixes.append(f"dtype={x.dtype}")
    suffixes.append(f"layout={x.layout}")
    if x.grad_fn is not None:
        suffixes.append(f"grad_fn=<{x.grad_fn.name().rpartition('::')[2]}>")
    elif x.requires_grad:
        suffixes.append("requires_grad=True")
    if x.is_sparse:
        text += ",\n" + " " * indent + suffixes.pop(0)
    return printing.with_suffixes(text, suffixes, indent)
