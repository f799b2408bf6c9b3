"""Sums, products, quotients and their kin. Powers and roots are in ``powers.py``, rounding in ``rounding.py``."""
from leafward.core.op import composite, op

from leafward.ops.checks import as_element, cpp_name, scalar_name
from leafward.ops.kinds import (
    both_arrays, by_kind, is_bool, is_complex, is_number, is_whole, refuse_kinds, unsupported, without_derivative,
)
from leafward.ops.reduction import linalg_vector_norm_dx

ONE_BOOL = ("Subtraction, the `-` operator, with a bool tensor is not supported. "
            "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.")
TWO_BOOLS = ("Subtraction, the `-` operator, with two bool tensors is not supported. "
             "Use the `^` or `logical_xor()` operator instead.")
INTEGERS_DIVIDED = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division of "
    "tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / "
    "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future "
    "addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes.")


# --- sums ------------------------------------------------------------------------------------------------------------

def is_one(alpha):
    return alpha == 1 and type(alpha) is int              # `True == 1`, and 1.0 is refused for integers


def scaled(xp, y, alpha, x, sign=1):
    """``sign * alpha * y``, where ``x`` is the other operand and both have the result's dtype."""
    like = x if is_number(y) else y
    if isinstance(alpha, bool) and not is_bool(like):
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, (float, complex)) and is_whole(like):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and not is_complex(like):
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    factor = xp.scalar_for(as_element(alpha if sign == 1 or alpha == -1 << 63 else -alpha, xp.dtype_of(like)), like.dtype)
    return y * factor


def scaled_by(xp, x, factor):
    """``factor * x``, the number as an element of ``x``."""
    return xp.multiply(x, xp.scalar_for(as_element(factor, xp.dtype_of(x)), x.dtype))


def refuse_bools(x, y):
    bools = [isinstance(a, bool) if is_number(a) else is_bool(a) for a in (x, y)]
    if any(bools):
        raise RuntimeError(TWO_BOOLS if all(bools) and not is_number(x) and not is_number(y) else ONE_BOOL)


@op("add", legacy="alpha", rounds="alpha", numbers="all", elementwise=True,
    operator="add, radd", foreach=True,
    samples=["3 4 | 3 4", "3 1 | 1 4", "3 4 | = 2.5", "| 2", "0 3 | 3", "3 4 | 4 ; alpha=2", "3 4 | = 2 ; alpha=-3"],
    errors=[("int5: 3 | int5: 3 ; alpha=1.5", RuntimeError,
             "For integral input tensors, argument alpha must not be a floating point number."),
            ("3 | 3 ; alpha=1j", RuntimeError,
             "For non-complex input tensors, argument alpha must not be a complex number."),
            ("3 | 4", RuntimeError, "The size of tensor a (3) must match the size of tensor b (4)")])
def add(xp, x, y, *, alpha=1, out=None):
    """Add element by element: ``out = x + alpha * y``.

    >>> x = lw.tensor([1., 2.])
    >>> lw.add(x, 10), lw.add(x, x, alpha=3)
    (tensor([11., 12.]), tensor([4., 8.]))
    """
    return xp.add(x, y if is_one(alpha) else scaled(xp, y, alpha, x), out=out)


@add.vjp("x")
def add_dx(g):
    return g


@add.vjp("y")
def add_dy(g, alpha):
    return g if alpha == 1 else g * alpha.conjugate()      # (handed on as it is, also where alpha is 1.0)


@op("sub", "subtract", legacy="alpha", rounds="alpha", numbers="all", elementwise=True,
    operator="sub", foreach=True,
    samples=["3 4 | 3 4", "3 1 | 1 4", "3 4 | = 2.5", "| 2", "3 4 | 4 ; alpha=2"],
    errors=[("bool: 3 | bool: 3", RuntimeError, TWO_BOOLS), ("bool: 3 | 3", RuntimeError, ONE_BOOL)])
def sub(xp, x, y, *, alpha=1, out=None):
    """Subtract element by element: ``out = x - alpha * y``."""
    return xp.subtract(x, y, out=out) if is_one(alpha) else xp.add(x, scaled(xp, y, alpha, x, -1), out=out)


sub.check(refuse_bools)


@sub.vjp("x")
def sub_dx(g):
    return g


@sub.vjp("y")
def sub_dy(g, alpha):
    return -g if is_one(alpha) else -g * alpha.conjugate()


