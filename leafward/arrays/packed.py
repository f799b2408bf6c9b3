"""Dtypes that have memory and casts here, and no arithmetic of their own: floats of a byte, and complex numbers of halves.

The floats are those of ml_dtypes. NumPy has no such complex numbers: they are pairs of float16, as two fields of one element,
which are indexed, transposed and copied like any other.
"""
import numpy as np

from leafward import dtypes

#: NumPy's dtype of each of them, once one is asked for; and back.
LOADED, NAMES = {}, {}


def ml_dtypes():
    """The package. Importing it takes 8 ms, which a program without bfloat16 and floats of a byte need not pay."""
    try:
        import ml_dtypes
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "bfloat16 and the floats of 8 bits need the package ml_dtypes: pip install ml_dtypes (where there is no wheel, as "
            "on Alpine, that takes a C++ compiler)", name="ml_dtypes") from error
    return ml_dtypes


def load():
    """What each of them is in NumPy."""
    floats = ml_dtypes()
    for dtype in dtypes.FLOAT8:
        LOADED[dtype] = np.dtype(getattr(floats, dtype.name))
    LOADED[dtypes.complex32] = np.dtype([("", np.float16), ("", np.float16)])
    NAMES.update({theirs: ours for ours, theirs in LOADED.items()})


def array_dtype(dtype):
    """The NumPy dtype of one of :data:`leafward.dtypes.PACKED`."""
    if not LOADED:
        load()
    return LOADED[dtype]


def widened(x):
    """The same numbers in float32 or complex64, which hold them all."""
    if x.dtype.names is None:
        return x.astype(np.float32)
    wide = np.empty(x.shape, np.complex64)
    wide.real, wide.imag = (x[part] for part in x.dtype.names)
    return wide


def real_parts(x):
    """The real parts of complex numbers, in their memory; None of others."""
    if x.dtype.kind == "c":
        return x.real
    return x[x.dtype.names[0]] if x.dtype.names else None


def imaginary_parts(x):
    """The imaginary parts of complex numbers, in their memory."""
    return x[x.dtype.names[1]] if x.dtype.names else x.imag


def pairs_as_complex(x):
    """Memory whose last dim holds pairs of floats, as complex numbers: those of float16 as complex32."""
    target = array_dtype(dtypes.complex32) if x.itemsize == 2 else np.dtype(f"c{2 * x.itemsize}")
    return x.view(target)[..., 0]


def narrowed(x, target):
    """Numbers as ``target``, one of these dtypes, rounded to the nearest."""
    dtype = NAMES[target]
    with np.errstate(all="ignore"):
        if dtype is dtypes.complex32:
            pairs = np.empty(x.shape, target)
            for part, numbers in zip(target.names, (x.real, x.imag), strict=True):
                pairs[part] = numbers
            return pairs
        x = x.real.astype(np.float32)
        if dtype is dtypes.float8_e4m3fn:                   # it has no infinity: the largest stands for all beyond
            x = np.clip(x, *LARGEST)
        elif dtype is dtypes.float8_e8m0fnu:                # powers of two, without sign or zero
            x = np.maximum(np.abs(x), np.float32(2.0**-127))
        return x.astype(target)


LARGEST = np.float32(-448), np.float32(448)


def cast(x, target):
    """``x`` as ``target``, of which at least one is such a dtype."""
    wide = widened(x) if x.dtype in NAMES else x
    if target in NAMES:
        return narrowed(wide, target)
    return (wide.real if wide.dtype.kind == "c" and target.kind not in "cb" else wide).astype(target)
