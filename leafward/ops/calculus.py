"""Integrals and derivatives of sampled functions.

Args:
    y: the values of the function
    x: where they were taken; None: at equal distances
    dx: the distance of the samples; None: 1
"""
from leafward.core.op import composite
from leafward.errors import OptionError

from leafward.ops.dims import normalize
from leafward.ops.kinds import is_bool, is_number

# --- integrals -------------------------------------------------------------------------------------------------------

def neighbours(name, y, x, dx, dim):
    """``dim`` counted from the front, and the distances between neighbours: a number, or a tensor that broadcasts."""
    if y.ndim == 0 and name == "trapezoid":
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if is_bool(y):
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")
    if x is None and isinstance(dx, (bool, complex)):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")
    if y.ndim == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    dim = normalize(dim, y.ndim)
    if x is None:
        return dim, 1 if dx is None else dx
    if dx is not None:
        raise TypeError(f"{name}() received an invalid combination of arguments - got both `x` and `dx`, but expected one of:"
                        "\n * (Tensor y, Tensor x, *, int dim = -1)\n * (Tensor y, *, Number dx = 1, int dim = -1)")
    if is_bool(x):
        raise RuntimeError(f"{name}: received a bool input for `x`, but bool is not supported")
    if x.ndim == 1:
        if x.shape[0] != y.shape[dim]:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = x.view(*(-1 if d == dim else 1 for d in range(y.ndim)))
    elif x.ndim < y.ndim:
        x = x.reshape((1,) * (y.ndim - x.ndim) + tuple(x.shape))
    return dim, x.diff(dim=dim)


def pair_sums(y, dim):
    size = y.shape[dim]
    if size == 0:
        return y
    return y.narrow(dim, 0, size - 1) + y.narrow(dim, 1, size - 1)


@composite("torch.trapezoid",
           samples=["3 4", "3 4 | 4", "3 4 ; dx=0.5, dim=0", "3 4 | 3 4", "3 0", "3 1", "2 3 4 | 3 ; dim=1", "2 3 4 | 3 4"],
           errors=[(" ", IndexError, "Dimension specified as -1 but tensor has no dimensions"),
                   ("3 4 | 3", RuntimeError, "trapezoid: There must be one `x` value for each sample point")])
def trapezoid(fns, y, x=None, *, dx=None, dim=-1):
    """Area under ``y`` along ``dim`` by the trapezoidal rule, sampled at ``x`` or at a distance of ``dx`` (1).

    >>> lw.trapezoid(lw.tensor([1., 2., 4.]))
    tensor(4.5000)
    """
    if y.ndim and not y.shape[dim := normalize(dim, y.ndim)]:
        return fns.zeros(tuple([n for d, n in enumerate(y.shape) if d != dim]), dtype=y.dtype)
    dim, width = neighbours("trapezoid", y, x, dx, dim)
    if is_number(width):
        return (y.sum(dim) - (y.select(dim, 0) + y.select(dim, -1)) * 0.5) * width
    return (pair_sums(y, dim) * width).sum(dim) / 2


@composite("torch.trapz", samples=["3 4", "3 4 | 4", "3 4 ; dx=0.5, dim=0"])
def trapz(fns, y, x=None, *, dx=None, dim=-1):
    """The older name of ``trapezoid``."""
    if isinstance(dx, complex):
        raise OptionError(dx, "float")
    return fns.trapezoid(y, x, dx=float(dx) if isinstance(dx, bool) else dx, dim=dim)      # it takes True for 1


@composite("torch.cumulative_trapezoid", samples=["3 4", "3 4 | 4", "3 4 ; dx=0.5, dim=0", "3 4 | 3 4", "3 1"],
           errors=[(" ", IndexError, "slice() cannot be applied to a 0-dim tensor.")])
def cumulative_trapezoid(fns, y, x=None, *, dx=None, dim=-1):
    """The areas of ``trapezoid`` up to each sample but the first."""
    dim, width = neighbours("cumulative_trapezoid", y, x, dx, dim)
    if is_number(width):
        return (pair_sums(y, dim) * (width / 2.0)).cumsum(dim)
    return (pair_sums(y, dim) * width).cumsum(dim) / 2


# --- derivatives -----------------------------------------------------------------------------------------------------

