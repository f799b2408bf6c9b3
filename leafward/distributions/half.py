"""What the half-normal and the half-Cauchy distribution share."""
import math

import leafward as lw

from leafward.distributions import constraints
from leafward.distributions.transformed_distribution import TransformedDistribution
from leafward.distributions.transforms import AbsTransform
from leafward.distributions.utils import taken_from


class Half(TransformedDistribution):
    """The absolute value of a number from ``whole``, a distribution around zero: twice its density at and above zero."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, scale, validate_args=None):
        super().__init__(self.whole(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    scale = taken_from("base_dist", "scale", "The scale of the whole distribution.")

    @property
    def mode(self):
        return lw.zeros_like(self.scale)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return lw.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob):
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)
