"""The first stage of a call: what the arguments are, or why they are none. Nothing has been computed yet."""
from leafward.dtypes import scalar_dtype
from leafward.errors import element_error, refuse_overflow
from leafward.core.bind import checked_option, is_tensor_like, unwrap_scalar
from leafward.core.from_array import new_tensor
from leafward.core.op import REQUIRED
from leafward.core.native import fits_int64
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase, is_plain
from leafward.core.wrong_calls import argument_error


def check_inputs(op, values):
    """The input tensors of a call; Python scalars stay scalars, anything else is refused."""
    inputs = []
    for index, position in enumerate(op.input_at):
        value = values[position]
        if value is None:
            if (index == 0 or op.elementwise or op.writes is not None) and op.defaults[position] is REQUIRED:
                raise argument_error(op, index, value, "Tensor")
        elif isinstance(value, TensorBase) and index != op.variadic_at:
            pass
        elif index == op.variadic_at:
            if not isinstance(value, (list, tuple)):
                raise argument_error(op, index, value, "tuple of Tensors")
            value = list(value)
            for number, v in enumerate(value):
                if not is_tensor_like(v):
                    raise element_error(number, v, position)
        elif type(value) is not float and type(value) is not int and is_tensor_like(value):
            pass                                            # it answers for itself
        else:
            scalar = unwrap_scalar(value)
            if scalar is None or not op.takes_number[index] or (
                    index == 0 and op.numbers != "all" and not any([isinstance(v, TensorBase) for v in values])):
                raise argument_error(op, index, value, "Tensor")
            value = scalar
            if type(value) is int and not fits_int64(value):
                refuse_overflow(value)
            if index == 0 and op.numbers == "all" and not any([is_tensor_like(v) for v in values]):
                value = number_tensor(value)                # numbers alone: of the dtype that they count as
        inputs.append(value)
    check_options(op, values)
    return inputs


def check_options(op, values):
    """See that options are of the kinds that the op says, or make them so."""
    for position, kind in op.option_kinds:
        value = values[position]
        if type(value) is not kind and value is not op.defaults[position]:
            values[position] = checked_option(op, position, value)


def number_tensor(value):
    """A Python number as the 0-dim tensor that it stands for."""
    dtype = scalar_dtype(value)
    return new_tensor(runtime.xp.full((), value, dtype), dtype)


def all_plain(inputs):
    """Whether no input can have a ``__torch_function__`` of its own."""
    for position in range(len(inputs)):
        value = inputs[position]
        if value is None or is_plain(value):
            continue
        if isinstance(value, list):
            for part in value:
                if not is_plain(part):
                    return False
        elif type(value) is not float and type(value) is not int and is_tensor_like(value):
            return False
    return True
