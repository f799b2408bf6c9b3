"""Probability distributions: samples, log-probabilities, moments, entropies and divergences, all differentiable."""
from leafward.distributions import constraints, kl as kl, kl_across, kl_within, transforms as transforms
from leafward.distributions.bernoulli import Bernoulli
from leafward.distributions.beta import Beta
from leafward.distributions.binomial import Binomial
from leafward.distributions.categorical import Categorical
from leafward.distributions.cauchy import Cauchy
from leafward.distributions.chi2 import Chi2
from leafward.distributions.constraint_registry import biject_to, transform_to
from leafward.distributions.continuous_bernoulli import ContinuousBernoulli
from leafward.distributions.dirichlet import Dirichlet
from leafward.distributions.distribution import Distribution
from leafward.distributions.exp_family import ExponentialFamily
from leafward.distributions.exponential import Exponential
from leafward.distributions.fishersnedecor import FisherSnedecor
from leafward.distributions.gamma import Gamma
from leafward.distributions.generalized_pareto import GeneralizedPareto
from leafward.distributions.geometric import Geometric
from leafward.distributions.gumbel import Gumbel
from leafward.distributions.half_cauchy import HalfCauchy
from leafward.distributions.half_normal import HalfNormal
from leafward.distributions.independent import Independent
from leafward.distributions.inverse_gamma import InverseGamma
from leafward.distributions.kl import kl_divergence, register_kl
from leafward.distributions.kumaraswamy import Kumaraswamy
from leafward.distributions.laplace import Laplace
from leafward.distributions.lkj_cholesky import LKJCholesky
from leafward.distributions.log_normal import LogNormal
from leafward.distributions.logistic_normal import LogisticNormal
from leafward.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from leafward.distributions.mixture_same_family import MixtureSameFamily
from leafward.distributions.multinomial import Multinomial
from leafward.distributions.multivariate_normal import MultivariateNormal
from leafward.distributions.negative_binomial import NegativeBinomial
from leafward.distributions.normal import Normal
from leafward.distributions.one_hot_categorical import OneHotCategorical, OneHotCategoricalStraightThrough
from leafward.distributions.pareto import Pareto
from leafward.distributions.poisson import Poisson
from leafward.distributions.relaxed_bernoulli import RelaxedBernoulli
from leafward.distributions.relaxed_categorical import RelaxedOneHotCategorical
from leafward.distributions.shared_arguments import explain_arguments
from leafward.distributions.studentT import StudentT
from leafward.distributions.transformed_distribution import TransformedDistribution
from leafward.distributions.transforms import (
    AbsTransform, AffineTransform, CatTransform, ComposeTransform, CorrCholeskyTransform,
    CumulativeDistributionTransform, ExpTransform, IndependentTransform, LowerCholeskyTransform,
    PositiveDefiniteTransform, PowerTransform, ReshapeTransform, SigmoidTransform, SoftplusTransform, TanhTransform,
    SoftmaxTransform, StackTransform, StickBreakingTransform, Transform, identity_transform,
)
from leafward.distributions.uniform import Uniform
from leafward.distributions.von_mises import VonMises
from leafward.distributions.weibull import Weibull
from leafward.distributions.wishart import Wishart
from leafward.tensor.missing import names_missing_from

__all__ = [
    "Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Chi2", "ContinuousBernoulli", "Dirichlet", "Distribution",
    "Exponential", "ExponentialFamily", "FisherSnedecor", "Gamma", "GeneralizedPareto", "Geometric", "Gumbel",
    "HalfCauchy", "HalfNormal", "Independent", "InverseGamma", "Kumaraswamy", "LKJCholesky", "Laplace", "LogNormal",
    "LogisticNormal", "LowRankMultivariateNormal", "MixtureSameFamily", "Multinomial", "MultivariateNormal",
    "NegativeBinomial", "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough", "Pareto", "Poisson",
    "RelaxedBernoulli", "RelaxedOneHotCategorical", "StudentT", "TransformedDistribution", "Uniform", "VonMises",
    "Weibull", "Wishart", "biject_to", "constraints", "kl_divergence", "register_kl", "transform_to",
    "AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
    "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform", "LowerCholeskyTransform",
    "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftplusTransform",
    "TanhTransform", "SoftmaxTransform", "StackTransform", "StickBreakingTransform", "Transform",
    "identity_transform"]

explain_arguments(value for name in __all__ if isinstance(value := globals()[name], type))

__getattr__ = names_missing_from("torch.distributions", globals())
