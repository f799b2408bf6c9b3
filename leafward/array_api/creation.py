"""Arrays from numbers, from other arrays, and from other libraries."""
from leafward import dtypes
from leafward.tensor.constructors import asarray as as_tensor, from_dlpack as import_dlpack
from leafward.core.tensor import TensorBase
from leafward.derive.functions import fns
from leafward.devices import check_device

__all__ = [
    "arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace", "meshgrid",
    "ones",
    "ones_like", "tril", "triu", "zeros", "zeros_like",
]


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """``obj`` (numbers, nested sequences, an array) as an array; of a tensor with its history.

    >>> asarray([[1, 2], [3, 4]]).dtype, asarray(1.5).ndim
    (torch.int64, 0)
    """
    if not isinstance(obj, TensorBase):
        return as_tensor(obj, dtype=dtype, device=device, copy=copy)
    check_device(device)
    dtype = obj.dtype if dtype is None else dtype
    if copy is False and dtype is not obj.dtype:
        raise ValueError(f"an array of {obj.dtype} cannot be one of {dtype} without a copy: leave out copy=False")
    return obj.to(dtype, copy=bool(copy))


def from_dlpack(x, /, *, device=None, copy=None):
    """An array on the memory of another library's; a copy of it with ``copy=True``."""
    check_device(device)
    shared = import_dlpack(x)
    return shared.clone() if copy else shared


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """``start``, ``start + step``, ... up to and without ``stop``; with one argument from 0 up to it.

    >>> arange(3), arange(5, 0, -2)
    (tensor([0, 1, 2]), tensor([5, 3, 1]))
    """
    first, last = (0, start) if stop is None else (start, stop)
    if (last - first) * step < 0:                       # PyTorch refuses what the standard calls empty
        last = first
    return fns.arange(first, last, step, dtype=dtype, device=device)


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """``num`` numbers at equal distances from ``start`` to ``stop``, which is the last of them if ``endpoint``."""
    if endpoint:
        return fns.linspace(start, stop, num, dtype=dtype, device=device)
    return fns.linspace(start, stop, num + 1, dtype=dtype, device=device)[:-1]


def empty(shape, *, dtype=None, device=None):
    """Uninitialised memory."""
    return fns.empty(shape, dtype=dtype, device=device)


def zeros(shape, *, dtype=None, device=None):
    """Zeros."""
    return fns.zeros(shape, dtype=dtype, device=device)


def ones(shape, *, dtype=None, device=None):
    """Ones."""
    return fns.ones(shape, dtype=dtype, device=device)


def full(shape, fill_value, *, dtype=None, device=None):
    """``fill_value`` everywhere."""
    return fns.full((shape,) if isinstance(shape, int) else shape, fill_value, dtype=dtype, device=device)


def empty_like(x, /, *, dtype=None, device=None):
    """Uninitialised memory in the shape of ``x``."""
    return fns.empty_like(x, dtype=dtype, device=device)


def zeros_like(x, /, *, dtype=None, device=None):
    """Zeros in the shape of ``x``."""
    return fns.zeros_like(x, dtype=dtype, device=device)


def ones_like(x, /, *, dtype=None, device=None):
    """Ones in the shape of ``x``."""
    return fns.ones_like(x, dtype=dtype, device=device)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """``fill_value`` in the shape of ``x``."""
    return fns.full_like(x, fill_value, dtype=dtype, device=device)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """Ones on the ``k``-th diagonal, zeros elsewhere: ``out[i, j] = 1 if j == i + k else 0``."""
    rows, columns = fns.arange(n_rows), fns.arange(n_rows if n_cols is None else n_cols)
    check_device(device)
    return (rows[:, None] + k == columns).to(dtypes.get_default_dtype() if dtype is None else dtype)


def tril(x, /, *, k=0):
    """The lower triangle of each matrix, up to its ``k``-th diagonal; zeros above."""
    return fns.tril(x, k)


def triu(x, /, *, k=0):
    """The upper triangle of each matrix, from its ``k``-th diagonal on; zeros below."""
    return fns.triu(x, k)


def meshgrid(*arrays, indexing="xy"):
    """A grid for each vector, on which it varies along its own dimension (the first two swapped for "xy")."""
    return list(fns.meshgrid(*arrays, indexing=indexing))
