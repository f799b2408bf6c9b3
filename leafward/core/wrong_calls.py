"""Calls whose arguments no op takes: the errors, in PyTorch's words."""


def argument_error(op, position, value, wanted):
    return not_a_tensor(op.name, op.shown_names[op.input_at[position]], op.input_at[position], value, wanted)


def not_a_tensor(name, argument, position, value, wanted="Tensor"):
    return TypeError(f"{name}(): argument '{argument}' (position {position + 1}) must be {wanted}, not {type(value).__name__}")


def descriptor_error(name, value):
    return TypeError(f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a '{type(value).__name__}' "
                     "object")


def foreign_tensor_error(function):
    return TypeError(f"{getattr(function, '__name__', function)}() got a tensor of the installed PyTorch: convert it with "
                     "leafward.from_numpy(x.numpy())")


def missing_argument(op, name):
    return TypeError(f'{op.name}() missing 1 required positional arguments: "{name}"')


def too_many_arguments(op, given):
    return TypeError(f"{op.name}() takes {op.positional} positional argument{'s' if op.positional != 1 else ''} but "
                     f"{given} were given")


def unexpected_keyword(op, name):
    return TypeError(f"{op.name}() got an unexpected keyword argument '{name}'")
