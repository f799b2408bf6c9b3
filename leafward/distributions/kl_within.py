"""Divergences between two distributions of one family."""
import leafward as lw
from leafward.nn.functional import softplus

from leafward.distributions.bernoulli import Bernoulli
from leafward.distributions.beta import Beta
from leafward.distributions.binomial import Binomial
from leafward.distributions.categorical import Categorical
from leafward.distributions.cauchy import Cauchy
from leafward.distributions.continuous_bernoulli import ContinuousBernoulli
from leafward.distributions.dirichlet import Dirichlet
from leafward.distributions.exp_family import ExponentialFamily
from leafward.distributions.exponential import Exponential
from leafward.distributions.gamma import Gamma
from leafward.distributions.geometric import Geometric
from leafward.distributions.gumbel import Gumbel
from leafward.distributions.half_normal import HalfNormal
from leafward.distributions.independent import Independent
from leafward.distributions.kl import kl_divergence, register_kl
from leafward.distributions.laplace import Laplace
from leafward.distributions.lowrank_multivariate_normal import (
    LowRankMultivariateNormal, _batch_lowrank_logdet, _batch_lowrank_mahalanobis,
)
from leafward.distributions.multivariate_normal import MultivariateNormal, _batch_mahalanobis
from leafward.distributions.normal import Normal
from leafward.distributions.one_hot_categorical import OneHotCategorical
from leafward.distributions.pareto import Pareto
from leafward.distributions.poisson import Poisson
from leafward.distributions.transformed_distribution import TransformedDistribution
from leafward.distributions.uniform import Uniform
from leafward.distributions.utils import _sum_rightmost, euler_constant

INF = float("inf")
ESTIMATE = "(p.log_prob(x) - q.log_prob(x)).mean(0), where x = p.sample((n,))"


@register_kl(Bernoulli, Bernoulli)
def kl_bernoulli_bernoulli(p, q):
    of_one = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    of_one = lw.where(p.probs == 0, 0.0, lw.where(q.probs == 0, INF, of_one))
    of_zero = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    return of_one + lw.where(p.probs == 1, 0.0, lw.where(q.probs == 1, INF, of_zero))


@register_kl(Beta, Beta)
def kl_beta_beta(p, q):
    a, b, c, d = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    total_p, total_q = a + b, c + d
    norms = c.lgamma() + d.lgamma() + total_p.lgamma() - a.lgamma() - b.lgamma() - total_q.lgamma()
    return (norms + (a - c) * lw.digamma(a) + (b - d) * lw.digamma(b) + (total_q - total_p) * lw.digamma(total_p))


@register_kl(Binomial, Binomial)
def kl_binomial_binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    divergence = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return lw.where(p.total_count > q.total_count, INF, divergence)


@register_kl(Categorical, Categorical)
def kl_categorical_categorical(p, q):
    terms = p.probs * (p.logits - q.logits)
    return lw.where(p.probs == 0, 0.0, lw.where(q.probs == 0, INF, terms)).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def kl_onehotcategorical_onehotcategorical(p, q):
    return kl_categorical_categorical(p._categorical, q._categorical)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def kl_continuous_bernoulli_continuous_bernoulli(p, q):
    return (p.mean * (p.logits - q.logits) + p._cont_bern_log_norm() + lw.log1p(-p.probs)
            - q._cont_bern_log_norm() - lw.log1p(-q.probs))


@register_kl(Dirichlet, Dirichlet)
def kl_dirichlet_dirichlet(p, q):
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    norms = total.lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    return norms + ((a - b) * (a.digamma() - total.digamma().unsqueeze(-1))).sum(-1)


