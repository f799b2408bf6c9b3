"""The parts of complex numbers. Complex numbers from parts are in ``creation.py``."""
import math

from leafward import dtypes
from leafward.core.op import composite, op
from leafward.errors import overlap_error
from leafward.ops.checks import scalar_name
from leafward.ops.kinds import is_complex

FLOATS = ("float16", "float32", "float64")


# --- parts, as views -------------------------------------------------------------------------------------------------

@op("torch._real", "Tensor._real", alias="x", rereads=True, node="SelectBackward0", batch="leading",
    samples=["complex: 3 4", "complex: "])
def real_part(xp, x):
    """The real part, in the same memory."""
    return xp.real_parts(x)


@real_part.vjp("x")
def real_part_dx(g):
    return g


@op("torch._imag", "Tensor._imag", alias="x", rereads=True, node="SelectBackward0", batch="leading",
    samples=["complex: 3 4", "complex: "])
def imag_part(xp, x):
    """The imaginary part, in the same memory."""
    return xp.imaginary_parts(x)


@imag_part.vjp("x")
def imag_part_dx(xp, g):
    if g.dtype.itemsize == 2:
        g = xp.astype(g, dtypes.float32)        # gradients of complex32 are complex64
    return xp.complex(xp.zeros_like(g), g)


@composite("torch.real", views=True, samples=["3 4", "complex: 3"])
def real(fns, input):
    """The real part of a complex tensor, in its memory; a real tensor itself."""
    return fns._real(input) if is_complex(input) else input


@composite("torch.imag", views=True, samples=["complex: 3"],
           errors=[("3", RuntimeError, "imag is not implemented for tensors with non-complex dtypes.")])
def imag(fns, input):
    """The imaginary part of a complex tensor, in its memory."""
    if not is_complex(input):
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return fns._imag(input)


@op("torch.view_as_real", alias="x", rereads=True, batch="leading", samples=["complex: 3 4", "complex: "],
    errors=[("3", RuntimeError, "view_as_real is only supported for complex tensors")])
def view_as_real(xp, x):
    """Real and imaginary parts side by side: the same memory with a last dimension of size 2."""
    parts = xp.real_parts(x)
    if parts is None:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if xp.is_conjugated(x):
        raise RuntimeError("view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so "
                           "you can view it as real, use self.resolve_conj(); however, be warned that the resulting tensor "
                           "will NOT alias the original.")
    size = x.itemsize // 2
    return xp.strided(parts, (*x.shape, 2), (*[step // size for step in x.strides], 1))


@view_as_real.vjp("x")
def view_as_real_dx(xp, g):
    if g.dtype.itemsize == 2:
        g = xp.astype(g, dtypes.float32)        # gradients of complex32 are complex64
    return xp.complex(g[..., 0], g[..., 1])


@op("torch.view_as_complex", alias="x", rereads=True, autocast="float32", batch="leading", samples=["3 2", "2"],
    errors=[("3", RuntimeError, "Tensor must have a last dimension of size 2"),
            ("", RuntimeError, "Input tensor must have one or more dimensions")])
def view_as_complex(xp, x):
    """A last dimension of size 2 as complex numbers, in the same memory."""
    if x.dtype.name not in FLOATS:
        raise RuntimeError("view_as_complex is only supported for half, float and double tensors, but got a tensor of "
                           f"scalar type: {scalar_name(x)}")
    if x.ndim == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if x.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if x.size == 0:             # what steps its dims have says nothing
        return xp.pairs_as_complex(xp.empty(x.shape, dtype=x.dtype))
    if x.strides[-1] != x.itemsize:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(stride % (2 * x.itemsize) for stride in x.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return xp.pairs_as_complex(x)


@view_as_complex.vjp("x")
def view_as_complex_dx(xp, g):
    return xp.stack([xp.real(g), xp.imag(g)], axis=-1)


# --- conjugates and angles -------------------------------------------------------------------------------------------

@op("torch._conj_physical", elementwise=True, writes_repeated=True, ends_history_as="conj_physical", samples=["complex: 3 4"])
def conj_physical_op(xp, x, out=None):
    """The complex conjugate of a complex tensor: ``out = real(x) - 1j * imag(x)``."""
    return xp.conjugate(x, out=out) if x.dtype.kind != "b" else xp.logical_or(x, x, out=out)


@conj_physical_op.vjp("x")
def conj_physical_dx(xp, g):
    return xp.conj(g)


@composite("conj_physical", views=True, samples=["complex: 3 4", "3 4"], inplace=True)
def conj_physical(fns, input, *, out=None):
    """The complex conjugate; a real tensor itself."""
    return fns._conj_physical(input, out=out) if is_complex(input) or out is not None else input


@composite("Tensor.conj_physical_", "torch.conj_physical_", samples=["complex: 3 4"])
def conj_physical_(fns, input):
    """:func:`conj_physical`, in place."""
    if is_complex(input) and any(step == 0 and n > 1 for step, n in zip(input.stride(), input.shape)):
        raise overlap_error()                               # real numbers stay what they are, wherever they lie
    return fns._conj_physical_(input)


@op("torch._conj", alias="x", rereads=True, node="ConjBackward0", batch="leading", samples=["complex: 3 4", "complex: "])
def conj_view(xp, x):
    """The complex conjugates of a complex tensor, in its memory."""
    return xp.conj_view(x)


@conj_view.vjp("x")
def conj_view_dx(xp, g):
    return xp.conj(g)


@composite("conj", views=True, samples=["complex: 3 4", "3 4"])
def conj(fns, input):
    """The complex conjugate; a real tensor itself.

    A view: nothing is computed, ``is_conj()`` is True, and what is written through it reaches ``input``.
    :func:`resolve_conj` gives it memory of its own, :func:`conj_physical` computes at once.
    """
    return fns._conj(input) if is_complex(input) else input


@composite("resolve_conj", views=True, samples=["complex: 3 4", "3 4"])
def resolve_conj(fns, input):
    """A view of conjugates (``is_conj()``) in memory of its own; any other tensor itself."""
    return fns.clone(input) if input.is_conj() else input


@composite("resolve_neg", views=True, samples=["complex: 3 4", "3 4"])
def resolve_neg(fns, input):
    """A view of negatives (``is_neg()``) in memory of its own; any other tensor itself."""
    return fns.clone(input) if input.is_neg() else input


@composite("is_conj", differentiable=False, samples=["complex: 3 4", "3 4"])
def is_conj(fns, input) -> bool:
    """Whether it is a view of conjugates, which its memory does not hold."""
    return input.is_conj()


@op("angle", elementwise=True, dtype="floating", inplace=False, samples=["3 4", "complex: 3", "+0. -0. -1. +nan"])
def angle(xp, x):
    """Angle in the complex plane: 0 for positive numbers, pi for negative ones."""
    if x.dtype.kind == "c":
        return xp.angle(x)
    return xp.where(xp.isnan(x), x, xp.astype(x < 0, x.dtype) * math.pi)


@angle.vjp("x")
def angle_dx(xp, g, x):
    if not is_complex(x):
        return xp.zeros_like(g)
    size = xp.abs(x)
    return xp.where(size == 0, 0, g * 1j * x / xp.where(size == 0, 1, size * size))
