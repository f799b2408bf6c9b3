"""The larger, the smaller, and what lies between bounds.

Args:
    min: the lower bound, a number or a tensor that broadcasts with `input`; None: no bound
    max: the upper bound, a number or a tensor that broadcasts with `input`; None: no bound
"""
from leafward.core.op import op
from leafward.dtypes import result_type, scalar_dtype

from leafward.ops.checks import as_element
from leafward.ops.kinds import by_kind, is_number, refuse_kinds


def refuse_complex(x, name):
    if x.dtype.kind == "c":
        raise RuntimeError(f"{name} not implemented for complex tensors.")


# --- two tensors -----------------------------------------------------------------------------------------------------
# Where both are equal, each gets half of the gradient of maximum and minimum; fmax and fmin give it all to x.

@op("maximum", numbers="", elementwise=True, samples=["3 4 | 3 4", "3 1 | 1 4", "+1. +nan +2. | +1. +2. +nan"])
def maximum(xp, x, y, out=None):
    """The larger of two, nan if either is: ``out = max(x, y)``.

    >>> lw.maximum(lw.tensor([1., 4.]), lw.tensor([3., 2.]))
    tensor([3., 4.])
    """
    refuse_complex(x, "maximum")
    return xp.maximum(x, y, out=out)


@maximum.vjp("x")
def maximum_dx(xp, g, x, y):
    return xp.where(x == y, g / 2, xp.where(x < y, 0, g))


@maximum.vjp("y")
def maximum_dy(xp, g, x, y):
    return xp.where(x == y, g / 2, xp.where(x > y, 0, g))


@op("minimum", numbers="", elementwise=True, samples=["3 4 | 3 4", "3 1 | 1 4", "+1. +nan +2. | +1. +2. +nan"])
def minimum(xp, x, y, out=None):
    """The smaller of two, nan if either is: ``out = min(x, y)``."""
    refuse_complex(x, "minimum")
    return xp.minimum(x, y, out=out)


@minimum.vjp("x")
def minimum_dx(xp, g, x, y):
    return xp.where(x == y, g / 2, xp.where(x > y, 0, g))


@minimum.vjp("y")
def minimum_dy(xp, g, x, y):
    return xp.where(x == y, g / 2, xp.where(x < y, 0, g))


@op("fmax", numbers="", elementwise=True, samples=["3 4 | 3 4", "3 1 | 1 4", "+1. +nan +2. | +1. +2. +nan"])
def fmax(xp, x, y, out=None):
    """The larger of two, the other one where one is nan."""
    refuse_complex(x, "fmax")
    return xp.fmax(x, y, out=out)


@fmax.vjp("x")
def fmax_dx(xp, g, x, y):
    return xp.where((x >= y) | xp.isnan(y), g, 0)


@fmax.vjp("y")
def fmax_dy(xp, g, x, y):
    return xp.where((x >= y) | xp.isnan(y), 0, g)


@op("fmin", numbers="", elementwise=True, samples=["3 4 | 3 4", "3 1 | 1 4", "+1. +nan +2. | +1. +2. +nan"])
def fmin(xp, x, y, out=None):
    """The smaller of two, the other one where one is nan."""
    refuse_complex(x, "fmin")
    return xp.fmin(x, y, out=out)


@fmin.vjp("x")
def fmin_dx(xp, g, x, y):
    return xp.where((x <= y) | xp.isnan(y), g, 0)


@fmin.vjp("y")
def fmin_dy(xp, g, x, y):
    return xp.where((x <= y) | xp.isnan(y), 0, g)


# --- bounds ----------------------------------------------------------------------------------------------------------
# A value that lies on a bound passes its gradient on.

def clamp_node(given):
    numbers = all(given[name] is None or is_number(given[name]) for name in ("min", "max"))
    return "ClampBackward1" if numbers else "ClampBackward0"


def refuse_clamp(x):
    if x.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")


#: The kinds of numbers, the narrowest first.
KINDS = ("bool", "int", "float", "complex")


