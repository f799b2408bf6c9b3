"""Reductions and normalizations that leave masked elements out: where ``mask`` is False, an element does not count.

``mask`` is a tensor of bools that broadcasts to ``input``. What it hides is replaced by the operation's identity, which is
the result where everything is hidden.

>>> import leafward as lw
>>> x = lw.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
>>> seen = lw.tensor([[True, False, True], [False, False, False]])
>>> lw.masked.sum(x, 1, mask=seen)
tensor([4., 0.])
>>> lw.masked.mean(x, 1, mask=seen)
tensor([2., nan])
>>> lw.masked.softmax(x, 1, mask=seen[:1])
tensor([[0.1192, 0.0000, 0.8808],
        [0.1192, 0.0000, 0.8808]])
"""
import math

from leafward import dtypes
from leafward.derive.functions import fns
from leafward.ops import dims

__all__ = [
    "MaskedTensor", "amax", "amin", "argmax", "argmin", "as_masked_tensor", "cumprod", "cumsum", "is_masked_tensor",
    "log_softmax", "logaddexp", "logsumexp", "masked_tensor", "mean", "median", "norm", "normalize", "prod", "softmax",
    "softmin", "std", "sum", "var",
]


# --- masks and identities --------------------------------------------------------------------------------------------

def hidden(mask, input):
    """Where ``input`` does not count, in its shape."""
    if len(mask.shape) > input.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    return ~mask.expand(input.shape).bool()


def shown(input, mask, identity):
    """``input``, and the ``identity`` where it does not count."""
    return input if mask is None else input.masked_fill(hidden(mask, input), identity)


def count(input, dim, keepdim, mask):
    """How many elements of ``input`` count along ``dim``."""
    seen = fns.ones(input.shape, dtype=dtypes.bool, device=input.device) if mask is None else ~hidden(mask, input)
    return fns.sum(seen, dim, keepdim)


def lowest(name, dtype):
    """The identity of a maximum: -inf, or the least integer."""
    if dtype is dtypes.bool:
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    return -math.inf if dtype.is_floating_point else dtypes.iinfo(dtype).min


def highest(name, dtype):
    """The identity of a minimum: inf, or the greatest integer."""
    if dtype is dtypes.bool:
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    return math.inf if dtype.is_floating_point else dtypes.iinfo(dtype).max


def shown_to_maximum(input, mask, name):
    return input if mask is None else shown(input, mask, lowest(name, input.dtype))


def shown_to_minimum(input, mask, name):
    return input if mask is None else shown(input, mask, highest(name, input.dtype))


def along(dim, ndim):
    """The dims that ``dim`` (an int or a sequence; None and () mean all) stands for: counted from the front, in order."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    found = []
    for d in (dim,) if isinstance(dim, int) else dim:
        d = dims.normalize(d, ndim)
        if d in found:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        found.append(d)
    return tuple(sorted(found))


def summed_dtype(input, dtype):
    """What PyTorch adds up in: integers and bools in int64."""
    return dtype or (input.dtype if has_fraction(input.dtype) else dtypes.int64)


def has_fraction(dtype):
    return dtype.is_floating_point or dtype.is_complex


# --- reductions ------------------------------------------------------------------------------------------------------

def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Sum of what counts along ``dim``, 0 of nothing."""
    return fns.sum(shown(input, mask, 0), along(dim, input.ndim), bool(keepdim), dtype=summed_dtype(input, dtype))


def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Product of what counts along ``dim``, 1 of nothing."""
    result, dtype = shown(input, mask, 1), summed_dtype(input, dtype)
    for d in reversed(along(dim, input.ndim)):
        result = fns.prod(result, d, bool(keepdim))
    return result.to(dtype)


def amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Greatest of what counts along ``dim``; of nothing -inf, or the least integer."""
    result = fns.amax(shown_to_maximum(input, mask, "amax"), along(dim, input.ndim), bool(keepdim))
    return result.to(dtype or input.dtype)


def amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Least of what counts along ``dim``; of nothing inf, or the greatest integer."""
    result = fns.amin(shown_to_minimum(input, mask, "amin"), along(dim, input.ndim), bool(keepdim))
    return result.to(dtype or input.dtype)


def argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Place of the greatest of what counts, in ``dtype`` or that of ``input``, as in PyTorch; 0 of nothing."""
    return fns.argmax(shown_to_maximum(input, mask, "argmax"), dim, bool(keepdim)).to(dtype or input.dtype)


def argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Place of the least of what counts, in ``dtype`` or that of ``input``, as in PyTorch; 0 of nothing."""
    return fns.argmin(shown_to_minimum(input, mask, "argmin"), dim, bool(keepdim)).to(dtype or input.dtype)


def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Sum of what counts along ``dim``, divided by how many elements count; nan of nothing."""
    if not has_fraction(dtype or input.dtype):
        raise ValueError(
            f"mean(): Could not infer output dtype. {'Optional' if dtype else 'Input'} dtype must be either a floating point "
            f"or complex dtype. Got: {dtype or input.dtype}")
    dim, keepdim = along(dim, input.ndim), bool(keepdim)
    return sum(input, dim, keepdim=keepdim, dtype=dtype or input.dtype, mask=mask) / count(input, dim, keepdim, mask)


