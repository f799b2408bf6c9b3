"""What distributions around a ``loc`` share."""
from leafward.distributions import constraints
from leafward.distributions.distribution import Distribution
from leafward.distributions.utils import broadcast_all


class Located:
    """The mean and the mode are ``loc``."""

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc


class LocationScale(Distribution):
    """Numbers ``loc + scale * z``, where only the distribution of z differs."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)
