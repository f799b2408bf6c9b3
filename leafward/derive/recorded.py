"""leafward itself as an array namespace: what ``xp`` is in a rule while backward is being recorded.

Every declared op is here by its canonical name; the functions below are the Array API standard's names and
signatures, where they differ from PyTorch's.
"""
from .. import dtypes

_names = {
    # Array API name -> PyTorch's name of the same function with the same signature
    "multiply": "mul", "subtract": "sub", "divide": "div", "negative": "neg", "power": "pow", "equal": "eq",
    "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
    "bitwise_invert": "bitwise_not",
}


class Recorded:
    """The namespace. Attributes that are not defined here are set by ``derive.functions.expose``."""

    float32, float64, int64, bool = dtypes.float32, dtypes.float64, dtypes.int64, dtypes.bool
    inf, nan, pi, e = float("inf"), float("nan"), 3.141592653589793, 2.718281828459045

    def __getattr__(self, name):
        if name in _names:
            return getattr(self, _names[name])
        raise AttributeError(f"a rule used xp.{name}, which leafward.derive.recorded does not have")

    # -- reductions ------------------------------------------------------------------------------------------

    def sum(self, x, axis=None, keepdims=False, dtype=None):
        return x.sum(axis, keepdim=keepdims, dtype=dtype) if axis is not None else self._all(x.sum(), x, keepdims)

    def mean(self, x, axis=None, keepdims=False):
        return x.mean(axis, keepdim=keepdims) if axis is not None else self._all(x.mean(), x, keepdims)

    def max(self, x, axis=None, keepdims=False):
        return x.amax(() if axis is None else axis, keepdim=keepdims)

    def min(self, x, axis=None, keepdims=False):
        return x.amin(() if axis is None else axis, keepdim=keepdims)

    def prod(self, x, axis=None, keepdims=False):
        return x.prod(axis, keepdim=keepdims) if axis is not None else self._all(x.prod(), x, keepdims)

    def any(self, x, axis=None, keepdims=False):
        return x.any(axis, keepdim=keepdims) if axis is not None else self._all(x.any(), x, keepdims)

    def all(self, x, axis=None, keepdims=False):
        return x.all(axis, keepdim=keepdims) if axis is not None else self._all(x.all(), x, keepdims)

    def count_nonzero(self, x, axis=None, keepdims=False):
        return self.sum(x != 0, axis, keepdims)

    def cumulative_sum(self, x, axis=-1):
        return x.cumsum(axis)

    def cumulative_prod(self, x, axis=-1):
        return x.cumprod(axis)

    def argmax(self, x, axis=None, keepdims=False):
        return x.argmax(axis, keepdim=keepdims)

    def argmin(self, x, axis=None, keepdims=False):
        return x.argmin(axis, keepdim=keepdims)

    def _all(self, total, x, keepdims):
        return total.reshape((1,) * x.ndim) if keepdims else total

    def sum_to(self, x, shape):
        """Sum away what broadcasting added to ``shape``."""
        extra = x.ndim - len(shape)
        if extra:
            x = x.sum(tuple(range(extra)))
        axes = tuple(i for i, size in enumerate(shape) if size == 1 and x.shape[i] != 1)
        return x.sum(axes, keepdim=True) if axes else x

    def cast_gradient(self, x, dtype):
        """``x`` in the dtype of the input that it is the gradient of: of a real input, the real part."""
        if x.is_complex() and not dtype.is_complex:
            x = x.real
        return x.to(dtype)

    # -- shapes ----------------------------------------------------------------------------------------------

    def expand_dims(self, x, axis):
        if isinstance(axis, int):
            return x.unsqueeze(axis)
        rank = x.ndim + len(axis)
        for place in sorted(a % rank for a in axis):
            x = x.unsqueeze(place)
        return x

    def squeeze(self, x, axis=None):
        return x.squeeze() if axis is None else x.squeeze(axis)

    def permute_dims(self, x, axes):
        return x.permute(axes)

    def matrix_transpose(self, x):
        return x.transpose(-2, -1)

    def swapaxes(self, x, axis1, axis2):
        return x.transpose(axis1, axis2)

    def moveaxis(self, x, source, destination):
        return x.movedim(source, destination)

    def broadcast_to(self, x, shape):
        return x.expand(shape)

    def reshape(self, x, shape):
        return x.reshape(shape)

    def concat(self, arrays, axis=0):
        return self.cat(list(arrays), axis)

    def stack(self, arrays, axis=0):
        return self.lw.stack(list(arrays), axis)

    def flip(self, x, axis=None):
        if axis is None:
            axis = range(x.ndim)
        return x.flip((axis,) if isinstance(axis, int) else tuple(axis))

    def roll(self, x, shift, axis=None):
        return self.lw.roll(x, shift, axis) if axis is not None else self.lw.roll(x, shift)

    def tril(self, x, k=0):
        return x.tril(k)

    def triu(self, x, k=0):
        return x.triu(k)

    def copy(self, x):
        return x.clone()

    # -- elementwise -----------------------------------------------------------------------------------------

    def astype(self, x, dtype, copy=False):
        return x.to(dtype)

    def conj(self, x):
        if isinstance(x, (int, float, complex)):
            return x.conjugate()
        return x.conj() if x.is_complex() else x

    def real(self, x):
        return x.real if x.is_complex() else x

    def imag(self, x):
        return x.imag

    def clip(self, x, min=None, max=None):
        return x.clamp(min, max)

    def where(self, condition, x, y):
        return self.lw.where(condition, x, y)

    def dtype_of(self, x):
        return x.dtype

    def normalize_dim(self, dim, ndim):
        from ..arrays.cpu import normalize_dim
        return normalize_dim(dim, ndim)

    # -- creation --------------------------------------------------------------------------------------------

    def zeros_like(self, x, dtype=None):
        return self.lw.zeros_like(x, dtype=dtype)

    def ones_like(self, x, dtype=None):
        return self.lw.ones_like(x, dtype=dtype)

    def full_like(self, x, fill_value, dtype=None):
        return self.lw.full_like(x, fill_value, dtype=dtype)

    def empty_like(self, x, dtype=None):
        return self.lw.empty_like(x, dtype=dtype)

    def zeros(self, shape, dtype=None):
        return self.lw.zeros(shape, dtype=dtype)

    def ones(self, shape, dtype=None):
        return self.lw.ones(shape, dtype=dtype)

    def full(self, shape, fill_value, dtype=None):
        return self.lw.full(shape, fill_value, dtype=dtype)

    def arange(self, start, stop=None, step=1, dtype=None):
        return self.lw.arange(0 if stop is None else start, start if stop is None else stop, step, dtype=dtype)

    def eye(self, rows, columns=None, dtype=None):
        return self.lw.eye(rows, rows if columns is None else columns, dtype=dtype)

    # -- linear algebra ----------------------------------------------------------------------------------------

    def tensordot(self, x, y, axes=2):
        return self.lw.tensordot(x, y, axes)

    def vecdot(self, x, y, axis=-1):
        return (self.conj(x) * y).sum(axis)

    def einsum(self, equation, *operands):
        return self.lw.einsum(equation, *operands)

    def take(self, x, indices, axis):
        return x.index_select(axis, indices)

    def take_along_axis(self, x, indices, axis=-1):
        return x.gather(axis, indices)


recorded = Recorded()
