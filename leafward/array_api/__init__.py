"""leafward as a namespace of the Python array API standard, version 2024.12: ``tensor.__array_namespace__()``.

leafward itself keeps PyTorch's names, arguments and dtypes, which are not the standard's: ``sum(dim=...)``,
``max`` that gives places too, an int32 tensor without dimensions that does not widen an int16 one. Here every function
has the standard's name, arguments, dtype and result, and is the same differentiable function underneath.

>>> import leafward as lw
>>> x = lw.tensor([[1.0, 5.0], [4.0, 2.0]], requires_grad=True)
>>> xp = x.__array_namespace__()
>>> xp.max(x, axis=0)
tensor([4., 5.], grad_fn=<AmaxBackward0>)
>>> xp.add(xp.asarray([1], dtype=xp.int16), xp.asarray(1, dtype=xp.int32)).dtype
torch.int32

Operators are methods of the tensor, so that they mix dtypes as PyTorch does.
"""
from leafward.array_api import (
    creation, data_types, elementwise, fft, info, linalg, manipulation, searching, sorting, statistics,
)

__array_api_version__ = "2024.12"
#: Earlier ones that this one extends.
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")

e, inf, nan, pi = 2.718281828459045, float("inf"), float("nan"), 3.141592653589793
newaxis = None
__array_namespace_info__ = info.Info
# `matmul` and its like belong to both the main namespace and the extension.
matmul, matrix_transpose, tensordot, vecdot = linalg.matmul, linalg.matrix_transpose, linalg.tensordot, linalg.vecdot

__all__ = ["e", "fft", "inf", "linalg", "matmul", "matrix_transpose", "nan", "newaxis", "pi", "tensordot", "vecdot"]
for _part in (creation, data_types, elementwise, manipulation, searching, sorting, statistics):
    __all__ += _part.__all__
    globals().update({name: getattr(_part, name) for name in _part.__all__})
__all__.sort()


def __dir__():
    return [*__all__, "__all__", "__array_api_version__", "__array_namespace_info__", "__doc__", "__name__"]
