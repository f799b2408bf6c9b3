"""Forward-mode derivatives: dual tensors, whose tangents every operation carries along.

>>> import leafward as lw
>>> import leafward.autograd.forward_ad as fwAD
>>> with fwAD.dual_level():
...     x = fwAD.make_dual(lw.tensor([1.0, 2.0]), lw.tensor([1.0, 0.0]))
...     fwAD.unpack_dual(x ** 3)
UnpackedDualTensor(primal=tensor([1., 8.]), tangent=tensor([3., 0.]))
"""
from __future__ import annotations

from collections import namedtuple
from typing import Any, Self, TYPE_CHECKING

from leafward.core import modes
from leafward.core.transform_levels import set_tangent, tangent_of
from leafward.core.history import identity, wants_grad
from leafward.core.saved import without_history
from leafward.core.tensor import TensorBase
from leafward.devices import type_name
from leafward.autograd.dual import DualLevel

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

UnpackedDualTensor = namedtuple("UnpackedDualTensor", ("primal", "tangent"))
UnpackedDualTensor.__doc__ = "What :func:`unpack_dual` returns: the tensor without its tangent, and the tangent or None."


class EnteredLevel(DualLevel):
    """A level that this module entered, as PyTorch's level 0."""


def current():
    """The level of this module that this thread is in, or None."""
    for level in modes.current().levels or ():
        if isinstance(level, EnteredLevel):
            return level
    return None


def enter_dual_level():
    """Begin a level of dual tensors; its number is 0: there is one at a time."""
    if current() is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    EnteredLevel().__enter__()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End the level: tensors lose their tangents."""
    if level not in (None, 0):
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that was created. This is not "
                           "supported.")
    entered = current()
    if entered is None:
        raise RuntimeError("Dual level must be a positive number.")
    entered.__exit__()


class dual_level:
    """A level of dual tensors, for a ``with`` block."""

    def __enter__(self) -> Self:
        return enter_dual_level()

    def __exit__(self, *exc: Any) -> None:
        exit_dual_level()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """``tensor`` with a ``tangent`` of the same shape: the direction to differentiate along."""
    entered = current()
    if entered is None:
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, make sure to "
                           "enter_dual_level() first.")
    for what, x in ("primal", tensor), ("tangent", tangent):
        if not (x.dtype.is_floating_point or x.dtype.is_complex):
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {x.dtype}")
    return dual(tensor, tangent, entered)


def dual(tensor, tangent, level):
    """``tensor`` with ``tangent`` at ``level``, on the same memory."""
    if tensor.shape != tangent.shape:
        raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original Tensor, this "
                           f"is not supported. Tensor is of size {list(tensor.shape)} while the given forward gradient is of "
                           f"size {list(tangent.shape)}.")
    if tangent_of(tensor, level) is not None:
        raise RuntimeError("Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is "
                           "not supported.")
    if tangent_of(tangent, level) is not None:
        raise RuntimeError("Setting a forward grad that itself has a forward gradient at the same level0 is not supported.")
    made = same_without_base(tensor)
    set_tangent(made, level, tangent)
    return made


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> Any:
    """``(the tensor without its tangent, its tangent or None)``."""
    entered = current()
    if entered is None:
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, TensorBase):
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type_name(tensor)}")
    return UnpackedDualTensor(*unpacked(tensor, entered))


def unpacked(tensor, level):
    """``tensor`` without its tangent at ``level``, and that tangent."""
    tangent = tangent_of(tensor, level)
    primal = same_without_base(tensor)
    if primal._tangents is not None and level in primal._tangents:
        primal._tangents = {other: t for other, t in primal._tangents.items() if other is not level} or None
    return primal, tangent


def same_without_base(tensor):
    """``tensor`` once more, with its history, but not as a view: so that it can have tangents of its own."""
    made = without_history(tensor)
    if wants_grad(tensor):
        made._node = identity(tensor, tensor)._node
    return made