@op("rsub", "Tensor.__rsub__", legacy="alpha", rounds="alpha", elementwise=True,
    node=by_kind("y", tensor="RsubBackward0", number="RsubBackward1"),
    samples=["3 4 | 3 4", "3 4 | = 2.5", "| 2", "3 4 | 4 ; alpha=2"],
    errors=[("bool: 3 | bool: 3", RuntimeError, TWO_BOOLS)])
def rsub(xp, x, y, *, alpha=1, out=None):
    """Subtract the other way round: ``out = y - alpha * x``.

    Args:
        alpha: the number that `input` is multiplied by: 1 unless given
    """
    return xp.subtract(y, x, out=out) if is_one(alpha) else xp.add(y, scaled(xp, x, alpha, y, -1), out=out)


rsub.check(refuse_bools)


@rsub.vjp("x")
def rsub_dx(g, alpha):
    return -g if is_one(alpha) else -g * alpha.conjugate()


@rsub.vjp("y")
def rsub_dy(g):
    return g


@op("neg", "negative", elementwise=True, linear=True, operator="neg",
    inplace="method, function", foreach=True, samples=["3 4", "", "0 2"],
    errors=[("bool: 3", RuntimeError, "Negation, the `-` operator, on a bool tensor is not supported. "
             "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.")])
def neg(xp, x, out=None):
    """Change the sign: ``out = -x``."""
    if x.dtype.kind == "b":
        raise RuntimeError("Negation, the `-` operator, on a bool tensor is not supported. "
                           "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.")
    return xp.negative(x, out=out)


@neg.vjp("x")
def neg_dx(g):
    return -g


@composite("positive", operator="pos", views=True, samples=["3 4", ""],
           errors=[("bool: 3", RuntimeError, "The `+` operator, on a bool tensor is not supported.")])
def positive(fns, input):
    """The tensor itself: ``out = +x``."""
    if is_bool(input):
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


# --- products --------------------------------------------------------------------------------------------------------

@op("mul", "multiply", numbers="all", elementwise=True, exact="y",
    operator="mul, rmul", foreach=True,
    samples=["3 4 | 3 4", "3 1 | 1 4", "3 4 | = 2.5", "| 2", "0 3 | 3"])
