"""Bessel functions and Airy's function. PyTorch has no derivatives of these: what they return is a constant.

``special.i0`` and ``special.i1``, which have derivatives, are in ``special.py``.

Source: DLMF 10.2 (J, Y), 10.25 (I, K), 10.49 (spherical), 9.2 (Airy)
"""
from leafward.core.op import op

from leafward.ops.kinds import refuse_kinds

#: Edges of the half line; on all of it PyTorch's J and Y are off by up to 1e-6 between 2 and 15.
HALF_LINE = ["3 4", "", "0 3", "+0. -0. -1. +1e-30 +2. +30. +700. +1e5"]
LINE = ["3 4", "", "0 3", "+0. -0. -1e-30 +2. -2. +30. -30. +700."]


# --- Bessel functions ------------------------------------------------------------------------------------------------

@op("special.bessel_j0", elementwise=True, dtype="floating", nondifferentiable="x", no_grad_outputs="out", samples=LINE)
def bessel_j0(xp, x, out=None):
    """Bessel function of the first kind of order 0: ``x**2 out'' + x out' + x**2 out = 0``, 1 at 0."""
    refuse_kinds(x, "c", "bessel_j0_cpu")
    return xp.bessel.bessel_j0(x, out=out)


@op("special.bessel_j1", elementwise=True, dtype="floating", nondifferentiable="x", no_grad_outputs="out", samples=LINE)
def bessel_j1(xp, x, out=None):
    """Bessel function of the first kind of order 1: ``out = -d/dx bessel_j0(x)``."""
    refuse_kinds(x, "c", "bessel_j1_cpu")
    return xp.bessel.bessel_j1(x, out=out)


@op("special.bessel_y0", elementwise=True, dtype="floating", nondifferentiable="x", no_grad_outputs="out", domain="pos",
    samples=HALF_LINE)
def bessel_y0(xp, x, out=None):
    """Bessel function of the second kind of order 0: -inf at 0, nan below."""
    refuse_kinds(x, "c", "bessel_y0_cpu")
    return xp.bessel.bessel_y0(x, out=out)


@op("special.bessel_y1", elementwise=True, dtype="floating", nondifferentiable="x", no_grad_outputs="out", domain="pos",
    samples=HALF_LINE)
def bessel_y1(xp, x, out=None):
    """Bessel function of the second kind of order 1: ``out = -d/dx bessel_y0(x)``."""
    refuse_kinds(x, "c", "bessel_y1_cpu")
    return xp.bessel.bessel_y1(x, out=out)


@op("special.spherical_bessel_j0", elementwise=True, dtype="floating", nondifferentiable="x", no_grad_outputs="out",
    samples=[*LINE, "+inf -inf"])
def spherical_bessel_j0(xp, x, out=None):
    """Spherical Bessel function of the first kind of order 0: ``out = sin(x) / x``, 1 at 0."""
    refuse_kinds(x, "c", "spherical_bessel_j0_cpu")
    return xp.bessel.spherical_bessel_j0(x, out=out)


# --- modified Bessel functions ---------------------------------------------------------------------------------------

@op("special.modified_bessel_i0", elementwise=True, dtype="floating", nondifferentiable="x", no_grad_outputs="out",
    samples=LINE)
def modified_bessel_i0(xp, x, out=None):
    """Modified Bessel function of the first kind of order 0: ``out = i0(x)``, as a constant."""
    refuse_kinds(x, "c", "modified_bessel_i0_cpu")
    return xp.i0(x, out=out)


@op("special.modified_bessel_i1", elementwise=True, dtype="floating", nondifferentiable="x", no_grad_outputs="out",
    samples=LINE)
def modified_bessel_i1(xp, x, out=None):
    """Modified Bessel function of the first kind of order 1: ``out = i1(x)``, as a constant."""
    refuse_kinds(x, "c", "modified_bessel_i1_cpu")
    return xp.i1(x, out=out)


@op("special.modified_bessel_k0", elementwise=True, dtype="floating", nondifferentiable="x", no_grad_outputs="out",
    domain="pos", samples=HALF_LINE)
def modified_bessel_k0(xp, x, out=None):
    """Modified Bessel function of the second kind of order 0: inf at 0, nan below."""
    refuse_kinds(x, "c", "modified_bessel_k0_cpu")
    return xp.bessel.modified_bessel_k0(x, out=out)


@op("special.modified_bessel_k1", elementwise=True, dtype="floating", nondifferentiable="x", no_grad_outputs="out",
    domain="pos", samples=HALF_LINE)
def modified_bessel_k1(xp, x, out=None):
    """Modified Bessel function of the second kind of order 1: ``out = -d/dx modified_bessel_k0(x)``."""
    refuse_kinds(x, "c", "modified_bessel_k1_cpu")
    return xp.bessel.modified_bessel_k1(x, out=out)


@op("special.scaled_modified_bessel_k0", elementwise=True, dtype="floating", nondifferentiable="x", no_grad_outputs="out",
    domain="pos", samples=HALF_LINE)
def scaled_modified_bessel_k0(xp, x, out=None):
    """Scaled: ``out = exp(x) * modified_bessel_k0(x)``."""
    refuse_kinds(x, "c", "scaled_modified_bessel_k0_cpu")
    return xp.bessel.scaled_modified_bessel_k0(x, out=out)


@op("special.scaled_modified_bessel_k1", elementwise=True, dtype="floating", nondifferentiable="x", no_grad_outputs="out",
    domain="pos", samples=HALF_LINE)
def scaled_modified_bessel_k1(xp, x, out=None):
    """Scaled: ``out = exp(x) * modified_bessel_k1(x)``."""
    refuse_kinds(x, "c", "scaled_modified_bessel_k1_cpu")
    return xp.bessel.scaled_modified_bessel_k1(x, out=out)


# --- Airy's function -------------------------------------------------------------------------------------------------

@op("special.airy_ai", elementwise=True, dtype="floating", nondifferentiable="x", no_grad_outputs="out",
    samples=["3 4", "", "0 3", "+0. -1. +2. +30. +700. -12. -30. +inf -inf"])
def airy_ai(xp, x, out=None):
    """Airy's function: ``out'' = x out``, vanishing for large ``x``."""
    refuse_kinds(x, "c", "airy_ai_cpu")
    return xp.bessel.airy_ai(x, out=out)
