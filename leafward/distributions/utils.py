"""Small tools of distributions: broadcasting numbers and tensors, probabilities and their logarithms, lazy attributes."""
from __future__ import annotations

from itertools import count
from numbers import Number
from typing import Any, Generic, TYPE_CHECKING, TypeVar

import leafward as lw
from leafward.core import modes
from leafward.core.cuts import cuts_inside
from leafward.core.runtime import runtime
from leafward.nn.functional import softmax

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self, overload
    from leafward.tensor.tensor import Tensor

R = TypeVar("R")

__all__ = ["broadcast_all", "logits_to_probs", "clamp_probs", "probs_to_logits", "lazy_property", "tril_matrix_to_vec",
           "vec_to_tril_matrix"]

euler_constant = 0.57721566490153286060


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Numbers and tensors as tensors of one shape; numbers take the dtype of the first tensor.

    >>> import leafward as lw
    >>> broadcast_all(1.0, lw.zeros(2))
    (tensor([1., 1.]), tensor([0., 0.]))
    """
    if not all(isinstance(v, (lw.Tensor, Number)) or hasattr(type(v), "__torch_function__") for v in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing "
                         "__torch_function__.")
    if any(isinstance(v, Number) for v in values):
        tensors = [v for v in values if isinstance(v, lw.Tensor)]
        dtype = tensors[0].dtype if tensors else lw.get_default_dtype()
        values = [lw.tensor(v, dtype=dtype) if isinstance(v, Number) else v for v in values]
    return lw.broadcast_tensors(*values)


def _standard_normal(shape, dtype, device=None):
    return lw.empty(shape, dtype=dtype, device=device).normal_()


class drawing:  # noqa: N801  (it stands in a `with`)
    """Nothing is recorded inside: what is drawn has no gradient, and says so where one was needed."""

    def __enter__(self):
        self.noted = cuts_inside("sample") if modes.grad_enabled() and runtime.checks else None
        self.recorded = modes.exchange_grad(False)
        if self.noted is not None:
            self.noted.__enter__()

    def __exit__(self, *exc):
        if self.noted is not None:
            self.noted.__exit__(*exc)
        modes.set_grad_enabled(self.recorded)


def _sum_rightmost(value, dim):
    """Sum the last ``dim`` dimensions away."""
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Log-odds to probabilities (``is_binary``), or unnormalized log-probabilities along the last dimension."""
    return lw.sigmoid(logits) if is_binary else softmax(logits, dim=-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """``probs`` kept one rounding away from 0 and 1."""
    eps = lw.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def _clipped_sigmoid(x):
    """The sigmoid, kept off 0 and 1."""
    limits = lw.finfo(x.dtype)
    return lw.clamp(lw.sigmoid(x), min=limits.tiny, max=1.0 - limits.eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """The inverse of :func:`logits_to_probs`."""
    clamped = clamp_probs(probs)
    return lw.log(clamped) - lw.log1p(-clamped) if is_binary else lw.log(clamped)


class lazy_property(Generic[R]):  # noqa: N801  (PyTorch's name)
    """An attribute that is computed when it is first asked for, and then kept; gradients flow through it."""

    def __init__(self, wrapped: Callable[[Any], R]) -> None:
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__

    if TYPE_CHECKING:
        @overload
        def __get__(self, instance: None, owner: Any = None) -> Self: ...
        @overload
        def __get__(self, instance: object, owner: Any = None) -> R: ...

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with lw.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def taken_from(part: str, name: str, doc: str | None = None) -> Any:
    """An attribute ``name`` that is that of the distribution in the attribute ``part``."""
    def taken(self) -> Any:
        return getattr(getattr(self, part), name)
    return property(taken, doc=doc)


def tril_matrix_to_vec(mat, diag=0):
    """The elements on and below the diagonal ``diag`` of each matrix, row by row.

    >>> import leafward as lw
    >>> tril_matrix_to_vec(lw.tensor([[1., 0.], [2., 3.]]))
    tensor([1., 2., 3.])
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows, columns = lw.tril_indices(n, n, diag)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec, diag=0):
    """The inverse of :func:`tril_matrix_to_vec`: each vector as the triangle of a square matrix, with zeros above.

    >>> import leafward as lw
    >>> vec_to_tril_matrix(lw.tensor([1., 2., 3.]))
    tensor([[1., 0.],
            [2., 3.]])
    """
    n = next(n for n in count(1) if triangle_size(n, diag) >= vec.shape[-1])
    rows, columns = lw.tril_indices(n, n, diag)
    matrix = lw.zeros(vec.shape[:-1] + (n, n), dtype=vec.dtype)
    matrix[..., rows, columns] = vec
    return matrix


def triangle_size(n, diag):
    """How many elements of an ``n x n`` matrix lie on and below the diagonal ``diag``."""
    return sum(min(max(row + 1 + diag, 0), n) for row in range(n))
