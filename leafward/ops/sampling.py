"""Random numbers of given gamma, Dirichlet, Poisson and binomial distributions.

``generator`` is None for the default generator, or an object whose ``engine`` draws.

Args:
    count: how many trials
    prob: the probability of success in each
    input: the rates
"""
from leafward.core.op import op

from leafward.ops.checks import scalar_name
from leafward.ops.kinds import unsupported, without_derivative
from leafward.ops.random import engine_of, no_gradient

SINGLE_OR_DOUBLE = "fd"            # by their letters: NumPy makes the names of dtypes anew each time


@op("torch._standard_gamma", random=True, node="StandardGammaBackward0", samples=["pos: 3 4"])
def standard_gamma(xp, x, generator=None):
    """Gamma numbers of shape ``x`` and rate one. They move with ``x`` as their quantiles do."""
    if x.dtype.char not in SINGLE_OR_DOUBLE:
        raise unsupported(x, "gamma_cpu")
    return xp.samplers.standard_gamma(engine_of(xp, generator), x)


@standard_gamma.vjp("x")
def standard_gamma_dx(xp, g, x, out):
    return g * xp._standard_gamma_grad(x, out)


@op("torch._standard_gamma_grad", batch="leading", samples=["pos: 3 4 | pos: 3 4"])
def standard_gamma_grad(xp, x, output):
    """How the gamma number ``output`` of shape ``x`` moves with ``x``."""
    return xp.incomplete.standard_gamma_grad(x, output)


without_derivative(standard_gamma_grad, "x, output", "_standard_gamma_grad", "_standard_gamma_grad")


@op("torch._sample_dirichlet", random=True, samples=["pos: 3 4"])
def sample_dirichlet(xp, x, generator=None):
    """Points of the simplex, of concentration ``x`` along the last dimension."""
    if x.dtype.char not in SINGLE_OR_DOUBLE:
        raise unsupported(x, "dirichlet")
    return xp.samplers.dirichlet(engine_of(xp, generator), x)


@sample_dirichlet.vjp("x")
def sample_dirichlet_dx(xp, g, x, out):
    total = xp.broadcast_to(xp.sum(x, axis=-1, keepdims=True), x.shape)
    return xp._dirichlet_grad(out, x, total) * (g - xp.sum(g * out, axis=-1, keepdims=True))


@op("torch._dirichlet_grad", batch="leading", samples=["unit: 3 4 | +1. +2. +3. +0.5 | +5. +4. +9. +1."])
def dirichlet_grad(xp, x, alpha, total):
    """How one share ``x`` of a Dirichlet point moves with its ``alpha``, as a fraction of what is left, ``1 - x``."""
    return xp.incomplete.dirichlet_grad(x, alpha, total)


without_derivative(dirichlet_grad, "x, alpha, total", "_dirichlet_grad")


@op("torch.poisson", random=True, samples=["pos: 3 4", "+0. +100."],
    errors=[("-1.", RuntimeError, "invalid Poisson rate, expected rate to be non-negative")])
def poisson(xp, x, generator=None):
    """Poisson numbers of the rates in ``input``.

    Source: Hoermann, 1993, Insurance: Mathematics and Economics 12

    >>> import leafward as lw
    >>> lw.poisson(lw.zeros(3))
    tensor([0., 0., 0.])
    """
    if x.dtype.kind in "biuc":
        raise unsupported(x, "poisson_cpu")
    return xp.samplers.poisson(engine_of(xp, generator), x)


poisson.vjp("x")(no_gradient)


@op("torch.binomial", random=True, node="NotImplemented",
    samples=["+5. +100. +3. | unit: 3", "+5. +100. +3. | +0. +1. +0.5"],
    errors=[("int5: 3 | unit: 3", ValueError, "binomial only supports floating-point dtypes for count, got: Long")])
def binomial(xp, count, prob, generator=None):
    """The number of successes in ``count`` trials, each of probability ``prob``.

    Source: Hoermann, 1993, Journal of Statistical Computation and Simulation 46

    >>> import leafward as lw
    >>> lw.binomial(lw.tensor([3., 5.]), lw.tensor([1., 0.]))
    tensor([3., 0.])
    """
    for name, x in ("count", count), ("prob", prob):
        if x.dtype.kind in "biuc":
            raise ValueError(f"binomial only supports floating-point dtypes for {name}, got: {scalar_name(x)}")
    if count.dtype != prob.dtype:
        raise RuntimeError(f"Found dtype {scalar_name(prob)} but expected {scalar_name(count)}")
    if count.dtype.char not in SINGLE_OR_DOUBLE:
        raise unsupported(count, "binomial_cpu")
    return xp.samplers.binomial(engine_of(xp, generator), count, prob)


without_derivative(binomial, "count, prob", "binomial")
