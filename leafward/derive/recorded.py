"""leafward itself as an array namespace: what ``xp`` is in a rule while backward is being recorded.

Every declared op is here by its canonical name; the functions below are those that the Array API standard calls
otherwise than PyTorch, or gives other arguments. They are as lenient as rules need them: dtypes are PyTorch's, and any
argument may be given by position. :mod:`leafward.array_api` is the same functions with the standard's own strictness.
"""
from leafward import dtypes
from leafward.core.runtime import runtime
from leafward.core.from_array import tensor_from_array

def over(function, x, axis, keepdims, **options):
    """PyTorch's reduction ``function`` over ``axis``: None is every one, and () none, which to PyTorch is every one."""
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    if not len(axes):
        return function(x.unsqueeze(-1), -1, **options)
    return function(x, tuple(axes), keepdim=keepdims, **options)


class NoKernels:
    """``xp.kernels`` while backward is recorded: each answers None, and a rule goes on to lines that record what they do."""

    def __getattr__(self, name):
        return lambda *args: None


class Recorded:
    """The namespace. Attributes that are not defined here are set by ``derive.functions.expose``."""

    float32, float64, int64, bool = dtypes.float32, dtypes.float64, dtypes.int64, dtypes.bool
    kernels = NoKernels()
    inf, nan, pi, e = float("inf"), float("nan"), 3.141592653589793, 2.718281828459045

    def __init__(self):
        self.others = set()             # names that the standard gives to other ops than PyTorch

    def __getattr__(self, name):
        raise AttributeError(f"a rule used xp.{name}, which leafward.derive.recorded does not have")

    def offer(self, name, function):
        """Have ``function`` under ``name``, where nothing below is called so."""
        if not hasattr(type(self), name):
            setattr(self, name, function)

    # -- reductions ------------------------------------------------------------------------------------------

    def sum(self, x, axis=None, keepdims=False, dtype=None):
        return over(self.fns.sum, x, axis, keepdims, dtype=dtype)

    def mean(self, x, axis=None, keepdims=False):
        return over(self.fns.mean, x, axis, keepdims)

    def max(self, x, axis=None, keepdims=False):
        return over(self.fns.amax, x, axis, keepdims)

    def min(self, x, axis=None, keepdims=False):
        return over(self.fns.amin, x, axis, keepdims)

    def prod(self, x, axis=None, keepdims=False, dtype=None):
        return over(self._prod, x, axis, keepdims, dtype=dtype)

    def _prod(self, x, axes, keepdim=False, dtype=None):
        # PyTorch multiplies along one dim only; from the last one on, so that the places of the others stay.
        for axis in sorted((a % x.ndim for a in axes), reverse=True) if isinstance(axes, tuple) else (axes,):
            x = self.fns.prod(x, axis, keepdim=keepdim, dtype=dtype)
        return x

    def any(self, x, axis=None, keepdims=False):
        return over(self.fns.any, x, axis, keepdims)

    def all(self, x, axis=None, keepdims=False):
        return over(self.fns.all, x, axis, keepdims)

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
        for position in sorted(a % rank for a in axis):
            x = x.unsqueeze(position)
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
        return self.fns.stack(list(arrays), axis)

    def flip(self, x, axis=None):
        if axis is None:
            axis = range(x.ndim)
        return x.flip((axis,) if isinstance(axis, int) else tuple(axis))

    def roll(self, x, shift, axis=None):
        return self.fns.roll(x, shift, axis) if axis is not None else self.fns.roll(x, shift)

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
        """The complex conjugate; anything real is returned as it is."""
        if isinstance(x, (int, float, complex)):
            return x.conjugate()
        return x.conj_physical()

    def real(self, x):
        """The real part; anything real is returned as it is."""
        return x.real if x.is_complex() else x

    def imag(self, x):
        """The imaginary part of a complex tensor, in its memory."""
        return x.imag

    def clip(self, x, min=None, max=None):
        return x.clamp(min, max)

    def where(self, condition, x, y):
        if isinstance(condition, bool):                     # compared were numbers
            condition = self.asarray(condition)
        return self.fns.where(condition, x, y)

    def without_zeros(self, x):
        return x._batch is None and not (x == 0).any()

    def dtype_of(self, x):
        return x.dtype

    # -- creation --------------------------------------------------------------------------------------------

    def asarray(self, x, dtype=None):
        return tensor_from_array(runtime.xp.asarray(x, dtype=dtype))  # of numbers: a tensor without a history

    def to_host(self, x):
        """A tensor is read as it is."""
        return x

    def zeros_like(self, x, dtype=None):
        return self.fns.zeros_like(x, dtype=dtype)

    def ones_like(self, x, dtype=None):
        return self.fns.ones_like(x, dtype=dtype)

    def full_like(self, x, fill_value, dtype=None):
        return self.fns.full_like(x, fill_value, dtype=dtype)

    def empty_like(self, x, dtype=None):
        return self.fns.empty_like(x, dtype=dtype)

    def zeros(self, shape, dtype=None):
        return self.fns.zeros(shape, dtype=dtype)

    def ones(self, shape, dtype=None):
        return self.fns.ones(shape, dtype=dtype)

    def full(self, shape, fill_value, dtype=None):
        return self.fns.full(shape, fill_value, dtype=dtype)

    def arange(self, start, stop=None, step=1, dtype=None):
        return self.fns.arange(0 if stop is None else start, start if stop is None else stop, step, dtype=dtype)

    def eye(self, rows, columns=None, dtype=None):
        return self.fns.eye(rows, rows if columns is None else columns, dtype=dtype)

    # -- linear algebra ----------------------------------------------------------------------------------------

    def tensordot(self, x, y, axes=2):
        return self.fns.tensordot(x, y, axes)

    def vecdot(self, x, y, axis=-1):
        return (self.conj(x) * y).sum(axis)

    def einsum(self, equation, *operands):
        return self.fns.einsum(equation, *operands)

    def take(self, x, indices, axis):
        return x.index_select(axis, indices)

    def take_along_axis(self, x, indices, axis=-1):
        return x.gather(axis, indices)


recorded = Recorded()
