"""The first stage of a call: what the arguments are, or why they are none. Nothing has been computed yet."""
from numbers import Real
from operator import index

from leafward.dtypes import as_dtype, dtype, memory_format, scalar_dtype
from leafward.errors import OptionError, element_error, refuse_overflow
from leafward.core.bind import is_tensor_like, unwrap_scalar
from leafward.core.from_array import new_tensor
from leafward.core.op import REQUIRED, parameter_names
from leafward.core.native import fits_int64
from leafward.core.option_kinds import DOUBLE, KINDS_IN_WORDS, SIZES, TENSOR, composite_kinds
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase, is_plain
from leafward.core.wrong_calls import argument_error


def check_inputs(op, values):
    """The input tensors of a call; Python scalars stay scalars, anything else is refused."""
    inputs = []
    for number, position in enumerate(op.input_at):
        value = values[position]
        if value is None:
            if (number == 0 or op.elementwise or op.writes is not None) and op.defaults[position] is REQUIRED:
                raise argument_error(op, number, value, "Tensor")
        elif isinstance(value, TensorBase) and number != op.variadic_at:
            pass
        elif number == op.variadic_at:
            if not isinstance(value, (list, tuple)):
                raise argument_error(op, number, value, "tuple of Tensors")
            value = list(value)
            for at, v in enumerate(value):
                if not is_tensor_like(v):
                    raise element_error(at, v, position)
        elif type(value) is not float and type(value) is not int and is_tensor_like(value):
            pass                                            # it answers for itself
        else:
            scalar = unwrap_scalar(value)
            if scalar is None or not op.takes_number[number] or (
                    number == 0 and op.numbers != "all" and not any([isinstance(v, TensorBase) for v in values])):
                raise argument_error(op, number, value, "Tensor")
            value = scalar
            if type(value) is int and not fits_int64(value):
                refuse_overflow(value)
            if number == 0 and op.numbers == "all" and not any([is_tensor_like(v) for v in values]):
                value = number_tensor(value)                # numbers alone: of the dtype that they count as
        inputs.append(value)
    check_options(op, values)
    return inputs


def check_options(op, values):
    """See that options are of the kinds that the op says, or make them so."""
    for position, kind in op.option_kinds:
        value = values[position]
        if type(value) is not kind and value is not op.defaults[position]:
            values[position] = checked_option(kind, value)


def checked_option(kind, value):
    """``value`` as what an option of this kind has to be (``option_kinds.py``); a refusal in PyTorch's words."""
    if kind is int or (kind == SIZES and not isinstance(value, (tuple, list))):
        try:
            if type(value).__name__.rstrip("_") != "bool":              # NumPy's has an index, too
                return value if isinstance(value, int) else index(value)    # one of a class of its own stays what it is
        except TypeError:
            pass
    elif kind is float or kind is Real or kind == DOUBLE:
        number = unwrap_scalar(value)
        if isinstance(number, complex) and kind is Real:
            raise RuntimeError("value cannot be converted to type double without overflow")
        if isinstance(number, (bool, int, float)) or (kind is float and isinstance(number, complex)):
            if isinstance(number, int):
                refuse_overflow(number)
            return int(number) if number is not value and isinstance(number, bool) else number     # NumPy's are no bools
    elif kind is memory_format:
        if value is None or isinstance(value, kind):
            return value
    elif kind is dtype:
        if isinstance(value := as_dtype(value), dtype):
            return value
    elif kind == TENSOR:
        if is_tensor_like(value):
            return value
    elif kind == SIZES or (kind is tuple and isinstance(value, list)) or (kind is not bool and isinstance(value, kind)):
        return value
    raise OptionError(value, KINDS_IN_WORDS.get(kind) or getattr(kind, "__name__", kind))


def check_composite(declared, args, kwargs):
    """The positional arguments of a composite, of the kinds that it says; those by name are put right in ``kwargs``."""
    if declared.option_kinds is None:
        declared.option_kinds = composite_kinds(declared)
    given = len(args)
    for position, name, kind, default in declared.option_kinds:
        named = position >= given
        if named and name not in kwargs:
            continue
        value = kwargs[name] if named else args[position]
        if type(value) is kind or value is default or ((kind is float or kind is Real) and isinstance(value, TensorBase)):
            continue
        try:
            checked = checked_option(kind, value)
        except OptionError as error:
            raise error.of_call(declared.name, parameter_names(declared.function)[1:], args, kwargs) from None
        if named:
            kwargs[name] = checked
        elif checked is not value:
            args = (*args[:position], checked, *args[position + 1:])
    return args


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
