"""leafward's dtypes and NumPy's, one to one."""
import numpy as np

from leafward import dtypes
from leafward.arrays import packed
from leafward.arrays.copies import SHARED, cast
from leafward.arrays.layout import empty_in_order

TO_NUMPY = {}
FROM_NUMPY = {}

#: leafward's names whose NumPy dtype has the same name.
SHARED_NAMES = (
    "float64", "float32", "float16", "complex128", "complex64", "bool",
    "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8",
)


def pair(ours, theirs):
    TO_NUMPY[ours] = theirs
    FROM_NUMPY[theirs] = ours


for name in SHARED_NAMES:
    if hasattr(dtypes, name):
        pair(getattr(dtypes, name), np.dtype(name))


def load_bfloat16():
    pair(dtypes.bfloat16, np.dtype(packed.ml_dtypes().bfloat16))


def numpy_dtype(dtype):
    """The NumPy dtype of a leafward dtype; a NumPy dtype (or None) is returned as it is."""
    found = TO_NUMPY.get(dtype)
    if found is not None or dtype is None:
        return found
    if dtype is dtypes.bfloat16:
        load_bfloat16()
        return TO_NUMPY[dtype]
    if dtype in dtypes.PACKED:
        return packed.array_dtype(dtype)
    if isinstance(dtype, (np.dtype, type)):
        return np.dtype(dtype)
    raise NotImplementedError(f"{dtype} has no NumPy counterpart; use one of {', '.join(SHARED_NAMES)} or bfloat16")


def leafward_dtype(dtype):
    """The leafward dtype of a NumPy dtype."""
    found = FROM_NUMPY.get(dtype)
    if found is not None:
        return found
    if dtype.name == "bfloat16":
        load_bfloat16()
        return dtypes.bfloat16
    if dtype in packed.NAMES:
        return packed.NAMES[dtype]
    if not dtype.isnative:
        raise ValueError("given numpy array has byte order different from the native byte order. "
                         "Conversion between byte orders is currently not supported.")
    # `intc` and `longlong` are their own dtypes on some platforms, equal to one above but under another type number.
    for theirs, ours in FROM_NUMPY.items():
        if theirs == dtype:
            FROM_NUMPY[dtype] = ours
            return ours
    raise TypeError(
        f"can't convert np.ndarray of type {dtype.type.__module__}.{dtype.type.__name__}. The only supported types "
        "are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, "
        "uint8, and bool.")


def dtype_of(x):
    """The leafward dtype of an array."""
    return leafward_dtype(x.dtype)


def astype(x, dtype, copy=False):
    """``x`` as ``dtype`` (leafward's or NumPy's); the same array if nothing changes and no copy is asked for."""
    target = TO_NUMPY.get(dtype)
    if target is None:
        target = numpy_dtype(dtype)
    if packed.NAMES and (x.dtype in packed.NAMES or target in packed.NAMES) and x.dtype != target:
        return packed.cast(x, target)
    # NumPy warns when a complex array is cast to real, even under seterr(all="ignore").
    if x.dtype.kind == "c" and target.kind not in "cb":
        x = x.real
    if 0 in x.strides and x.ndim > 1 and (copy or x.dtype != target):
        out = empty_in_order(x, target)         # NumPy would take the dim without steps for the innermost
        out[...] = x
        return out
    return cast(x, target, copy)


def astype_direct(x, dtype, copy=False):
    """See ``tapes.direct``: where that is a cast of NumPy's alone, to another dtype."""
    target = numpy_dtype(dtype)
    narrow = x.dtype.itemsize == 2 or target.itemsize == 2
    if narrow or x.dtype == target or x.size >= SHARED or 0 in x.strides or not x.dtype.isbuiltin == target.isbuiltin == 1 or (
            x.dtype.kind == "c" and target.kind not in "cb"):
        return None
    return np.ndarray.astype, (x, target)


astype.direct = astype_direct


def is_half(dtype):
    """float16 or bfloat16."""
    return dtype.itemsize == 2 and dtype.kind not in "iu"
