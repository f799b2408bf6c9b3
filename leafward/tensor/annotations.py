"""Names for annotations: what a device, a dtype or a number may be given as."""
from collections.abc import Callable
from typing import Any, TypeVar

from leafward.devices import device
from leafward.dtypes import dtype

Device = device | str | int
DType = dtype
Number = int | float | complex

#: A function, and what a decorator makes of it.
F = TypeVar("F", bound=Callable[..., Any])