def mul(xp, x, y, out=None):
    """Multiply element by element: ``out = x * y``.

    >>> lw.mul(lw.tensor([[1.], [2.]]), lw.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    return xp.multiply(x, y, out=out)


@mul.vjp("x")
def mul_dx(xp, g, y):
    return g * xp.conj(y)


@mul.vjp("y")
def mul_dy(xp, g, x):
    return g * xp.conj(x)


@op("addcmul", legacy="value", numbers="", elementwise=True,
    foreach=True, samples=["3 4 | 3 4 | 3 4", "3 4 | 3 1 | 4 ; value=2", "3 | 3 | 3 ; value=-0.5"])
def addcmul(xp, x, tensor1, tensor2, *, value=1, out=None):
    """Add a scaled product: ``out = x + value * tensor1 * tensor2``.

    Args:
        value: the factor of the product
    """
    refuse_kinds(x, "b", "addcmul_cpu_out")
    product = tensor1 * tensor2
    return xp.add(x, product if is_one(value) else scaled_by(xp, product, value), out=out)


@addcmul.vjp("x")
def addcmul_dx(g):
    return g


@addcmul.vjp("tensor1")
def addcmul_dtensor1(xp, g, tensor2, value):
    return g * xp.conj(tensor2 * value)


@addcmul.vjp("tensor2")
def addcmul_dtensor2(xp, g, tensor1, value):
    return g * xp.conj(tensor1 * value)


# --- quotients -------------------------------------------------------------------------------------------------------

def refuse_zero(xp, y):
    """Integers have no infinity that could be the result."""
    if y.dtype.kind in "iu" and not xp.to_host(xp.all(y)):
        raise RuntimeError("ZeroDivisionError")


def floor_quotient(xp, x, y, out):
    refuse_kinds(x, "bc", "div_floor_cpu")
    if x.dtype.kind in "iu":
        refuse_zero(xp, y)
        return xp.floor_divide(x, y, out=out)
    # NumPy gives nan for a division by zero.
    return xp.where(y == 0, x / y, xp.floor_divide(x, y))


def truncated_quotient(xp, x, y, out):
    refuse_kinds(x, "bc", "div_trunc_cpu")
    if x.dtype.kind in "iu":
        refuse_zero(xp, y)
        return xp.floor_divide(x - xp.fmod(x, y), y, out=out)
    return xp.trunc(xp.divide(x, y, out=out), out=out)


@op("div", "divide", "true_divide", numbers="all", elementwise=True, dtype="floating", whole="rounding_mode", exact="y",
    node=lambda given: "DivBackward0" if given["rounding_mode"] is None else "DivBackward2",
    operator="truediv, div", foreach=True,
    samples=["3 4 | away: 3 4", "3 1 | away: 1 4", "3 4 | = 2.5", "| away: 2", "+1. -1. +0. | +0. +0. +0.",
             "3 4 | away: 4 ; rounding_mode='floor'", "3 4 | away: 3 4 ; rounding_mode='trunc'",
             "+7 -7 +7 -7 | +2 +2 -2 -2 ; rounding_mode='floor'", "+7 -7 +7 -7 | +2 +2 -2 -2 ; rounding_mode='trunc'"],
    errors=[("3 | 3 ; rounding_mode='up'", RuntimeError,
             "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'")])
def div(xp, x, y, *, rounding_mode: str = None, out=None):
    """Divide element by element: ``out = x / y``, rounded towards zero (``trunc``) or down (``floor``) if asked for.

    Args:
        rounding_mode: `"trunc"`: towards zero. `"floor"`: down. None: no rounding

    >>> x = lw.tensor([7, -7])
    >>> x / 2, lw.div(x, 2, rounding_mode="trunc"), lw.div(x, 2, rounding_mode="floor")
    (tensor([ 3.5000, -3.5000]), tensor([ 3, -3]), tensor([ 3, -4]))
    """
    if rounding_mode is None:
        return xp.divide(x, y, out=out)
    if rounding_mode == "floor":
        return floor_quotient(xp, *both_arrays(xp, x, y), out)
    if rounding_mode == "trunc":
        return truncated_quotient(xp, *both_arrays(xp, x, y), out)
    raise RuntimeError(
        f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'")


@div.vjp("x")
def div_dx(xp, g, y, rounding_mode):
    return g / xp.conj(y) if rounding_mode is None else xp.zeros_like(g)


@div.vjp("y")
def div_dy(xp, g, x, y, rounding_mode):
    return -g * xp.conj((x / y) / y) if rounding_mode is None else xp.zeros_like(g)


@composite("Tensor.__rtruediv__", "Tensor.__rdiv__", samples=["away: 3 4 | = 2.5"])
def reflected_div(fns, input, other):
    """A number over a tensor: ``out = other / input``."""
    return input.reciprocal() * other


@op("floor_divide", numbers="all", elementwise=True, exact="y", domain="away", node="NotImplemented",
    operator="floordiv", samples=["3 4 | away: 3 4", "3 4 | = 2", "+7 -7 +7 -7 | +2 +2 -2 -2", "+1. -1. | +0. +0."])
def floor_divide(xp, x, y, out=None):
    """Divide and round down: ``out = floor(x / y)``."""
    return floor_quotient(xp, *both_arrays(xp, x, y), out)


without_derivative(floor_divide, "x, y", "floor_divide")


@op("remainder", numbers="x, y", elementwise=True, node=by_kind("y", tensor="RemainderBackward1", number="RemainderBackward0"),
    operator="mod", samples=["3 4 | away: 3 4", "3 4 | = 2", "+7 -7 +7 -7 | +2 +2 -2 -2", "+1. -1. | +0. +0."])
def remainder(xp, x, y, out=None):
    """What rounding down leaves: ``out = x - floor(x / y) * y``, with the sign of ``y``.

    >>> lw.tensor([7, -7]) % 3
    tensor([1, 2])
    """
    x, y = both_arrays(xp, x, y)
    refuse_kinds(x, "bc", "remainder_cpu")
    refuse_zero(xp, y)
    return xp.remainder(x, y, out=out)


@remainder.vjp("x")
def remainder_dx(g):
    return g


@remainder.vjp("y")
def remainder_dy(xp, g, x, y):
    return -g * xp.div(xp.astype(x, g.dtype), y, rounding_mode="floor")


@op("fmod", elementwise=True, node=by_kind("y", tensor="FmodBackward1", number="FmodBackward0"),
    samples=["3 4 | away: 3 4", "3 4 | = 2", "+7 -7 +7 -7 | +2 +2 -2 -2", "+1. -1. | +0. +0."])
def fmod(xp, x, y, out=None):
    """What rounding towards zero leaves: ``out = x - trunc(x / y) * y``, with the sign of ``x``."""
    x, y = both_arrays(xp, x, y)
    refuse_kinds(x, "bc", "fmod_cpu")
    refuse_zero(xp, y)
    return xp.fmod(x, y, out=out)


@fmod.vjp("x")
def fmod_dx(g):
    return g


@fmod.vjp("y")
def fmod_dy(xp, g, x, y):
    return -g * xp.div(xp.astype(x, g.dtype), y, rounding_mode="trunc")


@op("addcdiv", legacy="value", numbers="", elementwise=True,
    foreach=True, samples=["3 4 | 3 4 | away: 3 4", "3 4 | 3 1 | away: 4 ; value=2"])
def addcdiv(xp, x, tensor1, tensor2, *, value=1, out=None):
    """Add a scaled quotient: ``out = x + value * tensor1 / tensor2``.

    Args:
        value: the factor of the quotient
    """
    quotient = tensor1 / tensor2
    return xp.add(x, quotient if is_one(value) else scaled_by(xp, quotient, value), out=out)


@addcdiv.check
def addcdiv_check(x, tensor1, tensor2):
    if is_whole(tensor1) and is_whole(tensor2):
        raise RuntimeError(INTEGERS_DIVIDED)


@addcdiv.vjp("x")
def addcdiv_dx(g):
    return g


@addcdiv.vjp("tensor1")
def addcdiv_dtensor1(xp, g, tensor2, value):
    return g * xp.conj(value / tensor2)


@addcdiv.vjp("tensor2")
def addcdiv_dtensor2(xp, g, tensor1, tensor2, value):
    return -g * xp.conj(value * tensor1 / (tensor2 * tensor2))


# --- in between ------------------------------------------------------------------------------------------------------

@op("lerp", numbers="weight", exact="weight", elementwise=True,
    node=by_kind("weight", tensor="LerpBackward1", number="LerpBackward0"),
    foreach=True, samples=["3 4 | 3 4 | 3 4", "3 1 | 1 4 | unit: 4", "3 4 | 3 4 | = 0.25", "3 4 | 3 4 | = 0.75", "3 | 3 | = 1"])
def lerp(xp, x, end, weight, out=None):
    """Go part of the way: ``out = x + weight * (end - x)``.

    Args:
        end: what weight 1 gives
        weight: how far to go: 0 is `input`, 1 is `end`; a number or a tensor
    """
    refuse_kinds(x, "biu", "lerp_kernel_tensor")
    if is_number(weight) and not is_complex(x):
        # From the nearer end, so that weight 1 gives `end` itself.
        return xp.add(x, weight * (end - x), out=out) if abs(weight) < 0.5 else end - (end - x) * (1 - weight)
    way = end - x
    return xp.where(abs(xp.asarray(weight)) < 0.5, x + weight * way, end - way * (1 - weight))


@lerp.check
def lerp_check(x, end, weight):
    if is_number(weight) and is_whole(x):
        raise unsupported(x, "lerp_kernel_scalar")
    if isinstance(weight, complex) and not is_complex(x):
        raise RuntimeError(f"value cannot be converted to type {cpp_name(x)} without overflow")
    for name, given in (("end", end), ("weight", weight)):
        if not is_number(given) and given.dtype != x.dtype and (name == "end" or given.ndim):
            raise RuntimeError(f"expected dtype {cpp_name(x)} for `{name}` but got dtype {cpp_name(given)}")


@lerp.vjp("x")
def lerp_dx(xp, g, weight):
    return g * xp.conj(1 - weight)


@lerp.vjp("end")
def lerp_dend(xp, g, weight):
    return g * xp.conj(weight)


@lerp.vjp("weight")
def lerp_dweight(xp, g, x, end):
    return g * xp.conj(end - x)


@op("dist", dtype="promote", samples=["3 4 | 3 4", "3 4 | 3 4 ; p=1", "3 1 | 1 4 ; p=3", "3 | 3 ; p=inf", "+0. | +0."])
def dist(xp, x, y, p=2):
    """The p-norm of a difference: ``out = sum(abs(x - y) ** p) ** (1 / p)``.

    Args:
        p: the order of the norm
    """
    return xp.linalg_vector_norm(x - y, p)


@dist.check
def dist_check(x, y):
    refuse_bools(x, y)
    if is_whole(x) and is_whole(y):
        raise RuntimeError(f"norm(): input dtype should be either floating point or complex. Got {scalar_name(x)} instead.")


@dist.vjp("x")
def dist_dx(xp, g, x, y, out, p):
    return linalg_vector_norm_dx(xp, g, x - y, out, p, None, False)


@dist.vjp("y")
def dist_dy(xp, g, x, y, out, p):
    if p == 0:
        raise RuntimeError("Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #0 'self'")
    return -linalg_vector_norm_dx(xp, g, x - y, out, p, None, False)
