"""Gates: one half of the numbers decides how much of the other half passes."""
from leafward.core.op import op

from leafward.ops import dims
from leafward.ops.kinds import refuse_kinds

NOT_FLOAT = "biuc"


@op("nn.functional.glu", batch="dims", samples=["3 4", "4 3 ; dim=0", "2 3 4 ; dim=-1"],
    errors=[("3", RuntimeError, "Halving dimension must be even, but dimension 0 is size 3"),
            ("", RuntimeError, "glu does not support scalars because halving size must be even")])
def glu(xp, x, dim=-1):
    """Gate one half by the other: ``out = a * sigmoid(b)``, where a and b are the halves of x along ``dim``.

    Args:
        dim: the dim that is halved: the last unless given
    Source: Dauphin et al., 2016, arXiv:1612.08083
    """
    if x.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    axis = dims.normalize(dim, x.ndim)
    if x.shape[axis] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {x.shape[axis]}")
    refuse_kinds(x, NOT_FLOAT, "glu_cpu")
    return xp._gate(*halves(x, axis))


def halves(x, axis):
    before, middle = (slice(None),) * axis, x.shape[axis] // 2
    return x[(*before, slice(None, middle))], x[(*before, slice(middle, None))]


@glu.vjp("x")
def glu_dx(xp, g, x, dim):
    axis = dims.normalize(dim, x.ndim)
    a, b = halves(x, axis)
    return xp.concat([xp._gate(g, b), xp._gate_slope(g * a, b)], axis=axis)


@op("torch._gate", elementwise=True, samples=["3 4 | 3 4"])
def gate(xp, x, y, out=None):
    """One number times another one's sigmoid: ``out = x * sigmoid(y)``."""
    refuse_kinds(x, NOT_FLOAT, "glu_cpu")
    return xp.multiply(x, xp.sigmoid(y), out=out)


@gate.vjp("x")
def gate_dx(xp, g, y):
    return xp._gate(g, y)


@gate.vjp("y")
def gate_dy(xp, g, x, y):
    return xp._gate_slope(g * x, y)


@op("torch._gate_slope", elementwise=True, samples=["3 4 | 3 4"])
def gate_slope(xp, x, y, out=None):
    """One number times the slope of another one's sigmoid: ``out = x * sigmoid(y) * (1 - sigmoid(y))``."""
    refuse_kinds(x, NOT_FLOAT, "glu_cpu")
    s = xp.sigmoid(y)
    return xp.multiply(x * s, 1 - s, out=out)


@gate_slope.vjp("x")
def gate_slope_dx(xp, g, y):
    return xp._gate_slope(g, y)


@gate_slope.vjp("y")
def gate_slope_dy(xp, g, x, y):
    s = xp.sigmoid(y)
    return g * x * s * (1 - s) * (1 - 2 * s)
