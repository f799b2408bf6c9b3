"""The base of all distributions: shapes, validation, and what follows from a few methods."""
from __future__ import annotations

from typing import Any, Self, TYPE_CHECKING

import leafward as lw

from leafward.errors import warn
from leafward.distributions import constraints
from leafward.distributions.utils import drawing, lazy_property

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.distributions.constraints import Constraint
    from leafward.tensor.size import Size
    from leafward.tensor.tensor import Tensor

__all__ = ["Distribution"]


class Distribution:
    """A batch of distributions: ``batch_shape`` of them, each over values of ``event_shape``.

    A sample has the shape ``sample_shape + batch_shape + event_shape``, a log-probability lacks the last part.

    batch_shape: how many, each with parameters of its own; (): one
    event_shape: shape of a value; (): a number
    {validate_args}

    >>> d = lw.distributions.Independent(lw.distributions.Normal(lw.zeros(2, 3), 1.0), 1)
    >>> d.batch_shape, d.event_shape, d.sample((4,)).shape, d.log_prob(lw.zeros(2, 3)).shape
    (torch.Size([2]), torch.Size([3]), torch.Size([4, 2, 3]), torch.Size([2]))
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = True

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether parameters and values are checked where ``validate_args`` is not given."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape: Sequence[int] = (), event_shape: Sequence[int] = (),
                 validate_args: bool | None = None) -> None:
        self._batch_shape = lw.Size(batch_shape)
        self._event_shape = lw.Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()

    def _validate_parameters(self):
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            arg_constraints = {}
            warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize "
                "the distribution with `validate_args=False` to turn off validation.")
        for name, constraint in arg_constraints.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                continue                        # not given: it would follow from the one that was
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}")

    # -- shapes ------------------------------------------------------------------------------------------------

    @property
    def batch_shape(self) -> Size:
        """How many distributions these are."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one value."""
        return self._event_shape

    def _extended_shape(self, sample_shape=()):
        return lw.Size(tuple(sample_shape) + tuple(self._batch_shape) + tuple(self._event_shape))

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        """The same distributions, their parameters expanded to ``batch_shape`` without a copy."""
        new = self._get_checked_instance(own_class(self), _instance)
        batch_shape = lw.Size(batch_shape)
        self._expand_into(new, batch_shape)
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _expand_into(self, new, batch_shape):
        """Give ``new`` every parameter that this one holds: expanded but for its last ``event_dim`` dimensions."""
        for cls in type(self).__mro__:
            declared = cls.__dict__.get("arg_constraints", {})
            if isinstance(declared, property):
                declared = self.arg_constraints
            for name, constraint in declared.items():
                if name in self.__dict__ and name not in new.__dict__:
                    setattr(new, name, expanded(self.__dict__[name], batch_shape, constraint.event_dim))

    def _get_checked_instance(self, cls, _instance=None):
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom "
                                      "__init__ method must also define a custom .expand() method.")
        return self.__new__(type(self)) if _instance is None else _instance

    # -- what a distribution defines ---------------------------------------------------------------------------

    @property
    def arg_constraints(self) -> dict[str, Constraint]:
        """The constraint of each parameter, by name."""
        raise undefined(self, "arg_constraints")

    @property
    def support(self) -> Constraint:
        """The constraint that all values satisfy."""
        raise undefined(self, "support")

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        raise undefined(self, "mean")

    @property
    def mode(self) -> Tensor:
        """The likeliest value."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        raise undefined(self, "variance")

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw values; no gradient flows through them."""
        with drawing():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw values that move with the parameters: gradients flow through them."""
        raise undefined(self, "rsample", "its samples carry no gradient; `sample` draws them")

    def sample_n(self, n: int) -> Tensor:
        """Draw ``n`` values."""
        warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning)
        return self.sample(lw.Size((n,)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, or of the probability, at ``value``."""
        raise undefined(self, "log_prob")

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of ``value`` or less."""
        raise undefined(self, "cdf")

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile: where the :meth:`cdf` is ``value``."""
        raise undefined(self, "icdf")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values, along the first dimension."""
        raise undefined(self, "enumerate_support")

    def entropy(self) -> Tensor:
        """The expected ``-log_prob``."""
        raise undefined(self, "entropy", "`-d.log_prob(d.sample((n,))).mean(0)` estimates it")

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return lw.exp(self.entropy())

    # -- validation --------------------------------------------------------------------------------------------

    def _validate_sample(self, value):
        """Refuse a ``value`` of the wrong kind, of a shape that does not fit, or outside the support."""
        if not isinstance(value, lw.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        event_start = value.dim() - len(self._event_shape)
        if value.shape[event_start:] != self._event_shape:
            raise ValueError("The right-most size of value must match event_shape: "
                             f"{value.shape} vs {self._event_shape}.")
        expected = tuple(self._batch_shape) + tuple(self._event_shape)
        for given, wanted in zip(reversed(value.shape), reversed(expected)):
            if given not in (1, wanted) and wanted != 1:
                raise ValueError("Value is not broadcastable with batch_shape+event_shape: "
                                 f"{value.shape} vs {lw.Size(expected)}.")
        try:
            support = self.support
        except NotImplementedError:
            warn(f"{self.__class__} does not define `support` to enable sample validation. Please initialize "
                 "the distribution with `validate_args=False` to turn off validation.")
            return
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{value}")

    def __repr__(self) -> str:
        names = [name for name in self.arg_constraints if name in self.__dict__]
        shown = [f"{name}: {value if value.numel() == 1 else value.size()}"
                 for name, value in ((name, self.__dict__[name]) for name in names)]
        return f"{type(self).__name__}({', '.join(shown)})"


def undefined(instance, name, instead="a subclass may define it"):
    """What to raise for something that not every distribution or transform has."""
    return NotImplementedError(f"{type(instance).__name__} does not define {name}: {instead}")


def own_class(instance):
    """The nearest class of ``instance`` that leafward defines."""
    return next(cls for cls in type(instance).__mro__ if cls.__module__.startswith("leafward."))


def expanded(parameter, batch_shape, event_dim=0):
    """``parameter`` with its batch dimensions expanded to ``batch_shape``."""
    event = tuple(parameter.shape[parameter.dim() - event_dim:])
    return parameter.expand(tuple(batch_shape) + event)
