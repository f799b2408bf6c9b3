"""``torch.types``: what programs write into annotations."""
import os
from typing import IO

from leafward.devices import device as _device_class
from leafward.dtypes import dtype as _dtype, layout as _layout  # noqa: F401
from leafward.tensor.missing import names_missing_from
from leafward.tensor.size import Size
from leafward.tensor.tensor import Tensor  # noqa: F401

Device = _device_class | str | int | None
Number = int | float | bool
FileLike = str | os.PathLike | IO[bytes]
IntLikeType, FloatLikeType, BoolLikeType = int, float, bool
_device = _device_class | str | int | None
_size = Size | list[int] | tuple[int, ...]
_int, _float, _bool, _complex = int, float, bool, complex

__getattr__ = names_missing_from("torch.types", globals())
