"""Questions with yes or no for an answer, and the choice between two tensors.

Args:
    rtol: tolerance relative to `other`
    atol: absolute tolerance
    condition: True where `input` is taken
    equal_nan: True: NaN is close to NaN. False: to nothing
"""
import math

from leafward import dtypes
from leafward.core.op import composite, op
from leafward.dtypes import get_default_dtype
from leafward.errors import warn_once

from leafward.ops.checks import as_element, scalar_name
from leafward.ops.kinds import by_kind, is_complex, is_half, is_number, is_whole, refuse_kinds

PAIRS = ["3 4 | 3 4", "3 1 | 1 4", "int5: 3 4 | = 2", "| 2", "+1. +nan -0. +inf | +1. +nan +0. -inf"]


def by_operand(name):
    return by_kind("y", tensor=f"{name}Backward1", number=f"{name}Backward0")


# --- comparisons -----------------------------------------------------------------------------------------------------

@op("eq", elementwise=True, dtype="bool", node=by_operand("Eq"), operator="eq", array_api="equal",
    samples=[*PAIRS, "int3: 5 | = 1.5"])
def eq(xp, x, y, out=None):
    """Equal: ``out = x == y``."""
    return xp.equal(x, y, out=out)


@op("ne", "not_equal", elementwise=True, dtype="bool", node=by_operand("Ne"), operator="ne", samples=PAIRS)
def ne(xp, x, y, out=None):
    """Different: ``out = x != y``."""
    return xp.not_equal(x, y, out=out)


@op("lt", "less", elementwise=True, dtype="bool", node=by_operand("Lt"), operator="lt", samples=PAIRS)
def lt(xp, x, y, out=None):
    """Less: ``out = x < y``."""
    refuse_order(x, y, "lt_cpu")
    return xp.less(x, y, out=out)


@op("le", "less_equal", elementwise=True, dtype="bool", node=by_operand("Le"), operator="le", samples=PAIRS)
def le(xp, x, y, out=None):
    """Less or equal: ``out = x <= y``."""
    refuse_order(x, y, "le_cpu")
    return xp.less_equal(x, y, out=out)


@op("gt", "greater", elementwise=True, dtype="bool", node=by_operand("Gt"), operator="gt", samples=PAIRS)
def gt(xp, x, y, out=None):
    """Greater: ``out = x > y``."""
    refuse_order(x, y, "gt_cpu")
    return xp.greater(x, y, out=out)


@op("ge", "greater_equal", elementwise=True, dtype="bool", node=by_operand("Ge"), operator="ge", samples=PAIRS)
def ge(xp, x, y, out=None):
    """Greater or equal: ``out = x >= y``."""
    refuse_order(x, y, "ge_cpu")
    return xp.greater_equal(x, y, out=out)


def flat(comparison):
    """``x.eq_(y)`` writes numbers that do not change with those compared; the bools of ``eq`` have no history."""
    @comparison.vjp("x")
    def dx(xp, g):
        return xp.zeros_like(g)

    @comparison.vjp("y")
    def dy(xp, g):
        return xp.zeros_like(g)


for comparison in (eq, ne, lt, le, gt, ge):
    flat(comparison)


def refuse_order(x, y, kernel):
    refuse_kinds(y if is_number(x) else x, "c", kernel)


# --- logic -----------------------------------------------------------------------------------------------------------

@op("logical_and", numbers="", elementwise=True, dtype="bool", nondifferentiable="x, y",
    samples=["bool: 3 | bool: 3", "int2: 3 4 | 4"])
def logical_and(xp, x, y, out=None):
    """Both are true (not 0)."""
    return xp.logical_and(x, y, out=out)


@op("logical_or", numbers="", elementwise=True, dtype="bool", nondifferentiable="x, y",
    samples=["bool: 3 | bool: 3", "int2: 3 4 | 4"])
def logical_or(xp, x, y, out=None):
    """At least one is true (not 0)."""
    return xp.logical_or(x, y, out=out)


@op("logical_xor", numbers="", elementwise=True, dtype="bool", nondifferentiable="x, y",
    samples=["bool: 3 | bool: 3", "int2: 3 4 | 4"])
def logical_xor(xp, x, y, out=None):
    """Exactly one is true (not 0)."""
    return xp.logical_xor(x, y, out=out)


