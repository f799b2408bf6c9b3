"""Functions of each element: leafward's own, after bringing two operands to their common dtype."""
from leafward import dtypes
from leafward.core.tensor import TensorBase
from leafward.derive.functions import fns
from leafward.derive.recorded import recorded
from leafward.array_api.data_types import number, together

UNARY = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bitwise_invert", "ceil", "conj", "cos", "cosh", "exp",
    "expm1", "floor", "imag", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "logical_not", "negative",
    "positive", "real", "reciprocal", "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
)
BINARY = (
    "add", "atan2", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "copysign",
    "divide", "equal", "floor_divide", "greater", "greater_equal", "hypot", "less", "less_equal", "logaddexp",
    "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "nextafter", "not_equal", "pow",
    "remainder", "subtract",
)
__all__ = list(UNARY + BINARY + ("clip", "round", "sign"))


def unary(name):
    function = getattr(recorded, name)

    def standard(x, /):
        return function(x)
    return named(standard, name, function.__doc__)


def binary(name):
    function = getattr(recorded, name)

    def standard(x1, x2, /):
        return function(*together(x1, x2))
    return named(standard, name, function.__doc__)


def named(function, name, doc):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


globals().update({name: unary(name) for name in UNARY})
globals().update({name: binary(name) for name in BINARY})


def round(x, /):
    """The nearest integer, the even one of two that are equally near; of a complex number each part."""
    return fns.complex(fns.round(x.real), fns.round(x.imag)) if x.is_complex() else fns.round(x)


def sign(x, /):
    """-1, 0 or 1; of a complex number ``x / abs(x)``, and of NaN NaN (PyTorch's ``sign`` gives 0)."""
    found = fns.sgn(x)
    return fns.where(fns.isnan(x), x, found) if x.dtype.is_floating_point or x.dtype.is_complex else found


def clip(x, /, min=None, max=None):
    """``x`` no smaller than ``min`` and no larger than ``max``, in its own dtype."""
    if min is None and max is None:
        return x.clone()
    return fns.clamp(x, bound(min, x), bound(max, x))


def bound(value, x):
    """``value`` in the dtype of ``x``; an integer beyond the limits of that dtype becomes the limit."""
    if value is None:
        return None
    if isinstance(value, TensorBase):
        return value.to(x.dtype)
    if x.dtype.kind == "int":
        limits = dtypes.iinfo(x.dtype)
        value = sorted((limits.min, value, limits.max))[1]
    return number(value, x.dtype)
