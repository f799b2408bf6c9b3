"""The log-normal distribution."""
from leafward.distributions import constraints
from leafward.distributions.normal import Normal
from leafward.distributions.transformed_distribution import TransformedDistribution
from leafward.distributions.transforms import ExpTransform
from leafward.distributions.utils import taken_from

__all__ = ["LogNormal"]


class LogNormal(TransformedDistribution):
    """The exponential of a normal number."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    loc = taken_from("base_dist", "loc", "The mean of the logarithm.")
    scale = taken_from("base_dist", "scale", "The standard deviation of the logarithm.")

    @property
    def mean(self):
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self):
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self):
        squared = self.scale.pow(2)
        return squared.expm1() * (2 * self.loc + squared).exp()

    def entropy(self):
        return self.base_dist.entropy() + self.loc