def refuse_bounds(x, *bounds):
    """Raise if a number among ``bounds`` is none that the result's dtype holds."""
    for bound in bounds:
        if is_number(bound) and (isinstance(bound, complex) or not -128 <= bound <= 127):     # what every dtype holds
            widest = max([scalar_dtype(b) for b in bounds if is_number(b)], key=lambda d: KINDS.index(d.kind))
            as_element(bound, result_type(x.dtype, None, widest))


@op("clamp", "clip", elementwise=True, node=clamp_node,
    inplace="method, function",
    samples=["3 4 | = -0.5 | = 0.5", "3 4 | = 0", "3 4 | None | = 0.3", "3 4 | 3 4 | 3 4", "3 4 | 4 | None",
             "3 1 | None | 4", "+0. +1. +2. +nan | = 0 | = 1", "3 | = 2 | = 1"],
    errors=[("3", RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None")])
def clamp(xp, x, min=None, max=None, out=None):
    """Bring within bounds: ``out = minimum(maximum(x, min), max)``.

    Where ``min`` is above ``max``, the result is ``max``. The gradient is zero outside the bounds.

    >>> lw.clamp(lw.tensor([-2., 0.5, 2.]), min=-1, max=1)
    tensor([-1.0000,  0.5000,  1.0000])
    """
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    refuse_clamp(x)
    if min is not None and max is not None:
        refuse_kinds(x, "b", "clamp_cpu")
    return xp.clip(x, min, max, out=out)


def within(x, min, max):
    if min is None:
        return x <= max
    return x >= min if max is None else (x >= min) & (x <= max)


@clamp.check
def clamp_check(x, min, max):
    if min is not None and max is not None and is_number(min) != is_number(max):
        raise TypeError(f"clamp() received an invalid combination of arguments - got (Tensor, {type(min).__name__}, "
                        f"{type(max).__name__}), but expected one of:\n * (Tensor input, Tensor min, Tensor max)\n"
                        " * (Tensor input, Number min, Number max)")
    refuse_bounds(x, min, max)


@clamp.vjp("x")
def clamp_dx(xp, g, x, min, max):
    return xp.where(within(x, min, max), g, 0)


@clamp.vjp("min")
def clamp_dmin(xp, g, x, min, max):
    below = x < min
    return xp.where(below if max is None else below & (min < max), g, 0)


@clamp.vjp("max")
def clamp_dmax(xp, g, x, min, max):
    above = x > max
    return xp.where(above if min is None else above | (max < min), g, 0)


@op("clamp_min", elementwise=True, node=by_kind("min", tensor="ClampMinBackward1", number="ClampMinBackward0"),
    inplace="method, function", foreach="clamp_min, maximum", samples=["3 4 | = 0", "3 4 | 3 4", "+0. +1. -1. | = 0"])
def clamp_min(xp, x, min, out=None):
    """Not below: ``out = maximum(x, min)``."""
    refuse_clamp(x)
    return xp.maximum(x, min, out=out)


clamp_min.check(refuse_bounds)


@clamp_min.vjp("x")
def clamp_min_dx(xp, g, x, min):
    return xp.where(x >= min, g, 0)


@clamp_min.vjp("min")
def clamp_min_dmin(xp, g, x, min):
    return xp.where(x < min, g, 0)


@op("clamp_max", elementwise=True, node=by_kind("max", tensor="ClampMaxBackward1", number="ClampMaxBackward0"),
    inplace="method, function", foreach="clamp_max, minimum", samples=["3 4 | = 0", "3 4 | 3 4", "+0. +1. -1. | = 0"])
def clamp_max(xp, x, max, out=None):
    """Not above: ``out = minimum(x, max)``."""
    refuse_clamp(x)
    return xp.minimum(x, max, out=out)


clamp_max.check(refuse_bounds)


@clamp_max.vjp("x")
def clamp_max_dx(xp, g, x, max):
    return xp.where(x <= max, g, 0)


@clamp_max.vjp("max")
def clamp_max_dmax(xp, g, x, max):
    return xp.where(x > max, g, 0)