@register_kl(Exponential, Exponential)
def kl_exponential_exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def kl_expfamily_expfamily(p, q):
    """The Bregman divergence of the log-normalizer ``A``: ``A(q) - A(p) - <q - p, grad A(p)>``."""
    if type(p) is not type(q):
        raise NotImplementedError("The cross KL-divergence between different exponential families cannot be computed "
                                  "using Bregman divergences")
    params_p = [param.detach().requires_grad_() for param in p._natural_params]
    params_q = q._natural_params
    log_normalizer = p._log_normalizer(*params_p)
    gradients = lw.autograd.grad(log_normalizer.sum(), params_p, create_graph=True)
    result = q._log_normalizer(*params_q) - log_normalizer
    for param_p, param_q, gradient in zip(params_p, params_q, gradients, strict=True):
        result = result - _sum_rightmost((param_q - param_p) * gradient, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def kl_gamma_gamma(p, q):
    return (q.concentration * (p.rate / q.rate).log() + lw.lgamma(q.concentration) - lw.lgamma(p.concentration)
            + (p.concentration - q.concentration) * lw.digamma(p.concentration)
            + (q.rate - p.rate) * (p.concentration / p.rate))


@register_kl(Gumbel, Gumbel)
def kl_gumbel_gumbel(p, q):
    ratio, shift = p.scale / q.scale, (p.loc - q.loc) / q.scale
    return (-ratio.log() + shift + ratio * euler_constant + lw.exp((1 + ratio).lgamma() - shift)
            - (1 + euler_constant))


@register_kl(Geometric, Geometric)
def kl_geometric_geometric(p, q):
    return -p.entropy() - lw.log1p(-q.probs) / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def kl_halfnormal_halfnormal(p, q):
    return kl_normal_normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def kl_laplace_laplace(p, q):
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * lw.exp(-distance / p.scale) - 1


@register_kl(Normal, Normal)
def kl_normal_normal(p, q):
    ratio, shift = (p.scale / q.scale).pow(2), ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + shift - 1 - ratio.log())


@register_kl(Cauchy, Cauchy)
def kl_cauchy_cauchy(p, q):
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(Pareto, Pareto)
def kl_pareto_pareto(p, q):
    ratio = q.alpha / p.alpha
    divergence = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return lw.where(p.scale < q.scale, INF, divergence)


@register_kl(Poisson, Poisson)
def kl_poisson_poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def kl_uniform_uniform(p, q):
    divergence = ((q.high - q.low) / (p.high - p.low)).log()
    return lw.where((q.low > p.low) | (q.high < p.high), INF, divergence)


@register_kl(TransformedDistribution, TransformedDistribution)
def kl_transformed_transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError("the divergence of two TransformedDistributions is that of their bases where transforms and "
                                  f"event shapes agree; estimate it: {ESTIMATE}")
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def kl_independent_independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("the divergence of two Independents is defined for the same reinterpreted_batch_ndims, not "
                                  f"{p.reinterpreted_batch_ndims} and {q.reinterpreted_batch_ndims}")
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


# --- multivariate normal ---------------------------------------------------------------------------------------------
# (log(det(Sq) / det(Sp)) + trace(Sq^-1 Sp) + the squared distance of the means in q - n) / 2

def check_events(p, q, names):
    if p.event_shape != q.event_shape:
        raise ValueError(f"KL-divergence between two {names} with different event shapes cannot be computed")


def log_det(p):
    if isinstance(p, LowRankMultivariateNormal):
        return _batch_lowrank_logdet(p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag, p._capacitance_tril)
    return 2 * p._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def squared_distance(q, x):
    if isinstance(q, LowRankMultivariateNormal):
        return _batch_lowrank_mahalanobis(q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag, x, q._capacitance_tril)
    return _batch_mahalanobis(q._unbroadcasted_scale_tril, x)


def trace_of_quotient(p, q):
    """``trace(Sq^-1 Sp)``: the squared distances in ``q`` of the columns whose products make up ``Sp``."""
    if isinstance(p, LowRankMultivariateNormal):
        columns = lw.cat([p.cov_factor, p.cov_diag.sqrt().diag_embed()], -1)
    else:
        columns = p.scale_tril
    rows = columns.mT                                                       # batch columns n
    return sum(squared_distance(q, row) for row in rows.unbind(-2))


def kl_normals(p, q):
    check_events(p, q, "Multivariate Normals")
    return 0.5 * (log_det(q) - log_det(p) + trace_of_quotient(p, q) + squared_distance(q, q.loc - p.loc)
                  - p.event_shape[0])


for first in MultivariateNormal, LowRankMultivariateNormal:
    for second in MultivariateNormal, LowRankMultivariateNormal:
        register_kl(first, second)(kl_normals)
