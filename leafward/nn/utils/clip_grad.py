"""Limiting gradients: their common norm, or each value."""
from __future__ import annotations

from types import GeneratorType
from typing import TYPE_CHECKING

import leafward as lw
from leafward.core import modes
from leafward.core.native import call_site
from leafward.core.runtime import runtime
from leafward.distributed.shards import InParts, norm_over_ranks
from leafward.errors import warn
from leafward.tensor.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable


#: The last call that found no gradient to limit: ``(site, the parameters' ids, what backward had reached by then)``; or None.
found_nothing = None


def note_whether_any(parameters, grads):
    """Note a call that came before ``backward()``, when there was nothing to limit: the step that follows tells of it."""
    global found_nothing
    if grads or not runtime.checks:
        found_nothing = None
    elif any(p._requires_grad for p in parameters):
        found_nothing = call_site(), {id(p) for p in parameters}, modes.current().reached


def as_list(tensors):
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def get_total_norm(tensors: Tensor | Iterable[Tensor], norm_type: float = 2.0, error_if_nonfinite: bool = False,
                   foreach: bool | None = None) -> Tensor:
    """The norm of all ``tensors`` as one long vector.

    tensors: an iterable of tensors
    {norm_type, error_if_nonfinite, foreach}

    >>> from leafward.nn.utils import get_total_norm
    >>> get_total_norm([leafward.tensor([3.0]), leafward.tensor([4.0])])
    tensor(5.)
    """
    tensors = as_list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return lw.tensor(0.0)
    norms = lw.stack([lw.linalg.vector_norm(t, norm_type) for t in tensors])
    return checked_norm(lw.linalg.vector_norm(norms, norm_type), norm_type, error_if_nonfinite)


def checked_norm(total, norm_type, error_if_nonfinite):
    """A norm, which may have to be finite."""
    if error_if_nonfinite and not bool(lw.isfinite(total)):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`")
    return total


def clip_grads_with_norm_(parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor,
                          foreach: bool | None = None) -> None:
    """Scale the gradients by ``max_norm / (total_norm + 1e-6)`` where that is less than one.

    {parameters, max_norm}
    total_norm: their norm, as :func:`get_total_norm` gives it
    {foreach}

    >>> p = lw.nn.Parameter(lw.zeros(2))
    >>> p.grad = lw.tensor([3.0, 4.0])
    >>> clip_grads_with_norm_([p], 1.0, lw.tensor(5.0))
    >>> p.grad
    tensor([0.6000, 0.8000])
    """
    grads = [p.grad for p in as_list(parameters) if p.grad is not None]
    with lw.no_grad():
        scale = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(scale)


_get_total_norm, _clip_grads_with_norm_ = get_total_norm, clip_grads_with_norm_


def clip_grad_norm_(parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0,
                    error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:
    """Scale the gradients so that their common norm is at most ``max_norm``; returns the norm before.

    Of parameters in parts (``fully_shard``) it is the norm over all ranks, each of which has to call it.

    {parameters, max_norm, norm_type, error_if_nonfinite, foreach}

    >>> from leafward import nn
    >>> p = nn.Parameter(leafward.zeros(2))
    >>> p.grad = leafward.tensor([3.0, 4.0])
    >>> nn.utils.clip_grad_norm_([p], 1.0)
    tensor(5.)
    >>> p.grad
    tensor([0.6000, 0.8000])
    """
    if not isinstance(parameters, Tensor):
        is_generator = isinstance(parameters, GeneratorType)
        parameters = list(parameters)
        if is_generator and not parameters:
            warn("`parameters` is an empty generator, no gradient clipping will occur.")
    tensors = as_list(parameters)
    grads = [p.grad for p in tensors if p.grad is not None and not isinstance(p, InParts)]
    in_parts = [p for p in tensors if isinstance(p, InParts)]
    note_whether_any(tensors, grads or in_parts)
    with lw.no_grad():
        if in_parts:
            total = checked_norm(norm_over_ranks(in_parts, grads, float(norm_type)), norm_type, error_if_nonfinite)
        else:
            total = get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total, foreach)
    return total


def clip_grad_norm(parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0,
                   error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:
    """The older name of :func:`clip_grad_norm_`; it warns.

    {parameters, max_norm, norm_type, error_if_nonfinite, foreach}

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     clip_grad_norm([lw.nn.Parameter(lw.zeros(2))], 1.0)
    tensor(0.)
    """
    warn("`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
         FutureWarning)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Limit every value of the gradients to [-clip_value, clip_value].

    {parameters}
    clip_value: the bound
    {foreach}

    >>> p = lw.nn.Parameter(lw.zeros(2))
    >>> p.grad = lw.tensor([3.0, -0.5])
    >>> clip_grad_value_([p], 1.0)
    >>> p.grad
    tensor([ 1.0000, -0.5000])
    """
    clip_value = float(clip_value)
    tensors = as_list(parameters)
    note_whether_any(tensors, [p for p in tensors if p.grad is not None])
    with lw.no_grad():
        for p in tensors:
            if p.grad is not None:
                p.grad.clamp_(min=-clip_value, max=clip_value)