@op("logical_not", elementwise=True, dtype="bool", nondifferentiable="x", samples=["bool: 3", "int2: 3 4", "+0. -0. +nan"])
def logical_not(xp, x, out=None):
    """It is false (0)."""
    return xp.logical_not(x, out=out)


# --- kinds of numbers ------------------------------------------------------------------------------------------------

EDGES = ["3 4", "", "+nan +inf -inf +0. -1."]


@op("isnan", elementwise=True, dtype="bool", nondifferentiable="x", inplace=False, samples=EDGES)
def isnan(xp, x):
    """It is not a number."""
    return xp.isnan(x)


@op("isinf", elementwise=True, dtype="bool", nondifferentiable="x", inplace=False, samples=EDGES)
def isinf(xp, x):
    """It is infinite."""
    return xp.isinf(x)


@op("isfinite", elementwise=True, dtype="bool", nondifferentiable="x", inplace=False, samples=EDGES)
def isfinite(xp, x):
    """It is neither infinite nor nan."""
    return xp.isfinite(x)


@op("isposinf", elementwise=True, dtype="bool", nondifferentiable="x", inplace=False, samples=EDGES)
def isposinf(xp, x, out=None):
    """It is plus infinity."""
    if x.dtype.kind == "c":
        raise RuntimeError("isposinf does not support complex inputs.")
    return xp.equal(x, math.inf, out=out)


@op("isneginf", elementwise=True, dtype="bool", nondifferentiable="x", inplace=False, samples=EDGES)
def isneginf(xp, x, out=None):
    """It is minus infinity."""
    if x.dtype.kind == "c":
        raise RuntimeError("isneginf does not support complex inputs.")
    return xp.equal(x, -math.inf, out=out)


@op("isreal", elementwise=True, dtype="bool", nondifferentiable="x", inplace=False, samples=[*EDGES, "complex: 3"])
def isreal(xp, x):
    """Its imaginary part is 0."""
    return xp.imag(x) == 0


# --- closeness -------------------------------------------------------------------------------------------------------

def check_same_dtype(input, other):
    if input.dtype != other.dtype:
        ours, theirs = (t.dtype.tensor_type.removesuffix("Tensor") for t in (input, other))
        raise RuntimeError(f"{ours} did not match {theirs}")


@composite("isclose", differentiable=False,
           samples=["3 4 | 3 4", "+1. +inf +nan +0. | +1.000001 +inf +nan +1e-9", "+nan | +nan ; equal_nan=True",
                    "+1. +2. | +1.1 +2.1 ; atol=0.1, rtol=0.01"],
           errors=[("3 | 3 ; rtol=-1.", RuntimeError, "rtol must be greater than or equal to zero, but got -1"),
                   ("3 | 3 ; atol=nan", RuntimeError, "atol must be greater than or equal to zero, but got nan")])
