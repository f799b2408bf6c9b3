"""The frequencies of the points of a Fourier transform, and their order.

Args:
    n: the number of samples
    d: the time between two samples
    dim: the dims to reorder; None: all
"""

from leafward import dtypes
from leafward.core.op import composite

from leafward.ops.checks import scalar_name
from leafward.ops.creation import integer
from leafward.ops.dims import normalize
from leafward.ops.fft import given_ints
from leafward.ops.kinds import is_whole


def spacing(name, n, d, dtype, out):
    """``1 / (n d)``, once ``n``, ``dtype`` and ``out`` are checked."""
    n = integer(f"fft_{name}", "n", 1, n)
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    if out is not None and is_whole(out):
        raise RuntimeError(f"result type Float can't be cast to the desired output type {scalar_name(out)}")
    span = n * float(d)
    return 1 / span if span else float("inf")


def multiples(fns, n, unit, dtype, out, requires_grad, wraps_at=None, **options):
    """``0, 1, ..., n - 1`` times ``unit``; from ``wraps_at`` on less ``n`` of them."""
    if out is not None:
        found = fns.arange(n, out=out, dtype=dtype, requires_grad=requires_grad, **options)
        k = found.detach()                  # that has no history yet, or none any more
    else:
        k = fns.arange(n, dtype=dtypes.get_default_dtype() if dtype is None else dtype, **options)
    if wraps_at is not None:
        k[wraps_at:] -= n
    if out is None:
        return (k * unit).requires_grad_(requires_grad)
    k.mul_(unit)
    return found


FREQUENCIES = ["; n=5", "; n=4, d=0.5", "; n=1", "; n=5, d=0.0", "; n=6, dtype=t.float64"]


@composite("fft.fftfreq", differentiable=False, samples=FREQUENCIES,
           errors=[("; n=5, dtype=t.int64", RuntimeError, "fftfreq requires a floating point or complex dtype"),
                   ("; n=4.0", TypeError, "must be int, not float")])
def fftfreq(fns, n: int, d=1.0, *, out=None, dtype=None, layout=None, device=None, pin_memory: bool = False,
            requires_grad: bool = False):
    """The frequency of each point of an :func:`fft` of ``n`` samples, ``d`` apart, in its order.

    >>> lw.fft.fftfreq(5)
    tensor([ 0.0000,  0.2000,  0.4000, -0.4000, -0.2000])
    """
    unit = spacing("fftfreq", n, d, dtype, out)
    return multiples(fns, n, unit, dtype, out, requires_grad, (n + 1) // 2, layout=layout, device=device, pin_memory=pin_memory)


@composite("fft.rfftfreq", differentiable=False, samples=FREQUENCIES,
           errors=[("; n=5, dtype=t.int64", RuntimeError, "rfftfreq requires a floating point or complex dtype")])
def rfftfreq(fns, n: int, d=1.0, *, out=None, dtype=None, layout=None, device=None, pin_memory: bool = False,
             requires_grad: bool = False):
    """The frequency of each point of an :func:`rfft` of ``n`` samples, ``d`` apart."""
    unit = spacing("rfftfreq", n, d, dtype, out)
    return multiples(fns, n // 2 + 1, unit, dtype, out, requires_grad, layout=layout, device=device, pin_memory=pin_memory)


def shifted(fns, name, input, dim, step):
    dims = given_ints(name, "dim", 2, dim)
    dims = tuple(range(input.ndim)) if dims is None else tuple([normalize(d, input.ndim) for d in dims])
    if not dims:
        raise RuntimeError("`shifts` required")
    return fns.roll(input, [step(input.shape[d]) for d in dims], dims)


@composite("fft.fftshift", samples=["4", "3 4", "3 5 ; dim=1", "2 3 4 ; dim=(0, -1)", "complex: 3"],
           errors=[("", RuntimeError, "`shifts` required"), ("3 ; dim=2", IndexError, "Dimension out of range")])
def fftshift(fns, input, dim=None):
    """Move frequency zero to the middle.

    >>> lw.fft.fftshift(lw.fft.fftfreq(4))
    tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
    return shifted(fns, "fftshift", input, dim, lambda n: n // 2)


@composite("fft.ifftshift", samples=["4", "3 4", "3 5 ; dim=1", "2 3 4 ; dim=(0, -1)", "complex: 3"])
def ifftshift(fns, input, dim=None):
    """The inverse of :func:`fftshift`."""
    return shifted(fns, "ifftshift", input, dim, lambda n: (n + 1) // 2)
