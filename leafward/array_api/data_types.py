"""Which dtypes there are, what they hold, and which one a mixture has."""
from collections import namedtuple

from leafward import dtypes
from leafward.core.tensor import TensorBase
from leafward.derive.functions import fns
from leafward.devices import check_device
from leafward.dtypes import (
    bool, complex64, complex128, dtype as dtype_class, float32, float64, int8, int16, int32, int64, uint8, uint16,
    uint32, uint64,
)

__all__ = [
    "astype", "bool", "can_cast", "complex128", "complex64", "finfo", "float32", "float64", "iinfo", "int16", "int32",
    "int64", "int8", "isdtype", "result_type", "uint16", "uint32", "uint64", "uint8",
]

#: The standard's names for kinds of dtypes.
KINDS = {
    "bool": lambda d: d.kind == "bool",
    "signed integer": lambda d: d.kind == "int" and d.is_signed,
    "unsigned integer": lambda d: d.kind == "int" and not d.is_signed,
    "integral": lambda d: d.kind == "int",
    "real floating": lambda d: d.kind == "float",
    "complex floating": lambda d: d.kind == "complex",
    "numeric": lambda d: d.kind != "bool",
}
#: The dtypes of the standard: leafward's half types have no place in it.
STANDARD = {d.name: d for d in (bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64,
                                complex64, complex128)}
SIGNED = (int8, int16, int32, int64)

finfo_object = namedtuple("finfo_object", "bits eps max min smallest_normal dtype")
iinfo_object = namedtuple("iinfo_object", "bits max min dtype")


def isdtype(dtype, kind):
    """Whether ``dtype`` is ``kind``: a dtype, the name of a kind ("real floating", "integral"), or one of a tuple.

    >>> isdtype(float32, "real floating"), isdtype(int8, (bool, "unsigned integer"))
    (True, False)
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, dtype_class):
        return dtype is kind
    if kind not in KINDS:
        raise ValueError(f"unknown kind of dtype {kind!r}: the standard has {', '.join(map(repr, KINDS))}")
    return KINDS[kind](dtype)


def promote(a, b):
    """The smallest dtype that holds both: PyTorch's, and for integers also where PyTorch has none."""
    if a.kind != "int" or b.kind != "int":
        return dtypes.promote_types(a, b)
    if a.is_signed == b.is_signed:
        return a if a.itemsize >= b.itemsize else b
    signed, unsigned = (a, b) if a.is_signed else (b, a)
    for wide in SIGNED:
        if wide.itemsize >= signed.itemsize and wide.itemsize > unsigned.itemsize:
            return wide
    raise TypeError(f"no integer dtype holds both {a} and {b}: convert one of them with astype")


def result_type(*arrays_and_dtypes):
    """The dtype of an operation on these arrays, dtypes and Python numbers; arrays without dimensions count like any.

    >>> result_type(uint16, int16, 7), result_type(float32, 1j)
    (torch.int32, torch.complex64)
    """
    common = scalar = None
    for value in arrays_and_dtypes:
        if isinstance(value, (TensorBase, dtype_class)):
            found = value if isinstance(value, dtype_class) else value.dtype
            common = found if common is None else promote(common, found)
        else:
            found = dtypes.scalar_dtype(value)
            scalar = found if scalar is None else promote(scalar, found)
    if common is None:
        raise ValueError("result_type needs at least one array or dtype among its arguments")
    return dtypes.result_type(common, None, scalar)


def together(*operands):
    """Arrays and Python numbers as arrays of their common dtype."""
    first = operands[0]
    if isinstance(first, TensorBase) and all(isinstance(x, TensorBase) and x.dtype is first.dtype for x in operands):
        return operands
    dtype = result_type(*operands)
    return [x.to(dtype) if isinstance(x, TensorBase) else number(x, dtype) for x in operands]


def number(value, dtype):
    """A Python number as an array without dimensions."""
    return fns.full((), value, dtype=dtype)


def can_cast(from_, to, /):
    """Whether ``to`` holds every value of ``from_`` (a dtype or an array).

    >>> can_cast(int8, int16), can_cast(float64, float32)
    (True, False)
    """
    from_ = from_.dtype if isinstance(from_, TensorBase) else from_
    try:
        return promote(from_, to) is to
    except TypeError:
        return False


def astype(x, dtype, /, *, copy=True, device=None):
    """``x`` as ``dtype``: another array, unless ``copy=False`` allows ``x`` itself where it has that dtype."""
    check_device(device)
    return x.to(dtype, copy=copy)


def finfo(type, /):
    """The limits of a floating-point dtype, or of the parts of a complex one.

    >>> finfo(complex64).eps == 2.0 ** -23
    True
    """
    dtype = (type.dtype if isinstance(type, TensorBase) else type).to_real()
    limits = dtypes.finfo(dtype)
    return finfo_object(limits.bits, limits.eps, limits.max, limits.min, limits.smallest_normal, dtype)


def iinfo(type, /):
    """The limits of an integer dtype.

    >>> iinfo(uint8).max
    255
    """
    dtype = type.dtype if isinstance(type, TensorBase) else type
    limits = dtypes.iinfo(dtype)
    return iinfo_object(limits.bits, limits.max, limits.min, dtype)