def isclose(fns, input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Equal up to rounding: ``out = abs(input - other) <= atol + rtol * abs(other)``.

    >>> lw.isclose(lw.tensor([1., 1.]), lw.tensor([1.000001, 1.1]))
    tensor([ True, False])
    """
    check_same_dtype(input, other)
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value:g}")
    input, other = input.detach(), other.detach()
    close = input == other
    if equal_nan:
        close = close | (input != input) & (other != other)
    if rtol == 0 and atol == 0:
        return close
    if is_whole(input):
        input, other = (t.to(get_default_dtype()) for t in (input, other))
    distance = (input - other).abs()
    return close | fns.isfinite(distance) & (distance <= atol + (rtol * other).abs())


@composite("allclose", differentiable=False,
           samples=["3 4 | 3 4", "+1. +2. | +1.000001 +2.", "+nan | +nan ; equal_nan=True"])
def allclose(fns, input, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool:
    """Whether all elements are equal up to rounding, as a Python bool.

    >>> lw.allclose(lw.tensor([1., 2.]), lw.tensor([1., 2.000001]))
    True
    """
    return bool(fns.isclose(input, other, rtol, atol, equal_nan).all())


@op("torch._all_equal", kernel="all_are_equal", dtype="promote", nondifferentiable="x, y",
    samples=["3 4 | 3 4", "+1. +2. | +1. +2.", "+nan | +nan", "int5: 3 | 3", " | ", "0 3 | 0 3"],
    reference=lambda torch, x, y: (x == y).all())
def all_equal(xp, x, y):
    """Whether two tensors of one shape have the same elements, as a tensor: ``out = all(x == y)``."""
    return xp.asarray(xp.all(xp.equal(x, y)))


@all_equal.decomposition
def all_equal_parts(fns, input, other):
    return (input == other).all()


@composite("equal", differentiable=False, samples=["3 4 | 3 4", "+1. +2. | +1. +2.", "2 3 | 3 2", "+nan | +nan"])
def equal(fns, input, other) -> bool:
    """Whether two tensors have the same shape and elements, as a Python bool.

    >>> lw.equal(lw.tensor([1, 2]), lw.tensor([1, 2]))
    True
    """
    return input.shape == other.shape and bool(fns._all_equal(input, other))


@op("torch.isin", kernel="among", argument_aliases={"element": "elements", "test_element": "test_elements"},
    numbers="elements, test_elements", nondifferentiable="elements, test_elements",
    samples=["int5: 3 4 | int5: 3", "int5: 3 4 | int5: 3 ; invert=True", "int5: 4 | = 2", "= 2 | int5: 4"])
def isin(xp, elements, test_elements, *, assume_unique=False, invert=False):
    """Whether each element is one of ``test_elements``.

    Args:
        elements: what is looked for
        test_elements: where it is looked for
        assume_unique: True: neither holds an element twice, which may be faster
        invert: True: which are not there

    >>> lw.isin(lw.tensor([1, 2, 3]), lw.tensor([2, 5]))
    tensor([False,  True, False])
    """
    return xp.isin(elements, test_elements, assume_unique=assume_unique, invert=invert)


# --- choice ----------------------------------------------------------------------------------------------------------

@op("torch._where", "Tensor.where", elementwise=True, nondifferentiable="condition", promote="x, y", self_name="x",
    node="WhereBackward0", reference="where", casts_out=False,
    samples=["bool: 3 4 | 3 4 | 3 4", "bool: 3 1 | 1 4 | = 0.5", "bool: 3 | = 1 | 3", "bool: 2 | | ",
             "bool: 3 | = 1 | = 2", "bool: 3 | = 1 | = 0.5"],
    errors=[("int2: 3 | 3 | 3", RuntimeError,
             "where expected condition to be a boolean tensor, but got a tensor with dtype Long")])
def where_op(xp, condition, x, y):
    """Element by element, one or the other: ``out = x if condition else y``."""
    if condition.dtype.kind != "b":
        if condition.dtype.name != "uint8":
            raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with dtype "
                               + scalar_name(condition))
        warn_once("where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
                  "version of PyTorch. Use a boolean condition instead.")
        condition = condition != 0
    if is_number(x) and is_number(y):                     # not whole: those arrive as arrays
        default = get_default_dtype()
        x = xp.asarray(x, dtype=default.to_complex() if is_complex(x) or is_complex(y) else default)
    return xp.where(condition, x, y)


@where_op.check
def where_check(condition, x, y):
    for value, other in (x, y), (y, x):
        if type(value) is int and not is_number(other) and other is not None:
            if (dtype := dtypes.result_type(other.dtype, None, dtypes.int64)).kind == "int":
                as_element(value, dtype)
        if type(value) is float and not (hasattr(other, "shape") and is_half(other)):
            as_element(value, get_default_dtype())


@where_op.vjp("x")
def where_dx(xp, g, condition):
    return xp.where(condition, g, 0)


@where_op.vjp("y")
def where_dy(xp, g, condition):
    return xp.where(condition, 0, g)


@composite("torch.where", samples=["bool: 3 4 | 3 4 | 3 4", "bool: 3 4"])
def where(fns, condition, input=None, other=None, *, out=None) -> object:
    """Element by element, ``input`` or ``other``; with ``condition`` alone, the indices of its true elements.

    The three are broadcast together.

    Args:
        condition: True where `input` is taken
        input: the choice where it is True, a tensor or a number
        other: the choice where it is False, a tensor or a number

    >>> x = lw.tensor([-1., 2.])
    >>> lw.where(x > 0, x, 0.)
    tensor([0., 2.])
    >>> lw.where(x > 0)
    (tensor([1]),)
    """
    if input is None and other is None:
        if out is not None:
            raise TypeError("where() takes no out= with condition alone: it gives as many tensors as condition has dimensions")
        return fns.nonzero(condition, as_tuple=True)
    return fns._where(condition, input, other, out=out)
