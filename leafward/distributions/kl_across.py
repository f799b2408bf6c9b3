"""Divergences between distributions of two families: ``KL(p || q) = -H(p) - E[log q(x)]``, ``H`` being the entropy."""
import math

import leafward as lw

from leafward.distributions.bernoulli import Bernoulli
from leafward.distributions.beta import Beta
from leafward.distributions.binomial import Binomial
from leafward.distributions.continuous_bernoulli import ContinuousBernoulli
from leafward.distributions.exponential import Exponential
from leafward.distributions.gamma import Gamma
from leafward.distributions.gumbel import Gumbel
from leafward.distributions.kl import register_kl
from leafward.distributions.laplace import Laplace
from leafward.distributions.normal import Normal
from leafward.distributions.pareto import Pareto
from leafward.distributions.poisson import Poisson
from leafward.distributions.uniform import Uniform
from leafward.distributions.utils import euler_constant

INF = float("inf")


# --- infinite: q is zero where p is not ------------------------------------------------------------------------------

def kl_infinite(p, q):
    shape = lw.broadcast_shapes(p.batch_shape, q.batch_shape)
    return lw.full(shape, INF, dtype=p.mean.dtype)


for first, others in {
    Beta: (Pareto,), ContinuousBernoulli: (Pareto,), Exponential: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gamma: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gumbel: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Laplace: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Normal: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Pareto: (Beta, ContinuousBernoulli, Uniform), Poisson: (Bernoulli, Binomial),
}.items():
    for second in others:
        register_kl(first, second)(kl_infinite)


# --- to distributions whose log-probability has few moments ----------------------------------------------------------

def kl_to_normal(p, q):
    return (-p.entropy() + 0.5 * (2 * math.pi * q.variance).log()
            + (p.variance + (p.mean - q.loc).pow(2)) / (2 * q.variance))


for first in Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Pareto, Uniform:
    register_kl(first, Normal)(kl_to_normal)


def kl_to_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.mean


for first in Beta, ContinuousBernoulli, Gamma, Pareto:
    register_kl(first, Exponential)(kl_to_exponential)


def kl_to_gamma(p, q, log_mean):
    """``log_mean`` is ``E[log x]``."""
    return (-p.entropy() + q.concentration.lgamma() - q.concentration * q.rate.log() - (q.concentration - 1) * log_mean
            + q.rate * p.mean)


@register_kl(Beta, Gamma)
def kl_beta_gamma(p, q):
    return kl_to_gamma(p, q, p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma())


@register_kl(Exponential, Gamma)
def kl_exponential_gamma(p, q):
    return kl_to_gamma(p, q, -euler_constant - p.rate.log())


@register_kl(Pareto, Gamma)
def kl_pareto_gamma(p, q):
    return kl_to_gamma(p, q, p.scale.log() + p.alpha.reciprocal())


def kl_to_gumbel(p, q, exponential_mean):
    """``exponential_mean`` is ``E[exp(-x / scale)]``."""
    return (-p.entropy() + q.scale.log() + (p.mean - q.loc) / q.scale + lw.exp(q.loc / q.scale) * exponential_mean)


@register_kl(Exponential, Gumbel)
def kl_exponential_gumbel(p, q):
    product = p.rate * q.scale
    return kl_to_gumbel(p, q, product / (product + 1))


@register_kl(Gamma, Gumbel)
def kl_gamma_gumbel(p, q):
    return kl_to_gumbel(p, q, (1 + (p.rate * q.scale).reciprocal()).pow(-p.concentration))


@register_kl(Normal, Gumbel)
def kl_normal_gumbel(p, q):
    return kl_to_gumbel(p, q, lw.exp(-p.loc / q.scale + 0.5 * (p.scale / q.scale).pow(2)))


@register_kl(Uniform, Gumbel)
def kl_uniform_gumbel(p, q):
    drop = lw.exp(-p.low / q.scale) - lw.exp(-p.high / q.scale)
    return kl_to_gumbel(p, q, q.scale / (p.high - p.low) * drop)


def kl_to_continuous_bernoulli(p, q):
    return -p.entropy() - p.mean * q.logits - lw.log1p(-q.probs) - q._cont_bern_log_norm()


register_kl(Beta, ContinuousBernoulli)(kl_to_continuous_bernoulli)


# --- other pairs -----------------------------------------------------------------------------------------------------

@register_kl(Bernoulli, Poisson)
def kl_bernoulli_poisson(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Normal, Laplace)
def kl_normal_laplace(p, q):
    shift = p.loc - q.loc
    spread = p.scale * math.sqrt(2)
    distance = (spread / math.sqrt(math.pi) * lw.exp(-(shift / spread).pow(2)) + shift * lw.erf(shift / spread))
    return -p.entropy() + (2 * q.scale).log() + distance / q.scale


@register_kl(Beta, Uniform)
def kl_beta_uniform(p, q):
    return lw.where((q.low > 0) | (q.high < 1), INF, -p.entropy() + (q.high - q.low).log())


@register_kl(ContinuousBernoulli, Uniform)
def kl_continuous_bernoulli_uniform(p, q):
    # Infinite on the bounds themselves too, as in PyTorch.
    return lw.where((q.low >= 0) | (q.high <= 1), INF, -p.entropy() + (q.high - q.low).log())


# --- from a uniform distribution -------------------------------------------------------------------------------------

def x_log_x(x):
    return lw.xlogy(x, x)


def log_mean(low, high):
    """``E[log x]`` of a uniform ``x``."""
    return (x_log_x(high) - x_log_x(low)) / (high - low) - 1


@register_kl(Uniform, Beta)
def kl_uniform_beta(p, q):
    a, b = q.concentration1, q.concentration0
    log_norm = a.lgamma() + b.lgamma() - (a + b).lgamma()
    divergence = (-p.entropy() + log_norm - (a - 1) * log_mean(p.low, p.high)
                  - (b - 1) * log_mean(1 - p.high, 1 - p.low))
    return lw.where((p.high > 1) | (p.low < 0), INF, divergence)


@register_kl(Uniform, ContinuousBernoulli)
def kl_uniform_continuous_bernoulli(p, q):
    # Infinite on the bounds themselves too, as in PyTorch.
    return lw.where((p.high >= 1) | (p.low <= 0), INF, kl_to_continuous_bernoulli(p, q))


@register_kl(Uniform, Exponential)
def kl_uniform_exponential(p, q):
    return lw.where(p.low < 0, INF, kl_to_exponential(p, q))


@register_kl(Uniform, Gamma)
def kl_uniform_gamma(p, q):
    return lw.where(p.low < 0, INF, kl_to_gamma(p, q, log_mean(p.low, p.high)))


@register_kl(Uniform, Pareto)
def kl_uniform_pareto(p, q):
    divergence = (-p.entropy() - q.alpha.log() - q.alpha * q.scale.log() + (q.alpha + 1) * log_mean(p.low, p.high))
    return lw.where(p.low < q.scale, INF, divergence)