def gradient_spacings(input, spacing, dims):
    """A number, or the coordinates as a vector, for each of ``dims``."""
    if spacing is None:
        return [1.0] * len(dims)
    if is_number(spacing) or getattr(spacing, "ndim", None) == 0:
        return [spacing if is_number(spacing) else spacing.item()] * len(dims)
    spacing = list(spacing)
    if len(spacing) != len(dims):
        raise RuntimeError("torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
                           f"'self.dim() = {input.ndim}', since dim argument was not given, but got a list of length "
                           f"{len(spacing)}" if len(dims) == input.ndim else
                           f"torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments "
                           f"to have the same length, but got a spacing argument of length {len(spacing)} and a dim argument "
                           f"of length {len(dims)}.")
    for coordinates in spacing:
        if not is_number(coordinates) and coordinates.ndim != 1:
            raise RuntimeError("torch.gradient expected each element of spacing to have one dimension, but got an element "
                               f"with {coordinates.ndim} dimensions!")
    return spacing


def slope(fns, x, spacing, dim, edge_order):
    """The derivative of ``x`` along ``dim``: central differences, and one-sided ones at both ends."""
    n = x.shape[dim]

    def part(start, length):
        return x.narrow(dim, start, length)

    before, here, after = part(0, n - 2), part(1, n - 2), part(2, n - 2)
    if is_number(spacing):
        middle = (after - before) / (2 * spacing)
        if edge_order == 1:
            first, last = (part(1, 1) - part(0, 1)) / spacing, (part(n - 1, 1) - part(n - 2, 1)) / spacing
        else:
            first = (4 * part(1, 1) - 3 * part(0, 1) - part(2, 1)) / (2 * spacing)
            last = (3 * part(n - 1, 1) - 4 * part(n - 2, 1) + part(n - 3, 1)) / (2 * spacing)
        return fns.cat((first, middle, last), dim)
    gaps = spacing.diff()
    left, right = (gap.view(*(-1 if d == dim else 1 for d in range(x.ndim))) for gap in (gaps[:-1], gaps[1:]))
    middle = (after * (left / (right * (left + right))) + here * ((right - left) / (left * right))
              - before * (right / (left * (left + right))))
    if edge_order == 1:
        first, last = (part(1, 1) - part(0, 1)) / gaps[0], (part(n - 1, 1) - part(n - 2, 1)) / gaps[-1]
    else:
        first = one_sided(part(0, 1), part(1, 1), part(2, 1), gaps[0], gaps[1])
        last = -one_sided(part(n - 1, 1), part(n - 2, 1), part(n - 3, 1), gaps[-1], gaps[-2])
    return fns.cat((first, middle, last), dim)


def one_sided(x0, x1, x2, a, b):
    """The slope at ``x0`` of the parabola through three values, at distances ``a`` and ``b`` from each other."""
    return x1 * ((a + b) / (a * b)) - x0 * ((2 * a + b) / (a * (a + b))) - x2 * (a / (b * (a + b)))


@composite("torch.gradient",
           samples=["3 4", "3 4 ; spacing=2.0, dim=0, edge_order=2", "3 4 ; spacing=[2.0, 0.5]",
                    "3 4 ; spacing=(t.tensor([0.0, 1.0, 3.0, 4.0]),), dim=1", "3 4 ; dim=(1, 0)",
                    "3 4 ; spacing=(t.tensor([0.0, 1.0, 2.0, 4.0]),), dim=1, edge_order=2", "2"],
           errors=[("1", RuntimeError, "torch.gradient expected each dimension size to be at least edge_order+1"),
                   ("3 ; edge_order=3", RuntimeError, "torch.gradient only supports edge_order=1 and edge_order=2."),
                   ("3 3 ; dim=(0, 0)", RuntimeError, "dim 0 appears multiple times in the list of dims"),
                   ("3 3 ; spacing=[1.0, 2.0, 3.0]", RuntimeError,
                    "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to")])
def gradient(fns, input, *, spacing=None, dim=None, edge_order: int = 1) -> tuple:
    """The derivative of a sampled function along each dimension: central differences, one-sided at the ends.

    ``spacing`` is the distance of the samples, one for each dimension, or their coordinates.

    Args:
        spacing: the distance of the samples, one for all dims or one each, or their coordinates; None: 1
        dim: the dims to differentiate along; None: all
        edge_order: 1 or 2: the order of the estimate at the ends

    >>> lw.gradient(lw.tensor([1., 4., 9., 16.]))
    (tensor([3., 4., 6., 7.]),)
    """
    dims = range(input.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    if input.dtype.name == "uint8":
        raise RuntimeError("torch.gradient does not support uint8 input.")
    spacings = gradient_spacings(input, spacing, dims)
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    dims = [normalize(d, input.ndim) for d in dims]
    for d in dims:
        if dims.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    if any(input.shape[d] < edge_order + 1 for d in dims):
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple([slope(fns, input, given, d, edge_order) for d, given in zip(dims, spacings)])
