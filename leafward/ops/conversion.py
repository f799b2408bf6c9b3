"""The same values in another dtype, or in memory of their own."""
from leafward import dtypes
from leafward.core.op import op
from leafward.ops.checks import warn_of_imaginary_part


@op("Tensor._to_copy", node="ToCopyBackward0", linear=True,
    batch="leading", samples=["3 4 ; dtype=float64", "; dtype=float32", "0 3 ; dtype=float64"],
    reference=lambda torch, x, dtype, memory_format=None: x.to(dtype, copy=True))
def to_copy(xp, x, dtype, memory_format=None):
    """A copy of ``x`` as ``dtype``, laid out as it is or as ``memory_format`` says."""
    warn_of_imaginary_part(x, dtype)
    if memory_format is None or memory_format is dtypes.preserve_format:
        return xp.astype(x, dtype, copy=True)
    out = xp.creation.empty_in_layout(x, dtype, memory_format.name)
    out[...] = xp.astype(x, dtype)
    return out

@to_copy.vjp("x")
def to_copy_dx(g):
    return g                                    # the engine casts it back to x's dtype
