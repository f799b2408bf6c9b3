"""Questions about the kind of a dtype, for plain arrays and Tensors alike, and the refusals that follow from them."""
from leafward import dtypes
from leafward.core.op import recorded
from leafward.ops.checks import scalar_name

NUMBERS = (bool, int, float, complex)
WHOLE = frozenset({"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"})
COMPLEX = frozenset({"complex32", "complex64", "complex128"})


def is_number(x):
    """A Python number, as opposed to an array or a Tensor."""
    return isinstance(x, NUMBERS)


def by_kind(name, *, tensor, number):
    """A node name that depends on whether the input ``name`` is a tensor or a Python number."""
    return lambda given: number if is_number(given[name]) else tensor


def is_bool(x):
    return x.dtype.name == "bool"


def is_whole(x):
    """Bool or integer."""
    return x.dtype.name in WHOLE


def floating(xp, x):
    """``x`` for a rule to take a logarithm of: integers in the default dtype, as NumPy makes float16 of short ones."""
    return xp.astype(x, dtypes.get_default_dtype()) if is_whole(x) else x


def is_half(x):
    """float16 or bfloat16."""
    return x.dtype.name in ("float16", "bfloat16")


def is_complex(x):
    return isinstance(x, complex) if is_number(x) else x.dtype.name in COMPLEX


def unsupported(x, kernel):
    return NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(x)}'")


def refuse_kinds(x, kinds, kernel):
    """Raise PyTorch's error if the array ``x`` is of one of NumPy's ``kinds``: b(ool), i(nt), u(int), c(omplex)."""
    if x.dtype.kind in kinds:
        raise unsupported(x, kernel)


def refuse_dtype(dtype, kinds, kernel):
    """The same for a dtype, before there is an array of it; ``kinds`` are words: bool, int, float, complex."""
    if dtype.kind in kinds:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.scalar_name(dtype)}'")


def both_arrays(xp, x, y):
    """Two operands of one dtype, a Python number among them made an array; a complex one stays complex."""
    if is_number(x):
        return xp.asarray(x, dtype=xp.result_type(x, y) if isinstance(x, complex) else y.dtype), y
    if is_number(y):
        return x, xp.asarray(y, dtype=xp.result_type(x, y) if isinstance(y, complex) else x.dtype)
    return x, y


def common_dtype(xp, *arrays):
    """PyTorch's result type of arrays, for forwards that do not get it from the declaration."""
    return result_type(*((xp.dtype_of(a), a.ndim) for a in arrays))


def result_type(*kinds):
    """PyTorch's result type of tensors, given as pairs (dtype, ndim)."""
    dimensioned = zero_dim = None
    for dtype, ndim in kinds:
        if ndim:
            dimensioned = dtype if dimensioned is None else dtypes.promote_types(dimensioned, dtype)
        else:
            zero_dim = dtype if zero_dim is None else dtypes.promote_types(zero_dim, dtype)
    return dtypes.result_type(dimensioned, zero_dim, None)


def as_default_float(xp, x):
    """Integers in the default floating-point dtype, which is what PyTorch computes quotients in."""
    return xp.astype(xp.asarray(x), dtypes.get_default_dtype())


def without_derivative(op, inputs, aten_name, listed_as=None):
    """Declare that backward through ``op`` raises, as in PyTorch, instead of silently passing nothing on.

    ``listed_as``: PyTorch has a formula for other inputs, and names these as missing; without it, it has none at all.
    """
    def refuse():
        if listed_as is not None:
            raise NotImplementedError(f"the derivative for '{listed_as}' is not implemented.")
        raise RuntimeError(f"derivative for aten::{aten_name} is not implemented")

    def refuse_forward():
        raise NotImplementedError(f"Trying to use forward AD with aten::{aten_name} that does not support it.")
    op.vjp(inputs, refuses=True)(refuse)
    if listed_as is None:
        op.jvp(refuse_forward)


def refuse_gradient(function, **inputs):
    """Raise PyTorch's error for an input of ``function`` that wants a gradient and has no derivative."""
    for name, x in inputs.items():
        if hasattr(type(x), "requires_grad") and recorded(x):
            raise RuntimeError(f"The function '{function}' is not differentiable with respect to argument '{name}'. This input "
                               "cannot have requires_grad True.")
