"""What collectives refuse, as PyTorch's gloo does: before anything moves."""
from leafward import dtypes
from leafward.distributed.group import is_tensor
from leafward.distributed.reduce_op import RedOpType, kind_of

#: What gloo takes where it looks into tensors. Messages, and parts that are scattered, have any dtype.
TAKEN = {dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16, dtypes.int8, dtypes.uint8, dtypes.int32, dtypes.int64,
         dtypes.bool}
BITWISE = {RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR}
#: What dtypes are called in a message about casts.
CALLED = {dtypes.int8: "Char", dtypes.uint8: "Byte", dtypes.int32: "Int", dtypes.int64: "Long", dtypes.bool: "Bool"}


def check_tensor(value, name):
    """Refuse what is no tensor."""
    if not is_tensor(value):
        raise TypeError(f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n             "
                        f"but got {type(value)} instead.")


def check_tensors(values, name):
    """Refuse what is no list of tensors."""
    if not isinstance(values, list) or not all([is_tensor(value) for value in values]):
        raise TypeError(f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n             "
                        f"but got {type(values)} instead.")


def check_one_dtype(*groups):
    """Refuse tensors of several dtypes."""
    tensors = [tensor for part in groups for tensor in (part if isinstance(part, (list, tuple)) else [part])]
    for tensor in tensors[1:]:
        if tensor._dtype is not tensors[0]._dtype:
            raise ValueError(f"Invalid usage of tensors with different dtypesFound {tensors[0].dtype} and  {tensor.dtype}")


def check_taken(dtype, complex_too=True):
    """Refuse dtypes that gloo does not look into."""
    if dtype not in TAKEN and not (complex_too and dtype.is_complex):
        raise RuntimeError("Invalid scalar type")


def checked_reduction(op, dtype, name):
    """The name of a reduction that gloo does with this dtype."""
    kind = kind_of(op)
    if dtype.is_complex:
        if kind not in (RedOpType.SUM, RedOpType.AVG):
            error = ValueError if name == "all_reduce" else RuntimeError
            raise error(f"{name} does not support {kind} on complex tensors")
        return kind.name
    check_taken(dtype)
    if kind in BITWISE and dtype.is_floating_point:
        raise RuntimeError(f"Cannot use ReduceOp.{kind.name} with non-integral dtype")
    if kind is RedOpType.AVG and not dtype.is_floating_point:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {CALLED[dtype]}")
    return kind.name


def listed(shape):
    """``(2, 3)`` as C++ writes it."""
    return f"({', '.join(map(str, shape))})"


def check_like(name, model, tensors):
    """Refuse tensors that have another shape or dtype than ``model``."""
    for position, tensor in enumerate(tensors):
        if tensor._dtype is not model._dtype:
            raise RuntimeError(f"ProcessGroupGloo::{name}: invalid tensor type at index {position} (expected {model.dtype}, "
                               f"got {tensor.dtype})")
        if tensor.shape != model.shape:
            raise RuntimeError(f"ProcessGroupGloo::{name}: invalid tensor size at index {position} (expected "
                               f"{listed(model.shape)}, got {listed(tensor.shape)})")


def check_root(name, root, size):
    """Refuse a rank that the group does not have."""
    if not 0 <= root < size:
        raise RuntimeError(f"ProcessGroupGloo::{name}: invalid root rank: {root}")


def check_splits(splits, rows, size):
    """How many rows go to each rank: as given, or equally many."""
    if not splits:
        if rows % size:
            raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
        return [rows // size] * size
    if len(splits) != size:
        raise RuntimeError("Number of tensor splits not equal to group size")
    if sum(splits) != rows:
        raise RuntimeError("Split sizes doesn't match total dim 0 size")
    return list(splits)