def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """The lower median of what counts along ``dim``, and is not nan; nan of nothing, which integers may not come to."""
    dim = along(dim, input.ndim)[0]
    if input.is_floating_point():
        return fns.nanmedian(shown(input, mask, math.nan), dim, bool(keepdim)).values
    if mask is not None and hidden(mask, input).all(dim).any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    wide = shown(input.to(dtypes.float64), mask, math.nan)
    return fns.nanmedian(wide, dim, bool(keepdim)).values.to(dtype or input.dtype)


def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """``log(sum(exp(input)))`` over what counts along ``dim``, -inf of nothing."""
    if mask is not None:
        identity = -math.inf if input.is_complex() else lowest("logsumexp", input.dtype)
        input = shown(input, mask, identity)
    return fns.logsumexp(input, along(dim, input.ndim), bool(keepdim)).to(dtype or input.dtype)


def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Vector norm of order ``ord`` of what counts along ``dim``."""
    if mask is not None:
        if ord == -math.inf and not input.is_floating_point():
            raise AssertionError(f"input must be floating point, got {input.dtype}")
        input = shown(input, mask, math.inf if ord == -math.inf else 0)
    return fns.linalg_vector_norm(input, ord, along(dim, input.ndim), bool(keepdim), dtype=dtype)


def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """Variance of what counts along ``dim``: ``sum(abs(input - mean) ** 2) / max(count - correction, 0)``."""
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 1 if unbiased is None else int(unbiased)
    wide = dtype or input.dtype
    if not has_fraction(wide):
        wide = dtypes.float32
    dim, keepdim = along(dim, input.ndim), bool(keepdim)
    counted = count(input, dim, True, mask)
    centred = input - sum(input, dim, keepdim=True, dtype=wide, mask=mask) / counted
    total = sum(centred * centred.conj(), dim, keepdim=keepdim, dtype=wide, mask=mask)
    return (total / fns.clamp(counted - correction, min=0).reshape(total.shape)).to(dtype or wide)


def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """Square root of :func:`var`."""
    wide = dtype if dtype is not None and has_fraction(dtype) else None
    return fns.sqrt(var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=wide, mask=mask)).to(dtype)


# --- one element for each --------------------------------------------------------------------------------------------

def cumsum(input, dim, *, dtype=None, mask=None):
    """Sums of what counts up to each place along ``dim``."""
    return fns.cumsum(shown(input, mask, 0), along(dim, input.ndim)[0], dtype=dtype or input.dtype)


def cumprod(input, dim, *, dtype=None, mask=None):
    """Products of what counts up to each place along ``dim``."""
    return fns.cumprod(shown(input, mask, 1), along(dim, input.ndim)[0], dtype=dtype or input.dtype)


def softmax(input, dim, *, dtype=None, mask=None):
    """``exp(input) / sum(exp(input))`` over what counts along ``dim``, 0 for the rest; nan where nothing counts."""
    return fns.softmax(shown_to_maximum(input, mask, "amax"), along(dim, input.ndim)[0], dtype or input.dtype)


def log_softmax(input, dim, *, dtype=None, mask=None):
    """Logarithm of :func:`softmax`."""
    return fns.log_softmax(shown_to_maximum(input, mask, "amax"), along(dim, input.ndim)[0], dtype or input.dtype)


def softmin(input, dim, *, dtype=None, mask=None):
    """:func:`softmax` of ``-input``."""
    return fns.softmin(shown_to_minimum(input, mask, "amin"), along(dim, input.ndim)[0], dtype=dtype or input.dtype)


def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    """``input / max(norm(input), eps)`` of what counts along ``dim``, 0 for the rest."""
    size = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return shown(input, mask, 0) / fns.maximum(size, fns.full_like(size, eps))


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """``log(exp(input) + exp(other))`` of what counts."""
    x, y = shown_to_maximum(input, input_mask, "logaddexp"), shown_to_maximum(other, other_mask, "logaddexp")
    return fns.logaddexp(x, y).to(dtype or input.dtype)


# --- tensors with a mask of their own --------------------------------------------------------------------------------

NO_PAIRS = ("leafward has no MaskedTensor: keep data and mask apart, as two tensors, and give the mask to the functions of "
            "torch.masked, as in torch.masked.sum(data, mask=mask)")


class MaskedTensor:
    """Data with a mask of its own: not supported. The functions of this module take the mask as an argument."""

    def __init__(self, data, mask, requires_grad=False):
        raise NotImplementedError(NO_PAIRS)


def masked_tensor(data, mask, requires_grad=False):
    """Not supported, as :class:`MaskedTensor` is not."""
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data, mask):
    """Not supported, as :class:`MaskedTensor` is not."""
    return MaskedTensor(data, mask)


def is_masked_tensor(obj, /):
    """Whether ``obj`` is a :class:`MaskedTensor`: nothing is."""
    return isinstance(obj, MaskedTensor)
