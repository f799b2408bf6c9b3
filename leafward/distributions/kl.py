"""The Kullback-Leibler divergence: which formula serves which pair of distributions."""
from __future__ import annotations


from typing import Any, TYPE_CHECKING

from leafward.errors import warn
from leafward.distributions.distribution import Distribution

if TYPE_CHECKING:
    from collections.abc import Callable
    from leafward.tensor.tensor import Tensor

__all__ = ["register_kl", "kl_divergence"]

#: ``(type of p, type of q) -> function``; and what was found for pairs of subclasses.
_KL_REGISTRY = {}
_KL_MEMOIZE = {}


def register_kl(type_p: type[Any], type_q: type[Any]) -> Callable[[Callable[..., Tensor]], Callable[..., Tensor]]:
    """Decorate a function of ``(p, q)`` as the divergence for these types, and for subclasses without one of their own.

    type_p, type_q: classes of distributions

    >>> class Point(Distribution):
    ...     "All probability at one point."
    >>> @register_kl(Point, Point)
    ... def kl_of_points(p, q):
    ...     return lw.tensor(0.0)
    >>> kl_divergence(Point(validate_args=False), Point(validate_args=False))
    tensor(0.)
    >>> del _KL_REGISTRY[Point, Point]
    """
    for name, cls in (("type_p", type_p), ("type_q", type_q)):      # a base class that packages mix in will do
        if not isinstance(cls, type):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {cls}")

    def decorator(fun):
        _KL_REGISTRY[type_p, type_q] = fun
        _KL_MEMOIZE.clear()                     # a nearer one may have come
        return fun
    return decorator


def _dispatch_kl(type_p, type_q):
    """The function of the nearest registered pair; NotImplemented if there is none."""
    pairs = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not pairs:
        return NotImplemented
    distance = {(p, q): (type_p.__mro__.index(p), type_q.__mro__.index(q)) for p, q in pairs}
    by_p = min(pairs, key=distance.get)
    by_q = min(pairs, key=lambda pair: distance[pair][::-1])
    left, right = _KL_REGISTRY[by_p], _KL_REGISTRY[by_q]
    if left is not right:
        warn(f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl("
             f"{by_p[0].__name__}, {by_q[1].__name__})", RuntimeWarning)
    return left


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """``KL(p || q) = E[log p(x) - log q(x)]``, ``x`` drawn from ``p``.

    p, q: distributions whose types :func:`register_kl` knows; others raise NotImplementedError

    >>> import leafward as lw
    >>> from leafward.distributions import Normal
    >>> kl_divergence(Normal(lw.tensor(0.0), 1.0), Normal(lw.tensor(1.0), 1.0))
    tensor(0.5000)
    """
    pair = type(p), type(q)
    function = _KL_MEMOIZE.get(pair)
    if function is None:
        function = _KL_MEMOIZE[pair] = _dispatch_kl(*pair)
    if function is NotImplemented:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type "
                                  f"{q.__class__.__name__}")
    return function(p, q)
