"""Questions about tensors, dtypes and shapes that PyTorch answers by functions: no op, and nothing is recorded."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

from leafward import dtypes
from leafward.core.tensor import TensorBase
from leafward.devices import type_name
from leafward.errors import broadcasting
from leafward.tensor.size import Size

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import DType
    from leafward.tensor.tensor import Tensor


def about(name, answer, doc):
    """``name(input)``, which refuses what is no tensor."""
    def ask(input):
        if not isinstance(input, TensorBase):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
        return answer(input)
    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = doc
    return ask


is_complex = about("is_complex", lambda x: x.is_complex(), "Whether ``input`` has a complex dtype.")
is_floating_point = about("is_floating_point", lambda x: x.is_floating_point(),
                          "Whether ``input`` has a floating-point dtype.")
is_inference = about("is_inference", lambda x: x.is_inference(), "Whether ``input`` was made in inference mode.")
is_neg = about("is_neg", lambda x: x.is_neg(), "Whether ``input`` is a view of negatives, which its memory does not hold.")
is_nonzero = about("is_nonzero", lambda x: x.is_nonzero(), "Whether the single element of ``input`` is not zero.")
get_device = about("get_device", lambda x: x.get_device(), "The number of the GPU that holds ``input``: -1, it is on the CPU.")
is_signed = about("is_signed", lambda x: x.is_signed(), "Whether the dtype of ``input`` has negative numbers.")
numel = about("numel", lambda x: x.numel(), "The number of elements of ``input``.")
detach = about("detach", lambda x: x.detach(), "The memory of ``input`` without its history: :meth:`Tensor.detach`.")


def is_tensor(obj: Any) -> bool:
    """Whether ``obj`` is a Tensor."""
    return isinstance(obj, TensorBase)


def is_storage(obj: Any) -> bool:
    """Whether ``obj`` is a storage."""
    from leafward.tensor.storage import TypedStorage, UntypedStorage
    return isinstance(obj, (TypedStorage, UntypedStorage))


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape."""
    return input.shape == other.shape


def typename(obj: Any) -> str:
    """The type of ``obj`` as PyTorch writes it.

    >>> typename(leafward.ones(2)), typename(leafward.nn.Linear(1, 1)), typename(3)
    ('torch.FloatTensor', 'torch.nn.modules.linear.Linear', 'int')
    """
    if isinstance(obj, TensorBase):
        return obj.type()
    kind = obj if isinstance(obj, type) or hasattr(obj, "__qualname__") else type(obj)
    module = kind.__module__ or ""
    if module == "leafward" or module.startswith("leafward."):
        # A class is known by where users find it: `torch.dtype` is not `torch.dtypes.dtype`.
        package = __import__("leafward")
        module = "torch" if vars(package).get(kind.__qualname__) is kind else "torch" + module.removeprefix("leafward")
    return kind.__qualname__ if module in ("", "builtins") else f"{module}.{kind.__qualname__}"


def broadcast_shapes(*shapes: int | Sequence[int]) -> Size:
    """The shape that ``shapes`` broadcast to.

    >>> broadcast_shapes((2, 1), (4,), 1)
    torch.Size([2, 4])
    """
    shapes = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    if any(size < 0 for shape in shapes for size in shape):
        raise ValueError("Attempting to broadcast a dimension with negative length!")
    result, clash = broadcasting(shapes)
    if clash is not None:
        position, offset, size = clash
        raise RuntimeError(
            f"Attempting to broadcast a dimension of length {size} at -{offset}! Mismatching argument at index {position} had "
            f"{shapes[position]}; but expected shape should be broadcastable to {result}")
    return Size(result)


def can_cast(from_: DType, to: DType) -> bool:
    """Whether values of the dtype ``from_`` may be written into a tensor of the dtype ``to``: not into an earlier kind.

    >>> can_cast(leafward.float64, leafward.float32), can_cast(leafward.float32, leafward.int64)
    (True, False)
    """
    return dtypes.can_cast(from_, to)


def result_type(tensor: Any = None, other: Any = None, *, scalar: Any = None, scalar1: Any = None,
                scalar2: Any = None) -> DType:
    """The dtype of an operation on two operands, tensors or numbers.

    >>> result_type(leafward.ones(2, dtype=leafward.int32), 1.5)
    torch.float32
    """
    operands = [value for value in (tensor, other, scalar, scalar1, scalar2) if value is not None]
    dimensioned = zero_dim = number = None
    for value in operands:
        if isinstance(value, TensorBase):
            if value.ndim:
                dimensioned = value.dtype if dimensioned is None else dtypes.promote_types(dimensioned, value.dtype)
            else:
                zero_dim = value.dtype if zero_dim is None else dtypes.promote_types(zero_dim, value.dtype)
        elif isinstance(value, (bool, int, float, complex)):
            kind = dtypes.scalar_dtype(value)
            number = kind if number is None else dtypes.promote_types(number, kind)
    if len(operands) != 2 or not all(isinstance(value, (TensorBase, bool, int, float, complex)) for value in operands):
        raise TypeError("result_type() received an invalid combination of arguments - got "
                        f"({', '.join(map(type_name, operands))}), but expected two Tensors or Numbers")
    return dtypes.result_type(dimensioned, zero_dim, number)
